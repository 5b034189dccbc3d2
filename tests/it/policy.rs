//! `gephost policy` and `gephost gate --jsonl`: by the line, with git's own reader of patterns as the oracle.

use std::io::Write as _;
use std::process::Stdio;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{logged, python};

/// Runs `gephost` with lines on its standard input; gives the answers.
fn answers(env: &TestEnv, project: &TestProject, arguments: &[&str], lines: &str) -> Vec<Value> {
    let ran = fed(env, project, gephost().to_str().unwrap(), arguments, lines).expect_code(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn fed(env: &TestEnv, project: &TestProject, program: &str, arguments: &[&str], input: &str) -> Ran {
    let mut command = env.command(program, project.root());
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let ran = Ran::of(child.wait_with_output().unwrap());
    writer.join().unwrap().unwrap();
    ran
}

/// Numbers that only look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }
}

/// Without `a**/b`: git's manual calls these stars ordinary ones, and git, having compared the letters before the
/// stars, takes what is left for `**/b`. Ours are as in the manual.
const PARTS: &[&str] = &[
    "a",
    "b",
    "ab",
    "a*",
    "*b",
    "a?",
    "*",
    "**",
    "[ab]",
    "[!a]",
    "[^b]c",
    "[a-c]*",
    "c",
    "abc",
    "\\*",
    "a.b",
    "[[:alpha:]]",
    "x y",
];
const NAMES: &[&str] = &["a", "b", "c", "ab", "abc", "ac", "bc", "a.b", "*", "x y", "B"];

fn pattern(dice: &mut Dice) -> String {
    let mut parts = vec![dice.pick(PARTS)];
    for _ in 0..dice.below(3) {
        parts.push(dice.pick(PARTS));
    }
    let (start, end) = (dice.pick(&["", "", "/"]), dice.pick(&["", "", "/"]));
    format!("{start}{}{end}", parts.join("/"))
}

#[test]
fn patterns_cover_what_git_says_they_cover() {
    let env = TestEnv::new();
    let mut dice = Dice(7);
    let paths: Vec<String> =
        (0..400).map(|_| (0..=dice.below(4)).map(|_| dice.pick(NAMES)).collect::<Vec<_>>().join("/")).collect();
    let questions: String = paths.iter().map(|path| format!("{}\n", json!({ "path": path }))).collect();
    let project = TestProject::without_git(&[]);
    project.git(&env, &["init", "-q"]);
    let mut covered = 0;
    for _ in 0..60 {
        let patterns: Vec<String> = (0..=dice.below(3)).map(|_| pattern(&mut dice)).collect();
        project.write(".git/info/exclude", &format!("{}\n", patterns.join("\n")));
        project.write("policy.toml", &format!("[policy]\nallow = {}\n", json!(patterns)));
        let ours = answers(&env, &project, &["policy", "explain", "--jsonl", "--policy", "policy.toml"], &questions);
        let input: String = paths.iter().map(|path| format!("{path}\0")).collect();
        let arguments = ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"];
        let told = fed(&env, &project, "git", &arguments, &input);
        let fields: Vec<&str> = told.stdout.split('\0').collect();
        for (at, (path, our)) in paths.iter().zip(&ours).enumerate() {
            assert_eq!(fields[at * 4 + 3], path);
            let git = !fields[at * 4 + 2].is_empty();
            covered += usize::from(git);
            assert_eq!(our["verdict"] == "allow", git, "{patterns:?} and {path:?}: {our}");
        }
    }
    assert!(covered > 1_000, "the patterns cover something: {covered}");
}

#[test]
fn each_line_has_one_answer() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[("gephost.toml", "[policy]\nallow = [\"docs/\"]\n")]);
    let lines = "{\"id\":1,\"path\":\"docs/a.md\"}\nnot json\n{\"id\":\"x\",\"path\":\"docs/.ENV\"}\n{\"id\":2,\"path\":\"../a\"}\n{\"id\":3}\n";
    let told = answers(&env, &project, &["policy", "explain", "--jsonl"], lines);
    assert_eq!(told[0], json!({ "id": 1, "verdict": "allow", "rule": "docs/", "source": "policy-allow" }));
    assert_eq!((&told[1]["id"], &told[1]["error"]["line"]), (&json!(null), &json!(2)));
    assert_eq!(told[2], json!({ "id": "x", "verdict": "deny", "rule": ".env", "source": "built-in" }));
    assert_eq!((&told[3]["verdict"], &told[3]["source"]), (&json!("deny"), &json!("unsafe-path")));
    assert_eq!((&told[4]["id"], told[4]["error"].is_object()), (&json!(3), true));

    let lines = "{\"id\":1,\"command\":\"pytest -k 'a b'\"}\n{\"id\":2,\"command\":\"pytest; x\"}\n";
    let told = answers(&env, &project, &["policy", "command", "--jsonl"], lines);
    assert_eq!((&told[0]["verdict"], &told[0]["argv"]), (&json!("allow"), &json!(["pytest", "-k", "a b"])));
    assert_eq!((&told[1]["verdict"], &told[1]["argv"]), (&json!("deny"), &json!(null)));
    env.run(project.root(), &["policy", "command", "npm test"]).expect_code(0);
    env.run(project.root(), &["policy", "command", "npx x"]).expect_code(3);
}

#[test]
fn verdicts_by_the_line_with_and_without_a_repository() {
    let env = TestEnv::new();
    let files = [("gephost.toml", "[policy]\nallow = [\"docs/\"]\n"), ("docs/a.md", "one\n")];
    let edit = "--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-one\n+two\n";
    let other = "--- a/docs/b.md\n+++ b/docs/b.md\n@@ -1 +1 @@\n-one\n+two\n";
    let outside = "--- /dev/null\n+++ b/src/a.py\n@@ -0,0 +1 @@\n+eval(x)\n";
    let lines = [
        json!({ "id": "edit", "unified_diff": edit }),
        json!({ "id": "003", "proposal": { "id": "gep-1", "affected_paths": ["docs/a.md"], "diff": edit, "risk_score": 1 } }),
        json!({ "id": "004", "files_touched": [".env"], "unified_diff": edit }),
        json!({ "id": "other", "unified_diff": other }),
        json!({ "id": "outside", "unified_diff": outside }),
        json!({ "id": "odd", "proposal": { "unified_diff": 1 } }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let judged = |project: &TestProject| -> Vec<String> {
        let told = answers(&env, project, &["gate", "--jsonl"], &lines);
        assert!(told.iter().all(|verdict| verdict["schema"] == "gephost.verdict/1"), "{told:?}");
        told.iter().map(|v| format!("{} {}", v["id"].as_str().unwrap(), v["verdict"].as_str().unwrap())).collect()
    };
    let repository = TestProject::new(&env, &files);
    let before = repository.fingerprint();
    let expected = ["edit pass", "003 pass", "004 reject", "other reject", "outside reject", "odd reject"];
    assert_eq!(judged(&repository), expected);
    assert_eq!(repository.fingerprint(), before);
    // Without a commit there is no file to compare with.
    let expected = ["edit pass", "003 pass", "004 reject", "other pass", "outside reject", "odd reject"];
    assert_eq!(judged(&TestProject::without_git(&files)), expected);
}

/// The paths of two phases.
const PHASES: &str =
    "[policy.phases.bootstrap]\nallow = [\"/docs/\"]\n[policy.phases.expanded]\nallow = [\"/docs/\", \"/tests/\"]\n";

#[test]
fn a_phase_is_left_only_with_a_record() {
    let env = TestEnv::new();
    let config = format!("[policy]\nphase = \"bootstrap\"\n{PHASES}");
    let project = TestProject::new(&env, &[("gephost.toml", &config)]);
    let promote = ["policy", "promote", "--by", "Ada", "--why", "five good ones"];
    let (document, code) = env.json(project.root(), &promote);
    assert_eq!((code, &document["promoted"]), (3, &json!(false)), "{document}");
    assert_eq!(document["checks"][0]["holds"], json!(false));
    assert_eq!(logged(&env, &project, "policy_promoted"), 0);
    env.run(project.root(), &[&promote[..], &["--to", "full"]].concat()).expect_code(2);
    env.run(project.root(), &["policy", "promote", "--by", " ", "--why", "x"]).expect_code(2);
    let (document, _) = env.json(project.root(), &["policy", "check", "gephost.toml"]);
    assert_eq!((&document["valid"], &document["policy"]["phase"]), (&json!(true), &json!("bootstrap")), "{document}");
    env.run(project.root(), &["policy", "check", "absent.toml"]).expect_code(2);
    let none = env.run(TestProject::new(&env, &[("a.py", "")]).root(), &["policy", "check"]).expect_code(2);
    assert!(none.stderr.contains("no gephost.toml") && none.stderr.contains("gephost init"), "{}", none.stderr);
    project.write("gephost.toml", "[policy]\nphase = \"bootstrap\"\n[policy.phases.bootstrap]\nallow = [\"/docs/\"]\n");
    let refused = env.run(project.root(), &promote).expect_code(2);
    assert!(refused.stderr.contains("the phase expanded has no paths"), "{}", refused.stderr);
}

#[test]
fn five_proposals_that_held_open_the_next_phase() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let config = format!(
        "[policy]\nphase = \"bootstrap\"\n{PHASES}\n[apply]\nenabled = true\n\n[validation]\n\
         commands = [\"python3 -m unittest discover -s tests\"]\n"
    );
    let test =
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue(True)\n";
    let project = TestProject::new(&env, &[("gephost.toml", &config), ("tests/test_it.py", test)]);
    let promote = ["policy", "promote", "--by", "Ada", "--why", "five that held"];
    for number in 0..5 {
        let (document, code) = env.json(project.root(), &promote);
        assert_eq!((code, &document["checks"][0]["holds"]), (3, &json!(false)), "{number}: {document}");
        let diff = format!("--- /dev/null\n+++ b/docs/note-{number}.md\n@@ -0,0 +1 @@\n+Note {number}.\n");
        project.write("note.diff", &diff);
        env.run(project.root(), &["apply", "note.diff", "--apply"]).expect_code(0);
    }
    let before = std::fs::read(project.root().join("gephost.toml")).unwrap();
    let (document, code) = env.json(project.root(), &promote);
    assert_eq!((code, &document["promoted"], &document["to"]), (0, &json!(true), &json!("expanded")), "{document}");
    assert_eq!(document["edit"]["line"], "phase = \"expanded\"", "{document}");
    assert_eq!(logged(&env, &project, "policy_promoted"), 1);
    // The config is the operator's.
    assert_eq!(std::fs::read(project.root().join("gephost.toml")).unwrap(), before);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}
