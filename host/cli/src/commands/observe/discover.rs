//! `gephost observe --discover`: where agents keep their logs on this machine, and, once the person has agreed, what is
//! in them. Nothing is opened before that.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stderr, stdin};

use gephost_app::Project;
use gephost_core::observe::{BaseFolders, log_locations};
use gephost_runner::observe::{Discovered, discover};
use serde_json::{Value, json};

use super::read_logs;
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
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
    let document: Vec<Value> = found.iter().map(entry).collect();
    if !is_agreed {
        let hint =
            if found.is_empty() { "no known agent keeps logs here" } else { "nothing was read; --yes reads them" };
        let document = json!({ "schema": "gephost.discover/1", "places": document, "read": null });
        return Ok(Report { exit: Exit::Done, document, text: format!("{listed}{}\n", dim(hint)) });
    }
    let files = found.into_iter().map(|found| found.location.path).collect();
    let read = read_logs(environment, output, folder, &ObserveArguments { files, ..arguments.clone() })?;
    let document = json!({ "schema": "gephost.discover/1", "places": document, "read": read.document });
    // Whoever was asked has seen the list.
    let text = if arguments.yes { format!("{listed}\n{}", read.text) } else { read.text };
    Ok(Report { exit: read.exit, document, text })
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

fn entry(found: &Discovered) -> Value {
    json!({
        "agent": found.location.agent,
        "path": found.location.path,
        "inside_project": found.location.is_inside,
        "files": found.files,
        "bytes": found.bytes,
        "newest": found.newest.map(|newest| newest.to_string()),
    })
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
