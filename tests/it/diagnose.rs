//! `gephost diagnose`: it reports each error once, ordered by priority, and nothing below the thresholds of `[diagnose]`.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{MISSING_PROGRAM, quickstart, validated_by};

fn findings(document: &Value) -> &Vec<Value> {
    document["findings"].as_array().unwrap()
}

#[test]
fn one_error_is_one_finding_with_all_its_events() {
    let env = TestEnv::new();
    let (document, code) = env.json(quickstart(&env, None).root(), &["diagnose"]);
    assert_eq!(code, 0);
    let errors: Vec<&Value> =
        findings(&document).iter().filter(|finding| finding["kind"] == "error_signature").collect();
    assert_eq!(errors.len(), 1, "{document:#}");
    let title = errors[0]["title"].as_str().unwrap();
    assert!(title.contains("ImportError: cannot import name 'Mapping' from 'collections'"), "{title}");
    assert_eq!(errors[0]["scope"]["failures"], 3, "{document:#}");
    assert!(errors[0]["places"][0]["line"].as_u64() > Some(0), "{document:#}");
    assert_eq!((errors[0]["severity"].as_str(), errors[0]["occurrences"].as_u64()), (Some("high"), Some(3)));
    assert_eq!(errors[0]["evidence"].as_array().unwrap().len(), 3);
    let priorities: Vec<f64> =
        findings(&document).iter().map(|finding| finding["priority"].as_f64().unwrap()).collect();
    assert!(priorities.is_sorted_by(|a, b| a >= b) && priorities[0] > 3.0, "{priorities:?}");
}

#[test]
fn one_finding_and_one_event_are_shown_whole() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let (document, _) = env.json(project.root(), &["diagnose", "1"]);
    let first = &document["events"][0];
    assert_eq!(document["events"].as_array().map(Vec::len), Some(3), "{document:#}");
    let number = first["event"].as_u64().unwrap().to_string();
    let (event, _) = env.json(project.root(), &["observe", "--event", &number]);
    assert_eq!((&event["output"], &event["line"]), (&first["output"], &first["line"]));
    let (as_printed, _) = env.json(project.root(), &["observe", "--event", &format!("#{number}")]);
    assert_eq!(as_printed, event);
    let whole = env.run(project.root(), &["diagnose", "1"]).stdout;
    assert!(whole.contains(&format!("#{number} ")) && whole.contains("ImportError"), "{whole}");
    for (arguments, says) in [
        (&["diagnose", "99"][..], "there is no finding 99: they are numbered from 1 to"),
        (&["observe", "--event", "99999"][..], "there is no event 99999: they are numbered from 0 to"),
    ] {
        let ran = env.run(project.root(), arguments);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{}", ran.stderr);
    }
}

#[test]
fn the_diagnosis_as_a_file_holds_the_findings_and_no_script() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let html = env.run(project.root(), &["diagnose", "--as", "html"]).stdout;
    assert!(html.starts_with("<!doctype html>") && html.contains("ImportError: cannot import name"), "{html}");
    assert!(!html.contains("<script") && !html.contains("http"), "{html}");
    let markdown = env.run(project.root(), &["diagnose", "--as", "markdown"]).stdout;
    assert!(markdown.starts_with("# What goes wrong in ") && markdown.contains("## 1. "), "{markdown}");
    project.write("logs/another.jsonl", MISSING_PROGRAM);
    let markdown = env.run(project.root(), &["diagnose", "--as", "markdown"]).stdout;
    assert!(markdown.contains("## 2. ") && markdown.contains(" tool calls: "), "{markdown}");
    let markdown = env.run(project.root(), &["diagnose", "--as", "markdown", "--top", "1"]).stdout;
    assert!(markdown.contains("## 1. ") && !markdown.contains("## 2. "), "{markdown}");
    let markdown = env.run(project.root(), &["diagnose", "2", "--as", "markdown"]).stdout;
    assert!(!markdown.contains("## 1. ") && markdown.contains("## 2. "), "{markdown}");
    assert!(markdown.contains("### Its events, the newest first\n\n      #"), "{markdown}");
    let html = env.run(project.root(), &["diagnose", "1", "--as", "html"]).stdout;
    assert!(html.contains("<pre>  #") && !html.contains("Share of all failures"), "{html}");
}

#[test]
fn a_file_without_findings_says_why() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.log", "")]);
    for form in ["text", "markdown", "html"] {
        let shown = env.run(project.root(), &["diagnose", "--as", form]).expect_code(0).stdout;
        assert!(shown.contains("not known: no log was read") && !shown.contains("Nothing fails"), "{shown}");
        let shown = env.run(project.root(), &["diagnose", "--as", form, "a.log"]).expect_code(0).stdout;
        assert!(shown.contains("not known: the logs are empty"), "{shown}");
    }
}

#[test]
fn why_lines_were_skipped_is_said_where_they_are_counted() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    project.write("b.jsonl", &(MISSING_PROGRAM.to_owned() + "{\"type\":\nnot json\n"));
    project.write("c.log", "just words\n");
    // Whatever was read and stored before.
    env.run(project.root(), &["observe"]).expect_code(0);
    for command in [&["diagnose", "b.jsonl", "c.log"][..], &["observe", "b.jsonl", "c.log"]] {
        let shown = env.run(project.root(), command).expect_code(0).stdout;
        assert!(shown.contains("skipped: 2 broken json, 1 file of an unknown format\n"), "{shown}");
    }
}

#[test]
fn findings_below_the_thresholds_are_only_counted() {
    let env = TestEnv::new();
    let with = |keys: &str| {
        let config = format!("{}[diagnose]\n{keys}\n", validated_by(""));
        let project = quickstart(&env, Some(&config));
        project.write("logs/another.jsonl", MISSING_PROGRAM);
        env.json(project.root(), &["diagnose"]).0
    };
    let all = with("");
    assert!(findings(&all).len() > 1);
    let one = with("max_findings = 1");
    assert_eq!(findings(&one).len(), 1);
    assert_eq!(findings(&one)[0]["id"], findings(&all)[0]["id"], "the first by priority");
    let left_out = |document: &Value| document["below_thresholds"].as_u64().unwrap();
    assert_eq!(left_out(&one), left_out(&all) + findings(&all).len() as u64 - 1);
    let none = with("at_least = { error_signature = 4, missing_program = 4 }");
    assert_eq!(findings(&none).len(), 0, "{none:#}");
}
