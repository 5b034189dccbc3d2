//! What lands, what stays and why, and what a landing that was cut comes to; git is the judge of what is there.

use std::fs::{self, FileTimes};
use std::path::PathBuf;

use super::super::apply::commit_changes;
use super::super::fingerprint::fingerprint;
use super::super::objects::persist;
use super::super::scratch::{Scratch, blob, change, identity, message, path};
use super::*;
use gephost_core::gate::{ApprovedChange, FileMode};

/// A repository, and a commit on top of its `HEAD` that edits, adds, removes and makes executable.
struct Case {
    scratch: Scratch,
    from: String,
    to: String,
}

fn changes() -> Vec<ApprovedChange> {
    let script = |mode| gephost_core::gate::BlobState { mode, ..blob("#!/bin/sh\n") };
    vec![
        change("a.txt", Some("one\n"), Some("two\n")),
        change("new/deep/x", None, Some("x\n")),
        ApprovedChange {
            path: path("run.sh"),
            before: Some(script(FileMode::Executable)),
            after: Some(script(FileMode::Regular)),
        },
        change("sub/deep/c.txt", Some("c\n"), None),
    ]
}

impl Case {
    fn new(bring_about: impl FnOnce(&Scratch)) -> Self {
        Self::of(Scratch::new(), &changes(), bring_about)
    }

    fn of(scratch: Scratch, changes: &[ApprovedChange], bring_about: impl FnOnce(&Scratch)) -> Self {
        let from = scratch.head();
        let project = Project::open(&scratch.root).expect("a repository");
        let committed = commit_changes(&project, &from, changes, &message(), &identity()).expect("a commit");
        persist(&project.repository(), committed.objects(), &mark()).expect("on disk");
        bring_about(&scratch);
        Self { scratch, from, to: committed.commit().to_owned() }
    }

    fn forward(&self) -> Forward<'_> {
        Forward { into: "main", from: &self.from, to: &self.to }
    }

    fn project(&self) -> Project {
        Project::open(&self.scratch.root).expect("a repository")
    }

    fn land(&self) -> Result<(), LandError> {
        land(&self.project(), self.forward(), &identity(), &mark())
    }

    fn settle(&self) -> bool {
        settle_landed(&self.project(), self.forward(), &identity(), &mark()).expect("settled")
    }

    /// Nothing changes, and the reason has these words.
    fn stays(&self, said: &str) {
        let before = fingerprint(self.scratch.outer.path());
        let refused = self.land().expect_err(said).to_string();
        assert!(refused.contains(said), "{refused:?} instead of {said:?}");
        let unlandable = check_landable(&self.project(), self.forward(), &mark()).err().map(|error| error.to_string());
        let only_locked = refused.contains(".lock exists");
        assert!(
            only_locked || unlandable.as_ref() == Some(&refused),
            "{unlandable:?} beforehand, and then {refused:?}"
        );
        let after = fingerprint(self.scratch.outer.path());
        let differs: Vec<_> =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
        assert!(differs.is_empty(), "{said}: {differs:?}");
    }
}

fn mark() -> Mark {
    Mark::of("landing")
}

#[test]
fn branch_index_and_files_move_and_git_finds_nothing_to_do() {
    let case = Case::new(|_| {});
    case.land().expect("landed");
    let git = |arguments: &[&str]| case.scratch.git(arguments);
    assert_eq!((git(&["rev-parse", "main"]), git(&["status", "--porcelain"])), (case.to.clone(), String::new()));
    assert_eq!(git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert!(git(&["diff", "--raw", "HEAD"]).is_empty());
    assert_eq!(git(&["reflog", "-1", "--format=%gs", "HEAD"]), "gephost: land");
    assert!(!case.scratch.root.join("sub/deep").exists(), "git removes a folder that is empty then");
    assert!(case.settle(), "asked again, it has landed");
    git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn work_elsewhere_in_the_checkout_stays_as_it_is() {
    let case = Case::new(|s| {
        s.write("sub/b.py", "edited\n");
        s.write("staged.txt", "staged\n");
        s.git(&["add", "staged.txt"]);
        s.git(&["update-index", "--index-version", "4"]);
        s.write("untracked.txt", "mine\n");
    });
    case.land().expect("landed");
    let status = case.scratch.git(&["status", "--porcelain"]);
    assert_eq!(status, "A  staged.txt\n M sub/b.py\n?? untracked.txt");
    assert_eq!(case.scratch.git(&["show", ":staged.txt"]), "staged");
}

#[test]
fn an_edit_within_the_clocks_tick_is_still_seen_by_git() {
    let case = Case::new(|_| {});
    let (edited, index) = (case.scratch.root.join("sub/b.py"), case.scratch.root.join(".git/index"));
    let set = |path: &Path, time| {
        let file = fs::File::options().append(true).open(path).expect("our file");
        file.set_times(FileTimes::new().set_modified(time)).expect("our file");
    };
    // The same size, inode and time as git saw last, which is also that of the index; `trustctime` is for such systems.
    case.scratch.git(&["config", "core.trustctime", "false"]);
    let tick = fs::metadata(&edited).expect("a file").modified().expect("a time");
    set(&index, tick);
    fs::write(&edited, "import Collections\n").expect("our file");
    set(&edited, tick);
    case.land().expect("landed");
    assert_eq!(case.scratch.git(&["status", "--porcelain"]), " M sub/b.py");
}

#[test]
fn edits_to_the_same_files_stop_it() {
    Case::new(|s| s.write("a.txt", "mine\n")).stays("a.txt: it has changes that are not committed");
    Case::new(|s| {
        s.write("a.txt", "mine\n");
        s.git(&["add", "a.txt"]);
        s.write("a.txt", "one\n");
    })
    .stays("a.txt: it has staged changes");
    Case::new(|s| fs::remove_file(s.root.join("a.txt")).expect("our file")).stays("a.txt: it was deleted");
    Case::new(|s| drop(s.git(&["rm", "-q", "--cached", "sub/deep/c.txt"]))).stays("it has staged changes");
    Case::new(|s| {
        fs::remove_file(s.root.join("run.sh")).expect("our file");
        s.write("run.sh", "#!/bin/sh\n");
    })
    .stays("run.sh: it has changes");
    Case::new(|s| drop(s.git(&["update-index", "--assume-unchanged", "a.txt"]))).stays("assume");
}

#[test]
fn files_in_the_way_stop_it_tracked_or_not() {
    let untracked = "a file that is not tracked is in the way";
    Case::new(|s| s.write("new/deep/x", "mine\n")).stays(untracked);
    Case::new(|s| {
        s.write(".git/info/exclude", "new/\n");
        s.write("new/deep/x", "ignored\n");
    })
    .stays(untracked);
    Case::new(|s| s.write("new", "a file\n")).stays(untracked);
    Case::new(|s| s.write("new/deep/x/y", "a folder\n")).stays(untracked);
    Case::new(|s| std::os::unix::fs::symlink("/tmp", s.root.join("new")).expect("a link")).stays(untracked);
    Case::new(|s| {
        fs::create_dir(s.root.join("new")).expect("a folder");
        s.git(&["init", "-q", "new/deep"]);
    })
    .stays("another repository is checked out there");
    let empty = Case::new(|s| fs::create_dir_all(s.root.join("new/deep")).expect("folders"));
    empty.land().expect("an empty folder is nobody's work");
}

#[test]
fn what_is_staged_in_the_way_stops_it() {
    Case::new(|s| {
        let head = s.head();
        s.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},new")]);
    })
    .stays("a file or a submodule where this change needs a folder");
    Case::new(|s| {
        s.write("new/deep/x/y", "y\n");
        s.git(&["add", "new"]);
        fs::remove_dir_all(s.root.join("new")).expect("our folder");
    })
    .stays("a folder in its place");
    Case::new(|s| {
        s.git(&["config", "core.ignorecase", "true"]);
        s.write("New/deep/X", "mine\n");
        s.git(&["add", "New"]);
    })
    .stays("differs from it in case only");
}

#[test]
fn checkouts_that_are_not_plain_are_left_to_git() {
    Case::new(|s| drop(s.git(&["checkout", "-q", "--detach"]))).stays("no longer checked out");
    Case::new(|s| drop(s.commit("meanwhile"))).stays("no longer checked out");
    Case::new(|s| drop(s.git(&["checkout", "-q", "-b", "other"]))).stays("no longer checked out");
    Case::new(|s| drop(s.git(&["bisect", "start"]))).stays("bisect is in progress");
    Case::new(|s| {
        s.git(&["worktree", "add", "-q", "--force", "../linked", "main"]);
    })
    .stays("has main checked out too");
    Case::new(|s| drop(s.git(&["sparse-checkout", "set", "--no-cone", "/a.txt"]))).stays("sparse");
    Case::new(|s| drop(s.git(&["config", "core.autocrlf", "true"]))).stays("CRLF");
    Case::new(|s| s.write(".git/info/attributes", "*.txt filter=lfs\n")).stays("attribute `filter`");
    Case::new(|s| s.write(".git/index.lock", "")).stays("index.lock exists");
    Case::new(|s| s.write(".git/refs/heads/main.lock", "")).stays("main.lock exists");
    Case::new(|s| drop(s.git(&["update-index", "--split-index"]))).stays("link");
    Case::new(|s| {
        s.git(&["checkout", "-q", "-b", "other"]);
        s.write("sub/b.py", "theirs\n");
        s.commit("theirs");
        s.git(&["checkout", "-q", "main"]);
        s.write("sub/b.py", "stashed\n");
        s.git(&["stash", "-q"]);
        s.git(&["update-ref", "refs/heads/keep", "main"]);
        s.git(&["merge", "-q", "--no-commit", "--no-ff", "other"]);
        drop(super::super::scratch::git_in(&s.root, &["stash", "apply"]));
    })
    .stays("in progress");
}

#[test]
fn a_git_folder_outside_of_the_checkout_is_no_second_checkout() {
    for is_submodule in [false, true] {
        let case = Case::new(|s| {
            s.git(&["init", "-q", "--separate-git-dir", "../modules"]);
            if is_submodule {
                s.git(&["config", "core.worktree", "../repo"]);
            }
        });
        case.land().unwrap_or_else(|error| panic!("{is_submodule}: {error}"));
        assert_eq!(
            (case.scratch.head(), case.scratch.git(&["status", "--porcelain"])),
            (case.to.clone(), String::new())
        );
    }
}

#[test]
fn links_land_as_links_and_are_never_followed() {
    let scratch = Scratch::new();
    let link = |target: &str| Some(gephost_core::gate::BlobState { mode: FileMode::Symlink, ..blob(target) });
    let changes = [
        ApprovedChange { path: path("link"), before: link("a.txt"), after: link("run.sh") },
        ApprovedChange { path: path("sub/l"), before: None, after: link("deep") },
    ];
    let case = Case::of(scratch, &changes, |_| {});
    case.land().expect("landed");
    assert_eq!(fs::read_link(case.scratch.root.join("link")).expect("a link"), Path::new("run.sh"));
    assert_eq!(case.scratch.git(&["status", "--porcelain"]), "");
    // A folder that somebody replaced by a link leads nowhere.
    let case = Case::new(|s| {
        let outside = s.outer.path().join("outside");
        fs::rename(s.root.join("sub"), &outside).expect("our folder");
        std::os::unix::fs::symlink(&outside, s.root.join("sub")).expect("a link");
    });
    case.stays("sub/deep/c.txt: it has changes");
}

#[test]
fn no_hook_and_no_filter_runs() {
    let case = Case::new(|s| {
        s.set_traps();
        s.write(".git/info/attributes", "");
        s.git(&["config", "core.autocrlf", "false"]);
        drop(fs::remove_file(s.outer.path().join("TRAP")));
    });
    case.land().expect("landed");
    assert!(!case.scratch.trap_was_sprung());
}

#[test]
fn a_packed_branch_in_a_linked_worktree_lands_there() {
    let scratch = Scratch::new();
    scratch.git(&["worktree", "add", "-q", "-b", "side/linked", "../linked"]);
    scratch.git(&["pack-refs", "--all"]);
    let case = Case::of(scratch, &changes(), |_| {});
    let before = fingerprint(&case.scratch.root.join("sub"));
    let linked = case.scratch.root.with_file_name("linked");
    let project = Project::open(&linked).expect("a worktree");
    let forward = Forward { into: "side/linked", ..case.forward() };
    land(&project, forward, &identity(), &mark()).expect("landed");
    let git = |arguments: &[&str]| super::super::scratch::git_in(&linked, arguments).expect("git works");
    assert_eq!((git(&["rev-parse", "HEAD"]), git(&["status", "--porcelain"])), (case.to.clone(), String::new()));
    assert_eq!(case.scratch.head(), case.from);
    assert_eq!(fingerprint(&case.scratch.root.join("sub")), before);
}

#[test]
fn what_a_kill_left_is_undone_before_the_index_is_in_place_and_finished_after() {
    // After each exchange of a file, and then once more with the index in place.
    for cut in 0..=changes().len() + 1 {
        let case = Case::new(|s| s.write("sub/b.py", "edited\n"));
        let before = fingerprint(&case.scratch.root);
        let project = case.project();
        {
            let repository = project.repository();
            let mark = mark();
            let scene = Scene::open(&repository, case.forward(), &mark).expect("a scene");
            let mut lock = scene.lock_index().expect("a lock");
            for step in scene.steps.iter().take(cut) {
                scene.exchange(step, step.old.as_ref(), step.new.as_ref()).expect("exchanged");
            }
            if cut > changes().len() {
                scene.write_index(&mut lock).expect("written");
                lock.commit().expect("in place");
            } else {
                std::mem::forget(lock);
            }
        }
        let landed = case.settle();
        assert_eq!(landed, cut > changes().len(), "cut after {cut}");
        assert_eq!(case.settle(), landed, "and again");
        let expected = if landed { &case.to } else { &case.from };
        assert_eq!(&case.scratch.head(), expected);
        assert_eq!(case.scratch.git(&["status", "--porcelain"]), " M sub/b.py", "cut after {cut}");
        let names = |of: &std::collections::BTreeMap<PathBuf, _>| of.keys().cloned().collect::<Vec<_>>();
        if !landed {
            assert_eq!(names(&fingerprint(&case.scratch.root)), names(&before), "cut after {cut}");
        }
    }
}

#[test]
fn work_that_came_between_is_kept_by_the_settling() {
    let case = Case::new(|_| {});
    let project = case.project();
    {
        let repository = project.repository();
        let mark = mark();
        let scene = Scene::open(&repository, case.forward(), &mark).expect("a scene");
        // Killed when the new content of a.txt had just changed places with what somebody saved in that moment.
        fs::write(case.scratch.root.join(mark.file_name(b"a.txt")), "saved\n").expect("our file");
        fs::write(case.scratch.root.join("a.txt"), "two\n").expect("our file");
        for step in scene.steps.iter().filter(|step| step.path != b"a.txt") {
            scene.exchange(step, step.old.as_ref(), step.new.as_ref()).expect("exchanged");
        }
        // And then somebody went on with another file.
        fs::write(case.scratch.root.join("new/deep/x"), "built upon\n").expect("our file");
    }
    assert!(!case.settle());
    let read = |path: &str| fs::read_to_string(case.scratch.root.join(path)).expect("a file");
    assert_eq!((read("a.txt").as_str(), read("new/deep/x").as_str()), ("saved\n", "built upon\n"));
    assert_eq!(read("sub/deep/c.txt"), "c\n");
    assert_eq!(case.scratch.git(&["status", "--porcelain"]), " M a.txt\n?? new/");
}
