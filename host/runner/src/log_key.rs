//! The key that signs checkpoints of this user's logs.
//!
//! Owns one file in the user's state folder, of 32 random bytes, for this user alone. What must stay true: the key is made
//! here and read from here only; one that others may read is refused.

use std::io;

use gephost_core::checkpoint::{NoteError, NoteSigner};

use crate::durable::{self, Access};
use crate::place::Place;

const SEED_BYTES: usize = 32;
/// The key's file in the user's state folder.
const KEY_FILE: &str = "log.key";
/// The bits of a file's mode that let others in.
const OTHERS: u32 = 0o077;

/// The key of one user's state folder.
#[derive(Clone)]
pub struct LogKey {
    seed: [u8; SEED_BYTES],
}

/// The key is nobody's to see.
impl std::fmt::Debug for LogKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogKey").finish_non_exhaustive()
    }
}

impl LogKey {
    /// Reads the key in the user's state folder; `None` if none was made yet.
    pub fn find(user_state: &Place) -> io::Result<Option<Self>> {
        let place = user_state.join(KEY_FILE);
        let Some(bytes) = place.read(SEED_BYTES as u64)? else { return Ok(None) };
        if place.stat()?.st_mode & OTHERS != 0 {
            let text = format!("{} can be read by others: chmod 600 it, or delete it for a new key", place.display());
            return Err(io::Error::other(text));
        }
        let wrong = |_| io::Error::other(format!("{} is no key: delete it for a new one", place.display()));
        Ok(Some(Self { seed: bytes.try_into().map_err(wrong)? }))
    }

    /// Reads the key in the user's state folder, or makes one. When this returns, it is on disk.
    pub fn open(user_state: &Place) -> io::Result<Self> {
        if let Some(found) = Self::find(user_state)? {
            return Ok(found);
        }
        let mut seed = [0; SEED_BYTES];
        rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty())?;
        durable::create_folder(user_state, Access::Private)?;
        durable::put_new(&user_state.join(KEY_FILE), &seed)?;
        // Another process may have been first; its key is the key.
        Self::find(user_state)?.ok_or_else(|| io::Error::other("the key of the log was removed meanwhile"))
    }

    /// The key under the name of a log: its origin.
    pub fn signer(&self, origin: &str) -> Result<NoteSigner, NoteError> {
        NoteSigner::new(origin, &self.seed)
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
        assert!(LogKey::find(&state).unwrap().is_none());
        assert!(!folder.path().join("state").exists(), "looking makes nothing");
        let key = |key: LogKey| key.signer("log").unwrap().verifier();
        let made = key(LogKey::open(&state).unwrap());
        assert_eq!(key(LogKey::open(&state).unwrap()), made);
        assert_eq!(key(LogKey::find(&state).unwrap().unwrap()), made);
        let file = folder.path().join("state").join(KEY_FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let other = Place::own(folder.path()).join("other");
        assert_ne!(key(LogKey::open(&other).unwrap()), made);
    }

    #[test]
    fn what_is_no_key_or_can_be_read_by_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let state = Place::own(folder.path());
        LogKey::open(&state).unwrap();
        let file = folder.path().join(KEY_FILE);
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let refused = LogKey::open(&state).unwrap_err().to_string();
        assert!(refused.contains("can be read by others"), "{refused}");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "short").unwrap();
        assert!(LogKey::open(&state).unwrap_err().to_string().contains("is no key"));
        fs::write(&file, "x".repeat(33)).unwrap();
        assert!(LogKey::open(&state).is_err());
    }
}
