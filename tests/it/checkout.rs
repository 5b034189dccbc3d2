//! `[genes] reads = "checkout"`: genes see the working tree, the gate judges against the commit, and says where the two
//! differ. And folders without git, where the files as they are is all there is.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{published, quickstart};

const FILE: &str = "inventory/store.py";

fn reading(env: &TestEnv, from: &str) -> TestProject {
    let own = std::fs::read_to_string(gephost_tests::repository().join("examples/quickstart/gephost.toml")).unwrap();
    quickstart(env, Some(&format!("{own}\n[genes]\nreads = \"{from}\"\n")))
}

fn notes(document: &Value) -> Vec<String> {
    let layers = document["candidates"][0]["verdict"]["layers"].as_array().cloned().unwrap_or_default();
    let all = layers.iter().flat_map(|layer| layer["findings"].as_array().unwrap());
    all.filter(|finding| finding["rule"] == "uncommitted-edit").map(|finding| finding["path"].to_string()).collect()
}

#[test]
fn both_sources_give_the_same_proposal_where_nothing_is_uncommitted() {
    let env = TestEnv::new();
    let run = |from| {
        let project = reading(&env, from);
        let before = project.fingerprint();
        let (document, code) = env.json(project.root(), &["run"]);
        assert_eq!(code, 0, "{document}");
        assert_eq!(project.fingerprint(), before);
        assert!(notes(&document).is_empty() && published(&env, &project).is_empty());
        document["candidates"][0]["diff"].as_str().unwrap().to_owned()
    };
    assert_eq!(run("commit"), run("checkout"));
}

#[test]
fn an_uncommitted_edit_is_named_in_the_verdict() {
    let env = TestEnv::new();
    for from in ["commit", "checkout"] {
        let project = reading(&env, from);
        let text = std::fs::read_to_string(project.root().join(FILE)).unwrap();
        project.write(FILE, &format!("# an edit that is not committed\n{text}"));
        let before = project.fingerprint();
        let (document, code) = env.json(project.root(), &["run"]);
        assert!([0, 3].contains(&code), "{document}");
        let notes = notes(&document);
        assert_eq!(notes.len(), usize::from(from == "checkout"), "{from}: {document}");
        assert!(notes.iter().all(|note| note.contains(FILE)), "{notes:?}");
        assert_eq!(project.fingerprint(), before);
    }
}

#[test]
fn what_is_not_tracked_or_not_there_is_not_read() {
    let env = TestEnv::new();
    let project = reading(&env, "checkout");
    project.git(&env, &["rm", "-q", "--cached", FILE]);
    let (document, _) = env.json(project.root(), &["run"]);
    assert_eq!(document["candidates"].as_array().map(Vec::len), Some(0), "untracked: {document}");
    project.git(&env, &["add", FILE]);
    std::fs::remove_file(project.root().join(FILE)).unwrap();
    let (document, _) = env.json(project.root(), &["run"]);
    assert_eq!(document["candidates"].as_array().map(Vec::len), Some(0), "deleted: {document}");
}

#[test]
fn a_second_name_of_a_denied_file_shows_nothing() {
    let env = TestEnv::new();
    let project = reading(&env, "checkout");
    let file = project.root().join(FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    project.write(".env", &text);
    std::fs::remove_file(&file).unwrap();
    std::fs::hard_link(project.root().join(".env"), &file).unwrap();
    let (document, _) = env.json(project.root(), &["run"]);
    assert_eq!(document["candidates"].as_array().map(Vec::len), Some(0), "{document}");
}

#[test]
fn outside_a_repository_a_diagnosis_can_be_had_and_nothing_more() {
    let env = TestEnv::new();
    let committed = quickstart(&env, None);
    std::fs::remove_dir_all(committed.root().join(".git")).unwrap();
    let (document, code) = env.json(committed.root(), &["diagnose"]);
    assert_eq!(code, 0, "{document}");
    assert!(!document["findings"].as_array().unwrap().is_empty(), "{document}");
    for command in ["run", "select", "propose"] {
        let ran = env.run(committed.root(), &[command]).expect_code(2);
        assert!(ran.stderr.contains("git repository"), "{}", ran.stderr);
    }
    let empty = TestProject::without_git(&[]);
    env.run(empty.root(), &["diagnose"]).expect_code(0);
}
