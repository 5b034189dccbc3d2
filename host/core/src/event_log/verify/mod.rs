//! Verifies a log: tells an intact one from one that was edited, reordered, truncated or extended. It reads line by
//! line. [`Chain`] says quickly that a log is intact; [`Verifier`] also reads the entries and names what is wrong.

mod chain;

use std::cmp::Ordering;

use sha2::{Digest as _, Sha256};

use super::{Entry, Head, read_line};
use crate::digest::hex;

pub use chain::Chain;

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
    /// An entry is there twice.
    #[error("entry {seq} is a copy of entry {of}: it was duplicated")]
    Duplicated {
        /// The place of the copy.
        seq: u64,
        /// The entry that it is a copy of.
        of: u64,
    },
    /// An entry was inserted, or follows the end that the head states.
    #[error("entry {seq} is one too many")]
    Extra {
        /// The first.
        seq: u64,
    },
    /// The chain is whole, and the head is of a log with another first entry.
    #[error(
        "the head is of another log: it states {stated} entries after another first entry, and this log has {found}"
    )]
    ForeignHead {
        /// How many entries there are.
        found: u64,
        /// How many the head states.
        stated: u64,
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
    /// The hash of the first line, as it is stored with the head.
    stated_first: Option<String>,
    /// The end of the intact part.
    head: Head,
    /// The hash of each line of the intact part.
    hashes: Vec<[u8; 32]>,
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
    /// The whole chain is sound and is not the stated one.
    Rewritten {
        /// The entry where that shows.
        seq: u64,
    },
    /// A later entry is in the place of entry `missing`, which follows: reordered, or a copy of an entry that comes later.
    Displaced {
        missing: u64,
        /// Number and hash of the entry in that place.
        stray: (u64, String),
    },
    /// Entry `missing` is not in its place, a later one is: removed, reordered, or its number edited.
    Gap {
        missing: u64,
        /// Number and hash of the line in that place.
        stray: (u64, String),
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
        let (head, hashes) = (Head::empty(), Vec::new());
        Self { stated, stated_first: None, head, hashes, lines: 0, doubt: None, torn_bytes: 0 }
    }

    /// The same, for a head that is kept with the hash of the log's first line.
    #[must_use]
    pub fn with_first(mut self, first: Option<String>) -> Self {
        self.stated_first = first;
        self
    }

    /// Takes the next line, without its line end. Returns the entry as long as the log is intact.
    pub fn line(&mut self, line: &[u8]) -> Option<Entry> {
        let position = self.lines;
        self.lines = self.lines.saturating_add(1);
        let entry = read_line(line).ok();
        let digest = Sha256::digest(line);
        let hash = hex(&digest);
        if let Some(doubt) = &mut self.doubt {
            doubt.learn(position, entry.as_ref(), &hash);
            return None;
        }
        self.doubt = self.judge(&digest.0, &hash, entry.as_ref());
        if self.doubt.is_some() {
            return None;
        }
        self.head = Head { entries: self.head.entries.saturating_add(1), hash };
        self.hashes.push(digest.0);
        if self.is_rewritten() {
            let seq = self.head.entries.saturating_sub(1);
            self.doubt = Some(Doubt::Rewritten { seq });
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

    /// The verdict on all lines that were taken.
    pub fn finish(self) -> Verification {
        let is_foreign = self.is_foreign();
        let Self { stated, head, doubt, torn_bytes, lines, .. } = self;
        let fault = match (doubt, stated) {
            (None | Some(Doubt::Rewritten { .. }), Some(stated)) if is_foreign => {
                Some(Fault::ForeignHead { found: lines, stated: stated.entries })
            }
            (Some(doubt), stated) => Some(doubt.settle(stated.as_ref())),
            (None, Some(stated)) => wrong_length(head.entries, stated.entries),
            (None, None) => None,
        };
        Verification { head, torn_bytes, fault }
    }

    /// Whether the log begins with another entry than that of the head. A log of one entry may have been edited.
    fn is_foreign(&self) -> bool {
        let first = self.hashes.first().map(|hash| hex(hash));
        let is_other = first.is_some() && self.stated_first.is_some() && first != self.stated_first;
        is_other && self.lines > 1
    }

    /// Whether the chain has as many entries as the stated head, and another hash: sound in itself, written anew.
    fn is_rewritten(&self) -> bool {
        let stated = self.stated.as_ref();
        stated.is_some_and(|stated| stated.entries == self.head.entries && stated.hash != self.head.hash)
    }

    fn judge(&self, digest: &[u8; 32], hash: &str, entry: Option<&Entry>) -> Option<Doubt> {
        let expected = self.head.entries;
        let Some(entry) = entry else {
            return Some(Doubt::Certain(Fault::Edited { seq: expected }));
        };
        if entry.seq < expected {
            let earlier = usize::try_from(entry.seq).ok().and_then(|seq| self.hashes.get(seq));
            let is_copy = earlier == Some(digest);
            let (seq, of) = (expected, entry.seq);
            return Some(Doubt::Certain(if is_copy { Fault::Duplicated { seq, of } } else { Fault::Extra { seq } }));
        }
        if entry.seq > expected {
            let stray = (entry.seq, hash.to_owned());
            return Some(Doubt::Gap { missing: expected, stray, is_next_in_place: None });
        }
        (entry.prev != self.head.hash).then(|| Doubt::Broken { seq: expected, hash: hash.to_owned() })
    }
}

impl Doubt {
    /// Takes a line after the doubtful one: its place, its content and its hash.
    fn learn(&mut self, position: u64, entry: Option<&Entry>, hash: &str) {
        match self {
            Self::Certain(_) | Self::Rewritten { .. } => {}
            Self::Displaced { missing, stray } => {
                if stray.1 == hash {
                    *self = Self::Certain(Fault::Duplicated { seq: *missing, of: stray.0 });
                }
            }
            Self::Gap { missing, stray, is_next_in_place } => {
                let seq = entry.map(|entry| entry.seq);
                if seq == Some(*missing) {
                    *self = Self::Displaced { missing: *missing, stray: stray.clone() };
                } else {
                    is_next_in_place.get_or_insert(seq == Some(position));
                }
            }
            Self::Broken { seq, hash: doubtful } => {
                // Where the line after names the hash of the doubtful one, that one is as it was written, and the
                // line before it is not.
                let is_confirmed = entry.is_some_and(|entry| entry.prev == *doubtful);
                let edited = if is_confirmed { seq.saturating_sub(1) } else { *seq };
                *self = Self::Certain(Fault::Edited { seq: edited });
            }
        }
    }

    fn settle(self, stated: Option<&Head>) -> Fault {
        match self {
            Self::Certain(fault) => fault,
            Self::Rewritten { seq } => Fault::Edited { seq },
            Self::Displaced { missing, .. } => Fault::Reordered { seq: missing },
            Self::Gap { missing, is_next_in_place: Some(true), .. } => Fault::Edited { seq: missing },
            Self::Gap { missing, is_next_in_place: Some(false), .. } => Fault::Removed { seq: missing },
            Self::Gap { missing, stray, .. } => match stated {
                Some(stated) if stated.hash != stray.1 => Fault::Edited { seq: missing },
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
