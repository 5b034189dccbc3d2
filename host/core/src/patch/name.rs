//! Names as diffs spell them: quoted like C strings or bare, with a one-letter directory before them.

use super::ParseErrorKind as Kind;
use crate::path::RepoPath;

/// The prefixes that stand for "before" and "after": git's default, then the pairs of its `diff.mnemonicPrefix`.
const PREFIXES: [(char, char); 6] = [('a', 'b'), ('i', 'w'), ('c', 'w'), ('c', 'i'), ('o', 'w'), ('1', '2')];

/// Reads a name that ends with its line and has no prefix (`rename from` and its kind).
pub(super) fn bare(text: &str) -> Result<RepoPath, Kind> {
    if !text.starts_with('"') {
        return path(text);
    }
    let (name, rest) = unquote(text)?;
    if rest.is_empty() { path(&name) } else { Err(Kind::BadQuoting) }
}

/// Checks a decoded name.
pub(super) fn path(name: &str) -> Result<RepoPath, Kind> {
    RepoPath::new(name).map_err(|reason| Kind::Path { path: name.to_owned(), reason })
}

/// Takes the prefixes off an old and a new name. They must be a known pair, in either order (a reversed diff).
pub(super) fn strip_pair<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    let (old_prefix, old) = split_prefix(old)?;
    let (new_prefix, new) = split_prefix(new)?;
    let known = PREFIXES.contains(&(old_prefix, new_prefix)) || PREFIXES.contains(&(new_prefix, old_prefix));
    known.then_some((old, new))
}

/// Takes the prefix off the only name of an added or deleted file.
pub(super) fn strip_one(name: &str) -> Option<&str> {
    let (prefix, rest) = split_prefix(name)?;
    PREFIXES.iter().any(|&(old, new)| prefix == old || prefix == new).then_some(rest)
}

/// Whether a `diff --git` line starts with a name that has a known prefix.
pub(super) fn has_prefix(line: &str) -> bool {
    strip_one(line.strip_prefix('"').unwrap_or(line)).is_some()
}

fn split_prefix(name: &str) -> Option<(char, &str)> {
    let (prefix, rest) = name.split_once('/')?;
    let mut chars = prefix.chars();
    let letter = chars.next()?;
    chars.next().is_none().then_some((letter, rest))
}

/// The two names of a `diff --git` line, prefixes taken off, where the line alone tells them: a quoted name on either
/// side, or the same name on both. `None` where a bare line could be cut at more than one place; then
/// [`spells_pair`] decides by the names of the other headers.
pub(super) fn git_line(text: &str) -> Result<Option<(String, String)>, Kind> {
    let pair = if text.starts_with('"') {
        let (old, rest) = unquote(text)?;
        let rest = rest.strip_prefix(' ').ok_or(Kind::BadQuoting)?;
        Some((old, quoted_or_bare(rest)?))
    } else if text.ends_with('"') {
        let start = text.find(" \"").ok_or(Kind::BadQuoting)?;
        let (old, new) = text.split_at(start);
        Some((old.to_owned(), quoted_or_bare(new.trim_start_matches(' '))?))
    } else {
        same_name_twice(text)
    };
    match pair {
        None => Ok(None),
        Some((old, new)) => {
            let (old, new) = strip_pair(&old, &new).ok_or(Kind::Prefix)?;
            Ok(Some((old.to_owned(), new.to_owned())))
        }
    }
}

/// `a/NAME b/NAME`: a line can be cut into equal names in one place only, its middle.
fn same_name_twice(text: &str) -> Option<(String, String)> {
    let (old, new) = text.split_at_checked(text.len() / 2)?;
    let new = new.strip_prefix(' ')?;
    let (old_name, new_name) = (split_prefix(old)?.1, split_prefix(new)?.1);
    (old_name == new_name).then(|| (old.to_owned(), new.to_owned()))
}

/// Whether a bare `diff --git` line spells exactly these two names.
pub(super) fn spells_pair(text: &str, old: &str, new: &str) -> bool {
    let spells = |p: char, q: char| {
        let rest = text.strip_prefix(p).and_then(|t| t.strip_prefix('/')).and_then(|t| t.strip_prefix(old));
        rest.and_then(|t| t.strip_prefix(' '))
            .and_then(|t| t.strip_prefix(q))
            .and_then(|t| t.strip_prefix('/'))
            .is_some_and(|t| t == new)
    };
    PREFIXES.iter().any(|&(p, q)| spells(p, q) || spells(q, p))
}

fn quoted_or_bare(text: &str) -> Result<String, Kind> {
    if !text.starts_with('"') {
        return Ok(text.to_owned());
    }
    let (name, rest) = unquote(text)?;
    if rest.is_empty() { Ok(name) } else { Err(Kind::BadQuoting) }
}

/// Decodes a C-quoted name at the start of a text; gives the name and what follows the closing quote.
pub(super) fn unquote(text: &str) -> Result<(String, &str), Kind> {
    let mut bytes = Vec::new();
    let mut rest = text.strip_prefix('"').ok_or(Kind::BadQuoting)?;
    loop {
        let stop = rest.find(['"', '\\']).ok_or(Kind::BadQuoting)?;
        let (plain, tail) = rest.split_at(stop);
        bytes.extend_from_slice(plain.as_bytes());
        if let Some(after) = tail.strip_prefix('"') {
            let name = String::from_utf8(bytes).map_err(|_| Kind::NameNotUtf8)?;
            return Ok((name, after));
        }
        let (byte, after) = tail.strip_prefix('\\').and_then(escape).ok_or(Kind::BadQuoting)?;
        bytes.push(byte);
        rest = after;
    }
}

/// One escape without its backslash: a letter, a quote, or exactly three octal digits.
fn escape(text: &str) -> Option<(u8, &str)> {
    let letter = text.chars().next()?;
    let simple = match letter {
        'a' => 7,
        'b' => 8,
        't' => 9,
        'n' => 10,
        'v' => 11,
        'f' => 12,
        'r' => 13,
        '"' | '\\' => u8::try_from(letter).ok()?,
        _ => {
            let (digits, rest) = text.split_at_checked(3)?;
            let octal = digits.bytes().all(|b| (b'0'..=b'7').contains(&b));
            return octal.then(|| u8::from_str_radix(digits, 8).ok()).flatten().map(|byte| (byte, rest));
        }
    };
    text.get(1..).map(|rest| (simple, rest))
}

/// A name as git writes it: quoted only where a bare one could not be read back.
pub(super) fn quote(name: &str) -> String {
    if !name.contains('"') {
        return name.to_owned();
    }
    // A checked path holds neither control characters nor backslashes, so only the quote itself needs an escape.
    format!("\"{}\"", name.replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_stands_for_its_byte() {
        let (name, rest) = unquote(r#""\a\b\t\n\v\f\r\"\\\101\303\251" rest"#).unwrap();
        assert_eq!((name.as_bytes(), rest), (&b"\x07\x08\t\n\x0b\x0c\r\"\\A\xc3\xa9"[..], " rest"));
        assert!(unquote(r#""\e""#).is_err() && unquote(r#""\12""#).is_err() && unquote(r#""\400""#).is_err());
    }

    #[test]
    fn only_the_prefixes_of_the_tools_are_taken_off() {
        for (old, new) in PREFIXES {
            assert_eq!(strip_one(&format!("{old}/x")), Some("x"));
            assert_eq!(strip_one(&format!("{new}/x")), Some("x"));
        }
        for other in ["x/y", "z/x", "ab/x", "/x", "a"] {
            assert_eq!(strip_one(other), None, "{other}");
        }
        assert!(has_prefix("a/x y") && has_prefix("\"b/x\"") && !has_prefix("docs/x"));
    }

    #[test]
    fn git_lines_are_cut_where_only_one_cut_is_possible() {
        let same = |text: &str| git_line(text).unwrap().map(|(old, new)| format!("{old}|{new}"));
        assert_eq!(same("a/x b/x").as_deref(), Some("x|x"));
        assert_eq!(same("a/x b/x b/x b/x").as_deref(), Some("x b/x|x b/x"));
        assert_eq!(same(r#""a/q\"" "b/q\"""#).as_deref(), Some("q\"|q\""));
        assert_eq!(same(r#"a/x "b/q\"""#).as_deref(), Some("x|q\""));
        assert_eq!(same("a/x b/y"), None);
        assert_eq!(same("é"), None);
        assert_eq!(git_line("x/.env y/.env"), Err(Kind::Prefix));
        assert!(spells_pair("a/old name b/new", "old name", "new"));
        assert!(!spells_pair("a/old b/new", "old", "newer"));
    }
}
