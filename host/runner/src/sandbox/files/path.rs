//! A path as a guest or a symbolic link spells it. Nothing here looks up a file.

/// Longest path, in bytes.
pub(crate) const MAX_PATH_BYTES: usize = 4096;
/// Longest name, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 255;

/// Why a path leads nowhere. Hidden and missing files are both [`WalkError::NoEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkError {
    /// Nothing is there, or nothing that is shown.
    NoEntry,
    /// A part before the last, or the last one before a slash, is not a directory.
    NotDirectory,
    /// An absolute path, or `..` above the directory in which the walk must stay.
    Outside,
    /// Longer than [`MAX_PATH_BYTES`] or [`MAX_NAME_BYTES`].
    TooLong,
    /// A NUL byte.
    Nul,
    /// More links than [`MAX_LINKS`](super::walk::MAX_LINKS).
    Loop,
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// `..`
    Up,
    /// A name.
    Down(&'a str),
}

/// The steps of a path, after checking the whole text. Empty segments and `.` are not steps.
pub(crate) fn steps(text: &str) -> Result<impl Iterator<Item = Step<'_>>, WalkError> {
    if text.is_empty() {
        return Err(WalkError::NoEntry);
    }
    if text.len() > MAX_PATH_BYTES || text.split('/').any(|name| name.len() > MAX_NAME_BYTES) {
        return Err(WalkError::TooLong);
    }
    if text.contains('\0') {
        return Err(WalkError::Nul);
    }
    if text.starts_with('/') {
        return Err(WalkError::Outside);
    }
    Ok(text.split('/').filter_map(|segment| match segment {
        "" | "." => None,
        ".." => Some(Step::Up),
        name => Some(Step::Down(name)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_steps_or_a_reason() {
        fn read(text: &str) -> Result<Vec<Step<'_>>, WalkError> {
            steps(text).map(Iterator::collect)
        }
        for text in ["a/b", "./a//b", "a/./b/", "a/b/."] {
            assert_eq!(read(text), Ok(vec![Step::Down("a"), Step::Down("b")]), "{text}");
        }
        assert_eq!(read("."), Ok(vec![]));
        assert_eq!(read("../...a"), Ok(vec![Step::Up, Step::Down("...a")]));
        for (text, reason) in [
            ("", WalkError::NoEntry),
            ("/", WalkError::Outside),
            ("/etc/passwd", WalkError::Outside),
            ("a\0", WalkError::Nul),
            (&*"a".repeat(256), WalkError::TooLong),
            (&*"a/".repeat(2049), WalkError::TooLong),
        ] {
            assert_eq!(read(text), Err(reason), "{text:?}");
        }
        assert_eq!(read(&"a".repeat(255)).map(|steps| steps.len()), Ok(1));
        assert_eq!(read(&"a/".repeat(2048)).map(|steps| steps.len()), Ok(2048));
    }
}
