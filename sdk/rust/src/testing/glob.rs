//! The globs of the import `workspace`, as regular expressions over whole paths.

use regex::Regex;

use crate::HostError;

/// Most bytes of the patterns that braces stand for.
const MAX_EXPANDED: usize = 8192;

/// What matches the paths that a glob describes.
pub(super) fn matcher(pattern: &str) -> Result<Regex, HostError> {
    let invalid = |why: String| HostError::Invalid(format!("the glob {pattern:?}: {why}"));
    if pattern.contains("[[:") {
        return Err(invalid("the host of unit tests has no classes such as `[:alpha:]`".to_owned()));
    }
    let mut expressions = Vec::new();
    let mut waiting = vec![pattern.to_owned()];
    while let Some(next) = waiting.pop() {
        match choices(&next) {
            Ok(None) => {
                let expression = translate(&next);
                expressions.push(expression.ok_or_else(|| invalid("a `[` or `\\` has no end".to_owned()))?);
            }
            Ok(Some(more)) => waiting.extend(more),
            Err(()) => return Err(invalid("a brace has no other half".to_owned())),
        }
        if waiting.iter().map(String::len).sum::<usize>() > MAX_EXPANDED || expressions.len() > MAX_EXPANDED {
            return Err(invalid(format!("braces stand for more than {MAX_EXPANDED} bytes")));
        }
    }
    Regex::new(&format!("^(?:{})$", expressions.join("|"))).map_err(|error| invalid(error.to_string()))
}

/// The patterns that the first brace stands for; nothing if there is none, an error if it is not closed.
fn choices(pattern: &str) -> Result<Option<Vec<String>>, ()> {
    let (mut depth, mut open, mut parts) = (0_usize, 0, Vec::new());
    let mut letters = pattern.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '[' => {
                // A `]` that comes first is a letter of the class.
                let end = pattern[at..].char_indices().skip(class_start(&pattern[at..])).find(|(_, it)| *it == ']');
                let end = at + end.ok_or(())?.0;
                while letters.clone().next().is_some_and(|(next, _)| next <= end) {
                    letters.next();
                }
            }
            '{' => {
                if depth == 0 {
                    open = at;
                    parts.push(at + 1);
                }
                depth += 1;
            }
            ',' if depth == 1 => parts.push(at + 1),
            '}' if depth == 1 => {
                let ends = parts.iter().skip(1).map(|next| next - 1).chain([at]);
                let choices = parts.iter().zip(ends).map(|(begin, end)| &pattern[*begin..end]);
                let (before, after) = (&pattern[..open], &pattern[at + 1..]);
                return Ok(Some(choices.map(|choice| format!("{before}{choice}{after}")).collect()));
            }
            '}' => depth = depth.checked_sub(1).ok_or(())?,
            _ => {}
        }
    }
    if depth == 0 { Ok(None) } else { Err(()) }
}

/// How many letters of a class stand before a `]` can end it.
fn class_start(class: &str) -> usize {
    if class.starts_with("[!") || class.starts_with("[^") { 3 } else { 2 }
}

/// The regular expression of a glob without braces; `None` if a bracket is not closed or nothing is escaped.
fn translate(pattern: &str) -> Option<String> {
    let mut expression = String::new();
    let mut rest = pattern;
    let mut is_segment_start = true;
    while let Some(letter) = rest.chars().next() {
        let was_segment_start = std::mem::replace(&mut is_segment_start, letter == '/');
        if was_segment_start && let Some(after) = rest.strip_prefix("**/") {
            expression += "(?:[^/]+/)*";
            (rest, is_segment_start) = (after, true);
            continue;
        }
        if was_segment_start && rest == "**" {
            expression += ".+";
            break;
        }
        if letter == '[' {
            let end = rest.char_indices().skip(class_start(rest)).find(|(_, letter)| *letter == ']')?.0;
            let class = rest[1..end].replace('\\', "\\\\").replace('[', "\\[").replace('&', "\\&").replace('~', "\\~");
            let class = class.strip_prefix('!').map_or(class.clone(), |class| format!("^{class}"));
            expression += &format!("[[{class}]&&[^/]]");
            rest = &rest[end + 1..];
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        match letter {
            '*' => expression += "[^/]*",
            '?' => expression += "[^/]",
            '\\' => {
                let escaped = rest.chars().next()?;
                expression += &regex::escape(&escaped.to_string());
                rest = &rest[escaped.len_utf8()..];
            }
            letter => expression += &regex::escape(&letter.to_string()),
        }
    }
    Some(expression)
}
