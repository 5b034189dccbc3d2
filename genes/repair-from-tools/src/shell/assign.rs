//! Assignments that a shell takes for commands: spaces around `=`, a `$` before the name, `local` outside of functions.

use super::brackets::split;
use super::error::Error;
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::positions;

/// Repairs the assignment in the line that an error names, and those with the same fault in the lines below it.
pub(super) fn fix(error: &Error<'_>, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let command =
        error.message.strip_suffix(": command not found").or_else(|| error.message.strip_suffix(": not found"));
    let kind = match command {
        Some(command) if command.contains('=') => Kind::Dollar,
        Some(_) => Kind::Spaces,
        None if error.message.starts_with("local: ") && error.message.contains("in a function") => Kind::Local,
        None => return None,
    };
    let source = shelf.open(error.path)?;
    let mut edits = kind.edits(source.line(error.line)?, command.unwrap_or_default(), &source)?;
    let place = |number: usize, edits: Vec<Edit>| {
        let start = source.range(number).map_or(0, |range| range.start);
        edits.into_iter().map(move |edit| Edit { start: edit.start + start, end: edit.end + start, ..edit })
    };
    edits = place(error.line, edits).collect();
    // Lines further below may belong to another language, as in `awk '…'` or after `<<`.
    for number in error.line + 1..=source.count() {
        let line = source.line(number)?;
        let name = line.trim_start().split([' ', '=']).next().unwrap_or_default();
        let Some(more) = kind.edits(line, name, &source).filter(|_| kind != Kind::Local) else { break };
        edits.extend(place(number, more));
    }
    let message = format!("{}: {}", error.path, error.message);
    let what = match kind {
        Kind::Spaces => "assign without spaces around `=`",
        Kind::Dollar => "assign to the name, without `$`",
        Kind::Local => "assign without `local`",
    };
    Some(Fix::new(&source, error.line, edits, what).because("the shell takes the assignment for a command", message))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `name = value`, or `name= value`.
    Spaces,
    /// `$name=value`.
    Dollar,
    /// `local name=value`, not in a function.
    Local,
}

impl Kind {
    /// The edits within a line. `command` is what the shell looked for.
    fn edits(self, line: &str, command: &str, source: &Source) -> Option<Vec<Edit>> {
        let body = line.trim();
        let indent = line.find(body)?;
        match self {
            Self::Dollar => {
                let name = body.strip_prefix('$')?.split_once('=')?.0;
                let is_one = split(body)?.len() == 1;
                (is_name(name) && is_one).then(|| vec![Edit::replace(indent..indent + 1, "")])
            }
            Self::Local => {
                let words = split(body)?;
                let texts: Vec<&str> = words.iter().filter_map(|word| body.get(word.clone())).collect();
                let is_plain =
                    texts.iter().skip(1).all(|word| word.split_once('=').is_some_and(|(name, _)| is_name(name)));
                let end = words.get(1)?.start;
                (texts.first() == Some(&"local") && is_plain).then(|| vec![Edit::replace(indent..indent + end, "")])
            }
            Self::Spaces => {
                let (left, right) = body.split_once('=')?;
                let (name, value) = (left.trim_end(), right.trim_start());
                // With an empty value before it, a command may be meant: `IFS= read`.
                let is_command = if left == name { value == command } else { name == command };
                let is_used = ["$", "${"].iter().any(|sign| {
                    positions(&source.text, name)
                        .any(|at| source.text.get(..at).is_some_and(|before| before.ends_with(sign)))
                });
                let is_one = split(value)?.len() == 1
                    && !value.starts_with(['=', '~'])
                    && !value.contains(['`', '(', ';', '&', '|']);
                if !is_name(name)
                    || !is_command
                    || !is_used
                    || !is_one
                    || left.len() + right.len() == name.len() + value.len()
                {
                    return None;
                }
                let start = indent + name.len();
                Some(vec![Edit::replace(start..indent + body.len() - value.len(), "=")])
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_inside)
}
