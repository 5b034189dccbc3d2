//! What an edit added to a file that an error asks for: a setting, a dependency, an import.

use crate::output::names;
use crate::text::around;

/// Only this many bytes of an edit and of a line are read.
const READ_BYTES: usize = 16_384;
const MAX_LINE: usize = 1024;
/// Longest line that is told.
const CHANGED_BYTES: usize = 80;
/// Shortest and longest name.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 4..=80;
/// Most names of a line that are looked for.
const MAX_NAMES: usize = 8;
/// In front of what an edit puts in, and of what it takes out.
const NEW: [&str; 7] = [
    "\"new_string\":",
    "\"new_str\":",
    "\"newText\":",
    "\"newString\":",
    "\"content\":",
    "\"file_text\":",
    "\"contents\":",
];
const OLD: [&str; 4] = ["\"old_string\":", "\"old_str\":", "\"oldText\":", "\"oldString\":"];

/// An edit of a file.
pub(crate) struct Added {
    file: String,
    new: String,
    old: String,
}

impl Added {
    /// What the input of a tool that edits says.
    pub(crate) fn of(input: &str) -> Option<Self> {
        let input = input.get(..input.floor_char_boundary(READ_BYTES))?;
        let (new, old) = texts(input)?;
        Some(Self { file: names::file(input).and_then(names::shown)?, new, old })
    }

    /// The file, and the first name of an error's line that the edit added to it.
    pub(crate) fn named_in(&self, line: &str) -> Option<(String, String)> {
        // The file itself is no part of what it holds.
        let is_new = |name: &&str| has(&self.new, name) && !has(&self.old, name) && !self.file.contains(*name);
        named(line).find(is_new).map(|name| (self.file.clone(), name.to_owned()))
    }
}

/// The only line that an edit puts in the place of another one, if it is short.
pub(crate) fn changed_line(input: &str) -> Option<String> {
    let input = input.get(..input.floor_char_boundary(READ_BYTES))?;
    let (new, old) = texts(input).filter(|(_, old)| !old.is_empty())?;
    let lines = |text: &str| -> Vec<String> {
        let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
        text.lines().map(|line| line.trim_start_matches(['+', '-']).trim().to_owned()).collect()
    };
    let (new, old) = (lines(&new), lines(&old));
    let mut put_in = new.iter().filter(|line| !line.is_empty() && !old.contains(line));
    let mut taken = old.iter().filter(|line| !line.is_empty() && !new.contains(line));
    let line = put_in.next().filter(|line| line.len() <= CHANGED_BYTES && !line.contains(['`', '\\']))?;
    (taken.next().is_some() && taken.next().is_none() && put_in.next().is_none()).then(|| line.clone())
}

/// What an edit puts in, and what it takes out.
fn texts(input: &str) -> Option<(String, String)> {
    if input.contains("*** Begin Patch") {
        let of = |sign: char| {
            input.split("\\n").flat_map(str::lines).filter(|line| line.starts_with(sign)).collect::<Vec<_>>().join("\n")
        };
        return Some((of('+'), of('-')));
    }
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.split_once(key)).and_then(|(_, rest)| value(rest));
    Some((text(&NEW)?.to_owned(), text(&OLD).unwrap_or_default().to_owned()))
}

/// The JSON text at the beginning, without its quotes; all of the rest if it is cut off.
fn value(rest: &str) -> Option<&str> {
    let text = rest.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    text.get(..end.unwrap_or(text.len()))
}

/// The names in a line: what it has in quotes, and constants such as `STATIC_ROOT`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let line = line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or_default();
    let is_name = |word: &&str| {
        NAME_BYTES.contains(&word.len())
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'))
            && word.contains(char::is_alphabetic)
    };
    let quoted = line.split(['\'', '"', '`', '\u{2018}', '\u{2019}']).skip(1).step_by(2);
    let is_constant = |word: &&str| {
        word.contains('_')
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let constants = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(is_constant);
    quoted.chain(constants).filter(is_name).take(MAX_NAMES)
}

fn has(text: &str, name: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    around(text, name).any(|(before, after)| {
        // The line end of a JSON text is `\n`.
        let begins = !before.ends_with(is_of_name) || ["\\n", "\\t", "\\r"].iter().any(|end| before.ends_with(end));
        begins && !after.starts_with(is_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(input: &str, line: &str) -> Option<(String, String)> {
        Added::of(input)?.named_in(line)
    }

    #[test]
    fn the_only_changed_line_is_told() {
        for (old, new, line) in [
            (r"a = 1\n  b = 2\nc", r"a = 1\n  b = 3\nc", Some("b = 3")),
            (r#"x = \"a\""#, r#"x = \"b\""#, Some(r#"x = "b""#)),
            ("a", r"b\nc", None),
            (r"a\nb", "c", None),
            ("", "new", None),
            ("a", "a", None),
            ("a", "", None),
            ("a", "`b`", None),
        ] {
            assert_eq!(changed_line(&edit("a.py", old, new)).as_deref(), line, "{old} -> {new}");
        }
        assert_eq!(changed_line(&edit("a.py", "a", &"x".repeat(200))), None);
    }

    fn edit(file: &str, old: &str, new: &str) -> String {
        format!(r#"{{"file_path":"{file}","old_string":"{old}","new_string":"{new}"}}"#)
    }

    #[test]
    fn what_the_error_asks_for_and_the_edit_adds_is_found() {
        for (line, file, old, new, name) in [
            (
                "ImproperlyConfigured: without having set the STATIC_ROOT setting",
                "a/settings.py",
                "X = 1",
                r"X = 1\nSTATIC_ROOT = BASE",
                "STATIC_ROOT",
            ),
            ("error: no script named \"typecheck\"", "package.json", "", r#"\"typecheck\": \"tsc\""#, "typecheck"),
            (
                "error[E0432]: unresolved import `serde_json`",
                "Cargo.toml",
                "[dependencies]",
                "[dependencies]\\nserde_json = 1",
                "serde_json",
            ),
            ("Error: Missing required environment variable DATABASE_URL", ".env", "", "DATABASE_URL=x", "DATABASE_URL"),
            (
                "error TS2307: Cannot find module '@app/core'",
                "tsconfig.json",
                "{",
                r#"{\"paths\": {\"@app/core\": []}"#,
                "@app/core",
            ),
            ("Could not find method 'jacoco'", "build.gradle", "", r"apply plugin: 'jacoco'", "jacoco"),
            ("make: *** No rule to make target 'proto'.  Stop.", "Makefile", "all:", r"all:\nproto:\n\tgen", "proto"),
            (
                "NameError: name 'partial' is not defined",
                "b.py",
                "import os",
                r"import os\nfrom functools import partial",
                "partial",
            ),
            ("unknown marker: 'slow'", "pytest.ini", "", "markers = slow", "slow"),
            ("Undefined variable \u{2018}region\u{2019}", "vars.tf", "", r#"variable \"region\" {}"#, "region"),
        ] {
            let found = added(&edit(file, old, new), line).map(|(_, name)| name);
            assert_eq!(found.as_deref(), Some(name), "{line}");
        }
        let patch = "*** Begin Patch\n*** Update File: a/settings.py\n@@\n+STATIC_ROOT = 1\n*** End Patch";
        assert_eq!(added(patch, "set the STATIC_ROOT setting").map(|(_, name)| name).as_deref(), Some("STATIC_ROOT"));
    }

    #[test]
    fn an_edit_that_adds_something_else_adds_nothing_that_the_error_asks_for() {
        for (line, input) in [
            ("set the STATIC_ROOT setting", edit("a.py", "", "MEDIA_ROOT = 1")),
            ("set the STATIC_ROOT setting", edit("a.py", "STATIC_ROOT = 1", "STATIC_ROOT = 2")),
            ("set the STATIC_ROOT setting", edit("a.py", "", "MY_STATIC_ROOT = 2")),
            ("set the STATIC_ROOT setting", edit("a.py", "STATIC_ROOT = 1", "")),
            ("error: 'abc' is not there", edit("a.py", "", "abc")),
            ("error: it failed", edit("a.py", "", "it failed")),
            ("cannot open 'settings.py'", edit("settings.py", "", "# settings.py")),
            ("unresolved import `serde_json`", edit("Cargo.toml", "", "serde = 1")),
            ("set the STATIC_ROOT setting", r#"{"file_path":"a.py"}"#.to_owned()),
            ("set the STATIC_ROOT setting", String::new()),
            ("", edit("a.py", "", "x")),
        ] {
            assert_eq!(added(&input, line), None, "{line}: {input}");
        }
    }
}
