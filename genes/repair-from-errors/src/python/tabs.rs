//! Repairs indentation that mixes tabs and spaces, as Python 2 understood it.

use super::file::File;
use super::lines::{Line, header_colon, indentation};
use super::tokens::Tokens;
use crate::edit::{Edit, apply};

/// The source with every tab of the indentation replaced by spaces. Python 2 put tab stops at every eighth column, and editors
/// often at every fourth. `None` unless the blocks are the same for both, or the lines form blocks for only one of them.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    if !file.lines.iter().any(|line| indentation(tokens, line).contains('\t')) {
        return None;
    }
    let width = match (blocks(tokens, &file.lines, 8), blocks(tokens, &file.lines, 4)) {
        (Some(eight), Some(four)) if eight == four => 8,
        (Some(_), None) => 8,
        (None, Some(_)) => 4,
        _ => return None,
    };
    expanded(file, width)
}

/// The source of a project for Python 2 with spaces for tabs, as that version understood them: to every eighth column.
pub(crate) fn repair_two(file: &File<'_>) -> Option<Vec<u8>> {
    let is_sound = is_mixed(file) && blocks(&file.tokens, &file.lines, 8).is_some();
    is_sound.then(|| expanded(file, 8)).flatten()
}

fn expanded(file: &File<'_>, width: usize) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let edits = file.lines.iter().filter_map(|line| {
        let text = indentation(tokens, line);
        let start = tokens.list.get(line.tokens.start)?.start;
        text.contains('\t').then(|| Edit::replace(start - text.len()..start, " ".repeat(column(text, width))))
    });
    apply(tokens.bytes, edits.collect())
}

/// Whether Python 3 refuses the indentation: how two lines compare depends on the width of a tab.
fn is_mixed(file: &File<'_>) -> bool {
    let mut open = vec![(0, 0)];
    for line in &file.lines {
        let text = indentation(&file.tokens, line);
        let now = (column(text, 8), column(text, 1));
        while open.last().is_some_and(|(wide, _)| *wide > now.0) {
            open.pop();
        }
        let (wide, narrow) = open.last().copied().unwrap_or((0, 0));
        if now.0.cmp(&wide) != now.1.cmp(&narrow) {
            return true;
        }
        if now.0 > wide {
            open.push(now);
        }
    }
    false
}

/// The number of blocks around each line; `None` if the lines do not form blocks.
fn blocks(tokens: &Tokens<'_>, lines: &[Line], width: usize) -> Option<Vec<usize>> {
    let mut open = vec![0];
    let mut opens = false;
    let mut depths = Vec::new();
    for line in lines {
        let column = column(indentation(tokens, line), width);
        let known = open.last().copied().unwrap_or(0);
        if (column > known) != opens {
            return None;
        }
        if column > known {
            open.push(column);
        }
        while open.last().is_some_and(|last| *last > column) {
            open.pop();
        }
        if open.last() != Some(&column) {
            return None;
        }
        depths.push(open.len());
        opens = header_colon(tokens, line).is_some_and(|colon| colon + 1 == line.tokens.end);
    }
    Some(depths)
}

fn column(text: &str, width: usize) -> usize {
    text.chars().fold(0, |column, c| match c {
        '\t' => (column / width + 1) * width,
        '\u{c}' => 0,
        _ => column + 1,
    })
}
