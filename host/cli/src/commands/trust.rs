//! `gephost trust`: lets the keys of the repository's config count that widen, as long as the file stays as it is.

use std::fmt::Write as _;
use std::path::PathBuf;

use gephost_app::Project;
use gephost_core::trust::Widening;
use serde::Serialize;
use serde_json::json;
use similar::TextDiff;

use crate::args::TrustArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bold, dim, printable};
use crate::render::verdict;

/// Lines around a change of the config.
const CONTEXT: usize = 3;

/// What counts now.
#[derive(Debug, Serialize)]
struct TrustPage {
    schema: &'static str,
    /// The config file.
    file: PathBuf,
    /// Whether its keys that widen count.
    trusted: bool,
    /// The folder of your own config that makes every project in it trusted.
    trusted_folder: Option<PathBuf>,
    /// The keys that widen.
    keys: Vec<Widening>,
    /// What has changed since the version that was trusted last, as a unified diff.
    changed: Option<String>,
}

pub(super) fn run(environment: &Environment, arguments: &TrustArguments) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    if arguments.revoke {
        return revoke(&project);
    }
    let trust = project.grant_trust()?;
    let changed = trust.before.as_ref().map(|before| difference(before, &trust.text));
    let page = TrustPage {
        schema: "gephost.trust/1",
        file: trust.file,
        trusted: true,
        trusted_folder: trust.folder,
        keys: trust.keys,
        changed,
    };
    Ok(Report { exit: Exit::Done, document: json!(page), text: page.text() })
}

fn revoke(project: &Project) -> Result<Report, Failure> {
    let revoked = project.revoke_trust()?;
    let trust = project.trust()?;
    let word = if revoked { "is trusted any more" } else { "was trusted" };
    let mut text = format!("No version of this project's gephost.toml {word}.\n");
    if let Some(folder) = &trust.folder {
        let folder = printable(&folder.display().to_string());
        let _ = writeln!(text, "Its keys still count, because your own config has {folder} in `[trust] folders`.");
    }
    let page = TrustPage {
        schema: "gephost.trust/1",
        file: trust.file,
        trusted: trust.trusted,
        trusted_folder: trust.folder,
        keys: trust.keys,
        changed: None,
    };
    Ok(Report { exit: Exit::Done, document: json!(page), text })
}

impl TrustPage {
    fn text(&self) -> String {
        let file = printable(&self.file.display().to_string());
        if self.keys.is_empty() {
            return format!("{file} has no key that needs trust: all of it counts already.\n");
        }
        let mut text = format!("{}  {file}\n{}", bold("Trusted   "), listed(&self.keys));
        if let Some(changed) = &self.changed {
            let _ = write!(
                text,
                "{}  since the version that you trusted last:\n{}",
                bold("Changed   "),
                verdict::diff(changed)
            );
        }
        match &self.trusted_folder {
            Some(folder) => {
                let folder = printable(&folder.display().to_string());
                let _ = writeln!(text, "Your own config trusts every project in {folder}.");
            }
            None => text.push_str(
                "These keys count as long as the file stays exactly as it is.\nundo: gephost trust --revoke\n",
            ),
        }
        text
    }
}

/// Keys that widen, one on two lines.
pub(super) fn listed(keys: &[Widening]) -> String {
    let mut text = String::new();
    for Widening { key, value, until_trusted, allows } in keys {
        let _ = writeln!(text, "  {} = {}", bold(key), printable(value));
        let _ = writeln!(text, "    {}", dim(format!("{allows}; until the file is trusted: {until_trusted}")));
    }
    text
}

fn difference(before: &str, now: &str) -> String {
    TextDiff::from_lines(before, now).unified_diff().context_radius(CONTEXT).header("trusted", "now").to_string()
}
