//! Which reader a file has, and what it makes of a text.

use super::super::super::added::AddedLine;
use super::super::language::Language;
use super::hash::{self, Hash};
use super::scan::Scan;
use super::{javascript, rust, shell};
use crate::path::RepoPath;

/// A text in two views. Both have the length of the text in bytes, and its lines.
pub(in super::super) struct Masked {
    /// Without comments and the content of strings.
    pub(in super::super) code: String,
    /// Without comments only.
    pub(in super::super) plain: String,
    /// How many bytes from the start were read with certainty. From there on, strings and most comments stay.
    pub(in super::super) sure: usize,
}

/// How to read a file; `None` for a language that is not known well enough, or that is mixed with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Reader {
    Python,
    /// Whether tags may stand between expressions.
    JavaScript {
        tags: bool,
    },
    Rust,
    Go,
    Shell,
    Hash(Hash),
}

impl Reader {
    /// The reader of a file.
    pub(in super::super) fn of(path: &RepoPath, spoken: &[Language]) -> Option<Self> {
        let name = path.file_name().to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (spoken, extension) {
            ([Language::Any, Language::Python], "ipynb")
            | ([Language::Any, Language::JavaScript], "vue" | "svelte" | "html" | "htm" | "astro")
            // Its quotes differ.
            | (_, "fish") => None,
            ([Language::Any, Language::Python], _) => Some(Self::Python),
            ([Language::Any, Language::JavaScript], _) => {
                Some(Self::JavaScript { tags: !matches!(extension, "ts" | "mts" | "cts") })
            }
            ([Language::Any, Language::Rust], _) => Some(Self::Rust),
            ([Language::Any, Language::Go], _) => Some(Self::Go),
            ([Language::Any, Language::Yaml], _) => Some(Self::Hash(Hash::Yaml)),
            ([Language::Any, Language::Dockerfile, Language::Shell], _) => Some(Self::Hash(Hash::Docker)),
            ([Language::Any, Language::Shell], "mk") => Some(Self::Hash(Hash::Simple)),
            ([Language::Any, Language::Shell], _) => match name.as_str() {
                "makefile" | "gnumakefile" | "justfile" | "procfile" => Some(Self::Hash(Hash::Simple)),
                "jenkinsfile" => None,
                _ => Some(Self::Shell),
            },
            _ => None,
        }
    }

    /// Whether it tells strings from code, and not only comments.
    pub(in super::super) fn tells_strings(self) -> bool {
        !matches!(self, Self::Shell | Self::Hash(_))
    }

    /// Reads a whole file.
    pub(in super::super) fn mask(self, text: &str) -> Masked {
        let mut end = lone_return(text.as_bytes());
        if matches!(self, Self::JavaScript { .. }) {
            // They end a line there, and a comment with it.
            end = end.min(text.find(['\u{2028}', '\u{2029}']).unwrap_or(end));
        }
        let bytes = text.as_bytes();
        let lexed = bytes.get(..end).unwrap_or_default();
        let mut scanner = Scan { text: lexed, code: bytes.to_vec(), plain: bytes.to_vec(), at: 0 };
        let sure = match self {
            Self::Python => scanner.run(Scan::python),
            Self::JavaScript { tags } => javascript::run(&mut scanner, tags),
            Self::Rust => rust::run(&mut scanner),
            Self::Go => scanner.run(Scan::go),
            Self::Shell => shell::run(&mut scanner),
            Self::Hash(kind) => hash::run(&mut scanner, kind),
        };
        // Whole characters were replaced by blanks, so that this is text again.
        let again = |bytes| String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
        Masked { code: again(scanner.code), plain: again(scanner.plain), sure }
    }
}

/// Whether text could stand between tags, where a quote is a quote and no string.
pub(in super::super) fn has_tags(reader: Option<Reader>, text: &str) -> bool {
    let next = |at: usize| text.get(at + 1..).and_then(|rest| rest.bytes().find(|b| !b.is_ascii_whitespace()));
    let begins = || text.match_indices('<').any(|(at, _)| matches!(next(at), Some(b'/' | b'!' | b'>')));
    let ends = || text.match_indices('/').any(|(at, _)| next(at) == Some(b'>'));
    matches!(reader, Some(Reader::JavaScript { tags: true })) && (begins() || ends())
}

/// Where the first carriage return stands that no line feed follows: some languages end the line there.
fn lone_return(text: &[u8]) -> usize {
    let lone = |&at: &usize| text.get(at + 1) != Some(&b'\n');
    memchr::memchr_iter(b'\r', text).find(lone).unwrap_or(text.len())
}

impl Masked {
    /// The added lines of the text `whole`, as a view of it has them. A line that is not where the change says it is
    /// stays as it is.
    pub(in super::super) fn lines<'a>(whole: &'a str, view: &'a str, added: &[AddedLine<'a>]) -> Vec<AddedLine<'a>> {
        if added.is_empty() {
            return Vec::new();
        }
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', whole.as_bytes()).chain([whole.len()]).collect();
        let seen = |line: &AddedLine<'a>| {
            let at = usize::try_from(line.number.saturating_sub(1)).ok()?;
            let start = at.checked_sub(1).map_or(Some(0), |above| ends.get(above).map(|end| end + 1))?;
            let place = start..*ends.get(at)?;
            view.get(place.clone()).filter(|_| whole.get(place) == Some(line.text))
        };
        added.iter().map(|line| AddedLine { text: seen(line).unwrap_or(line.text), ..*line }).collect()
    }
}
