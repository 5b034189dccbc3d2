//! `gephost a2a publish|fetch`.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::a2a::{Chosen, FetchAsk, Fetched, FoundAsset, NotShared, Publishing, Shared};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::node;
use crate::args::{FetchArguments, PublishArguments};
use crate::commands::asset::exchange::AssetImportPage;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, dim, good, note, printable};

pub(super) fn publish(environment: &Environment, arguments: &PublishArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let chosen = match arguments.capsules.as_slice() {
        [] => Chosen::Eligible,
        these => Chosen::These(these),
    };
    if let Some(folder) = &arguments.folder {
        let published = project.publish_to_folder(&environment.mailbox(folder), chosen)?;
        return Ok(Report::of(&PublishPage::of(folder.display().to_string(), published)));
    }
    let mut node = node::of(environment, &arguments.hub)?;
    let published = project.publish(&mut node, chosen, arguments.recording)?;
    Ok(Report::of(&PublishPage::of(node.hub().to_owned(), published)))
}

/// What became of capsules that were to be published.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PublishPage {
    /// The hub, or the folder.
    to: String,
    /// What was published, now or before.
    published: Vec<PublishedRow>,
    /// What stays here, and why.
    kept: Vec<KeptRow>,
}

/// A capsule that was published.
#[derive(Debug, Serialize, JsonSchema)]
struct PublishedRow {
    /// Its id here.
    capsule: String,
    /// Its asset id as it travels.
    asset_id: String,
    /// Id of the bundle.
    bundle: String,
    /// Whether it was published before, and nothing was sent.
    known: bool,
    /// Its state at the hub, if the answer says so.
    state: Option<String>,
    /// The hub's whole answer.
    answer: Value,
}

/// A capsule that stays here.
#[derive(Debug, Serialize, JsonSchema)]
struct KeptRow {
    /// Its id.
    capsule: String,
    /// Every rule that it does not meet.
    rules: Vec<RuleRow>,
}

/// A rule that is not met.
#[derive(Debug, Serialize, JsonSchema)]
struct RuleRow {
    /// The rule's name.
    rule: &'static str,
    /// What is the case, and what should be.
    message: String,
}

impl PublishPage {
    pub(super) fn of(to: String, publishing: Publishing) -> Self {
        let published = publishing.shared.into_iter().map(|shared| {
            let Shared { capsule, asset_id, bundle, is_known, state, answer } = shared;
            PublishedRow { capsule, asset_id, bundle, known: is_known, state, answer }
        });
        let kept = publishing.kept.into_iter().map(|NotShared { capsule, rules }| {
            let rules = rules.into_iter().map(|rule| RuleRow { rule: rule.rule, message: rule.message });
            KeptRow { capsule, rules: rules.collect() }
        });
        Self { to, published: published.collect(), kept: kept.collect() }
    }

    /// Whether there is anything to say.
    pub(super) fn has_rows(&self) -> bool {
        !self.published.is_empty() || !self.kept.is_empty()
    }
}

impl Page for PublishPage {
    const KIND: &'static str = "a2a-publish";

    fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.published {
            let state = row.state.as_deref().map(|state| format!(" ({})", printable(state))).unwrap_or_default();
            let what = if row.known { note("published before") } else { good("published") };
            let _ = writeln!(text, "{what} {}{state}\n  {}", bold(printable(&row.capsule)), row.asset_id);
            for reason in reasons(&row.answer) {
                let _ = writeln!(text, "  {}", printable(&reason));
            }
        }
        for row in &self.kept {
            let _ = writeln!(text, "{} {}", dim("stays here"), printable(&row.capsule));
            for rule in &row.rules {
                let _ = writeln!(text, "  {} ({})", printable(&rule.message), rule.rule);
            }
        }
        match (self.published.len(), self.kept.len()) {
            (0, 0) => text.push_str("There is no capsule here yet: a change that was published makes one.\n"),
            (0, _) => text.push_str("Nothing was published.\n"),
            _ if self.published.iter().all(|row| row.known) => text.push_str("Nothing new was published.\n"),
            _ => {
                let _ = writeln!(
                    text,
                    "To {}. To look later: gephost a2a status. To withdraw: gephost a2a revoke ASSET --why TEXT",
                    self.to
                );
            }
        }
        text
    }
}

/// What a hub says of a bundle: a reason, or a list of them.
fn reasons(answer: &Value) -> Vec<String> {
    let member = |name: &str| answer.get(name).or_else(|| answer.get("payload")?.get(name)).cloned();
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(members) => {
            members.get("message").or_else(|| members.get("reason")).and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    };
    match member("reasons").or_else(|| member("reason")) {
        Some(Value::Array(list)) => list.iter().filter_map(one).take(20).collect(),
        Some(value) => one(&value).into_iter().collect(),
        None => Vec::new(),
    }
}

pub(super) fn fetch(environment: &Environment, arguments: &FetchArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let fetched = match &arguments.folder {
        Some(folder) => {
            let name = folder.display().to_string();
            project.fetch_from_folder(&environment.mailbox(folder), &name)?
        }
        None => project.fetch_assets(&mut node::of(environment, &arguments.hub)?, &ask(arguments))?,
    };
    Ok(Report::of(&FetchPage::of(fetched, arguments.search_only)))
}

/// What is asked for.
fn ask(arguments: &FetchArguments) -> FetchAsk {
    FetchAsk {
        signals: arguments.signals.clone(),
        kind: arguments.kind.map(|kind| kind.as_str().to_owned()),
        ids: arguments.assets.clone(),
        limit: arguments.limit.into(),
        search_only: arguments.search_only,
    }
}

/// What was fetched.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FetchPage {
    /// Where it came from.
    source: String,
    /// What the search found.
    found: Vec<FoundRow>,
    /// What was taken in; absent if only descriptions were asked for.
    imported: Option<AssetImportPage>,
    /// Ids that were asked for and that the hub did not send.
    missing: Vec<String>,
}

/// An asset that a search found.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundRow {
    /// Its asset id.
    asset_id: String,
    /// Its type.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What it says of itself.
    summary: Option<String>,
    /// Its state at the hub.
    state: Option<String>,
    /// The node that published it.
    publisher: Option<String>,
    /// Whether that node proved to the hub who it is; null if the hub does not say.
    authenticated: Option<bool>,
}

impl FetchPage {
    pub(super) fn of(fetched: Fetched, search_only: bool) -> Self {
        let found = fetched.found.into_iter().map(|found| {
            let FoundAsset { asset_id, kind, summary, state, publisher, authenticated } = found;
            FoundRow { asset_id, kind, summary, state, publisher, authenticated }
        });
        Self {
            source: fetched.source,
            found: found.collect(),
            imported: (!search_only).then(|| AssetImportPage::of(fetched.imported)),
            missing: fetched.missing,
        }
    }
}

impl Page for FetchPage {
    const KIND: &'static str = "a2a-fetch";

    fn text(&self) -> String {
        let mut text = String::new();
        if self.imported.is_none() {
            for row in &self.found {
                let kind = row.kind.as_deref().unwrap_or("asset");
                let summary = row.summary.as_deref().unwrap_or("it says nothing of itself");
                let _ = writeln!(text, "{} {}\n  {}", bold(printable(kind)), printable(summary), row.asset_id);
                let by = row.publisher.as_deref().map(|by| format!(", published by {}", printable(by)));
                let state = row.state.as_deref().unwrap_or("state unknown");
                let unproven = if row.authenticated == Some(false) { ", which did not prove who it is" } else { "" };
                let _ = writeln!(text, "  {}{}{unproven}", printable(state), by.unwrap_or_default());
            }
            match self.found.len() {
                0 => text.push_str("The hub has nothing for this. Name fewer signals, or no type.\n"),
                _ => text.push_str("To take one in: gephost a2a fetch ASSET\n"),
            }
            return text;
        }
        for id in &self.missing {
            let _ = writeln!(text, "the hub did not send {id}: it is not promoted there, or was withdrawn");
        }
        if let Some(imported) = &self.imported {
            text.push_str(&imported.text());
        }
        text
    }
}
