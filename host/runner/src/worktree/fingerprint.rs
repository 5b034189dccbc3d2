//! Everything that a user owns, as data, to compare before and after; and the comparison over states of a repository.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::apply::commit_changes;
use super::scratch::{Scratch, change, git_in, identity, message};
use super::{ApplyError, Mark, Project, WorkFolder, drop_branch, publish};

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
            s.git(&["checkout", "-q", "-b", "other"]);
            s.write("a.txt", "theirs\n");
            s.commit("theirs");
            s.git(&["checkout", "-q", "main"]);
            s.write("a.txt", "ours\n");
            s.commit("ours");
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
        ("all in one pack", |s| {
            s.git(&["gc", "-q"]);
            s.root.clone()
        }),
    ]
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
        let copy = WorkFolder::open(folder.path()).and_then(|work| work.copy(&case.project, committed.commit()));
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
        let merging = (case.name == "mid-merge").then(|| "merge".to_owned());
        assert_eq!(state.operation, merging, "{}", case.name);
    }
}
