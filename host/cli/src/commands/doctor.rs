//! `gephost doctor`: every enforcement tried, and what in this project's config could be tighter. Changes nothing.

#![expect(clippy::disallowed_methods, reason = "the checks work in a temporary folder")]

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::config::Config;
use gephost_runner::doctor::{Check, Status, sandbox, validation};
use gephost_runner::instance::Instance;
use gephost_runner::journal;
use schemars::JsonSchema;
use serde::Serialize;

use super::log::verify::count;
use crate::context::{launcher, worker};
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, bold, dim, good, note, printable};

/// What to run next.
const NEXT: &[NextCommand] = &[
    NextCommand {
        command: "gephost status",
        what: "the status of this project: its logs, and what is missing before --apply",
    },
    NextCommand { command: "gephost run", what: "evolve: one cycle, as a dry run" },
    NextCommand { command: "gephost log verify", what: "whether the log is whole" },
];

/// What was tried, and what refused it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DoctorPage {
    /// Every check, in order.
    checks: Vec<Check>,
    /// What to run next.
    next: &'static [NextCommand],
}

/// A command to run next.
#[derive(Debug, Serialize, JsonSchema)]
struct NextCommand {
    /// The command.
    command: &'static str,
    /// What it shows.
    what: &'static str,
}

impl Page for DoctorPage {
    const KIND: &'static str = "doctor";

    fn text(&self) -> String {
        page(&self.checks)
    }

    fn exit(&self) -> Exit {
        if self.checks.iter().any(|check| check.status == Status::Error) { Exit::Failed } else { Exit::Done }
    }
}

pub(super) fn run(environment: &Environment) -> Result<Report, Failure> {
    let scratch = tempfile::tempdir().map_err(|error| io(&std::env::temp_dir(), "make a folder in", &error))?;
    let mut checks = sandbox(&worker(environment)?, scratch.path());
    checks.extend(validation(&launcher(environment)?, scratch.path()));
    checks.extend(project(environment));
    Ok(Report::of(&DoctorPage { checks, next: NEXT }))
}

fn page(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks.iter().filter(|check| matrix_place(check).is_none()) {
        let status = match check.status {
            Status::Ok => good("ok         "),
            Status::Warn => note("warn       "),
            Status::Error => bad("error      "),
            Status::Unavailable => dim("unavailable"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{status}  {:<18}  {}: {}", check.id, check.tried, printable(&check.result));
        if let Some(hint) = &check.hint {
            let _ = writeln!(text, "{:<33}{}", "", dim(printable(hint)));
        }
    }
    text.push_str(&matrix(checks));
    let _ = writeln!(text, "\n{}", bold("Next"));
    for NextCommand { command, what } in NEXT {
        let _ = writeln!(text, "  {command:<20}  {what}");
    }
    text
}

/// Level and act of an attempt of a validation command.
fn matrix_place(check: &Check) -> Option<(&str, &str)> {
    check.id.strip_prefix("validation.")?.split_once('.')
}

/// What validation commands cannot do: an act a line, a level a column.
fn matrix(checks: &[Check]) -> String {
    let mut levels: Vec<&str> = Vec::new();
    let mut acts: Vec<(&str, &str)> = Vec::new();
    for (level, act, check) in checks.iter().filter_map(|check| matrix_place(check).map(|(at, act)| (at, act, check))) {
        if !levels.contains(&level) {
            levels.push(level);
        }
        if !acts.iter().any(|(known, _)| *known == act) {
            acts.push((act, &check.tried));
        }
    }
    let width = acts.iter().map(|(_, tried)| tried.len()).max().unwrap_or_default() + 2;
    let names: Vec<String> = levels.iter().map(|level| format!("{level:<14}")).collect();
    let mut text = format!("\n{}\n  {:<width$}{}\n", bold("Validation commands"), "", names.concat().trim_end());
    for (act, tried) in acts {
        let cell = |level: &&str| {
            let id = format!("validation.{level}.{act}");
            let status = checks.iter().find(|check| check.id == id).map(|check| check.status);
            match status {
                Some(Status::Ok) => good(format!("{:<14}", "refused")),
                Some(Status::Error) => bad(format!("{:<14}", "NOT refused")),
                _ => dim(format!("{:<14}", "open")),
            }
        };
        let cells: String = levels.iter().map(cell).collect();
        let _ = writeln!(text, "  {tried:<width$}{}", cells.trim_end());
    }
    text
}

/// What this project's config, log and logs say. A config that cannot be read is a finding, not the end of the check-up.
fn project(environment: &Environment) -> Vec<Check> {
    let tried = "read this project's config";
    let folder = match Project::open(environment) {
        Ok(folder) => folder,
        Err(failure) => {
            let check = Check::new("config", Status::Error, tried, failure.message);
            return vec![check.hint(failure.hint.unwrap_or_else(|| "correct it".to_owned()))];
        }
    };
    let mut checks = vec![Check::new("config", Status::Ok, tried, "valid; every key of it is enforced")];
    checks.extend(policy(&folder.config));
    checks.push(runs(&folder));
    checks.push(log(&folder));
    checks.push(journal(&folder));
    checks
}

fn policy(config: &Config) -> Vec<Check> {
    let file = &config.file;
    let lists = [
        (
            "policy.allow",
            file.policy.allow.is_empty(),
            "look for paths that may be changed",
            "none: every proposal is refused",
            "`gephost init` names those that fit; or name them yourself: `[policy] allow = [\"prompts/\"]`",
            "there are some",
        ),
        (
            "apply.enabled",
            file.apply.enabled,
            "look whether `--apply` may publish",
            "enabled: only the flag `--apply` is needed to publish a branch",
            "`[apply] enabled = false` is the second lock",
            "it may not: `[apply] enabled` is not set",
        ),
    ];
    let mut checks: Vec<Check> = lists
        .into_iter()
        .map(|(id, warns, tried, result, hint, otherwise)| {
            if warns {
                Check::new(id, Status::Warn, tried, result).hint(hint)
            } else {
                Check::new(id, Status::Ok, tried, otherwise)
            }
        })
        .collect();
    if config.file.genes.isolation == Some(gephost_core::config::Isolation::Thread) {
        let check = Check::new("genes.isolation", Status::Warn, "look where genes run", "in the host's own process");
        checks.push(check.hint("without `isolation = \"thread\"` in `[genes]` they run in confined processes"));
    }
    checks
}

/// Looks, and makes nothing: a check-up leaves no trace.
fn runs(folder: &Project) -> Check {
    let (id, tried) = ("runs", "look for recorded runs");
    let place = folder.state.runs();
    match place.exists() {
        Ok(true) => Check::new(id, Status::Ok, tried, format!("{} is there", place.display())),
        Ok(false) => Check::new(id, Status::Ok, tried, "none yet; the folder is made when something is recorded"),
        Err(error) => Check::new(id, Status::Error, tried, format!("{}: {error}", place.display())),
    }
}

fn journal(folder: &Project) -> Check {
    let (id, tried) = ("journal", "look for operations that were begun and not ended");
    let left = match journal::look(&folder.state) {
        Ok(left) => left,
        Err(error) => return Check::new(id, Status::Error, tried, error.to_string()),
    };
    let holder = Instance::holder(&folder.state.lock()).ok().flatten();
    match (left.is_empty(), holder) {
        (_, Some(holder)) => {
            let result = format!("process {} runs `gephost {}` since {}", holder.pid, holder.command, holder.since);
            Check::new(id, Status::Ok, tried, result)
        }
        (true, None) => Check::new(id, Status::Ok, tried, "none"),
        (false, None) => {
            let left: Vec<String> = left.iter().map(journal::OperationFile::describe).collect();
            Check::new(id, Status::Warn, tried, format!("cut short: {}", left.join("; ")))
                .hint("the next `gephost run`, `apply`, `rollback` or `undo` finishes or undoes it")
        }
    }
}

fn log(folder: &Project) -> Check {
    let (id, tried) = ("log", "verify the log's chain and its head");
    match folder.log.verify() {
        Err(error) => {
            Check::new(id, Status::Error, tried, error.to_string()).hint("`gephost log verify` shows the details")
        }
        Ok(verification) => match verification.fault {
            None => Check::new(id, Status::Ok, tried, format!("intact: {}", count(verification.head.entries))),
            Some(fault) => Check::new(id, Status::Error, tried, fault.to_string())
                .hint("it was changed from outside; `gephost log verify` shows where"),
        },
    }
}
