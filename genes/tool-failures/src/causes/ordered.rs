//! Paths that the user's messages name: what is missing there is missing because of the prompt or of the machine.
//!
//! Memory is bounded: the hashes of [`MAX_PATHS`] paths, and [`READ_BYTES`] bytes of each message are read.

use crate::by_number::Numbers;
use crate::call::{Call, hash};

const MAX_PATHS: usize = 65_536;
const READ_BYTES: usize = 32_768;
const MAX_MISSED: usize = 1024;

/// The paths that the messages of each session name.
#[derive(Debug, Default)]
pub(crate) struct Ordered {
    named: Numbers,
    /// The failed calls that did not find such a path, with their session and the path.
    missed: Vec<(u64, u32, String)>,
}

impl Ordered {
    /// Adds a message of the user.
    pub(crate) fn add(&mut self, session: u32, text: &str) {
        let text = text.get(..text.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        for word in text.split(is_end).filter(|word| word.contains('/')) {
            let word = bare(word);
            if is_path(word) {
                self.named.insert(key(session, word), MAX_PATHS);
            }
        }
    }

    /// Adds a call that did not find a path.
    pub(crate) fn miss(&mut self, call: &Call<'_>, path: &str) {
        if self.missed.len() < MAX_MISSED && self.names(call.session, path) {
            self.missed.push((call.event, call.session, path.to_owned()));
        }
    }

    /// The path that a failed call did not find, and its session, if a message before it names the path.
    pub(crate) fn missed(&self, event: u64) -> Option<(u32, &str)> {
        let found = self.missed.iter().find(|(failed, _, _)| *failed == event);
        found.map(|(_, session, path)| (*session, path.as_str()))
    }

    /// Whether a message of the session names this path, as a whole.
    fn names(&self, session: u32, path: &str) -> bool {
        is_path(bare(path)) && self.named.has(key(session, bare(path)))
    }
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || "\"'`()[]<>,;|&=*".contains(c)
}

/// A path without the end of the sentence in which it stands.
fn bare(word: &str) -> &str {
    word.trim_end_matches(['.', ':', '!', '?', '/']).trim_start_matches("./")
}

/// Whether a word is a path of the machine: an address or `and/or` is none.
fn is_path(word: &str) -> bool {
    let names = word.split('/').filter(|name| !name.is_empty()).count();
    let is_whole = word.starts_with(['/', '~']) && names > 1;
    let is_file = word.rsplit('/').next().is_some_and(|name| name.contains('.') && name.len() > 2);
    !word.contains("://") && (is_whole || is_file && names > 1 || names > 2)
}

fn key(session: u32, path: &str) -> u64 {
    hash(u64::from(session), path.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_paths() {
        let mut ordered = Ordered::default();
        ordered.add(
            1,
            "Run `bash /tests/test.sh`, source venv/bin/activate, then write to ./out/a.csv and/or look at https://x.example/a/b.html. \
             The repository is under /workspace/sg-evals/.",
        );
        for (path, is_named) in [
            ("/tests/test.sh", true),
            ("out/a.csv", true),
            ("/workspace/sg-evals", true),
            ("/workspace/sg-evals/", true),
            ("venv/bin/activate", true),
            ("/workspace", false),
            ("test.sh", false),
            ("and/or", false),
            ("https://x.example/a/b.html", false),
            ("", false),
        ] {
            assert_eq!(ordered.names(1, path), is_named, "{path}");
        }
        assert!(!ordered.names(2, "/tests/test.sh"), "another session");
    }
}
