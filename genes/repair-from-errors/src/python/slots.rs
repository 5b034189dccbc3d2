//! Names in `__slots__` that the class defines itself. Python 2 kept what the class defines; Python 3.0 refuses the class.

use super::file::File;
use super::lines::Line;
use super::tokens::Kind;
use crate::edit::{Edit, apply};

/// The source without such names in the slots of its classes.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for (number, class) in file.lines.iter().enumerate().filter(|(_, line)| tokens.is(line.tokens.start, "class")) {
        let inside = file.lines.iter().skip(number + 1).take_while(|line| line.indent > class.indent);
        let body: Vec<&Line> = inside.collect();
        let indent = body.first().map_or(0, |line| line.indent);
        let own = || body.iter().filter(move |line| line.indent == indent).map(|line| line.tokens.clone());
        let defines = |name: &str| {
            own().any(|line| {
                tokens.is(line.start, "def") && tokens.is(line.start + 1, name)
                    || tokens.is(line.start, name) && tokens.is(line.start + 1, "=")
            })
        };
        let Some(slots) = own().find(|line| tokens.is(line.start, "__slots__") && tokens.is(line.start + 1, "="))
        else {
            continue;
        };
        for index in slots.start + 3..slots.end {
            let text = std::str::from_utf8(tokens.text(index)).unwrap_or_default();
            if !tokens.is_kind(index, Kind::Text) || !defines(text.trim_matches(['"', '\''])) {
                continue;
            }
            let span = file.span(index, index)?;
            let is_last = !tokens.is(index + 1, ",");
            let end = if is_last { span.end } else { tokens.list.get(index + 2)?.start };
            // What is left is still a tuple, and a lone text in brackets is none.
            let is_alone = is_last && !tokens.follows(index, ",") && !tokens.is(slots.start + 2, "[");
            if is_alone && !tokens.is(slots.start + 2, "(") {
                return None;
            }
            edits.push(Edit::replace(span.start..end, ""));
        }
    }
    if edits.is_empty() { None } else { apply(tokens.bytes, edits) }
}
