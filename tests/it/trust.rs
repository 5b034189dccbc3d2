//! `gephost trust`: the keys of a repository's config that widen count only for a version that the user trusts.

use std::os::unix::fs::symlink;
use std::path::Path;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{published, value_config, value_project};

/// A project whose user trusts nothing yet. `None` without python3.
fn untrusted() -> Option<(TestEnv, TestProject)> {
    let env = TestEnv::trusting_nothing();
    let project = value_project(&env, "")?;
    Some((env, project))
}

fn waiting(env: &TestEnv, project: &TestProject) -> Vec<Value> {
    let (document, code) = env.json(project.root(), &["status"]);
    assert_eq!(code, 0, "{document}");
    document["waits_for_trust"].as_array().unwrap().iter().map(|key| key["key"].clone()).collect()
}

#[test]
fn an_apply_waits_for_trust_and_for_exactly_the_trusted_text() {
    let Some((env, project)) = untrusted() else { return };
    let apply = || env.run(project.root(), &["apply", "change.diff", "--apply"]);
    let refused = apply().expect_code(2);
    assert!(refused.stderr.contains("counts only once you trust the file"), "{}", refused.stderr);
    assert!(refused.stderr.contains("gephost trust"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("not counted"), "the error says it: {}", refused.stderr);
    assert_eq!(waiting(&env, &project), ["apply.enabled"]);
    let granted = env.run(project.root(), &["trust"]).expect_code(0).stdout;
    assert!(granted.contains("apply.enabled = true") && granted.contains("undo: gephost trust --revoke"), "{granted}");
    assert!(waiting(&env, &project).is_empty());
    apply().expect_code(0);
    assert_eq!(published(&env, &project).len(), 1);
    env.run(project.root(), &["undo"]).expect_code(0);
    // Whoever changes the file, by however little, asks again.
    project.write("gephost.toml", &value_config("# a comment\n"));
    let refused = apply().expect_code(2);
    assert!(refused.stderr.contains("counts only once you trust the file"), "{}", refused.stderr);
    let (document, _) = env.json(project.root(), &["trust"]);
    assert_eq!(document["schema"], "gephost.trust/1");
    assert!(document["changed"].as_str().unwrap().contains("+# a comment"), "{document}");
    apply().expect_code(0);
    env.run(project.root(), &["undo"]).expect_code(0);
    // The earlier text is trusted still, as that of another branch.
    project.write("gephost.toml", &value_config(""));
    apply().expect_code(0);
    env.run(project.root(), &["trust", "--revoke"]).expect_code(0);
    apply().expect_code(2);
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn the_users_own_config_trusts_whole_folders() {
    let Some((env, project)) = untrusted() else { return };
    let apply = || env.run(project.root(), &["apply", "change.diff", "--apply"]);
    env.write_config("[trust]\nfolders = [\"/elsewhere\"]\n");
    apply().expect_code(2);
    env.write_config(&format!("[trust]\nfolders = [{:?}]\n", project.root().to_str().unwrap()));
    apply().expect_code(0);
    env.write_config("[trust]\nfolders = [\"here\"]\n");
    let refused = apply().expect_code(2);
    assert!(refused.stderr.contains("not a full path"), "{}", refused.stderr);
}

/// A line of the config for each key that widens, and what `status` says of it.
const WIDENING: [(&str, &str); 10] = [
    ("[apply]\nenabled = true", "apply.enabled"),
    ("[validation]\nsandbox = \"L0\"", "validation.sandbox"),
    ("[validation]\nnetwork = \"all\"", "validation.network"),
    ("[validation]\nread = [\"/opt\"]", "validation.read"),
    ("[validation]\ncaches = [\"pip\"]", "validation.caches"),
    ("[validation]\nprograms = [\"mytool\"]", "validation.programs"),
    ("[observe]\nlogs = [\"/var/log/agent.jsonl\"]", "observe.logs"),
    ("[genes]\nisolation = \"thread\"", "genes.isolation"),
    ("[genes]\ngrant = [\"run-log\", \"completion\"]", "genes.grant"),
    ("[genes.grants.gene_gep_agent_guidance]\ncapabilities = [\"completion\"]", "genes.grants"),
];

#[test]
fn every_key_that_widens_waits_is_listed_and_counts_once_trusted() {
    for (config, key) in WIDENING {
        let env = TestEnv::trusting_nothing();
        let project = TestProject::new(&env, &[("gephost.toml", &format!("{config}\n"))]);
        assert_eq!(waiting(&env, &project), [key], "{config}");
        let (document, code) = env.json(project.root(), &["policy", "check"]);
        assert_eq!((code, &document["widens"][0]["key"]), (0, &json!(key)), "{config}: {document}");
        let noted = env.run(project.root(), &["diagnose"]).stderr;
        assert!(noted.contains(key) && noted.contains("gephost trust"), "{config}: {noted}");
        env.run(project.root(), &["trust"]).expect_code(0);
        assert!(waiting(&env, &project).is_empty(), "{config}");
        project.write("gephost.toml", &format!("{config} # changed since\n"));
        assert_eq!(waiting(&env, &project), [key], "{config}");
    }
}

#[test]
fn what_restricts_needs_no_trust() {
    let env = TestEnv::trusting_nothing();
    for config in ["", "dry_run = true\n", "[policy]\nallow = [\"a/\"]\n", "[validation]\nnetwork = \"none\"\n"] {
        let project = TestProject::new(&env, &[("gephost.toml", config)]);
        assert!(waiting(&env, &project).is_empty(), "{config}");
        let said = env.run(project.root(), &["trust"]).expect_code(0).stdout;
        assert!(said.contains("no key that needs trust"), "{said}");
        // The text is remembered all the same: its logs may be links.
        assert_eq!(env.state_of(project.root()).exists(), !config.is_empty(), "{config}");
    }
}

#[test]
fn a_log_that_a_link_leads_to_outside_waits_too() {
    let env = TestEnv::trusting_nothing();
    let secret = env.home().join("session.jsonl");
    let session = gephost_tests::repository().join("examples/quickstart/logs");
    let session = std::fs::read_dir(session).unwrap().next().unwrap().unwrap().path();
    std::fs::copy(session, &secret).unwrap();
    let project = TestProject::new(&env, &[("gephost.toml", "[observe]\nlogs = [\"logs/\"]\n")]);
    std::fs::create_dir(project.root().join("logs")).unwrap();
    symlink(&secret, project.root().join("logs/session.jsonl")).unwrap();
    let ran = env.run(project.root(), &["diagnose"]);
    assert!(!ran.stdout.contains("collections"), "{}", ran.stdout);
    assert!(ran.stderr.contains("outside of the project"), "{}", ran.stderr);
    assert!(ran.stderr.contains("gephost trust"), "{}", ran.stderr);
    let read = || env.json(project.root(), &["observe", "--calls"]).0["files"].as_array().map(Vec::len);
    assert_eq!(read(), Some(0));
    // What the hint says is enough, although no key of the config widens.
    env.run(project.root(), &["trust"]).expect_code(0);
    assert_eq!(read(), Some(1));
    env.run(project.root(), &["trust", "--revoke"]).expect_code(0);
    assert_eq!(read(), Some(0));
    env.write_config(&format!("[trust]\nfolders = [{:?}]\n", project.root().to_str().unwrap()));
    let (document, _) = env.json(project.root(), &["observe"]);
    assert_eq!(document["files"].as_array().map(Vec::len), Some(1), "{document}");
}

/// A repository's own secret rules must not hide secrets before the user has seen them: what gephost does not see, it stores
/// and sends.
#[test]
fn secret_rules_of_a_repository_take_nothing_away_before_they_are_trusted() {
    let env = TestEnv::trusting_nothing();
    let config = "[policy]\nsecret_rules = ['./rules/own.toml']\n";
    let rules = "[extend]\ndisabledRules = ['github_token']\n[[rules]]\nid = 'acme'\nregex = 'acme-[0-9]{6}'\n";
    let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    let text = format!("{token} acme-123456\n");
    let files = [("gephost.toml", config), ("rules/own.toml", rules), ("a.txt", text.as_str())];
    let project = TestProject::new(&env, &files);
    let redacted = || env.run(project.root(), &["redact", "a.txt"]).expect_code(0).stdout;
    let all = "[REDACTED:github_token:1] [REDACTED:acme:1]\n";
    assert_eq!(waiting(&env, &project), ["policy.secret_rules"]);
    assert_eq!(redacted(), all);
    env.run(project.root(), &["trust"]).expect_code(0);
    assert!(waiting(&env, &project).is_empty());
    assert_eq!(redacted(), format!("{token} [REDACTED:acme:1]\n"));
    // A change of the rules is shown, and asks again.
    project.write("rules/own.toml", &format!("{rules}description = 'changed'\n"));
    assert_eq!(redacted(), all);
    let (document, _) = env.json(project.root(), &["trust"]);
    assert!(document["changed"].as_str().unwrap().contains("+description = 'changed'"), "{document}");
    // Neither the config nor a file of rules may be a link that leads out of the project; within it, it may.
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("rules.toml"), "[extend]\nuseDefault = false\n").unwrap();
    project.write("gephost.toml", "[policy]\nsecret_rules = ['link.toml']\n");
    symlink(outside.path().join("rules.toml"), project.root().join("link.toml")).unwrap();
    let refused = env.run(project.root(), &["redact", "a.txt"]).expect_code(1);
    assert!(refused.stderr.contains("leads out of the project"), "{}", refused.stderr);
    std::fs::remove_file(project.root().join("link.toml")).unwrap();
    symlink("rules/own.toml", project.root().join("link.toml")).unwrap();
    assert_eq!(redacted(), all);
    // A file outside is read once the config is trusted.
    project.write("gephost.toml", &format!("[policy]\nsecret_rules = [{:?}]\n", outside.path().join("rules.toml")));
    assert_eq!(redacted(), "[REDACTED:github_token:1] acme-123456\n");
    env.run(project.root(), &["trust"]).expect_code(0);
    assert_eq!(redacted(), text);
    project.write("gephost.toml", "[policy]\nsecret_rules = ['link.toml']\n");
    std::fs::rename(project.root().join("gephost.toml"), project.root().join("rules/gephost.toml")).unwrap();
    for target in [Path::new("rules/gephost.toml"), &project.root().join("rules/gephost.toml")] {
        let _ = std::fs::remove_file(project.root().join("gephost.toml"));
        symlink(target, project.root().join("gephost.toml")).unwrap();
        assert_eq!(redacted(), all);
    }
}
