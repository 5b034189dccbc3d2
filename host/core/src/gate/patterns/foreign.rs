//! Files that are not UTF-8. They are shown and judged as Latin-1, in which every byte is the character of its number.
//!
//! What must stay true: a change adds no character beyond ASCII to such a file. It only keeps those of the lines that it
//! replaces, because a tool that reads the file in another encoding would take new ones for something else. And in every
//! encoding that the file may declare, a byte below 128 is ASCII wherever it stands.

use std::collections::HashSet;

use super::super::added::{AddedLine, added, removed};
use super::super::{ApprovedChange, Violation};
use super::encoding::{declarations, is_multi_byte};
use super::language::Language;
use super::manifest;
use crate::patch::{FilePatch, is_foreign};

const RULE: &str = "not-utf-8";

/// Whether the file before the change is not UTF-8.
pub(super) fn is_edited(change: &ApprovedChange) -> bool {
    change.before.as_ref().is_some_and(|before| is_foreign(&before.content))
}

/// Looks at a change of a file that is not UTF-8. `whole` is the file after it.
pub(super) fn check(change: &ApprovedChange, file: &FilePatch, spoken: &[Language], whole: &str) -> Vec<Violation> {
    if !is_edited(change) {
        return Vec::new();
    }
    if manifest::is_one(&change.path) {
        let message = "this manifest is not UTF-8, so that tools may read it differently";
        return vec![Violation::reject(RULE, message, "let a person convert the file to UTF-8")];
    }
    let mut violations = vec![Violation::flag(
        RULE,
        "the file is not UTF-8; it is shown and judged as Latin-1",
        "read the diff with that in mind",
    )];
    let mut declared = declarations(&change.path, spoken, whole).into_iter();
    if let Some((number, name)) = declared.find(|(_, name)| is_multi_byte(name)) {
        let message =
            format!("the file is not UTF-8 and declares {name}, in which bytes below 128 may be parts of letters");
        violations.push(Violation::reject(RULE, message, "let a person convert the file to UTF-8").on_line(number));
    }
    let known: HashSet<&str> = removed(file).flat_map(|line| beyond_ascii(line.text)).collect();
    let is_new = |line: &AddedLine<'_>| beyond_ascii(line.text).any(|run| !known.contains(run));
    if let Some(line) = added(file).find(is_new) {
        let message = "the line adds a character beyond ASCII to a file that is not UTF-8";
        violations.push(Violation::reject(RULE, message, "write the character as an escape").on_line(line.number));
    }
    violations
}

/// The longest parts of a line without ASCII.
fn beyond_ascii(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_ascii()).filter(|run| !run.is_empty())
}

/// The line with a plain letter for each character beyond ASCII. Those were there before, so only the rest can be new.
pub(super) fn plain(line: &str) -> String {
    line.chars().map(|c| if c.is_ascii() { c } else { 'é' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::patterns::language::languages;
    use crate::patch::{make, shown};
    use crate::path::RepoPath;
    use crate::tree::{BlobState, FileMode};

    fn rejected(path: &str, old: &[u8], new: &[u8]) -> Option<bool> {
        let path = RepoPath::new(path).expect("a path");
        let state = |content: &[u8]| Some(BlobState { mode: FileMode::Regular, content: content.into() });
        let change = ApprovedChange { path: path.clone(), before: state(old), after: state(new) };
        let file = make(change.before.as_ref(), change.after.as_ref(), &path).expect("text");
        let whole = shown(new);
        let violations = check(&change, &file, languages(&path, whole.lines().next().unwrap_or_default()), &whole);
        let rejects = violations.iter().any(|violation| violation.severity == crate::gate::Severity::Reject);
        (!violations.is_empty()).then_some(rejects)
    }

    #[test]
    fn characters_beyond_ascii_are_kept_and_never_added() {
        let old: &[u8] = b"# coding: latin-1\nprint 'caf\xe9'\nx = 1  # \x93a\x94 \xe2\x80\xae\n";
        for (new, expected) in [
            (&b"# coding: latin-1\nprint('caf\xe9')\nx = 1  # \x93a\x94 \xe2\x80\xae\n"[..], Some(false)),
            (b"# coding: latin-1\nprint('cafe')\nx = 1  # \x93a\x94 \xe2\x80\xae\n", Some(false)),
            // Another letter, the parts of one in another order, and one of a line that stays.
            (b"# coding: latin-1\nprint('caf\xe8')\nx = 1  # \x93a\x94 \xe2\x80\xae\n", Some(true)),
            (b"# coding: latin-1\nprint('caf\xe9\xe9')\nx = 1  # \x93a\x94 \xe2\x80\xae\n", Some(true)),
            (b"# coding: latin-1\nprint('caf\xe9\xe2\x80\xae')\nx = 1  # \x93a\x94 \xe2\x80\xae\n", Some(true)),
            (b"# coding: latin-1\nprint 'caf\xe9'\ny = 2\nx = 1  # \x93a\x94 \xe2\x80\xae\n", Some(false)),
        ] {
            assert_eq!(rejected("a.py", old, new), expected, "{}", shown(new));
        }
        assert_eq!(rejected("a.py", "# é\nx\n".as_bytes(), "# é\ny\n".as_bytes()), None);
    }

    #[test]
    fn an_encoding_in_which_ascii_may_be_a_part_of_a_letter_is_refused() {
        for name in ["gbk", "big5", "euc-jp", "gb18030", "shift_jis"] {
            let text = |end: &str| [format!("# coding: {name}\n# ").as_bytes(), b"\x95\xe9\n", end.as_bytes()].concat();
            assert_eq!(rejected("a.py", &text("x"), &text("y")), Some(true), "{name}");
        }
        for name in ["cp1252", "koi8-r", "iso-8859-15"] {
            let text = |end: &str| [format!("# coding: {name}\n# ").as_bytes(), b"\x95\xe9\n", end.as_bytes()].concat();
            assert_eq!(rejected("a.py", &text("x"), &text("y")), Some(false), "{name}");
        }
        assert_eq!(rejected("package.json", b"{\"a\": \"\xe9\"}", b"{\"a\": \"\xe9\", \"b\": 1}"), Some(true));
    }
}
