//! Attempts to make a text parse.

use crate::fix::Edit;

/// Some edits that may make a file parse, and what they do.
pub(super) type Attempt = (Vec<Edit>, &'static str);

/// Doubles the backslashes of a text in quotes that starts at `start`: all of them in a path of Windows; otherwise only if none
/// of them begins an escape (`known` are the characters that may follow).
pub(super) fn doubled_backslashes(text: &str, start: usize, known: &str) -> Vec<Edit> {
    let mut single = Vec::new();
    let mut all_unknown = true;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if c != '\\' {
            continue;
        }
        match rest.peek().map(|(_, next)| *next) {
            Some('\\') => {
                rest.next();
                all_unknown = false;
            }
            Some(next) => {
                // In other languages these begin an escape as well, which may be what is meant.
                all_unknown &= !known.contains(next) && !"xX0aveU'".contains(next);
                single.push(at);
            }
            None => {}
        }
    }
    let body = text.trim_start_matches(['"', '\'']);
    let drive = body.starts_with(|c: char| c.is_ascii_alphabetic())
        && body.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
    let has_unknown =
        single.iter().any(|at| text.get(at + 1..).is_some_and(|rest| !rest.starts_with(|c| known.contains(c))));
    if single.is_empty() || !has_unknown || !(drive || all_unknown) {
        return Vec::new();
    }
    single.into_iter().map(|at| Edit::insert(start + at, "\\")).collect()
}
