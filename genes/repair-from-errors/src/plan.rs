//! Turns findings and failing events into candidate repairs, best first.
//!
//! Candidates are ordered like the findings; those for other events follow, newest first. Of one fault, the repair of all
//! files that have it comes before that of the failing file alone. The same log and the same files
//! give the same candidates. The only effect is reading files through [`Workspace`].

use std::collections::BTreeSet;

use gephost_gene::failures::{Cause, Failure, finding_of, in_order};
use gephost_gene::validation;

use crate::fault::{Fault, faults, is_foreign};
use crate::input::{MAX_FILES, MAX_SEARCHED, Workspace};
use crate::port;
use crate::site::{Site, folder, is_shadowed, own, owners, site};

/// Most candidates for one diagnosis.
const MAX_DRAFTS: usize = 8;

/// A candidate repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// One line, at most 200 characters.
    pub(crate) title: String,
    /// What it achieves, in a sentence.
    pub(crate) objective: String,
    /// Why, one line each.
    pub(crate) evidence: Vec<String>,
    /// Id of the finding that it is for; empty if the diagnosis has no finding.
    pub(crate) finding: String,
    /// Whether it only replaces one name by its successor.
    pub(crate) is_plain: bool,
    /// Path and whole new content of each file.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Commands that should pass afterwards.
    pub(crate) tests: Vec<String>,
}

/// The candidates for these causes. `failures` must be ordered newest first.
pub(crate) fn drafts(causes: &[Cause], failures: &[Failure], workspace: &mut impl Workspace) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut is_ported = false;
    let mut newest: Option<String> = None;
    for failure in in_order(causes, failures) {
        let finding = finding_of(failure, causes);
        for fault in faults(&failure.output) {
            newest.get_or_insert_with(|| format!("{}: {}", fault.kind, fault.message));
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
            let mut groups = Vec::new();
            if site.repair.is_old(&site.before) && !std::mem::replace(&mut is_ported, true) {
                groups.extend(port::groups(&site, workspace).into_iter().map(|files| (files, true)));
            }
            groups.extend([elsewhere(&site, workspace), Vec::new()].map(|more| (site.with(more), false)));
            for (files, is_port) in groups {
                if !drafts.iter().any(|draft| draft.files == files) {
                    drafts.push(site.draft(&fault, failure, finding, files, is_port));
                }
            }
            if drafts.len() >= MAX_DRAFTS {
                drafts.truncate(MAX_DRAFTS);
                return drafts;
            }
        }
    }
    if drafts.is_empty() {
        workspace.note(&why_not(failures.len(), seen.len(), newest.as_deref()));
    }
    drafts
}

/// Why there is no candidate. `faults` is the number of different errors that were read, `first` the one that counts most.
fn why_not(failures: usize, faults: usize, first: Option<&str>) -> String {
    match (failures, first) {
        (0, _) => "the log has no failed call".to_owned(),
        (1, None) => "the failed call shows no error of Python or Node that names a file".to_owned(),
        (count, None) => {
            format!("none of {count} failed calls shows an error of Python or Node that names a file")
        }
        (_, Some(first)) if faults == 1 => format!("it knows no repair for {}", clipped(first, 160)),
        (_, Some(first)) => format!("it knows no repair for any of {faults} errors, such as {}", clipped(first, 160)),
    }
}

/// The other files that have the same fault, repaired.
fn elsewhere(site: &Site, workspace: &mut impl Workspace) -> Vec<(String, Vec<u8>)> {
    let Some(word) = site.repair.word() else {
        return Vec::new();
    };
    let owners = owners(&site.repair, workspace);
    let mut files = Vec::new();
    for path in workspace.containing(word, site.repair.globs()).into_iter().take(MAX_SEARCHED) {
        let outside = site.repair.folder().is_some_and(|own| folder(&path) != own);
        if path == site.path || outside || is_foreign(&path) || is_shadowed(&path, &owners) {
            continue;
        }
        let repaired = own(workspace, &path).and_then(|source| site.repair.apply(&source, None));
        files.extend(repaired.map(|content| (path, content)));
        if files.len() + 1 == MAX_FILES {
            workspace.note(&format!("more files may have this fault, but one candidate changes at most {MAX_FILES}"));
            break;
        }
    }
    files
}

impl Site {
    /// The repaired file with others, which are ordered by path.
    fn with(&self, mut more: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
        let place = more.partition_point(|(path, _)| *path < self.path);
        more.insert(place, (self.path.clone(), self.repaired.clone()));
        more
    }

    fn draft(
        &self,
        fault: &Fault,
        failure: &Failure,
        finding: &str,
        files: Vec<(String, Vec<u8>)>,
        is_port: bool,
    ) -> Draft {
        let (mut what, why) = self.repair.describe();
        if is_port {
            what.push_str(self.repair.rest());
        }
        let place = match files.len() {
            0 | 1 => format!("in {}", self.path),
            2 => format!("in {} and 1 more file", self.path),
            count => format!("in {} and {} more files", self.path, count - 1),
        };
        let mut title: String = what.chars().take(1).flat_map(char::to_uppercase).collect();
        title.extend(what.chars().skip(1));
        let message = format!("{}: {}", fault.kind, fault.message);
        Draft {
            title: clipped(&format!("{title} {place}"), 200),
            objective: clipped(&format!("{why}: {what} {place}, so that the failing call succeeds"), 500),
            evidence: vec![
                clipped(&format!("event {} failed with {message}", failure.event), 300),
                clipped(&format!("{}:{} is `{}`", self.path, self.line, self.text), 300),
                why,
            ],
            finding: finding.to_owned(),
            is_plain: !is_port && self.repair.is_plain_rename(),
            files,
            tests: validation::command(&failure.input, self.root.as_deref()).into_iter().collect(),
        }
    }
}

fn clipped(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
