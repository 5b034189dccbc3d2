//! The layer `patterns`: suspicious code, weakened tests and new dependencies, by language, in added lines only.
//!
//! To add a rule, add it to a file in `rules/`, with lines that it must find and lines that it must not. A test checks
//! both.

mod encoding;
mod equality;
mod foreign;
mod found;
mod hidden;
mod language;
mod loaded;
mod loaders;
mod manifest;
mod marks;
mod mask;
mod mentions;
mod reading;
mod rules;
mod runner_script;
mod silence;
mod statement;
mod tool_files;
mod tool_shapes;
mod unchanged;
mod weakened;

use std::collections::HashSet;

use super::added::{AddedLine, added};
use super::layer::Layer;
use super::review::Review;
use super::{ApprovedChange, Severity, Violation};
use crate::patch::{FilePatch, is_foreign, shown};
use crate::path::RepoPath;
use crate::policy::{PolicyTable, TestTreatment, Treatment};
use crate::validation::WeakenedTest;
use found::Found;
use language::{Language, is_test, languages};
pub use loaders::LoaderSearch;
use marks::Marks;
use mask::{Masked, Reader};
use rules::{FileRule, Group, LineRules, Rule};
pub use silence::silences;
pub(super) use tool_files::asks_a_person;

/// Rules whose violations mean that a test which passes shows nothing.
const PROVE_NOTHING: &[&str] =
    &["test-always-true", "test-equals-everything", "test-exit", "test-failure-caught", "test-hook"];

/// Rules about marks that skip a test, or expect that it fails. A test that was not there before has nothing to lose.
const SKIP_MARKS: &[&str] = &["test-skipped", "test-skipped-go", "test-skipped-rs"];

pub(super) const LAYER: Layer = Layer { name: "patterns", purpose: "Nothing that is added is suspicious.", check };

fn check(review: &mut Review<'_>) -> Option<Vec<Violation>> {
    let resolved = review.resolved.as_ref()?;
    let table = review.policy.table();
    let mut found = Found::default();
    let weakened = weakened::check(&resolved.changes, &resolved.patch.files, !review.base.is_assumed());
    let of_tests =
        weakened.violations.into_iter().zip(weakened.masked.into_iter().chain(std::iter::repeat_with(|| None)));
    let loaded = loaded::texts(resolved, review.base);
    let called = manifest::called(review.policy.commands().iter().chain(review.commands.iter().flatten()));
    for ((change, file), (of_tests, masked)) in resolved.changes.iter().zip(&resolved.patch.files).zip(of_tests) {
        found.next_file();
        let added: Vec<AddedLine<'_>> = added(file).collect();
        let whole = change.after.as_ref().map_or_else(Default::default, |after| shown(&after.content));
        let (spoken, masked) = match loaded.get(&change.path) {
            Some((read_as, by)) => {
                found.add(Group::Patterns, loaded::violation(by.as_ref()).at(&change.path));
                (*read_as, None)
            }
            None => (languages(&change.path, &first_line(change)), masked),
        };
        let edit = change.before.as_ref().map(|before| (file, &before.content[..]));
        lines(&change.path, spoken, Text { whole: &whole, masked }, &added, edit, &mut found);
        for violation in foreign::check(change, file, spoken, &whole) {
            found.add(Group::Patterns, violation.at(&change.path));
        }
        files(&change.path, &mut found);
        if let Some((group, violation)) = tool_files::check(&change.path)
            && !(group == Group::WeakenedTests && manifest::runner_keys::keeps(change))
        {
            found.add(group, violation);
        }
        line_rules_of_files(&change.path, &added, &mut found);
        for violation in of_tests {
            found.add(Group::WeakenedTests, violation);
        }
        // What could only be seen in part is no manifest.
        let manifest = if resolved.wrong.is_empty() { manifest::check(change, &called) } else { Vec::new() };
        for (group, violation) in manifest {
            found.add(group, violation);
        }
    }
    let found: Vec<(Group, Violation)> = found.into_violations().collect();
    let prove_nothing = found.iter().filter(|(_, violation)| PROVE_NOTHING.contains(&violation.rule.as_str()));
    let any_test = prove_nothing.map(|(_, violation)| WeakenedTest {
        path: violation.path.clone().unwrap_or_default(),
        name: None,
        why: violation.message.clone(),
    });
    review.measured.weakened = weakened.tests.into_iter().chain(any_test).collect();
    let treated = |(group, violation): (Group, Violation)| {
        let severity = severity(table, group, violation.severity)?;
        Some((group, treated(violation, group, severity)))
    };
    let all: Vec<(Group, Violation)> = found.into_iter().filter_map(treated).collect();
    let weakens =
        |(group, found): &(Group, Violation)| *group == Group::WeakenedTests && found.severity == Severity::Flag;
    review.measured.weakening = all.iter().filter(|found| weakens(found)).count();
    let unsearched = loaders::unsearched(review.base.unsearched).filter(|_| table.patterns != Treatment::Allow);
    Some(all.into_iter().map(|(_, violation)| violation).chain(unsearched).collect())
}

/// Whether anything in a change's file is read as code.
pub(super) fn is_code(change: &ApprovedChange) -> bool {
    !languages(&change.path, &first_line(change)).is_empty()
}

/// Whether a change's file holds tests.
pub(super) fn is_test_file(change: &ApprovedChange) -> bool {
    is_test(&change.path)
}

/// Whether a path holds tests, by the conventions of the common runners.
pub fn is_test_path(path: &RepoPath) -> bool {
    is_test(path)
}

/// The severity that the policy sets for a violation of a group whose rule sets `own`; `None` if it does not look for it.
fn severity(table: &PolicyTable, group: Group, own: Severity) -> Option<Severity> {
    let treatment = match group {
        Group::Patterns => table.patterns,
        Group::WeakenedTests => {
            return match table.weakened_tests {
                TestTreatment::Reject => Some(Severity::Reject),
                TestTreatment::RejectCertain => Some(own),
                TestTreatment::Flag => Some(Severity::Flag),
                TestTreatment::Allow => None,
            };
        }
        Group::NewDependencies => table.new_dependencies,
        Group::ToolFiles => table.tool_files,
    };
    match treatment {
        Treatment::Reject => Some(own),
        Treatment::Flag => Some(Severity::Flag),
        Treatment::Allow => None,
    }
}

/// The violation with the severity that the policy sets. Its hint comes from the rule, or else from the group.
fn treated(violation: Violation, group: Group, severity: Severity) -> Violation {
    let mut violation = Violation { severity, ..violation };
    if violation.hint.is_empty() {
        let hint = match (group, violation.severity) {
            (Group::NewDependencies, Severity::Reject) => {
                "avoid the dependency, or set `new_dependencies = \"flag\"` in `[policy]` to let a person decide"
            }
            (Group::NewDependencies, _) => "review what the dependency adds",
            (Group::ToolFiles, Severity::Reject) => {
                "leave the file out, or set `tool_files = \"flag\"` in `[policy]` to let a person decide"
            }
            (Group::ToolFiles, _) => "review what the tool does with it",
            (Group::WeakenedTests, Severity::Reject) => {
                "leave the tests as they are, or set `weakened_tests = \"flag\"` in `[policy]` to let a person decide"
            }
            (Group::WeakenedTests, _) => "a person decides whether the tests still ask as much",
            (Group::Patterns, _) => "avoid it, or let a person make this change",
        };
        hint.clone_into(&mut violation.hint);
    }
    violation
}

/// The first line of a file after the change, without marks.
fn first_line(change: &ApprovedChange) -> String {
    let content = change.after.as_ref().map_or(&[][..], |after| &after.content);
    let line = content.split(|&b| b == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line.get(..256).unwrap_or(line)).into_owned()
}

/// Violations of this layer in a text, as if all of it were added to the file at `path`.
///
/// It does not look for what only a change can show: a dependency that was not there before, a test that is deleted, a
/// file that matters by its name. In the order of the lines; each rule once a line and at most 500 times. Linear in
/// the length of the text.
pub fn scan(path: &RepoPath, text: &str) -> Vec<Violation> {
    let mut found = Found::default();
    let body = text.strip_suffix('\n').unwrap_or(text);
    let added: Vec<_> = (1..).zip(body.split('\n')).map(|(number, text)| AddedLine { number, text }).collect();
    let first = text.split('\n').next().unwrap_or_default();
    lines(path, languages(path, first), Text { whole: text, masked: None }, &added, None, &mut found);
    line_rules_of_files(path, &added, &mut found);
    for violation in manifest::scan(path, text) {
        found.add(Group::ToolFiles, violation);
    }
    let kept = found.into_violations().filter(|(group, _)| *group != Group::NewDependencies);
    let as_it_is = |(group, violation): (Group, Violation)| {
        let own = violation.severity;
        treated(violation, group, own)
    };
    kept.map(as_it_is).collect()
}

/// A file after the change, and how its language reads it if somebody looked before.
struct Text<'a> {
    whole: &'a str,
    masked: Option<Masked>,
}

/// Applies the rules of the file's languages, and looks for hidden characters. `edit` is the patch and the file before it, if
/// there was one.
fn lines(
    path: &RepoPath,
    spoken: &[Language],
    Text { whole, masked: known }: Text<'_>,
    added: &[AddedLine<'_>],
    edit: Option<(&FilePatch, &[u8])>,
    found: &mut Found,
) {
    let is_foreign = edit.is_some_and(|(_, before)| is_foreign(before));
    for &line in added {
        // What such a file has beyond ASCII is a matter of `foreign`.
        let plain = is_foreign.then(|| foreign::plain(line.text));
        let line = AddedLine { text: plain.as_deref().unwrap_or(line.text), ..line };
        if let Some(violation) = hidden::check(line, spoken.is_empty()) {
            found.add(Group::Patterns, violation.at(path));
        }
    }
    if let Some(violation) = encoding::check(path, spoken, whole, added, is_foreign) {
        found.add(Group::Patterns, violation.at(path));
    }
    let all: Vec<&LineRules> = spoken.iter().filter_map(|language| rules::of_language(*language)).collect();
    let written = hits(&all, path, spoken, added);
    let strange = added.iter().any(|line| !line.text.is_ascii());
    if spoken.contains(&Language::Python)
        && let Some(violation) = equality::check(added)
    {
        found.add(Group::WeakenedTests, violation.at(path));
    }
    // Most changes have neither, and are done here.
    if spoken.is_empty() || (written.is_empty() && !strange && !is_cut_by_comments(added)) {
        return;
    }
    let reader = Reader::of(path, spoken);
    let masked = reader.map(|reader| known.unwrap_or_else(|| reader.mask(whole)));
    let view = |of: fn(&Masked) -> &String| {
        masked.as_ref().map_or_else(|| added.to_vec(), |masked| Masked::lines(whole, of(masked), added))
    };
    let (plain, code) = (view(|masked| &masked.plain), view(|masked| &masked.code));
    let of_text = written.into_iter().filter(|hit| hit.rule.comments);
    let of_plain = hits(&all, path, spoken, &plain).into_iter().filter(|hit| !hit.rule.code && !hit.rule.comments);
    let of_code = hits(&all, path, spoken, &code).into_iter().filter(|hit| hit.rule.code && !hit.rule.comments);
    let all: Vec<Hit<'_>> = of_text.chain(of_plain).chain(of_code).collect();
    let unchanged = match (reader, &masked, edit) {
        (Some(reader), Some(masked), Some((file, before))) if !all.is_empty() => {
            unchanged::unchanged(file, &shown(before), whole, masked, reader)
        }
        _ => HashSet::new(),
    };
    let marks = Marks::new(reader, edit, whole);
    for Hit { rule, line, is_alone } in all {
        let is_unchanged = is_alone && unchanged.contains(&line.number);
        let is_mark = SKIP_MARKS.contains(&rule.id.as_str());
        let is_known = is_unchanged || is_mark && marks.take_nothing(line.number);
        if !is_known {
            found.add(rule.group, violation(rule, path, Some(line)));
        }
    }
    let is_code = reader.is_some_and(Reader::tells_strings) && !mask::has_tags(reader, whole);
    for violation in code.iter().filter_map(|&line| hidden::mixed_scripts(line, is_code)) {
        found.add(Group::Patterns, violation.at(path));
    }
}

/// Whether a comment could stand within a statement that goes over lines.
fn is_cut_by_comments(added: &[AddedLine<'_>]) -> bool {
    const MARKS: [&str; 3] = ["#", "//", "/*"];
    let comment = |line: &AddedLine<'_>| MARKS.iter().filter_map(|mark| line.text.find(mark)).min();
    let goes_on = |line: &AddedLine<'_>| {
        let code = line.text.get(..comment(line).unwrap_or(line.text.len())).unwrap_or_default().trim();
        code.starts_with('.') || code.starts_with("::") || code.ends_with(['.', '\\']) || code.ends_with("::")
    };
    added.iter().any(|line| comment(line).is_some()) && added.iter().any(goes_on)
}

/// A match of a rule.
struct Hit<'a> {
    rule: &'static Rule,
    line: AddedLine<'a>,
    /// Whether the line alone matches, and not only together with the lines after it.
    is_alone: bool,
}

/// The matches of the rules in each line, as written and as the language reads it.
fn hits<'a>(all: &[&LineRules], path: &RepoPath, spoken: &[Language], added: &[AddedLine<'a>]) -> Vec<Hit<'a>> {
    let text: String = added.iter().flat_map(|line| [line.text, "\n"]).collect();
    let likely: Vec<&LineRules> = all.iter().copied().filter(|rules| rules.may_find(&text)).collect();
    let mut hits = Vec::new();
    let mut read_by = |rules: &[&LineRules], line: AddedLine<'a>, read: &str, is_alone: bool| {
        let here = rules.iter().flat_map(|rules| rules.find(read));
        let counts = |rule: &&Rule| !rule.tests_only || is_test(path);
        hits.extend(here.filter(counts).map(|rule| Hit { rule, line, is_alone }));
    };
    for &line in added {
        read_by(&likely, line, line.text, true);
        if let Some(read) = reading::unmasked(line.text, spoken) {
            read_by(all, line, &read, true);
        }
    }
    for (line, read) in reading::joined(added.iter().copied()) {
        read_by(all, line, &read, false);
    }
    hits
}

/// Files that matter by their name, whatever changes in them.
fn files(path: &RepoPath, found: &mut Found) {
    for FileRule { rule, .. } in rules::of_files().iter().filter(|rule| rule.lines.is_none() && rule.covers(path)) {
        found.add(rule.group, violation(rule, path, None));
    }
}

/// Lines that matter in certain files.
fn line_rules_of_files(path: &RepoPath, added: &[AddedLine<'_>], found: &mut Found) {
    for file_rule in rules::of_files().iter().filter(|rule| rule.covers(path)) {
        let Some(lines) = &file_rule.lines else { continue };
        for &line in added.iter().filter(|line| lines.find(line.text).next().is_some()) {
            found.add(file_rule.rule.group, violation(file_rule.rule, path, Some(line)));
        }
    }
}

fn violation(rule: &Rule, path: &RepoPath, line: Option<AddedLine<'_>>) -> Violation {
    let violation = Violation::reject(&rule.id, &rule.message, &rule.hint).at(path);
    let violation = Violation { severity: rule.severity(), ..violation };
    match line {
        Some(line) => violation.on_line(line.number),
        None => violation,
    }
}
