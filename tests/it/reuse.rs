//! Capsules that serve again: what was validated here is proposed again for the same trouble, and nothing that a repository
//! brought is.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{log_entries, python, quickstart, validated_by};

const TEST: &str = r#""python3 -m unittest discover -s tests""#;

fn assets(project: &TestProject, name: &str) -> Value {
    let text = fs::read_to_string(project.root().join(".gephost/gep").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn events(project: &TestProject) -> Vec<Value> {
    let text = fs::read_to_string(project.root().join(".gephost/gep/events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Removes the published branch, as somebody who cleans up does.
fn drop_branch(env: &TestEnv, project: &TestProject, ran: &Value) {
    let branch = ran["applied"]["tried"].as_array().unwrap().iter().find_map(|tried| tried["branch"].as_str());
    project.git(env, &["branch", "-q", "-D", branch.unwrap_or_else(|| panic!("{ran}"))]);
}

fn reuse(env: &TestEnv, project: &TestProject) -> Value {
    let (document, code) = env.json(project.root(), &["select"]);
    assert_eq!(code, 0, "{document}");
    document["reuse"].clone()
}

#[test]
fn a_change_that_held_here_is_made_again_and_its_streak_grows() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, Some(&validated_by(TEST)));
    let (first, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{first}");
    let capsules = assets(&project, "capsules.json");
    let capsule = capsules["capsules"][0]["id"].as_str().unwrap().to_owned();
    let diff = capsules["capsules"][0]["diff"].as_str().unwrap();
    assert!(diff.starts_with("diff --git a/inventory/"), "{diff}");
    drop_branch(&env, &project, &first);

    let row = &reuse(&env, &project)[0];
    assert_eq!(
        (&row["capsule"], &row["role"], &row["streak"]),
        (&json!(capsule), &json!("direct"), &json!(1)),
        "{row}"
    );
    let (again, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{again}");
    assert_eq!(again["candidates"][0]["capsule"], json!(capsule), "{again}");
    let published: Vec<&Value> =
        again["applied"]["tried"].as_array().unwrap().iter().filter(|tried| tried["success"] == true).collect();
    assert_eq!(published.len(), 1, "{again}");
    // The same capsule, one more event of it, and no second capsule.
    assert_eq!(assets(&project, "capsules.json"), capsules);
    let of_capsule = events(&project).iter().filter(|event| event["capsule_id"] == json!(capsule)).count();
    assert_eq!(of_capsule, 2);
    let row = &reuse(&env, &project)[0];
    assert_eq!((&row["role"], &row["streak"]), (&json!("direct"), &json!(2)), "{row}");

    // Taken back: its streak ends, the capsule stays, and genes are asked again.
    env.run(project.root(), &["undo"]).expect_code(0);
    assert_eq!(assets(&project, "capsules.json"), capsules);
    let row = &reuse(&env, &project)[0];
    assert_eq!((&row["role"], &row["streak"]), (&json!("none"), &json!(0)), "{row}");
    let (dry, _) = env.json(project.root(), &["run"]);
    let again = dry["candidates"][0]["proposal"]["objective"].as_str().unwrap();
    assert!(!again.starts_with("Make the change of"), "{dry}");
}

#[test]
fn a_change_that_does_not_hold_any_more_is_not_made_a_third_time() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, Some(&validated_by(TEST)));
    let (first, _) = env.json(project.root(), &["run", "--apply"]);
    drop_branch(&env, &project, &first);
    // Another test of the project fails now, whatever happens to the first one.
    project.write("tests/test_more.py", "import unittest\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        import inventory.report\n        self.fail(\"later\")\n");
    project.commit_all(&env);
    let (second, code) = env.json(project.root(), &["run", "--apply"]);
    let tried = &second["applied"]["tried"][0];
    assert_eq!((code, &tried["fate"]), (5, &json!("failed")), "{second}");
    let row = &reuse(&env, &project)[0];
    assert_eq!((&row["role"], &row["streak"]), (&json!("none"), &json!(0)), "{row}");
    assert!(row["reason"].as_str().unwrap().contains("failed"), "{row}");
}

#[test]
fn a_capsule_that_the_repository_brought_is_never_applied_by_itself() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, Some(&validated_by(TEST)));
    let (first, _) = env.json(project.root(), &["run", "--apply"]);
    drop_branch(&env, &project, &first);
    // Another clone, with everything that the first one left in the repository, and with events that praise the capsule.
    let theirs = quickstart(&env, Some(&validated_by(TEST)));
    let folder = theirs.root().join(".gephost/gep");
    fs::create_dir_all(&folder).unwrap();
    for name in ["capsules.json", "events.jsonl", "genes.json"] {
        let text = fs::read_to_string(project.root().join(".gephost/gep").join(name)).unwrap();
        let text = if name == "events.jsonl" { text.repeat(6) } else { text };
        fs::write(folder.join(name), text).unwrap();
    }
    let row = &reuse(&env, &theirs)[0];
    assert_eq!((&row["role"], &row["is_own"]), (&json!("none"), &json!(false)), "{row}");
    let (dry, _) = env.json(theirs.root(), &["run"]);
    assert_eq!(dry["candidates"][0].get("capsule"), None, "{dry}");
    // Nor is one of this user whose file was changed: the log has its asset id.
    let path = project.root().join(".gephost/gep/capsules.json");
    let mut changed = assets(&project, "capsules.json");
    changed["capsules"][0]["confidence"] = json!(0.86);
    fs::write(&path, changed.to_string()).unwrap();
    let row = &reuse(&env, &project)[0];
    assert_eq!((&row["role"], &row["is_own"]), (&json!("none"), &json!(false)), "{row}");
    assert!(log_entries(&env, &project).iter().any(|entry| entry["capsule_asset"].is_string()));
}
