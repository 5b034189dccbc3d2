//! The place at the start of a compiler's message, which a title gives at its end: the message is what identifies it.

use crate::command::paths::base;

/// A shorter message is read to its end.
const SHORT: usize = 100;
/// The fewest bytes that a message has.
const LEAST: usize = 12;

/// `error: no x (a.c:3)` for the long message `/a/long/path/a.c:3:7: error: no x`. `None` if a message is short, or begins in
/// another way.
pub(crate) fn behind(line: &str) -> Option<String> {
    if line.len() <= SHORT {
        return None;
    }
    let (path, number, message) = with_columns(line).or_else(|| in_brackets(line))?;
    let is_path = path.contains(['.', '/', '\\']) && !path.contains([' ', '"', '\'']) && path.len() > 2;
    // MSBuild names the project behind each message.
    let is_project = |rest: &str| rest.contains(['/', '\\']) && !rest.contains(' ');
    let message = message.rsplit_once(" [").filter(|(_, rest)| is_project(rest)).map_or(message, |(text, _)| text);
    let file = base(path.rsplit('\\').next().unwrap_or(path));
    (is_path && message.len() >= LEAST).then(|| format!("{message} ({file}:{number})"))
}

/// `a.c:3:7: text` and `a.c:3: text`
fn with_columns(line: &str) -> Option<(&str, &str, &str)> {
    let (head, message) = line.split_once(": ")?;
    let (first, last) = head.rsplit_once(':')?;
    match first.rsplit_once(':').filter(|(_, number)| is_number(number)) {
        Some((path, number)) if is_number(last) => Some((path, number, message)),
        _ => is_number(last).then_some((first, last, message)),
    }
}

/// `a.cs(14,13): text`
fn in_brackets(line: &str) -> Option<(&str, &str, &str)> {
    let (head, message) = line.split_once("): ")?;
    let (path, place) = head.rsplit_once('(')?;
    let number = place.split(',').next()?;
    place.split(',').all(is_number).then_some((path, number, message))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_long_message_is_given_behind_it() {
        let long = "z".repeat(SHORT);
        for (line, expected) in [
            (
                format!("C:\\a\\b\\Tests.cs(14,13): error CS0117: {long} [C:\\a\\b\\a.csproj]"),
                Some(format!("error CS0117: {long} (Tests.cs:14)")),
            ),
            (format!("src/a/b.c:3:7: error: {long}"), Some(format!("error: {long} (b.c:3)"))),
            (format!("src/a/b.go:3: {long}"), Some(format!("{long} (b.go:3)"))),
            (format!("Error: at 3:7: {long}"), None),
            (format!("TypeError: {long}"), None),
            (format!("localhost:80: {long}"), None),
            ("a/b.c:3:7: error: no x".to_owned(), None),
        ] {
            assert_eq!(behind(&line), expected, "{line}");
        }
    }
}
