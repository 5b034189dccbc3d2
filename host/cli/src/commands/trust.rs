//! `gephost trust`: lets the keys of the repository's config count that widen, as long as the file stays as it is.

use std::fmt::Write as _;
use std::path::Path;

use gephost_app::Project;
use gephost_app::trust::Trust;
use gephost_core::trust::Widening;
use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;

use crate::args::TrustArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, dim, printable};
use crate::render::verdict;

/// Lines around a change of the config.
const CONTEXT: usize = 3;

/// What counts now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TrustPage {
    /// The config file.
    file: String,
    /// Whether its keys that widen count.
    trusted: bool,
    /// The folder of your own config that makes every project in it trusted.
    trusted_folder: Option<String>,
    /// The keys that widen.
    keys: Vec<Widening>,
    /// What has changed since the version that was trusted last, as a unified diff in which secrets are replaced. Empty if
    /// only such a secret has changed.
    changed: Option<String>,
    /// Whether there is nothing to trust.
    #[serde(skip)]
    is_empty: bool,
    /// For `--revoke`, whether a version of the file was trusted.
    #[serde(skip)]
    revoked: Option<bool>,
}

pub(super) fn run(environment: &Environment, arguments: &TrustArguments) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    if arguments.revoke {
        return revoke(&project);
    }
    let trust = project.grant_trust()?;
    let changed = trust.before.as_ref().map(|before| difference(before, &trust.text));
    Ok(Report::of(&TrustPage::of(trust, changed)))
}

fn revoke(project: &Project) -> Result<Report, Failure> {
    let revoked = project.revoke_trust()?;
    let page = TrustPage::of(project.trust()?, None);
    Ok(Report::of(&TrustPage { revoked: Some(revoked), ..page }))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

impl TrustPage {
    fn of(trust: Trust, changed: Option<String>) -> Self {
        Self {
            file: shown(&trust.file),
            trusted: trust.trusted,
            trusted_folder: trust.folder.as_deref().map(shown),
            keys: trust.keys,
            changed,
            is_empty: trust.text.is_empty(),
            revoked: None,
        }
    }

    fn revoked(&self, was_trusted: bool) -> String {
        let word = if was_trusted { "is trusted any more" } else { "was trusted" };
        let mut text = format!("No version of this project's gephost.toml {word}.\n");
        if let Some(folder) = &self.trusted_folder {
            let folder = printable(folder);
            let _ = writeln!(text, "Its keys still count, because your own config has {folder} in `[trust] folders`.");
        }
        text
    }
}

impl Page for TrustPage {
    const KIND: &'static str = "trust";

    fn text(&self) -> String {
        if let Some(was_trusted) = self.revoked {
            return self.revoked(was_trusted);
        }
        let file = printable(&self.file);
        if self.is_empty {
            return format!("{file} has no key that needs trust.\n");
        }
        let mut text = format!("{}  {file}\n{}", bold("Trusted   "), listed(&self.keys, false));
        if self.keys.is_empty() {
            text.push_str(
                "  It has no key that needs trust. Its logs may now be links that lead outside of the project.\n",
            );
        }
        if let Some(changed) = &self.changed {
            let diff =
                if changed.is_empty() { "  a secret, and nothing else\n".into() } else { verdict::diff(changed) };
            let _ = write!(text, "{}  since the version that you trusted last:\n{diff}", bold("Changed   "));
        }
        match &self.trusted_folder {
            Some(folder) => {
                let folder = printable(folder);
                let _ = writeln!(text, "Your own config trusts every project in {folder}.");
            }
            None => {
                text.push_str(
                    "This counts as long as the file stays exactly as it is.\nundo: gephost trust --revoke\n",
                );
            }
        }
        text
    }
}

/// Keys that widen, one on two lines. `waiting` adds what holds until the file is trusted.
pub(super) fn listed(keys: &[Widening], waiting: bool) -> String {
    let mut text = String::new();
    for Widening { key, value, until_trusted, allows } in keys {
        let until = if waiting { format!("; until the file is trusted: {until_trusted}") } else { String::new() };
        let _ = writeln!(text, "  {} = {}", bold(key), printable(value));
        let _ = writeln!(text, "    {}", dim(format!("{allows}{until}")));
    }
    text
}

fn difference(before: &str, now: &str) -> String {
    TextDiff::from_lines(before, now).unified_diff().context_radius(CONTEXT).header("trusted", "now").to_string()
}
