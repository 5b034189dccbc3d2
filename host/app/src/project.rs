//! An open project: its folder, config and state, the assets, and the one log of the process. Needs no git.

#![expect(clippy::disallowed_methods, reason = "a project is found by path")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gephost_core::config::{CONFIG_FILE, Config};
use gephost_core::event_log::{Entry, EntryBody, State, Verification};
use gephost_core::trust::Widening;
use gephost_runner::event_log::{EventLog, LogError};
use gephost_runner::registry::Registry;
use gephost_runner::state::{Earlier, Moved, StateFolder};
use gephost_runner::worktree::{self, BaseTree, Head, OpenError};

use crate::brought::{self, Own};
use crate::counted_config::{self, Counted};
use crate::environment::Environment;
use crate::error::AppError;
use crate::model_access::ModelAccess;
use crate::sink::Note;

/// A project's folder, and everything that gephost keeps of it.
#[derive(Debug)]
pub struct Project {
    /// What the project was opened with.
    pub environment: Environment,
    /// The folder that holds `gephost.toml`, or would hold it.
    pub root: PathBuf,
    /// The config, as it counts.
    pub config: Config,
    /// The keys of the config's file that do not count, because the user does not trust it.
    pub waiting: Vec<Widening>,
    /// What the config's file says; empty if there is none.
    pub config_text: String,
    /// The keys of the file that widen, whether they count or not.
    pub widenings: Vec<Widening>,
    /// Where gephost keeps its state.
    pub state: StateFolder,
    /// The assets folder, which other GEP tools read and write too.
    pub registry: Registry,
    /// The log. There is one value of it in a process, so that the log is verified once.
    pub log: EventLog,
    /// What the user said in this process to reading the project's own sessions.
    pub reads_sessions: OnceLock<bool>,
    /// The model, for everything in this process that asks it.
    pub model: Arc<ModelAccess>,
}

/// Makes the first commit of a repository.
pub(crate) const FIRST_COMMIT: &str = "git add . && git commit";

impl Project {
    /// Opens the nearest folder upwards that has a `gephost.toml`, else a `.git`, else the folder itself. Creates
    /// nothing.
    pub fn open(environment: &Environment) -> Result<Self, AppError> {
        Self::open_for(environment, false)
    }

    /// The same for a command that was perhaps asked to apply. If the apply waits for trust, its refusal says so, and no
    /// note does.
    pub fn open_for(environment: &Environment, applies: bool) -> Result<Self, AppError> {
        let project = Self::open_quietly(environment)?;
        let is_said = applies && project.apply_waits_for_trust();
        if !project.waiting.is_empty() && !is_said {
            let keys: Vec<&str> = project.waiting.iter().map(|key| key.key).collect();
            let keys = keys.join(", ");
            let look = "to look: gephost policy check; to trust it: gephost trust";
            let text = format!("not counted until you trust {CONFIG_FILE}: {keys} ({look})");
            environment.sink.note(Note::Info(&text));
        }
        project.note_moved();
        Ok(project)
    }

    /// The same, without the note on keys of the config that wait for trust.
    pub fn open_quietly(environment: &Environment) -> Result<Self, AppError> {
        let start = environment
            .directory
            .canonicalize()
            .map_err(|error| AppError::io(&environment.directory, "open", &error))?;
        if !start.is_dir() {
            return Err(AppError::usage("not_a_directory", format!("{} is not a directory", start.display())));
        }
        let root = find_root(&start);
        brought::refuse_tracked(&environment.state, Own::State, &root)?;
        let assets = environment.assets.as_deref().map(|dir| environment.resolve(dir));
        let state = StateFolder::new(&root, &environment.user_folders(), assets.as_deref())
            .map_err(|error| AppError::io(&root, "open", &error))?;
        move_earlier_state(environment, &state)?;
        let Counted { config, text, widenings, is_waiting } = counted_config::read(environment, &root, &state)?;
        let registry = Registry::new(state.assets()).with_cache(&environment.user_folders().cache);
        let log = EventLog::new(&state.log(), state.head());
        let waiting = if is_waiting { widenings.clone() } else { Vec::new() };
        let model = Arc::new(ModelAccess::new(environment, &config.file.model, &config.policy));
        Ok(Self {
            environment: environment.clone(),
            model,
            root,
            config,
            waiting,
            config_text: text,
            widenings,
            state,
            registry,
            log,
            reads_sessions: OnceLock::new(),
        })
    }

    /// Whether `apply.enabled` is set and does not count yet, because the user does not trust the file.
    pub fn apply_waits_for_trust(&self) -> bool {
        self.waiting.iter().any(|key| key.key == "apply.enabled")
    }

    /// An existing path from the project's root; `None` for the root itself and for a path outside.
    pub fn within(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let within = path.strip_prefix(&self.root).ok()?.to_str()?;
        (!within.is_empty()).then(|| within.to_owned())
    }

    /// The git repository that the project lies in.
    pub fn repository(&self) -> Result<worktree::Project, AppError> {
        worktree::Project::open(&self.root).map_err(|error| {
            let failed = AppError::usage("repository", error.to_string());
            match error {
                OpenError::NoCommit { .. } => failed
                    .hint(format!("to make one: {FIRST_COMMIT}; init, status, record and diagnose work without one")),
                _ => failed,
            }
        })
    }

    /// Whether the project lies in a git repository, usable or not.
    pub fn is_in_repository(&self) -> bool {
        !matches!(worktree::Project::open(&self.root), Err(OpenError::NotARepository { .. }))
    }

    /// Whether the project lies in a git repository that has a commit, usable or not.
    pub fn has_commits(&self) -> bool {
        let opened = worktree::Project::open(&self.root);
        !matches!(opened, Err(OpenError::NotARepository { .. } | OpenError::NoCommit { .. }))
    }

    /// Creates the state folder if it is missing.
    pub fn create_state(&self) -> Result<(), AppError> {
        self.state.create(self.environment.now()).map_err(|error| state_failed(&self.state, "create", &error))
    }

    /// The entries of the log; none if there is no log yet.
    pub fn entries(&self) -> Result<Arc<Vec<Entry>>, AppError> {
        self.log.read_all().map_err(|error| log_failed(&error))
    }

    /// Whether the log is what was written. Reads all of it.
    pub fn verify_log(&self) -> Result<Verification, AppError> {
        self.log.verify().map_err(|error| log_failed(&error))
    }

    /// Accepts that the log was removed as a whole, or that its head is missing. Returns what the log says of it now.
    pub fn accept_log(&self) -> Result<Option<String>, AppError> {
        self.log.accept(self.environment.now()).map_err(|error| log_failed(&error))
    }

    /// What the log adds up to.
    pub fn log_state(&self) -> Result<Arc<State>, AppError> {
        self.log.state().map_err(|error| log_failed(&error))
    }

    /// Appends an entry to the log. When this returns, the entry is on disk.
    pub fn append(&self, body: &EntryBody) -> Result<(), AppError> {
        // A folder with a log and without the mark of this installation could be neither listed nor removed.
        self.create_state()?;
        self.log.append(self.environment.now(), body).map_err(|error| log_failed(&error))
    }

    /// Appends several entries to the log, in order, at the cost of one. When this returns, they are on disk.
    pub fn append_all(&self, bodies: &[EntryBody]) -> Result<(), AppError> {
        if bodies.is_empty() {
            return Ok(());
        }
        self.create_state()?;
        self.log.append_all(self.environment.now(), bodies).map_err(|error| log_failed(&error))
    }
}

/// Moves what an earlier gephost left in the project to where state is kept now, and says what became of it.
fn move_earlier_state(environment: &Environment, state: &StateFolder) -> Result<(), AppError> {
    let note = |text: &str| environment.sink.note(Note::Info(text));
    match Earlier::of(state).settle(environment.now()).map_err(|error| AppError::failed("state", error))? {
        Moved::Nothing => {}
        Moved::All { from, to } => {
            note(&format!("the state of this project was moved from {} to {}", from.display(), to.display()));
        }
        Moved::LeftAlone { folder, reason } => {
            note(&format!("{} counts for nothing and was left alone: {reason}", folder.display()));
        }
    }
    let is_replaced = state.note_replaced(environment.now());
    if is_replaced.map_err(|error| state_failed(state, "read", &error))? {
        let path = state.identity().path.display().to_string();
        state.trusted().clear().map_err(|error| state_failed(state, "write", &error))?;
        state.reads_sessions().clear().map_err(|error| state_failed(state, "write", &error))?;
        note(&format!("{path} is another folder than before; its state goes on, and {CONFIG_FILE} is not trusted"));
        note(&format!("to begin anew instead: gephost state remove {}", state.id()));
    }
    Ok(())
}

fn state_failed(state: &StateFolder, doing: &str, error: &std::io::Error) -> AppError {
    AppError::io(&state.root().path(), doing, error)
        .hint("gephost keeps what it knows of a project there; `--state DIR` names another folder")
}

/// Where the project of a folder begins. A config above the repository belongs to something else.
fn find_root(start: &Path) -> PathBuf {
    let with = |name: &str| start.ancestors().find(|dir| dir.join(name).exists()).map(Path::to_owned);
    let git = with(".git");
    let own = with(CONFIG_FILE).filter(|dir| git.as_ref().is_none_or(|git| dir.starts_with(git)));
    own.or(git).unwrap_or_else(|| start.to_owned())
}

/// An error of the log, with what to do about it.
pub fn log_failed(error: &LogError) -> AppError {
    let hint = match error {
        LogError::Removed { .. } => "to begin a new log: gephost log accept",
        LogError::NoHead { .. } => "if you know that the log is yours: gephost log accept",
        _ => "`gephost log verify` shows what is wrong with the log",
    };
    AppError::failed("log", error).hint(hint)
}

/// The commit and the branch of `HEAD`.
pub fn head(repository: &worktree::Project) -> Result<Head, AppError> {
    repository.head().map_err(|error| AppError::usage("repository", error.to_string()))
}

/// The tree of a commit.
pub fn base_at(repository: &worktree::Project, head: &Head) -> Result<BaseTree, AppError> {
    repository.base(&head.commit).map_err(|error| AppError::failed("repository", error))
}

/// The tree that everything is judged against: that of `HEAD`.
pub fn base(repository: &worktree::Project) -> Result<BaseTree, AppError> {
    base_at(repository, &head(repository)?)
}
