//! Files of expected output: snapshots and golden files. One that is emptied agrees with whatever the code prints.

use super::super::super::ApprovedChange;
use super::super::super::added::{added, removed};
use super::super::language::is_expected_output;
use super::tokens::{says, tokens};
use crate::patch::FilePatch;
use crate::path::RepoPath;

/// Fewest words of an expected output whose loss counts.
const FEWEST: usize = 4;

/// Texts that stand for no output at all.
#[rustfmt::skip]
const NOTHING: &[&str] = &["", "\"\"", "''", "Array []", "None", "Object {}", "[]", "nil", "null", "undefined", "{}"];

/// Whether a file is data that tests compare with, or that they read.
pub(super) fn is_data(path: &RepoPath) -> bool {
    const EXTENSIONS: &[&str] = &["csv", "json", "jsonl", "ndjson", "toml", "tsv", "txt", "xml", "yaml", "yml"];
    const FOLDERS: &[&str] = &["fixture", "fixtures", "testdata", "test-data", "test_data"];
    let lower = path.as_str().to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let in_tests = folders
        .split('/')
        .any(|folder| FOLDERS.contains(&folder) || ["test", "tests", "spec", "specs", "__tests__"].contains(&folder));
    is_expected_output(path) || in_tests && EXTENSIONS.contains(&extension)
}

/// Why data from which tests read their cases says less, in a change that touches nothing but such data. An expected output
/// that changes alone is honest: it may agree with code that changed before.
pub(super) fn changed_alone(change: &ApprovedChange, file: &FilePatch) -> Option<String> {
    change.before.as_ref().and(change.after.as_ref())?;
    if is_expected_output(&change.path) {
        return None;
    }
    let lost = said(&mut removed(file).map(|line| line.text));
    let came = said(&mut added(file).map(|line| line.text));
    (lost > 0 && came == 0).then(|| "rows that tests read are gone".to_owned())
}

/// Why an expected output says nothing any more, or less than half of what it said.
pub(super) fn emptied(path: &RepoPath, file: &FilePatch, before: &str, after: &str) -> Option<String> {
    if !is_expected_output(path) {
        return None;
    }
    let lost = said(&mut removed(file).map(|line| line.text));
    let came: Vec<&str> = added(file).map(|line| line.text.trim().trim_end_matches([',', ';'])).collect();
    if lost >= FEWEST && !came.is_empty() && came.iter().all(|line| NOTHING.contains(line)) {
        return Some("an expected output gave way to nothing".to_owned());
    }
    let (old, new) = (said(&mut before.lines()), said(&mut after.lines()));
    (old >= FEWEST && new * 2 < old).then(|| format!("the expected output has {new} words, and had {old}"))
}

fn said(lines: &mut dyn Iterator<Item = &str>) -> usize {
    lines.map(|line| tokens(line).into_iter().filter(|token| says(token)).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_any_format() {
        assert_eq!(said(&mut ["<a href=\"/\">", "  Home", "</a>"].into_iter()), 5);
        assert_eq!(said(&mut ["null", "{}", ""].into_iter()), 1);
    }
}
