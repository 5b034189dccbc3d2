//! A gene whose repairs of a finding turned out to be false is not asked about it a third time, unless something new shows.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use crate::scene::{published, python};

const GENE: &str = "gene_gep_repair_from_errors";
const COMMAND: [&str; 4] = ["python3", "-B", "-c", "import pkg"];
const CONFIG: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";

fn record(env: &TestEnv, project: &TestProject) {
    env.run(project.root(), &[&["record", "--"][..], &COMMAND].concat()).expect_code(1);
}

#[test]
fn a_gene_that_was_wrong_twice_is_not_asked_without_new_evidence() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let files = [("gephost.toml", CONFIG), ("pkg/__init__.py", "from collections import Mapping\n")];
    let project = TestProject::new(&env, &files);
    record(&env, &project);
    for _ in 0..2 {
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!(code, 0, "{document:#}");
        assert_eq!(document["selection"]["not_asked"], serde_json::json!([]), "{document:#}");
        assert_eq!(published(&env, &project).len(), 1, "{document:#}");
        env.run(project.root(), &["undo", "--why", "wrong"]).expect_code(0);
    }

    // The same error once more is nothing new.
    record(&env, &project);
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document:#}");
    let not_asked = &document["selection"]["not_asked"][0];
    assert_eq!(not_asked["gene"], GENE, "{document:#}");
    let hows: Vec<&str> =
        not_asked["wrong"].as_array().unwrap().iter().map(|wrong| wrong["how"].as_str().unwrap()).collect();
    assert_eq!(hows, ["taken_back", "taken_back"]);
    assert_eq!(document["candidates"], serde_json::json!([]), "{document:#}");
    assert!(published(&env, &project).is_empty());
    let page = env.run(project.root(), &["run"]).expect_code(0).stdout;
    let line = page.lines().find(|line| line.contains("not asked: ")).unwrap_or_else(|| panic!("{page}"));
    assert!(line.contains("was wrong 2 times (taken back ") && line.contains(&format!("`--gene {GENE}`")), "{line}");

    // Who asks for the gene gets it.
    let (document, _) = env.json(project.root(), &["run", "--gene", GENE]);
    assert_eq!(document["selection"]["selected"], GENE, "{document:#}");
    assert_ne!(document["candidates"], serde_json::json!([]), "{document:#}");

    // Another error is new.
    project.write("pkg/__init__.py", "from collections import Iterable\n");
    project.commit_all(&env);
    record(&env, &project);
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(published(&env, &project).len(), 1, "{document:#}");
}

/// Another name of the same import is missing elsewhere. That is another finding, and the same change would repair it.
#[test]
fn a_change_that_was_taken_back_twice_is_not_proposed_through_another_finding() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let source = "from collections import Mapping, MutableMapping\n";
    let project = TestProject::new(&env, &[("gephost.toml", CONFIG), ("pkg/__init__.py", source)]);
    record(&env, &project);
    for _ in 0..2 {
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!((code, published(&env, &project).len()), (0, 1), "{document:#}");
        env.run(project.root(), &["undo", "--why", "wrong"]).expect_code(0);
    }
    let error = "ImportError: cannot import name 'MutableMapping' from 'collections' (/usr/lib/python3.10/collections/__init__.py)";
    let output = format!("  File \"pkg/__init__.py\", line 1, in <module>\n    {source}{error}");
    let event = serde_json::json!({
        "timestamp": "2030-01-01T10:00:00Z", "session_key": "another", "event_type": "tool_end", "tool_name": "Bash",
        "duration_ms": 1.0, "success": false, "error": output, "preview": null, "input": "python3.10 -c 'import pkg'",
    });
    project.write("another.jsonl", &format!("{event}\n"));
    let run = |more: &[&str]| {
        let arguments = [&["run", "--log", "another.jsonl"][..], more].concat();
        let (document, code) = env.json(project.root(), &arguments);
        assert_eq!(code, 0, "{document:#}");
        document
    };
    let document = run(&[]);
    assert_eq!(document["selection"]["not_asked"], serde_json::json!([]), "it is another finding: {document:#}");
    assert_eq!(document["candidates"], serde_json::json!([]), "{document:#}");
    let asked = document["unanswered"]["asked"].as_array().unwrap();
    let said = asked.iter().find(|row| row["gene"] == GENE).unwrap_or_else(|| panic!("{document:#}"));
    let said = said["said"].as_array().unwrap().iter().filter_map(|line| line.as_str()).collect::<Vec<_>>().join("\n");
    assert!(said.contains("was taken back 2 times (") && said.contains(&format!("`--gene {GENE}`")), "{said}");
    assert_ne!(run(&["--gene", GENE])["candidates"], serde_json::json!([]), "who asks for the gene gets it");
}

/// The change landed, and the same error shows again in a call after that.
#[test]
fn a_repair_whose_error_comes_back_was_false() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let source = "from collections import Mapping\n";
    let project = TestProject::new(&env, &[("gephost.toml", CONFIG), ("pkg/__init__.py", source)]);
    for round in 0..3 {
        // The person puts the old line back each time.
        project.write("pkg/__init__.py", &format!("{source}ROUND = {round}\n"));
        project.commit_all(&env);
        record(&env, &project);
        let (document, code) = env.json(project.root(), &["run", "--apply", "--land"]);
        assert_eq!(code, 0, "{document:#}");
        let hows: Vec<&str> = document["selection"]["not_asked"][0]["wrong"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|wrong| wrong["how"].as_str().unwrap())
            .collect();
        let expected: &[&str] = if round == 2 { &["failed_again", "failed_again"] } else { &[] };
        assert_eq!(hows, expected, "{document:#}");
    }
}
