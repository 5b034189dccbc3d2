//! What genes are told of earlier attempts by the import `history`.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use crate::guests::{Proposes, tell_history};
use crate::scene::{published, value_project};

const GENE: &str = "gene.wasm";

/// The lines that the guest logs: title, outcome and reason of each attempt, newest first.
fn told(env: &TestEnv, project: &TestProject, signal: &str) -> Vec<[String; 3]> {
    fs::write(project.root().join("tells.wasm"), tell_history(signal)).unwrap();
    let (document, code) = env.json(project.root(), &["diagnose", "--gene", "tells.wasm"]);
    assert_eq!(code, 0, "{document}");
    let calls = document["calls"].as_array().unwrap();
    let call = calls.iter().find(|call| call["gene"] == "tell_history").unwrap();
    assert_eq!(call["error"], serde_json::Value::Null, "{call}");
    let lines: Vec<_> =
        call["log"].as_array().unwrap().iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect();
    let (attempts, rest) = lines.as_chunks();
    assert!(rest.is_empty(), "{lines:?}");
    attempts.to_vec()
}

#[test]
fn a_gene_is_told_of_refusals_failures_and_what_a_person_took_back() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), &["record", "--", "python3", "-m", "unittest"]).expect_code(1);
    assert!(told(&env, &project, "").is_empty(), "nothing was tried yet");
    let tries = |id: &str, path: &str, content: &str, code: i32| {
        let gene = Proposes { id, path, content, finding: "", validation: &[] };
        fs::write(project.root().join(GENE), gene.component()).unwrap();
        env.run(project.root(), &["run", "--gene", GENE, "--apply"]).expect_code(code);
    };
    tries("outside", "other/value.py", "VALUE = 2\n", 3);
    tries("useless", "app/value.py", "VALUE = 3\n", 5);
    tries("right", "app/value.py", "VALUE = 2\n", 0);
    let all = told(&env, &project, "");
    let outcomes: Vec<_> = all.iter().map(|[title, outcome, _]| (title.as_str(), outcome.as_str())).collect();
    assert_eq!(outcomes, [("right", "success"), ("useless", "failure"), ("outside", "refused")], "{all:#?}");
    assert!(all[2][2].contains("other/value.py"), "the first violation: {}", all[2][2]);

    let branch = published(&env, &project).pop().unwrap();
    env.run(project.root(), &["rollback", &branch]).expect_code(0);
    let all = told(&env, &project, "");
    assert_eq!(all[0][..2], ["right", "failure"], "{all:#?}");
    assert!(all[0][2].starts_with("taken back by a person"), "{all:#?}");

    // Only those that share a signal.
    assert_eq!(told(&env, &project, "error"), all);
    assert!(told(&env, &project, "no_such_signal").is_empty());
}
