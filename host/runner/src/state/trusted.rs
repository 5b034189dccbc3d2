//! The texts of a project's `gephost.toml` that the user trusts (`gephost_core::trust`).
//!
//! Owns one file in the project's state. It keeps whole texts and not only digests, so that a later text can be shown as
//! a difference. What must stay true: only what the user trusted is in it.

use std::io;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access};
use crate::place::Place;

/// How many texts are kept: several branches of one clone may have a file each.
const MAX_TEXTS: usize = 8;
/// The largest such file that is read, in bytes: eight configs of the largest size, escaped.
const MAX_BYTES: u64 = 64 << 20;
/// The form that is written.
const FORMAT: u32 = 1;

/// The texts of one project that the user trusts.
#[derive(Debug, Clone)]
pub struct TrustedTexts {
    file: Place,
}

/// A written form.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    v: u32,
    /// Oldest first.
    texts: Vec<TrustedText>,
}

/// One text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedText {
    text: String,
    /// When the user trusted it: RFC 3339.
    at: String,
}

impl TrustedTexts {
    /// Those in this file. Touches nothing.
    pub(super) fn new(file: Place) -> Self {
        Self { file }
    }

    /// Whether the user trusts exactly this text.
    pub fn has(&self, text: &str) -> io::Result<bool> {
        Ok(self.read()?.texts.iter().any(|trusted| trusted.text == text))
    }

    /// The text that was trusted last; `None` if none is trusted.
    pub fn last(&self) -> io::Result<Option<String>> {
        Ok(self.read()?.texts.pop().map(|trusted| trusted.text))
    }

    /// Adds a text. When this returns, it is on disk. The oldest ones beyond eight are dropped.
    pub fn add(&self, text: &str, now: Timestamp) -> io::Result<()> {
        let mut texts = self.read()?.texts;
        texts.retain(|trusted| trusted.text != text);
        texts.push(TrustedText { text: text.to_owned(), at: now.to_string() });
        let texts = texts.split_off(texts.len().saturating_sub(MAX_TEXTS));
        let written = serde_json::to_string_pretty(&TrustFile { v: FORMAT, texts })? + "\n";
        durable::replace(&self.file, written.as_bytes(), Access::Private)
    }

    /// Trusts no text any more. Returns whether one was trusted.
    pub fn clear(&self) -> io::Result<bool> {
        durable::remove(&self.file)
    }

    fn read(&self) -> io::Result<TrustFile> {
        let text = durable::read_text(&self.file, MAX_BYTES)?;
        Ok(text.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_trusted_texts_are_trusted_until_they_are_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let texts = TrustedTexts::new(Place::own(folder.path()).join("trusted.json"));
        assert!(!texts.has("").unwrap());
        assert_eq!(texts.last().unwrap(), None);
        assert!(!texts.clear().unwrap());
        for text in ["one", "two", "one"] {
            texts.add(text, Timestamp::UNIX_EPOCH).unwrap();
        }
        assert!(texts.has("one").unwrap() && texts.has("two").unwrap());
        assert!(!texts.has("one\n").unwrap() && !texts.has("").unwrap());
        assert_eq!(texts.last().unwrap().as_deref(), Some("one"));
        assert!(texts.clear().unwrap());
        assert!(!texts.has("one").unwrap());
    }

    #[test]
    fn the_oldest_texts_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let texts = TrustedTexts::new(Place::own(folder.path()).join("trusted.json"));
        for number in 0..=MAX_TEXTS {
            texts.add(&number.to_string(), Timestamp::UNIX_EPOCH).unwrap();
        }
        assert!(!texts.has("0").unwrap());
        assert!(texts.has("1").unwrap() && texts.has(&MAX_TEXTS.to_string()).unwrap());
    }
}
