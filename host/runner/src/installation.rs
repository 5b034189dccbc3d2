//! How gephost knows what it made itself: a key that only this user holds, and marks made with it.
//!
//! What must stay true: nothing is removed that has no valid mark. A mark is over the kind of thing and where it lies, so
//! that a copy of a marked name elsewhere is not marked.

use std::io;

use crate::durable::{self, Access};
use crate::place::Place;

const KEY_BYTES: usize = 32;
/// Hexadecimal digits of a mark.
const DIGITS: usize = 16;
/// The key's file in the user's state folder.
const KEY_FILE: &str = "installation.key";

/// The key of one user's state folder.
#[derive(Clone)]
pub struct Installation {
    key: [u8; KEY_BYTES],
}

/// The key is nobody's to see.
impl std::fmt::Debug for Installation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Installation").finish_non_exhaustive()
    }
}

impl Installation {
    /// Reads the key in the user's state folder, or makes one.
    pub(crate) fn open(user_state: &Place) -> io::Result<Self> {
        let place = user_state.join(KEY_FILE);
        if let Some(found) = Self::read(&place)? {
            return Ok(found);
        }
        let mut key = [0; KEY_BYTES];
        rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())?;
        durable::create_folder(user_state, Access::Private)?;
        durable::put_new(&place, &key)?;
        // Another process may have been first; its key is the key.
        Self::read(&place)?.ok_or_else(|| io::Error::other("the key of this installation was removed meanwhile"))
    }

    fn read(place: &Place) -> io::Result<Option<Self>> {
        let Some(bytes) = place.read(KEY_BYTES as u64)? else { return Ok(None) };
        let wrong = |_| io::Error::other(format!("{} is not a key: delete it", place.display()));
        Ok(Some(Self { key: bytes.try_into().map_err(wrong)? }))
    }

    /// The mark of a thing of this kind.
    pub(crate) fn mark(&self, kind: &str, what: &[&[u8]]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for part in [kind.as_bytes()].iter().chain(what) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().to_hex().chars().take(DIGITS).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn marks_are_of_one_key_one_kind_and_one_thing() {
        let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let open = |folder: &tempfile::TempDir| Installation::open(&Place::own(folder.path())).expect("a key");
        let mark = open(&folder).mark("work copy", &[b"ab", b"c"]);
        assert_eq!(mark, open(&folder).mark("work copy", &[b"ab", b"c"]));
        assert_eq!(mark.len(), DIGITS);
        for another in [
            open(&folder).mark("work copy", &[b"a", b"bc"]),
            open(&folder).mark("project", &[b"ab", b"c"]),
            open(&other).mark("work copy", &[b"ab", b"c"]),
        ] {
            assert_ne!(mark, another);
        }
        let mode = fs::metadata(folder.path().join(KEY_FILE)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_is_no_key_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(KEY_FILE), "short").expect("a file");
        let refused = Installation::open(&Place::own(folder.path())).expect_err("no key").to_string();
        assert!(refused.contains("is not a key"), "{refused}");
    }
}
