//! The secret keys of this user: one that signs checkpoints of logs, one that signs genes, one that signs messages to hubs.
//!
//! Owns one file for each key in the user's state folder, of 32 random bytes, for this user alone. What must stay true: a
//! key is made here and read from here only; one that others may read is refused. Each purpose has a key of its own, so
//! that a signature made for one is none for another.

use std::io;

use gephost_core::a2a::NodeKey;
use gephost_core::attest::Signer;
use gephost_core::checkpoint::{NoteError, NoteSigner};

use crate::durable::{self, Access};
use crate::place::Place;

const SEED_BYTES: usize = 32;
/// The bits of a file's mode that let others in.
const OTHERS: u32 = 0o077;

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFile {
    /// Signs checkpoints of logs.
    Log,
    /// Signs gene files.
    Genes,
    /// Signs messages to hubs, and names this user's node.
    Node,
}

impl KeyFile {
    /// Its file in the user's state folder.
    fn name(self) -> &'static str {
        match self {
            Self::Log => "log.key",
            Self::Genes => "genes.key",
            Self::Node => "node.key",
        }
    }
}

/// A key of one user's state folder.
#[derive(Clone)]
pub struct UserKey {
    seed: [u8; SEED_BYTES],
}

/// The key is nobody's to see.
impl std::fmt::Debug for UserKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserKey").finish_non_exhaustive()
    }
}

impl UserKey {
    /// Reads a key in the user's state folder; `None` if none was made yet.
    pub fn find(user_state: &Place, file: KeyFile) -> io::Result<Option<Self>> {
        let place = user_state.join(file.name());
        let Some(bytes) = place.read(SEED_BYTES as u64)? else { return Ok(None) };
        if place.stat()?.st_mode & OTHERS != 0 {
            let text = format!("{} can be read by others: chmod 600 it, or delete it for a new key", place.display());
            return Err(io::Error::other(text));
        }
        let wrong = |_| io::Error::other(format!("{} is not a key: delete it for a new one", place.display()));
        Ok(Some(Self { seed: bytes.try_into().map_err(wrong)? }))
    }

    /// Reads a key in the user's state folder, or makes one. When this returns, it is on disk.
    pub fn open(user_state: &Place, file: KeyFile) -> io::Result<Self> {
        if let Some(found) = Self::find(user_state, file)? {
            return Ok(found);
        }
        let mut seed = [0; SEED_BYTES];
        rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty())?;
        durable::create_folder(user_state, Access::Private)?;
        durable::put_new(&user_state.join(file.name()), &seed)?;
        // Another process may have been first; its key is the key.
        let removed = || io::Error::other(format!("{} was removed meanwhile", user_state.join(file.name()).display()));
        Self::find(user_state, file)?.ok_or_else(removed)
    }

    /// The key under the name of a log: its origin.
    pub fn note_signer(&self, origin: &str) -> Result<NoteSigner, NoteError> {
        NoteSigner::new(origin, &self.seed)
    }

    /// The key of this user's node.
    pub fn node_key(&self) -> NodeKey {
        NodeKey::new(&self.seed)
    }

    /// The key as one that signs envelopes.
    pub fn signer(&self) -> Signer {
        Signer::new(&self.seed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = Place::own(folder.path()).join("state");
        assert!(UserKey::find(&state, KeyFile::Log).unwrap().is_none());
        assert!(!folder.path().join("state").exists(), "looking makes nothing");
        let key = |key: UserKey| key.note_signer("log").unwrap().verifier();
        let made = key(UserKey::open(&state, KeyFile::Log).unwrap());
        assert_eq!(key(UserKey::open(&state, KeyFile::Log).unwrap()), made);
        assert_eq!(key(UserKey::find(&state, KeyFile::Log).unwrap().unwrap()), made);
        let file = folder.path().join("state").join(KeyFile::Log.name());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let other = Place::own(folder.path()).join("other");
        assert_ne!(key(UserKey::open(&other, KeyFile::Log).unwrap()), made);
        assert!(UserKey::find(&state, KeyFile::Genes).unwrap().is_none());
        assert_ne!(key(UserKey::open(&state, KeyFile::Genes).unwrap()), made, "each purpose has its own");
    }

    #[test]
    fn what_is_no_key_or_can_be_read_by_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let state = Place::own(folder.path());
        UserKey::open(&state, KeyFile::Log).unwrap();
        let file = folder.path().join(KeyFile::Log.name());
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let refused = UserKey::open(&state, KeyFile::Log).unwrap_err().to_string();
        assert!(refused.contains("can be read by others"), "{refused}");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "short").unwrap();
        assert!(UserKey::open(&state, KeyFile::Log).unwrap_err().to_string().contains("is not a key"));
        fs::write(&file, "x".repeat(33)).unwrap();
        assert!(UserKey::open(&state, KeyFile::Log).is_err());
    }
}
