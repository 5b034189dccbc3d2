//! Which folder is a project, and several projects in one process.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::{Environment, ErrorKind, Project, Silent};
use gephost_core::event_log::EntryBody;
use git2::{Repository, WorktreeAddOptions};

use crate::history::{append, proposed};
use crate::scene::{Scene, failed, refusal};

fn note(text: &str) -> EntryBody {
    EntryBody::Note { text: text.to_owned() }
}

fn open(environment: &Environment) -> Project {
    Project::open(environment).expect("a project")
}

#[test]
fn opening_a_project_creates_nothing() {
    let scene = Scene::new(&[("a.txt", "a\n")]).of_another_user();
    let project = scene.project();
    assert!(project.config_text.is_empty() && project.widenings.is_empty() && project.waiting.is_empty());
    assert_eq!(project.entries().expect("no log is an empty one").len(), 0);
    assert_eq!(project.status().expect("a status").state.standing().len(), 0);
    assert!(!project.state.root().path().exists() && !project.state.assets().path().exists());
    assert!(!scene.root().join(".gephost").exists());
    assert_eq!(scene.notes(), Vec::<String>::new());
}

#[test]
fn every_folder_of_a_project_and_every_link_to_it_is_the_same_project() {
    let scene = Scene::new(&[("gephost.toml", ""), ("deep/er/a.txt", "a\n")]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let link = elsewhere.path().join("link");
    symlink(scene.root(), &link).expect("a link");
    let first = scene.project();
    append(&first, &[note("from the root")]);
    for environment in [
        scene.below("deep/er"),
        Environment { directory: link, ..scene.environment.clone() },
        Environment { directory: scene.environment.directory.join("deep/../deep"), ..scene.environment.clone() },
    ] {
        let project = open(&environment);
        assert_eq!((&project.root, project.state.id()), (&first.root, first.state.id()), "{environment:?}");
        assert_eq!(project.entries().expect("a log").len(), 1);
    }
}

#[test]
fn a_config_above_the_repository_is_somebody_elses() {
    let scene = Scene::without_git(&[("gephost.toml", "unknown_key = 1\n"), ("inner/a.txt", "a\n")]);
    assert_eq!(refusal(Project::open(&scene.environment)), (ErrorKind::Usage, "config"));
    // Without a repository the config above counts, with one it does not.
    assert_eq!(refusal(Project::open(&scene.below("inner"))), (ErrorKind::Usage, "config"));
    Repository::init(scene.root().join("inner")).expect("a repository");
    let project = open(&scene.below("inner"));
    assert_eq!(project.root, scene.environment.directory.join("inner"));
    assert!(project.config_text.is_empty());
}

#[test]
fn a_repository_within_another_one_is_a_project_of_its_own() {
    let scene = Scene::new(&[("gephost.toml", ""), ("a.txt", "a\n")]);
    fs::create_dir(scene.root().join("inner")).expect("a folder");
    Repository::init(scene.root().join("inner")).expect("a repository");
    let (outer, inner) = (scene.project(), open(&scene.below("inner")));
    assert_ne!(outer.state.id(), inner.state.id());
    append(&outer, &[note("outer")]);
    assert_eq!((outer.entries().expect("a log").len(), inner.entries().expect("a log").len()), (1, 0));
}

#[test]
fn two_projects_of_a_process_share_no_log_no_proposal_and_no_assets() {
    let scenes = [Scene::new(&[("a.txt", "a\n")]), Scene::new(&[("a.txt", "a\n")])];
    let [one, other] = scenes.each_ref().map(Scene::project);
    append(&one, &[proposed("gep-one", "only here")]);
    assert!(one.log_state().expect("a state").proposal("gep-one").is_some());
    assert!(other.log_state().expect("a state").proposal("gep-one").is_none());
    for (mine, theirs) in [
        (one.state.root().path(), other.state.root().path()),
        (one.state.assets().path(), other.state.assets().path()),
        (one.proposal_file("gep-one"), other.proposal_file("gep-one")),
    ] {
        assert_ne!(mine, theirs);
    }
    // The same content has the same id in both, and each knows its own.
    append(&other, &[proposed("gep-one", "another title")]);
    let titles = [&one, &other]
        .map(|project| project.log_state().expect("a state").proposal("gep-one").expect("known").title.clone());
    assert_eq!(titles, ["only here", "another title"]);
}

#[test]
fn two_values_of_one_project_see_what_the_other_appends() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let (one, other) = (scene.project(), scene.project());
    assert_eq!(other.entries().expect("a log").len(), 0);
    append(&one, &[note("1")]);
    append(&other, &[note("2")]);
    append(&one, &[note("3")]);
    for project in [&one, &other] {
        let entries = project.entries().expect("a log");
        let seqs: Vec<u64> = entries.iter().map(|entry| entry.seq).collect();
        assert_eq!(seqs, [0, 1, 2]);
        assert!(entries.is_sorted_by(|one, next| one.at < next.at));
        assert!(project.verify_log().expect("a verdict").fault.is_none());
    }
}

#[test]
fn several_threads_append_to_one_project_and_nothing_is_lost() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let project = scene.project();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (project, scene) = (&project, &scene);
            scope.spawn(move || {
                // Half of them with a value of their own.
                let own = scene.project();
                for number in 0..4 {
                    let project = if number % 2 == 0 { project } else { &own };
                    append(project, &[note(&format!("{thread} {number}"))]);
                }
            });
        }
    });
    let entries = scene.project().entries().expect("a log");
    let mut texts: Vec<&str> = entries
        .iter()
        .filter_map(|entry| match &entry.body {
            EntryBody::Note { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!((entries.len(), texts.len()), (12, 12));
}

#[test]
fn worktrees_of_a_clone_share_their_state() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let project = scene.project();
    append(&project, &[note("from the first worktree")]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let path = elsewhere.path().canonicalize().expect("a path").join("second");
    let repository = Repository::open(scene.root()).expect("a repository");
    repository.worktree("second", &path, Some(&WorktreeAddOptions::new())).expect("a worktree");
    let second = open(&Environment { directory: path.clone(), ..scene.environment.clone() });
    assert_eq!(second.root, path);
    assert_eq!((second.state.id(), second.entries().expect("a log").len()), (project.state.id(), 1));
    // So does the lock.
    let _held = project.begin(&project.repository().expect("a repository"), "an apply").expect("the lock");
    assert_eq!(
        refusal(second.begin(&second.repository().expect("a repository"), "x")),
        (ErrorKind::Conflict, "locked")
    );
}

#[test]
fn what_a_project_lies_in_is_told_apart() {
    let without = Scene::without_git(&[("a.txt", "a\n")]);
    let project = without.project();
    assert_eq!((project.is_in_repository(), project.has_commits()), (false, false));
    let error = failed(project.repository());
    assert!(error.code == "repository" && error.message.contains("git init"), "{error:?}");
    without.init_git();
    let project = without.project();
    assert_eq!((project.is_in_repository(), project.has_commits()), (true, false));
    assert!(failed(project.repository()).message.contains("no commit"));
    without.commit();
    assert_eq!((project.is_in_repository(), project.has_commits()), (true, true));
    assert!(project.repository().is_ok(), "a project that is open sees it too");
}

#[test]
fn without_a_commit_nothing_is_proposed_or_applied_and_nothing_is_left() {
    let scene = Scene::without_git(&[("gephost.toml", "[apply]\nenabled = true\n"), ("a.txt", "a\n")]);
    scene.init_git();
    let project = scene.project();
    let (cycle, dry) = (CycleOptions::default(), ApplyOptions::default());
    for refused in [
        refusal(project.run(&cycle, &dry)),
        refusal(project.propose(&cycle)),
        refusal(project.select(&cycle)),
        refusal(project.autopilot(&cycle, &dry)),
        refusal(project.undo(&gephost_app::rollback::RollbackOptions::default())),
    ] {
        assert_eq!(refused, (ErrorKind::Usage, "repository"));
    }
    assert!(!project.state.root().path().exists());
    assert_eq!(project.status().expect("a status").head, None);
}

#[test]
fn from_the_folder_of_the_repository_the_project_is_the_checkout() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let inside = open(&scene.below(".git"));
    assert_eq!(inside.root, scene.environment.directory);
    // A folder that only looks like one is none.
    let other = Scene::without_git(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    let error = failed(other.project().repository());
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "repository"));
}

#[test]
fn a_project_whose_folder_goes_away_fails_and_leaves_nothing_behind() {
    let scene = Scene::new(&[("gephost.toml", "[apply]\nenabled = true\n"), ("a.txt", "a\n")]);
    let project = scene.project();
    append(&project, &[note("before")]);
    let moved = scene.root().with_extension("moved");
    fs::rename(scene.root(), &moved).expect("moved");
    let (cycle, dry) = (CycleOptions::default(), ApplyOptions::default());
    for refused in [
        refusal(project.run(&cycle, &dry)),
        refusal(project.propose(&cycle)),
        refusal(project.diagnose(&cycle)),
        refusal(project.status()),
        refusal(project.repository()),
    ] {
        assert_eq!(refused, (ErrorKind::Usage, "repository"));
    }
    // The state is the user's, and is still there.
    assert_eq!(project.entries().expect("a log").len(), 1);
    assert_eq!(refusal(Project::open(&scene.environment)), (ErrorKind::Usage, "io"));
    assert!(!scene.root().exists(), "nothing was made in its place");
    fs::rename(&moved, scene.root()).expect("moved back");
    assert!(project.status().is_ok());
}

#[test]
fn a_path_within_the_project_is_named_from_its_root() {
    let scene = Scene::new(&[("deep/a.txt", "a\n")]);
    let outside = tempfile::tempdir().expect("a folder");
    symlink(outside.path(), scene.root().join("out")).expect("a link");
    let project = scene.project();
    let within = |path: &str| project.within(&scene.root().join(path));
    assert_eq!(within("deep/a.txt").as_deref(), Some("deep/a.txt"));
    assert_eq!(within("deep/../deep").as_deref(), Some("deep"));
    for other in ["", "missing", "..", "out"] {
        assert_eq!(within(other), None, "{other}");
    }
}

#[test]
fn an_environment_has_no_more_authority_than_it_was_given() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let root = scene.environment.directory.clone();
    let environment = Environment::in_folders(&root, &root.join("user"), || jiff::Timestamp::UNIX_EPOCH);
    assert!(environment.offline && environment.program.is_none() && environment.assets.is_none());
    assert!(environment.worker(false).is_none() && environment.launcher().is_none());
    assert!(environment.variables.is_empty() && environment.variable("HOME").is_none());
    assert!(!environment.is_interrupted() && environment.machine.path.is_empty());
    assert_eq!(environment.now(), jiff::Timestamp::UNIX_EPOCH);
    assert_eq!(environment.resolve("a.txt".as_ref()), root.join("a.txt"));
    assert_eq!(environment.resolve("/etc/x".as_ref()), std::path::Path::new("/etc/x"));
    let user = root.join("user");
    for own in [&environment.cache, &environment.state, &environment.user_config, &environment.cache_key] {
        assert!(own.starts_with(&user), "{}", own.display());
    }
    let named =
        Environment { variables: vec![("NAME".into(), "value".into())], sink: Arc::new(Silent), ..environment.clone() };
    assert_eq!(named.variable("NAME"), Some(&std::ffi::OsString::from("value")));
    assert_eq!(named.variable("NAM"), None);
}
