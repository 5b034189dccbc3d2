//! The program that is tested.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, OnceLock};

use crate::repository;

/// The `gephost` program, which each test process builds once.
pub fn gephost() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        // What Cargo says of the package under test is looked at by a build script (that of `ring`). With it, `ring` and all
        // that depends on it would be built again here, and once more by the next command.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO_PKG_") || name.to_string_lossy().starts_with("CARGO_MANIFEST_")
            {
                cargo.env_remove(&name);
            }
        }
        let built = cargo
            .args(["build", "--release", "--locked", "--quiet", "--workspace", "--bin", "gephost"])
            .current_dir(repository())
            .status()
            .unwrap();
        assert!(built.success(), "gephost does not build");
        // The binary of this test is in <target>/release/deps.
        let deps = std::env::current_exe().unwrap();
        deps.parent().and_then(Path::parent).unwrap().join("gephost")
    })
}

/// Python itself, if the machine has it. A version manager puts a script in its place, which works only with its own settings
/// and takes longer than what the test starts it for.
pub(crate) fn python() -> Option<&'static Path> {
    static PYTHON: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
        let answer = String::from_utf8(asked.stdout).ok()?;
        Some(PathBuf::from(answer.trim())).filter(|file| file.is_file())
    });
    PYTHON.as_deref()
}

/// Makes a program that a test starts: an executable file with this content.
///
/// Another process writes it. The tests of one process start programs from many threads, and a file that is open for
/// writing here is, for a moment, open in every child that one of them starts just then: the kernel does not start such a
/// file ("Text file busy").
pub fn make_program(path: &Path, content: &[u8]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut writer = shell.spawn().unwrap();
    writer.stdin.take().unwrap().write_all(content).unwrap();
    assert!(writer.wait().unwrap().success(), "{} cannot be written", path.display());
}
