//! Reads files that the operator or the config names, each within a bound.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use gephost_core::config::{Config, MAX_CONFIG_BYTES};
use gephost_core::secret::Ruleset;
use gephost_core::trust::is_outside;
use gephost_core::user_config::UserConfig;
use gephost_runner::regular_file;

use crate::brought::{self, Own};
use crate::environment::Environment;
use crate::error::AppError;

/// Everything that a reader has, if that is at most `limit` bytes. `path` is its name in errors.
pub fn read_bounded(path: &Path, reader: impl Read, limit: u64) -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes).map_err(|error| AppError::io(path, "read", &error))?;
    if bytes.len() as u64 > limit {
        let message = format!("{} has more than {limit} bytes, which is the limit", path.display());
        return Err(AppError::usage("too_large", message));
    }
    Ok(bytes)
}

/// A file's bytes as text.
pub fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String, AppError> {
    String::from_utf8(bytes).map_err(|_| AppError::usage("not_utf8", format!("{} is not UTF-8 text", path.display())))
}

/// The text of a file of at most `limit` bytes; `None` if there is no such file.
pub(crate) fn text_of(path: &Path, opened: io::Result<File>, limit: u64) -> Result<Option<String>, AppError> {
    match opened {
        Ok(file) => utf8(path, read_bounded(path, file, limit)?).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AppError::io(path, "open", &error)),
    }
}

/// Reads a config file that the operator names. A missing one is the default config.
pub fn read_config(path: &Path) -> Result<Config, AppError> {
    config_text(path, &text_of(path, regular_file::open(path), MAX_CONFIG_BYTES)?.unwrap_or_default())
}

/// The user's own config. A missing one is empty; one that the repository brings is refused.
pub(crate) fn user_config(environment: &Environment) -> Result<UserConfig, AppError> {
    let path = &environment.user_config;
    brought::refuse_tracked(path, Own::Config, &environment.directory)?;
    let text = text_of(path, regular_file::open(path), MAX_CONFIG_BYTES)?.unwrap_or_default();
    UserConfig::from_toml(&text).map_err(|error| AppError::usage("config", format!("{}: {error}", path.display())))
}

/// Checks the text of a config file that the operator names, and reads the rule files that it names, which lie beside it.
pub fn config_text(path: &Path, text: &str) -> Result<Config, AppError> {
    config_with_rules(path, text, |_| true)
}

/// The same for a file that may wait for trust: rules outside of its folder are not read.
pub fn untrusted_config_text(path: &Path, text: &str) -> Result<Config, AppError> {
    config_with_rules(path, text, |name| !is_outside(name))
}

fn config_with_rules(path: &Path, text: &str, is_read: fn(&str) -> bool) -> Result<Config, AppError> {
    let config = parsed(path, text)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let names: Vec<String> = config.file.policy.secret_rules.iter().filter(|name| is_read(name)).cloned().collect();
    let files = rule_files(folder, &names, |name| regular_file::open(&folder.join(name)))?;
    with_rules(config, &files)
}

/// Checks the text of a config file.
pub(crate) fn parsed(path: &Path, text: &str) -> Result<Config, AppError> {
    Config::from_toml(text).map_err(|error| refused(format!("{}: {error}", path.display())))
}

/// Reads files of secret rules: pairs of a name in the config and a text.
pub(crate) fn rule_files(
    folder: &Path,
    names: &[String],
    open: impl Fn(&str) -> io::Result<File>,
) -> Result<Vec<(String, String)>, AppError> {
    let read = |name: &String| {
        let file = folder.join(name);
        let opened = open(name).map_err(|error| AppError::io(&file, "open", &error))?;
        Ok((name.clone(), utf8(&file, read_bounded(&file, opened, MAX_CONFIG_BYTES)?)?))
    };
    names.iter().map(read).collect()
}

/// The config with the rules of these files, if there are any.
pub(crate) fn with_rules(config: Config, files: &[(String, String)]) -> Result<Config, AppError> {
    if files.is_empty() {
        return Ok(config);
    }
    let rules = Ruleset::with_files(files).map_err(|error| refused(error.to_string()))?;
    Ok(Config { policy: config.policy.with_secret_rules(Arc::new(rules)), ..config })
}

/// A config that cannot be enforced.
pub(crate) fn refused(message: String) -> AppError {
    AppError::usage("config", message)
        .hint("correct the key; gephost does nothing with a config that it cannot enforce")
}
