//! The project's config as it counts: without the keys that widen, unless the user trusts the file.

#![expect(clippy::disallowed_methods, reason = "the folders that the user trusts are named by path")]

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gephost_core::config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES};
use gephost_core::secret::Ruleset;
use gephost_core::trust::{Widening, is_outside};
use gephost_runner::place::Place;
use gephost_runner::regular_file;
use gephost_runner::state::StateFolder;

use crate::environment::Environment;
use crate::error::AppError;
use crate::files::{parsed, refused, rule_files, text_of, user_config, with_rules};

/// The config as it counts.
pub(crate) struct Counted {
    pub(crate) config: Config,
    /// What the file says, and after it the files of secret rules that it names within the project; empty if there is no
    /// config. This is what the user trusts.
    pub(crate) text: String,
    /// The keys of the file that widen.
    pub(crate) widenings: Vec<Widening>,
    /// Whether these do not count, because the user does not trust the file.
    pub(crate) is_waiting: bool,
}

/// Reads the project's config. Its keys that widen count if the user trusts it.
pub(crate) fn read(environment: &Environment, root: &Path, state: &StateFolder) -> Result<Counted, AppError> {
    let (path, folder) = (root.join(CONFIG_FILE), Place::shared(root));
    let opened = folder.join(CONFIG_FILE).open_through_links();
    let text = text_of(&path, opened, MAX_CONFIG_BYTES)?.unwrap_or_default();
    let config = parsed(&path, &text)?;
    let named = config.file.policy.secret_rules.clone();
    let within: Vec<String> = named.iter().filter(|name| !is_outside(name)).cloned().collect();
    let files = rule_files(root, &within, |name| folder.join(without_dots(name)).open_through_links())?;
    let text = with_files(text, &files);
    let config = with_rules(config, &files)?;
    let widenings = config.widenings();
    if widenings.is_empty() || is_trusted(environment, root, state, &text)? {
        let config = if within.len() == named.len() {
            config
        } else {
            with_rules(config, &rule_files(root, &named, |name| regular_file::open(&root.join(name)))?)?
        };
        return Ok(Counted { config, text, widenings, is_waiting: false });
    }
    let mut config = config.without_widenings().map_err(|error| refused(format!("{}: {error}", path.display())))?;
    if !files.is_empty() {
        let rules = Ruleset::with_additions(&files).map_err(|error| refused(error.to_string()))?;
        config.policy = config.policy.with_secret_rules(Arc::new(rules));
    }
    Ok(Counted { config, text, widenings, is_waiting: true })
}

/// A relative path without its `.` parts, which a [`Place`] does not take.
fn without_dots(name: &str) -> PathBuf {
    Path::new(name).components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

/// The config's text, and after it each file with its name.
fn with_files(text: String, files: &[(String, String)]) -> String {
    files.iter().fold(text, |text, (name, file)| format!("{text}\n# The file {name:?}:\n{file}"))
}

/// Whether the user trusts this text of the project's config, or its folder.
pub(crate) fn is_trusted(
    environment: &Environment,
    root: &Path,
    state: &StateFolder,
    text: &str,
) -> Result<bool, AppError> {
    let has = state.trusted().has(text).map_err(|error| unreadable(state, &error))?;
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
pub(crate) fn unreadable(state: &StateFolder, error: &std::io::Error) -> AppError {
    AppError::io(&state.root().path(), "read what is trusted in", error)
        .hint("to trust no version of gephost.toml any more: gephost trust --revoke")
}
