//! Real projects with real toolchains, confined at L1, as who runs the tests and as an ordinary user: what they need is
//! readable, and they test without a network.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use gephost_tests::environment::{Ran, TestEnv, gephost, make_program};
use gephost_tests::project::TestProject;
use gephost_tests::skipped;
use serde_json::Value;
use tempfile::TempDir;

/// A change that breaks nothing.
pub(super) const CHANGE: &str = "--- /dev/null\n+++ b/added.txt\n@@ -0,0 +1 @@\n+new\n";

pub(super) fn config(command: &str, more: &str) -> String {
    format!(
        "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n[validation]\nsandbox = \"required:L1\"\ncommands = \
         [\"{command}\"]\n{more}"
    )
}

/// Who runs gephost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    /// Who runs the tests, with the toolchains of the own home.
    Own,
    /// An ordinary user without rights, with the tools of the system.
    Nobody,
}

impl User {
    const NOBODY: &str = "65534";

    /// Who can be; who runs the tests is an ordinary user already, unless that is root.
    fn all() -> Vec<Self> {
        let root = fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0);
        if root { vec![Self::Own, Self::Nobody] } else { vec![Self::Own] }
    }

    fn path(self) -> OsString {
        match self {
            Self::Own => std::env::var_os("PATH").unwrap_or_default(),
            Self::Nobody => "/usr/local/bin:/usr/bin:/bin".into(),
        }
    }

    fn command(self, env: &TestEnv, program: &OsStr, directory: &Path) -> Command {
        let mut command = env.command(if self == Self::Own { program } else { "setpriv".as_ref() }, directory);
        if self == Self::Nobody {
            let options = ["--reuid", Self::NOBODY, "--regid", Self::NOBODY, "--clear-groups", "--inh-caps=-all", "--"];
            command.args(options).arg(program);
        }
        // The toolchains are those of the person who runs the tests, whose home is elsewhere.
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("PYENV_ROOT", ".pyenv")] {
            match self {
                Self::Own => command.env(name, std::env::var_os(name).map_or_else(|| home.join(folder), PathBuf::from)),
                Self::Nobody => command.env_remove(name),
            };
        }
        command.env("PATH", self.path());
        command
    }

    /// Whether the user can start a program; says so if not.
    fn has(self, program: &str) -> bool {
        let env = TestEnv::new();
        let output = self.command(&env, program.as_ref(), Path::new("/")).arg("--version").output();
        let there = output.is_ok_and(|output| output.status.success());
        if !there {
            skipped(&format!("{program} is not installed for {self:?}"));
        }
        there
    }

    /// Applies the change in a project; gives the document.
    fn apply(self, files: &[(&str, &str)], variables: &[(&str, &OsStr)]) -> Value {
        let env = TestEnv::new();
        let project = TestProject::new(&env, files);
        project.write("change.diff", CHANGE);
        let folder = open_folder();
        let (program, home) = (folder.path().join("gephost"), folder.path().join("home"));
        make_program(&program, &fs::read(gephost()).unwrap());
        fs::create_dir_all(home.join(".config/gephost")).unwrap();
        fs::write(home.join(".config/gephost/config.toml"), gephost_tests::environment::trusting()).unwrap();
        if self == Self::Nobody {
            let mut chown = env.command("chown", folder.path());
            let owned = chown.args(["-R", &format!("{0}:{0}", Self::NOBODY)]).arg(&home).arg(project.root()).status();
            assert!(owned.unwrap().success());
        }
        let mut command = self.command(&env, program.as_os_str(), project.root());
        command.env("HOME", &home).envs(variables.iter().copied());
        let ran = Ran::of(command.args(APPLY).output().unwrap());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
    }
}

/// A folder that every user may look into.
fn open_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

pub(super) const APPLY: [&str; 4] = ["--json", "apply", "change.diff", "--apply"];

pub(super) fn has_landlock() -> bool {
    let there = super::levels().contains(&gephost_core::validation::Level::L1);
    if !there {
        skipped("this machine has no level L1");
    }
    there
}

/// The users who can run the program at L1.
fn users_of(program: &'static str) -> impl Iterator<Item = User> {
    let users = if has_landlock() { User::all() } else { Vec::new() };
    users.into_iter().filter(|user| user.has(program))
}

/// Checks that so many tests ran before and after.
fn check(document: &Value, user: User, tests: u64) {
    let applied = &document["applied"];
    let decided = (&applied["decision"], &applied["sandbox"]);
    assert_eq!(decided, (&"unchanged".into(), &"L1".into()), "{user:?}: {document:#}");
    assert_eq!(applied["commands"][0]["after"]["tests"]["passed"], tests, "{user:?}: {document:#}");
}

#[test]
fn python_tests() {
    for user in users_of("python3") {
        let test = "import os, tempfile, unittest\n\n\nclass T(unittest.TestCase):\n    def test_file(self):\n        \
                    with tempfile.NamedTemporaryFile() as file:\n            os.chmod(file.name, 0o600)\n\n    \
                    def test_user(self):\n        self.assertEqual(os.getuid(), USER)\n";
        let id = if user == User::Nobody { User::NOBODY } else { "os.getuid()" };
        let (config, test) = (config("python3 -m unittest -v", ""), test.replace("USER", id));
        check(&user.apply(&[("gephost.toml", &config), ("test_a.py", &test)], &[]), user, 2);
    }
}

#[test]
fn node_and_npm_tests_with_what_is_installed_beside() {
    for user in users_of("npm") {
        let package = r#"{"name": "a", "version": "1.0.0", "scripts": {"test": "node --test"}}"#;
        let test = "const test = require('node:test');\ntest('uses', () => { if (require('dep') !== 7) throw 1; });\n";
        let config = config("npm test", "caches = [\"node_modules\"]\n");
        let files = [("gephost.toml", config.as_str()), ("package.json", package), ("a.test.js", test)];
        let installed = [("node_modules/dep/index.js", "module.exports = 7;\n"), (".gitignore", "node_modules\n")];
        check(&user.apply(&[&files[..], &installed].concat(), &[]), user, 1);
    }
}

#[test]
fn cargo_tests_with_a_dependency_from_the_registry_without_a_network() {
    if !has_landlock() || !User::Own.has("cargo") {
        return;
    }
    let fetched = Command::new("cargo").args(["info", "--offline", "-q", "cfg-if"]).output();
    if !fetched.is_ok_and(|output| output.status.success()) {
        return skipped("cargo has not fetched cfg-if");
    }
    for user in User::all() {
        let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncfg-if = \"1\"\n[workspace]\n";
        let source = "cfg_if::cfg_if! { if #[cfg(unix)] { pub const UNIX: bool = true; } else { pub const UNIX: bool = false; } }\n\
                      #[test]\nfn unix() { assert!(UNIX); }\n";
        let config = config("cargo test --offline", "caches = [\"cargo\"]\n");
        let files = [("gephost.toml", config.as_str()), ("Cargo.toml", manifest), ("src/lib.rs", source)];
        let document = match user {
            User::Own => user.apply(&files, &[]),
            User::Nobody => {
                let shared = SharedCargo::new();
                let (path, home) = (path_with(&shared.bin(), user), shared.home());
                user.apply(&files, &[("PATH", &path), ("CARGO_HOME", home.as_os_str())])
            }
        };
        check(&document, user, 1);
    }
}

/// The toolchain of who runs the tests, and the packages that cargo has fetched, where every user may read them: root's
/// home is closed to others.
struct SharedCargo(TempDir);

impl SharedCargo {
    fn new() -> Self {
        let shared = Self(open_folder());
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap().stdout;
        let sysroot = PathBuf::from(String::from_utf8(sysroot).unwrap().trim());
        let home = std::env::var_os("HOME").unwrap_or_default();
        let cargo_home = std::env::var_os("CARGO_HOME").map_or_else(|| Path::new(&home).join(".cargo"), PathBuf::from);
        fs::create_dir_all(shared.home().join("registry")).unwrap();
        for (from, to) in [
            (sysroot.join("bin"), shared.bin()),
            (sysroot.join("lib"), shared.0.path().join("lib")),
            (cargo_home.join("registry/index"), shared.home().join("registry/index")),
            (cargo_home.join("registry/cache"), shared.home().join("registry/cache")),
        ] {
            // Links where they can be, which cost nothing; else copies.
            let copied = |how| Command::new("cp").arg(how).args([&from, &to]).output().unwrap().status.success();
            if !copied("-al") {
                drop(fs::remove_dir_all(&to));
                assert!(copied("-a"), "{} cannot be copied", from.display());
            }
        }
        shared
    }

    fn bin(&self) -> PathBuf {
        self.0.path().join("bin")
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("cargo")
    }
}

/// The user's search path with a folder before it.
fn path_with(folder: &Path, user: User) -> OsString {
    std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&user.path()))).unwrap()
}

#[test]
fn pytest_in_a_virtual_environment() {
    for user in users_of("python3") {
        let folder = open_folder();
        let venv = folder.path().join("venv");
        let succeeds = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        let pip = [
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--retries",
            "1",
            "--timeout",
            "20",
            "pytest",
        ];
        // The user's python3, not that of the tests: a venv is links to the one that made it.
        let made = succeeds(Command::new("python3").env("PATH", user.path()).args(["-m", "venv"]).arg(&venv));
        if !made || !succeeds(Command::new(venv.join("bin/python3")).args(pip)) {
            skipped("offline, or python3 has no module venv: no virtual environment with pytest can be made");
            continue;
        }
        let test = "import pytest\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_a(x, tmp_path):\n    (tmp_path / 'a').touch()\n";
        // An activated one: its folder comes first in the search path.
        let path = path_with(&venv.join("bin"), user);
        let config = config("pytest -q", "");
        check(&user.apply(&[("gephost.toml", &config), ("test_a.py", test)], &[("PATH", &path)]), user, 2);
    }
}

#[test]
fn go_tests_with_a_module_and_what_was_built_before() {
    let tools = gephost_tests::repository().join("target/tools");
    let installed = fs::read_dir(tools).into_iter().flatten().flatten().map(|entry| entry.path().join("go"));
    let Some(root) = installed.into_iter().find(|root| root.join("bin/go").is_file()) else {
        return skipped("go is not installed: `tests/guests/languages/install-tools`");
    };
    if !has_landlock() {
        return;
    }
    let folder = open_folder();
    let gopath = folder.path().join("gopath");
    // What fetching leaves: a module in the cache, and its digest beside the project.
    let module = "pkg/mod/example.com/dep@v1.0.0";
    let download = "pkg/mod/cache/download/example.com/dep/@v";
    for (path, text) in [
        (format!("{module}/go.mod"), "module example.com/dep\n"),
        (format!("{module}/dep.go"), "package dep\n\nconst Seven = 7\n"),
        (format!("{download}/v1.0.0.mod"), "module example.com/dep\n"),
        (format!("{download}/v1.0.0.info"), "{\"Version\":\"v1.0.0\"}"),
        (format!("{download}/v1.0.0.ziphash"), "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    ] {
        let path = gopath.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let manifest = "module example.com/a\n\ngo 1.21\n\nrequire example.com/dep v1.0.0\n";
    let test = "package a\n\nimport (\n\t\"testing\"\n\n\t\"example.com/dep\"\n)\n\nfunc TestSeven(t *testing.T) {\n\tif \
                dep.Seven != 7 {\n\t\tt.Fatal()\n\t}\n}\n";
    // Kept between runs, as an operator's is: Go's library takes long to build.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-build");
    let sum = go_sum(&root, folder.path(), &built, &[("go.mod", manifest), ("a_test.go", test)]);
    let config = config("go test -v ./...", "caches = [\"go\"]\n");
    let files = [("gephost.toml", config.as_str()), ("go.mod", manifest), ("go.sum", &sum), ("a_test.go", test)];
    let before = entries_below(&built);
    assert!(before > 0, "nothing was built before");
    for user in User::all() {
        let path = path_with(&root.join("bin"), user);
        let variables = [("PATH", path.as_os_str()), ("GOPATH", gopath.as_os_str()), ("GOCACHE", built.as_os_str())];
        check(&user.apply(&files, &variables), user, 1);
        assert_eq!(entries_below(&built), before, "the operator's build cache was written to");
    }
}

/// Runs the tests once as the operator would, which fills the build cache; gives the digests that go asks for.
fn go_sum(root: &Path, folder: &Path, built: &Path, files: &[(&str, &str)]) -> String {
    let project = folder.join("project");
    fs::create_dir(&project).unwrap();
    for (name, text) in files {
        fs::write(project.join(name), text).unwrap();
    }
    let mut go = Command::new(root.join("bin/go"));
    go.current_dir(&project).env("GOPATH", folder.join("gopath")).env("GOCACHE", built);
    go.env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GONOSUMDB", "*").env("GOTOOLCHAIN", "local");
    let output = go.args(["test", "./..."]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(project.join("go.sum")).unwrap()
}

fn entries_below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| 1 + if entry.path().is_dir() { entries_below(&entry.path()) } else { 0 }).sum()
}
