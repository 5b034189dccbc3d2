//! The one line of an output that says what failed, and its normal form. Pure, linear in the output's length.

use std::borrow::Cow;

use gephost_gene::run_log::FailureKind;

/// Longest line handed on, in characters. The error signature of GEP keeps as many.
pub(crate) const LINE_CHARS: usize = 260;
/// Longest text between backticks that is a name.
const MAX_QUOTED: usize = 24;

/// How much a line says, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Nothing: empty, or a frame.
    Nothing,
    /// What closes or opens an output without saying what went wrong.
    Footer,
    /// Something.
    Text,
    /// It has a word of trouble.
    Trouble,
    /// It names an error or a failed test.
    Named,
    /// It says what failures of this kind say.
    OfItsKind,
}

/// The line of `output` that says most: among equals the first, but the last of an exception's (what was raised stands
/// below where), and the last where no line says anything of trouble. Empty only where no line says anything.
pub(crate) fn telling_line(output: &str, kind: FailureKind) -> (&str, Weight) {
    let phrases = phrases(kind);
    let mut told = ("", Weight::Nothing);
    let mut raised = false;
    for line in output.lines() {
        let line = unframed(line);
        if line.starts_with("Traceback (most recent call last)") {
            raised = true;
            continue;
        }
        let weight = weigh(line, phrases);
        let later = weight == Weight::Text || weight == Weight::Footer || (raised && is_exception(line));
        if weight > told.1 || (weight == told.1 && later) {
            told = (line, weight);
        }
    }
    told
}

/// A line for a signal: white space collapsed, at most [`LINE_CHARS`] characters, else as the log has it, so that it can
/// be looked for there.
pub(crate) fn collapsed(line: &str, into: &mut String) {
    into.clear();
    let mut room = LINE_CHARS;
    for (number, word) in line.split_whitespace().enumerate() {
        for c in (number > 0).then_some(' ').into_iter().chain(word.chars()) {
            if room == 0 {
                return;
            }
            into.push(c);
            room -= 1;
        }
    }
}

/// A line for a person: without colours, tags and what stands in front of the message, and with long paths cut to their
/// ends.
pub(crate) fn readable(line: &str) -> String {
    let text = untagged(line);
    let bare = text.trim_start_matches(['-', '*', '>', '•', '|', '✗', '×', '✕', ' ']).trim_end();
    bare.split(' ').map(short_path).collect::<Vec<_>>().join(" ")
}

/// A line without colours and without the tag that Claude Code puts around an error.
pub(crate) fn untagged(line: &str) -> String {
    let text = uncoloured(line);
    text.trim().trim_start_matches("<tool_use_error>").trim_end_matches("</tool_use_error>").to_owned()
}

/// A word whose path is long, with the path's last two names only.
pub(crate) fn short_path(word: &str) -> Cow<'_, str> {
    const LONG: usize = 36;
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '@');
    let slash = word.find('/').filter(|_| word.len() > LONG && !word.contains("://"));
    let start = slash.and_then(|at| word.get(..at)).map(|before| before.trim_end_matches(in_name).len());
    let end = word.rmatch_indices('/').nth(1);
    match (start, end) {
        (Some(start), Some((end, _))) if end > start => {
            Cow::Owned(format!("{}…{}", word.get(..start).unwrap_or_default(), word.get(end..).unwrap_or_default()))
        }
        _ => Cow::Borrowed(word),
    }
}

fn uncoloured(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = after_escape(escape);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// What follows a colour or another escape sequence.
fn after_escape(escape: &str) -> &str {
    let Some(sequence) = escape.strip_prefix('[') else { return escape };
    let end = sequence.find(|c: char| !matches!(c, '0'..='9' | ';' | '?')).unwrap_or(sequence.len());
    sequence.get(end..).map_or("", |end| end.get(1..).unwrap_or(""))
}

/// A hash of the line's normal form: paths, numbers, hashes and times are the same as others, colours and the case of
/// letters do not count, an identifier such as `E0282` keeps its digits; what is quoted at length, or to the
/// line's end, is content.
pub(crate) fn normal_hash(line: &str) -> u64 {
    let mut hash = Fnv::default();
    let line = uncoloured(line);
    let marks = line.matches('`').count();
    let words = line.split('`').enumerate().flat_map(|(part, text)| {
        let is_content = part % 2 == 1 && (text.len() > MAX_QUOTED || part == marks);
        if is_content { "`" } else { text }.split_whitespace()
    });
    for word in words {
        hash.put(b' ');
        // A drive's letter belongs to the path.
        let path = word.find('/').or_else(|| word.find(":\\").map(|at| at.saturating_sub(1)));
        let (plain, is_path) = path.map_or((word, false), |at| (word.get(..at).unwrap_or_default(), true));
        hash_word(plain, &mut hash);
        if is_path {
            hash.put(b'/');
        }
    }
    hash.0
}

fn hash_word(word: &str, hash: &mut Fnv) {
    let mut before = b' ';
    for run in word.as_bytes().chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric()) {
        let is_number = run[0].is_ascii_digit() && before != b'_';
        let is_hash = run.len() >= 7 && run.iter().all(u8::is_ascii_hexdigit) && run.iter().any(u8::is_ascii_digit);
        if is_number || is_hash {
            hash.put(b'#');
        } else {
            for byte in run {
                hash.put(byte.to_ascii_lowercase());
            }
        }
        before = *run.last().unwrap_or(&b' ');
    }
}

struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn put(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// pytest puts `E` before the lines of an exception, runners a colour before their marks.
fn unframed(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("E  ").map_or(line, str::trim_start)
}

fn weigh(line: &str, phrases: &[&str]) -> Weight {
    if !line.chars().any(char::is_alphanumeric) {
        return Weight::Nothing;
    }
    let mut bare = line;
    while let Some(escape) = bare.strip_prefix('\u{1b}') {
        bare = after_escape(escape).trim_start();
    }
    let bare = bare.trim_start_matches("<tool_use_error>").trim_start_matches(['-', '•', '|', ' ']);
    if FOOTERS.iter().any(|start| bare.starts_with(start)) || (bare.ends_with(':') && is_word(bare)) {
        return Weight::Footer;
    }
    if phrases.iter().any(|phrase| bare.contains(phrase)) {
        return Weight::OfItsKind;
    }
    if SUMMARIES.iter().any(|part| bare.contains(part)) {
        return Weight::Trouble;
    }
    if is_exception(bare) || names_an_error(bare) || is_remark(bare) || MARKS.iter().any(|mark| bare.starts_with(mark))
    {
        return Weight::Named;
    }
    if TROUBLE.iter().any(|word| bare.contains(word)) { Weight::Trouble } else { Weight::Text }
}

/// `ERROR:` and nothing more.
fn is_word(line: &str) -> bool {
    !line.trim_end_matches(':').contains(char::is_whitespace)
}

/// `ValueError: …`, `socket.timeout: …`, `TypeError [ERR_X]: …`, `Uncaught Error: …`, `java.lang.IllegalStateException`.
fn is_exception(line: &str) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let head = line.split_once(": ").map_or(line, |(head, _)| head);
    let name = head.split_once(" [").map_or(head, |(name, _)| name).trim_end_matches(':');
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'$'));
    let said = head.len() < line.len() || name.len() > "Exception".len();
    let by_name = ["Error", "Exception", "Exit", "Interrupt", "timeout"].iter().any(|end| name.ends_with(end));
    plain && said && by_name
}

/// `error[E0282]: …`, `fatal: …`, `a.ts(1,2): error TS1: …`, `a.c:1:2: error: …`, `sed: can't …`, `thread 'x' panicked at …`.
fn names_an_error(line: &str) -> bool {
    let starts = ["error", "Error", "ERROR", "fatal", "panic", "FATAL", "CMake Error", "npm error", "npm ERR!"];
    let said = |rest: &str| rest.trim_start_matches(':').trim().len() > 2;
    let at_start = starts.iter().any(|start| {
        let rest = line.strip_prefix(start).filter(|rest| rest.starts_with([':', '[', ' ']));
        rest.is_some_and(said)
    });
    at_start || line.contains(": error ") || line.contains(": error: ") || line.contains(" panicked at ")
}

/// `src/a.go:12:5: undefined: x (typecheck)`: what compilers and linters say of a place.
fn is_remark(line: &str) -> bool {
    let Some((path, rest)) = line.split_once(':') else { return false };
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (at, said) = rest.split_once(": ").unwrap_or((rest, ""));
    path.contains('.') && !path.contains(' ') && number(at) && at.contains(':') && said.len() > 2
}

/// What opens or closes an output.
const FOOTERS: [&str; 18] = [
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
];
/// Lines that sum up what other lines say better.
const SUMMARIES: [&str; 14] = [
    "ERROR task failed",
    "FAIL . [",
    "could not compile",
    "aborting due to",
    "test failed, to rerun",
    "error: script \"",
    "Command failed with",
    "Command failed:",
    "exited with code",
    "Some errors were",
    "short test summary",
    "npm error code",
    "npm error errno",
    "npm error path",
];
/// Starts of a failed test's line.
const MARKS: [&str; 10] = ["--- FAIL", "FAIL: ", "FAILED ", "(fail) ", "✗ ", "× ", "✕ ", "✖ ", "not ok ", "❌ "];
/// Words of trouble.
const TROUBLE: [&str; 21] = [
    "o replacement was",
    "rror:",
    "rror ",
    "ailed",
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
];

/// What failures of a kind say, wherever in a line.
fn phrases(kind: FailureKind) -> &'static [&'static str] {
    match kind {
        FailureKind::EditMismatch => &[
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
        ],
        FailureKind::FileNotFound => &[
            "o such file or directory",
            "does not exist",
            "ENOENT",
            "FileNotFoundError",
            "annot access",
            "ot a directory",
            "no matches found:",
            "no such file:",
        ],
        FailureKind::MissingModule => &[
            "No module named",
            "annot find module",
            "annot find package",
            "cannot import name",
            "unresolved import",
            "ould not resolve",
            "no required module",
        ],
        FailureKind::MissingCommand => {
            &["ommand not found", ": not found", "is not recognized as", "executable file not found"]
        }
        FailureKind::Permission => &[
            "ermission denied",
            "not permitted",
            "EACCES",
            "EPERM",
            "ccess is denied",
            "equires approval",
            "require approval",
            "locked:",
            "has been denied",
        ],
        FailureKind::Timeout => &["timed out", "imeout waiting", "eadline exceeded"],
        FailureKind::Git => &["fatal: ", "! [", "ailed to push", "CONFLICT ", "error: pathspec", "error: Your local"],
        FailureKind::Network => &[
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
        ],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind as K;

    fn told(output: &str, kind: FailureKind) -> String {
        let mut line = String::new();
        collapsed(telling_line(output, kind).0, &mut line);
        line
    }

    #[test]
    fn the_line_that_says_what_failed() {
        for (kind, output, expected) in [
            (
                K::Traceback,
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no\n",
                "ValueError: no",
            ),
            (
                K::Traceback,
                "Traceback (most recent call last):\n  x\nKeyError: 'a'\n\nTraceback (most recent call last):\nValueError: b\n",
                "ValueError: b",
            ),
            (
                K::TestFailure,
                "E   AssertionError: assert 1 == 2\n\na.py:3: AssertionError\n=== 1 failed ===",
                "AssertionError: assert 1 == 2",
            ),
            (
                K::Traceback,
                "TypeError: os.tmpDir is not a function\n    at x (a.js:1:1)\n\nNode.js v20.20.2\n",
                "TypeError: os.tmpDir is not a function",
            ),
            (
                K::CompileLint,
                "warning: x\nerror[E0282]: type annotations needed\n  --> a.rs:1:1\nerror: could not compile `a`\n",
                "error[E0282]: type annotations needed",
            ),
            (K::Git, "fatal:   not a\tgit repository\n", "fatal: not a git repository"),
            (
                K::Traceback,
                "thread 'main' panicked at src/main.rs:1:1:\nboom\n",
                "thread 'main' panicked at src/main.rs:1:1:",
            ),
            (K::ExitNonzero, "Exit code 2\nsomething odd\n-----\n", "something odd"),
            (K::Other, "ERROR:\nNo replacement was performed: x", "No replacement was performed: x"),
            (
                K::EditMismatch,
                "<tool_use_error>String to replace not found in file.\nString: t.Errorf(\"error: %v\", err)</tool_use_error>",
                "<tool_use_error>String to replace not found in file.",
            ),
            (
                K::TestFailure,
                "=== RUN x\n--- FAIL: TestA (0.01s)\n    a_test.go:5: no\nFAIL\tpkg 0.1s\n",
                "--- FAIL: TestA (0.01s)",
            ),
            (
                K::CompileLint,
                "[lint] $ golangci-lint\na/b.go:3:5: unused x (unused)\n[lint] ERROR task failed\n",
                "a/b.go:3:5: unused x (unused)",
            ),
            (K::ExitNonzero, "Exit code 1", "Exit code 1"),
            (K::Other, "", ""),
            (K::Other, "----\n\n", ""),
        ] {
            assert_eq!(told(output, kind), expected, "{output:?}");
        }
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(told(&"é".repeat(1000), K::Other).chars().count(), LINE_CHARS);
    }

    #[test]
    fn the_same_error_elsewhere_is_the_same_error() {
        let same = |a: &str, b: &str| normal_hash(a) == normal_hash(b);
        assert!(same("--- FAIL: TestA (13.01s)", "--- FAIL: TestA (2.5s)"));
        assert!(same("error: 082c2c4495629bd585: bad /a/b", "error: 1f2e3d4c5b6a798: bad /c"));
        assert!(same("Error  in\tC:\\a\\b", "error in D:\\x"));
        assert!(same("old_str `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "old_str `bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"));
        assert!(!same("no type `Foo`", "no type `Bar`"));
        assert!(!same("error[E0282]: x", "error[E0599]: x"));
        assert!(!same("No module named 'a'", "No module named 'b'"));
        assert!(!same("test_1 failed", "test_2 failed"), "a name keeps its digits");
    }

    #[test]
    fn a_person_reads_no_colours_and_no_tags() {
        assert_eq!(readable("\u{1b}[31m✗ \u{1b}[1mFAIL\u{1b}[0m: x"), "FAIL: x");
        assert_eq!(readable("<tool_use_error>No.</tool_use_error>"), "No.");
        assert_eq!(readable("no x in '/aaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbb/cccccccc/d.py'"), "no x in '…/cccccccc/d.py'");
        assert_eq!(readable("(packages/core/src/evaluation/grading.ts:4)"), "(…/evaluation/grading.ts:4)");
        assert_eq!(readable("no x in /a/d.py"), "no x in /a/d.py");
        assert_eq!(readable("\u{1b}"), "");
        assert_eq!(readable("\u{1b}[31"), "");
        assert_eq!(readable("a\u{1b}[é"), "a");
    }
}
