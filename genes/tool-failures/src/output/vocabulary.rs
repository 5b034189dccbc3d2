//! Words and phrases that outputs use for failures, and a search for several of them at once.

use gephost_gene::run_log::FailureKind;

/// At most 64 words to search for. The search takes one step for each byte of a line, and compares only the words that
/// may begin with that byte.
#[derive(Debug)]
pub(crate) struct Words {
    /// For the last six bits of each byte, the words that begin with such a byte, as bits. A table of all bytes is mostly empty,
    /// and would be four times as long.
    begins: [u64; 64],
    words: &'static [&'static str],
}

impl Words {
    pub(crate) const fn of(words: &'static [&'static str]) -> Self {
        let mut begins = [0; 64];
        let mut at = 0;
        while at < words.len() {
            begins[words[at].as_bytes()[0] as usize & 63] |= 1 << at;
            at += 1;
        }
        Self { begins, words }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether the line contains one of the words.
    pub(crate) fn are_in(&self, line: &str) -> bool {
        let bytes = line.as_bytes();
        let may_begin = |byte: u8| self.begins[usize::from(byte & 63)] != 0;
        bytes
            .iter()
            .enumerate()
            .any(|(at, byte)| may_begin(*byte) && self.begin_bytes(bytes.get(at..).unwrap_or_default()))
    }

    /// Where the last one of the words begins.
    pub(crate) fn last_in(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        (0..bytes.len()).rev().find(|at| self.begin_bytes(bytes.get(*at..).unwrap_or_default()))
    }

    /// Whether the line starts with one of the words.
    pub(crate) fn begin(&self, line: &str) -> bool {
        self.begin_bytes(line.as_bytes())
    }

    fn begin_bytes(&self, bytes: &[u8]) -> bool {
        let Some(first) = bytes.first() else { return false };
        let mut may = self.begins[usize::from(*first & 63)];
        // Most of what begins like a word goes on in another way: its second byte tells, and all are rarely compared.
        let two = bytes.first_chunk::<2>();
        let begins = |word: &[u8]| (word.len() < 2 || word.first_chunk::<2>() == two) && bytes.starts_with(word);
        while may != 0 {
            let word = self.words.get(may.trailing_zeros() as usize);
            if word.is_some_and(|word| begins(word.as_bytes())) {
                return true;
            }
            may &= may - 1;
        }
        false
    }
}

/// Beginnings of lines that open or close an output.
pub(crate) static FOOTERS: Words = Words::of(&[
    "Exit code",
    "exit status",
    "Process exited",
    "Process Group",
    "Command exited",
    "Node.js v",
    "at ",
    "npm error A complete log",
    "npm ERR! A complete log",
    "See also",
    "For more information",
    "Wall time",
    "Chunk ID",
    "Output:",
    "Original token count",
    "Total output lines",
    "[The command completed",
    "[Command finished",
    "See git-",
    "hint: ",
    "note: This error originates",
    "Please also report this",
    "The full traceback has been saved",
    "Build FAILED.",
    "The following build commands failed",
    "[INFO] ",
    // What Playwright attaches to a failed test.
    "Error Context: ",
    "attachment #",
    // The end of a tag.
    "</",
]);
/// Beginnings of lines that name an error.
pub(crate) static ERRORS: Words = Words::of(&[
    "error:",
    "error[",
    "error ",
    "Error:",
    "Error ",
    "ERROR:",
    "ERROR ",
    "fatal:",
    "panic:",
    "FATAL:",
    "CMake Error",
    "npm error ",
    "npm ERR! ",
    "ERR_PNPM_",
    "[ERROR] ",
    // apt
    "E: ",
    // Elixir
    "** (",
]);
/// Texts that name an error in the middle of a line.
pub(crate) static RAISED: Words = Words::of(&[
    ": error ",
    ": error: ",
    " panicked at ",
    "ld: cannot find ",
    "ld: library not found ",
    ": undefined reference to ",
]);
/// Texts of lines that summarise what other lines say in more detail.
pub(crate) static SUMMARIES: Words = Words::of(&[
    "ERROR task failed",
    "FAIL . [",
    "could not compile",
    "linking with `",
    ": error executing command",
    "aborting due to",
    " error(s) ",
    "test failed, to rerun",
    "error: script \"",
    "Process completed with exit code",
    "failed with exit code",
    "returned a non-zero code",
    "run failed: command",
    "error: build failed",
    "[build failed]",
    "Build failed in ",
    "pub get failed",
    "!! Interrupted: ",
    "npm ERR! Test failed",
    "\" exited with ",
    "Configuring incomplete",
    "npm ERR! code",
    "npm ERR! errno",
    "npm ERR! path",
    "npm ERR! command",
    "npm ERR! Failed at the ",
    "npm ERR! This is probably not",
    "npm ERR! Exit status",
    "npm ERR! Lifecycle script",
    // xcodebuild
    "FAILED **",
    "he remote end hung up unexpectedly",
    "ailed to push some refs",
    "Encountered compilation errors",
    "Command failed with",
    "Command failed:",
    "exited with code",
    "Some errors were",
    "ld returned 1 exit status",
    "Error is not recoverable",
    "Failed with errors in",
    "ompilation failed; see",
    "failed to write commit object",
    "short test summary",
    "npm error code",
    "npm error errno",
    "npm error path",
    "npm error workspace",
    "npm error location",
    "npm error command",
    "npm error Lifecycle script",
    "did not complete successfully: exit",
    GIVES_UP[0],
    GIVES_UP[1],
    GIVES_UP[2],
    GIVES_UP[3],
    GIVES_UP[4],
]);
/// What a program says at last that has tried in vain several times. Why is said above, or nowhere.
pub(crate) static GIVEN_UP: Words = Words::of(&GIVES_UP);
const GIVES_UP: [&str; 5] =
    ["ttempts exhausted", "etries exhausted", "etries exceeded", "ttempts failed", "iving up after"];
/// Beginnings of lines that report a failed test.
pub(crate) static MARKS: Words =
    Words::of(&["--- FAIL", "FAIL: ", "FAILED ", "(fail) ", "✗ ", "× ", "✕ ", "✖ ", "not ok ", "❌ "]);
/// Words that suggest a failure. Some lack their first letter, so that they match both cases.
pub(crate) static TROUBLE: Words = Words::of(&[
    "o replacement was",
    "rror:",
    "rror ",
    "ailed",
    "ailure: ",
    "FAIL",
    "annot ",
    "ould not ",
    "can't ",
    "nable to",
    "ot found",
    "enied",
    "efused",
    "nvalid ",
    "nknown ",
    "o such ",
    "imed out",
    "issing ",
    "not allowed",
    "onflict",
    "rejected",
    "fatal",
]);

/// Phrases that are typical of a kind of failure, anywhere in a line.
pub(crate) fn phrases(kind: FailureKind) -> &'static Words {
    match kind {
        FailureKind::EditMismatch => &EDIT_MISMATCH,
        FailureKind::FileNotFound => &FILE_NOT_FOUND,
        FailureKind::MissingModule => &MISSING_MODULE,
        FailureKind::MissingCommand => &MISSING_COMMAND,
        FailureKind::Permission => &PERMISSION,
        FailureKind::Timeout => &TIMEOUT,
        FailureKind::Git => &GIT,
        FailureKind::Network => &NETWORK,
        _ => &NONE,
    }
}

static EDIT_MISMATCH: Words = Words::of(&[
    "String to replace not found",
    "matches of the string",
    "has not been read yet",
    "modified since read",
    "No changes to make",
    "are exactly the same",
    "verification failed",
    "does not apply",
    "No replacement was performed",
    "block failed",
]);
static FILE_NOT_FOUND: Words = Words::of(&[
    "o such file or directory",
    "does not exist",
    "ENOENT",
    "FileNotFoundError",
    "annot access",
    "ot a directory",
    "no matches found:",
    "no such file:",
]);
static MISSING_MODULE: Words = Words::of(&[
    "No module named",
    "annot find module",
    "annot find package",
    "cannot import name",
    "unresolved import",
    "ould not resolve",
    "no required module",
]);
static MISSING_COMMAND: Words =
    Words::of(&["ommand not found", ": not found", "is not recognized as", "executable file not found"]);
static PERMISSION: Words = Words::of(&[
    "ermission denied",
    "not permitted",
    "EACCES",
    "EPERM",
    "ccess is denied",
    "equires approval",
    "require approval",
    "locked:",
    "has been denied",
]);
static TIMEOUT: Words = Words::of(&[
    "timed out",
    "imeout waiting",
    "eadline exceeded",
    "exceeding timeout",
    "tool terminated after",
    "exceeded its time limit",
]);
static GIT: Words =
    Words::of(&["fatal: ", "! [", "ailed to push", "CONFLICT ", "error: pathspec", "error: Your local"]);
static NETWORK: Words = Words::of(&[
    "ECONN",
    "ENOTFOUND",
    "ETIMEDOUT",
    "ould not resolve host",
    "onnection ",
    "unreachable",
    "fetch failed",
    "ate limit",
    "hang up",
    "API error",
    "API Error",
    "verloaded",
]);
static NONE: Words = Words::of(&[]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_at_the_start_in_the_middle_and_at_the_end() {
        static SOME: Words = Words::of(&["ab", "ac", "é"]);
        for (line, are_in, begin) in
            [("ab", true, true), ("xac", true, false), ("a", false, false), ("", false, false), ("xé", true, false)]
        {
            assert_eq!((SOME.are_in(line), SOME.begin(line)), (are_in, begin), "{line}");
        }
        assert!(!NONE.are_in("a") && NONE.is_empty());
    }
}
