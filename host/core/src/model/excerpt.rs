//! Finds the places in the source that findings name, and cuts the few lines around them that a model is shown.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::path::RepoPath;
use crate::redact::Redactor;
use crate::text::clip_middle;

/// Most excerpts in a question.
pub const MAX_EXCERPTS: usize = 8;
/// Longest excerpt, in bytes. A shorter file is shown whole.
const MAX_BYTES: usize = 8 << 10;
/// Lines shown before and after the named line.
const AROUND: usize = 40;
/// Most file names that are looked up in a text, and most bytes of a text that are searched.
const MAX_NAMES: usize = 200;
const MAX_SEARCHED: usize = 64 << 10;

/// `app/main.py:12`, `File "app/main.py", line 12`, `main.rs(12,3)`, `run.sh: line 12`, `a.php on line 12`, `a.pl line 12`, or only
/// `app/main.py`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"([A-Za-z0-9_@+~./-]{0,200}[A-Za-z0-9_+-]\.[A-Za-z0-9]{1,10})(?:(?:"?, line |: line |(?: on)? line |:|\()(\d{1,7}))?"#)
        .expect("the pattern is constant and a test compiles it")
});

/// The files that may be shown, by file name.
#[derive(Debug, Default)]
pub struct FileIndex(BTreeMap<String, Vec<RepoPath>>);

impl FileIndex {
    /// An index of files that the policy does not deny. A file outside the index is never shown.
    pub fn new(files: impl IntoIterator<Item = RepoPath>) -> Self {
        let mut index = BTreeMap::<String, Vec<RepoPath>>::new();
        for path in files {
            index.entry(path.file_name().to_owned()).or_default().push(path);
        }
        Self(index)
    }

    /// The one file that a name in a log can mean. The name may be a path that starts above the project, or the end of
    /// a path within it.
    fn find(&self, name: &str) -> Option<&RepoPath> {
        let name = name.trim_start_matches("./");
        let files = self.0.get(name.rsplit('/').next()?)?;
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let from_above = files.iter().filter(|path| ends(name, path.as_str())).max_by_key(|path| path.as_str().len());
        from_above.or_else(|| {
            let mut within = files.iter().filter(|path| ends(path.as_str(), name));
            within.next().filter(|_| within.next().is_none())
        })
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: RepoPath,
    /// Line number from 1, if the text names one.
    pub line: Option<usize>,
}

/// The files that texts name, in order, without duplicates, each with the first line number given. At most
/// [`MAX_EXCERPTS`].
pub fn places<'t>(texts: impl IntoIterator<Item = &'t str>, files: &FileIndex) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for text in texts {
        let text = text.get(..text.floor_char_boundary(MAX_SEARCHED)).unwrap_or_default();
        for named in NAMED.captures_iter(text).take(MAX_NAMES) {
            let Some(path) = named.get(1).and_then(|name| files.find(name.as_str())) else { continue };
            let line = named.get(2).and_then(|line| line.as_str().parse().ok());
            if let Some(known) = found.iter_mut().find(|place| place.path == *path) {
                known.line = known.line.or(line);
            } else if found.len() < MAX_EXCERPTS {
                found.push(Place { path: path.clone(), line });
            }
        }
    }
    found
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excerpt {
    /// The file.
    pub path: String,
    /// Number of the first line shown, from 1.
    pub first_line: usize,
    /// Whether the excerpt is the whole file.
    pub whole: bool,
    /// The lines, redacted.
    pub text: String,
}

/// The lines around a place in a file with this content; `None` if the file is not text.
pub fn cut(place: &Place, content: &[u8], redactor: &mut Redactor) -> Option<Excerpt> {
    let text = std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))?;
    let path = place.path.as_str().to_owned();
    if text.len() <= MAX_BYTES {
        return Some(Excerpt { path, first_line: 1, whole: true, text: redactor.redact(text).into_owned() });
    }
    let skipped = place.line.unwrap_or(1).saturating_sub(AROUND + 1);
    let lines: String = text.split_inclusive('\n').skip(skipped).take(2 * AROUND + 1).collect();
    let text = clip_middle(&redactor.redact(&lines), MAX_BYTES).into_owned();
    Some(Excerpt { path, first_line: skipped + 1, whole: false, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(files: &[&str]) -> FileIndex {
        FileIndex::new(files.iter().map(|path| RepoPath::new(path).unwrap()))
    }

    fn found(text: &str, files: &[&str]) -> Vec<(String, Option<usize>)> {
        let places = places([text], &index(files));
        places.into_iter().map(|place| (place.path.as_str().to_owned(), place.line)).collect()
    }

    #[test]
    fn names_in_logs_are_told_from_each_other_by_their_paths() {
        let files = ["src/app.py", "src/lib/app.py", "main.go", "a/x.ts", "b/x.ts"];
        let one = |path: &str, line| vec![(path.to_owned(), line)];
        for (text, expected) in [
            ("  File \"/home/me/proj/src/app.py\", line 12, in f", one("src/app.py", Some(12))),
            ("src/lib/app.py:3:7: E999", one("src/lib/app.py", Some(3))),
            ("./main.go:9: undefined", one("main.go", Some(9))),
            ("b/x.ts(4,2): error TS2304", one("b/x.ts", Some(4))),
            ("error in main.go, then main.go:5", one("main.go", Some(5))),
            ("/usr/lib/python3/os.py:1 and x.ts:1", Vec::new()),
            ("notmain.go:1", Vec::new()),
            ("./main.go: line 3: python: command not found", one("main.go", Some(3))),
            ("PHP Fatal error: no in /p/main.go on line 7", one("main.go", Some(7))),
            ("died at main.go line 4.", one("main.go", Some(4))),
            ("main.go lines 4 to 5, main.go line up", one("main.go", None)),
            ("app.py:0", Vec::new()),
        ] {
            assert_eq!(found(text, &files), expected, "{text}");
        }
    }

    #[test]
    fn an_excerpt_is_the_whole_of_a_small_file_and_lines_around_the_place_of_a_large_one() {
        let place = Place { path: RepoPath::new("a.py").unwrap(), line: Some(500) };
        let mut redactor = Redactor::default();
        let small = cut(&place, b"import a\n", &mut redactor).unwrap();
        assert_eq!((small.first_line, small.whole, small.text.as_str()), (1, true, "import a\n"));
        let large = (1..=1000).fold(String::new(), |text, line| text + &format!("line {line} of many\n"));
        let large = cut(&place, large.as_bytes(), &mut redactor).unwrap();
        assert_eq!(large.first_line, 460);
        assert!(large.text.starts_with("line 460 ") && large.text.ends_with("line 540 of many\n"));
        let past = Place { line: Some(9_999_999), ..place.clone() };
        assert_eq!(cut(&past, "x\n".repeat(5000).as_bytes(), &mut redactor).unwrap().text, "");
        assert!(cut(&place, b"\xff\xfe", &mut redactor).is_none() && cut(&place, b"a\0b", &mut redactor).is_none());
    }

    #[test]
    fn a_secret_in_a_file_is_no_part_of_its_excerpt() {
        let place = Place { path: RepoPath::new("a.py").unwrap(), line: None };
        let key = format!("AKIA{}", "QYLPMN5HHHFPZAM2");
        let shown = cut(&place, format!("KEY = \"{key}\"\n").as_bytes(), &mut Redactor::default()).unwrap();
        assert!(!shown.text.contains(&key) && shown.text.contains("[REDACTED:"), "{}", shown.text);
    }

    #[test]
    fn long_lines_and_many_names_stay_within_the_bounds() {
        let files: Vec<String> = (0..50).map(|n| format!("f{n}.py")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let text = files.join(" ").repeat(10_000);
        assert_eq!(found(&text, &files).len(), MAX_EXCERPTS);
        let place = Place { path: RepoPath::new("a.py").unwrap(), line: Some(1) };
        assert!(cut(&place, &b"x".repeat(1 << 20), &mut Redactor::default()).unwrap().text.len() <= MAX_BYTES);
    }
}
