//! Messages of tools that refuse an edit: why, and which file they are about.

use crate::cause::Cause;
use crate::output::names;

/// What tools say in front of the name of the file that a refused edit is about.
const BEFORE_FILE: [&str; 8] = [
    "expected lines in ",
    "exactly match lines in ",
    "operations target ",
    "ead file to update ",
    "old_string in ",
    "oldString in ",
    "old_str in ",
    "earch text in ",
];
/// What tools say of a patch that they cannot read.
const FORM: [&str; 9] = [
    "nvalid patch",
    "nvalid hunk",
    "not a valid hunk",
    "irst line of the patch",
    "ast line of the patch",
    "nexpected line found in update hunk",
    "nvalid Add File line",
    "nknown Line:",
    "issing End Patch",
];
/// The cause of a refused edit, as its message tells it: a patch may be unreadable, or name a file twice or one that does not
/// exist, whatever its lines are.
pub(crate) fn refined(line: &str) -> Cause {
    let says = |words: &[&str]| words.iter().any(|words| line.contains(words));
    if says(&["ultiple operations target"]) {
        Cause::PatchTwice
    } else if says(&["ile to update", "ile to delete"]) && says(&["o such file", "oes not exist", "ot found"]) {
        Cause::Path
    } else if says(&FORM) {
        Cause::PatchForm
    } else if says(&[
        "ailed to find expected lines",
        "ailed to find context",
        "nvalid context",
        "nvalid Context",
        "nvalid EOF Context",
    ]) {
        Cause::PatchLines
    } else {
        Cause::EditText
    }
}

/// The file that a refused edit is about: the one that the message names, or else the one that the call names.
pub(crate) fn file<'a>(input: &'a str, output: &'a str) -> Option<&'a str> {
    BEFORE_FILE.iter().find_map(|words| in_message(output.split_once(words)?.1)).or_else(|| names::file(input))
}

/// The path at the start of the rest of a message.
fn in_message(rest: &str) -> Option<&str> {
    let line = rest.lines().next()?;
    let end = [": ", ". "].iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
    let path = line.get(..end)?.trim().trim_end_matches([':', '.']).trim_matches(['`', '\'', '"']);
    (path.contains(['.', '/', '\\']) && !path.contains(['<', '{'])).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_by_its_message() {
        for (line, expected) in [
            ("apply_patch verification failed: invalid patch: multiple operations target /w/a.go", Cause::PatchTwice),
            (
                "apply_patch verification failed: invalid hunk at line 3, Expected update hunk to start with @@",
                Cause::PatchForm,
            ),
            ("Invalid patch: The first line of the patch must be '*** Begin Patch'", Cause::PatchForm),
            ("apply_patch verification failed: Failed to find expected lines in /w/a.go:", Cause::PatchLines),
            ("Failed to find context 'fn a() {' in src/a.rs", Cause::PatchLines),
            (
                "apply_patch verification failed: Failed to read file to update /w/a.go: No such file or directory",
                Cause::Path,
            ),
            ("String to replace not found in file.", Cause::EditText),
            ("Could not find oldString in the file.", Cause::EditText),
        ] {
            assert_eq!(refined(line), expected, "{line}");
        }
    }

    #[test]
    fn the_file_is_the_one_that_the_message_names() {
        let patch = "*** Begin Patch\n*** Update File: a.md\n@@\n x\n*** Update File: b.md\n@@\n-y\n*** End Patch";
        assert_eq!(file(patch, "Failed to find expected lines in /w/b.md:\ny"), Some("/w/b.md"));
        assert_eq!(file(patch, "multiple operations target /w/b.md"), Some("/w/b.md"));
        assert_eq!(file(patch, "invalid hunk"), Some("a.md"));
        assert_eq!(
            file("", "This SEARCH block failed to exactly match lines in tests/test_a.py\n<<<<"),
            Some("tests/test_a.py")
        );
        let ended = "0 occurrences found for old_string in C:\\w\\a b.py. No edits made. The exact text was not found.";
        assert_eq!(file("", ended), Some("C:\\w\\a b.py"));
        assert_eq!(file("", "0 occurrences of old_string in the file"), None);
    }
}
