//! Which lines around the patches of files may be skipped: only those that no reader of diffs could take for more.
//!
//! What must stay true: a line that git, GNU patch or a mail reader acts on is never skipped. Sentences that only begin
//! like such a line ("Rename the helper.", "Index the table.") are.

use std::sync::LazyLock;

use regex::Regex;

use super::ParseErrorKind as Kind;

/// Lines (in lower case, indentation taken off) that mean something to git, to GNU or BSD patch, to a mail reader that
/// decodes, or to a person resolving a merge.
static MEANINGFUL: LazyLock<Regex> = LazyLock::new(|| {
    let starts = [
        "--- ",
        r"\+\+\+ ",
        "@@",
        // Headers of git, of Subversion and of `diff`, and the names that GNU patch takes from them.
        "diff -",
        "index:",
        "prereq:",
        r"index [0-9a-f]+(,[0-9a-f]+)*\.\.",
        "(old|new|new file|deleted file) mode [0-7]",
        "(rename|copy) (from|to|old|new) ",
        "(dis)?similarity index ",
        "git binary",
        "(literal|delta) [0-9]",
        "only in .*: ",
        // Context and ed-style diffs, other tools' patches, marks of a merge.
        r"\*\*\* ",
        "==== ",
        "<<<<",
        ">>>>",
        r"[0-9]+(,[0-9]+)?[acdis]([0-9]+(,[0-9]+)?)?\s*$",
    ];
    let pattern = format!(r"^(?:{}|(?:binary )?files .* differ\s*$)", starts.join("|"));
    Regex::new(&pattern).expect("the pattern is constant and a test compiles it")
});

/// Longest line that is looked at as a whole; a longer one is no header that a reader would take.
const MAX_LINE: usize = 16 << 10;

/// Whether a line before the first file header is prose to every reader.
pub(super) fn is_inert(line: &str) -> bool {
    if line.len() > MAX_LINE {
        return false;
    }
    let lower = opening(line).to_lowercase();
    !MEANINGFUL.is_match(&lower) && !is_encoding(&lower)
}

/// A line without what readers take off before they look at it: indentation, which to GNU patch may be drawn with `X`,
/// and the `- ` that signed mail puts before dashes.
fn opening(line: &str) -> &str {
    let indented = |c: char| c.is_whitespace() || c == 'X';
    let mut text = line.trim_start_matches(indented);
    while let Some(rest) = text.strip_prefix("- ") {
        text = rest.trim_start_matches(indented);
    }
    text
}

/// A mail header that says the text below is not yet what it will be.
fn is_encoding(lower: &str) -> bool {
    let Some(encoding) = lower.strip_prefix("content-transfer-encoding:") else {
        return false;
    };
    !matches!(encoding.trim(), "7bit" | "8bit" | "binary")
}

/// Why a line outside of a file's patch is refused.
pub(super) fn reason(line: &str) -> Kind {
    if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") || line.starts_with("@@@") {
        Kind::Combined
    } else if line.starts_with("--- ") {
        Kind::MissingNewName
    } else if line.starts_with("@@") {
        Kind::StrayHunk
    } else if is_binary(line) {
        Kind::Binary
    } else if is_encoding(&opening(line).to_lowercase()) {
        Kind::EncodedMail
    } else {
        Kind::Prose
    }
}

/// Why a line is refused that follows a complete hunk.
pub(super) fn reason_after_hunk(line: &str) -> Kind {
    if line.starts_with('\\') {
        Kind::MisplacedNoNewline
    } else if line.starts_with([' ', '+', '-']) && !line.starts_with("--- ") {
        Kind::HunkTooLong
    } else {
        reason(line)
    }
}

/// A binary patch, or the note that stands for one.
pub(super) fn is_binary(line: &str) -> bool {
    let note = line.starts_with("Binary files ") || line.starts_with("Files ");
    line.starts_with("GIT binary patch") || note && line.trim_end().ends_with(" differ")
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
        for inert in [
            "",
            "Fix the parser.",
            "From 1234 Mon Sep 17",
            "---",
            " docs/a.md | 2 +-",
            "Subject: [PATCH] x",
            "+1",
            "Rename the helper.",
            "Index the table by name.",
            "Diff the two files first.",
            "Files are closed early now.",
            "New mode for the editor",
            "Old mode is gone",
            "Only in rare cases",
            "Delta encoding",
            "> quoted",
            "< less",
            "=====",
            "3 files changed",
            "2a) and then",
            "Content-Transfer-Encoding: 8bit",
            "XXX later",
            " rename a.md => b.md (100%)",
            " create mode 100644 docs/a.md",
        ] {
            assert!(is_inert(inert), "{inert:?}");
        }
        for meant in [
            "--- a/.env",
            "  --- a/.env",
            "- --- a/x",
            "- - --- a/x",
            "X--- a/x",
            "\u{a0}--- a/x",
            "+++ b/x",
            "index: .env",
            "INDEX: x",
            "Prereq: 1",
            "index 12ab..34cd 100644",
            "index 12ab,34cd..56ef",
            "@@ -1 +1 @@",
            "@@@ -1 -1 +1 @@@",
            "3c3",
            "1,2d",
            "12,14c12,15 ",
            "4a",
            "diff --git a/x b/x",
            "diff --cc x",
            "diff -u a b",
            "rename from x",
            "copy to x",
            "rename old x",
            "similarity index 90%",
            "dissimilarity index 90%",
            "new file mode 100644",
            "old mode 100644",
            "GIT binary patch",
            "literal 12",
            "delta 3",
            "Binary files a/x and b/x differ",
            "Files a/x and b/x differ\r",
            "Only in a: x",
            "*** a/x",
            "*** Begin Patch",
            "==== //depot/x",
            "<<<<<<< HEAD",
            ">>>>>>> x",
            "Content-Transfer-Encoding: base64",
            "content-transfer-encoding: quoted-printable",
        ] {
            assert!(!is_inert(meant), "{meant:?}");
        }
        assert!(is_inert(&"x".repeat(MAX_LINE)) && !is_inert(&"x".repeat(MAX_LINE + 1)));
    }

    #[test]
    fn each_refusal_has_its_reason() {
        let cases = [
            ("diff --cc x", Kind::Combined),
            ("@@@ -1 -1 +1 @@@", Kind::Combined),
            ("--- a/x", Kind::MissingNewName),
            ("@@ -1 +1 @@", Kind::StrayHunk),
            ("Binary files a and b differ", Kind::Binary),
            ("Files a and b differ", Kind::Binary),
            ("Files are closed", Kind::Prose),
            ("Content-Transfer-Encoding: base64", Kind::EncodedMail),
        ];
        for (line, kind) in cases {
            assert_eq!(reason(line), kind, "{line}");
            assert_eq!(reason_after_hunk(line), kind, "{line}");
        }
        for (line, kind) in [("+x", Kind::HunkTooLong), (" x", Kind::HunkTooLong), ("\\ No", Kind::MisplacedNoNewline)]
        {
            assert_eq!(reason_after_hunk(line), kind, "{line}");
        }
    }

    #[test]
    fn versions() {
        for version in ["2.39.5", "2.39.5 (Apple Git-154)", "2.43.0.windows.1", "2.47.0.rc1"] {
            assert!(is_version(version), "{version}");
        }
        for other in ["+2.3", "2", "", "2.3;x", "--- a/x", "2.3\r"] {
            assert!(!is_version(other), "{other}");
        }
    }
}
