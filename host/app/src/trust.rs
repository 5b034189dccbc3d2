//! Which keys of the repository's `gephost.toml` count: those that widen only if the user trusts the file.

use std::path::{Path, PathBuf};

use gephost_core::config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES};
use gephost_core::trust::Widening;
use gephost_runner::state::StateFolder;

use crate::environment::Environment;
use crate::error::AppError;
use crate::files::{config_text, read_optional, refused, user_config};
use crate::project::Project;

/// The config as it counts.
pub(crate) struct Counted {
    pub(crate) config: Config,
    /// The keys of the file that do not count, because the user does not trust it.
    pub(crate) waiting: Vec<Widening>,
}

/// What the config says that waits for trust, or that was just trusted.
#[derive(Debug)]
pub struct Trust {
    /// The config file.
    pub file: PathBuf,
    /// Its keys that count only if it is trusted.
    pub keys: Vec<Widening>,
    /// Whether they count now.
    pub trusted: bool,
    /// The trusted folder of the user's own config that the project lies in.
    pub folder: Option<PathBuf>,
    /// The text that was trusted last, if it is another one.
    pub before: Option<String>,
    /// The text of now.
    pub text: String,
}

/// Reads the project's config. Its keys that widen count if the user trusts it.
pub(crate) fn read(environment: &Environment, root: &Path, state: &StateFolder) -> Result<Counted, AppError> {
    let path = root.join(CONFIG_FILE);
    let text = read_optional(&path, MAX_CONFIG_BYTES)?.unwrap_or_default();
    let config = config_text(&path, &text)?;
    let widenings = config.file.widenings();
    if widenings.is_empty()
        || state.trusted().has(&text).map_err(|error| unread(state, &error))?
        || trusted_folder(environment, root)?.is_some()
    {
        return Ok(Counted { config, waiting: Vec::new() });
    }
    let config = config.without_widenings().map_err(|error| refused(format!("{}: {error}", path.display())))?;
    Ok(Counted { config, waiting: widenings })
}

/// The folder of `[trust] folders` that a project lies in.
fn trusted_folder(environment: &Environment, root: &Path) -> Result<Option<PathBuf>, AppError> {
    let folders = user_config(environment)?.trust.folders;
    // A folder that is not there holds no project.
    let holds = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| root.starts_with(folder));
    Ok(folders.into_iter().map(PathBuf::from).find(holds))
}

impl Project {
    /// What of the config needs trust, and whether it has it.
    pub fn trust(&self) -> Result<Trust, AppError> {
        let file = self.root.join(CONFIG_FILE);
        let text = read_optional(&file, MAX_CONFIG_BYTES)?.unwrap_or_default();
        let keys = config_text(&file, &text)?.file.widenings();
        let texts = self.state.trusted();
        let before = texts.last().map_err(|error| unread(&self.state, &error))?.filter(|before| *before != text);
        let folder = trusted_folder(&self.environment, &self.root)?;
        let has = texts.has(&text).map_err(|error| unread(&self.state, &error))?;
        Ok(Trust { file, keys, trusted: folder.is_some() || has, folder, before, text })
    }

    /// Trusts the config as it is now, and says what that allows. A later text of it is not trusted.
    pub fn grant_trust(&self) -> Result<Trust, AppError> {
        let trust = self.trust()?;
        if !trust.keys.is_empty() && !trust.trusted {
            self.create_state()?;
            let added = self.state.trusted().add(&trust.text, self.environment.now());
            added.map_err(|error| AppError::io(&self.state.root().path(), "write", &error))?;
        }
        Ok(Trust { trusted: true, ..trust })
    }

    /// Trusts no text of the config any more. Returns whether one was trusted.
    pub fn revoke_trust(&self) -> Result<bool, AppError> {
        self.state.trusted().clear().map_err(|error| AppError::io(&self.state.root().path(), "write", &error))
    }
}

fn unread(state: &StateFolder, error: &std::io::Error) -> AppError {
    AppError::io(&state.root().path(), "read what is trusted in", error)
        .hint("to trust no text of gephost.toml any more: gephost trust --revoke")
}
