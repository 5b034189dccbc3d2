//! Tests with `[`: words that a variable splits, and spaces that are missing.

use super::error::Error;
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;

/// Repairs the only test in the line that a message about `[` names.
pub(super) fn fix(error: &Error<'_>, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let message = error.message;
    let kind = if message == "[: missing `]'" || message == "[: missing ]" {
        Kind::Closing
    } else if message.starts_with('[') && message.ends_with(": not found") && !message.starts_with("[[")
        || message.starts_with('[') && message.ends_with(": command not found")
    {
        Kind::Opening
    } else if message.contains("syntax error near unexpected token `then'")
        || message.contains("syntax error near unexpected token `do'")
        || ["Syntax error: \"then\" unexpected", "Syntax error: \"do\" unexpected"].contains(&message)
    {
        Kind::Touching
    } else if message.starts_with("[: ") && OPERATORS.iter().any(|end| message.ends_with(end)) {
        Kind::Words
    } else {
        return None;
    };
    let source = shelf.open(error.path)?;
    let line = source.line(error.line)?;
    let start = source.range(error.line)?.start;
    let Some((edits, what)) = kind.edits(line) else {
        shelf.note(&format!("{}:{}: there is not exactly one right edit for this test", source.path, error.line));
        return None;
    };
    let edits =
        edits.into_iter().map(|edit| Edit { start: edit.start + start, end: edit.end + start, ..edit }).collect();
    let message = format!("{}: {message}", error.path);
    Some(
        Fix::new(&source, error.line, edits, what)
            .because("`[` is a command, and its words are its arguments", message),
    )
}

/// Endings of messages about the words of a test, in bash, dash and busybox.
const OPERATORS: [&str; 6] = [
    "too many arguments",
    "unary operator expected",
    "binary operator expected",
    "unexpected operator",
    "argument expected",
    "unknown operand",
];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Closing,
    Opening,
    /// `if[ … ]; then`.
    Touching,
    Words,
}

impl Kind {
    /// The edits within a line.
    fn edits(self, line: &str) -> Option<(Vec<Edit>, &'static str)> {
        if line.contains("[[") || line.trim_start().starts_with('#') {
            return None;
        }
        match self {
            Self::Opening => {
                let at = ["if [", "while [", "elif [", "&& [", "|| ["]
                    .iter()
                    .find_map(|word| line.find(word).map(|at| at + word.len()));
                let at = at.or_else(|| {
                    line.trim_start().starts_with('[').then(|| line.find('[').map(|at| at + 1)).flatten()
                })?;
                let follows = line.get(at..)?.starts_with(['"', '$', '-', '!']);
                (follows && line.matches('[').count() == 1)
                    .then(|| (vec![Edit::insert(at, " ")], "put a space after `[`"))
            }
            Self::Touching => {
                let word =
                    ["if[", "elif[", "while[", "until["].into_iter().find(|it| line.trim_start().starts_with(it))?;
                let at = line.find(word)? + word.len();
                let follows = line.get(at..)?.starts_with(' ');
                let mut edits = vec![Edit::insert(at - 1, " ")];
                edits.extend((!follows).then(|| Edit::insert(at, " ")));
                Some((edits, "put a space before `[`"))
            }
            Self::Closing => {
                let at = line.rfind(']')?;
                let before = line.get(..at)?;
                let after = line.get(at + 1..)?.trim_start();
                let ends = after.is_empty() || after.starts_with([';', '&', '|', '#']);
                (ends && !before.ends_with(' ') && line.matches(']').count() == 1 && before.contains("[ "))
                    .then(|| (vec![Edit::insert(at, " ")], "put a space before `]`"))
            }
            Self::Words => {
                let open = line.find("[ ")?;
                let close = line.rfind(" ]")?;
                let inner = line.get(open + 2..close)?;
                // A test that has operators of its own, or that a backquote or a parenthesis divides, is left alone.
                if line.matches("[ ").count() != 1 || inner.contains(['`', '\\', '(', '[', '*']) {
                    return None;
                }
                let words = split(inner)?;
                let texts: Vec<&str> = words.iter().filter_map(|range| inner.get(range.clone())).collect();
                let plain = match texts.as_slice() {
                    [a, "=" | "!=" | "==", b] | ["!", a, "=" | "!=" | "==", b] => is_operand(a) && is_operand(b),
                    ["-n" | "-z", a] | ["!", "-n" | "-z", a] => is_operand(a),
                    _ => false,
                };
                let mut edits = Vec::new();
                for (range, text) in words.iter().zip(&texts).filter(|_| plain) {
                    if is_variable(text) {
                        let new = format!("\"{text}\"");
                        edits.push(Edit::replace(open + 2 + range.start..open + 2 + range.end, new));
                    } else if *text == "==" {
                        edits.push(Edit::replace(open + 2 + range.start..open + 2 + range.end, "="));
                    }
                }
                (!edits.is_empty()).then_some((edits, "quote the variables of the test, and compare with `=`"))
            }
        }
    }
}

/// The words of a test, as byte ranges; `None` if a quote does not end.
pub(super) fn split(text: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                start.get_or_insert(at);
            }
            None if c.is_whitespace() => words.extend(start.take().map(|start| start..at)),
            None => {
                start.get_or_insert(at);
            }
        }
    }
    words.extend(start.map(|start| start..text.len()));
    quote.is_none().then_some(words)
}

/// Whether it is one variable without quotes. `$@` and `$*` are lists.
fn is_variable(text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or_else(|| text.strip_prefix('$'));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether it is a variable, a text in quotes, or a plain word.
fn is_operand(text: &str) -> bool {
    let quoted = text.len() >= 2 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    is_variable(text) || quoted || text.chars().all(|c| c.is_alphanumeric() || "_./:,+%@".contains(c) || c == '-')
}
