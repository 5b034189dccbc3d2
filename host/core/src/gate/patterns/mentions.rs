//! How a program names a file, and where such a name stands in its text.

/// Ways to name a file.
pub(super) const SPELLINGS: usize = 2;

/// How a program may name a file: by its name, or by a pattern of a shell for all files of its kind.
pub(super) fn spellings(name: &str) -> [String; SPELLINGS] {
    let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
    [name.to_owned(), format!("*.{extension}")]
}

/// Whether a file's name stands in a text as a whole name, or a pattern of a shell that covers it. A name without an
/// extension may be a key too: `LICENSE => 'perl'`.
pub(super) fn mentions(text: &[u8], name: &str) -> bool {
    let is_of_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80;
    let before = |at: usize, count: usize| at.checked_sub(count).and_then(|before| text.get(before));
    let is_longer = |at: usize| match before(at, 1) {
        Some(b'.') => before(at, 2).is_some_and(|&b| is_of_name(b)),
        other => other.is_some_and(|&b| is_of_name(b)),
    };
    let whole = |at: usize, length: usize| {
        let after = text.get(at + length..).unwrap_or_default();
        let is_key = || !name.contains('.') && is_before_arrow(after);
        !is_longer(at) && !after.first().is_some_and(|&b| is_of_name(b)) && !is_key()
    };
    let has = |wanted: &str| memchr::memmem::find_iter(text, wanted).any(|at| whole(at, wanted.len()));
    spellings(name).iter().any(|wanted| has(wanted))
}

/// Whether a name without an extension only stands among other words, as in "see the LICENSE file".
pub(super) fn is_only_a_word(text: &str, name: &str) -> bool {
    let begins_text = |before: &str| before.ends_with(['"', '\'', '`', '/', '\\', '<', '(', '{']);
    !name.contains('.') && !text.match_indices(name).any(|(at, _)| text.get(..at).is_some_and(begins_text))
}

fn is_before_arrow(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text);
    rest.trim_ascii_start().starts_with(b"=>")
}
