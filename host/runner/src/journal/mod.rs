//! What is under way in a project, so that the next start finishes or undoes what a crash left.
//!
//! Owns `.gephost/journal/`, one file an operation. Only the process that holds the project's lock writes there.
//! The file is there, synced, before the operation's first effect, and goes after its last; whatever a crash leaves in
//! between is settled by [`Journal::settle`] from the file, the log and the repository. What must stay true: settling
//! may itself be killed at any instruction, and comes to the same when it is done again.

mod record;
mod settle;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::durable::{self, Access};
use crate::instance::Instance;
pub use crate::registry::AssetDocuments;
use crate::state::StateFolder;
use crate::worktree::Mark;
pub use record::{Landing, Operation, Publishing, Record, Revert, Rollback, Winner};
pub use settle::{SettleError, Settled, Settler};
pub(crate) use settle::{rolled_back, with_branch};

/// The largest journal file that is read, in bytes: what it holds of the assets is bounded, and this is far above it.
const MAX_RECORD_BYTES: u64 = 16 << 20;

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
    folder: PathBuf,
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
    #[error("{} is no record of an operation: {reason}; look at it, then move it away", path.display())]
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
    path: PathBuf,
    record: Record,
}

impl Journal {
    /// The journal of a project whose lock is held.
    pub fn open(state: &StateFolder, instance: Instance) -> Self {
        Self { folder: state.journal(), _instance: instance }
    }

    /// Writes down that an operation begins. Afterwards that is on disk.
    pub fn begin(&self, at: Timestamp, operation: Operation) -> Result<Entry, JournalError> {
        durable::create_folder(&self.folder, Access::Private)
            .and_then(|()| durable::refuse_link(&self.folder))
            .map_err(|source| JournalError::Io { doing: "create", path: self.folder.clone(), source })?;
        let name = operation.name();
        let mark = Mark::of(&format!("{} {name} {at} {}", self.folder.display(), std::process::id()));
        let entry = Entry { path: self.folder.join(format!("{name}.json")), record: Record::new(at, mark, operation) };
        entry.write()?;
        Ok(entry)
    }

    /// The operations that were begun and not ended.
    pub fn left(&self) -> Result<Vec<Entry>, JournalError> {
        let mut left = Vec::new();
        for path in files(&self.folder)? {
            left.push(Entry { record: read(&path)?, path });
        }
        Ok(left)
    }
}

/// The operations of a project that were begun and not ended, without its lock: some may be under way. Touches nothing.
pub fn look(state: &StateFolder) -> Result<Vec<Record>, JournalError> {
    files(&state.journal())?.iter().map(|path| read(path)).collect()
}

impl Entry {
    /// What is written down.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Writes down how far the operation is. Afterwards that is on disk.
    pub fn update(&mut self, change: impl FnOnce(&mut Operation)) -> Result<(), JournalError> {
        change(&mut self.record.operation);
        self.write()
    }

    /// Ends the operation: there is nothing left to settle.
    pub fn end(self) -> Result<(), JournalError> {
        let failed = |source| JournalError::Io { doing: "remove", path: self.path.clone(), source };
        fs::remove_file(&self.path).and_then(|()| durable::sync_folder_of(&self.path)).map_err(failed)
    }

    fn write(&self) -> Result<(), JournalError> {
        let failed = |source| JournalError::Io { doing: "write", path: self.path.clone(), source };
        let text = serde_json::to_vec(&self.record).map_err(|error| failed(error.into()))?;
        durable::replace(&self.path, &text, Access::Private).map_err(failed)
    }
}

/// The files of a journal, sorted. Half-written ones that a crash left have another ending and are passed over.
fn files(folder: &Path) -> Result<Vec<PathBuf>, JournalError> {
    let failed = |source| JournalError::Io { doing: "read", path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<Record, JournalError> {
    let unreadable = |reason: String| JournalError::Unreadable { path: path.to_owned(), reason };
    let text = durable::read_text(path, MAX_RECORD_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let record: Record =
        serde_json::from_str(&text.unwrap_or_default()).map_err(|error| unreadable(error.to_string()))?;
    record.check().map_err(unreadable)?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(folder: &Path) -> StateFolder {
        StateFolder::new(folder, &folder.join("head"), None)
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
        assert_eq!(look(&state).expect("one"), [entry.record().clone()]);
        fs::write(state.journal().join(".gephost-half"), "{").expect("as a crash leaves it");
        assert_eq!(journal.left().expect("one").len(), 1);
        entry.end().expect("ended");
        assert!(journal.left().expect("none").is_empty());
    }

    #[test]
    fn what_gephost_did_not_write_is_named_and_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = state(folder.path());
        let journal = open(&state);
        fs::create_dir(state.journal()).expect("a folder");
        let whole = serde_json::to_string(&Record::new(Timestamp::UNIX_EPOCH, Mark::of("x"), operation()));
        let whole = whole.expect("a text");
        for text in ["", "{", "[]", &whole.replace("\"v\":1", "\"v\":2"), &whole.replace("\"kind\"", "\"sort\"")] {
            fs::write(state.journal().join("x.json"), text).expect("a file");
            let refused = journal.left().expect_err(text).to_string();
            assert!(refused.contains("x.json is no record"), "{refused}");
        }
        fs::write(state.journal().join("x.json"), whole).expect("a file");
        assert_eq!(journal.left().expect("one").len(), 1);
    }
}
