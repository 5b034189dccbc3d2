//! `search` and `glob` of the import `workspace`: what they find, in which order, and that a grant narrows it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_runner::sandbox::{Budgets, FileKind, Files, Granted, Inputs, ReadFailure, RunLog, Sandbox, Workspace};
use jiff::Timestamp;

use crate::guests::{self, EVERYTHING};

/// Files by their paths.
#[derive(Debug)]
struct Held(BTreeMap<&'static str, &'static [u8]>);

impl Files for Held {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        self.read(path).map(|bytes| bytes.len() as u64)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        self.0.get(path.as_str()).map(|bytes| Arc::from(*bytes)).ok_or(ReadFailure::NotFound)
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }
}

fn workspace() -> Workspace {
    let files: BTreeMap<&str, &[u8]> = BTreeMap::from([
        ("src/b.py", b"import os\r\nTOKEN = 1\r\n".as_slice()),
        ("src/a.py", b"import sys\n\nimport os\n"),
        ("src/deep/c.py", "caf\u{e9} = 'import'\n".as_bytes()),
        ("data.bin", b"import\0os\n"),
        ("latin.txt", b"import caf\xe9\n"),
        ("gone.txt", b""),
    ]);
    let list: Vec<_> = files.keys().map(|path| (RepoPath::new(path).unwrap(), FileKind::File)).collect();
    let held = files.into_iter().filter(|(path, _)| *path != "gone.txt").collect();
    Workspace::new(Arc::new(Held(held)), list, |_| true)
}

/// Calls a gene that traps unless the answer has `count` lines whose numbers add up to `sum`.
fn finds(workspace: Workspace, pattern: &str, glob: &str, limit: u32, count: usize, sum: u32) -> bool {
    let guest = format!(
        r#"(import "gephost:gene/workspace@0.1.0" "search" (func $search (param i32 i32 i32 i32 i32 i32)))
        (data (i32.const 2048) "{}{}")
        (func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
          (local $left i32) (local $sum i32)
          (call $search (i32.const 2048) (i32.const {}) (i32.const {}) (i32.const {}) (i32.const {limit}) (i32.const 4096))
          (if (i32.load8_u (i32.const 4096)) (then (unreachable)))
          (if (i32.ne (i32.load offset=8 (i32.const 4096)) (i32.const {count})) (then (unreachable)))
          (local.set $left (i32.const {count}))
          (block $done (loop $again
            (br_if $done (i32.eqz (local.get $left)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (local.set $sum (i32.add (local.get $sum)
              (i32.load offset=8 (i32.add (i32.load offset=4 (i32.const 4096)) (i32.mul (local.get $left) (i32.const 20))))))
            (br $again)))
          (if (i32.ne (local.get $sum) (i32.const {sum})) (then (unreachable)))
          (i32.const 1024))"#,
        wat_text(pattern),
        wat_text(glob),
        pattern.len(),
        2048 + pattern.len(),
        glob.len(),
    );
    let gene =
        Sandbox::new(None).unwrap().load(&guests::heuristic_that_asks_for(EVERYTHING, &guest, "search")).unwrap();
    let inputs = Inputs {
        run_log: Arc::new(RunLog::new(&[])),
        workspace: Arc::new(workspace),
        history: Arc::new([]),
        coverage: Arc::default(),
        now: Timestamp::UNIX_EPOCH,
        seed: 1,
        settings: Arc::default(),
        carried: std::sync::Arc::default(),
        completions: Arc::new(gephost_runner::sandbox::NoModel),
    };
    let granted = Granted::new(&Capability::ALL, &Capability::ALL);
    gene.diagnose(&inputs, &granted, &Budgets::default()).result.is_ok()
}

fn wat_text(text: &str) -> String {
    text.bytes().map(|byte| format!("\\{byte:02x}")).collect()
}

#[test]
fn lines_are_ordered_by_path_and_number_and_binary_files_are_skipped() {
    for (pattern, glob, limit, count, sum) in [
        ("import", "**", 100, 5, 1 + 1 + 3 + 1 + 1),
        ("^import os$", "**/*.py", 100, 2, 3 + 1),
        ("import", "src/*.py", 100, 3, 1 + 3 + 1),
        // The first two by path are both in src/a.py after latin.txt.
        ("import", "**", 2, 2, 1 + 1),
        ("import", "src/**", 2, 2, 1 + 3),
        ("^$", "src/a.py", 100, 1, 2),
        ("caf\u{e9}", "**", 100, 1, 1),
        ("import", "**", 0, 0, 0),
        ("nowhere", "**", 100, 0, 0),
    ] {
        assert!(finds(workspace(), pattern, glob, limit, count, sum), "{pattern:?} in {glob:?}");
    }
    assert!(!finds(workspace(), "import", "**", 100, 4, 7), "a wrong expectation is noticed");
}

#[test]
fn hidden_files_are_not_searched() {
    let narrowed = workspace().narrowed(|path| path.as_str().starts_with("src/deep"));
    assert!(finds(narrowed, "import", "**", 100, 1, 1));
}
