//! The project's config as it counts: without the keys that widen, unless the user trusts the file.

#![expect(clippy::disallowed_methods, reason = "the folders that the user trusts are named by path")]

use std::path::{Path, PathBuf};

use gephost_core::config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES};
use gephost_core::trust::Widening;
use gephost_runner::state::StateFolder;

use crate::environment::Environment;
use crate::error::AppError;
use crate::files::{config_text, read_optional, refused, user_config};

/// The config as it counts.
pub(crate) struct Counted {
    pub(crate) config: Config,
    /// What the file says; empty if there is none.
    pub(crate) text: String,
    /// The keys of the file that widen.
    pub(crate) widenings: Vec<Widening>,
    /// Whether these do not count, because the user does not trust the file.
    pub(crate) is_waiting: bool,
}

/// Reads the project's config. Its keys that widen count if the user trusts it.
pub(crate) fn read(environment: &Environment, root: &Path, state: &StateFolder) -> Result<Counted, AppError> {
    let path = root.join(CONFIG_FILE);
    let text = read_optional(&path, MAX_CONFIG_BYTES)?.unwrap_or_default();
    let config = config_text(&path, &text)?;
    let widenings = config.file.widenings();
    if widenings.is_empty() || is_trusted(environment, root, state, &text)? {
        return Ok(Counted { config, text, widenings, is_waiting: false });
    }
    let config = config.without_widenings().map_err(|error| refused(format!("{}: {error}", path.display())))?;
    Ok(Counted { config, text, widenings, is_waiting: true })
}

/// Whether the user trusts this text of the project's config, or its folder.
pub(crate) fn is_trusted(
    environment: &Environment,
    root: &Path,
    state: &StateFolder,
    text: &str,
) -> Result<bool, AppError> {
    let has = state.trusted().has(text).map_err(|error| unread(state, &error))?;
    Ok(has || trusted_folder(environment, root)?.is_some())
}

/// The folder of `[trust] folders` that a project lies in.
pub(crate) fn trusted_folder(environment: &Environment, root: &Path) -> Result<Option<PathBuf>, AppError> {
    let folders = user_config(environment)?.trust.folders;
    // A folder that is not there holds no project.
    let holds = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| root.starts_with(folder));
    Ok(folders.into_iter().map(PathBuf::from).find(holds))
}

/// Why what the user trusts cannot be told.
pub(crate) fn unread(state: &StateFolder, error: &std::io::Error) -> AppError {
    AppError::io(&state.root().path(), "read what is trusted in", error)
        .hint("to trust no text of gephost.toml any more: gephost trust --revoke")
}
