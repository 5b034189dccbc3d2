//! The quick check of a log that its head vouches for: hashes and links only.
//!
//! Every line names the hash of the line before it, at a fixed place near its end. If the last line has the hash of the
//! head, then it is the line that was written; so is the link in it, and so is the line before. A log that passes is
//! byte for byte the one that was written, and nothing else has to be read. For a log that does not pass, [`super::Verifier`]
//! tells what is wrong.

use sha2::{Digest as _, Sha256};

use super::super::Head;

/// Hexadecimal digits of a hash.
const DIGITS: usize = 64;
/// A hash in hexadecimal digits, as lines have it.
type Digits = [u8; DIGITS];

/// Takes a log line by line.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The hash of the last line, in hexadecimal.
    hash: Digits,
    /// The hash of the first one.
    first: Option<Digits>,
    entries: u64,
    is_whole: bool,
}

impl Default for Chain {
    fn default() -> Self {
        Self { hash: [b'0'; DIGITS], first: None, entries: 0, is_whole: true }
    }
}

impl Chain {
    /// Takes the next line, without its line end. Returns whether the chain is whole so far.
    pub fn line(&mut self, line: &[u8]) -> bool {
        self.is_whole = self.is_whole && link_of(line) == Some((&self.hash[..], self.entries));
        if self.is_whole {
            self.hash = digits(&Sha256::digest(line).0);
            self.first.get_or_insert(self.hash);
            self.entries = self.entries.saturating_add(1);
        }
        self.is_whole
    }

    /// Takes a line that is longer than any that was written.
    pub fn too_long(&mut self) {
        self.is_whole = false;
    }

    /// The end of the log, if it is whole up to here.
    pub fn head(&self) -> Option<Head> {
        self.is_whole.then(|| Head { entries: self.entries, hash: text(&self.hash) })
    }

    /// The hash of the first line, in hexadecimal.
    pub fn first(&self) -> Option<String> {
        self.first.as_ref().map(text)
    }
}

fn digits(hash: &[u8; 32]) -> Digits {
    let mut digits = [0; DIGITS];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(hash) {
        for (digit, nibble) in pair.iter_mut().zip([byte >> 4, byte & 15]) {
            *digit = if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
        }
    }
    digits
}

fn text(digits: &Digits) -> String {
    String::from_utf8_lossy(digits).into_owned()
}

/// The link and the number at the end of a line: `,"prev":"HASH","seq":NUMBER,"v":1}`.
fn link_of(line: &[u8]) -> Option<(&[u8], u64)> {
    let line = line.strip_suffix(b",\"v\":1}")?;
    let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (line, number) = line.split_at_checked(line.len() - digits)?;
    let line = line.strip_suffix(b"\",\"seq\":")?;
    let (line, hash) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    line.ends_with(b",\"prev\":\"").then_some(())?;
    Some((hash, std::str::from_utf8(number).ok()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_where_a_line_has_it() {
        let hash = "a".repeat(DIGITS);
        let line = format!("{{\"at\":\"t\",\"entry\":{{}},\"prev\":\"{hash}\",\"seq\":17,\"v\":1}}");
        assert_eq!(link_of(line.as_bytes()), Some((hash.as_bytes(), 17)));
        for wrong in [
            line.replace("\"v\":1", "\"v\":2"),
            line.replace("\"seq\":17", "\"seq\":"),
            line.replace("\"seq\":17", "\"seq\":-17"),
            line.replace("\"seq\":17", "\"seq\":99999999999999999999"),
            line.replace("\"prev\"", "\"grev\""),
            line.replace("aa\"", "a\""),
            line.clone() + " ",
            ",\"seq\":1,\"v\":1}".to_owned(),
            String::new(),
        ] {
            assert_eq!(link_of(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
