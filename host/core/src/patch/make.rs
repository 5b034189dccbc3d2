//! Two states of a file to a patch, with three lines of context as git has them.

use std::borrow::Cow;

use super::diff::{Block, blocks};
use super::text::{latin_1, utf_8};
use super::{ChangeKind, FilePatch, Hunk, Line, LineKind};
use crate::path::RepoPath;
use crate::tree::BlobState;

/// Unchanged lines shown before and after a change.
const CONTEXT: usize = 3;

/// Why no patch can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MakeError {
    /// A file on either side is not text.
    #[error("binary content (a NUL byte, or not UTF-8) cannot be reviewed")]
    Binary,
    /// A file that is not UTF-8 becomes UTF-8, so that lines whose bytes change would look unchanged.
    #[error("the change converts the file to UTF-8, so that lines would look unchanged whose bytes change")]
    Converted,
    /// The file is on neither side.
    #[error("the file is neither there before nor after")]
    Nothing,
}

/// Whether content can be reviewed as text: UTF-8 without NUL bytes.
pub fn is_text(content: &[u8]) -> bool {
    utf_8(content).is_some()
}

/// The patch that leads from one state of a path to another. Equal states give a patch without hunks and modes.
pub fn make(before: Option<&BlobState>, after: Option<&BlobState>, path: &RepoPath) -> Result<FilePatch, MakeError> {
    let kind = match (before, after) {
        (None, None) => return Err(MakeError::Nothing),
        (None, Some(_)) => ChangeKind::Add,
        (Some(_), None) => ChangeKind::Delete,
        (Some(_), Some(_)) => ChangeKind::Modify,
    };
    let (old, new) = texts(before, after)?;
    let (old_mode, new_mode) = (before.map(|state| state.mode), after.map(|state| state.mode));
    let says_mode = old_mode != new_mode;
    Ok(FilePatch {
        kind,
        old_path: before.map(|_| path.clone()),
        new_path: after.map(|_| path.clone()),
        old_mode: old_mode.filter(|_| says_mode),
        new_mode: new_mode.filter(|_| says_mode),
        may_create: false,
        hunks: hunks(&old, &new),
    })
}

/// Both states as text. A file that is not UTF-8 is read as Latin-1 on both sides, so that equal text is equal bytes. A
/// change can edit or delete such a file; it cannot make one.
fn texts<'s>(
    before: Option<&'s BlobState>,
    after: Option<&'s BlobState>,
) -> Result<(Cow<'s, str>, Cow<'s, str>), MakeError> {
    let content = |state: Option<&'s BlobState>| state.map_or(&[][..], |state| &*state.content);
    let (old, new) = (content(before), content(after));
    match (utf_8(old), utf_8(new)) {
        (Some(old), Some(new)) => Ok((Cow::Borrowed(old), Cow::Borrowed(new))),
        (Some(_), None) => Err(MakeError::Binary),
        (None, Some(new)) if !new.is_ascii() && latin_1(old).is_some() => Err(MakeError::Converted),
        (None, _) => {
            let read = |content| latin_1(content).map(Cow::Owned).ok_or(MakeError::Binary);
            Ok((read(old)?, read(new)?))
        }
    }
}

fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let old_bytes: Vec<&[u8]> = old.iter().map(|line| line.as_bytes()).collect();
    let new_bytes: Vec<&[u8]> = new.iter().map(|line| line.as_bytes()).collect();
    let blocks = blocks(&old_bytes, &new_bytes);
    grouped(&blocks).into_iter().map(|group| hunk(group, &old, &new)).collect()
}

/// Blocks whose contexts touch belong to one hunk.
fn grouped(blocks: &[Block]) -> Vec<&[Block]> {
    blocks.chunk_by(|a, b| b.old <= a.old + a.old_len + 2 * CONTEXT).collect()
}

fn hunk(blocks: &[Block], old: &[&str], new: &[&str]) -> Hunk {
    let first = blocks.first().map_or((0, 0), |block| (block.old, block.new));
    let before = first.0.min(CONTEXT);
    let (old_from, new_from) = (first.0 - before, first.1 - before);
    let mut lines = Vec::new();
    let mut at = old_from;
    for block in blocks {
        push(&mut lines, LineKind::Context, old, at, block.old);
        push(&mut lines, LineKind::Delete, old, block.old, block.old + block.old_len);
        push(&mut lines, LineKind::Add, new, block.new, block.new + block.new_len);
        at = block.old + block.old_len;
    }
    push(&mut lines, LineKind::Context, old, at, old.len().min(at + CONTEXT));
    let old_count = lines.iter().filter(|line| line.is_old()).count();
    let new_count = lines.iter().filter(|line| line.is_new()).count();
    Hunk {
        old_start: start(old_from, old_count),
        old_count: small(old_count),
        new_start: start(new_from, new_count),
        new_count: small(new_count),
        lines,
    }
}

fn push(lines: &mut Vec<Line>, kind: LineKind, source: &[&str], from: usize, to: usize) {
    lines.extend(source.iter().take(to).skip(from).map(|line| {
        let text = line.strip_suffix('\n');
        Line { kind, text: text.unwrap_or(line).to_owned(), no_newline: text.is_none() }
    }));
}

/// A side's first line from 1, or the line before the gap where the side has no lines.
fn start(from: usize, count: usize) -> u32 {
    small(from + usize::from(count > 0))
}

/// A text of 4 GiB is refused long before its lines are counted.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Patch;
    use crate::tree::FileMode;

    #[test]
    fn text_is_utf8_without_nul() {
        assert!(is_text(b"") && is_text("é\n".as_bytes()));
        assert!(!is_text(b"a\0b") && !is_text(b"\xff") && !is_text(b"\0\xff"));
    }

    fn made(old: Option<&[u8]>, new: Option<&[u8]>) -> Result<FilePatch, MakeError> {
        let state = |content: &[u8]| BlobState { mode: FileMode::Regular, content: content.into() };
        make(old.map(state).as_ref(), new.map(state).as_ref(), &RepoPath::new("a").expect("a path"))
    }

    #[test]
    fn a_file_that_is_not_utf_8_is_read_as_latin_1_on_both_sides() {
        let old: &[u8] = b"# caf\xe9 \x93\n\nprint 'h\xe9'\n";
        for new in [&b"# caf\xe9 \x93\n\nprint('h\xe9')\n"[..], b"# cafe\n\nprint('h')\n", b"", b"\xe9"] {
            let patch = made(Some(old), Some(new)).expect("text");
            let text = crate::patch::emit(&Patch { files: vec![patch.clone()] });
            let read = crate::patch::parse(&text, &crate::patch::Limits::default()).expect("canonical");
            assert_eq!(read.files[0].hunks, patch.hunks);
            assert_eq!(crate::patch::apply(&patch.hunks, old).expect("it fits").content, new);
        }
        assert!(made(Some(old), None).is_ok());
        // It could not be told whether a line that looks the same is the same.
        assert_eq!(made(Some(old), Some("# café\n".as_bytes())), Err(MakeError::Converted));
        for (old, new) in [
            (Some(&b"a"[..]), Some(&b"\xe9"[..])),
            (None, Some(b"\xe9")),
            (Some(b"\xe9\0"), Some(b"a")),
            (Some(b"\xe9\x01"), None),
        ] {
            assert_eq!(made(old, new), Err(MakeError::Binary), "{old:?} {new:?}");
        }
    }
}
