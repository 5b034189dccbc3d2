//! A base assumed from the old side of a diff, for judging a diff outside its repository.
//!
//! What must stay true: such a base is only for judging. A verdict over it says so and carries no [`super::Approved`],
//! because nothing compared the diff with a file.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::parsed_change::Part;
use super::{Base, BaseEntry, BlobState, FileMode, ParsedChange, Violation};
use crate::patch::{ChangeKind, FilePatch, Hunk, Line};
use crate::path::RepoPath;

/// Most lines that are assumed in all: those between hunks, which a diff does not show.
const MAX_UNSEEN_LINES: u64 = 1_000_000;

impl Base {
    /// The base that every diff of the change fits: old lines are where the hunks state them, and the lines between
    /// them are empty. A file given by its whole content did not exist; a file that is deleted by name was empty.
    pub fn assumed(parsed: &ParsedChange) -> Self {
        let mut entries = BTreeMap::new();
        let mut unseen = MAX_UNSEEN_LINES;
        for part in parsed.parts().iter().flatten() {
            match part {
                Part::Diff { patch, .. } => {
                    for file in &patch.files {
                        add_old_side(file, &mut unseen, &mut entries);
                    }
                }
                Part::Delete { path } => {
                    entries.entry(path.clone()).or_insert_with(|| blob(FileMode::Regular, Vec::new()));
                }
                Part::Content { .. } => {}
            }
        }
        Self { commit: String::new(), entries, case_collisions: Vec::new(), unsearched: 0 }
    }

    /// Whether [`Base::assumed`] made it.
    pub fn is_assumed(&self) -> bool {
        self.commit.is_empty()
    }
}

/// The violation that every verdict over an assumed base has.
pub(super) fn notice() -> Violation {
    let message = "there is no base commit to compare with: the gate took context and deleted lines from the diff";
    Violation::flag("no-base", message, "run `gephost gate` in the target repository before you apply the change")
}

fn blob(mode: FileMode, content: Vec<u8>) -> BaseEntry {
    BaseEntry::Blob(BlobState { mode, content: Arc::from(content) })
}

fn add_old_side(file: &FilePatch, unseen: &mut u64, entries: &mut BTreeMap<RepoPath, BaseEntry>) {
    let from_nothing = |hunk: &Hunk| hunk.old_start == 0 && hunk.old_count == 0;
    let makes = file.kind == ChangeKind::Modify && !file.hunks.is_empty() && file.hunks.iter().all(from_nothing);
    let Some(path) = file.old_path.as_ref().filter(|_| !makes) else { return };
    if let Entry::Vacant(place) = entries.entry(path.clone())
        && let Some(content) = old_side(&file.hunks, unseen)
    {
        place.insert(blob(file.old_mode.unwrap_or(FileMode::Regular), content));
    }
}

/// The file before, as far as the hunks show it; `None` if too much would have to be assumed.
fn old_side(hunks: &[Hunk], unseen: &mut u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let mut lines = 0_u64;
    for hunk in hunks {
        // With a count of 0 the start is the line before the gap.
        let before = u64::from(hunk.old_start).saturating_sub(u64::from(hunk.old_count > 0));
        let gap = before.saturating_sub(lines);
        *unseen = unseen.checked_sub(gap)?;
        content.resize(content.len() + usize::try_from(gap).ok()?, b'\n');
        lines += gap + u64::from(hunk.old_count);
        for line in hunk.lines.iter().filter(|line| Line::is_old(line)) {
            content.extend_from_slice(line.text.as_bytes());
            content.extend((!line.no_newline).then_some(b'\n'));
        }
    }
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposal::{Change, Proposal};

    /// What is made up for the files of a diff: name, mode, content.
    fn made_up(diff: &str) -> Vec<(String, FileMode, String)> {
        let base = Base::assumed(&ParsedChange::read(Proposal::from_diff(diff)));
        assert!(base.is_assumed());
        let told = |(path, entry): (RepoPath, BaseEntry)| match entry {
            BaseEntry::Blob(state) => {
                (path.to_string(), state.mode, String::from_utf8_lossy(&state.content).into_owned())
            }
            other => panic!("{other:?}"),
        };
        base.entries.into_iter().map(told).collect()
    }

    fn one(name: &str, content: &str) -> Vec<(String, FileMode, String)> {
        vec![(name.to_owned(), FileMode::Regular, content.to_owned())]
    }

    #[test]
    fn old_lines_stand_where_the_hunks_say() {
        let head = "--- a/x\n+++ b/x\n";
        let two = format!("{head}@@ -3,2 +3,2 @@\n a\n-b\n+B\n@@ -8 +8 @@\n-c\n+C\n");
        assert_eq!(made_up(&two), one("x", "\n\na\nb\n\n\n\nc\n"));
        let inserted = format!("{head}@@ -3,0 +4 @@\n+x\n");
        assert_eq!(made_up(&inserted), one("x", "\n\n\n"));
        let last = format!("{head}@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
        assert_eq!(made_up(&last), one("x", "a\nb"));
    }

    #[test]
    fn a_file_that_is_made_was_not_there() {
        assert_eq!(made_up("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"), []);
        assert_eq!(made_up("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"), []);
        assert_eq!(made_up("diff --git a/x b/x\nnew file mode 100644\n"), []);
        let mode = vec![("x".to_owned(), FileMode::Executable, String::new())];
        assert_eq!(made_up("diff --git a/x b/x\nold mode 100755\nnew mode 100644\n"), mode);
        let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
        assert_eq!(made_up(renamed), one("x", ""));
    }

    #[test]
    fn a_file_is_made_up_once_and_not_without_bound() {
        let far = |line: u64| format!("--- a/x\n+++ b/x\n@@ -{line} +{line} @@\n-a\n+b\n");
        assert_eq!(made_up(&far(MAX_UNSEEN_LINES + 1))[0].2.len(), 1_000_002);
        assert_eq!(made_up(&far(MAX_UNSEEN_LINES + 2)), []);
        let delete = |path: &str| Change::Delete { path: path.to_owned() };
        let changes = vec![Change::UnifiedDiff(far(1)), delete("x"), delete("y")];
        let base = Base::assumed(&ParsedChange::read(Proposal { changes, ..Proposal::from_diff("") }));
        let lengths: Vec<usize> = base
            .entries
            .values()
            .map(|entry| match entry {
                BaseEntry::Blob(state) => state.content.len(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(lengths, [2, 0]);
    }
}
