//! The texts of a project's `gephost.toml` that the user trusts (`gephost_core::trust`).
//!
//! Owns one file in the project's state. It keeps the digest of each text, and the text without its secrets, so that a later
//! text can be shown as a difference. What must stay true: only what the user trusted is in it, and no secret of it.

use std::io;

use gephost_core::digest::sha256_hex;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access};
use crate::place::Place;

/// How many texts are kept: several branches of one clone may have a file each.
const MAX_TEXTS: usize = 8;
/// The largest such file that is read, in bytes: eight configs of the largest size, escaped.
const MAX_BYTES: u64 = 64 << 20;
/// The form that is written.
const FORMAT: u32 = 2;

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
    /// The digest of the whole text. Form 1 has none, and its `text` is the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// The text without its secrets.
    text: String,
    /// When the user trusted it: RFC 3339.
    at: String,
}

impl TrustedText {
    fn is(&self, text: &str) -> bool {
        self.sha256.as_ref().map_or(self.text == text, |digest| *digest == sha256_hex(text.as_bytes()))
    }

    /// The same in the form that is written.
    fn redacted(self, redact: impl Fn(&str) -> String) -> Self {
        let Self { sha256: None, text, at } = self else { return self };
        Self { sha256: Some(sha256_hex(text.as_bytes())), text: redact(&text), at }
    }
}

impl TrustedTexts {
    /// Those in this file. Touches nothing.
    pub(super) fn new(file: Place) -> Self {
        Self { file }
    }

    /// Whether the user trusts exactly this text.
    pub fn has(&self, text: &str) -> io::Result<bool> {
        Ok(self.read()?.texts.iter().any(|trusted| trusted.is(text)))
    }

    /// The text that was trusted last, as `redact` leaves it; `None` if none is trusted, or this one was the last.
    pub fn before(&self, text: &str, redact: impl Fn(&str) -> String) -> io::Result<Option<String>> {
        let last = self.read()?.texts.pop().filter(|trusted| !trusted.is(text));
        Ok(last.map(|trusted| trusted.redacted(redact).text))
    }

    /// Adds a text: its digest, and what `redact` leaves of it. When this returns, it is on disk. The oldest ones beyond
    /// eight are dropped.
    pub fn add(&self, text: &str, redact: impl Fn(&str) -> String, now: Timestamp) -> io::Result<()> {
        let mut texts = self.read()?.texts;
        texts.retain(|trusted| !trusted.is(text));
        texts.push(TrustedText { sha256: None, text: text.to_owned(), at: now.to_string() });
        let texts = texts.split_off(texts.len().saturating_sub(MAX_TEXTS));
        let texts = texts.into_iter().map(|trusted| trusted.redacted(&redact)).collect();
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
    use std::fs;

    use super::*;

    struct Scene {
        folder: tempfile::TempDir,
        texts: TrustedTexts,
    }

    impl Scene {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let texts = TrustedTexts::new(Place::own(folder.path()).join("trusted.json"));
            Self { folder, texts }
        }

        fn add(&self, text: &str) {
            self.texts.add(text, hide, Timestamp::UNIX_EPOCH).unwrap();
        }

        fn before(&self, text: &str) -> Option<String> {
            self.texts.before(text, hide).unwrap()
        }

        fn stored(&self) -> String {
            fs::read_to_string(self.folder.path().join("trusted.json")).unwrap()
        }
    }

    fn hide(text: &str) -> String {
        text.replace("secret", "[hidden]")
    }

    #[test]
    fn exactly_the_trusted_texts_are_trusted_until_they_are_taken_back() {
        let scene = Scene::new();
        let texts = &scene.texts;
        assert!(!texts.has("").unwrap());
        assert_eq!(scene.before("one"), None);
        assert!(!texts.clear().unwrap());
        for text in ["one", "two", "one"] {
            scene.add(text);
        }
        assert!(texts.has("one").unwrap() && texts.has("two").unwrap());
        assert!(!texts.has("one\n").unwrap() && !texts.has("").unwrap());
        assert_eq!((scene.before("two").as_deref(), scene.before("one")), (Some("one"), None));
        assert!(texts.clear().unwrap());
        assert!(!texts.has("one").unwrap());
    }

    #[test]
    fn the_oldest_texts_are_dropped() {
        let scene = Scene::new();
        for number in 0..=MAX_TEXTS {
            scene.add(&number.to_string());
        }
        assert!(!scene.texts.has("0").unwrap());
        assert!(scene.texts.has("1").unwrap() && scene.texts.has(&MAX_TEXTS.to_string()).unwrap());
    }

    #[test]
    fn no_secret_of_a_text_is_stored_and_another_secret_is_another_text() {
        let scene = Scene::new();
        scene.add("a secret");
        assert!(!scene.stored().contains("secret"), "{}", scene.stored());
        assert!(scene.texts.has("a secret").unwrap());
        assert!(!scene.texts.has("a [hidden]").unwrap(), "what is stored is no text that was trusted");
        assert_eq!(scene.before("a new one").as_deref(), Some("a [hidden]"));
    }

    #[test]
    fn texts_of_an_earlier_form_stay_trusted_and_are_redacted_with_the_next_one() {
        let scene = Scene::new();
        let earlier = r#"{"v": 1, "texts": [{"text": "a secret", "at": "2026-01-01T00:00:00Z"}]}"#;
        fs::write(scene.folder.path().join("trusted.json"), earlier).unwrap();
        assert!(scene.texts.has("a secret").unwrap() && !scene.texts.has("a [hidden]").unwrap());
        assert_eq!(scene.before("two").as_deref(), Some("a [hidden]"));
        scene.add("two");
        assert!(!scene.stored().contains("secret"), "{}", scene.stored());
        assert!(scene.texts.has("a secret").unwrap() && scene.texts.has("two").unwrap());
    }
}
