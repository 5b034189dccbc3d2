//! The first `gephost.toml` of a project: shown, written, and taken back.
//!
//! What must stay true: a file that is there is never overwritten, and only one that is still as it was written is removed.

use std::path::PathBuf;
use std::sync::Arc;

use gephost_core::config::{CONFIG_FILE, MAX_CONFIG_BYTES};
use gephost_core::digest::sha256_hex;
use gephost_core::path::RepoPath;
use gephost_core::starter::{ENVIRONMENTS, Facts, Starter, files_to_read, starter};
use gephost_runner::checkout::Checkout;
use gephost_runner::place::Place;

use crate::error::AppError;
use crate::files::config_text;
use crate::project::Project;
use crate::sink::Note;

/// The largest file that is read to find out how a project is tested, in bytes.
const MAX_READ_BYTES: u64 = 1 << 20;

/// A config that is not written yet.
#[derive(Debug)]
pub struct FirstConfig {
    /// Where it would be written.
    pub file: PathBuf,
    /// The config, and what it rests on.
    pub starter: Starter,
    /// The agents that worked in the project.
    pub agents: Vec<&'static str>,
}

impl Project {
    /// The first config that fits the project. An error if it has one.
    pub fn first_config(&self) -> Result<FirstConfig, AppError> {
        let place = self.config_place();
        let file = place.path();
        if place.exists().map_err(|error| AppError::io(&file, "look at", &error))? {
            return Err(config_exists(&file));
        }
        let facts = self.facts()?;
        let starter = starter(&facts);
        // It must be what it says.
        config_text(&file, &starter.text)?;
        Ok(FirstConfig { file, starter, agents: facts.agents })
    }

    /// Writes it, and remembers what was written.
    pub fn write_first_config(&self, first: &FirstConfig) -> Result<(), AppError> {
        let bytes = first.starter.text.as_bytes();
        let now = self.environment.now();
        let remembered = self.create_state().and_then(|()| {
            let file = self.state.first_config();
            file.set(sha256_hex(bytes), now).map_err(|error| AppError::io(&self.state.root().path(), "write", &error))
        });
        if let Err(error) = remembered {
            let text = format!("`gephost init --undo` will not know the file: {error}");
            self.environment.sink.note(Note::Warning(&text));
        }
        self.config_place().create_new(bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => config_exists(&first.file),
            _ => AppError::io(&first.file, "write", &error),
        })
    }

    /// Removes the config if it is still what `gephost init` wrote. Returns its path.
    pub fn undo_first_config(&self) -> Result<PathBuf, AppError> {
        let place = self.config_place();
        let file = place.path();
        let kept = |why: &str| AppError::usage("init_undo", format!("{} {why}", file.display()));
        let bytes = place.read(MAX_CONFIG_BYTES).map_err(|error| AppError::io(&file, "read", &error))?;
        let bytes = bytes.ok_or_else(|| kept("is not there"))?;
        let remembered = self.state.first_config();
        let written = remembered.get().map_err(|error| AppError::io(&self.state.root().path(), "read", &error))?;
        match written {
            None => Err(kept("was not written by `gephost init`, as far as gephost knows")
                .hint("look at it, and remove it yourself if you do not want it")),
            Some(digest) if digest != sha256_hex(&bytes) => Err(kept("was changed since `gephost init` wrote it")
                .hint("look at it, and remove it yourself if you do not want it")),
            Some(_) => {
                place.remove().map_err(|error| AppError::io(&file, "remove", &error))?;
                remembered.clear().map_err(|error| AppError::io(&self.state.root().path(), "write", &error))?;
                Ok(file)
            }
        }
    }

    fn config_place(&self) -> Place {
        Place::shared(&self.root).join(CONFIG_FILE)
    }

    fn facts(&self) -> Result<Facts, AppError> {
        // Without a commit, nothing says which files are the project's own and which ones were fetched.
        let checkout = if self.has_commits() {
            Checkout::of_project(&self.repository()?, Arc::new(|_| true))
        } else {
            let is_fetched = |path: &RepoPath| path.as_str().split('/').any(|name| ENVIRONMENTS.contains(&name));
            Checkout::of_folder(&self.root, Arc::new(move |path| !is_fetched(path)))
        };
        let checkout = checkout.map_err(|error| AppError::usage("checkout", error.to_string()))?;
        let files: Vec<String> = checkout.list().iter().map(|(path, _)| path.to_string()).collect();
        let root = Place::shared(&self.root);
        // What cannot be read says nothing.
        let text = |path: &str| {
            let place = path.split('/').fold(root.clone(), |place, name| place.join(name));
            let bytes = place.read(MAX_READ_BYTES).ok()??;
            Some((path.to_owned(), String::from_utf8(bytes).ok()?))
        };
        let is_environment = |name: &&'static str| {
            let holds = |file: &String| file.strip_prefix(*name).is_some_and(|rest| rest.starts_with('/'));
            root.join(name).exists().unwrap_or(false) && !files.iter().any(holds)
        };
        let mut agents = Vec::new();
        if self.is_in_repository() {
            agents.extend(self.discover().iter().filter(|found| found.own.count > 0).map(|found| found.location.agent));
            agents.dedup();
        }
        Ok(Facts {
            texts: files_to_read(&files).filter_map(text).collect(),
            environments: ENVIRONMENTS.iter().copied().filter(is_environment).collect(),
            agents,
            files,
        })
    }
}

fn config_exists(file: &std::path::Path) -> AppError {
    AppError::usage("config_exists", format!("{} already exists", file.display()))
        .hint("to see what it means: gephost policy check; gephost init overwrites nothing")
}
