//! The virtual `wasi:filesystem`, as guests use it through the file functions of their language. Every call is made in a
//! thread and in a process, and both must give the same result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gephost_core::diagnosis::Diagnosis;
use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_core::proposal::{Change, Proposal};
use gephost_runner::sandbox::{
    Budget, Budgets, Call, CallError, FileKind, Files, Granted, Inputs, ReadFailure, RunLog, Workspace,
};
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::{is_installed, repository, skipped, toolchains};
use jiff::Timestamp;

use crate::isolate::in_both;
use crate::scene::quickstart;

/// Paths and their contents. `->` and a target mean a link, `!` marks an executable, an empty content a submodule.
#[derive(Debug)]
struct Scene(BTreeMap<&'static str, &'static str>);

impl Scene {
    fn text(&self, path: &RepoPath) -> &str {
        self.0[path.as_str()].trim_start_matches(['!'])
    }
}

impl Files for Scene {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        Ok(self.text(path).len() as u64)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Ok(self.text(path).as_bytes().into())
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        Ok(self.text(path).trim_start_matches("->").to_owned())
    }
}

/// A workspace that denies everything below `secrets` and every `.env`.
fn workspace(scene: &[(&'static str, &'static str)]) -> Arc<Workspace> {
    let kind = |content: &str| match content {
        _ if content.starts_with("->") => FileKind::Symlink,
        _ if content.starts_with('!') => FileKind::Executable,
        "submodule" => FileKind::Other,
        _ => FileKind::File,
    };
    let list: Vec<_> = scene.iter().map(|(path, text)| (RepoPath::new(path).unwrap(), kind(text))).collect();
    let denied = |path: &str| path.split('/').any(|name| name == "secrets" || name.eq_ignore_ascii_case(".env"));
    let files = Arc::new(Scene(scene.iter().copied().collect()));
    Arc::new(Workspace::new(files, list, move |path| !denied(path.as_str())))
}

fn inputs(workspace: Arc<Workspace>) -> Inputs {
    Inputs {
        run_log: Arc::new(RunLog::new(&[])),
        workspace,
        history: Arc::new([]),
        coverage: Arc::default(),
        now: Timestamp::from_second(1_700_000_000).unwrap(),
        seed: 7,
        settings: Arc::default(),
        carried: std::sync::Arc::default(),
        completions: Arc::new(gephost_runner::sandbox::NoModel),
    }
}

fn budgets() -> Budgets {
    Budgets { wall: Duration::from_secs(20), ..Budgets::default() }
}

/// The Rust guest; if the wasm target is missing, `None` and a line that says that a test is skipped.
fn guest() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built =
        BUILT.get_or_init(|| toolchains::rust_gene("std-fs").map_err(|missing| skipped(&missing.to_string())).ok());
    built.as_deref()
}

fn propose(
    component: &Path,
    scene: &[(&'static str, &'static str)],
    granted: &[Capability],
    budgets: &Budgets,
) -> Call<Vec<Proposal>> {
    let granted = Granted::new(&Capability::ALL, granted);
    let component = std::fs::read(component).unwrap();
    let inputs = || inputs(workspace(scene));
    in_both(&component, inputs, |gene, inputs| gene.propose(&Diagnosis::default(), inputs, &granted, budgets))
}

/// Runs a script in a scene.
fn run(scene: &[(&'static str, &'static str)], script: &'static str, budgets: &Budgets) -> Option<Call<Vec<Proposal>>> {
    let scene = [scene, &[("script.txt", script)]].concat();
    Some(propose(guest()?, &scene, &Capability::ALL, budgets))
}

/// The paths that a proposal changes, with their new text, or `None` for a deletion. A diff is taken as it is.
fn patch(proposal: &Proposal) -> BTreeMap<String, Option<String>> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let change = |change: &Change| match change {
        Change::NewContent { path, content } => (path.clone(), Some(text(content))),
        Change::Delete { path } => (path.clone(), None),
        Change::UnifiedDiff(diff) => ("diff".to_owned(), Some(diff.clone())),
    };
    proposal.changes.iter().map(change).collect()
}

/// Checks a guest in any language that does what `tests/guests/std_fs/src/index.rs` describes.
pub(crate) fn writes_the_index(component: &Path) {
    let scene = [
        ("README.md", "# A project\n"),
        ("junk/a.txt", "a\n"),
        ("junk/deeper/b.txt", "b\n"),
        ("src/.env", "hidden\n"),
        ("src/main.py", "print(1)\n"),
        ("src/old.txt", "old\n"),
        ("src/sub/x.py", "x = 1\n"),
    ];
    let call = propose(component, &scene, &[Capability::Workspace], &budgets());
    let proposals = call.result.unwrap_or_else(|error| panic!("{error}: {:?}", call.log));
    let [proposal] = proposals.as_slice() else { panic!("{proposals:?}") };
    let expected = [
        ("README.md", Some("# A project\nSee docs/index.txt.\n")),
        ("docs/index.txt", Some("src/main.py 9\nsrc/old.txt 4\nsrc/sub/x.py 6\n")),
        ("junk/a.txt", None),
        ("junk/deeper/b.txt", None),
        ("src/new.txt", Some("old\n")),
        ("src/old.txt", None),
    ];
    let expected = expected.map(|(path, text)| (path.to_owned(), text.map(str::to_owned)));
    assert_eq!(patch(proposal), BTreeMap::from(expected));
}

#[test]
fn a_rust_gene_works_with_std_fs() {
    let Some(guest) = guest() else { return };
    writes_the_index(guest);
}

#[test]
fn every_operation_gives_the_expected_result() {
    let scene = [
        ("README.md", "hello"),
        (".env", "denied"),
        ("docs/latest.md", "->v2/guide.md"),
        ("docs/v2/guide.md", "guide"),
        ("docs/to-secret", "->../secrets/key"),
        ("docs/loop", "->loop"),
        ("docs/outside", "->../../etc/passwd"),
        ("docs/absolute", "->/etc/passwd"),
        ("docs/folder", "->v2"),
        ("mixed/.env", "denied"),
        ("mixed/shown.txt", "shown"),
        ("secrets/key", "denied"),
        ("vendor", "submodule"),
    ];
    let script = std::fs::read_to_string(repository().join("tests/guests/std_fs/operations.txt")).unwrap();
    let expected: Vec<&str> = script.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let operations: Vec<&str> = expected.iter().map(|line| line.split(" => ").next().unwrap()).collect();
    let script: &'static str = Box::leak(operations.join("\n").into_boxed_str());
    let Some(call) = run(&scene, script, &budgets()) else { return };
    let seen: Vec<&str> = call.log.iter().map(|line| &*line.message).collect();
    let wrong: Vec<_> = seen.iter().zip(&expected).filter(|(seen, expected)| seen != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(seen.len(), expected.len(), "{:?}", call.result);
}

#[test]
fn written_files_become_the_changes_of_one_proposal() {
    let one = "write a.txt text";
    for (script, expected) in [
        (one, Ok(1)),
        ("write a.txt text\npropose 0", Ok(0)),
        ("write a.txt text\npropose 2", Err("answered 2 proposals, 2 of them without changes")),
        ("read README.md\npropose 1", Err("has no changes, and the gene wrote no files")),
        // What was undone, and what an interpreter leaves behind, is no change.
        ("write README.md hello\npropose 1", Err("has no changes")),
        ("write a.txt text\nunlink a.txt", Err("has no changes")),
        ("mkdirs src/__pycache__\nwrite src/__pycache__/a.pyc text", Err("has no changes")),
        ("write /tmp/a.txt text", Err("has no changes")),
    ] {
        let Some(call) = run(&[("README.md", "hello")], script, &budgets()) else { return };
        match (&call.result, expected) {
            (Ok(proposals), Ok(count)) => {
                assert_eq!(proposals.len(), count, "{script}");
                let dropped = call.log.iter().any(|line| line.message.contains("wrote (1) are dropped"));
                assert_eq!(dropped, count == 0, "{script}: {:?}", call.log);
            }
            (Err(error), Err(reason)) => assert!(error.to_string().contains(reason), "{script}: {error}"),
            other => panic!("{script}: {other:?}"),
        }
    }
}

#[test]
fn a_trace_has_every_call_in_order_and_says_how_many_it_left_out() {
    let traced = |most| Budgets { traced_calls: most, ..budgets() };
    let script = "read README.md\nwrite a.txt text\nread secrets/key";
    let scene = [("README.md", "hello"), ("secrets/key", "denied")];
    let Some(call) = run(&scene, script, &traced(1000)) else { return };
    let whole = call.host_calls;
    assert_eq!(whole.omitted, 0);
    let lines: Vec<String> = whole
        .calls
        .iter()
        .map(|call| format!("{} {} {}: {} {}", call.function, call.arguments, call.outcome, call.answer, call.bytes))
        .collect();
    let after = |from: usize, words: &[&str]| {
        let found = lines.iter().skip(from).position(|line| words.iter().all(|word| line.contains(word)));
        from + found.unwrap_or_else(|| panic!("{words:?} after {from}: {lines:#?}"))
    };
    // A read of five bytes through a stream, a request of a capability, a write, and a refusal, in the gene's order.
    let opened = after(0, &["wasi:filesystem.open-at", "README.md read ok: #"]);
    let read = after(opened, &["wasi:io.", "read", "ok:  5"]);
    let logged = after(read, &["wasi:filesystem.open-at", "a.txt create,truncate write", "ok: #"]);
    let wrote = after(logged, &["wasi:io.", "write", "4 bytes ok:"]);
    after(wrote, &["wasi:filesystem.open-at", "secrets/key", "no-entry:"]);
    assert!(
        lines.iter().any(|line| line.starts_with("wasi:filesystem.get-directories  ok: #0 /workspace")),
        "{lines:#?}"
    );
    let few = run(&scene, script, &traced(3)).unwrap().host_calls;
    assert_eq!((few.calls.len(), few.omitted), (3, whole.calls.len() as u64 - 3));
    assert_eq!(run(&scene, script, &budgets()).unwrap().host_calls, Default::default());
}

#[test]
fn a_moved_file_stays_executable() {
    let Some(call) = run(&[("run.sh", "!echo 1\n")], "rename run.sh bin.sh", &budgets()) else { return };
    let proposals = call.result.unwrap();
    let patch = patch(&proposals[0]);
    assert_eq!(patch.get("run.sh"), Some(&None));
    let diff = patch["diff"].as_deref().unwrap();
    assert!(diff.contains("new file mode 100755") && diff.contains("+echo 1"), "{diff}");
}

#[test]
fn files_that_a_heuristic_writes_are_dropped() {
    let Some(guest) = guest() else { return };
    let inputs = || inputs(workspace(&[("script.txt", "write a.txt text")]));
    let granted = Granted::new(&Capability::ALL, &Capability::ALL);
    let component = std::fs::read(guest).unwrap();
    let call = in_both(&component, inputs, |gene, inputs| gene.diagnose(inputs, &granted, &budgets()));
    assert_eq!(call.result.unwrap(), []);
    assert!(call.log.iter().any(|line| line.message.contains("are dropped")), "{:?}", call.log);
}

#[test]
fn without_the_capability_there_are_no_files() {
    let Some(guest) = guest() else { return };
    let scene = [("script.txt", "read README.md"), ("README.md", "hello")];
    let call = propose(guest, &scene, &[], &budgets());
    assert!(matches!(call.result, Err(CallError::GaveUp { .. })), "{:?}", call.result);
    assert_eq!(call.audit.len(), 0, "{:?}", call.audit);
}

#[test]
fn endless_file_operations_end_with_a_budget() {
    for (script, budget) in [
        ("hold README.md 100000", Budget::HostCalls),
        ("many /tmp 1000000", Budget::Output),
        ("write a x\nset-len a 16000000", Budget::Output),
        ("write a x\nwrite-at a 16000000 x", Budget::Output),
    ] {
        let Some(call) = run(&[("README.md", "hello")], script, &budgets()) else { return };
        match call.result {
            Err(CallError::Budget { budget: found, .. }) => assert_eq!(found, budget, "{script}"),
            other => panic!("{script}: {other:?}"),
        }
    }
}

#[test]
fn moved_bytes_count_against_the_budget() {
    let large: &'static str = Box::leak("x".repeat(3 << 20).into_boxed_str());
    let scene = [("a/1", large), ("a/2", large), ("a/3", large)];
    let Some(call) = run(&scene, "rename a b", &budgets()) else { return };
    assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::Output, .. })), "{:?}", call.usage);
    let call = run(&scene[..2], "rename a b", &budgets()).unwrap();
    assert_eq!(patch(&call.result.unwrap()[0]).len(), 4);
}

#[test]
fn a_socket_is_refused_with_its_name() {
    let Some(call) = run(&[], "connect 127.0.0.1:9", &budgets()) else { return };
    let error = call.result.unwrap_err().to_string();
    assert!(error.contains("wasi:sockets/") && error.contains("a gene has no network"), "{error}");
}

#[test]
fn two_runs_give_the_same() {
    let script = "write a.txt text\nlist /workspace\nstat a.txt\nlist /\nrename a.txt b.txt";
    let scene = [("README.md", "hello"), ("z.txt", "z")];
    let Some(first) = run(&scene, script, &budgets()) else { return };
    let second = run(&scene, script, &budgets()).unwrap();
    assert_eq!((first.result, first.log), (second.result, second.log));
    assert_eq!(first.audit.trail, second.audit.trail);
}

#[test]
fn no_path_of_a_guest_reaches_the_operating_system() {
    if !is_installed("strace") {
        return;
    }
    let Some(guest) = guest() else { return };
    let env = TestEnv::new();
    let project =
        quickstart(&env, Some("[policy]\nallow = [\"/spelled-by-guest.txt\"]\n[observe]\nlogs = [\"logs/\"]\n"));
    let script = "read spelled-by-guest\nread /etc/spelled-by-guest\nread ../spelled-by-guest\nwrite spelled-by-guest.txt \
                  text\nmkdirs /workspace/spelled-by-guest.d\nlist /spelled-by-guest.d\nwrite /tmp/spelled-by-guest x";
    project.write("script.txt", script);
    project.commit_all(&env);
    let trace = env.home().join("trace");
    let mut command = env.command("strace", project.root());
    command.args(["-f", "-y", "-e", "trace=%file", "-o"]).arg(&trace).arg(gephost()).args(["run", "--gene"]).arg(guest);
    let ran = command.output().unwrap();
    if !trace.exists() || String::from_utf8_lossy(&ran.stderr).contains("ptrace") {
        return skipped("strace may not trace here");
    }
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("spelled-by-guest.txt"), "the guest did not run: {said}");
    let trace = std::fs::read_to_string(&trace).unwrap();
    assert!(trace.contains("script.txt") || trace.contains(".git/objects"), "{trace}");
    let reached: Vec<&str> = trace.lines().filter(|line| line.contains("spelled-by-guest")).collect();
    assert_eq!(reached, [""; 0]);
    // Only gephost's own folders were written to.
    let own = [project.root().join(".gephost"), env.home().join(".cache"), env.home().join(".local")];
    let own: Vec<String> = own.iter().map(|folder| folder.display().to_string()).collect();
    let strays: Vec<&str> = trace
        .lines()
        .filter(|line| writes(line))
        .filter(|line| !own.iter().any(|folder| line.contains(folder.as_str())) && !line.contains("/dev/null"))
        .collect();
    assert_eq!(strays, [""; 0]);
    assert!(trace.lines().any(writes), "nothing was written at all: the filter finds nothing");
}

/// Whether a traced call changed a file or a folder by its name.
fn writes(line: &str) -> bool {
    let opens = line.contains("open") && ["O_WRONLY", "O_RDWR", "O_CREAT"].iter().any(|flag| line.contains(flag));
    let changes = ["mkdir", "unlink", "rmdir", "rename", "link(", "linkat(", "symlink", "truncate(", "chmod", "chown"];
    // A worker's machine code is a memory file, which is opened again through its descriptor for reading.
    let reads = line.contains("readlink");
    (opens || changes.iter().any(|call| line.contains(call))) && !reads && !line.contains(" = -1 ")
}
