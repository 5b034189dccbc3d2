//! `gephost observe --discover`: where agents keep their logs on this machine, and which of them are sessions of this
//! project. Those are read once the user has agreed; before that, only the heads of files are.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::sessions::Consent;
use gephost_runner::observe::{Discovered, Unreadable};
use schemars::JsonSchema;
use serde::Serialize;

use super::page::ObservePage;
use super::read::{ReadLogs, read_logs};
use crate::args::ObserveArguments;
use crate::commands::own_sessions::{ask, is_somebody_there, said};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::page::{Document, Page};
use crate::render::reading::reasons;
use crate::render::size::size;
use crate::render::style::{bold, dim, printable};
use crate::render::verdict::plural;

/// What reads the project's own sessions from now on.
const READS: &str = "gephost diagnose --yes";

pub(super) fn run(
    environment: &Environment,
    output: Output,
    folder: &Project,
    arguments: &ObserveArguments,
) -> Result<Report, Failure> {
    if arguments.forget {
        folder.forget_consent()?;
    }
    let found = folder.discover();
    let own: Vec<_> = found.iter().flat_map(|place| place.paths.iter().cloned()).collect();
    let mut page = DiscoverPage::of(&found);
    page.names_logs = !folder.config.file.observe.logs.is_empty();
    let consent = folder.consent();
    // Whoever let them be read before wants to see where they are.
    let mut reads = arguments.yes;
    if arguments.yes && consent != Consent::Given {
        folder.say_consent(true);
    } else if consent == Consent::Unasked && !arguments.forget && !own.is_empty() && is_somebody_there(output) {
        page.is_listed = true;
        if let Some(read) = ask(output, page.listed().trim_end()) {
            folder.say_consent(read);
            reads = read;
        }
    }
    page.consent = said(folder.consent());
    if !reads || own.is_empty() {
        return Ok(Report::of(&page));
    }
    match read_logs(environment, output, folder, &ObserveArguments { files: own, ..arguments.clone() })? {
        ReadLogs::Page(read) => Ok(Report::of(&DiscoverPage { read: Some(Document(*read)), ..page })),
        ReadLogs::Report(report) => Ok(report),
    }
}

/// Where agents keep their logs on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiscoverPage {
    /// The places that hold logs.
    places: Vec<PlaceRow>,
    /// Whether the user lets gephost read the sessions of this project; null if the user did not say.
    consent: Option<bool>,
    /// What is in the sessions of this project; null if they were not read.
    read: Option<Document<ObservePage>>,
    /// Whether the user has seen the places already.
    #[serde(skip)]
    is_listed: bool,
    /// Whether the config names logs, so that these are not read by themselves.
    #[serde(skip)]
    names_logs: bool,
}

/// A place that holds logs.
#[derive(Debug, Serialize, JsonSchema)]
struct PlaceRow {
    /// Name of the agent.
    agent: &'static str,
    /// The file or folder.
    path: String,
    /// Whether it is inside the project.
    inside_project: bool,
    /// Files in it that are named like logs.
    files: u64,
    /// Their total size.
    bytes: u64,
    /// When the newest of them was modified (RFC 3339).
    newest: Option<String>,
    /// Files of this project's own sessions.
    own_files: u64,
    /// Their total size.
    own_bytes: u64,
    /// Files of other projects, which gephost does not read by itself.
    other_files: u64,
    /// Files that do not say in which folder the agent worked.
    unsaid_files: u64,
    /// Files and folders that could not be read.
    unreadable: Vec<Unreadable>,
}

impl PlaceRow {
    fn of(found: &Discovered) -> Self {
        Self {
            agent: found.location.agent,
            path: found.location.path.display().to_string(),
            inside_project: found.location.is_inside,
            files: found.all.count,
            bytes: found.all.bytes,
            newest: found.all.newest.map(|newest| newest.to_string()),
            own_files: found.own.count,
            own_bytes: found.own.bytes,
            other_files: found.others,
            unsaid_files: found.unsaid,
            unreadable: found.unreadable.clone(),
        }
    }

    fn text(&self) -> String {
        let counts = [
            (self.own_files, format!("of this project ({})", size(self.own_bytes))),
            (self.other_files, "of other projects".to_owned()),
            (self.unsaid_files, "that do not say of which project they are".to_owned()),
            (self.unreadable.len() as u64, "that cannot be read".to_owned()),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let files = plural(self.files, "file");
        let mut text = String::new();
        let _ = writeln!(text, "{}  {}", bold(self.agent), printable(&self.path));
        let _ = writeln!(text, "  {} {files}, {}: {}", self.files, size(self.bytes), parts.join(", "));
        for reason in reasons(&self.unreadable) {
            let _ = writeln!(text, "  {reason}");
        }
        text
    }
}

impl DiscoverPage {
    fn of(found: &[Discovered]) -> Self {
        let places = found.iter().map(PlaceRow::of).collect();
        Self { places, consent: None, read: None, is_listed: false, names_logs: false }
    }

    fn listed(&self) -> String {
        self.places.iter().map(PlaceRow::text).collect()
    }

    /// What may come next.
    fn next(&self) -> String {
        let own: u64 = self.places.iter().map(|place| place.own_files).sum();
        let files = plural(own, "file");
        let step =
            |command: &str, what: String| format!("{}  {command}\n              {}\n", bold("Next      "), dim(what));
        match (own, &self.read) {
            (0, _) if self.places.is_empty() => {
                format!("No agent that gephost knows keeps logs here.\n{}", step_record())
            }
            (0, _) => format!("No agent worked in this project, as far as these logs say.\n{}", step_record()),
            (_, _) if self.names_logs => step(
                "gephost diagnose FILE",
                "reads a session; gephost.toml names the logs that are read without FILE".to_owned(),
            ),
            (_, None) if self.consent != Some(true) => {
                step(READS, format!("reads the {own} session {files} of this project, now and from now on"))
            }
            _ => step("gephost diagnose", format!("says what goes wrong in the {own} session {files} of this project")),
        }
    }
}

fn step_record() -> String {
    let what = dim("runs a command that fails, and keeps what it prints");
    format!("{}  gephost record -- COMMAND\n              {what}\n", bold("Next      "))
}

impl Page for DiscoverPage {
    const KIND: &'static str = "discover";

    fn text(&self) -> String {
        let mut text = if self.is_listed { String::new() } else { self.listed() };
        if let Some(Document(read)) = &self.read {
            text.push_str(&read.text());
        }
        text.push_str(&self.next());
        text
    }
}
