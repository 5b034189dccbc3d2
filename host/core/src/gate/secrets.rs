//! The layer `secrets`: the change adds no secret to a file or a file's name, and the proposal's texts contain none,
//! because they end up in commit messages, logs and shared assets. The policy decides about personal data. A violation
//! never repeats the value.

use std::collections::BTreeMap;

use super::added::{AddedLine, added};
use super::layer::Layer;
use super::review::Review;
use super::{Severity, Violation};
use crate::patch::FilePatch;
use crate::policy::Treatment;
use crate::proposal::Proposal;
use crate::secret::{Class, Ruleset, SecretMatch};

const HINT: &str = "read it from the environment or a secret store, and revoke it if it is real";
const PERSONAL_HINT: &str = "remove it if it belongs to a real person; documents can use addresses at example.com";

pub(super) const LAYER: Layer = Layer { name: "secrets", purpose: "Nothing that is added is a secret.", check };

fn check(review: &mut Review<'_>) -> Option<Vec<Violation>> {
    let resolved = review.resolved.as_ref()?;
    let policy = review.policy;
    let Some(rules) = policy.secret_rules() else {
        let message = "gephost did not read the files of `[policy] secret_rules`";
        return Some(vec![Violation::reject("secret-rules", message, "remove the key, or provide the files")]);
    };
    let personal = policy.table().personal_data;
    let mut violations = in_words(rules, review.parsed.proposal(), personal);
    for file in &resolved.patch.files {
        violations.extend(in_name(rules, file));
        violations.extend(in_added_lines(rules, file, personal));
    }
    Some(violations)
}

fn in_words(rules: &Ruleset, proposal: &Proposal, personal: Treatment) -> Vec<Violation> {
    let own =
        [("title", &proposal.title), ("objective", &proposal.objective), ("rollback_plan", &proposal.rollback_plan)];
    let evidence = proposal.evidence.iter().map(|text| ("evidence", text));
    let commands = proposal.tests_to_run.iter().map(|text| ("tests_to_run", text));
    let mut violations = Vec::new();
    for (name, text) in own.into_iter().chain(evidence).chain(commands) {
        for found in rules.secrets_and_personal(None, text) {
            match found.class {
                Class::Secret => {
                    let message = format!("`{name}` contains a secret ({})", found.kind);
                    violations.push(Violation::reject("secret", message, HINT));
                }
                Class::Personal => {
                    let message = format!("`{name}` contains personal data ({})", found.kind);
                    violations.extend(treated(personal, Violation::flag("personal-data", message, PERSONAL_HINT)));
                }
                Class::Reserved => {}
            }
        }
    }
    violations
}

fn in_name(rules: &Ruleset, file: &FilePatch) -> Vec<Violation> {
    let Some(path) = &file.new_path else { return Vec::new() };
    let secret = rules.secrets(None, path.as_str()).into_iter().next().map(|secret| {
        Violation::reject("secret-in-name", format!("a file's name is a secret ({})", secret.kind), HINT).at(path)
    });
    let forbidden = rules.forbidden_name(path.as_str()).map(|rule| {
        let message = format!("files of this name contain secrets, by the rule `{rule}`");
        Violation::reject("secret-file", message, "do not add the file").at(path)
    });
    secret.into_iter().chain(forbidden).collect()
}

/// Scans all added lines of a file at once, because a key may span several.
fn in_added_lines(rules: &Ruleset, file: &FilePatch, personal: Treatment) -> Vec<Violation> {
    let Some(path) = &file.new_path else { return Vec::new() };
    let lines: Vec<AddedLine<'_>> = added(file).collect();
    let text: String = lines.iter().flat_map(|line| [line.text, "\n"]).collect();
    let mut starts = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in &lines {
        starts.push(at);
        at += line.text.len() + 1;
    }
    let number = |offset: usize| {
        let index = starts.partition_point(|&start| start <= offset).saturating_sub(1);
        lines.get(index).map_or(0, |line| line.number)
    };
    let found = rules.secrets_and_personal(Some(path.as_str()), &text);
    let mut violations: Vec<Violation> = found
        .iter()
        .filter(|secret| secret.class == Class::Secret)
        .map(|secret| {
            let message = format!("a secret is added ({})", secret.kind);
            Violation::reject("secret", message, HINT).at(path).on_line(number(secret.range.start))
        })
        .collect();
    for (kind, (count, first)) in of_persons(&found) {
        let message = format!("personal data is added ({kind}, {count} in this file)");
        let violation = Violation::flag("personal-data", message, PERSONAL_HINT).at(path).on_line(number(first));
        violations.extend(treated(personal, violation));
    }
    violations
}

/// The number of matches of personal data by kind, and where the first begins. A file of addresses is one violation.
fn of_persons<'r>(found: &[SecretMatch<'r>]) -> BTreeMap<&'r str, (usize, usize)> {
    let mut kinds = BTreeMap::new();
    for personal in found.iter().filter(|found| found.class == Class::Personal) {
        kinds.entry(personal.kind).or_insert((0, personal.range.start)).0 += 1;
    }
    kinds
}

/// The violation with the severity that the policy sets; `None` if the policy allows it.
fn treated(treatment: Treatment, violation: Violation) -> Option<Violation> {
    match treatment {
        Treatment::Reject => Some(Violation { severity: Severity::Reject, ..violation }),
        Treatment::Flag => Some(violation),
        Treatment::Allow => None,
    }
}

/// A secret or a piece of personal data in a text. It never holds the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanMatch {
    /// `secret`, `personal-data`, `secret-in-name` or `secret-file`.
    pub rule: &'static str,
    /// Id of the rule for the form: `github_token`, `email` …
    pub kind: String,
    /// Whether the gate rejects it by default.
    pub severity: Severity,
    /// Line from 1; 0 for the name of the file.
    pub line: u64,
    /// Column from 1, in characters.
    pub column: u64,
    /// What is wrong, for a person.
    pub message: String,
}

/// Secrets and personal data in a text, as if all of it were added to the file at `path`: each with its column, none
/// with its value. Linear in the length of the text.
pub fn scan(rules: &Ruleset, path: Option<&str>, text: &str) -> Vec<ScanMatch> {
    let violation = |rule, kind: &str, severity, message: &str| {
        let message = format!("{message} ({kind})");
        ScanMatch { rule, kind: kind.to_owned(), severity, line: 0, column: 0, message }
    };
    let forbidden = path.and_then(|path| rules.forbidden_name(path));
    let mut violations: Vec<ScanMatch> = forbidden
        .map(|rule| violation("secret-file", rule, Severity::Reject, "files of this name contain secrets"))
        .into_iter()
        .collect();
    let in_name = path.and_then(|path| rules.secrets(None, path).into_iter().next());
    violations.extend(
        in_name.map(|secret| violation("secret-in-name", secret.kind, Severity::Reject, "a file's name is a secret")),
    );
    let (mut line, mut line_start, mut seen) = (1, 0, 0);
    for found in rules.secrets_and_personal(path, text) {
        let new = text.get(seen..found.range.start).unwrap_or_default();
        for (at, _) in new.match_indices('\n') {
            line += 1;
            line_start = seen + at + 1;
        }
        seen = found.range.start;
        let made = match found.class {
            Class::Secret => violation("secret", found.kind, Severity::Reject, "a secret"),
            Class::Personal => violation("personal-data", found.kind, Severity::Flag, "personal data"),
            Class::Reserved => continue,
        };
        violations.push(ScanMatch { line, column: column(text, line_start, seen), ..made });
    }
    violations
}

/// The column from 1, in characters; in bytes on a very long line.
fn column(text: &str, line_start: usize, at: usize) -> u64 {
    const COUNTED: usize = 4096;
    let before = text.get(line_start..at).unwrap_or_default();
    let characters = if before.len() <= COUNTED { before.chars().count() } else { before.len() };
    characters as u64 + 1
}
