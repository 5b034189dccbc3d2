//! Runs the `gephost` binary with a new home folder, and of the machine's environment only the search path.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use gephost_runner::state::{StateFolder, UserFolders};
use serde_json::Value;
use tempfile::TempDir;

use crate::compiled::Compiled;
pub use crate::program::{gephost, make_program};
use crate::repository;

/// A config of the user that trusts every project in the folder of temporary files.
pub fn trusting() -> String {
    format!("[trust]\nfolders = [{:?}]\n", std::env::temp_dir().to_str().expect("a path in UTF-8"))
}

/// What the first run of the quickstart compiles.
static FIRST_RUN: LazyLock<Compiled> = LazyLock::new(|| {
    let env = TestEnv::cold();
    let ran = env.run(&repository(), &["run", "-C", "examples/quickstart"]);
    Compiled::in_home(env.home()).unwrap_or_else(|| panic!("nothing was compiled: {ran:?}"))
});

/// The home folder of a test.
#[derive(Debug)]
pub struct TestEnv {
    home: PathBuf,
    /// The folders of Rust's tools in the home of the user who runs the tests.
    toolchains: Vec<(&'static str, PathBuf)>,
    /// Removes the home at the end.
    _temporary: Option<TempDir>,
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl TestEnv {
    /// A home with a config that trusts every project in the folder of temporary files. The genes that most runs ask are
    /// compiled there.
    #[expect(clippy::new_without_default, reason = "making a folder is no default")]
    pub fn new() -> Self {
        let env = Self::cold();
        FIRST_RUN.put_into(&env.home);
        env
    }

    /// The same, with nothing compiled.
    pub fn cold() -> Self {
        let env = Self::trusting_nothing();
        env.write_config(&trusting());
        env
    }

    /// Writes the user's own config.
    pub fn write_config(&self, text: &str) {
        let file = self.home.join(".config/gephost/config.toml");
        std::fs::create_dir_all(file.parent().expect("a folder")).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// An empty home.
    pub fn trusting_nothing() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        Self { home: temporary.path().to_owned(), toolchains: Vec::new(), _temporary: Some(temporary) }
    }

    /// An empty home, with the toolchains and fetched packages of the user who runs the tests.
    pub fn with_toolchains() -> Self {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let toolchains = vec![("RUSTUP_HOME", home.join(".rustup")), ("CARGO_HOME", home.join(".cargo"))];
        Self { toolchains, ..Self::new() }
    }

    /// A home that is kept, for genes that take long to compile. The next test, and the next run of the suite, find them in
    /// its compile cache.
    pub fn lasting() -> Self {
        let home = repository().join("target/languages/home");
        std::fs::create_dir_all(&home).unwrap();
        let env = Self { home, toolchains: Vec::new(), _temporary: None };
        env.write_config(&trusting());
        env
    }

    /// The path of the home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The folders of the user whose home it is.
    pub fn user_folders(&self) -> UserFolders {
        UserFolders::new(&self.home.join(".local/state/gephost"), &self.home.join(".cache/gephost"))
    }

    /// Where gephost keeps what it knows of the project in a folder.
    pub fn state_of(&self, project: &Path) -> PathBuf {
        self.state_folder(project).root().path()
    }

    /// Where the work copies of validations in this project lie.
    pub fn work_of(&self, project: &Path) -> PathBuf {
        self.state_folder(project).work().path()
    }

    fn state_folder(&self, project: &Path) -> StateFolder {
        let project = project.canonicalize().expect("a folder that is there");
        StateFolder::new(&project, &self.user_folders(), None).expect("a folder that can be looked at")
    }

    /// A command with this environment.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(directory)
            .env_clear()
            .env("HOME", self.home())
            .env("USER", "tester")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LANG", "C.UTF-8")
            .envs(self.toolchains.iter().map(|(name, folder)| (name, folder)))
            .stdin(Stdio::null());
        for name in ["PATH", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH", "PYENV_ROOT"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// Python, with the packages that `.ci/run` installs for the tests.
    pub fn python(&self, directory: &Path) -> Command {
        let mut command = self.command("python3", directory);
        command.env("PYTHONPATH", repository().join("target/tools/python"));
        command
    }

    /// Runs `gephost` with these arguments in a directory. A document that it prints is checked against its schema.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, directory: &Path, arguments: &[S]) -> Ran {
        let ran = Ran::of(self.command(gephost(), directory).args(arguments).output().unwrap());
        crate::schema::check_output(&ran.stdout);
        ran
    }

    /// Runs `gephost` with `--json`, and returns the document and the exit code.
    pub fn json(&self, directory: &Path, arguments: &[&str]) -> (Value, i32) {
        let mut with_json = arguments.to_vec();
        let at = with_json.iter().position(|argument| *argument == "--").unwrap_or(with_json.len());
        with_json.insert(at, "--json");
        let ran = self.run(directory, &with_json);
        let document = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| {
            panic!("{arguments:?} printed no JSON document ({error}):\n{}{}", ran.stdout, ran.stderr)
        });
        (document, ran.code)
    }
}

impl Ran {
    /// From the output of a process.
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails unless the exit code is this one.
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}
