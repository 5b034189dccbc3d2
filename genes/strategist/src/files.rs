//! The files that texts name, and what of them the model is shown.

/// Most files that are shown, and most names that are looked up.
const MAX_FILES: usize = 8;
const MAX_NAMES: usize = 40;
/// Largest file that is shown whole, and the largest part of another one, in bytes.
const MAX_WHOLE: usize = 12 << 10;
/// Lines around a named line.
const AROUND: usize = 60;
/// Most bytes of a text that are searched for names.
const MAX_SEARCHED: usize = 32 << 10;
/// Most folders above the workspace that a path in a log may begin with.
const MAX_PARTS: usize = 12;

/// The files of the workspace.
pub(crate) trait Tree {
    /// The contents of these files; `None` for one that is not there.
    fn read(&mut self, paths: &[String]) -> Vec<Option<Vec<u8>>>;
    /// At most two files with this name, in any folder.
    fn find(&mut self, name: &str) -> Vec<String>;
}

/// A file as the model is shown it.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) path: String,
    /// Number of the first line that is shown, from 1.
    pub(crate) first_line: usize,
    pub(crate) is_whole: bool,
    pub(crate) text: String,
}

/// The files that the texts name, in order.
pub(crate) fn shown<'t>(texts: impl Iterator<Item = &'t str>, tree: &mut impl Tree) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut looked_up: Vec<&str> = Vec::new();
    for (name, line) in texts.flat_map(named) {
        if shown.len() >= MAX_FILES || looked_up.len() >= MAX_NAMES {
            break;
        }
        if looked_up.contains(&name) {
            continue;
        }
        looked_up.push(name);
        let Some((path, bytes)) = resolve(name, tree) else { continue };
        if !shown.iter().any(|file| file.path == path) {
            shown.extend(cut(path, bytes, line));
        }
    }
    shown
}

/// The names of files in a text, with the line that follows each.
fn named(text: &str) -> impl Iterator<Item = (&str, Option<usize>)> {
    let text = text.get(..text.floor_char_boundary(MAX_SEARCHED)).unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_@+~./-".contains(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.get(rest.find(is_part)?..)?;
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        rest = after;
        Some((token.trim_end_matches(['.', '/', '-']), line_after(after)))
    })
    .filter(|(name, _)| is_name(name))
}

/// The number in `:12`, `(12` or `", line 12`.
fn line_after(text: &str) -> Option<usize> {
    let text = text.strip_prefix('"').unwrap_or(text);
    let digits = [":", "(", ", line "].iter().find_map(|before| text.strip_prefix(before))?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end.min(7))?.parse().ok()
}

/// Whether a word looks like the name of a file: it has an ending, and is no address or number.
fn is_name(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    !stem.is_empty()
        && (1..=10).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !word.starts_with("//")
}

/// The file of the workspace that a name means. The name may begin above the workspace, or be the end of a path in it.
fn resolve(name: &str, tree: &mut impl Tree) -> Option<(String, Vec<u8>)> {
    let name = name.trim_start_matches("./").trim_start_matches('/');
    let starts = std::iter::once(0).chain(name.match_indices('/').map(|(at, _)| at + 1));
    let suffixes: Vec<String> = starts.filter_map(|at| name.get(at..)).take(MAX_PARTS).map(str::to_owned).collect();
    let found = suffixes.iter().zip(tree.read(&suffixes)).find_map(|(path, bytes)| Some((path.clone(), bytes?)));
    found.or_else(|| {
        let base = name.rsplit('/').next().unwrap_or(name);
        let fits = |path: &String| path.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'));
        match tree.find(base).as_slice() {
            [path] if fits(path) => {
                let bytes = tree.read(std::slice::from_ref(path)).pop()??;
                Some((path.clone(), bytes))
            }
            _ => None,
        }
    })
}

/// The whole of a small file, or the lines around the named one; `None` if it is not text.
fn cut(path: String, bytes: Vec<u8>, line: Option<usize>) -> Option<Shown> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    if text.len() <= MAX_WHOLE {
        return Some(Shown { path, first_line: 1, is_whole: true, text });
    }
    let skipped = line.unwrap_or(1).saturating_sub(AROUND + 1);
    let part: String = text.split_inclusive('\n').skip(skipped).take(2 * AROUND + 1).collect();
    let text = part.get(..part.floor_char_boundary(MAX_WHOLE)).unwrap_or_default().to_owned();
    Some(Shown { path, first_line: skipped + 1, is_whole: false, text })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A workspace in memory.
    pub(crate) struct Memory(pub(crate) BTreeMap<&'static str, String>);

    impl Tree for Memory {
        fn read(&mut self, paths: &[String]) -> Vec<Option<Vec<u8>>> {
            paths.iter().map(|path| self.0.get(path.as_str()).map(|text| text.clone().into_bytes())).collect()
        }

        fn find(&mut self, name: &str) -> Vec<String> {
            let named = |path: &&&str| path.rsplit('/').next() == Some(name);
            self.0.keys().filter(named).take(2).map(|path| (*path).to_owned()).collect()
        }
    }

    fn found(text: &str) -> Vec<(String, usize)> {
        let lines = (1..=3000).fold(String::new(), |text, number| text + &format!("line {number}\n"));
        let files =
            [("src/app.py", lines), ("a/x.ts", String::new()), ("b/x.ts", String::new()), ("go.mod", "m\n".to_owned())];
        let shown = shown([text].into_iter(), &mut Memory(files.into()));
        shown.into_iter().map(|file| (file.path, file.first_line)).collect()
    }

    #[test]
    fn names_in_logs_are_files_of_the_workspace() {
        for (text, expected) in [
            ("  File \"/home/me/proj/src/app.py\", line 1200, in f", vec![("src/app.py", 1140)]),
            ("app.py:70: E999", vec![("src/app.py", 10)]),
            ("b/x.ts(4,2): error TS2304 in ./go.mod.", vec![("b/x.ts", 1), ("go.mod", 1)]),
            ("x.ts is in two folders; 1.5 is none; https://example.org/app.py2", vec![]),
            ("src/app.py src/app.py:9", vec![("src/app.py", 1)]),
        ] {
            let expected: Vec<(String, usize)> = expected.into_iter().map(|(path, at)| (path.to_owned(), at)).collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn many_names_and_long_texts_stay_within_the_bounds() {
        let text = (0..5000).fold(String::new(), |text, number| text + &format!("f{number}.py "));
        assert_eq!(found(&text), []);
        assert_eq!(found(&"ä".repeat(100_000)), []);
        assert_eq!(found("////...--- ..py /.py"), []);
    }
}
