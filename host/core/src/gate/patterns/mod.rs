//! Layer 4: suspicious code, weakened tests and new dependencies, by language, in what is added only.
//!
//! To add a rule, add it to a file in `rules/` with lines it must and must not find; a test reads them.

mod dependencies;
mod found;
mod hidden;
mod language;
mod reading;
mod rules;
mod weakened;

use super::added::{AddedLine, added};
use super::resolve::Resolved;
use super::{ApprovedChange, Finding, Severity};
use crate::patch::FilePatch;
use crate::policy::{PolicyTable, Treatment};
use found::Found;
use language::{is_comment, is_test, languages};
use rules::{FileRule, Group, LineRules, Rule};

pub(super) fn check(resolved: &Resolved, table: &PolicyTable) -> Vec<Finding> {
    let mut found = Found::default();
    for (change, file) in resolved.changes.iter().zip(&resolved.patch.files) {
        found.next_file();
        lines(change, file, &mut found);
        files(change, file, &mut found);
        for finding in weakened::check(change, file, &resolved.changes) {
            found.add(Group::WeakenedTests, finding);
        }
        // What could only be seen in part is no manifest.
        if let Some(finding) = resolved.wrong.is_empty().then(|| dependencies::check(change)).flatten() {
            found.add(Group::NewDependencies, finding);
        }
    }
    found.into_findings().filter_map(|(group, finding)| treated(finding, treatment(table, group))).collect()
}

/// Whether anything in a change's file is read as code.
pub(super) fn is_code(change: &ApprovedChange) -> bool {
    !languages(&change.path, &first_line(change)).is_empty()
}

/// Whether a change's file holds tests.
pub(super) fn is_test_file(change: &ApprovedChange) -> bool {
    is_test(&change.path)
}

fn treatment(table: &PolicyTable, group: Group) -> Treatment {
    match group {
        Group::Patterns => table.patterns,
        Group::WeakenedTests => table.weakened_tests,
        Group::NewDependencies => table.new_dependencies,
    }
}

/// A finding as the policy wants it.
fn treated(finding: Finding, treatment: Treatment) -> Option<Finding> {
    match treatment {
        Treatment::Reject => Some(finding),
        Treatment::Flag => Some(Finding { severity: Severity::Flag, ..finding }),
        Treatment::Allow => None,
    }
}

/// The first line of a file after the change, without marks.
fn first_line(change: &ApprovedChange) -> String {
    let content = change.after.as_ref().map_or(&[][..], |after| &after.content);
    let line = content.split(|&b| b == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line.get(..256).unwrap_or(line)).into_owned()
}

/// Rules of the file's languages, and hidden characters.
fn lines(change: &ApprovedChange, file: &FilePatch, found: &mut Found) {
    let spoken = languages(&change.path, &first_line(change));
    let all: Vec<&LineRules> = spoken.iter().filter_map(|language| rules::of_language(*language)).collect();
    let text: String = added(file).flat_map(|line| [line.text, "\n"]).collect();
    let likely: Vec<&LineRules> = all.iter().copied().filter(|rules| rules.may_find(&text)).collect();
    let read_by = |rules: &[&LineRules], line: AddedLine<'_>, read: &str, found: &mut Found| {
        let comment = is_comment(read, spoken);
        let hits = rules.iter().flat_map(|rules| rules.find(read));
        for rule in hits.filter(|rule| (!comment || rule.comments) && (!rule.tests_only || is_test(&change.path))) {
            found.add(rule.group, finding(rule, change, Some(line)));
        }
    };
    for line in added(file) {
        if let Some(finding) = hidden::check(line, spoken.is_empty()) {
            found.add(Group::Patterns, finding.at(&change.path));
        }
        read_by(&likely, line, line.text, found);
        if let Some(read) = reading::unmasked(line.text, spoken) {
            read_by(&all, line, &read, found);
        }
    }
    for (line, read) in reading::joined(added(file), spoken) {
        read_by(&all, line, &read, found);
    }
}

/// Rules for certain files.
fn files(change: &ApprovedChange, file: &FilePatch, found: &mut Found) {
    let rules = rules::of_files().iter().filter(|rule| rule.files.find(change.path.as_str()).is_some());
    for FileRule { rule, lines, .. } in rules {
        let Some(lines) = lines else {
            found.add(rule.group, finding(rule, change, None));
            continue;
        };
        for line in added(file).filter(|line| lines.find(line.text).next().is_some()) {
            found.add(rule.group, finding(rule, change, Some(line)));
        }
    }
}

fn finding(rule: &Rule, change: &ApprovedChange, line: Option<AddedLine<'_>>) -> Finding {
    let hint = if rule.hint.is_empty() { "do without it, or let a person make this change" } else { &rule.hint };
    let finding = Finding::reject(&rule.id, &rule.message, hint).at(&change.path);
    let finding = Finding { severity: rule.severity(), ..finding };
    match line {
        Some(line) => finding.on_line(line.number),
        None => finding,
    }
}
