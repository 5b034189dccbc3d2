//! One line of a shell's output.

/// An error that names a script and a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Error<'a> {
    pub(super) path: &'a str,
    pub(super) line: usize,
    pub(super) message: &'a str,
}

/// `script: line 3: message` of bash, or `script: 3: message` of dash.
pub(super) fn error(line: &str) -> Option<Error<'_>> {
    let (path, rest) = line.trim_end_matches('\r').split_once(": ")?;
    let rest = rest.strip_prefix("line ").unwrap_or(rest);
    let (number, message) = rest.split_once(": ")?;
    let line = number.parse().ok()?;
    (!path.is_empty() && !path.contains(' ')).then_some(Error { path, line, message })
}

/// The words of a command, without quotes.
pub(super) fn words(input: &str) -> impl Iterator<Item = &str> {
    input.split([' ', '\t', '\n', '"', '\'', ';', '&', '|', '(', ')', '=', ',', '`']).filter(|word| !word.is_empty())
}
