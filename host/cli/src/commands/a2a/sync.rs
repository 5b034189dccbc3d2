//! `gephost a2a sync`: once, or every few hours.

use std::time::Duration;

use gephost_app::Project;
use gephost_app::a2a::{SyncAsk, Synced};
use schemars::JsonSchema;
use serde::Serialize;

use super::exchange::{FetchPage, PublishPage};
use super::node;
use crate::args::SyncArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render::style::dim;

pub(super) fn run(environment: &Environment, output: Output, arguments: &SyncArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let mut node = node::of(environment, &arguments.hub)?;
    let hub = node.hub().to_owned();
    let every = arguments.every.map(|hours| Duration::from_hours(hours.into()));
    let ask = SyncAsk { publish: arguments.publish, limit: arguments.limit.into(), every };
    let mut last = None;
    let ended = project.sync(&mut node, ask, &mut |result| match (every, result) {
        (None, result) => last = Some(result),
        (Some(_), Ok(synced)) => output.note(&SyncPage::of(&hub, synced).text()),
        (Some(_), Err(error)) => output.note(&format!("failed, and is tried again later: {}", error.message)),
    });
    ended?;
    let synced = last.ok_or_else(|| Failure::new(crate::exit_code::Exit::Bug, "bug", "nothing was synchronised"))??;
    Ok(Report::of(&SyncPage::of(&hub, synced)))
}

/// One synchronisation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SyncPage {
    /// What was fetched.
    fetched: FetchPage,
    /// What was published; empty if that was not asked for.
    published: PublishPage,
    /// When the next one comes (RFC 3339), if there is one.
    next: Option<String>,
}

impl SyncPage {
    fn of(hub: &str, synced: Synced) -> Self {
        Self {
            fetched: FetchPage::of(synced.fetched, false),
            published: PublishPage::of(hub.to_owned(), synced.published),
            next: synced.next.map(|next| next.to_string()),
        }
    }
}

impl Page for SyncPage {
    const KIND: &'static str = "a2a-sync";

    fn text(&self) -> String {
        let mut text = self.fetched.text();
        if self.published.has_rows() {
            text.push_str(&self.published.text());
        }
        if let Some(next) = &self.next {
            text.push_str(&format!("{}\n", dim(format!("next at {next}"))));
        }
        text
    }
}
