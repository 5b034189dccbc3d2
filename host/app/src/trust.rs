//! The use case of trust: which keys of the repository's `gephost.toml` widen, and that the user trusts the file.

use std::path::PathBuf;

use gephost_core::config::CONFIG_FILE;
use gephost_core::trust::Widening;

use crate::counted_config::{is_trusted, trusted_folder, unreadable};
use crate::error::AppError;
use crate::project::Project;

/// What the config says that waits for trust, or that was just trusted.
#[derive(Debug)]
pub struct Trust {
    /// The project's `gephost.toml`, whether it is there or not.
    pub file: PathBuf,
    /// Its keys that count only if it is trusted.
    pub keys: Vec<Widening>,
    /// Whether they count now.
    pub trusted: bool,
    /// The trusted folder of the user's own config that the project lies in.
    pub folder: Option<PathBuf>,
    /// The text that was trusted last, if it is another one, without secrets.
    pub before: Option<String>,
    /// What the file says, without secrets; empty if there is none.
    pub text: String,
}

impl Project {
    /// What of the config needs trust, and whether it has it.
    pub fn trust(&self) -> Result<Trust, AppError> {
        let (file, keys, redact) = (self.root.join(CONFIG_FILE), self.widenings.clone(), self.redact());
        let (texts, failed) = (self.state.trusted(), |error| unreadable(&self.state, &error));
        let before = texts.before(&self.config_text, redact).map_err(failed)?;
        let folder = trusted_folder(&self.environment, &self.root)?;
        let trusted = folder.is_some() || texts.has(&self.config_text).map_err(failed)?;
        Ok(Trust { file, keys, trusted, folder, before, text: redact(&self.config_text) })
    }

    /// Takes secrets out of a text of the config: one may be in a command or in an address.
    fn redact(&self) -> impl Fn(&str) -> String + Copy + '_ {
        move |text| self.config.policy.redact(text)
    }

    /// Whether the user trusts the config, whatever it says.
    pub(crate) fn is_trusted(&self) -> Result<bool, AppError> {
        is_trusted(&self.environment, &self.root, &self.state, &self.config_text)
    }

    /// Trusts the config as it was read, and says what that allows. A later text of it is not trusted. A config without
    /// a key that widens is remembered too, because links may lead its logs outside of the project.
    pub fn grant_trust(&self) -> Result<Trust, AppError> {
        let trust = self.trust()?;
        if !trust.trusted && !trust.text.is_empty() {
            self.create_state()?;
            let added = self.state.trusted().add(&self.config_text, self.redact(), self.environment.now());
            added.map_err(|error| AppError::io(&self.state.root().path(), "write", &error))?;
        }
        Ok(Trust { trusted: true, ..trust })
    }

    /// Trusts no text of the config any more. Returns whether one was trusted.
    pub fn revoke_trust(&self) -> Result<bool, AppError> {
        self.state.trusted().clear().map_err(|error| AppError::io(&self.state.root().path(), "write", &error))
    }
}
