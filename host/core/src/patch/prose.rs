//! Which lines around the patches of files may be skipped: only those that no reader of diffs could take for more.

use std::sync::LazyLock;

use regex::Regex;

/// Starts of lines (in lower case, indentation taken off) that mean something to git, to GNU or BSD patch, or to a
/// person resolving a merge.
const MEANINGFUL: &[&str] = &[
    "diff ",
    "--- ",
    "+++ ",
    "@@",
    "index ",
    "index:",
    "old mode",
    "new mode",
    "new file",
    "deleted file",
    "rename ",
    "copy ",
    "similarity ",
    "dissimilarity ",
    "git binary",
    "binary files",
    "files ",
    "only in ",
    "literal ",
    "delta ",
    "*** ",
    "prereq:",
    "====",
    "<<<<",
    ">>>>",
    "< ",
    "> ",
];

/// The commands of normal and ed-style diffs, as `3,5c3,6`.
static ED_COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[0-9]+(,[0-9]+)?[acdis]([0-9]+(,[0-9]+)?)?$").expect("the pattern is constant and a test compiles it")
});

/// Whether a line before the first file header is prose to every reader.
pub(super) fn is_inert(line: &str) -> bool {
    // Readers take off indentation, and the `- ` that signed mail puts before dashes.
    let text = line.trim_start();
    let text = text.strip_prefix("- ").map_or(text, str::trim_start);
    let lower: String = text.chars().take(16).flat_map(char::to_lowercase).collect();
    !MEANINGFUL.iter().any(|start| lower.starts_with(start)) && !ED_COMMAND.is_match(text.trim_end())
}

/// Whether a line ends a mail made by `git format-patch`: two dashes and a space, then the version.
pub(super) fn is_signature(line: &str) -> bool {
    line == "-- "
}

/// Whether a line may follow [`is_signature`]: git's version, a dotted number first.
pub(super) fn is_version(line: &str) -> bool {
    line.bytes().next().is_some_and(|b| b.is_ascii_digit())
        && line.contains('.')
        && line.bytes().all(|b| b.is_ascii_alphanumeric() || b" .()-_".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_told_from_what_a_reader_could_take() {
        for inert in
            ["", "Fix the parser.", "From 1234 Mon Sep 17", "---", " docs/a.md | 2 +-", "Subject: [PATCH] x", "+1"]
        {
            assert!(is_inert(inert), "{inert:?}");
        }
        for meant in
            ["--- a/.env", "  --- a/.env", "- --- a/x", "index: .env", "INDEX: x", "@@ -1 +1 @@", "3c3", "1,2d", "> x"]
        {
            assert!(!is_inert(meant), "{meant:?}");
        }
        assert!(is_version("2.39.5 (Apple Git-154)") && !is_version("+2.3") && !is_version("2"));
    }
}
