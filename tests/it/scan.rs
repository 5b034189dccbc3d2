//! `gephost scan` and `gephost redact`: what is found, what is never said, and streams of JSON lines.

use std::fs;
use std::path::Path;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

fn token() -> String {
    format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn both_layers_are_reported_and_the_value_is_not() {
    let env = TestEnv::new();
    let source = format!("x = 1\nkey = '{}'\neval(x)\n", token());
    let project = TestProject::without_git(&[("src/a.py", source.as_str()), ("b.py", "x = 1\n")]);
    let ran = env.run(project.root(), &["scan", "src/a.py", "--json"]).expect_code(1);
    assert!(!ran.stdout.contains(&token()));
    let findings = serde_json::from_str::<Value>(&ran.stdout).unwrap()["findings"].clone();
    let secret = &findings[0];
    assert_eq!(
        (&secret["layer"], &secret["kind"], &secret["line"], &secret["column"]),
        (&json!("secrets"), &json!("github_token"), &json!(2), &json!(8))
    );
    assert_eq!((&findings[1]["layer"], &findings[1]["line"]), (&json!("patterns"), &json!(3)), "{findings}");
    assert_eq!(env.run(project.root(), &["scan", "b.py"]).expect_code(0).stdout, "nothing found\n");
}

#[test]
fn a_line_that_cannot_be_read_is_answered_and_the_rest_goes_on() {
    let env = TestEnv::new();
    let long = "x".repeat(17 << 20);
    let input = format!(
        "{}\nnot json\n\n{}\n{long}\n[1]\n{}\n",
        json!({ "id": 1, "path": "a.py", "text": "eval(x)\n" }),
        json!({ "id": "b", "text": format!("say {}", token()) }),
        json!({ "id": "c", "path": "../x.py", "text": "x = 1" })
    );
    let project = TestProject::without_git(&[("in.jsonl", input.as_str())]);
    let ran = env.run(project.root(), &["scan", "--jsonl", "in.jsonl"]).expect_code(0);
    let answers = lines(&ran.stdout);
    assert_eq!(answers.len(), 6, "{}", ran.stdout);
    assert_eq!((&answers[0]["id"], &answers[0]["findings"][0]["layer"]), (&json!(1), &json!("patterns")));
    assert_eq!(answers[1]["error"]["line"], 2);
    assert_eq!((&answers[2]["id"], &answers[2]["findings"][0]["kind"]), (&json!("b"), &json!("github_token")));
    assert_eq!((&answers[3]["error"]["line"], &answers[4]["error"]["line"]), (&json!(5), &json!(6)));
    assert_eq!(answers[5], json!({ "id": "c", "findings": [] }));
}

#[test]
fn redact_is_a_filter_with_stable_numbers() {
    let env = TestEnv::new();
    let text = format!("a {} b\njane@posteo.de {}\n", token(), token());
    let object = json!({ "id": token(), "text": text }).to_string();
    let project = TestProject::without_git(&[("in.txt", text.as_str()), ("in.jsonl", object.as_str())]);
    let clean = "a [REDACTED:github_token:1] b\n[REDACTED:email:1] [REDACTED:github_token:1]\n";
    assert_eq!(env.run(project.root(), &["redact", "in.txt"]).expect_code(0).stdout, clean);
    let answer = &lines(&env.run(project.root(), &["redact", "--jsonl", "in.jsonl"]).expect_code(0).stdout)[0];
    assert_eq!((&answer["id"], &answer["text"]), (&json!(token()), &json!(clean)), "an id stays as it is");
    assert_eq!(answer["redactions"][1], json!({ "kind": "email", "n": 1, "at": 45 }));
}

#[test]
fn an_operators_rules_hold_for_scan_redact_and_are_checked() {
    let env = TestEnv::new();
    let config = "[policy]\nsecret_rules = ['rules.toml']\n";
    let rules = "[[rules]]\nid = 'acme'\nregex = 'acme-([0-9]{6})'\nkeywords = ['acme-']\n";
    let project =
        TestProject::without_git(&[("gephost.toml", config), ("rules.toml", rules), ("a.md", "use acme-123456\n")]);
    assert!(env.run(project.root(), &["scan", "a.md"]).expect_code(1).stdout.contains("(acme)"));
    assert_eq!(env.run(project.root(), &["redact", "a.md"]).expect_code(0).stdout, "use acme-[REDACTED:acme:1]\n");
    env.run(project.root(), &["record", "--", "echo", "acme-123456"]).expect_code(0);
    let stored = stored_runs(&env, project.root());
    assert!(stored.contains("[REDACTED:acme:1]") && !stored.contains("123456"), "{stored}");
    project.write("rules.toml", "[[rules]]\nid = 'acme'\nregex = 'a(?=b)'\n");
    let ran = env.run(project.root(), &["scan", "a.md"]).expect_code(2);
    assert!(ran.stderr.contains("rule `acme`") && ran.stderr.contains("look-around"), "{}", ran.stderr);
}

/// All that the run store holds, as one text.
fn stored_runs(env: &TestEnv, root: &Path) -> String {
    let sessions = fs::read_dir(env.state_of(root).join("runs")).unwrap();
    let files = sessions.flat_map(|session| fs::read_dir(session.unwrap().path()).unwrap());
    files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}
