//! Files of expected output: snapshots and golden files. One that is emptied agrees with whatever the code prints.

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
