//! Texts that name the operator's folders name those of the work copy instead.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Folders, and the replacement of each in the work copy.
#[derive(Debug, Clone, Default)]
pub(super) struct Moves(Vec<(PathBuf, PathBuf)>);

impl Moves {
    /// The longest folder counts first, so that one in another has its own place.
    pub(super) fn new(mut moves: Vec<(PathBuf, PathBuf)>) -> Self {
        moves.sort_by_key(|(from, _)| std::cmp::Reverse(from.as_os_str().len()));
        Self(moves)
    }

    /// The new place of a path; `None` if it is in none of the folders.
    pub(super) fn path(&self, path: &Path) -> Option<PathBuf> {
        self.0.iter().find_map(|(from, to)| {
            let rest = path.strip_prefix(from).ok()?;
            // Joining nothing would add a slash.
            Some(if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) })
        })
    }

    /// A text with every folder replaced; `None` if it names none.
    pub(super) fn text(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut moved: Option<Vec<u8>> = None;
        for (from, to) in &self.0 {
            if let Some(changed) = replaced(moved.as_deref().unwrap_or(text), from.as_os_str(), to.as_os_str()) {
                moved = Some(changed);
            }
        }
        moved
    }

    /// A word of a command line, likewise.
    pub(super) fn word(&self, word: &str) -> String {
        let moved = self.text(word.as_bytes()).map(std::ffi::OsString::from_vec);
        moved.and_then(|moved| moved.into_string().ok()).unwrap_or_else(|| word.to_owned())
    }
}

/// Replaces a folder where it begins a path: `/a/b` in `/a/b/c` and in `'/a/b'`, but not in `/a/bc` or `/x/a/b`.
fn replaced(text: &[u8], from: &OsStr, to: &OsStr) -> Option<Vec<u8>> {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | 0x80..);
    let is_before = |byte: &u8| is_of_name(byte) || *byte == b'/';
    let mut out = Vec::new();
    let mut copied = 0;
    for at in memchr::memmem::find_iter(text, from) {
        let end = at + from.len();
        let begins = at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|byte| !is_before(byte));
        if at < copied || !begins || text.get(end).is_some_and(is_of_name) {
            continue;
        }
        out.extend_from_slice(text.get(copied..at).unwrap_or_default());
        out.extend_from_slice(to);
        copied = end;
    }
    if copied == 0 {
        return None;
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_replaced_where_a_path_begins_with_it() {
        let moves = Moves::new(vec![("/a/b".into(), "/w".into()), ("/a/b/.venv".into(), "/w/.venv".into())]);
        for (text, expect) in [
            ("/a/b", "/w"),
            ("/a/b/c", "/w/c"),
            ("--root=/a/b/c", "--root=/w/c"),
            ("{'x': '/a/b/src', 'y': \"/a/b\"}", "{'x': '/w/src', 'y': \"/w\"}"),
            ("#!/a/b/.venv/bin/python", "#!/w/.venv/bin/python"),
            ("/a/b:/a/b/c", "/w:/w/c"),
            ("/a/bc /a/b-c /a/b.c /x/a/b x/a/b", "/a/bc /a/b-c /a/b.c /x/a/b x/a/b"),
        ] {
            assert_eq!(moves.word(text), expect);
        }
        assert_eq!(moves.text(b"nothing"), None);
        assert_eq!(moves.path(Path::new("/a/b")), Some("/w".into()));
        assert_eq!(moves.path(Path::new("/a/bc")), None);
    }
}
