//! Paths that did not exist, and the path of the same file with which a later call of the session worked, however far away.
//!
//! Memory is bounded: [`MAX_OPEN`] paths wait, and [`MAX_FOUND`] are kept.

use std::collections::VecDeque;

use crate::by_event::ByEvent;
use crate::call::Call;
use crate::mended::is_editor;
use crate::names::base;

const MAX_OPEN: usize = 64;
const MAX_FOUND: usize = 1024;
/// Only this many bytes of an input are read.
const READ_BYTES: usize = 1024;
/// Longest path.
const MAX_PATH: usize = 160;

/// What was looked for in the wrong place.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    open: VecDeque<Missing>,
    found: ByEvent<Found>,
}

#[derive(Debug)]
struct Missing {
    session: u32,
    event: u64,
    path: String,
}

/// A path that did not exist, and the one that worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Elsewhere {
    /// Adds a path that a call did not find.
    pub(crate) fn miss(&mut self, call: &Call<'_>, path: &str) {
        if path.len() > MAX_PATH || base(path).len() < 3 {
            return;
        }
        if self.open.len() >= MAX_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Missing { session: call.session, event: call.event, path: path.to_owned() });
    }

    /// Adds a call that worked, or that failed for another reason than a path. One that writes the file or hides its errors does
    /// not show where it was.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if self.open.is_empty() || is_editor(call.name) || call.input.contains("||") {
            return;
        }
        let input = call.input.get(..call.input.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        let input = input.split("<<").next().unwrap_or_default();
        let found = &mut self.found;
        self.open.retain(|missing| {
            let is_open = missing.session == call.session && found.len() < MAX_FOUND;
            let Some(path) = Some(missing).filter(|_| is_open).and_then(|_| other(input, &missing.path)) else {
                return true;
            };
            found.insert(missing.event, path);
            false
        });
    }

    /// The path that worked in place of the one that this call did not find.
    pub(crate) fn of(&self, event: u64) -> Option<&Found> {
        self.found.get(event)
    }
}

/// What was wrong with a path, if a command has another one of the same file or folder: one is the end of the other, whatever
/// stands before.
fn other(input: &str, missing: &str) -> Option<Found> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '\\' | ':' | '@' | '+');
    let wanted = bare(missing);
    let folder = wanted.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| folder.contains('/'));
    let mut before = "";
    for word in input.split(|c: char| !is_of_path(c) && !matches!(c, '>' | '<')).filter(|word| !word.is_empty()) {
        let is_written = std::mem::replace(&mut before, word).ends_with(['>', '<', '=']) || word.contains(['>', '<']);
        if is_written || word.len() > MAX_PATH || !word.contains(['/', '\\']) {
            continue;
        }
        let path = bare(word);
        let is_same_file = base(&path) == base(&wanted) && (is_end(&path, &wanted) || is_end(&wanted, &path));
        // With `./` in front, it is the same path.
        let is_from_elsewhere = up(word) != up(missing);
        let is_same_folder = folder.is_some() && path.rsplit_once('/').map(|(folder, _)| folder) == folder;
        if is_same_folder && is_from_elsewhere {
            let of = |path: &str| path.rsplit_once(['/', '\\']).map_or(path, |(folder, _)| folder).to_owned();
            return Some(Found { before: of(missing), after: of(word) });
        }
        if is_same_file && (is_from_elsewhere || path != wanted) {
            return Some(Found { before: missing.to_owned(), after: word.to_owned() });
        }
    }
    None
}

/// How many folders above the current one a path begins.
fn up(path: &str) -> usize {
    path.replace('\\', "/")
        .split('/')
        .take_while(|part| matches!(*part, ".." | "." | ""))
        .filter(|part| *part == "..")
        .count()
}

/// A path without the folders above the current one, with `/` between its names.
fn bare(path: &str) -> String {
    let path = path.replace("\\\\", "/").replace('\\', "/");
    path.trim_start_matches("../").trim_start_matches("./").to_owned()
}

fn is_end(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_is_found_in_another_place() {
        for (missing, input, expected) in [
            ("../../.venv/Scripts/a.exe", "cd a && ../.venv/Scripts/b.exe -c 1", Some("../.venv/Scripts")),
            ("calc.py", r#"{"path": "/w/src/calc.py"}"#, Some("/w/src/calc.py")),
            ("/w/src/calc.py", "cat src/calc.py", Some("src/calc.py")),
            ("src/calc.py", "cat src/calc.py", None),
            ("./glow", "go build -o glow && ./glow a", None),
            ("/tests/test.sh", "find . -name test.sh", None),
            ("a/b/calc.py", "cat a/b/other.py", None),
            ("a/calc.py", "cat b/calc.py", None),
            ("calc.py", "cat src/calc.pyc", None),
            ("calc.py", "cat recalc.py", None),
            ("out.csv", "python a.py > tmp/out.csv", None),
        ] {
            assert_eq!(other(input, missing).map(|found| found.after).as_deref(), expected, "{missing} in {input}");
        }
    }

    #[test]
    fn only_a_call_of_the_session_that_shows_the_file_counts() {
        let mut elsewhere = Elsewhere::default();
        let missed = Call { event: 1, ..Call::FAILED };
        elsewhere.miss(&missed, "calc.py");
        let worked = Call { failed: false, input: "cat src/calc.py", ..Call::FAILED };
        elsewhere.work(&Call { session: 1, ..worked });
        elsewhere.work(&Call { name: "Write", ..worked });
        elsewhere.work(&Call { input: "cat src/calc.py || true", ..worked });
        assert_eq!(elsewhere.of(1), None);
        elsewhere.work(&worked);
        assert_eq!(elsewhere.of(1).map(|found| found.after.as_str()), Some("src/calc.py"));
    }
}
