//! What cannot be done has a kind and a code, and changes nothing.

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::rollback::{RollbackOptions, Undone};
use gephost_app::{Environment, ErrorKind, Project};
use gephost_core::proposal::Proposal;

use crate::scene::{Scene, failed};

#[test]
fn a_config_that_cannot_be_enforced_opens_no_project() {
    let scene = Scene::new(&[("gephost.toml", "[policy]\nallow = [\"a/\"]\nunknown = 1\n")]);
    let refused = failed(Project::open(&scene.environment));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "config"));
    assert!(refused.message.contains("unknown") && refused.hint.is_some());
    let nowhere = Environment { directory: scene.root().join("nowhere"), ..scene.environment.clone() };
    assert_eq!(failed(Project::open(&nowhere)).kind, ErrorKind::Usage);
    let file = Environment { directory: scene.root().join("gephost.toml"), ..scene.environment.clone() };
    assert_eq!(failed(Project::open(&file)).code, "not_a_directory");
}

#[test]
fn the_project_is_the_folder_of_the_config_within_its_repository() {
    let scene = Scene::new(&[("part/gephost.toml", ""), ("part/deep/a.txt", ""), ("b.txt", "")]);
    let opened = |below: &str| {
        let environment = Environment { directory: scene.root().join(below), ..scene.environment.clone() };
        Project::open(&environment).expect("a project").root
    };
    let root = scene.root().canonicalize().expect("a path");
    assert_eq!(opened("part/deep"), root.join("part"));
    assert_eq!(opened(""), root);
}

#[test]
fn genes_that_are_missing_or_none_are_refused() {
    let scene = Scene::quickstart(&[]);
    scene.write("gene.wasm", "no component");
    for (gene, code, hint) in [("missing.wasm", "io", true), ("gene.wasm", "gene_refused", false)] {
        let options = CycleOptions { genes: vec![gene.to_owned()], ..CycleOptions::default() };
        let refused = failed(scene.project().diagnose(&options));
        assert_eq!((refused.kind, refused.code, refused.hint.is_some()), (ErrorKind::Usage, code, hint), "{gene}");
    }
}

#[test]
fn a_model_is_asked_only_if_the_users_own_config_names_one() {
    let scene = Scene::quickstart(&[]);
    let options = CycleOptions { model: true, ..CycleOptions::default() };
    let refused = failed(scene.project().run(&options, &ApplyOptions::default()));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "no_model"));
}

#[test]
fn what_is_not_there_cannot_be_told_or_taken_back() {
    let scene = Scene::quickstart(&[]);
    let project = scene.project();
    assert_eq!(failed(project.story("evt_1")).code, "unknown_id");
    let options = RollbackOptions { dry_run: true, ..RollbackOptions::default() };
    let refused = failed(project.rollback("evo/1", &options));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "not_applied"));
    assert!(matches!(project.undo(&options), Ok(Undone::Nothing(None))));
    let report = project.report().expect("a report");
    assert_eq!((report.tally.attempted, report.impacts.len()), (0, 0));
}

#[test]
fn a_proposal_that_somebody_brings_is_gated_on_the_base_of_now() {
    let scene = Scene::new(&[("gephost.toml", "[policy]\nallow = [\"a.txt\"]\n"), ("a.txt", "a\n"), ("b.txt", "b\n")]);
    let project = scene.project();
    let diff =
        |file: &str| Proposal::from_diff(&format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-{0}\n+new\n", &file[..1]));
    let brought = |file: &str| project.apply(diff(file), &ApplyOptions::default()).expect("a verdict");
    assert!(brought("a.txt").judged.passes());
    assert!(!brought("b.txt").judged.passes());
    assert_eq!(scene.kinds(), Vec::<String>::new());
}

#[test]
fn a_log_that_was_changed_is_not_trusted() {
    let scene = Scene::quickstart(&[]);
    scene.project().run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    let log = scene.project().state.log().path();
    let text = std::fs::read_to_string(&log).expect("the log");
    std::fs::write(&log, text.replacen("gated", "gate ", 1)).expect("a file");
    let refused = failed(scene.project().run(&CycleOptions::default(), &ApplyOptions::default()));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Failed, "log"));
    assert!(scene.project().diagnose(&CycleOptions::default()).is_ok(), "a diagnosis does not rest on it");
}
