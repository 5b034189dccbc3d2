//! What is under way in a project, so that the next start finishes or undoes what a crash left.
//!
//! Owns the journal folder of a state, one file an operation. Only the process that holds the project's lock writes there.
//! The file is there, synced, before the operation's first effect, and goes after its last; whatever a crash leaves in
//! between is settled by [`Journal::settle`] from the file, the log and the repository. What must stay true: settling
//! may itself be killed at any instruction, and has the same result when it is done again.

mod operation;
mod settle;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::durable::{self, Access};
use crate::instance::Instance;
use crate::place::Place;
pub use crate::registry::AssetDocuments;
use crate::state::StateFolder;
use crate::worktree::Mark;
pub use operation::{Landing, Operation, OperationFile, Publishing, Revert, Rollback, Winner};
pub use settle::{SettleError, Settled, Settler, rolled_back, with_branch};

/// The largest journal file that is read, in bytes: what it holds of the assets is bounded, and this is far above it.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Who wants something done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// `user@host`.
    pub name: String,
    /// The agent in whose name that account acts, where one said so.
    pub agent: Option<String>,
}

/// The journal of a project, with its lock.
#[derive(Debug)]
pub struct Journal {
    folder: Place,
    _instance: Instance,
}

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused.
    #[error("failed to {doing} {}: {source}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that gephost did not write.
    #[error("{} is not a file of an operation: {reason}; look at it, then move it away", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// An operation that is under way. Its file stays until [`Entry::end`].
#[derive(Debug)]
pub struct Entry {
    place: Place,
    file: OperationFile,
}

impl Journal {
    /// The journal of a project whose lock is held.
    pub fn open(state: &StateFolder, instance: Instance) -> Self {
        Self { folder: state.journal(), _instance: instance }
    }

    /// Writes down that an operation begins. Afterwards that is on disk.
    pub fn begin(&self, at: Timestamp, operation: Operation) -> Result<Entry, JournalError> {
        durable::create_folder(&self.folder, Access::Private).map_err(|source| JournalError::Io {
            doing: "create",
            path: self.folder.path(),
            source,
        })?;
        let name = operation.name();
        let mark = Mark::of(&format!("{} {name} {at} {}", self.folder.display(), std::process::id()));
        let entry =
            Entry { place: self.folder.join(format!("{name}.json")), file: OperationFile::new(at, mark, operation) };
        entry.write()?;
        Ok(entry)
    }

    /// The operations that were begun and not ended.
    pub fn left(&self) -> Result<Vec<Entry>, JournalError> {
        let mut left = Vec::new();
        for place in files(&self.folder)? {
            left.push(Entry { file: read(&place)?, place });
        }
        Ok(left)
    }
}

/// The operations of a project that were begun and not ended, without its lock: some may be under way. Touches nothing.
pub fn look(state: &StateFolder) -> Result<Vec<OperationFile>, JournalError> {
    files(&state.journal())?.iter().map(read).collect()
}

impl Entry {
    /// What is written down.
    pub fn file(&self) -> &OperationFile {
        &self.file
    }

    /// Writes down how far the operation is. Afterwards that is on disk.
    pub fn update(&mut self, change: impl FnOnce(&mut Operation)) -> Result<(), JournalError> {
        change(&mut self.file.operation);
        self.write()
    }

    /// Ends the operation: there is nothing left to settle.
    pub fn end(self) -> Result<(), JournalError> {
        let failed = |source| JournalError::Io { doing: "remove", path: self.place.path(), source };
        durable::remove(&self.place).and_then(|_| durable::sync_folder(&self.place.parent())).map_err(failed)
    }

    fn write(&self) -> Result<(), JournalError> {
        let failed = |source| JournalError::Io { doing: "write", path: self.place.path(), source };
        let text = serde_json::to_vec(&self.file).map_err(|error| failed(error.into()))?;
        durable::replace(&self.place, &text, Access::Private).map_err(failed)
    }
}

/// The files of a journal, sorted. Half-written ones that a crash left have another ending and are passed over.
fn files(folder: &Place) -> Result<Vec<Place>, JournalError> {
    let listed = folder.entries().map_err(|source| JournalError::Io { doing: "read", path: folder.path(), source })?;
    let is_entry = |name: &OsStr| Path::new(name).extension().is_some_and(|extension| extension == "json");
    Ok(listed.iter().filter(|entry| is_entry(&entry.name)).map(|entry| folder.join(&entry.name)).collect())
}

fn read(place: &Place) -> Result<OperationFile, JournalError> {
    let unreadable = |reason: String| JournalError::Unreadable { path: place.path(), reason };
    let text = durable::read_text(place, MAX_FILE_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let file: OperationFile =
        serde_json::from_str(&text.unwrap_or_default()).map_err(|error| unreadable(error.to_string()))?;
    file.check().map_err(unreadable)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::state::UserFolders;

    fn state(folder: &Path) -> StateFolder {
        StateFolder::new(folder, &UserFolders::new(&folder.join("user"), &folder.join("cache")), None)
            .expect("a folder")
    }

    fn open(state: &StateFolder) -> Journal {
        Journal::open(state, Instance::take(&state.lock(), "apply", Timestamp::UNIX_EPOCH).expect("free"))
    }

    fn operation() -> Operation {
        Operation::Cycle { cycle: "evt_1".into(), candidates: vec!["p".into()], publishing: None }
    }

    #[test]
    fn an_operation_is_written_down_until_it_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = state(folder.path());
        assert!(look(&state).expect("nothing").is_empty());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "looking makes nothing");
        let journal = open(&state);
        let entry = journal.begin(Timestamp::UNIX_EPOCH, operation()).expect("an entry");
        assert_eq!(look(&state).expect("one"), [entry.file().clone()]);
        fs::write(state.journal().path().join(".gephost-half"), "{").expect("as a crash leaves it");
        assert_eq!(journal.left().expect("one").len(), 1);
        entry.end().expect("ended");
        assert!(journal.left().expect("none").is_empty());
    }

    #[test]
    fn what_gephost_did_not_write_is_named_and_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = state(folder.path());
        let journal = open(&state);
        fs::create_dir(state.journal().path()).expect("a folder");
        let whole = serde_json::to_string(&OperationFile::new(Timestamp::UNIX_EPOCH, Mark::of("x"), operation()));
        let whole = whole.expect("a text");
        for text in ["", "{", "[]", &whole.replace("\"v\":1", "\"v\":2"), &whole.replace("\"kind\"", "\"sort\"")] {
            fs::write(state.journal().path().join("x.json"), text).expect("a file");
            let refused = journal.left().expect_err(text).to_string();
            assert!(refused.contains("x.json is not a file"), "{refused}");
        }
        fs::write(state.journal().path().join("x.json"), whole).expect("a file");
        assert_eq!(journal.left().expect("one").len(), 1);
    }
}
