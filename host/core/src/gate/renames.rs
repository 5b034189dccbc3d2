//! Detects renames: deleted files that were added under another name. They are for display, never for limits.
//!
//! What must stay true: the same change gives the same renames, and the work is linear in the deleted and added bytes,
//! whatever they hold.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::{ApprovedChange, BlastRadius, BlobState};
use crate::patch::{FilePatch, LineKind, Patch, make};
use crate::path::RepoPath;

/// Least similarity of a rename, in percent, as in git.
const LEAST_SIMILARITY: u8 = 50;
/// A line that appears in more deleted files than this identifies none of them.
const MAX_FILES_OF_LINE: usize = 4;
/// Among more deleted files of equal content than this, names are not compared.
const MAX_ALIKE: usize = 32;

/// A renamed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rename {
    /// Its path before.
    pub from: RepoPath,
    /// Its path after.
    pub to: RepoPath,
    /// Bytes in equal lines, in percent of the larger of the two: 50 to 100.
    pub similarity: u8,
}

/// The size of a change in which a renamed file counts once, with only its changed lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct WithRenames {
    /// Files touched.
    pub files: u64,
    /// Lines added and deleted.
    pub lines: u64,
    /// The renames, sorted by the path after.
    pub renames: Vec<Rename>,
}

/// Measures a change. `patch` holds one file for each of the changes, in their order.
pub(super) fn count(changes: &[ApprovedChange], patch: &Patch, plain: BlastRadius) -> WithRenames {
    let renames = detect(changes);
    let by_path: BTreeMap<&RepoPath, (&ApprovedChange, &FilePatch)> =
        changes.iter().zip(&patch.files).map(|(change, file)| (&change.path, (change, file))).collect();
    let mut lines = plain.lines;
    for rename in &renames {
        let (Some((gone, deletion)), Some((came, addition))) = (by_path.get(&rename.from), by_path.get(&rename.to))
        else {
            continue;
        };
        let moved = make(gone.before.as_ref(), came.after.as_ref(), &rename.to);
        let apart = changed_lines(deletion) + changed_lines(addition);
        let together = moved.map_or(0, |file| changed_lines(&file));
        lines = lines.saturating_sub(apart).saturating_add(together);
    }
    WithRenames { files: plain.files.saturating_sub(renames.len() as u64), lines, renames }
}

/// Lines that a file's patch adds and deletes.
pub(super) fn changed_lines(file: &FilePatch) -> u64 {
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.filter(|line| line.kind != LineKind::Context).count() as u64
}

/// A file on one side: where, and its bytes.
type Side<'a> = (&'a RepoPath, &'a [u8]);

/// A pair, by its indexes in the two lists.
struct Pair {
    gone: usize,
    came: usize,
    similarity: u8,
}

/// Deleted files paired with added ones, each at most once: those of equal content first, then the most similar.
fn detect(changes: &[ApprovedChange]) -> Vec<Rename> {
    let gone: Vec<Side<'_>> = changes.iter().filter_map(|c| side(c, c.before.as_ref(), c.after.as_ref())).collect();
    let came: Vec<Side<'_>> = changes.iter().filter_map(|c| side(c, c.after.as_ref(), c.before.as_ref())).collect();
    let mut matching =
        Matching { gone_free: vec![true; gone.len()], came_free: vec![true; came.len()], pairs: Vec::new() };
    matching.exact(&gone, &came);
    matching.similar(&gone, &came);
    let named = |pair: &Pair| -> Option<Rename> {
        let (from, to) = (gone.get(pair.gone)?.0.clone(), came.get(pair.came)?.0.clone());
        Some(Rename { from, to, similarity: pair.similarity })
    };
    let mut renames: Vec<Rename> = matching.pairs.iter().filter_map(named).collect();
    renames.sort_by(|a, b| a.to.cmp(&b.to));
    renames
}

/// A file that exists on one side only. Empty files are all equal and identify nothing.
fn side<'a>(change: &'a ApprovedChange, there: Option<&'a BlobState>, other: Option<&BlobState>) -> Option<Side<'a>> {
    let state = there.filter(|state| other.is_none() && !state.content.is_empty())?;
    Some((&change.path, &state.content))
}

struct Matching {
    gone_free: Vec<bool>,
    came_free: Vec<bool>,
    pairs: Vec<Pair>,
}

impl Matching {
    fn take(&mut self, pair: Pair) {
        let (Some(gone), Some(came)) = (self.gone_free.get_mut(pair.gone), self.came_free.get_mut(pair.came)) else {
            return;
        };
        if *gone && *came {
            (*gone, *came) = (false, false);
            self.pairs.push(pair);
        }
    }

    /// Pairs of equal content; of several such files, the one with the same name, else the first.
    fn exact(&mut self, gone: &[Side<'_>], came: &[Side<'_>]) {
        let mut by_content: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (at, (_, content)) in gone.iter().enumerate() {
            by_content.entry(content).or_default().push(at);
        }
        for (at, (path, content)) in came.iter().enumerate() {
            let Some(alike) = by_content.get_mut(content) else {
                continue;
            };
            let named = |&place: &usize| gone.get(place).is_some_and(|(old, _)| old.file_name() == path.file_name());
            let chosen = alike.iter().take(MAX_ALIKE).position(named).unwrap_or(0);
            if chosen < alike.len() {
                self.take(Pair { gone: alike.remove(chosen), came: at, similarity: 100 });
            }
        }
    }

    /// Pairs by shared lines. Each added file has one possible origin; the most similar pairs are taken first.
    fn similar(&mut self, gone: &[Side<'_>], came: &[Side<'_>]) {
        let index = LineIndex::new(gone, &self.gone_free);
        let free = came.iter().enumerate().filter(|(at, _)| self.came_free.get(*at) == Some(&true));
        let found = free.filter_map(|(at, (_, content))| {
            let place = index.likeliest(content)?;
            let similarity = index.similarity(place, content, gone.get(place)?.1.len());
            (similarity >= LEAST_SIMILARITY).then_some(Pair { gone: place, came: at, similarity })
        });
        let mut found: Vec<Pair> = found.collect();
        found.sort_by_key(|pair| Reverse(pair.similarity));
        for pair in found {
            self.take(pair);
        }
    }
}

/// The lines of the deleted files.
struct LineIndex<'a> {
    /// The first few files that hold a line.
    files: HashMap<&'a [u8], Vec<usize>>,
    /// How often each file holds a line.
    counts: HashMap<(usize, &'a [u8]), usize>,
}

impl<'a> LineIndex<'a> {
    fn new(gone: &[Side<'a>], free: &[bool]) -> Self {
        let mut index = Self { files: HashMap::new(), counts: HashMap::new() };
        for (at, (_, content)) in gone.iter().enumerate().filter(|(at, _)| free.get(*at) == Some(&true)) {
            for line in lines(content) {
                let count = index.counts.entry((at, line)).or_default();
                *count += 1;
                let files = index.files.entry(line).or_default();
                if *count == 1 && files.len() <= MAX_FILES_OF_LINE {
                    files.push(at);
                }
            }
        }
        index
    }

    /// The file that shares the most bytes in lines which few files hold; the first of several.
    fn likeliest(&self, content: &[u8]) -> Option<usize> {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for line in lines(content) {
            for &file in self.files.get(line).filter(|files| files.len() <= MAX_FILES_OF_LINE).into_iter().flatten() {
                *shared.entry(file).or_default() += line.len();
            }
        }
        shared.into_iter().max_by_key(|&(file, bytes)| (bytes, Reverse(file))).map(|(file, _)| file)
    }

    /// Bytes in equal lines, in percent of the larger file.
    fn similarity(&self, file: usize, content: &[u8], len: usize) -> u8 {
        let mut used: HashMap<&[u8], usize> = HashMap::new();
        let mut shared = 0;
        for line in lines(content) {
            let used = used.entry(line).or_default();
            if self.counts.get(&(file, line)).is_some_and(|&count| *used < count) {
                *used += 1;
                shared += line.len();
            }
        }
        u8::try_from(shared * 100 / len.max(content.len()).max(1)).unwrap_or(100)
    }
}

fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|&byte| byte == b'\n')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::FileMode;
    use super::*;

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> ApprovedChange {
        let state = |text: &str| BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) };
        let path = RepoPath::new(path).expect("a plain path");
        ApprovedChange { path, before: before.map(state), after: after.map(state) }
    }

    fn counted(changes: &[ApprovedChange]) -> (u64, u64, Vec<String>) {
        let files = changes.iter().map(|c| make(c.before.as_ref(), c.after.as_ref(), &c.path).expect("text")).collect();
        let patch = Patch { files };
        let lines = patch.files.iter().map(changed_lines).sum();
        let with = count(changes, &patch, BlastRadius { files: changes.len() as u64, lines });
        let shown = with.renames.iter().map(|r| format!("{} {} {}", r.from, r.to, r.similarity)).collect();
        (with.files, with.lines, shown)
    }

    fn numbers(from: usize, to: usize) -> String {
        (from..to).fold(String::new(), |text, n| text + &format!("line {n:04}\n"))
    }

    #[test]
    fn a_moved_file_counts_once_and_with_its_changed_lines_only() {
        let (old, new) = (numbers(0, 10), numbers(0, 9) + "other 999\n");
        let exact = [change("a", Some(&old), None), change("b", None, Some(&old))];
        assert_eq!(counted(&exact), (1, 0, vec!["a b 100".to_owned()]));
        let similar = [change("a", Some(&old), None), change("b", None, Some(&new))];
        assert_eq!(counted(&similar), (1, 2, vec!["a b 90".to_owned()]));
        let unlike = [change("a", Some(&old), None), change("b", None, Some(&numbers(6, 20)))];
        assert_eq!(counted(&unlike), (2, 24, vec![]));
        let edit = [change("a", Some(&old), Some(&new)), change("c", Some("x\n"), None)];
        assert_eq!(counted(&edit), (2, 3, vec![]));
    }

    #[test]
    fn half_is_enough_and_less_is_not() {
        let old = numbers(0, 10);
        let of = |shared: usize| {
            counted(&[
                change("a", Some(&old), None),
                change("b", None, Some(&(numbers(0, shared) + &numbers(50, 60 - shared)))),
            ])
            .2
        };
        assert_eq!(of(5), ["a b 50"]);
        assert_eq!(of(4), Vec::<String>::new());
        assert_eq!(
            counted(&[change("a", Some("x\nx\ny\nz\n"), None), change("b", None, Some("x\nx\nx\nx\n"))]).2,
            ["a b 50"]
        );
    }

    #[test]
    fn equal_files_are_paired_by_name_and_each_once() {
        let text = numbers(0, 4);
        let changes = [
            change("a/x", Some(&text), None),
            change("a/y", Some(&text), None),
            change("b/q", None, Some(&text)),
            change("b/y", None, Some(&text)),
            change("c/y", None, Some(&text)),
        ];
        assert_eq!(counted(&changes).2, ["a/x b/q 100", "a/y b/y 100"]);
    }

    #[test]
    fn of_equal_files_each_keeps_its_name() {
        let text = numbers(0, 4);
        let changes = [
            change("a/x", Some(&text), None),
            change("a/y", Some(&text), None),
            change("b/v/y", None, Some(&text)),
            change("b/w/x", None, Some(&text)),
        ];
        assert_eq!(counted(&changes).2, ["a/y b/v/y 100", "a/x b/w/x 100"]);
    }

    #[test]
    fn the_file_that_shares_more_bytes_is_the_likeliest() {
        let long = "one line of fifteen\n";
        let short = ["two of ten\n", "the other\n", "and a third\n"].concat();
        let changes = [
            change("a", Some(&(long.to_owned() + "x\n")), None),
            change("b", Some(&(short.clone() + "y\n")), None),
            change("c", None, Some(&(long.to_owned() + &short))),
        ];
        assert_eq!(counted(&changes).2, ["b c 62"]);
    }

    #[test]
    fn the_more_similar_file_is_the_one_that_moved() {
        let changes = [
            change("a", Some(&numbers(0, 10)), None),
            change("b", None, Some(&numbers(0, 7))),
            change("c", None, Some(&numbers(0, 9))),
        ];
        assert_eq!(counted(&changes).2, ["a c 90"]);
    }

    #[test]
    fn empty_files_and_lines_that_all_files_hold_tell_nothing() {
        assert_eq!(counted(&[change("a", Some(""), None), change("b", None, Some(""))]), (2, 0, vec![]));
        let many: Vec<ApprovedChange> = (0..8)
            .map(|n| change(&format!("a{n}"), Some(&format!("same\nsame\nsame\n{n}\n")), None))
            .chain([change("b", None, Some("same\nsame\nsame\nx\n"))])
            .collect();
        assert_eq!(counted(&many).2, Vec::<String>::new());
    }
}
