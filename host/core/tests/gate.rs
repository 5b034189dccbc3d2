//! The gate against data files of cases, both verdicts, and against inputs too large to write down.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use gephost_core::gate::{
    Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, LAYERS, ParsedChange, Severity, Verdict, Violation,
    review, scan_secrets,
};
use gephost_core::patch::{Limits, apply, parse};
use gephost_core::path::RepoPath;
use gephost_core::policy::{
    Phase, PhaseTable, PhasesTable, Policy, PolicyTable, TestTreatment, Treatment, ValidationTable,
};
use gephost_core::proposal::RiskLevel::{High, Low};
use gephost_core::proposal::{Change, Proposal};
use gephost_core::secret::Ruleset;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(default = "reject")]
    expect: String,
    claims: Option<Vec<String>>,
    diff: Option<String>,
    /// With `adds`: a file that gets more lines, by its whole new content.
    path: Option<String>,
    adds: Option<String>,
    /// The same, put together from parts, so that no secret stands in a file.
    parts: Option<Vec<String>>,
    #[serde(default)]
    tests: Vec<String>,
    /// Rules that must reject.
    #[serde(default)]
    rules: Vec<String>,
    /// Rules that must flag.
    #[serde(default)]
    flags: Vec<String>,
    /// What the messages must hold.
    #[serde(default)]
    says: Vec<String>,
    /// What nothing in the verdict may hold.
    #[serde(default)]
    never_says: Vec<String>,
    allow: Option<Vec<String>>,
    mode_changes: Option<bool>,
    max_risk: Option<u8>,
    patterns: Option<Treatment>,
    new_dependencies: Option<Treatment>,
}

fn reject() -> String {
    "reject".to_owned()
}

#[derive(Debug, Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// Files of the repository that every case changes.
const FILES: &[(&str, &str)] = &[
    (".env", "KEY=1\n"),
    ("docs/a.md", "one\ntwo\nthree\n"),
    ("docs/b.sh", "echo b\n"),
    ("docs/crlf.txt", "one\r\ntwo\r\n"),
    ("docs/deep/c.md", "c\n"),
    ("docs/logo.png", "\u{0}PNG"),
    ("geneclaw/gatekeeper.py", "def check(proposal):\n    return len(proposal) < 10\n"),
    (
        "geneclaw/two.py",
        "def f(code, names):\n    exec code in names\n    # eval(code)\n    if names:\n        return 1\n",
    ),
    ("geneclaw/x.py", "import os\n\n\ndef f(x):\n    return x\n"),
    ("geneclaw/old.py", concat!("pass", "word = \"", "q8Zr2LmX0vTn4KwY", "\"\nx = 1\n")),
    ("package.json", "{\n  \"name\": \"x\",\n  \"dependencies\": {\n    \"left\": \"1.0.0\"\n  }\n}\n"),
    ("requirements.txt", "requests==2.32.0\n"),
    ("secrets/key.txt", "old\n"),
    ("tests/test_ok.py", "from geneclaw.x import f\n\n\ndef test_ok():\n    assert f(1) == 1\n"),
];

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn blob(mode: FileMode, content: &str) -> BaseEntry {
    BaseEntry::Blob(BlobState { mode, content: Arc::from(content.as_bytes()) })
}

/// A snapshot as the runner takes it: only what the candidate asks for.
fn snapshot(candidate: &ParsedChange) -> Base {
    let mut tree: BTreeMap<RepoPath, BaseEntry> =
        FILES.iter().map(|(name, content)| (path(name), blob(FileMode::Regular, content))).collect();
    tree.insert(path("docs/link"), blob(FileMode::Symlink, "../secrets"));
    tree.insert(path("docs/module"), BaseEntry::Gitlink);
    let directories: BTreeSet<RepoPath> = tree.keys().flat_map(RepoPath::ancestors).collect();
    tree.extend(directories.into_iter().map(|directory| (directory, BaseEntry::Directory)));
    let asked: BTreeSet<RepoPath> = candidate.base_paths().into_iter().collect();
    let fold = |path: &RepoPath| path.as_str().to_lowercase();
    let collides = |known: &RepoPath| asked.iter().any(|asked| asked != known && fold(asked) == fold(known));
    let case_collisions = tree.keys().filter(|known| collides(known)).cloned().collect();
    tree.retain(|path, _| asked.contains(path));
    Base { commit: "0".repeat(40), entries: tree, case_collisions, unsearched: 0 }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The lists of seed 004 section 4.
fn table() -> PolicyTable {
    PolicyTable {
        allow: owned(&["geneclaw/", "nanobot/", "tests/", "docs/"]),
        deny: owned(&[".env", "secrets/", ".git/", "config.json"]),
        ..PolicyTable::default()
    }
}

fn policy(table: PolicyTable) -> Policy {
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn judge(proposal: Proposal, policy: &Policy) -> Verdict {
    let candidate = ParsedChange::read(proposal);
    review(&candidate, &snapshot(&candidate), policy, GeneHistory::default())
}

fn of_diff(diff: &str) -> Verdict {
    judge(Proposal::from_diff(diff), &policy(table()))
}

fn rules(verdict: &Verdict, severity: Severity) -> BTreeSet<String> {
    verdict.violations().filter(|f| f.severity == severity).map(|f| f.rule.clone()).collect()
}

fn proposal(case: &Case) -> Proposal {
    let mut proposal = Proposal::from_diff(case.diff.as_deref().unwrap_or_default());
    let added = case.adds.clone().or_else(|| case.parts.as_ref().map(|parts| parts.concat()));
    if let (Some(name), Some(added)) = (&case.path, added) {
        let before = FILES.iter().find(|(known, _)| known == name).map_or("", |(_, content)| content);
        let content = format!("{before}{added}").into_bytes();
        proposal.changes = vec![Change::NewContent { path: name.clone(), content }];
    }
    proposal.files_touched.clone_from(&case.claims);
    proposal.tests_to_run.clone_from(&case.tests);
    proposal
}

fn policy_of(case: &Case) -> Policy {
    let mut table = table();
    table.allow = case.allow.clone().unwrap_or(table.allow);
    table.mode_changes = case.mode_changes.unwrap_or(table.mode_changes);
    table.max_risk = case.max_risk.unwrap_or(table.max_risk);
    table.patterns = case.patterns.unwrap_or(table.patterns);
    table.new_dependencies = case.new_dependencies.unwrap_or(table.new_dependencies);
    policy(table)
}

/// What is wrong with the verdict on a case, if anything.
fn fault(case: &Case) -> Option<String> {
    let verdict = judge(proposal(case), &policy_of(case));
    let found = serde_json::to_value(&verdict).unwrap();
    let text = found.to_string();
    let messages = verdict.violations().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let (rejecting, flagging) = (rules(&verdict, Severity::Reject), rules(&verdict, Severity::Flag));
    let holds = found["verdict"] == case.expect.as_str()
        && found["schema"] == "gephost.verdict/1"
        && case.rules.iter().all(|rule| rejecting.contains(rule))
        && case.flags.iter().all(|rule| flagging.contains(rule))
        && case.says.iter().all(|said| messages.contains(said))
        && !case.never_says.iter().any(|secret| text.contains(secret.as_str()))
        && (case.expect == "reject") != case.rules.is_empty()
        && verdict.approved().is_some() == (verdict.decision() == Decision::Pass)
        && (verdict.decision() == Decision::Reject || reviewed_is_approved(&verdict));
    (!holds).then(|| format!("{}: {} {rejecting:?} {flagging:?} {messages}", case.id, found["verdict"]))
}

/// The shown diff, carried out on what was before, gives what apply would write.
fn reviewed_is_approved(verdict: &Verdict) -> bool {
    let approved = verdict.approved().unwrap();
    let patch = parse(verdict.diff(), &Limits::default()).unwrap();
    patch.files.len() == approved.changes().len()
        && patch.files.iter().zip(approved.changes()).all(|(file, change)| {
            let before = change.before.as_ref().map_or(&[][..], |state| &state.content);
            let after = change.after.as_ref().map_or(&[][..], |state| &state.content);
            file.paths().all(|path| *path == change.path) && apply(&file.hunks, before).unwrap().content == after
        })
}

fn check(name: &str, text: &str) {
    let cases: Cases = toml::from_str(text).unwrap();
    let ids: BTreeSet<&str> = cases.case.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), cases.case.len(), "an id is used twice");
    let faults: Vec<String> = cases.case.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), cases.case.len(), faults.join("\n"));
    let told = |case: &Case| verdicts::both(&case.id, proposal(case), snapshot, &policy_of(case));
    verdicts::agree(name, &cases.case.iter().map(told).collect::<Vec<_>>());
}

#[test]
fn known_attacks_and_false_alarms() {
    check("rows.txt", include_str!("gate_cases/rows.toml"));
}

#[test]
fn structure_paths_and_size() {
    check("structure.txt", include_str!("gate_cases/structure.toml"));
}

/// Needs the rules of `secret::find_secrets`.
#[test]
fn secrets_by_their_forms() {
    check("secret_cases.txt", include_str!("gate_cases/secret_cases.toml"));
}

#[test]
fn b48_taking_a_secret_out_is_fine() {
    let old = FILES.iter().find(|(name, _)| *name == "geneclaw/old.py").unwrap().1.lines().next().unwrap();
    let head = "--- a/geneclaw/old.py\n+++ b/geneclaw/old.py\n@@ -1,2 +1,2 @@\n";
    let verdict = of_diff(&format!("{head}-{old}\n+import os\n x = 1\n"));
    assert_eq!(verdict.decision(), Decision::Pass, "{:?}", verdict.reasons().collect::<Vec<_>>());
}

/// Needs the rules of `secret::find_secrets`.
#[test]
fn b52_a_secret_in_a_name_is_found_and_not_repeated() {
    let token = concat!("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let verdict = of_diff(&format!("--- /dev/null\n+++ b/docs/{token}.md\n@@ -0,0 +1 @@\n+x\n"));
    assert!(rules(&verdict, Severity::Reject).contains("secret-in-name"));
    assert!(!serde_json::to_string(&verdict).unwrap().contains(token));
    // Where the path is refused, message and hint repeat it.
    let verdict = of_diff(&format!("--- /dev/null\n+++ b/{token}/a.md\n@@ -0,0 +1 @@\n+x\n"));
    assert!(rules(&verdict, Severity::Reject).contains("path-not-allowed"));
    assert!(!serde_json::to_string(&verdict).unwrap().contains(token));
}

#[derive(Debug, Deserialize)]
struct Lines {
    file: Vec<LinesOfFile>,
}

#[derive(Debug, Deserialize)]
struct LinesOfFile {
    path: String,
    #[serde(default)]
    pass: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
}

#[test]
fn single_added_lines() {
    let lines: Lines = toml::from_str(include_str!("gate_cases/lines.toml")).unwrap();
    let weakened_tests = TestTreatment::Reject;
    let policy = policy(PolicyTable { allow: owned(&["**"]), weakened_tests, ..table() });
    let mut faults = Vec::new();
    for file in &lines.file {
        let both = [(Decision::Pass, &file.pass), (Decision::Reject, &file.reject)];
        for (expected, line) in both.into_iter().flat_map(|(expected, lines)| lines.iter().map(move |l| (expected, l)))
        {
            let content = format!("{line}\n").into_bytes();
            let change = Change::NewContent { path: file.path.clone(), content };
            let verdict = judge(Proposal { changes: vec![change], ..Proposal::from_diff("") }, &policy);
            if verdict.decision() != expected {
                let found: Vec<_> = verdict.reasons().map(|violation| violation.rule.clone()).collect();
                faults.push(format!("{}: {line:?} should {expected:?}: {found:?}", file.path));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_line_that_says_what_the_deleted_one_said_is_not_new() {
    let change = |edits: &[(&str, &str)]| {
        let (_, before) = FILES.iter().find(|(path, _)| *path == "geneclaw/two.py").unwrap();
        let after = edits.iter().fold((*before).to_owned(), |text, (old, new)| text.replacen(old, new, 1));
        let change = Change::NewContent { path: "geneclaw/two.py".to_owned(), content: after.into_bytes() };
        judge(Proposal { changes: vec![change], ..Proposal::from_diff("") }, &policy(table()))
    };
    let exec = ("exec code in names", "exec(code, names)");
    assert_eq!(change(&[exec]).decision(), Decision::Pass, "{:?}", change(&[exec]));
    for edits in [
        [exec, ("# eval(code)", "eval(code)")],
        [exec, ("return 1", "return eval(code)")],
        // Each deleted line stands for one added line, in its own place.
        [("exec code in names", "exec(code, names)\n    exec(code, names)"), ("", "")],
        [("    exec code in names\n", ""), ("return 1", "exec(code, names)")],
        [("exec code in names", "exec(names, code)"), ("", "")],
        [("exec code in names", "exec(code + x, names)"), ("", "")],
    ] {
        let found = rules(&change(&edits), Severity::Reject);
        assert!(found.contains("py-exec") || found.contains("py-eval"), "{edits:?}: {found:?}");
    }
}

/// A diff of a new file with this many lines of text in all, of which five are headers.
fn diff_of_lines(lines: usize) -> String {
    let added = lines - 5;
    let head = "diff --git a/docs/n.md b/docs/n.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/n.md\n";
    format!("{head}@@ -0,0 +1,{added} @@\n{}", "+x\n".repeat(added))
}

#[test]
fn t3_t3b_lines_are_counted_to_the_limit() {
    assert_eq!(of_diff(&diff_of_lines(500)).decision(), Decision::Pass);
    for count in [501, 600] {
        let verdict = of_diff(&diff_of_lines(count));
        let reason = verdict.reasons().next().unwrap();
        assert_eq!(reason.rule, "max-patch-lines");
        assert!(reason.message.contains(&count.to_string()) && reason.message.contains("500"), "{}", reason.message);
    }
}

#[test]
fn b38_one_long_line_is_too_many_bytes() {
    let diff = format!("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+{}\n", "x".repeat(5 << 20));
    assert_eq!(rules(&of_diff(&diff), Severity::Reject), BTreeSet::from(["max-patch-bytes".to_owned()]));
}

#[test]
fn b39_only_line_feeds_end_lines() {
    let diff = format!("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+{}\n", "\u{c}".repeat(600));
    let verdict = of_diff(&diff);
    assert_eq!(verdict.decision(), Decision::Pass, "{:?}", verdict.reasons().collect::<Vec<_>>());
}

#[test]
fn b40_unterminated_keys_take_linear_time() {
    let header = format!("-----BEGIN {} KEY-----", "PRIVATE");
    let line = header.repeat((64 << 10) / header.len());
    let diff = format!("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+{line}\n");
    let verdict = of_diff(&diff);
    assert!(verdict.layers().iter().any(|layer| layer.layer == "secrets" && layer.ran));
}

#[test]
fn hundred_megabytes_are_refused_at_once() {
    let verdict = of_diff(&"+x\n".repeat(100 << 20 >> 2));
    assert_eq!(rules(&verdict, Severity::Reject), BTreeSet::from(["proposal-too-large".to_owned()]));
}

#[test]
fn all_changes_together_are_bounded() {
    let content =
        |number: usize, text: &str| Change::NewContent { path: format!("docs/{number}.md"), content: text.into() };
    let many = (0..2_001).map(|number| content(number, "x")).collect();
    let lines = (0..3).map(|number| content(number, &"\n".repeat(70_000))).collect();
    let bytes = (0..3).map(|number| content(number, &"x".repeat(6 << 20))).collect();
    for (changes, what) in [(many, "changes"), (lines, "lines"), (bytes, "bytes")] {
        let verdict = judge(Proposal { changes, ..Proposal::from_diff("") }, &policy(table()));
        let reason = verdict.reasons().next().unwrap();
        assert_eq!(reason.rule, "proposal-too-large");
        assert!(reason.message.contains(what), "{}", reason.message);
    }
    let many = (0..2_000).map(|number| content(number, "x")).collect();
    let lines = (0..2).map(|number| content(number, &"\n".repeat(Limits::default().max_lines / 2))).collect();
    let bytes = (0..2).map(|number| content(number, &"x".repeat(Limits::default().max_bytes / 2))).collect();
    for changes in [many, lines, bytes] {
        let verdict = judge(Proposal { changes, ..Proposal::from_diff("") }, &policy(table()));
        assert!(!rules(&verdict, Severity::Reject).contains("proposal-too-large"));
    }
}

/// A first phase that opens the documentation.
fn phases() -> PhasesTable {
    let bootstrap = PhaseTable { allow: vec!["/docs/".to_owned()], deny: Vec::new() };
    PhasesTable { bootstrap, ..PhasesTable::default() }
}

#[test]
fn a_phase_is_a_ceiling() {
    let phased = PolicyTable { phase: Some(Phase::Bootstrap), phases: phases(), ..table() };
    let verdict =
        judge(Proposal::from_diff("--- /dev/null\n+++ b/engine/n.py\n@@ -0,0 +1 @@\n+x = 1\n"), &policy(phased));
    assert!(
        rules(&verdict, Severity::Reject).contains("path-outside-phase"),
        "{:?}",
        verdict.reasons().collect::<Vec<_>>()
    );
}

#[test]
fn a_phase_alone_allows_its_folders() {
    let phased = PolicyTable { phase: Some(Phase::Bootstrap), phases: phases(), ..PolicyTable::default() };
    let verdict =
        judge(Proposal::from_diff("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+x = 1\n"), &policy(phased));
    assert_eq!(verdict.decision(), Decision::Pass, "{:?}", verdict.reasons().collect::<Vec<_>>());
}

#[test]
fn what_comes_by_content_is_counted_as_its_diff() {
    let content =
        |name: &str, lines: usize| Change::NewContent { path: name.to_owned(), content: "x\n".repeat(lines).into() };
    let rejects = |table: PolicyTable, changes: Vec<Change>| {
        rules(&judge(Proposal { changes, ..Proposal::from_diff("") }, &policy(table)), Severity::Reject)
    };
    // Five lines of headers a file: `diff --git`, `new file mode`, `---`, `+++`, `@@`.
    let two = |lines: usize| vec![content("docs/m.md", 100), content("docs/n.md", lines)];
    assert_eq!(rejects(table(), two(500 - 100 - 10)), BTreeSet::new());
    assert_eq!(rejects(table(), two(501 - 100 - 10)), BTreeSet::from(["max-patch-lines".to_owned()]));
    let text = judge(Proposal { changes: two(7), ..Proposal::from_diff("") }, &policy(table())).diff().len() as u64;
    assert_eq!(rejects(PolicyTable { max_patch_bytes: text, ..table() }, two(7)), BTreeSet::new());
    let least = PolicyTable { max_patch_bytes: text - 1, ..table() };
    assert_eq!(rejects(least, two(7)), BTreeSet::from(["max-patch-bytes".to_owned()]));
}

#[test]
fn secrets_and_personal_data_are_found_in_every_word_and_line() {
    let token = concat!("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let mail = |name: &str| format!("{name}@posteo.de");
    let diff = format!(
        "--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1,4 @@\n+one\n+{}\n+{}\n+x {token}\n",
        mail("jane"),
        mail("john")
    );
    let told = |proposal: Proposal, personal_data| {
        let verdict = judge(proposal, &policy(PolicyTable { personal_data, ..table() }));
        let layer = verdict.layers().iter().find(|layer| layer.layer == "secrets").unwrap();
        let told = |found: &Violation| (found.rule.clone(), found.severity, found.line, found.message.clone());
        layer.violations.iter().map(told).collect::<Vec<_>>()
    };
    let added = |severity| {
        let message = "personal data is added (email, 2 in this file)".to_owned();
        ("personal-data".to_owned(), severity, Some(2), message)
    };
    let secret = ("secret".to_owned(), Severity::Reject, Some(4), "a secret is added (github_token)".to_owned());
    let of = || Proposal::from_diff(&diff);
    assert_eq!(told(of(), Treatment::Flag), [secret.clone(), added(Severity::Flag)]);
    assert_eq!(told(of(), Treatment::Reject), [secret.clone(), added(Severity::Reject)]);
    assert_eq!(told(of(), Treatment::Allow), [secret]);
    let worded = Proposal {
        title: format!("for {}", mail("jane")),
        evidence: vec![format!("seen: {token}")],
        ..Proposal::from_diff("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+x\n")
    };
    let words: Vec<_> = told(worded, Treatment::Flag).into_iter().map(|found| (found.1, found.3)).collect();
    let expected = [
        (Severity::Reject, "`evidence` contains a secret (github_token)".to_owned()),
        (Severity::Flag, "`title` contains personal data (email)".to_owned()),
    ];
    assert_eq!(words, expected);
}

#[test]
fn an_uncommitted_edit_explains_what_does_not_fit() {
    let diff = ["docs/a.md", "docs/b.sh"]
        .map(|name| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-not there\n+x\n"))
        .concat();
    let verdict = of_diff(&diff).with_uncommitted(&BTreeSet::from([path("docs/a.md")]));
    let told: Vec<_> = verdict
        .violations()
        .filter(|found| found.rule == "context-mismatch" || found.rule == "uncommitted-edit")
        .map(|found| (found.path.as_deref().unwrap(), found.rule.as_str(), found.hint.contains("uncommitted edit")))
        .collect();
    let not_edited = verdict.violations().find(|found| found.path.as_deref() == Some("docs/b.sh")).unwrap();
    assert_eq!(not_edited.hint, "base the change on the current base commit");
    let expected = [
        ("docs/a.md", "context-mismatch", true),
        ("docs/b.sh", "context-mismatch", false),
        ("docs/a.md", "uncommitted-edit", false),
    ];
    assert_eq!((verdict.decision(), told.as_slice()), (Decision::Reject, &expected[..]));
}

#[test]
fn many_files_are_too_many() {
    let mut diff = String::new();
    for number in 0..21 {
        let _ = write!(diff, "--- /dev/null\n+++ b/docs/n{number}.md\n@@ -0,0 +1 @@\n+x\n");
    }
    let verdict = of_diff(&diff);
    assert_eq!(rules(&verdict, Severity::Reject), BTreeSet::from(["max-files".to_owned()]));
    assert_eq!(verdict.blast_radius().files, 21);
}

#[test]
fn a_rename_counts_both_ways() {
    let verdict = of_diff(
        "diff --git a/docs/a.md b/docs/z.md\nsimilarity index 100%\nrename from docs/a.md\nrename to docs/z.md\n",
    );
    assert_eq!((verdict.blast_radius().files, verdict.blast_radius().lines), (2, 6));
    let with_renames = serde_json::to_value(verdict.with_renames()).unwrap();
    assert_eq!((&with_renames["files"], &with_renames["lines"]), (&1.into(), &0.into()));
}

#[test]
fn findings_are_listed_up_to_a_bound() {
    let diff = format!("--- /dev/null\n+++ b/docs/n.py\n@@ -0,0 +1,400 @@\n{}", "+eval(x)\n".repeat(400));
    let verdict = of_diff(&diff);
    let layer = verdict.layers().iter().find(|layer| layer.layer == "patterns").unwrap();
    assert_eq!(layer.violations.len(), 101);
    assert!(layer.violations[100].message.contains("300 more"));
    assert!(!layer.passed);
    let verdict = of_diff(&diff.replace("400", "100").replace(&"+eval(x)\n".repeat(400), &"+eval(x)\n".repeat(100)));
    let layer = verdict.layers().iter().find(|layer| layer.layer == "patterns").unwrap();
    assert_eq!(layer.violations.len(), 100);
}

#[test]
fn contents_of_all_kinds_become_one_patch() {
    let content = |path: &str, text: &str| Change::NewContent { path: path.to_owned(), content: text.into() };
    let changes = vec![
        content("docs/new.md", "x\n"),
        content("docs/b.sh", "echo b\n"),
        Change::Delete { path: "docs/deep/c.md".to_owned() },
        Change::UnifiedDiff("--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n".to_owned()),
    ];
    let verdict = judge(Proposal { changes, ..Proposal::from_diff("") }, &policy(table()));
    let approved = verdict.approved().unwrap();
    let paths: Vec<&str> = approved.changes().iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["docs/a.md", "docs/deep/c.md", "docs/new.md"], "sorted, and without what stays the same");
    assert_eq!((approved.blast_radius().files, approved.blast_radius().lines), (3, 4));
}

#[test]
fn the_same_path_by_two_changes_is_refused() {
    let content = |text: &str| Change::NewContent { path: "docs/a.md".to_owned(), content: text.into() };
    let delete = || Change::Delete { path: "docs/a.md".to_owned() };
    for changes in [vec![content("x"), content("x")], vec![delete(), content("x")], vec![delete(), delete()]] {
        let verdict = judge(Proposal { changes, ..Proposal::from_diff("") }, &policy(table()));
        let twice = verdict.reasons().find(|found| found.rule == "path-twice").unwrap();
        assert_eq!(twice.hint, "combine all changes of a file");
    }
}

#[test]
fn binary_content_is_refused() {
    for content in [vec![0, 1], vec![0xff, 0xfe]] {
        let change = Change::NewContent { path: "docs/x".to_owned(), content };
        let verdict = judge(Proposal { changes: vec![change], ..Proposal::from_diff("") }, &policy(table()));
        assert_eq!(rules(&verdict, Severity::Reject), BTreeSet::from(["binary".to_owned()]));
    }
}

/// The verdict on a new content of a file, in a base that has the file with the old content.
fn judge_edit(name: &str, old: &[u8], new: &[u8]) -> Verdict {
    let change = Change::NewContent { path: name.to_owned(), content: new.to_vec() };
    let candidate = ParsedChange::read(Proposal { changes: vec![change], ..Proposal::from_diff("") });
    let mut base = snapshot(&candidate);
    let content = Arc::from(old);
    base.entries.insert(path(name), BaseEntry::Blob(BlobState { mode: FileMode::Regular, content }));
    review(&candidate, &base, &policy(table()), GeneHistory::default())
}

/// What the gate shows is Latin-1, and what it approves is bytes.
#[test]
fn a_file_that_is_not_utf_8_may_change_where_it_is_ascii() {
    let old = b"# Copyright Andr\xe9 \x93A\x94\nprint 'caf\xe9'\n";
    let new = b"# Copyright Andr\xe9 \x93A\x94\nprint('caf\xe9')\n";
    let verdict = judge_edit("geneclaw/a.py", old, new);
    let approved = verdict.approved().unwrap_or_else(|| panic!("{:?}", verdict.reasons().collect::<Vec<_>>()));
    assert_eq!(approved.changes()[0].after.as_ref().unwrap().content[..], new[..]);
    assert!(rules(&verdict, Severity::Flag).contains("not-utf-8"));
    assert!(verdict.diff().contains("-print 'caf\u{e9}'\n+print('caf\u{e9}')\n"), "{}", verdict.diff());
    // The shown diff is a proposal for the same bytes.
    let again = ParsedChange::read(Proposal::from_diff(verdict.diff()));
    let mut base = snapshot(&again);
    let content = Arc::from(&old[..]);
    base.entries.insert(path("geneclaw/a.py"), BaseEntry::Blob(BlobState { mode: FileMode::Regular, content }));
    let again = review(&again, &base, &policy(table()), GeneHistory::default());
    assert_eq!(again.approved().unwrap().changes(), approved.changes());
}

#[test]
fn nothing_is_smuggled_into_a_file_that_is_not_utf_8() {
    let old = b"# Andr\xe9\nx = 1\n";
    for (name, new, rule) in [
        ("geneclaw/a.py", &b"# Andr\xe9\nx = 1  # \xe2\x80\xae\n"[..], "not-utf-8"),
        ("geneclaw/a.py", b"# Andr\xe9\xe9\nx = 2\n", "not-utf-8"),
        ("geneclaw/a.py", b"# Andr\xe9\nx = eval(y)\n", "py-eval"),
        ("geneclaw/a.py", b"# coding: utf-7\n# Andr\xe9\nx = 1\n", "source-encoding"),
        ("geneclaw/a.py", b"# Andr\xe9\nx = 1\r y\n", "control-character"),
        ("geneclaw/a.py", b"# Andr\xe9\nx = '\x1b[0m'\n", "binary"),
        ("geneclaw/a.py", b"# Andr\xe9\nx = '\0'\n", "binary"),
        ("geneclaw/a.py", b"# Andr\xc3\xa9\nx = 1\n", "encoding-change"),
    ] {
        let verdict = judge_edit(name, old, new);
        assert!(
            rules(&verdict, Severity::Reject).contains(rule),
            "{rule}: {:?}",
            verdict.reasons().collect::<Vec<_>>()
        );
        assert!(verdict.approved().is_none());
    }
    let secret = ["AKIA", "Q3EGRIJ5WN7HTZ2L"].concat();
    let leak = [&old[..], format!("key = '{secret}'\n").as_bytes()].concat();
    assert!(rules(&judge_edit("geneclaw/a.py", old, &leak), Severity::Reject).contains("secret"));
}

#[test]
fn no_changes_at_all_change_nothing() {
    let verdict = judge(Proposal { changes: Vec::new(), ..Proposal::from_diff("") }, &policy(table()));
    assert_eq!(rules(&verdict, Severity::Reject), BTreeSet::from(["no-change".to_owned()]));
}

#[test]
fn a_bad_history_raises_the_risk_and_words_do_not() {
    let diff = "--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let score = |history: GeneHistory, level| {
        let candidate = ParsedChange::read(Proposal { risk_level: level, ..Proposal::from_diff(diff) });
        review(&candidate, &snapshot(&candidate), &policy(table()), history).risk().score
    };
    let bad = GeneHistory { tries: 10, successes: 0 };
    let good = GeneHistory { tries: 10, successes: 10 };
    assert!(score(good, Low) < score(GeneHistory::default(), Low));
    assert!(score(GeneHistory::default(), Low) < score(bad, Low));
    assert_eq!(score(bad, Low), score(bad, High));
}

/// Pieces of hostile and of ordinary diffs, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "diff --git a/docs/a.md b/docs/a.md\n",
        "--- a/docs/a.md\n",
        "+++ b/docs/a.md\n",
        "@@ -1,3 +1,3 @@\n",
        " one\n",
        "-two\n",
        "+2\n",
        " three\n",
        "--- /dev/null\n",
        "+++ b/.env\n",
        "@@ -0,0 +1 @@\n",
        "+eval(x)\n",
        "rename from docs/a.md\n",
        "rename to .env\n",
        "new file mode 120000\n",
        "old mode 100644\n",
        "new mode 100755\n",
        "\\ No newline at end of file\n",
        "+\u{202e}\n",
        "prose\n",
        "-- \n",
    ]);
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_diff_makes_the_gate_panic_and_what_passes_is_what_was_shown(diff in pieces()) {
        let verdict = of_diff(&diff);
        if verdict.approved().is_some() {
            prop_assert!(reviewed_is_approved(&verdict));
            prop_assert!(verdict.approved().unwrap().changes().iter().all(|c| c.path.as_str().starts_with("docs/")));
        }
    }

    #[test]
    fn no_proposal_makes_the_gate_panic(
        path in any::<String>(),
        content in any::<Vec<u8>>(),
        claims in proptest::option::of(any::<Vec<String>>()),
        command in any::<String>(),
    ) {
        let changes = vec![Change::NewContent { path: path.clone(), content }, Change::Delete { path }];
        let proposal = Proposal { changes, files_touched: claims, tests_to_run: vec![command], ..Proposal::from_diff("") };
        prop_assert_eq!(judge(proposal, &policy(table())).decision(), Decision::Reject);
    }
}

#[test]
fn a_verdict_shows_the_canonical_diff_whatever_it_says() {
    let diff = "--- /dev/null\n+++ b/elsewhere/a.txt\n@@ -0,0 +1 @@\n+text\n";
    let shown = "diff --git a/elsewhere/a.txt b/elsewhere/a.txt\nnew file mode 100644\n--- /dev/null\n\
                 +++ b/elsewhere/a.txt\n@@ -0,0 +1 @@\n+text\n";
    let rejected = of_diff(diff);
    assert_eq!((rejected.decision(), rejected.diff()), (Decision::Reject, shown));
    let open = PolicyTable { allow: owned(&["**"]), ..table() };
    let tests_to_run = owned(&["pytest"]);
    let proposal = Proposal { id: "gep-7".to_owned(), tests_to_run, ..Proposal::from_diff(diff) };
    let passed = judge(proposal, &policy(open));
    assert_eq!((passed.decision(), passed.diff()), (Decision::Pass, shown));
    let approved = passed.approved().unwrap();
    assert_eq!((approved.proposal_id(), approved.base_commit()), ("gep-7", "0".repeat(40).as_str()));
    assert_eq!((approved.risk_score(), approved.commands().len()), (passed.risk().score, 1));
    assert!(approved.risk_score() > 1);
    assert_eq!(passed.proposal_id(), "gep-7");
    assert!(passed.into_approved().is_some() && rejected.into_approved().is_none());
}

#[test]
fn a_rejection_shows_whole_files_up_to_a_bound() {
    let lines = |bytes: usize| "x".repeat(63) + "\n" + &("y".repeat(63) + "\n").repeat(bytes / 64 - 2);
    let change =
        |name: &str, content: String| Change::NewContent { path: name.to_owned(), content: content.into_bytes() };
    let shown = |last: usize| {
        let texts =
            [("elsewhere/a", lines(64_000)), ("elsewhere/b", lines(190_016)), ("elsewhere/c", "z".repeat(last) + "\n")];
        let changes = texts.map(|(name, text)| change(name, text)).to_vec();
        judge(Proposal { changes, ..Proposal::from_diff("") }, &policy(table())).diff().to_owned()
    };
    let room = (256 << 10) - shown(1).len();
    let full = shown(1 + room);
    assert_eq!((full.len(), full.matches("diff --git").count()), (256 << 10, 3));
    let cut = shown(2 + room);
    assert_eq!(cut.matches("diff --git").count(), 2);
    assert!(full.starts_with(&cut));
}

#[test]
fn a_text_is_scanned_for_secrets_as_if_it_were_added() {
    let token = concat!("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let found = scan_secrets(Ruleset::bundled(), Some("a.txt"), &format!("one\ntwo {token}\n"));
    assert_eq!(found.iter().map(|found| (found.line, found.column)).collect::<Vec<_>>(), [(2, 5)]);
    // In characters, and in bytes where the line is longer than a person would count.
    let column = |before: &str| scan_secrets(Ruleset::bundled(), None, &format!("{before} {token}\n"))[0].column;
    assert_eq!((column(&"é".repeat(2_047)), column(&"é".repeat(2_048))), (2_049, 4_098));
}

#[test]
fn what_rejects_is_told_before_what_is_only_noticed() {
    // Layer 4 finds in the order of the lines: first what it only notices, then what it refuses.
    let diff = "--- /dev/null\n+++ b/docs/a.py\n@@ -0,0 +1,2 @@\n+x = importlib.import_module(name)\n+eval(x)\n";
    let verdict = of_diff(diff);
    let severities: Vec<Severity> =
        verdict.violations().filter(|found| found.rule.starts_with("py-")).map(|found| found.severity).collect();
    assert_eq!(severities, [Severity::Reject, Severity::Flag], "{:?}", verdict.violations().collect::<Vec<_>>());
}

#[test]
fn the_layers_are_one_list_and_the_map_names_them_in_its_order() {
    let names: Vec<&str> = LAYERS.iter().map(|layer| layer.name).collect();
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), names.len());
    let unreadable = Verdict::unreadable(&Proposal::from_json("{").unwrap_err());
    let reported: Vec<&str> = unreadable.layers().iter().map(|layer| layer.layer).collect();
    assert_eq!(reported, names);
    let map = include_str!("../../../ARCHITECTURE.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(map.contains(&names.join(", ")), "ARCHITECTURE.md does not list {}", names.join(", "));
}
