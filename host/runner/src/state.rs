//! Where gephost keeps what it knows of a project: `.gephost/`, which git ignores, and the assets folder, which other
//! GEP tools read too (DESIGN section 6).

use std::io;
use std::path::{Path, PathBuf};

use crate::durable::{self, Access};

/// Name of the folder in the project's root.
pub const STATE_FOLDER: &str = ".gephost";

/// The places of one project. Nothing is made before [`StateFolder::create`].
#[derive(Debug, Clone)]
pub struct StateFolder {
    root: PathBuf,
    head: PathBuf,
    assets: PathBuf,
}

impl StateFolder {
    /// The places for a project's root. `head` is where the log's head is kept, outside the folder, so that a log that
    /// was cut is told from one that is short. `assets` is the folder that the person named.
    pub fn new(project: &Path, head: &Path, assets: Option<&Path>) -> Self {
        let root = project.join(STATE_FOLDER);
        let shared = project.join("assets/gep");
        let own = || if shared.is_dir() { shared } else { root.join("gep") };
        let assets = assets.map_or_else(own, Path::to_owned);
        Self { root, head: head.to_owned(), assets }
    }

    /// Makes the folder, private and ignored by git. Afterwards it is there whole, or not at all.
    pub fn create(&self) -> io::Result<()> {
        let ignore = self.root.join(".gitignore");
        if ignore.exists() {
            return Ok(());
        }
        durable::create_folder(&self.root, Access::Private)?;
        durable::replace(&ignore, b"*\n", Access::Private)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Run events, one folder a session.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// Recordings of gene calls.
    pub fn recordings(&self) -> PathBuf {
        self.root.join("recordings")
    }

    /// What models were asked, and answered.
    pub fn exchanges(&self) -> PathBuf {
        self.root.join("exchanges")
    }

    /// Saved proposals.
    pub fn proposals(&self) -> PathBuf {
        self.root.join("proposals")
    }

    /// Work copies of validations in progress.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Operations that are under way, one file each.
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal")
    }

    /// Held by whoever changes this repository.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// The kill switch: while there is a file of this name, nothing is applied.
    pub fn stop(&self) -> PathBuf {
        self.root.join("STOP")
    }

    /// The hash-chained log.
    pub fn log(&self) -> PathBuf {
        self.root.join("log.jsonl")
    }

    /// The log's head.
    pub fn head(&self) -> &Path {
        &self.head
    }

    /// Genes, capsules and events.
    pub fn assets(&self) -> &Path {
        &self.assets
    }
}
