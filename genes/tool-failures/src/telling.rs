//! The one line of an output that says what failed. Pure, linear in the output's length, and mostly done at the first line
//! that names an error.

use gephost_gene::run_log::FailureKind;

use crate::line::after_escape;
use crate::vocabulary::{ERRORS, FOOTERS, MARKS, RAISED, SUMMARIES, TROUBLE, Words, phrases};

/// What Python writes above where an exception was raised, and Node above a warning that it throws
/// (`--throw-deprecation`). Below it a warning is what failed; elsewhere it is only printed.
const RAISERS: [&str; 2] = ["Traceback (most recent call last)", "throw warning;"];

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
    let may_raise = RAISERS.iter().any(|raiser| output.contains(raiser));
    let mut told = ("", Weight::Nothing);
    let mut raised = false;
    for line in output.lines() {
        let line = unframed(line);
        if may_raise && RAISERS.iter().any(|raiser| line.starts_with(raiser)) {
            raised = true;
            continue;
        }
        let is_thrown = raised && is_warning(line);
        let weight = if is_thrown { Weight::Named } else { weigh(line, phrases) };
        let later = weight == Weight::Text || weight == Weight::Footer || is_thrown || (raised && is_exception(line));
        if weight > told.1 || (weight == told.1 && later) {
            told = (line, weight);
        }
        let best = if phrases.is_empty() { Weight::Named } else { Weight::OfItsKind };
        if told.1 == best && !may_raise {
            break;
        }
    }
    told
}

/// pytest puts `E` before the lines of an exception, runners a colour before their marks.
fn unframed(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("E  ").map_or(line, str::trim_start)
}

fn weigh(line: &str, phrases: &Words) -> Weight {
    if !line.bytes().any(|byte| byte.is_ascii_alphanumeric()) && !line.chars().any(char::is_alphanumeric) {
        return Weight::Nothing;
    }
    let mut bare = line;
    while let Some(escape) = bare.strip_prefix('\u{1b}') {
        bare = after_escape(escape).trim_start();
    }
    let bare = bare.trim_start_matches("<tool_use_error>").trim_start_matches(['-', '•', '|', ' ']);
    if FOOTERS.begin(bare) || (bare.ends_with(':') && is_word(bare)) {
        return Weight::Footer;
    }
    if phrases.are_in(bare) {
        return Weight::OfItsKind;
    }
    if SUMMARIES.are_in(bare) {
        return Weight::Trouble;
    }
    if is_exception(bare) || names_an_error(bare) || is_remark(bare) || MARKS.begin(bare) {
        return Weight::Named;
    }
    if TROUBLE.are_in(bare) { Weight::Trouble } else { Weight::Text }
}

/// `ERROR:` and nothing more.
fn is_word(line: &str) -> bool {
    !line.trim_end_matches(':').contains(char::is_whitespace)
}

/// `ValueError: …`, `socket.timeout: …`, `TypeError [ERR_X]: …`, `Uncaught Error: …`, `java.lang.IllegalStateException`.
fn is_exception(line: &str) -> bool {
    is_named(line, &["Error", "Exception", "Exit", "Interrupt", "timeout"])
}

/// `DeprecationWarning: …`.
fn is_warning(line: &str) -> bool {
    is_named(line, &["Warning"])
}

/// Whether a line starts with the name of an exception's type, which ends so.
fn is_named(line: &str, ends: &[&str]) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let head = line.split_once(": ").map_or(line, |(head, _)| head);
    let name = head.split_once(" [").map_or(head, |(name, _)| name).trim_end_matches(':');
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'$'));
    let said = head.len() < line.len() || name.len() > "Exception".len();
    plain && said && ends.iter().any(|end| name.ends_with(end))
}

/// `error[E0282]: …`, `fatal: …`, `a.ts(1,2): error TS1: …`, `a.c:1:2: error: …`, `sed: can't …`, `thread 'x' panicked at …`.
fn names_an_error(line: &str) -> bool {
    let said = |rest: &str| rest.trim_start_matches(':').trim().len() > 2;
    let rest = ERRORS.begin(line).then(|| line.split_once([':', '[', ' '])).flatten();
    rest.is_some_and(|(_, rest)| said(rest)) || RAISED.are_in(line)
}

/// `src/a.go:12:5: undefined: x (typecheck)`: what compilers and linters say of a place.
fn is_remark(line: &str) -> bool {
    let Some((path, rest)) = line.split_once(':') else { return false };
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (at, said) = rest.split_once(": ").unwrap_or((rest, ""));
    path.contains('.') && !path.contains(' ') && number(at) && at.contains(':') && said.len() > 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{LINE_CHARS, collapsed};
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
                K::Traceback,
                "node:internal/process/warning:185\n        throw warning;\n        ^\n\nDeprecationWarning: Buffer() is old\n    \
                 at new Buffer (node:buffer:269:3) {\n  code: 'DEP0005'\n}\n\nNode.js v20.20.2\n",
                "DeprecationWarning: Buffer() is old",
            ),
            (
                K::Traceback,
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nDeprecationWarning: use b\n",
                "DeprecationWarning: use b",
            ),
            (K::ExitNonzero, "DeprecationWarning: use b\nerror: no such table\n", "error: no such table"),
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
}
