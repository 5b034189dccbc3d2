//! Finds the file of the workspace for a path in a log, and the line of that file for a line in a log.

use crate::edit::physical_lines;
use crate::fault::Frame;

/// The file of the workspace that a path in a log means. `candidates` are the files with the same name. The log may come
/// from another folder or machine, so the file with the longest common ending is chosen, if there is only one. An ending
/// of fewer than two parts counts only if it is the whole of one of the two paths.
pub(crate) fn resolve(logged: &str, candidates: &[String]) -> Option<String> {
    let parts: Vec<&str> = logged.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") && candidates.len() > 1 {
        return None;
    }
    let rank = |path: &str| {
        let common = parts.iter().rev().zip(path.rsplit('/')).take_while(|(a, b)| **a == *b).count();
        let whole = common == path.split('/').count() || common == parts.len();
        (common, whole)
    };
    let mut best: Option<((usize, bool), &String)> = None;
    let mut tied = false;
    for path in candidates {
        let rank = rank(path);
        match best {
            Some((known, _)) if rank < known => {}
            Some((known, _)) if rank == known => tied = true,
            _ => (best, tied) = (Some((rank, path)), false),
        }
    }
    let ((common, whole), path) = best?;
    // A relative path that names a file from the root means that file, even if others end in the same way.
    if let Some(exact) = candidates.iter().find(|path| **path == parts.join("/") && !logged.starts_with('/')) {
        return Some(exact.clone());
    }
    (!tied && common > 0 && (whole || common >= 2)).then(|| path.clone())
}

/// The workspace's root as the log names it; `None` unless the path in the log is absolute and ends in the file's path.
pub(crate) fn root(logged: &str, path: &str) -> Option<String> {
    logged.strip_suffix(path)?.strip_suffix('/').filter(|root| root.starts_with('/')).map(str::to_owned)
}

/// The physical line, from 0, that a frame points at: the one with its number if it still has the text that the log shows,
/// otherwise the nearest line that has it.
pub(crate) fn anchor(source: &[u8], frame: &Frame) -> Option<usize> {
    let lines = physical_lines(source);
    let number = frame.line.checked_sub(1)?;
    let Some(shown) = &frame.shown else {
        return (number < lines.len()).then_some(number);
    };
    let has_text = |index: usize| {
        let text = lines.get(index).and_then(|line| source.get(line.clone())).unwrap_or_default();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        String::from_utf8_lossy(text).trim() == shown
    };
    if has_text(number) {
        return Some(number);
    }
    (0..lines.len()).filter(|index| has_text(*index)).min_by_key(|index| index.abs_diff(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn the_longest_unique_ending_is_chosen() {
        for (logged, candidates, expected) in [
            (
                "/repo/fd/frozendict/__init__.py",
                vec!["__init__.py", "frozendict/__init__.py"],
                Some("frozendict/__init__.py"),
            ),
            ("/app/src/x.py", vec!["backend/src/x.py", "tools/x.py"], Some("backend/src/x.py")),
            ("/app/src/x.py", vec!["a/src/x.py", "b/src/x.py"], None),
            ("x.py", vec!["x.py", "sub/x.py"], Some("x.py")),
            ("x.py", vec!["a/x.py", "b/x.py"], None),
            ("./x.py", vec!["x.py"], Some("x.py")),
            ("/elsewhere/util.py", vec!["lib/util.py"], None),
            ("/elsewhere/util.py", vec!["util.py"], Some("util.py")),
            ("C:/w/pkg/a.py", vec!["pkg/a.py"], Some("pkg/a.py")),
            ("x.py", vec![], None),
        ] {
            assert_eq!(resolve(logged, &files(&candidates)).as_deref(), expected, "{logged}");
        }
    }

    #[test]
    fn the_root_is_the_part_before_the_file() {
        assert_eq!(root("/repo/a/b.py", "a/b.py").as_deref(), Some("/repo"));
        assert_eq!(root("/repo/xa/b.py", "a/b.py"), None);
        assert_eq!(root("a/b.py", "a/b.py"), None);
    }

    #[test]
    fn a_line_that_moved_is_found_by_its_text() {
        let frame = Frame { path: "a.py".to_owned(), line: 1, shown: Some("b()".to_owned()), caret: None };
        assert_eq!(anchor(b"a()\n  b()\nb()\n", &frame), Some(1));
        assert_eq!(anchor(b"a()\n", &frame), None);
    }
}
