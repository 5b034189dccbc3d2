//! Packages of PyPI that use names that Python removed.

use std::fs;
use std::process::Command;

use gephost_tests::registry::Archive;
use gephost_tests::skipped;

use super::{fetched, repair, repair_with};

const QUIET: [&str; 6] = ["-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"];

/// The source of a release. `None`, and a line that says why, if it cannot be downloaded, or if this Python is not between
/// 3.`since` and 3.`until`, on which the rest of the release still runs.
fn release(requirement: &str, since: u32, until: u32) -> Option<Archive> {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.version_info[1])"]).output().ok();
    let minor = asked.and_then(|it| String::from_utf8_lossy(&it.stdout).trim().parse::<u32>().ok());
    if !minor.is_some_and(|minor| (since..=until).contains(&minor)) {
        skipped(&format!("{requirement} needs Python 3.{since} to 3.{until} to fail and be repaired"));
        return None;
    }
    let mut pip = Command::new("python3");
    fetched(pip.args(["-m", "pip", "download", "--no-deps", "--no-binary", ":all:"]).args(QUIET).arg(requirement))
}

#[test]
fn frozendict_1_2_can_be_imported_again() {
    if let Some(fetched) = release("frozendict==1.2", 10, 99) {
        repair(&fetched, &["python3", "-B", "-c", "import frozendict"], "collections");
    }
}

/// `from fractions import gcd`.
#[test]
fn networkx_1_11_can_be_imported_again() {
    let Some(fetched) = release("networkx==1.11", 9, 12) else { return };
    let beside = tempfile::tempdir().unwrap();
    let mut pip = Command::new("python3");
    let installed = pip.args(["-m", "pip", "install", "--no-deps", "--no-compile", "--target"]).arg(beside.path());
    installed.args(QUIET).arg("decorator==4.4.2").output().unwrap();
    let Ok(decorator) = fs::read_to_string(beside.path().join("decorator.py")) else {
        skipped("offline: networkx needs the package decorator");
        return;
    };
    let asks = "import networkx; assert networkx.is_aperiodic(networkx.DiGraph([(0, 1), (1, 0), (0, 0)]))";
    repair_with(&fetched, &[("decorator.py", &decorator)], &["python3", "-B", "-c", asks], "gcd");
}

/// `inspect.getargspec`, whose result is assigned to a variable.
#[test]
fn multipledispatch_0_4_7_dispatches_again() {
    const CHECK: &str = "from multipledispatch import dispatch\n\n\nclass Shape:\n    @dispatch(int)\n    def area(self, \
                         side):\n        return side * side\n\n    @dispatch(int, int)\n    def area(self, a, b):\n        \
                         return a * b\n\n\nassert (Shape().area(3), Shape().area(2, 5)) == (9, 10)\n";
    if let Some(fetched) = release("multipledispatch==0.4.7", 11, 99) {
        repair_with(&fetched, &[("check.py", CHECK)], &["python3", "-B", "check.py"], "getargspec");
    }
}

/// `asyncio.coroutine` over generators and plain functions, in several files.
#[test]
fn aiofiles_0_3_2_reads_files_again() {
    const CHECK: &str = "import asyncio\n\nimport aiofiles\nimport aiofiles.os\n\n\nasync def main():\n    async with \
                         aiofiles.open('PKG-INFO') as file:\n        async for line in file:\n            assert \
                         line.startswith('Metadata-Version')\n            break\n    file = await \
                         aiofiles.open('PKG-INFO')\n    assert 'aiofiles' in await file.read()\n    await \
                         file.close()\n    assert (await aiofiles.os.stat('PKG-INFO')).st_size \
                         > 0\n\n\nasyncio.run(main())\n";
    if let Some(fetched) = release("aiofiles==0.3.2", 11, 99) {
        repair_with(&fetched, &[("check.py", CHECK)], &["python3", "-B", "check.py"], "coroutine");
    }
}
