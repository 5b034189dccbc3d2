//! A key of the project's config that widens counts only for a text that the user trusts.

use std::os::unix::fs::symlink;

use gephost_app::cycle::CycleOptions;
use gephost_app::observe::LogOptions;
use gephost_app::{ErrorKind, Project};

use crate::scene::{Scene, apply, failed, refusal};

const CONFIG: &str = "[policy]\nallow = [\"a.txt\"]\n[apply]\nenabled = true\n[validation]\nsandbox = \"L0\"\n";

fn scene(config: &str) -> Scene {
    Scene::new(&[("gephost.toml", config), ("a.txt", "a\n")]).of_another_user()
}

fn keys(project: &Project) -> Vec<&'static str> {
    project.waiting.iter().map(|waiting| waiting.key).collect()
}

#[test]
fn a_key_that_widens_waits_and_the_tighter_value_holds() {
    let scene = scene(CONFIG);
    let project = scene.project();
    assert_eq!(keys(&project), ["apply.enabled", "validation.sandbox"]);
    assert!(!project.config.file.apply.enabled && project.apply_waits_for_trust());
    assert_eq!(project.config.file.validation.sandbox.to_string(), "auto");
    assert_eq!(project.config.file.policy.allow, ["a.txt"], "what does not widen counts");
    assert!(scene.noted("not counted until you trust gephost.toml: apply.enabled, validation.sandbox"));
    let error = failed(project.run(&CycleOptions::default(), &apply()));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "apply_untrusted"));
    assert!(error.hint.is_some_and(|hint| hint.contains("gephost trust")));
    let missing = project.status().expect("a status").missing;
    assert!(missing.iter().any(|missing| missing.next == "gephost trust"), "{missing:?}");
    // Whoever is about to be refused for it is not told twice.
    let notes = scene.notes().len();
    assert_eq!(keys(&Project::open_for(&scene.environment, true).expect("a project")).len(), 2);
    assert_eq!(keys(&Project::open_quietly(&scene.environment).expect("a project")).len(), 2);
    assert_eq!(scene.notes().len(), notes);
}

#[test]
fn trust_holds_for_exactly_the_text_that_was_read() {
    let scene = scene(CONFIG);
    let project = scene.project();
    let before = project.trust().expect("a look");
    assert_eq!((before.trusted, before.keys.len(), before.before, before.folder), (false, 2, None, None));
    assert!(!project.state.root().path().exists(), "a look writes nothing");
    // Somebody edits the file between the look and the yes: what was looked at is what is trusted.
    scene.write("gephost.toml", &format!("{CONFIG}network = \"all\"\n"));
    assert!(project.grant_trust().expect("trusted").trusted);
    assert_eq!(keys(&scene.project()).len(), 3);
    let later = scene.project().trust().expect("a look");
    assert_eq!((later.trusted, later.before.as_deref()), (false, Some(CONFIG)));
    scene.write("gephost.toml", CONFIG);
    let trusted = scene.project();
    assert!(trusted.waiting.is_empty() && trusted.config.file.apply.enabled && !trusted.apply_waits_for_trust());
    assert_eq!(trusted.widenings.len(), 2, "they widen all the same");
    // The project that was open before goes on as it was opened.
    assert!(!project.config.file.apply.enabled);
}

#[test]
fn a_secret_of_the_config_is_neither_shown_nor_stored() {
    let token = |digit: &str| format!("gh{}_{}", "p", digit.repeat(4) + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY");
    let config = |digit: &str| {
        let commands = format!("commands = [\"mytool --token={}\"]\n", token(digit));
        format!("{CONFIG}programs = [\"mytool\"]\n{commands}")
    };
    let scene = scene(&config("1"));
    let project = scene.project();
    let trust = project.grant_trust().expect("trusted");
    let kept = std::fs::read_to_string(project.state.root().path().join("trusted.json")).expect("it is kept");
    for shown in [&kept, &trust.text, &format!("{:?}", trust.keys), &format!("{:?}", project.waiting)] {
        assert!(!shown.contains(&token("1")) && shown.contains("[REDACTED:"), "{shown}");
    }
    assert!(scene.project().waiting.is_empty(), "the text itself is trusted");
    // Another secret is another text, though both are shown alike.
    scene.write("gephost.toml", &config("2"));
    let later = scene.project();
    assert_eq!(keys(&later).len(), 4);
    let trust = later.trust().expect("a look");
    assert_eq!((trust.trusted, trust.before), (false, Some(trust.text)));
}

#[test]
fn revoked_trust_is_gone_for_every_text() {
    let scene = scene(CONFIG);
    scene.project().grant_trust().expect("trusted");
    scene.write("gephost.toml", &format!("{CONFIG}# edited\n"));
    scene.project().grant_trust().expect("trusted too");
    assert!(scene.project().waiting.is_empty());
    assert!(scene.project().revoke_trust().expect("revoked"));
    for text in [CONFIG.to_owned(), format!("{CONFIG}# edited\n")] {
        scene.write("gephost.toml", &text);
        assert_eq!(keys(&scene.project()).len(), 2);
    }
    assert!(!scene.project().revoke_trust().expect("nothing to revoke"));
}

#[test]
fn a_project_without_a_config_leaves_nothing_to_trust() {
    let scene = Scene::new(&[("a.txt", "a\n")]).of_another_user();
    let project = scene.project();
    let trust = project.grant_trust().expect("a look");
    assert!(trust.keys.is_empty() && trust.text.is_empty());
    assert!(!project.state.root().path().exists());
}

#[test]
fn a_trusted_folder_is_trusted_with_all_that_is_below_it_and_no_more() {
    let scene = scene(CONFIG);
    let root = scene.environment.directory.to_str().expect("UTF-8").to_owned();
    let above = scene.environment.directory.parent().expect("a folder").to_str().expect("UTF-8").to_owned();
    for (folder, is_trusted) in [
        (root.clone(), true),
        (above, true),
        (format!("{root}/."), true),
        (format!("{root}-beside"), false),
        (format!("{root}/deeper"), false),
        // The beginning of the name is no folder above.
        (root[..root.len() - 1].to_owned(), false),
    ] {
        scene.user_config(&format!("[trust]\nfolders = [{folder:?}]\n"));
        let project = scene.project();
        assert_eq!(project.waiting.is_empty(), is_trusted, "{folder}");
        let trust = project.trust().expect("a look");
        assert_eq!((trust.trusted, trust.folder.is_some()), (is_trusted, is_trusted), "{folder}");
    }
}

#[test]
fn a_config_of_the_user_that_cannot_be_enforced_trusts_nothing_and_says_so() {
    let scene = scene(CONFIG);
    for text in ["[trust]\nfolders = [\"relative\"]\n", "[trust]\nunknown = 1\n", "[trust", "[other]\n"] {
        scene.user_config(text);
        let error = failed(Project::open(&scene.environment));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "config"), "{text}");
    }
}

#[test]
fn logs_outside_of_an_untrusted_project_are_not_read_by_name_or_by_link() {
    let outside = tempfile::tempdir().expect("a folder");
    let log = outside.path().canonicalize().expect("a path").join("session.jsonl");
    std::fs::write(&log, one_event()).expect("a log");
    let read = |project: &Project| project.observe(&LogOptions::default()).expect("an observation").files.len();
    // By name: the key waits.
    let named = scene(&format!("[observe]\nlogs = [{:?}]\n", log.to_str().expect("UTF-8")));
    let project = named.project();
    assert_eq!((keys(&project), read(&project)), (vec!["observe.logs"], 0));
    project.grant_trust().expect("trusted");
    assert_eq!(read(&named.project()), 1);
    // By a link: the key lies within, and what it leads to does not.
    let linked = scene("[observe]\nlogs = [\"logs/\"]\n");
    std::fs::create_dir(linked.root().join("logs")).expect("a folder");
    symlink(&log, linked.root().join("logs/session.jsonl")).expect("a link");
    linked.write("logs/own.jsonl", one_event());
    let project = linked.project();
    assert_eq!((keys(&project), read(&project)), (Vec::new(), 1), "only the project's own");
    project.grant_trust().expect("a text that does not widen is trusted too");
    assert_eq!(read(&linked.project()), 2);
}

#[test]
fn rules_for_secrets_are_part_of_the_text_that_is_trusted() {
    let config = "[policy]\nallow = [\"a.txt\"]\nsecret_rules = [\"./rules.toml\"]\n[apply]\nenabled = true\n";
    let rules = "[[rules]]\nid = \"own\"\nregex = '''OWN-[0-9]{8}'''\nkeywords = [\"OWN-\"]\n";
    let scene = scene(config);
    assert_eq!(refusal(Project::open(&scene.environment)), (ErrorKind::Usage, "io"), "it is named and not there");
    scene.write("rules.toml", rules);
    let project = scene.project();
    assert_eq!(keys(&project), ["apply.enabled"]);
    assert!(!project.config.policy.redact("OWN-12345678").contains("12345678"), "rules only add");
    project.grant_trust().expect("trusted");
    assert!(scene.project().waiting.is_empty());
    // Another text of the rules is another text of the config.
    scene.write("rules.toml", &rules.replace("{8}", "{9}"));
    assert_eq!(keys(&scene.project()), ["apply.enabled"]);
}

/// A log with one failed call.
pub(crate) fn one_event() -> &'static str {
    concat!(
        r#"{"type":"assistant","uuid":"a","sessionId":"s1","cwd":"/w","timestamp":"2026-01-01T10:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}"#,
        "\n",
        r#"{"type":"user","uuid":"b","sessionId":"s1","cwd":"/w","timestamp":"2026-01-01T10:00:01Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"make: *** No targets specified and no makefile found.  Stop."}]}}"#,
        "\n",
    )
}
