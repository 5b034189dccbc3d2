//! Everything that a user owns, as data, to compare before and after; and the comparison over states of a repository.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::apply::commit_changes;
use super::scratch::{Scratch, change, git_in, identity, message};
use super::{ApplyError, Forward, Mark, Project, WorkFolder, drop_branch, land, publish};
use crate::installation::Installation;
use crate::place::Place;
use gephost_core::gate::ApprovedChange;
use proptest::prelude::*;

/// A path's mode, its content or target, and for a file when it was written.
type Trace = (u32, Vec<u8>, i64, i64);

/// Every file, link and folder below a folder, but for git's objects.
pub(super) fn fingerprint(folder: &Path) -> BTreeMap<PathBuf, Trace> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let metadata = fs::symlink_metadata(&path).expect("it was listed");
        let content = if metadata.is_symlink() {
            fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes()
        } else if metadata.is_file() {
            fs::read(&path).expect("a file")
        } else {
            waiting.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            waiting.retain(|path| !path.ends_with("objects"));
            Vec::new()
        };
        let (seconds, nanoseconds) = if metadata.is_dir() { (0, 0) } else { (metadata.mtime(), metadata.mtime_nsec()) };
        found.insert(path, (metadata.mode(), content, seconds, nanoseconds));
    }
    found
}

/// A state to bring a repository into, and the project's folder in it.
type State = (&'static str, fn(&Scratch) -> PathBuf);

fn states() -> Vec<State> {
    vec![
        ("clean", |s| s.root.clone()),
        ("a folder of it", |s| s.root.join("sub")),
        ("dirty", |s| {
            s.write("a.txt", "user edit\n");
            s.write("staged.txt", "staged\n");
            s.git(&["add", "staged.txt"]);
            s.write("untracked.txt", "new\n");
            s.write(".env.local", "mine\n");
            s.root.clone()
        }),
        ("mid-merge", |s| {
            diverge(s);
            s.git_fails(&["merge", "other"]);
            s.root.clone()
        }),
        ("detached", |s| {
            s.git(&["checkout", "-q", "--detach"]);
            s.root.clone()
        }),
        ("linked worktree", |s| {
            s.git(&["worktree", "add", "-q", "-b", "linked", "../linked"]);
            s.root.with_file_name("linked")
        }),
        ("stash and packed refs", |s| {
            s.write("a.txt", "stashed\n");
            s.git(&["stash"]);
            s.git(&["tag", "t"]);
            s.git(&["pack-refs", "--all"]);
            s.root.clone()
        }),
        ("sparse", |s| {
            s.git(&["sparse-checkout", "set", "--no-cone", "/a.txt"]);
            s.root.clone()
        }),
        ("submodule", |s| {
            let other = Scratch::new();
            s.git(&["submodule", "--quiet", "add", &other.root.display().to_string(), "module"]);
            s.commit("module");
            s.root.clone()
        }),
        ("mid-rebase", |s| {
            diverge(s);
            s.git_fails(&["rebase", "other"]);
            s.root.clone()
        }),
        ("mid-cherry-pick", |s| {
            diverge(s);
            s.git_fails(&["cherry-pick", "other"]);
            s.root.clone()
        }),
        ("bisecting", |s| {
            s.commit("second");
            s.git(&["bisect", "start", "HEAD", "HEAD^"]);
            s.root.clone()
        }),
        ("crlf in the checkout", |s| {
            s.write(".gitattributes", "*.txt text eol=crlf\n");
            s.write("a.txt", "one\r\n");
            s.commit("line ends");
            s.root.clone()
        }),
        ("shallow", |s| {
            let head = s.commit("second");
            s.write(".git/shallow", &format!("{head}\n"));
            s.git(&["reflog", "expire", "--expire=now", "--all"]);
            s.git(&["gc", "-q", "--prune=now"]);
            s.root.clone()
        }),
        ("alternates", |s| {
            fs::rename(s.root.join(".git/objects"), s.outer.path().join("store")).expect("our folder");
            fs::create_dir_all(s.root.join(".git/objects/pack")).expect("a folder");
            s.write(".git/objects/info/alternates", &format!("{}\n", s.outer.path().join("store").display()));
            s.root.clone()
        }),
        ("configuration that is included", |s| {
            let included = s.outer.path().join("included");
            fs::write(&included, "[user]\n\tname = Somebody\n[commit]\n\tgpgsign = true\n").expect("a file");
            let key = format!("includeIf.gitdir:{}/.path", s.root.display());
            s.git(&["config", &key, &included.display().to_string()]);
            s.root.clone()
        }),
        ("names that differ in case only", |s| {
            s.write("Case/x.txt", "1\n");
            s.write("case/X.txt", "2\n");
            s.commit("case");
            s.root.clone()
        }),
        ("names that are not UTF-8", |s| {
            let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
            fs::write(s.root.join(name), "latin\n").expect("a file");
            s.commit("latin");
            fs::write(s.root.join(std::ffi::OsStr::from_bytes(b"untracked\xff")), "x").expect("a file");
            s.root.clone()
        }),
        ("all in one pack", |s| {
            s.git(&["gc", "-q"]);
            s.root.clone()
        }),
    ]
}

/// A branch `other` whose change of `a.txt` conflicts with that of `main`.
fn diverge(scratch: &Scratch) {
    scratch.git(&["checkout", "-q", "-b", "other"]);
    scratch.write("a.txt", "theirs\n");
    scratch.commit("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a.txt", "ours\n");
    scratch.commit("ours");
}

/// One state of a repository with a project opened in it, traps set, and the fingerprint of all.
struct Case {
    scratch: Scratch,
    project: Project,
    base: String,
    before: BTreeMap<PathBuf, Trace>,
    name: &'static str,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        states().into_iter().map(|(name, bring_about)| {
            let scratch = Scratch::new();
            let root = bring_about(&scratch);
            scratch.set_traps();
            let before = fingerprint(scratch.outer.path());
            let project = Project::open(&root).unwrap_or_else(|error| panic!("{name}: {error}"));
            let base = project.head().expect("a commit").commit;
            Self { scratch, project, base, before, name }
        })
    }

    fn now(&self) -> BTreeMap<PathBuf, Trace> {
        assert!(!self.scratch.trap_was_sprung(), "{}: a hook or filter ran", self.name);
        fingerprint(self.scratch.outer.path())
    }
}

#[test]
fn the_traps_do_spring_for_git_itself() {
    let scratch = Scratch::new();
    for command in [["update-ref", "refs/heads/x", "HEAD"].as_slice(), &["add", "--renormalize", "."]] {
        scratch.set_traps();
        assert!(!scratch.trap_was_sprung(), "setting them is no use of them");
        drop(git_in(&scratch.root, command));
        assert!(scratch.trap_was_sprung(), "{command:?}");
    }
}

#[test]
fn a_success_adds_one_branch_and_a_drop_takes_it_away() {
    for case in Case::all() {
        let changes = [change("new/file.txt", None, Some("text\n"))];
        let committed = commit_changes(&case.project, &case.base, &changes, &message(), &identity())
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(case.now(), case.before, "{}: the commit alone changes nothing", case.name);

        let published = publish(&case.project, &committed, "evo/t-x", &identity(), &Mark::of("x")).expect(case.name);
        let mut after = case.now();
        let git_dir = case.scratch.root.join(".git");
        for new in ["refs/heads/evo", "refs/heads/evo/t-x", "logs/refs/heads/evo", "logs/refs/heads/evo/t-x"] {
            assert!(after.remove(&git_dir.join(new)).is_some(), "{}: {new}", case.name);
        }
        assert_eq!(after, case.before, "{}: nothing but the branch is new", case.name);

        drop_branch(&case.project, &published.branch, &published.commit, &Mark::of("x")).expect(case.name);
        assert_eq!(case.now(), case.before, "{}: nothing of the branch is left", case.name);
    }
}

#[test]
fn f1_f2_a_refusal_and_a_failed_validation_leave_all_as_it_was() {
    for case in Case::all() {
        let stale = [change("new.txt", Some("never there\n"), Some("x\n"))];
        let refused = commit_changes(&case.project, &case.base, &stale, &message(), &identity());
        assert!(matches!(refused, Err(ApplyError::NotAsApproved { .. })), "{}: {refused:?}", case.name);

        let changes = [change("new.txt", None, Some("x\n"))];
        let committed = commit_changes(&case.project, &case.base, &changes, &message(), &identity()).expect(case.name);
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let user = Place::own(folder.path());
        let key = Installation::open(&user).expect("a key");
        let copy =
            WorkFolder::open(&user.join("work"), &key).and_then(|work| work.copy(&case.project, committed.commit()));
        let copy = copy.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(fs::read(copy.project().join("new.txt")).expect(case.name), b"x\n");
        case.project.state().expect(case.name);
        drop(copy);
        assert_eq!(case.now(), case.before, "{}", case.name);
    }
}

#[test]
fn states_are_told_as_notes() {
    for case in Case::all() {
        // The traps themselves make git's view of line ends differ, so they are taken out for this.
        fs::remove_file(case.scratch.root.join(".git/info/attributes")).expect("a trap");
        git_in(&case.scratch.root, &["config", "core.autocrlf", "false"]).expect("a trap");
        git_in(&case.scratch.root, &["config", "--unset", "core.fsmonitor"]).expect("a trap");
        let state = Project::open(case.project.root()).expect(case.name).state().expect(case.name);
        let git_says = git_in(case.project.root(), &["status", "--porcelain", "--ignore-submodules=dirty", "."]);
        let expected_dirty = !git_says.expect(case.name).is_empty();
        assert_eq!(state.dirty, expected_dirty, "{}", case.name);
        let under_way = match case.name {
            "mid-merge" => Some("merge"),
            "mid-rebase" => Some("rebase"),
            "mid-cherry-pick" => Some("cherry-pick"),
            "bisecting" => Some("bisect"),
            _ => None,
        };
        assert_eq!(state.operation.as_deref(), under_way, "{}", case.name);
    }
}

/// Steps that bring a repository into a state nobody thought of; what git refuses after the steps before is left out.
const STEPS: [&[&str]; 20] = [
    &["checkout", "-q", "--detach"],
    &["checkout", "-q", "-b", "other"],
    &["checkout", "-q", "main"],
    &["add", "-A"],
    &["commit", "-q", "-m", "more"],
    &["commit", "-q", "--allow-empty", "-m", "empty"],
    &["stash", "-q"],
    &["stash", "pop", "-q"],
    &["merge", "-q", "--no-edit", "other"],
    &["cherry-pick", "other"],
    &["rebase", "-q", "other"],
    &["rm", "-q", "--cached", "a.txt"],
    &["update-index", "--assume-unchanged", "run.sh"],
    &["pack-refs", "--all"],
    &["gc", "-q"],
    &["tag", "-m", "t", "t"],
    &["worktree", "add", "-q", "-b", "linked", "../linked"],
    &["sparse-checkout", "set", "--no-cone", "/a.txt"],
    &["bisect", "start", "HEAD", "HEAD"],
    &["config", "core.autocrlf", "true"],
];

/// A name and a content for an edit of the checkout that nobody has committed.
const EDITS: [(&str, &str); 6] = [
    ("a.txt", "edited\n"),
    ("a.txt", "one\r\n"),
    ("sub/b.py", ""),
    ("new/file.txt", "in the way\n"),
    (".env.local", "mine\n"),
    ("untracked/deep/x", "x\n"),
];

/// How many random repositories are tried where nothing else is said.
const CASES: u32 = 24;

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

fn random_changes() -> impl Strategy<Value = Vec<ApprovedChange>> {
    let one = prop::sample::select(vec![
        change("a.txt", Some("one\n"), Some("two\n")),
        change("a.txt", Some("one\n"), None),
        change("sub/deep/c.txt", Some("c\n"), None),
        change("sub/b.py", Some("import collections\n"), Some("import collections.abc\n")),
        change("new/file.txt", None, Some("text\n")),
        change("new/other.txt", None, Some("")),
    ]);
    prop::collection::vec(one, 1..4).prop_map(|mut changes| {
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes.dedup_by(|a, b| a.path == b.path);
        changes
    })
}

#[test]
fn random_repositories_in_random_states_keep_everything_that_is_the_persons() {
    let step = prop_oneof![(0..STEPS.len()).prop_map(Ok), (0..EDITS.len()).prop_map(Err)];
    let (published, landed) = (Cell::new(0), Cell::new(0));
    let strategy = (prop::collection::vec(step, 0..8), random_changes());
    let config = ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let tried = runner.run(&strategy, |(steps, changes)| {
        let scratch = Scratch::new();
        for step in &steps {
            match step {
                Ok(step) => drop(git_in(&scratch.root, STEPS.get(*step).copied().unwrap_or_default())),
                Err(edit) => {
                    let (path, content) = EDITS.get(*edit).copied().unwrap_or_default();
                    drop(fs::create_dir_all(scratch.root.join(path).with_file_name("")));
                    drop(fs::write(scratch.root.join(path), content));
                }
            }
        }
        let before = fingerprint(scratch.outer.path());
        let project = Project::open(&scratch.root).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let head = project.head().expect("a commit");
        let Ok(committed) = commit_changes(&project, &head.commit, &changes, &message(), &identity()) else {
            // The base does not hold what the change is for.
            prop_assert_eq!(fingerprint(scratch.outer.path()), before);
            return Ok(());
        };
        prop_assert_eq!(&fingerprint(scratch.outer.path()), &before, "a failed validation ends here");
        let made = publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x")).expect("a branch");
        published.set(published.get() + 1);
        drop_branch(&project, &made.branch, &made.commit, &Mark::of("x")).expect("it goes");
        prop_assert_eq!(&fingerprint(scratch.outer.path()), &before, "published, and taken back");
        let Some(into) = &head.branch else { return Ok(()) };
        let forward = Forward { into, from: &head.commit, to: &made.commit };
        let status = git_in(&scratch.root, &["status", "--porcelain", "-uall"]).unwrap_or_default();
        let unstatted = fingerprint(scratch.outer.path());
        if land(&project, forward, &identity(), &Mark::of("x")).is_err() {
            prop_assert_eq!(fingerprint(scratch.outer.path()), unstatted, "what does not land changes nothing");
            return Ok(());
        }
        landed.set(landed.get() + 1);
        prop_assert_eq!(git_in(&scratch.root, &["status", "--porcelain", "-uall"]).unwrap_or_default(), status);
        let of_change = |path: &PathBuf| {
            changes.iter().any(|change| path.starts_with(scratch.root.join(change.path.as_str())))
                || path.starts_with(scratch.root.join(".git"))
                || path.is_dir()
        };
        let after = fingerprint(scratch.outer.path());
        for (path, trace) in unstatted.iter().filter(|(path, _)| !of_change(path) && path.exists()) {
            prop_assert_eq!(after.get(path), Some(trace), "{:?}", path);
        }
        prop_assert_eq!(git_in(&scratch.root, &["rev-parse", into]).unwrap_or_default(), made.commit.clone());
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
    let (published, landed) = (published.get(), landed.get());
    assert!(published > 0 && landed > 0, "{published} published, {landed} landed");
}
