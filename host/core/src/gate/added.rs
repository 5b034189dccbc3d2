//! The lines that a patch adds or deletes. The layers `secrets` and `patterns` look only at these, because a proposal
//! is not responsible for what was there before.

use crate::patch::{FilePatch, LineKind};

/// An added line, or a deleted one.
#[derive(Debug, Clone, Copy)]
pub(super) struct AddedLine<'a> {
    /// Its number in the file that holds it, from 1: after the change, or before it for a deleted line.
    pub(super) number: u64,
    /// Without the line feed.
    pub(super) text: &'a str,
}

/// Every added line of a file, in order.
pub(super) fn added(file: &FilePatch) -> impl Iterator<Item = AddedLine<'_>> {
    file.hunks.iter().flat_map(|hunk| {
        let new = hunk.lines.iter().filter(|line| line.is_new());
        let numbered = (u64::from(hunk.new_start)..).zip(new);
        let fresh = numbered.filter(|(_, line)| line.kind == LineKind::Add);
        fresh.map(|(number, line)| AddedLine { number, text: &line.text })
    })
}

/// Every deleted line of a file, in order, with its number before the change.
pub(super) fn removed(file: &FilePatch) -> impl Iterator<Item = AddedLine<'_>> {
    file.hunks.iter().flat_map(|hunk| {
        let numbered = (u64::from(hunk.old_start)..).zip(hunk.lines.iter().filter(|line| line.is_old()));
        let gone = numbered.filter(|(_, line)| line.kind == LineKind::Delete);
        gone.map(|(number, line)| AddedLine { number, text: &line.text })
    })
}
