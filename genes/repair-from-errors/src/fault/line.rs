//! Reads one line of an output.

/// `Type: message`, if the type is a dotted name with the ending of an exception's name, or `StopIteration`.
pub(super) fn exception(line: &str) -> Option<(String, String)> {
    let (name, message) = match line.split_once(':') {
        Some((name, message)) => (name, message.trim()),
        None => (line, ""),
    };
    let code_free = name.split_once(" [").map_or(name, |(name, code)| if code.ends_with(']') { name } else { "" });
    let leaf = code_free.rsplit('.').next().unwrap_or_default();
    let named = ["Error", "Exception", "Warning"].iter().any(|end| leaf.ends_with(end));
    // These have names of their own form, that of regular expressions until Python 3.13.
    let named = named
        || code_free == "StopIteration"
        || ["re.error", "sre_constants.error", "struct.error"].contains(&code_free);
    let plain = code_free.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    (named && plain).then(|| (leaf.to_owned(), message.to_owned()))
}

/// The column at which the marks begin, in characters, if the line has nothing but `^` and `~`.
pub(super) fn marks(line: &str) -> Option<usize> {
    let text = line.trim_end();
    let only_marks = text.trim_start().chars().all(|c| c == '^' || c == '~') && text.contains('^');
    only_marks.then(|| text.chars().take_while(|c| c.is_whitespace()).count())
}

pub(super) fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// The path with forward slashes, if the text looks like a path.
pub(super) fn path(text: &str) -> Option<String> {
    let text = text.trim().strip_prefix("file://").unwrap_or(text.trim());
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let fits = name.contains('.') && !text.contains(['"', '\'']) && text.len() <= 4096;
    fits.then(|| text.replace('\\', "/"))
}
