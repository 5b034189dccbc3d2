//! Forms of diffs and names of paths, both verdicts, from data files; and texts too large to write down.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use gephost_core::gate::{
    Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, Severity, Verdict, review,
};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, ValidationTable};
use gephost_core::proposal::{Change, Proposal};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// Rules that must reject; none is a pass.
    #[serde(default)]
    rules: Vec<String>,
    /// Rules that must flag.
    #[serde(default)]
    flags: Vec<String>,
    claims: Option<Vec<String>>,
    #[serde(default)]
    mode_changes: bool,
    diff: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    id: String,
    path: String,
    /// What the refusal says; nothing for a name that passes.
    says: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    path: Vec<Named>,
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// The base: plain files, and one of each kind that is not.
fn tree() -> BTreeMap<RepoPath, BaseEntry> {
    let long: String = (1..=60).fold(String::new(), |text, line| text + &format!("line {line}\n"));
    let blob = |mode, content: &str| BaseEntry::Blob(BlobState { mode, content: Arc::from(content.as_bytes()) });
    let mut tree: BTreeMap<RepoPath, BaseEntry> = [
        (".env", "KEY=1\n"),
        ("docs/a.md", "one\ntwo\nthree\n"),
        ("docs/crlf.txt", "one\r\ntwo\r\n"),
        ("docs/deep/c.md", "c\n"),
        ("docs/empty.txt", ""),
        ("docs/gaps.md", "one\n\nthree\n"),
        ("docs/logo.png", "\0PNG"),
        ("docs/long.md", &long),
        ("docs/my file.md", "one\n"),
        ("docs/nonl.txt", "one\ntwo"),
        ("docs/q\"uote.md", "one\n"),
        ("docs/twice.md", "begin\nbody\nend\n\nbegin\nbody\nend\n"),
        ("docs/x b/x.md", "one\n"),
        ("docs/é.md", "one\n"),
        ("secrets/key.txt", "old\n"),
    ]
    .into_iter()
    .map(|(name, content)| (path(name), blob(FileMode::Regular, content)))
    .collect();
    tree.insert(path("docs/run.sh"), blob(FileMode::Executable, "true\n"));
    tree.insert(path("docs/link"), blob(FileMode::Symlink, "../secrets"));
    tree.insert(path("docs/module"), BaseEntry::Gitlink);
    let folders: BTreeSet<RepoPath> = tree.keys().flat_map(RepoPath::ancestors).collect();
    tree.extend(folders.into_iter().map(|folder| (folder, BaseEntry::Directory)));
    tree
}

/// The part of the base that a candidate asks for, as the runner takes it.
fn snapshot(candidate: &ParsedChange) -> Base {
    let mut entries = tree();
    let asked: BTreeSet<RepoPath> = candidate.base_paths().into_iter().collect();
    let fold = |path: &RepoPath| path.as_str().to_lowercase();
    let collides = |known: &RepoPath| asked.iter().any(|asked| asked != known && fold(asked) == fold(known));
    let case_collisions = entries.keys().filter(|known| collides(known)).cloned().collect();
    entries.retain(|path, _| asked.contains(path));
    Base { commit: "0".repeat(40), entries, case_collisions, unsearched: 0 }
}

fn policy(allow: &str, mode_changes: bool) -> Policy {
    let table = PolicyTable { allow: vec![allow.to_owned()], mode_changes, ..PolicyTable::default() };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn judge(proposal: Proposal, policy: &Policy) -> Verdict {
    let candidate = ParsedChange::read(proposal);
    review(&candidate, &snapshot(&candidate), policy, GeneHistory::default())
}

fn rules(verdict: &Verdict, severity: Severity) -> BTreeSet<&str> {
    verdict
        .violations()
        .filter(|violation| violation.severity == severity)
        .map(|violation| violation.rule.as_str())
        .collect()
}

fn proposal(case: &Case) -> Proposal {
    Proposal { files_touched: case.claims.clone(), ..Proposal::from_diff(&case.diff) }
}

fn fault(case: &Case) -> Option<String> {
    let verdict = judge(proposal(case), &policy("docs/", case.mode_changes));
    let (rejecting, flagging) = (rules(&verdict, Severity::Reject), rules(&verdict, Severity::Flag));
    let expected = if case.rules.is_empty() { Decision::Pass } else { Decision::Reject };
    let holds = verdict.decision() == expected
        && case.rules.iter().all(|rule| rejecting.contains(rule.as_str()))
        && case.flags.iter().all(|rule| flagging.contains(rule.as_str()));
    let reasons: Vec<&str> = verdict.reasons().map(|violation| violation.message.as_str()).collect();
    (!holds).then(|| format!("{}: {:?} by {rejecting:?} {flagging:?}: {reasons:?}", case.id, verdict.decision()))
}

fn none_stands_twice<'a>(mut ids: impl Iterator<Item = &'a str>) {
    let mut seen = BTreeSet::new();
    assert!(ids.all(|id| seen.insert(id)), "an id is used twice");
}

#[test]
fn forms_of_diffs() {
    let cases: Cases = toml::from_str(include_str!("gate_cases/forms.toml")).unwrap();
    none_stands_twice(cases.case.iter().map(|case| case.id.as_str()));
    let faults: Vec<String> = cases.case.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), cases.case.len(), faults.join("\n"));
    let told = |case: &Case| verdicts::both(&case.id, proposal(case), snapshot, &policy("docs/", case.mode_changes));
    verdicts::agree("forms.txt", &cases.case.iter().map(told).collect::<Vec<_>>());
}

/// A new file of this name, as a diff: every byte that is not a plain letter is escaped.
fn quoted_diff(name: &str) -> String {
    let mut quoted = String::new();
    for byte in name.bytes() {
        let _ = if byte.is_ascii_alphanumeric() {
            write!(quoted, "{}", char::from(byte))
        } else {
            write!(quoted, "\\{byte:03o}")
        };
    }
    format!("--- /dev/null\n+++ \"b/{quoted}\"\n@@ -0,0 +1 @@\n+x\n")
}

#[test]
fn names_of_files() {
    let names: Names = toml::from_str(include_str!("gate_cases/paths.toml")).unwrap();
    none_stands_twice(names.path.iter().map(|named| named.id.as_str()));
    let everything = policy("**", false);
    let mut faults = Vec::new();
    for named in &names.path {
        let by_content = Change::NewContent { path: named.path.clone(), content: b"x\n".to_vec() };
        for change in [by_content, Change::UnifiedDiff(quoted_diff(&named.path))] {
            let proposal = Proposal { changes: vec![change], ..Proposal::from_diff("") };
            let verdict = judge(proposal, &everything);
            let refused =
                verdict.reasons().find(|violation| violation.rule == "path-unsafe").map(|f| f.message.as_str());
            let holds = match &named.says {
                None => verdict.decision() == Decision::Pass,
                Some(says) => refused.is_some_and(|message| message.contains(says.as_str())),
            };
            if !holds {
                let found: Vec<_> = verdict.reasons().map(|violation| (&violation.rule, &violation.message)).collect();
                faults.push(format!("{}: {found:?}", named.id));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
