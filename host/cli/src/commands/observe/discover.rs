//! `gephost observe --discover`: where agents keep their logs on this machine, and, once the person has agreed, what is
//! in them. Nothing is opened before that.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdin};

use gephost_app::Project;
use gephost_core::observe::{BaseFolders, log_locations};
use gephost_runner::observe::{Discovered, discover};
use schemars::JsonSchema;
use serde::Serialize;

use super::page::ObservePage;
use super::read::{ReadLogs, read_logs};
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::page::{Document, Page};
use crate::render::style::{bold, dim};

pub(super) fn run(
    environment: &Environment,
    output: Output,
    folder: &Project,
    arguments: &ObserveArguments,
) -> Result<Report, Failure> {
    let bases = BaseFolders {
        project: &folder.root,
        home: &environment.machine.home,
        config: &environment.config_home,
        data: &environment.data_home,
    };
    let found = discover(log_locations(&bases));
    let listed = page(&found);
    let is_agreed = !found.is_empty() && (arguments.yes || agrees(output, &listed));
    let places = found.iter().map(PlaceRow::of).collect();
    if !is_agreed {
        return Ok(Report::of(&DiscoverPage { places, read: None, listed: Some(listed) }));
    }
    let files = found.into_iter().map(|found| found.location.path).collect();
    match read_logs(environment, output, folder, &ObserveArguments { files, ..arguments.clone() })? {
        // Whoever was asked has seen the list.
        ReadLogs::Page(page) => Ok(Report::of(&DiscoverPage {
            places,
            read: Some(Document(*page)),
            listed: arguments.yes.then_some(listed),
        })),
        ReadLogs::Report(report) => Ok(report),
    }
}

/// Where agents keep their logs on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiscoverPage {
    /// The places that hold logs.
    places: Vec<PlaceRow>,
    /// What is in them; null if nothing was read.
    read: Option<Document<ObservePage>>,
    /// The places as text, unless the user has seen that already.
    #[serde(skip)]
    listed: Option<String>,
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
    files: usize,
    /// Their total size.
    bytes: u64,
    /// When the newest of them was modified (RFC 3339).
    newest: Option<String>,
}

impl PlaceRow {
    fn of(found: &Discovered) -> Self {
        Self {
            agent: found.location.agent,
            path: found.location.path.display().to_string(),
            inside_project: found.location.is_inside,
            files: found.files,
            bytes: found.bytes,
            newest: found.newest.map(|newest| newest.to_string()),
        }
    }
}

impl Page for DiscoverPage {
    const KIND: &'static str = "discover";

    fn text(&self) -> String {
        match (&self.listed, &self.read) {
            (listed, None) => {
                let listed = listed.as_deref().unwrap_or_default();
                let is_empty = self.places.is_empty();
                let hint =
                    if is_empty { "no known agent keeps logs here" } else { "nothing was read; --yes reads them" };
                format!("{listed}{}\n", dim(hint))
            }
            (Some(listed), Some(Document(read))) => format!("{listed}\n{}", read.text()),
            (None, Some(Document(read))) => read.text(),
        }
    }
}

/// Asks, where there is somebody to be asked.
fn agrees(output: Output, listed: &str) -> bool {
    if output.json() || !stdin().is_terminal() || !stderr().is_terminal() {
        return false;
    }
    output.ask(&format!("{listed}Read them? [y/N]"));
    let mut answer = String::new();
    stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn page(found: &[Discovered]) -> String {
    let mut text = String::new();
    for found in found {
        let files = if found.files == 1 { "file" } else { "files" };
        let at = if found.location.is_inside { "in this project" } else { "outside of this project" };
        let _ = writeln!(
            text,
            "{}  {}  {} {files}, {}  {}",
            bold(format!("{:<15}", found.location.agent)),
            found.location.path.display(),
            found.files,
            size(found.bytes),
            dim(at)
        );
    }
    text
}

/// Bytes, as a person reads them.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut whole = bytes;
    let mut tenths = 0;
    let mut unit = "";
    for name in UNITS {
        if whole < 1024 {
            break;
        }
        tenths = whole % 1024 * 10 / 1024;
        whole /= 1024;
        unit = name;
    }
    format!("{whole}.{tenths} {unit}")
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_said_in_the_unit_that_fits() {
        for (bytes, said) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")]
        {
            assert_eq!(size(bytes), said);
        }
        assert_eq!(size(u64::MAX), "16777215.9 TiB");
    }
}
