//! Reads the messages of the interpreter.

/// The texts A and B of a message `start A middle B'`.
pub(super) fn quoted_pair<'a>(message: &'a str, start: &str, middle: &str) -> Option<(&'a str, &'a str)> {
    let (first, rest) = message.strip_prefix(start)?.split_once(middle)?;
    let (second, _) = rest.split_once('\'')?;
    Some((first, second))
}
