//! What the user answered or let gephost write, one small file each in the project's state.

use std::io;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access};
use crate::place::Place;

/// The largest such file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;
/// The form that is written.
const FORMAT: u32 = 1;

/// One thing that is remembered.
#[derive(Debug, Clone)]
pub struct Remembered<T> {
    file: Place,
    what: std::marker::PhantomData<T>,
}

/// A written form.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<T> {
    v: u32,
    what: T,
    /// Since when: RFC 3339.
    at: String,
}

impl<T: Serialize + DeserializeOwned> Remembered<T> {
    /// In this file. Touches nothing.
    pub(super) fn new(file: Place) -> Self {
        Self { file, what: std::marker::PhantomData }
    }

    /// What is remembered; `None` if nothing is.
    pub fn get(&self) -> io::Result<Option<T>> {
        let text = durable::read_text(&self.file, MAX_BYTES)?;
        Ok(text.map(|text| serde_json::from_str::<Written<T>>(&text)).transpose()?.map(|written| written.what))
    }

    /// Remembers this from now on. When this returns, it is on disk.
    pub fn set(&self, what: T, now: Timestamp) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&Written { v: FORMAT, what, at: now.to_string() })? + "\n";
        durable::replace(&self.file, text.as_bytes(), Access::Private)
    }

    /// Remembers nothing any more. Returns whether there was something.
    pub fn clear(&self) -> io::Result<bool> {
        durable::remove(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_remembered_last_is_remembered_until_it_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::own(folder.path()).join("answer.json");
        let answer = Remembered::<bool>::new(place.clone());
        assert_eq!(answer.get().unwrap(), None);
        assert!(!answer.clear().unwrap());
        for yes in [true, false] {
            answer.set(yes, Timestamp::UNIX_EPOCH).unwrap();
            assert_eq!(answer.get().unwrap(), Some(yes));
        }
        assert!(Remembered::<String>::new(place).get().is_err());
        assert!(answer.clear().unwrap());
        assert_eq!(answer.get().unwrap(), None);
    }
}
