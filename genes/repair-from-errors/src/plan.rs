//! From a diagnosis and the failing events to candidate repairs, best first.
//!
//! Pure but for the [`Workspace`] it is handed. The order is that of the findings, then of the events, newest first;
//! the same log and the same files give the same candidates.

use std::collections::BTreeSet;

use crate::command;
use crate::fault::{Fault, faults, is_foreign};
use crate::site::{Site, is_shadowed, owners, read, site};

/// Most candidates of one run.
const MAX_DRAFTS: usize = 8;
/// Most files one candidate changes (`constraints.max_files` of the manifest).
const MAX_FILES: usize = 20;
/// Most files read in search of the same fault elsewhere.
pub(crate) const MAX_SEARCHED: usize = 400;

/// The files of the workspace.
pub(crate) trait Workspace {
    /// Paths of the files of this name, sorted.
    fn named(&mut self, name: &str) -> Vec<String>;
    /// Paths of the files that hold this word and match one of the globs, sorted.
    fn containing(&mut self, word: &str, globs: &[&str]) -> Vec<String>;
    /// A file's bytes.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// A line for the operator.
    fn note(&mut self, line: &str);
}

/// A failing event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its number in the run log.
    pub(crate) event: u64,
    /// What was asked.
    pub(crate) input: String,
    /// What came back.
    pub(crate) output: String,
}

/// A finding, as far as repairs look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cause {
    /// Its id.
    pub(crate) id: String,
    /// The events it rests on, the most telling first.
    pub(crate) events: Vec<u64>,
}

/// A candidate repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// One line, at most 200 characters.
    pub(crate) title: String,
    /// What it achieves.
    pub(crate) objective: String,
    /// Why, one line each.
    pub(crate) evidence: Vec<String>,
    /// Id of the finding it answers; empty where the diagnosis holds none.
    pub(crate) finding: String,
    /// Whether it only replaces one name by its successor.
    pub(crate) is_plain: bool,
    /// Path and whole new content of each file.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Commands that should pass afterwards.
    pub(crate) tests: Vec<String>,
}

/// The candidates for these causes. `failures` come newest first.
pub(crate) fn drafts(causes: &[Cause], failures: &[Failure], workspace: &mut impl Workspace) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut seen = BTreeSet::new();
    for failure in in_order(causes, failures) {
        let finding = causes.iter().find(|cause| cause.events.contains(&failure.event)).or(causes.first());
        let finding = finding.map_or("", |cause| cause.id.as_str());
        for fault in faults(&failure.output) {
            let place = fault.frames.first().map(|frame| (frame.path.clone(), frame.line));
            if !seen.insert((fault.message.clone(), place)) {
                continue;
            }
            let Some(site) = site(&fault, failure, workspace) else {
                continue;
            };
            let known = |files: &[(String, Vec<u8>)]| drafts.iter().any(|draft| draft.files == files);
            if known(&[(site.path.clone(), site.repaired.clone())]) {
                continue;
            }
            let elsewhere = elsewhere(&site, workspace);
            drafts.push(site.draft(&fault, failure, finding, Vec::new()));
            if !elsewhere.is_empty() {
                drafts.push(site.draft(&fault, failure, finding, elsewhere));
            }
            if drafts.len() >= MAX_DRAFTS {
                drafts.truncate(MAX_DRAFTS);
                return drafts;
            }
        }
    }
    drafts
}

/// The events that findings rest on, in the findings' order, then the others as they come.
fn in_order<'a>(causes: &[Cause], failures: &'a [Failure]) -> Vec<&'a Failure> {
    let mut seen = BTreeSet::new();
    let told = causes.iter().flat_map(|cause| cause.events.iter());
    let told = told.filter_map(|event| failures.iter().find(|failure| failure.event == *event));
    told.chain(failures).filter(|failure| seen.insert(failure.event)).collect()
}

/// The same repair in the other files that have the fault.
fn elsewhere(site: &Site, workspace: &mut impl Workspace) -> Vec<(String, Vec<u8>)> {
    let Some(word) = site.repair.word() else {
        return Vec::new();
    };
    let owners = owners(&site.repair, workspace);
    let mut files = Vec::new();
    for path in workspace.containing(word, site.repair.globs()).into_iter().take(MAX_SEARCHED) {
        if path == site.path || is_foreign(&path) || is_shadowed(&path, &owners) {
            continue;
        }
        let repaired = read(workspace, &path).and_then(|source| site.repair.apply(&source, None));
        files.extend(repaired.map(|content| (path, content)));
        if files.len() + 1 == MAX_FILES {
            workspace.note("more files may hold the same fault than one candidate may change");
            break;
        }
    }
    files
}

impl Site {
    fn draft(&self, fault: &Fault, failure: &Failure, finding: &str, more: Vec<(String, Vec<u8>)>) -> Draft {
        let (what, why) = self.repair.describe();
        let count = more.len();
        let place =
            if count == 0 { format!("in {}", self.path) } else { format!("in {} and {count} more files", self.path) };
        let mut title: String = what.chars().take(1).flat_map(char::to_uppercase).collect();
        title.extend(what.chars().skip(1));
        let message = format!("{}: {}", fault.kind, fault.message);
        let mut files = vec![(self.path.clone(), self.repaired.clone())];
        files.extend(more);
        files.sort();
        Draft {
            title: clipped(&format!("{title} {place}"), 200),
            objective: clipped(&format!("{why}; {what} {place}, so that the failing call passes"), 500),
            evidence: vec![
                clipped(&format!("event {} ended in {message}", failure.event), 300),
                clipped(&format!("{}:{} reads {}", self.path, self.line, self.text), 300),
                why,
            ],
            finding: finding.to_owned(),
            is_plain: self.repair.is_plain_rename(),
            files,
            tests: command::validation(&failure.input, self.root.as_deref()).into_iter().collect(),
        }
    }
}

fn clipped(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
