//! The cause line: the one line of an output that says what failed. The search is linear in the length of the output, and
//! usually ends at the first line that names an error.

use gephost_gene::run_log::FailureKind;

use crate::output::cut::is_mark;
use crate::output::hooks;
use crate::output::line::{after_escape, rule_of_oxlint};
use crate::output::progress::{in_step, is_progress};
use crate::output::vocabulary::{ERRORS, FOOTERS, GIVEN_UP, MARKS, RAISED, SUMMARIES, TROUBLE, Words, phrases};

/// Headers that Python prints above a traceback, and Node above a warning that it throws (`--throw-deprecation`). Below
/// such a header a warning is the failure; elsewhere it is only output.
const RAISE_HEADERS: [&str; 3] = ["Traceback (most recent call last)", "throw warning;", "Exception occurred:"];

/// How much a line says about the cause of a failure, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// No letter and no digit.
    Empty,
    /// A line that opens or closes an output and does not mention the cause.
    Footer,
    /// Any other text.
    Text,
    /// The line contains a word such as "failed" or "denied".
    Trouble,
    /// The line names an error or a failed test.
    Error,
    /// The line contains a phrase that is typical of this kind of failure.
    Typical,
}

/// The line of `output` with the greatest weight, and that weight. Of several such lines the first is taken, with two
/// exceptions: the last one below a traceback's header, because the exception follows the frames, and the last one if no
/// line mentions trouble. The line is empty only if every line is.
pub(crate) fn cause_line(output: &str, kind: FailureKind) -> (&str, Weight) {
    let phrases = phrases(kind);
    let has_header = RAISE_HEADERS.iter().any(|header| output.contains(header));
    let mut best = ("", Weight::Empty);
    let mut raised = false;
    let mut has_frames = false;
    let mut is_below_label = false;
    for line in output.lines() {
        let is_indented = line.starts_with([' ', '\t']);
        let is_of_pytest = line.starts_with("E   ");
        let line = without_pytest_prefix(line);
        // A panic and an exception without a message are explained by the next line with a text.
        let explains = is_below_label && weigh(line, phrases) > Weight::Footer && !is_place(line);
        is_below_label = is_label(line) || is_below_label && !explains;
        if explains && best.1 <= Weight::Error && !line.starts_with("at ") && !line.starts_with("note: ") {
            best = (line, Weight::Error);
            break;
        }
        if has_header && RAISE_HEADERS.iter().any(|header| line.starts_with(header)) {
            (raised, has_frames) = (true, false);
            continue;
        }
        // The first line that is not indented below the frames is the exception; what follows is printed by something else.
        let was_raised = raised;
        if raised && has_frames && !is_indented && !line.is_empty() {
            raised = false;
        }
        has_frames |= raised && is_indented;
        let raised = was_raised;
        let is_warned = raised && is_warning(line);
        let is_raised = raised && is_named_anyhow(line);
        let weight = weigh(line, phrases);
        let is_error = is_warned || is_raised || is_of_pytest && weight > Weight::Footer;
        let weight = if is_error { Weight::Error.max(weight) } else { weight };
        let prefers_last = weight == Weight::Text
            || weight == Weight::Footer
            || is_warned
            || is_raised
            || (raised && is_exception(line));
        if weight > best.1 || (weight == best.1 && prefers_last) {
            best = (line, weight);
        }
        let greatest = if phrases.is_empty() { Weight::Error } else { Weight::Typical };
        if best.1 == greatest && !has_header && !is_below_label {
            break;
        }
    }
    best
}

/// Lines that only announce the message, which stands below.
const LABELS: [&str; 9] = [
    "rake aborted!",
    "rails aborted!",
    "Failed to compile.",
    "error during build:",
    "* What went wrong:",
    "Error Message:",
    "Something went wrong. Please check the error below for more details.",
    "Application error:",
    "Configuration error:",
];

/// Whether a line names a place and nothing else: `./src/a.ts`, `src/a.ts:3:5`.
fn is_place(line: &str) -> bool {
    let has_number = || line.rsplit_once(':').is_some_and(|(_, at)| at.bytes().all(|byte| byte.is_ascii_digit()));
    !line.contains(' ') && (line.starts_with("./") || has_number())
}

/// `thread 'main' panicked at a.rs:1:1:`, or the name of an exception alone.
fn is_label(line: &str) -> bool {
    if LABELS.contains(&line.trim_start_matches(['✖', '×', 'x', ' '])) {
        return true;
    }
    // webpack: `ERROR in ./a.js 2:0`, with the message below.
    if line.strip_prefix("ERROR in ./").is_some_and(|place| !place.contains(": ")) {
        return true;
    }
    let is_name = !line.contains([' ', ':']) && line.len() > "Exception".len() && is_exception(line);
    // PHP: `In Connection.php line 664:`, `[Illuminate\Database\QueryException]`.
    let is_of_php = line.ends_with(':') && line.starts_with("In ") && line.contains(".php line ")
        || line.starts_with('[') && line.ends_with("Exception]") && !line.contains(' ');
    is_head_of_panic(line) || is_name || is_of_php
}

/// Whether a line begins a panic of Rust whose message stands below: `thread 'main' panicked at a.rs:1:1:`, or `… panicked at '`
/// of older versions.
pub(crate) fn is_head_of_panic(line: &str) -> bool {
    line.contains("panicked at ") && (line.ends_with(':') || line.ends_with("at '"))
}

/// pytest prints `E` before each line of an exception.
fn without_pytest_prefix(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("E  ").map_or(line, str::trim_start)
}

/// How much a line says, whatever the kind of failure.
pub(crate) fn weight_of(line: &str) -> Weight {
    weigh(line.trim(), phrases(FailureKind::Other))
}

fn weigh(line: &str, phrases: &Words) -> Weight {
    if !line.bytes().any(|byte| byte.is_ascii_alphanumeric()) && !line.chars().any(char::is_alphanumeric) {
        return Weight::Empty;
    }
    let mut bare = line;
    while let Some(escape) = bare.strip_prefix('\u{1b}') {
        bare = after_escape(escape).trim_start();
    }
    let bare = in_step(bare).unwrap_or(bare);
    let bare = bare.trim_start_matches("<tool_use_error>").trim_start_matches(['-', '•', '|', ' ']);
    let is_label = bare.ends_with(':') && is_one_word(bare);
    if FOOTERS.begin(bare) || is_label || is_passed(bare) || is_state(bare) || hooks::is_frame(bare) || is_mark(bare) {
        return Weight::Footer;
    }
    if phrases.are_in(bare) {
        return Weight::Typical;
    }
    if is_summary(bare) {
        return Weight::Trouble;
    }
    if is_own_warning(bare) {
        return Weight::Text;
    }
    // `✖ Building...` is a step that ended; why stands elsewhere.
    let is_error = is_exception(bare)
        || names_an_error(bare)
        || is_diagnostic(bare.trim_start_matches("vet: "))
        || MARKS.begin(bare) && !bare.ends_with("...");
    if is_error || rule_of_oxlint(bare).is_some() {
        return Weight::Error;
    }
    if TROUBLE.are_in(bare) {
        return Weight::Trouble;
    }
    if is_progress(line.trim()) || is_progress(bare) || is_address(bare) { Weight::Footer } else { Weight::Text }
}

/// The line of a test that passed, whatever its name says: pytest, libtest, TAP, Go, and the runners that tick it off.
fn is_passed(line: &str) -> bool {
    let is_tap = || line.strip_prefix("ok ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    line.starts_with(['✓', '✔', '√'])
        || line.starts_with("--- PASS")
        || line.ends_with(" ... ok")
        || line.ends_with(" PASSED")
        || line.contains(" PASSED [")
        || is_tap()
}

/// Whether a line says that something failed, and nothing else: `status: failed`, `failed_tests: 2`.
fn is_state(line: &str) -> bool {
    const WORDS: [&str; 20] = [
        "status",
        "state",
        "result",
        "conclusion",
        "outcome",
        "task",
        "build",
        "job",
        "step",
        "test",
        "tests",
        "run",
        "failed",
        "failure",
        "failures",
        "fail",
        "error",
        "errors",
        "passed",
        "total",
    ];
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_of_state = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_digit()) || WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    line.len() < 80 && line.contains([':', '=']) && line.is_ascii() && words.all(is_of_state)
}

/// Why Go could not load a package, which it says below the package's name (`# a/b`) and before `[setup failed]`. Of a chain of
/// imports, it is the last one. If a test failed, that says more.
pub(crate) fn of_setup(output: &str) -> Option<&str> {
    if !output.contains("[setup failed]") || output.contains("--- FAIL") {
        return None;
    }
    let mut lines = output.lines().skip_while(|line| !line.starts_with("# ")).skip(1);
    if !output.lines().any(|line| line.starts_with("# ")) {
        // What Go cannot read or write itself stands above without a heading.
        let above = output.lines().take_while(|line| !line.contains("[setup failed]")).map(str::trim);
        return above.filter(|line| !line.is_empty() && !is_of_go_test(line)).last();
    }
    let first = lines.next().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("FAIL"))?;
    let imports = lines.take_while(|line| line.starts_with("\timports ")).last();
    Some(imports.map_or(first, |line| line.trim().trim_start_matches("imports ")))
}

/// Whether a line is the result of a package.
fn is_of_go_test(line: &str) -> bool {
    ["FAIL", "ok ", "ok\t", "? ", "?\t", "---", "Exit code"].iter().any(|start| line.starts_with(start))
}

/// Whether a line only sums up what others say in more detail.
pub(crate) fn is_summary(line: &str) -> bool {
    // Older versions of npm repeat the script: `npm ERR! app@1.0.0 build: `tsc``.
    let is_script =
        || line.starts_with("npm ERR! ") && line.contains(": `") && line.ends_with('`') && line.contains('@');
    SUMMARIES.are_in(line) || is_script()
}

/// Whether a line says only that all attempts failed.
pub(crate) fn gives_up(line: &str) -> bool {
    GIVEN_UP.are_in(line)
}

/// An address where more can be read, and nothing else.
fn is_address(line: &str) -> bool {
    line.contains("://") && is_one_word(line)
}

/// `ERROR:` without a message.
fn is_one_word(line: &str) -> bool {
    !line.trim_end_matches(':').contains(char::is_whitespace)
}

/// `ValueError: …`, `socket.timeout: …`, `TypeError [ERR_X]: …`, `Uncaught Error: …`, `java.lang.IllegalStateException`.
fn is_exception(line: &str) -> bool {
    is_named(line, &["Error", "Exception", "Exit", "Interrupt", "timeout"])
}

/// Whether a line is the exception below a traceback, or a thrown error.
pub(crate) fn is_thrown(line: &str) -> bool {
    is_exception(without_pytest_prefix(line))
}

/// Whether a line has the form in which Python ends a traceback, whatever the exception is called:
/// `django.core.exceptions.ImproperlyConfigured: …`.
pub(crate) fn is_named_anyhow(line: &str) -> bool {
    let Some((name, message)) = line.split_once(": ") else { return false };
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'));
    let own = name.rsplit('.').next().unwrap_or_default();
    // A class of a module may be written small: `re.error: …`.
    let is_class = own.starts_with(|c: char| c.is_ascii_uppercase()) || own.len() < name.len();
    plain && own.len() > 3 && is_class && !is_warning(line) && !message.is_empty()
}

/// `DeprecationWarning: …`.
fn is_warning(line: &str) -> bool {
    is_named(line, &["Warning"])
}

/// Whether a program only warns: `warning: …`, `git: warning: …`. It goes on, whatever words the warning has.
fn is_own_warning(line: &str) -> bool {
    let said = line.split_once(": ").filter(|(program, _)| is_one_word(program) && !program.contains(['/', ':', '.']));
    [Some(line), said.map(|(_, said)| said)].into_iter().flatten().any(|text| text.starts_with("warning: "))
}

/// Whether a line starts with the name of an exception type that has one of these endings.
fn is_named(line: &str, ends: &[&str]) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let head = line.split_once(": ").map_or(line, |(head, _)| head);
    let name = head.split_once(" [").map_or(head, |(name, _)| name).trim_end_matches(':');
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'$'));
    let has_message = head.len() < line.len() || name.len() > "Exception".len();
    plain && has_message && ends.iter().any(|end| name.ends_with(end))
}

/// `error[E0282]: …`, `fatal: …`, `a.ts(1,2): error TS1: …`, `a.c:1:2: error: …`, `sed: can't …`, `thread 'x' panicked at …`.
fn names_an_error(line: &str) -> bool {
    let has_message = |rest: &str| rest.trim_start_matches(':').trim().len() > 2;
    let rest = ERRORS.begin(line).then(|| line.split_once([':', '[', ' '])).flatten();
    rest.is_some_and(|(_, rest)| has_message(rest)) || RAISED.are_in(line)
}

/// `src/a.go:12:5: undefined: x (typecheck)`: a compiler's or linter's message about a line of source code.
pub(crate) fn is_diagnostic(line: &str) -> bool {
    let Some((path, rest)) = line.split_once(':') else { return false };
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (at, message) = rest.split_once(": ").unwrap_or((rest, ""));
    path.contains('.') && !path.contains(' ') && number(at) && at.contains(':') && message.len() > 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::line::{LINE_CHARS, collapsed};
    use FailureKind as K;

    fn found(output: &str, kind: FailureKind) -> String {
        let mut line = String::new();
        collapsed(cause_line(output, kind).0, &mut line);
        line
    }

    #[test]
    fn the_cause_line_says_what_failed() {
        for (kind, output, expected) in [
            (
                K::Timeout,
                "(no output)\n<bash_metadata>\nbash tool terminated after 120000 ms\n</bash_metadata>",
                "bash tool terminated after 120000 ms",
            ),
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
            (K::Traceback, "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 0\n", "KeyError: 0"),
            (
                K::Traceback,
                "a: error: no cache\nTraceback (most recent call last):\n  File \"a.py\", line 1\nre.error: missing )\n",
                "re.error: missing )",
            ),
            (
                K::TestFailure,
                "t/a.py::test_error PASSED [  8%]\nt/a.py::test_sum FAILED [ 16%]\nt/a.py::test_invalid PASSED [100%]\n",
                "t/a.py::test_sum FAILED [ 16%]",
            ),
            (K::TestFailure, "not ok 1 - sums up\nok 2 - throws an error if it failed\n", "not ok 1 - sums up"),
            (
                K::TestFailure,
                "test a::fails_with_an_error ... ok\ntest a::adds ... FAILED\n\u{2713} says error: no\n",
                "test a::adds ... FAILED",
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
            (K::Traceback, "thread 'main' panicked at src/main.rs:1:1:\nboom\n", "boom"),
            (
                K::ExitNonzero,
                "\n   ReflectionException\n\n  Class \"A\" does not exist\n\n  at vendor/a.php:9\n",
                "Class \"A\" does not exist",
            ),
            (K::ExitNonzero, "Exit code 2\nsomething odd\n-----\n", "something odd"),
            (
                K::ExitNonzero,
                "git: warning: confstr() failed with code 5\ncannot take the lease",
                "cannot take the lease",
            ),
            (K::ExitNonzero, "warning: failed to save the cache\ncould not take the lease", "could not take the lease"),
            (K::ExitNonzero, "no lease\n\u{2026} +159 lines (ctrl+o to see all)", "no lease"),
            (
                K::ExitNonzero,
                "a 85%\nCoverage failure: total of 83 is less than 95\n3 passed",
                "Coverage failure: total of 83 is less than 95",
            ),
            (
                K::TestFailure,
                "_ ERROR at setup of test_a _\n  def test_a(db):\nE       fixture 'db' not found\n>       use 'pytest \
                 --fixtures'\nERROR t/a.py::test_a\n1 error",
                "fixture 'db' not found",
            ),
            (
                K::TestFailure,
                "    assert 1 == 2\nE       assert 1 == 2\nFAILED t/a.py::test_a - assert 1",
                "assert 1 == 2",
            ),
            (
                K::CompileLint,
                "error: linking with `cc` failed: exit status: 1\n  = note: ld: cannot find -lpq: No such file\n",
                "= note: ld: cannot find -lpq: No such file",
            ),
            (
                K::CompileLint,
                "ERROR: /w/BUILD:3:10: Compiling a.cc failed: (Exit 1): gcc failed: error executing command\na.cc:1:10: \
                 fatal error: b.h: No such file\nERROR: Build did NOT complete",
                "a.cc:1:10: fatal error: b.h: No such file",
            ),
            (K::ExitNonzero, "status: failed\nno lease for queue\nerrors: 2", "no lease for queue"),
            (K::ExitNonzero, "Tests failed: 3\nerror: no lease", "error: no lease"),
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
            assert_eq!(found(output, kind), expected, "{output:?}");
        }
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(found(&"é".repeat(1000), K::Other).chars().count(), LINE_CHARS);
    }
}
