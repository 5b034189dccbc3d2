//! Verifies a log: tells an intact one from one that was edited, reordered, truncated or extended. It reads line by
//! line, in constant memory.

use std::cmp::Ordering;

use super::{Entry, Head, read_line};
use crate::digest::sha256_hex;

/// What is wrong with a log. `seq` counts entries from 0; every entry before it is intact.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An entry was edited. If the chain is whole but its end is not the stated head, it was rewritten from this entry
    /// or from an earlier one.
    #[error("entry {seq} was edited")]
    Edited {
        /// Which.
        seq: u64,
    },
    /// An entry is in the place of another one, which comes later.
    #[error("the entries were reordered from {seq} on")]
    Reordered {
        /// The first entry that is not in its place.
        seq: u64,
    },
    /// An entry is missing, but later ones are there.
    #[error("entry {seq} was removed")]
    Removed {
        /// Which.
        seq: u64,
    },
    /// The end is missing: the head, which is stored elsewhere, states more entries.
    #[error("the log ends after {found} entries, and its head says {stated}: it was truncated")]
    Truncated {
        /// How many there are.
        found: u64,
        /// How many there were.
        stated: u64,
    },
    /// An entry was inserted, or is there twice.
    #[error("entry {seq} is one too many")]
    Extra {
        /// The first.
        seq: u64,
    },
}

/// The result of verifying a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The end of the intact part.
    pub head: Head,
    /// Bytes of a last line without its line end: an append that a crash cut off before it was acknowledged. Not a
    /// fault.
    pub torn_bytes: usize,
    /// What is wrong; `None` for an intact log.
    pub fault: Option<Fault>,
}

/// Takes a log line by line.
#[derive(Debug, Clone)]
pub struct Verifier {
    /// The head, which is stored elsewhere.
    stated: Option<Head>,
    /// The end of the intact part.
    head: Head,
    /// The number of lines so far.
    lines: u64,
    doubt: Option<Doubt>,
    torn_bytes: usize,
}

/// The first thing that is wrong, and what the lines after it say.
#[derive(Debug, Clone)]
enum Doubt {
    /// Decided.
    Certain(Fault),
    /// Entry `missing` is not in its place, a later one is: removed, reordered, or its number edited.
    Gap {
        missing: u64,
        /// Hash of the line in that place.
        hash: String,
        /// Whether the line after it has the number of its place; `None` where there is none.
        is_next_in_place: Option<bool>,
    },
    /// Entry `seq` does not name the hash of the line before: either that one or this one was edited.
    Broken {
        seq: u64,
        /// Hash of this line.
        hash: String,
    },
}

impl Verifier {
    /// Starts to verify a log with the head `stated`, if that is known.
    pub fn new(stated: Option<Head>) -> Self {
        Self { stated, head: Head::empty(), lines: 0, doubt: None, torn_bytes: 0 }
    }

    /// Takes the next line, without its line end. Returns the entry as long as the log is intact.
    pub fn line(&mut self, line: &[u8]) -> Option<Entry> {
        let position = self.lines;
        self.lines = self.lines.saturating_add(1);
        let entry = read_line(line).ok();
        if let Some(doubt) = &mut self.doubt {
            doubt.learn(position, entry.as_ref());
            return None;
        }
        self.doubt = self.judge(line, entry.as_ref());
        if self.doubt.is_some() {
            return None;
        }
        self.head = self.head.after(line);
        if self.is_rewritten() {
            let seq = self.head.entries.saturating_sub(1);
            self.doubt = Some(Doubt::Certain(Fault::Edited { seq }));
            return None;
        }
        entry
    }

    /// Takes the bytes after the last line end, if there are any.
    pub fn torn(&mut self, bytes: usize) {
        self.torn_bytes = bytes;
    }

    /// The end of the intact part so far.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The result.
    pub fn finish(self) -> Verification {
        let Self { stated, head, doubt, torn_bytes, .. } = self;
        let fault = match (doubt, stated) {
            (Some(doubt), stated) => Some(doubt.settle(stated.as_ref())),
            (None, Some(stated)) => wrong_length(head.entries, stated.entries),
            (None, None) => None,
        };
        Verification { head, torn_bytes, fault }
    }

    /// Whether the chain has as many entries as the stated head, and another hash: sound in itself, written anew.
    fn is_rewritten(&self) -> bool {
        let stated = self.stated.as_ref();
        stated.is_some_and(|stated| stated.entries == self.head.entries && stated.hash != self.head.hash)
    }

    fn judge(&self, line: &[u8], entry: Option<&Entry>) -> Option<Doubt> {
        let expected = self.head.entries;
        let Some(entry) = entry else {
            return Some(Doubt::Certain(Fault::Edited { seq: expected }));
        };
        if entry.seq < expected {
            return Some(Doubt::Certain(Fault::Extra { seq: expected }));
        }
        if entry.seq > expected {
            let hash = sha256_hex(line);
            return Some(Doubt::Gap { missing: expected, hash, is_next_in_place: None });
        }
        (entry.prev != self.head.hash).then(|| Doubt::Broken { seq: expected, hash: sha256_hex(line) })
    }
}

impl Doubt {
    fn learn(&mut self, position: u64, entry: Option<&Entry>) {
        match self {
            Self::Certain(_) => {}
            Self::Gap { missing, is_next_in_place, .. } => {
                let seq = entry.map(|entry| entry.seq);
                if seq == Some(*missing) {
                    *self = Self::Certain(Fault::Reordered { seq: *missing });
                } else {
                    is_next_in_place.get_or_insert(seq == Some(position));
                }
            }
            Self::Broken { seq, hash } => {
                // Where the line after names the hash of the doubtful one, that one is as it was written, and the
                // line before it is not.
                let is_confirmed = entry.is_some_and(|entry| entry.prev == *hash);
                let edited = if is_confirmed { seq.saturating_sub(1) } else { *seq };
                *self = Self::Certain(Fault::Edited { seq: edited });
            }
        }
    }

    fn settle(self, stated: Option<&Head>) -> Fault {
        match self {
            Self::Certain(fault) => fault,
            Self::Gap { missing, is_next_in_place: Some(true), .. } => Fault::Edited { seq: missing },
            Self::Gap { missing, is_next_in_place: Some(false), .. } => Fault::Removed { seq: missing },
            Self::Gap { missing, hash, .. } => match stated {
                Some(stated) if stated.hash != hash => Fault::Edited { seq: missing },
                _ => Fault::Removed { seq: missing },
            },
            Self::Broken { seq, hash } => {
                // Without a witness the earlier one is named: nothing from there on is vouched for.
                let is_refuted = stated.is_some_and(|stated| stated.hash != hash);
                let edited = if is_refuted { seq } else { seq.saturating_sub(1) };
                Fault::Edited { seq: edited }
            }
        }
    }
}

/// A sound chain of another length than the stated one.
fn wrong_length(found: u64, stated: u64) -> Option<Fault> {
    match found.cmp(&stated) {
        Ordering::Less => Some(Fault::Truncated { found, stated }),
        Ordering::Equal => None,
        Ordering::Greater => Some(Fault::Extra { seq: stated }),
    }
}

#[cfg(test)]
mod tests;
