//! Redacts a text that arrives in pieces and may never end, in bounded memory.
//!
//! Invariants: a secret that spans two pieces is found as if the text were whole. A private key that is longer than the
//! buffer is redacted up to its end.

use super::{Read, Redactor};
use crate::secret::{PRIVATE_KEY, SecretMatch, key_continued};

/// Bytes that are searched at once.
const BLOCK: usize = 1 << 20;
/// Bytes at the end of a block that are searched again with the next one: more than the longest bounded secret has.
const OVERLAP: usize = 16 << 10;

/// A [`Redactor`] for a stream. Bytes that are not UTF-8 become U+FFFD.
#[derive(Debug, Default)]
pub struct RedactStream {
    redactor: Redactor,
    waiting: Vec<u8>,
    /// The text so far ended within a private key.
    in_key: bool,
}

impl RedactStream {
    /// A stream that uses a redactor's rules and numbers.
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, ..Self::default() }
    }

    /// Takes the next bytes and appends to `clean` what can no longer change. Holds at most about 1 MiB.
    pub fn push(&mut self, mut bytes: &[u8], clean: &mut String) {
        while !bytes.is_empty() {
            let room = (BLOCK + OVERLAP).saturating_sub(self.waiting.len()).max(1);
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.waiting.extend_from_slice(now);
            bytes = later;
            if self.waiting.len() >= BLOCK + OVERLAP {
                self.search(false, clean);
            }
        }
    }

    /// Ends the stream: redacts and appends the rest.
    pub fn finish(mut self, clean: &mut String) {
        self.search(true, clean);
    }

    fn search(&mut self, last: bool, clean: &mut String) {
        let mut bytes = std::mem::take(&mut self.waiting);
        let cut_character = if last { 0 } else { incomplete_character(&bytes) };
        let tail = bytes.split_off(bytes.len() - cut_character);
        let whole = String::from_utf8_lossy(&bytes);
        let mut text: &str = &whole;
        if self.in_key {
            let hidden = key_continued(text);
            self.in_key = hidden == text.len() && !last;
            text = text.get(hidden..).unwrap_or_default();
        }
        let rules = self.redactor.rules.clone();
        let mut read = Read::of(rules.as_deref(), text);
        let end = if last { read.text.len() } else { self.settled_end(&read.text, &read.found) };
        read.found.retain(|secret| secret.range.end <= end);
        let (redacted, _) = self.redactor.replaced(read.text.get(..end).unwrap_or_default(), &read.found);
        clean.push_str(&redacted);
        self.waiting.extend_from_slice(text.get(read.origin(end)..).unwrap_or_default().as_bytes());
        self.waiting.extend(tail);
    }

    /// Where the text ends that can no longer change: at the end of a line if there is one, and never inside a secret
    /// that still fits the buffer.
    fn settled_end(&mut self, text: &str, found: &[SecretMatch<'_>]) -> usize {
        let most = text.floor_char_boundary(text.len().saturating_sub(OVERLAP));
        let line = text.get(..most).and_then(|sure| sure.rfind('\n')).map_or(most, |at| at + 1);
        match found.iter().find(|secret| secret.range.start < line && line < secret.range.end) {
            None => line,
            Some(secret) if secret.range.len() <= OVERLAP => secret.range.start,
            Some(secret) => {
                self.in_key = secret.kind == PRIVATE_KEY && secret.range.end == text.len();
                secret.range.end
            }
        }
    }
}

/// How many bytes at the end are the start of an incomplete character.
fn incomplete_character(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(3);
    (1..=longest)
        .find(|back| bytes.get(bytes.len() - back).is_some_and(|byte| *byte >= 0xC0))
        .filter(|back| {
            let tail = bytes.get(bytes.len() - back..).unwrap_or_default();
            std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none())
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streamed(text: &[u8], piece: usize) -> String {
        let mut stream = RedactStream::default();
        let mut clean = String::new();
        for bytes in text.chunks(piece) {
            stream.push(bytes, &mut clean);
        }
        stream.finish(&mut clean);
        clean
    }

    #[test]
    fn pieces_make_no_difference() {
        let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
        let mut text = String::new();
        for line in 0..60_000 {
            let secret = if line % 7 == 0 { token.as_str() } else { "nothing ä" };
            text.push_str(&format!("{line} some words and then {secret} more\n"));
        }
        let whole = Redactor::default().redact(&text).into_owned();
        assert!(!whole.contains(&token) && whole.contains("[REDACTED:github_token:1]"));
        for piece in [4093, 1 << 16, text.len()] {
            assert!(streamed(text.as_bytes(), piece) == whole, "pieces of {piece}");
        }
    }

    #[test]
    fn a_key_over_many_blocks_stays_hidden() {
        let dashes = "-".repeat(5);
        let body = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5gH7j\n".repeat(4 * BLOCK / 41);
        let text = format!("before\n{dashes}BEGIN PRIVATE KEY{dashes}\n{body}{dashes}END PRIVATE KEY{dashes}\nafter\n");
        let clean = streamed(text.as_bytes(), 1 << 16);
        assert!(!clean.contains("aB3dE5"), "{} bytes", clean.len());
        assert!(clean.starts_with("before\n") && clean.ends_with("after\n"));
    }

    #[test]
    fn a_line_without_end_and_bytes_that_are_no_text() {
        let clean = streamed(&b"x".repeat(3 * BLOCK + 5), 1 << 16);
        assert_eq!(clean.len(), 3 * BLOCK + 5);
        assert_eq!(streamed(b"a\xffb", 1), "a\u{fffd}b");
        assert_eq!(streamed("äöü€🦀".as_bytes(), 1), "äöü€🦀");
    }
}
