//! The bundled strategy gene for the agent's own habits: it amends the file of instructions that the agent reads.
//!
//! It reads the run log and the workspace, and has no other effect. [`log`] keeps what is needed of the run log, [`agent`]
//! and [`target`] find the file, [`lessons`] turns findings into lines, [`plan`] compares them with what the agent is told
//! already, and [`document`] changes the file. [`limits`] changes the agent's settings where a time limit is what helps. All of these are pure and tested without a host.
//!
//! What must stay true: no text of the log gets into a file. A line is a sentence of this gene, and its slots hold only words
//! that pass [`word`]. If a line that exists is about the same thing, nothing is proposed.

mod agent;
mod call_text;
mod command;
mod document;
mod input;
mod lesson;
mod lessons;
mod limits;
mod log;
mod marker;
mod plan;
mod target;
#[cfg(test)]
mod tests;
mod word;

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::run_log::{self, Event, EventKind, Filter, Outcome};
use gephost_gene::workspace::{self, Reader};
use gephost_gene::{
    Change, Diagnosis, FileContent, Gene, GeneError, HostError, Proposal, RiskLevel, explained, settings,
};

use input::{Entry, MAX_FILE, Workspace};
use log::{Failure, Finding, Log, MAX_COMMANDS, MAX_FAILURES, clipped, day};
use plan::{Draft, DraftKind, Options, drafts};

/// Most different tools that are kept of a session, and most pairs of session and file whose reads are counted.
const MAX_TOOLS: usize = 64;
const MAX_READS: usize = 16_384;

struct AgentGuidance;

impl Gene for AgentGuidance {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let findings: Vec<Finding> = diagnosis.findings.into_iter().map(finding).collect();
        let log = read_log(&findings)?;
        let mut files = Files::default();
        let drafts = drafts(&findings, &log, &options(), &mut files);
        files.reader.answer(drafts.into_iter().map(proposal).collect())
    }
}

fn finding(finding: gephost_gene::Finding) -> Finding {
    let explanation = explained(&finding.id);
    let evidence = || finding.evidence.iter().map(|evidence| evidence.event).collect();
    let (events, values, expected) = match explanation {
        Some(explanation) => {
            let values = explanation.facets.into_iter().next().map(|facet| facet.values).unwrap_or_default();
            (explanation.events, values, explanation.expected)
        }
        None => (evidence(), Vec::new(), false),
    };
    Finding { id: finding.id, kind: finding.kind, title: finding.title, events, values, expected }
}

fn options() -> Options {
    let mut options = Options::default();
    for setting in settings::all() {
        match (setting.name.as_str(), setting.value) {
            ("file", settings::Value::Text(file)) if !file.is_empty() => options.file = Some(file),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the host keeps the bounds")]
            ("least_seen", settings::Value::Number(number)) => options.least_seen = number as u32,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the host keeps the bounds")]
            ("new_lines", settings::Value::Number(number)) => options.new_lines = number as usize,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the host keeps the bounds")]
            ("all_lines", settings::Value::Number(number)) => options.all_lines = number as usize,
            _ => {}
        }
    }
    options
}

/// What the lessons need of the log, read once.
fn read_log(findings: &[Finding]) -> Result<Log, HostError> {
    let mut wanted: BTreeSet<u64> = findings.iter().flat_map(|finding| finding.events.iter().copied()).collect();
    while wanted.len() > MAX_FAILURES {
        // The newest say how it is now.
        wanted.pop_first();
    }
    let mut log = Log::default();
    let mut commands = 0;
    let ended = Filter { kinds: vec![EventKind::ToolEnd], ..run_log::everything() };
    run_log::for_each(&ended, |event| {
        if let Some(tool) = event.tool {
            let tools = log.tools.entry(event.session_number).or_default();
            if tools.len() < MAX_TOOLS && !tools.contains(tool) {
                tools.insert(tool.to_owned());
            }
        }
        if let Some(time) = event.timestamp_us {
            *log.calls.entry((day(time), event.session_number)).or_default() += 1;
        }
        match event.outcome {
            Outcome::Success => succeeded(&event, &mut log, &mut commands),
            _ if wanted.contains(&event.index) => {
                log.failures.insert(event.index, failure(&event));
            }
            _ => {}
        }
    })?;
    for correction in run_log::all_corrections()? {
        if log.failures.contains_key(&correction.failed) {
            log.changes.insert(correction.failed, correction.into());
        }
    }
    Ok(log)
}

fn failure(event: &Event<'_>) -> Failure {
    Failure {
        event: event.index,
        session: event.session_number,
        tool: event.tool.unwrap_or_default().to_owned(),
        input: clipped(event.input),
        output: clipped(event.output),
        time: event.timestamp_us,
    }
}

/// Counts the command or the read of a call that succeeded.
fn succeeded(event: &Event<'_>, log: &mut Log, commands: &mut usize) {
    let tool = event.tool.unwrap_or_default().to_lowercase();
    if ["read", "view", "open"].iter().any(|word| tool.contains(word)) {
        let is_part = ["offset", "limit", "view_range", "start_line", "end_line", "range", "pages"];
        if call_text::has_member(event.input, &is_part) || log.reads.len() >= MAX_READS {
            return;
        }
        if let Some(path) = call_text::path(event.input) {
            *log.reads.entry((event.session_number, path)).or_default() += 1;
        }
        return;
    }
    let Some(line) = call_text::command(event.input) else { return };
    let command = match (command::runner(&line), command::elsewhere(&line)) {
        (Some(command), _) => command,
        // That the repository has the file, shows the folder to be the root.
        (None, Some(command)) if command.is_file() => command,
        (None, Some(command)) => {
            if log.worked_elsewhere.len() < MAX_COMMANDS {
                log.worked_elsewhere.insert(command.text);
            }
            return;
        }
        (None, None) => return,
    };
    let worked = log.worked.entry(event.session_number).or_default();
    match worked.get_mut(&command.text) {
        Some(times) => *times += 1,
        None if *commands < MAX_COMMANDS => {
            worked.insert(command.text, 1);
            *commands += 1;
        }
        None => {}
    }
}

/// The workspace that the host shows.
#[derive(Default)]
struct Files {
    reader: Reader,
    /// Folders that were listed.
    folders: BTreeMap<String, BTreeMap<String, Entry>>,
}

impl Files {
    fn list(&mut self, folder: &str) -> BTreeMap<String, Entry> {
        let path = if folder.is_empty() { "." } else { folder };
        let entries = self.reader.accept(workspace::list_directory(path));
        let entry = |entry: workspace::Entry| {
            let kind = match entry.kind {
                workspace::EntryKind::File => Entry::File { size: entry.size },
                workspace::EntryKind::Directory => Entry::Folder,
                workspace::EntryKind::Symlink => Entry::Link,
            };
            (entry.path, kind)
        };
        entries.into_iter().map(entry).collect()
    }
}

impl Workspace for Files {
    fn entry(&mut self, path: &str) -> Option<Entry> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        // A folder that is not there is not asked for twice, nor are the folders below it.
        if !folder.is_empty() && self.entry(folder) != Some(Entry::Folder) {
            return None;
        }
        if !self.folders.contains_key(folder) {
            let listed = self.list(folder);
            self.folders.insert(folder.to_owned(), listed);
        }
        self.folders.get(folder)?.get(path).copied()
    }

    fn named(&mut self, name: &str) -> Vec<String> {
        // A name with marks of a pattern would find other files.
        if name.contains(['*', '?', '[', ']', '{', '}', '\\', '!']) {
            return Vec::new();
        }
        self.reader.files(&format!("**/{name}"), 24)
    }

    fn text(&mut self, path: &str) -> Option<String> {
        let Some(Entry::File { size }) = self.entry(path) else { return None };
        if size > MAX_FILE {
            return None;
        }
        String::from_utf8(self.reader.bytes(path)?).ok()
    }

    fn note(&mut self, line: &str) {
        gephost_gene::log::info(line);
    }
}

fn proposal(draft: Draft) -> Proposal {
    let (risk_level, rollback_plan) = match draft.kind {
        DraftKind::Instructions => {
            (RiskLevel::Low, "revert the commit, or delete the lines; each has a comment that names this gene")
        }
        DraftKind::Settings => (RiskLevel::Medium, "revert the commit; the agent reads its settings when it starts"),
    };
    Proposal {
        title: draft.title,
        objective: draft.objective,
        evidence: draft.evidence,
        finding: draft.finding,
        risk_level,
        changes: vec![Change::NewContent(FileContent { path: draft.path, content: draft.content.into_bytes() })],
        tests_to_run: draft.tests,
        rollback_plan: rollback_plan.to_owned(),
    }
}

gephost_gene::gene!(AgentGuidance, world: strategy, manifest: "gene.json");
