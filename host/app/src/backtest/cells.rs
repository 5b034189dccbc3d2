//! Which cells there are: every finding of the period, at the time when it was last seen.

use std::collections::BTreeMap;

use gephost_core::backtest::{Cell, NO_MODEL, RecordedCommand};
use gephost_core::diagnosis::Finding;
use gephost_core::digest::sha256_hex;
use gephost_core::run_event::{RunEvent, to_disk_line};
use jiff::Timestamp;

use crate::commands::calls_of;
use crate::cycle::{Cycle, CycleOptions};
use crate::error::AppError;
use crate::files::user_config;
use crate::observe::LogOptions;
use crate::project::Project;

/// Longest text of an event that a worker is handed, in characters.
const MAX_CHARS: usize = 100_000;

/// A finding of the past, without the gene that is tried on it.
pub(super) struct Past {
    /// Title of the finding.
    pub(super) title: String,
    /// When it was last seen.
    pub(super) at: Timestamp,
    /// Whether every commit is newer than that.
    pub(super) is_newer: bool,
    /// The cell of every gene, but for the gene.
    pub(super) cell: Cell,
}

/// The findings of one project, and what they rest on.
pub(super) struct Pasts {
    /// In the order of the diagnosis.
    pub(super) pasts: Vec<Past>,
    /// The events of each cell, by digest.
    pub(super) events: BTreeMap<String, Vec<u8>>,
}

/// The findings that the logs of a project show in a period.
pub(super) fn pasts(project: &Project, since: Timestamp) -> Result<Pasts, AppError> {
    let logs = LogOptions { since: Some(since), ..LogOptions::default() };
    let cycle = Cycle::open(project, &CycleOptions { logs, ..CycleOptions::default() }, None)?;
    let events = &cycle.observation.events;
    let findings = cycle.stage().diagnose(events).diagnosis.findings;
    let git = &cycle.repository()?.git;
    let policy = policy_digest(project);
    let mut found = Pasts { pasts: Vec::new(), events: BTreeMap::new() };
    for finding in findings {
        let Some(at) = last_seen(&finding, events) else { continue };
        let calls = calls_of(events, Some(&finding));
        let commands = project.recorded_commands(&calls)?;
        let until: Vec<&RunEvent> =
            events.iter().filter(|event| event.timestamp.is_some_and(|time| time <= at)).collect();
        let text = lines(&until);
        let digest = sha256_hex(&text);
        found.events.entry(digest.clone()).or_insert(text);
        let base = git.commit_at(at).map_err(|error| AppError::failed("repository", error))?;
        let cell = Cell {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            gene: String::new(),
            base: base.commit,
            policy: policy.clone(),
            events: digest,
            finding: finding.id.clone(),
            calls: if commands.is_empty() { Vec::new() } else { calls },
            commands: commands
                .iter()
                .map(|command| RecordedCommand { argv: command.argv().to_vec(), run: command.recorded().cloned() })
                .collect(),
            model: None,
        };
        found.pasts.push(Past { title: finding.title.clone(), at, is_newer: base.is_newer, cell });
    }
    Ok(found)
}

/// Digest of everything in the config that decides on a candidate: the text of the file, and whether it counts.
pub(super) fn policy_digest(project: &Project) -> String {
    let waiting: Vec<&str> = project.waiting.iter().map(|widening| widening.key).collect();
    sha256_hex(format!("{}\0{}", waiting.join(","), project.config_text).as_bytes())
}

/// What a cell names as the model of this user: the digest of its table, or [`NO_MODEL`].
pub(super) fn model_of(project: &Project) -> Result<String, AppError> {
    let (environment, limits) = (&project.environment, &project.config.file.model);
    let table = user_config(environment)?.model;
    let usable = table.filter(|table| !(environment.offline || table.offline || limits.offline));
    Ok(usable.map_or_else(|| NO_MODEL.to_owned(), |table| table.identity()))
}

/// The time of the newest event that a finding rests on.
fn last_seen(finding: &Finding, events: &[RunEvent]) -> Option<Timestamp> {
    let evidence = finding.events.iter().copied().chain(finding.evidence.iter().map(|evidence| evidence.event));
    let event = |number: u64| events.get(usize::try_from(number).ok()?)?.timestamp;
    evidence.filter_map(event).max()
}

fn lines(events: &[&RunEvent]) -> Vec<u8> {
    let lines = events.iter().map(|event| to_disk_line(event, MAX_CHARS));
    lines.fold(Vec::new(), |mut text, line| {
        text.extend_from_slice(line.trim_end().as_bytes());
        text.push(b'\n');
        text
    })
}
