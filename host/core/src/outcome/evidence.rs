//! What an output proves by itself: the summaries that test runners, linters, compilers and git print at the end.

use std::sync::LazyLock;

use regex::Regex;

use crate::expressions::{Dialect, LazySet};

/// What an output proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// A summary says that it failed.
    Failed,
    /// A summary says that it passed, and no summary says that it failed.
    Passed,
    /// There is no summary, but there are lines that only errors print.
    ErrorLines,
    /// The output proves nothing.
    None,
}

/// Summaries of a failure. Each expression matches what its tool prints at the start of a line or as a whole line.
const FAILED: &[&str] = &[
    // go
    r"(?m)^\s{0,16}--- FAIL: ",
    r"(?m)^FAIL(?:\t|$)",
    r"(?m)^FAIL\s+\S+\s+(?:\d+\.\d+s|\[build failed\])",
    // cargo and rustc
    r"(?m)^test result: FAILED",
    r"(?m)^error(?:\[E\d{4}\])?: (?:could not compile|aborting due to|test failed|\d+ target)",
    r"(?m)^error\[E\d{4}\]",
    // pytest, unittest
    r"(?m)^=+ (?:[^=\n]*, )?\d+ (?:failed|errors?)(?-u:\b)",
    r"(?m)^\d+ failed(?-u:\b)[^\n]* in \d",
    r"(?m)^FAILED (?:\S+::|\((?:failures|errors)=)",
    r"(?m)^ERROR (?:collecting |\S+\.py)",
    // bun, jest, vitest, mocha, node, playwright
    r"(?m)^\s{0,8}[1-9]\d* fail$",
    r"(?m)^\s{0,8}\(fail\) ",
    r"(?m)^\s{0,8}(?:Tests|Test Suites|Test Files|Snapshots):?\s+[^\n]*?(?-u:\b)[1-9]\d* failed",
    r"(?m)^\s{0,8}[1-9]\d* (?:failing|failed)(?:\s|$)",
    r"(?m)^# fail [1-9]",
    r"(?m)^ℹ fail [1-9]",
    r"(?m)^not ok \d",
    r"(?m)^\s{0,4}FAIL\s+\S+\.(?:test|spec)\.",
    // compilers and linters
    r"(?m)^[^\n]*(?-u:\b)error TS\d{3,5}:",
    r"✖ [1-9]\d* problems? \([1-9]\d* errors?",
    r"(?m)^Found [1-9]\d* errors?(?-u:\b)",
    r"(?m)^(?:Lint: )?[1-9]\d* (?:errors?|issues?)(?::| found|\.$|$)",
    r"(?m)^[^\s:][^\n:]*:\d+(?::\d+)?(?: error)? MD\d{3}/",
    r"(?m)^\S[^\n:]*\.(?:go|c|cc|cpp|h):\d+:\d+: [^\n]+\((?:[a-z]{2,20})\)$",
    r"(?m)^\S[^\n:]*\.(?:c|cc|cpp|h|hpp):\d+:\d+: (?:fatal )?error: ",
    // builds and task runners
    r"(?m)^(?:BUILD FAILED|FAILURE: Build failed)",
    r"(?m)^(?:g?make|ninja)(?:\[\d+\])?: \*\*\* ",
    r"(?m)^\[[\w:-]+\] ERROR task failed",
    r"(?m)^npm (?:ERR!|error) ",
    r"(?m)^(?:error|ELIFECYCLE)[^\n]*(?:exited with code|Command failed with exit code) [1-9]",
    r#"(?m)^error: script "[^"\n]+" exited with code [1-9]"#,
    r"(?m)^(?:FAILED|FAILURE): ",
    // git
    r"(?m)^ ! \[(?:remote )?rejected\]",
    r"(?m)^error: failed to push some refs",
    r"(?m)^CONFLICT \(",
    r"(?m)^husky - [\w-]+ (?:hook|script) (?:exited|failed)",
];

/// Summaries of a success.
const PASSED: &[&str] = &[
    r"(?m)^test result: ok",
    r"(?m)^ok  \t",
    r"(?m)^=+ [^\n]*\d+ passed",
    r"(?m)^\d+ passed(?-u:\b)",
    r"(?m)^OK(?: \(|$)",
    r"(?m)^\s{0,8}0 fail$",
    r"(?m)^# fail 0$",
    r"(?m)^ℹ fail 0$",
    r"(?m)^\s{0,8}(?:Tests|Test Files|Test Suites):?\s+[^\n]*\d+ passed",
    r"(?m)^\s{0,8}\d+ passing",
    r"(?m)^0 issues\.?$",
    r"(?m)^(?:Found )?0 errors?(?-u:\b)",
    r"(?m)^All checks passed",
    r"(?m)^Success: no issues found",
    r"(?m)^\s{0,4}Finished `?(?:dev|release|test)",
    r"(?m)^BUILD SUCCESS",
];

/// Lines that only errors print. They count if there is no summary.
const ERROR_LINES: &[&str] = &[
    r"(?m)^Traceback \(most recent call last\):",
    r"(?m)^(?:fatal|panic): ",
    r"(?m)^thread '[^'\n]*'(?: \(\d+\))? panicked at",
    r"(?m)^error: ",
    r"(?m)^Error: ",
    r"(?m)^(?:Uncaught )?[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: ",
    r"(?m)^(?:/\S+/)?(?:ba|z|da)?sh: (?:line )?[^\n]*(?:not found|No such file or directory|Permission denied)",
    r"(?m)^\(eval\):\d+: ?\S",
    r"(?m)^(?:cp|mv|rm|cd|ls|cat|sed|head|tail|chmod|mkdir|ln): [^\n]+: (?:No such file or directory|Permission denied|Not a directory)",
    r"(?m)^[\w./-]+[: ][^\n]+: (?:command not found|[Nn]o such file or directory|no such device or address|[Pp]ermission denied|[Cc]onnection refused|[Oo]peration not permitted)$",
    r"(?m)^(?:Failed|failed|Unable|unable) to [a-z]",
    r"(?m)^(?:npm|yarn|pnpm) (?:ERR!|error)",
    r"(?m)^ERROR[: ]",
    r"(?m)^E   \w",
    r"(?m)^curl: \(\d+\) ",
    r"(?m)^make: \*\*\*",
    r"(?m)^\S+: (?:error|fatal): ",
];

/// All of these, so that an output is read once instead of three times.
static ANY_SET: LazyLock<LazySet> =
    LazyLock::new(|| LazySet::new(Dialect::Unicode, [FAILED, PASSED, ERROR_LINES].concat()));

/// Which of the three lists match a line of an output.
#[derive(Debug, Clone, Copy, Default)]
struct Lines {
    failed: bool,
    passed: bool,
    errors: bool,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut lines = Self::default();
        for at in ANY_SET.matches(text) {
            let list = if at < FAILED.len() {
                &mut lines.failed
            } else if at < FAILED.len() + PASSED.len() {
                &mut lines.passed
            } else {
                &mut lines.errors
            };
            *list = true;
        }
        lines
    }
}

/// The line that git prints after a commit: `[branch 1a2b3c4] subject`.
static COMMIT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] ").expect("the expression compiles, as the tests show")
});

/// Assesses an output. `commits` means that the command makes a commit. In that case only what follows the commit line
/// counts, not what git hooks printed above it.
pub(super) fn assess(text: &str, commits: bool) -> Evidence {
    let commit = if commits { COMMIT_LINE.find_iter(text).last() } else { None };
    let decisive = commit.map_or(text, |line| text.get(line.end()..).unwrap_or_default());
    let committed = decisive.len() < text.len();
    let lines = Lines::of(decisive);
    if lines.failed {
        Evidence::Failed
    } else if committed || lines.passed {
        Evidence::Passed
    } else if lines.errors {
        Evidence::ErrorLines
    } else {
        Evidence::None
    }
}

/// Whether a program that only shows something reports an error of its own.
pub(super) fn is_own_error(words: &[String], text: &str) -> bool {
    let says = |start: &str| text.lines().any(|line| line.starts_with(start));
    match words.first().map(String::as_str) {
        // The content that it shows may contain `error: `.
        Some("git") if words.iter().any(|word| matches!(word.as_str(), "show" | "cat-file" | "diff")) => {
            says("fatal: ")
        }
        Some("git") => says("fatal: ") || says("error: "),
        Some("curl") => says("curl: ("),
        Some(program @ ("jq" | "yq" | "awk" | "xmllint")) => {
            says(&format!("{program}: error")) || says(&format!("{program}: syntax error"))
        }
        _ => false,
    }
}

static SHELL_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\(eval\):\d+:|(?:/\S*/)?(?:ba|z|da|k)?sh:(?: line)? ?\d*:) ?\S")
        .expect("the expression compiles, as the tests show")
});

/// Whether the output consists only of errors of the shell, so that the command did not run as intended. Above other
/// output, such lines may be noise of a start-up file.
pub(super) fn is_only_shell_errors(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| SHELL_LINE.is_match(line))
}

/// Whether the output of a search, a question or a comparison shows that it did not work at all.
pub(super) fn shows_an_error(text: &str) -> bool {
    let lines = Lines::of(text);
    lines.failed || lines.errors
}

/// Whether a text, which may be long, contains these words.
pub(super) fn contains(text: &str, words: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), words.as_bytes()).is_some()
}

/// Whether a time limit ended the call.
pub(super) fn is_timeout(text: &str) -> bool {
    ["Command timed out after", "command timed out after", "timed out after", "Timeout waiting for"]
        .iter()
        .any(|mark| contains(text, mark))
}

/// Whether a waiting command gave up. It may still exit with code 0.
pub(super) fn ends_with_a_timeout(text: &str) -> bool {
    text.trim_end().lines().next_back().is_some_and(|line| line.starts_with("Timeout waiting for"))
}

/// Whether a file was read past its end. The result is then only a reminder.
pub(super) fn is_past_the_end(text: &str) -> bool {
    text.starts_with("<system-reminder>Warning: the file exists but is shorter than")
}

/// The output without the line that only gives the exit code.
pub(super) fn without_code_line(text: &str) -> &str {
    if !text.starts_with("Exit code") && !text.starts_with("Error: Exit code") && !text.starts_with("Chunk ID") {
        return text.trim();
    }
    match text.split_once("\nOutput:") {
        Some((_, output)) if text.starts_with("Chunk ID") || text.starts_with("Exit code:") => output.trim(),
        _ => text.split_once('\n').map_or("", |(_, rest)| rest.trim()),
    }
}

/// Whether the result is only an error, in the forms in which servers report errors without setting a flag.
pub(super) fn is_error_body(text: &str) -> bool {
    let body = text.get(..text.floor_char_boundary(320)).unwrap_or_default().split_once("\nOutput:\n");
    let body =
        body.filter(|(head, _)| head.len() < 300).and_then(|(head, _)| text.get(head.len() + 9..)).unwrap_or(text);
    let body = body.trim_start();
    if !body.starts_with('{') {
        return body.starts_with("MCP error ");
    }
    let near: String = body.chars().take(200).filter(|c| !c.is_whitespace()).collect();
    near.starts_with("{\"error\":\"")
        || near.starts_with("{\"error\":{")
        || near.starts_with("{\"status\":\"error\"")
        || near.starts_with("{\"isError\":true")
}

/// Whether a result that reports on a background task says that the task failed.
pub(super) fn is_failed_task(tool: &str, text: &str) -> bool {
    if !matches!(tool, "TaskOutput" | "BashOutput" | "AgentOutputTool") {
        return false;
    }
    let code = text.split_once("<exit_code>").and_then(|(_, rest)| rest.split_once('<')).map(|(code, _)| code.trim());
    code.is_some_and(|code| code != "0")
        || contains(text, "<status>failed</status>")
        || assess(text, false) == Evidence::Failed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::agrees_with_regex;

    #[test]
    fn the_expressions_answer_like_regex() {
        let all = [FAILED, PASSED, ERROR_LINES].concat();
        assert!(agrees_with_regex(Dialect::Unicode, &all) + 5 > all.len(), "most need not be compiled");
    }

    #[test]
    fn summaries_of_many_tools() {
        for (text, evidence) in [
            ("ok  \ta\t0.1s\n--- FAIL: TestX (0.00s)\nFAIL", Evidence::Failed),
            ("ok  \ta\t0.1s\nerror: tested path", Evidence::Passed),
            ("test result: FAILED. 1 passed; 1 failed", Evidence::Failed),
            ("===== 2 failed, 3 passed in 0.1s =====", Evidence::Failed),
            ("===== 3 passed, 1 warning in 0.1s =====", Evidence::Passed),
            ("FAILED (failures=1)", Evidence::Failed),
            ("error: boom\n 12 pass\n 0 fail", Evidence::Passed),
            (" 12 pass\n 3 fail", Evidence::Failed),
            ("Tests:  1 failed, 3 passed, 4 total", Evidence::Failed),
            ("a.ts(3,1): error TS2304: Cannot find name", Evidence::Failed),
            ("✖ 3 problems (0 errors, 3 warnings)", Evidence::None),
            ("docs/a.md:3 error MD012/no-multiple-blanks", Evidence::Failed),
            ("a/b.go:3:1: unused (unused)", Evidence::Failed),
            ("0 issues.", Evidence::Passed),
            ("fatal: not a git repository", Evidence::ErrorLines),
            ("all is well, no error: none", Evidence::None),
        ] {
            assert_eq!(assess(text, false), evidence, "{text}");
        }
    }

    #[test]
    fn the_commit_line_outweighs_what_stands_above() {
        let text = "--- FAIL: x\n[main 1a2b3c4] fix\n 1 file changed";
        assert_eq!(assess(text, true), Evidence::Passed);
        assert_eq!(assess(text, false), Evidence::Failed);
        assert_eq!(assess(&format!("{text}\n ! [rejected] main -> main"), true), Evidence::Failed);
    }
}
