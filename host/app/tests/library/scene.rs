//! Projects to call the application on: the quickstart, or a few files, in a repository of its own.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use gephost_app::apply::ApplyOptions;
use gephost_app::{AppError, Environment, ErrorKind, Note, Project, Sink};
use gephost_core::event_log::EntryBody;
use git2::{IndexAddOption, Repository, RepositoryInitOptions, Signature};
use jiff::Timestamp;
use tempfile::TempDir;

/// A project in a folder of its own, and the environment that it is opened with.
pub(crate) struct Scene {
    folder: TempDir,
    /// The user's folders, if no other scene has the same.
    user: Option<TempDir>,
    /// What the project is opened with.
    pub(crate) environment: Environment,
    notes: Arc<Notes>,
}

/// Remembers notes.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl Sink for Notes {
    fn note(&self, note: Note<'_>) {
        let text = match note {
            Note::Warning(text) => format!("warning: {text}"),
            Note::Info(text) => format!("info: {text}"),
            Note::Step(text) => format!("step: {text}"),
            Note::GeneFailed(call) => format!("failed: {}", call.gene),
        };
        self.0.lock().expect("no thread panicked").push(text);
    }
}

fn clock() -> Timestamp {
    "2026-02-03T04:05:06Z".parse().expect("a time")
}

impl Scene {
    /// These files, in no repository.
    pub(crate) fn without_git(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // The compiled components stay, so that the next test finds them.
        let user = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user");
        let notes = Arc::new(Notes::default());
        let root = folder.path().canonicalize().expect("a path");
        let environment =
            Environment { sink: Arc::clone(&notes) as Arc<dyn Sink>, ..Environment::in_folders(&root, &user, clock) };
        trust_temporary_folders(&user, &environment.user_config);
        let scene = Self { folder, user: None, environment, notes };
        for (path, text) in files {
            scene.write(path, text);
        }
        scene
    }

    /// The same project for a user of its own, who trusts nothing yet. The compiled components stay where they were.
    pub(crate) fn of_another_user(self) -> Self {
        let user = tempfile::tempdir().expect("a folder");
        let home = user.path().canonicalize().expect("a path");
        let shared = self.environment;
        let environment = Environment {
            sink: shared.sink,
            cache: shared.cache,
            cache_key: shared.cache_key,
            ..Environment::in_folders(&shared.directory, &home, clock)
        };
        Self { user: Some(user), environment, ..self }
    }

    /// Writes the user's own config. Only for a scene with a user of its own.
    pub(crate) fn user_config(&self, text: &str) {
        assert!(self.user.is_some(), "other scenes have the same user");
        fs::write(&self.environment.user_config, text).expect("a config");
    }

    /// The same environment, seen from another folder.
    pub(crate) fn below(&self, folder: &str) -> Environment {
        Environment { directory: self.environment.directory.join(folder), ..self.environment.clone() }
    }

    /// These files, committed.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let scene = Self::without_git(files);
        scene.init_git();
        scene.commit();
        scene
    }

    /// Makes a repository without a commit.
    pub(crate) fn init_git(&self) {
        let options = &mut RepositoryInitOptions::new();
        Repository::init_opts(self.root(), options.initial_head("main")).expect("a repository");
    }

    /// The quickstart, committed, with other lines in its config.
    pub(crate) fn quickstart(replaced: &[(&str, &str)]) -> Self {
        let mut files = Vec::new();
        collect(&quickstart_folder(), Path::new(""), &mut files);
        for (path, text) in &mut files {
            for (from, to) in replaced.iter().filter(|_| path == "gephost.toml") {
                assert!(text.contains(from), "{from}");
                *text = text.replace(from, to);
            }
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Self::new(&files)
    }

    /// Its folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Opens the project.
    pub(crate) fn project(&self) -> Project {
        Project::open(&self.environment).expect("a project")
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Commits everything.
    pub(crate) fn commit(&self) {
        let repository = Repository::open(self.root()).expect("a repository");
        let mut index = repository.index().expect("an index");
        index.add_all(["*"], IndexAddOption::DEFAULT, None).expect("added");
        index.write().expect("written");
        let tree = repository.find_tree(index.write_tree().expect("a tree")).expect("a tree");
        let by = Signature::now("Tester", "tester@example.com").expect("a name");
        let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<_> = parent.iter().collect();
        repository.commit(Some("HEAD"), &by, &by, "state", &tree, &parents).expect("a commit");
    }

    /// The branches that gephost published.
    pub(crate) fn published(&self) -> Vec<String> {
        let repository = Repository::open(self.root()).expect("a repository");
        let branches = repository.branches(None).expect("branches");
        let names = branches.map(|branch| branch.expect("a branch").0.name().expect("a name").map(str::to_owned));
        names.flatten().filter(|name| name.starts_with("evo/")).collect()
    }

    /// Whether a note has this text in it.
    pub(crate) fn noted(&self, text: &str) -> bool {
        self.notes().iter().any(|note| note.contains(text))
    }

    /// Runs `examples/embed` on the project, and gives what it prints.
    pub(crate) fn run_embed(&self) -> String {
        let user = self.environment.user_config.parent().expect("a folder");
        let output = Command::new(embed()).arg(self.root()).arg(user).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// The notes so far.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.0.lock().expect("no thread panicked").clone()
    }

    /// The kinds of the log's entries.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let entries = self.project().entries().expect("a log");
        entries.iter().map(|entry| kind(&entry.body)).collect()
    }
}

/// Writes a config of the user that trusts every scene. Other tests read it meanwhile, so it is put there whole.
fn trust_temporary_folders(user: &Path, config: &Path) {
    fs::create_dir_all(user).expect("a folder");
    let folder = std::env::temp_dir().canonicalize().expect("a path");
    let mut file = tempfile::NamedTempFile::new_in(user).expect("a file");
    writeln!(file, "[trust]\nfolders = [{:?}]", folder.to_str().expect("a path in UTF-8")).expect("written");
    file.persist(config).expect("a config");
}

/// The program of `examples/embed`, built once.
pub(crate) fn embed() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let arguments = ["build", "--release", "--locked", "--quiet", "--workspace", "--example", "embed"];
        let mut cargo = Command::new(env!("CARGO"));
        // As for the program in `tests/src/program.rs`: `ring` is built again where these differ.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO_PKG_") || name.to_string_lossy().starts_with("CARGO_MANIFEST_")
            {
                cargo.env_remove(&name);
            }
        }
        let built = cargo.args(arguments).status().expect("cargo");
        assert!(built.success(), "the example does not build");
        // This test's own binary lies in <target>/release/deps.
        let own = std::env::current_exe().expect("a path");
        own.ancestors().nth(2).expect("a folder").join("examples/embed")
    })
}

/// The error of what must fail.
pub(crate) fn failed<T>(result: Result<T, AppError>) -> AppError {
    match result {
        Ok(_) => panic!("it was done"),
        Err(error) => error,
    }
}

/// Its kind and its code.
pub(crate) fn refusal<T>(result: Result<T, AppError>) -> (ErrorKind, &'static str) {
    let error = failed(result);
    (error.kind, error.code)
}

/// Options that really apply.
pub(crate) fn apply() -> ApplyOptions {
    ApplyOptions { apply: true, why: Some("a test".to_owned()), ..ApplyOptions::default() }
}

/// The name of an entry's kind.
fn kind(body: &EntryBody) -> String {
    serde_json::to_value(body).expect("JSON")["kind"].as_str().expect("a kind").to_owned()
}

fn quickstart_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quickstart")
}

fn collect(root: &Path, below: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(root.join(below)).expect("a folder") {
        let path = below.join(entry.expect("an entry").file_name());
        let name = path.to_str().expect("a name").to_owned();
        if root.join(&path).is_dir() {
            if !name.ends_with("__pycache__") {
                collect(root, &path, files);
            }
        } else {
            files.push((name, fs::read_to_string(root.join(&path)).expect("a file")));
        }
    }
}
