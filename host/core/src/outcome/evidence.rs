//! What an output proves by itself, by the lines of the table in [`super::marks`] and by whose lines they are.

use std::cell::Cell;
use std::sync::LazyLock;

use regex::Regex;

use super::marks::{MARKS, Says};
use crate::expressions::{Dialect, LazySet};

/// What an output proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// A summary says that it failed.
    Failed,
    /// A tool refused its command line, or stopped.
    Refused,
    /// A summary says that it passed, and nothing says that it failed.
    Passed,
    /// There is no summary, but there are lines that only errors print.
    ErrorLines,
    /// There is no summary, but a number of failures.
    Counts,
    /// The output proves nothing.
    None,
}

/// The expressions of all marks in one set, so that an output is read once.
static MARKS_SET: LazyLock<LazySet> =
    LazyLock::new(|| LazySet::new(Dialect::Unicode, MARKS.iter().map(|(_, _, expression)| *expression)));

/// What the marks in an output say: one bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Lines(u8);

impl Lines {
    fn of(text: &str) -> Self {
        let lines = Cell::new(Self::default());
        let says = |at: usize| MARKS.get(at).map(|(_, says, _)| *says);
        // A second line that says the same tells no more.
        let wants = |at: usize| says(at).is_some_and(|says| !lines.get().say(says));
        let take = |at: usize| says(at).into_iter().for_each(|says| lines.set(Self(lines.get().0 | Self::bit(says))));
        MARKS_SET.each_in_lines(text, wants, take);
        lines.get()
    }

    fn say(self, says: Says) -> bool {
        self.0 & Self::bit(says) != 0
    }

    fn bit(says: Says) -> u8 {
        match says {
            Says::Failed => 1,
            Says::Refused => 2,
            Says::Passed => 4,
            Says::Error => 8,
            Says::Count => 16,
        }
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
    if lines.say(Says::Failed) {
        Evidence::Failed
    } else if lines.say(Says::Refused) {
        Evidence::Refused
    } else if committed || lines.say(Says::Passed) {
        Evidence::Passed
    } else if lines.say(Says::Error) {
        Evidence::ErrorLines
    } else if lines.say(Says::Count) {
        Evidence::Counts
    } else {
        Evidence::None
    }
}

/// Whether nothing in the whole output of a commit says that it was made.
pub(super) fn has_no_commit_line(text: &str) -> bool {
    !COMMIT_LINE.is_match(text) && !MADE.iter().any(|mark| contains(text, mark))
}

/// What git prints below the line of a commit.
const MADE: [&str; 6] = ["file changed", "files changed", "create mode ", "delete mode ", "rename ", "mode change "];

/// Whether a commit was asked for, and nothing says that it was made: there was nothing to commit, or a hook printed
/// what it found. `only_git` means that nothing else printed.
pub(super) fn shows_no_commit(text: &str, only_git: bool) -> bool {
    const NOTHING: [&str; 3] = ["nothing to commit", "nothing added to commit", "no changes added to commit"];
    const COMPLAINTS: [&str; 8] = ["✖", "✗", "❌", "🥊", "error", "Error", "failed", "Failed"];
    if !has_no_commit_line(text) {
        return false;
    }
    NOTHING.iter().any(|mark| contains(text, mark)) || (only_git && COMPLAINTS.iter().any(|mark| contains(text, mark)))
}

/// Whether git stopped one of its steps: it names paths, branches or objects that are not there, or says `fatal: `.
pub(super) fn says_that_git_stopped(text: &str) -> bool {
    let stops = |line: &str| line.starts_with("fatal: ") || line.starts_with("error: pathspec '");
    (contains(text, "fatal: ") || contains(text, "error: pathspec '")) && text.lines().any(stops)
}

/// Whether the first line that was printed reports an error of the program itself.
pub(super) fn begins_with_an_error(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).map(Lines::of);
    first.is_some_and(|says| says.say(Says::Refused) || says.say(Says::Error))
}

/// Whether `gh pr checks` lists checks that have not ended, and none that failed. Its columns are set apart by tabs.
pub(super) fn only_waits_for_checks(words: &[String], text: &str) -> bool {
    let asks = matches!(words, [program, pr, checks, ..] if program == "gh" && pr == "pr" && checks == "checks");
    let has = |state: &[&str]| text.lines().any(|line| line.split('\t').nth(1).is_some_and(|is| state.contains(&is)));
    asks && has(&["pending"]) && !has(&["fail", "cancel"])
}

/// Whether the output of a search, a question or a comparison shows that it did not work at all.
pub(super) fn shows_an_error(text: &str) -> bool {
    let lines = Lines::of(text);
    lines.say(Says::Failed) || lines.say(Says::Refused) || lines.say(Says::Error)
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

/// Whether a short output has a line that reports an error, and no word that says that something worked. A line that the
/// command itself spells out reports nothing.
pub(super) fn says_only_errors(text: &str, is_spelled: impl Fn(&str) -> bool) -> bool {
    const MAX_LINES: usize = 40;
    const WORKED: [&str; 12] =
        ["success", "passed", "works", "worked", "done", "complete", "finished", "saved", "created", "✓", "✅", "✔"];
    // What a harness adds stands in brackets.
    let said = || text.lines().filter(|line| !(line.starts_with('[') && line.ends_with(']')));
    if said().nth(MAX_LINES).is_some() {
        return false;
    }
    said().any(|line| begins_an_error(line) && !is_spelled(line.trim())) && !Lines::of(text).say(Says::Passed) && {
        let lower = said().collect::<Vec<_>>().join("\n").to_lowercase();
        !WORKED.iter().any(|word| lower.contains(word))
    }
}

/// Whether a line is the beginning or the end of an error report: `Traceback …`, `ERROR: x`, `KeyError: x`, `Case 1 failed: x`.
pub(super) fn begins_an_error(line: &str) -> bool {
    let says = |said: &str| !said.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'));
    let Some((head, said)) = line.split_once(": ") else {
        return line.starts_with("Traceback (most recent call last):");
    };
    let is_class = (head.ends_with("Error") || head.ends_with("Exception"))
        && head.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let is_result = head.ends_with(" failed")
        && head.len() <= 60
        && head.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ');
    (is_class || is_result || matches!(head, "ERROR" | "ERR" | "error" | "FATAL" | "Fatal" | "FAILED")) && says(said)
}

/// Whether the agent pressed Ctrl-C: the terminal shows it near the end, or what ran says which signal ended it. Servers
/// and package managers then exit with codes of all sorts.
pub(super) fn is_interrupted(text: &str) -> bool {
    const SIGNALLED: [&str; 6] =
        ["signal SIGINT", "exit code 130", "exit status 130", "Error 130", "] Interrupt", "(code 130)"];
    let mut last = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(6).peekable();
    let at_the_end = |line: &str| SIGNALLED.iter().any(|words| contains(line, words)) || line == "KeyboardInterrupt";
    last.peek().is_some_and(|line| at_the_end(line)) || last.any(|line| line.starts_with("^C") || line.ends_with("^C"))
}

/// Whether the harness did not run the command: the one before still runs, or the folder in which it would run is gone.
pub(crate) fn was_not_run(text: &str) -> bool {
    let folder_is_gone = text.starts_with("Working directory ") && contains(text, "Re-issue your command");
    folder_is_gone || contains(text, "is NOT executed. The previous command is still running")
}

/// Whether the harness refused the arguments of a call, which some do without an error flag.
pub(super) fn is_refused_call(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with("The ") && contains(first, " tool was called with invalid arguments: ")
}

/// Whether a waiting command gave up. It may still exit with code 0.
pub(super) fn ends_with_a_timeout(text: &str) -> bool {
    text.trim_end().lines().next_back().is_some_and(|line| line.starts_with("Timeout waiting for"))
}

/// Whether a file was read past its end. The result is then only a reminder. An empty file is read from its first line, and
/// the reminder is no error.
pub(super) fn is_past_the_end(text: &str) -> bool {
    let reminder = text.strip_prefix("<system-reminder>Warning: the file exists but is shorter than");
    reminder.is_some_and(|said| !said.trim_start().starts_with("the provided offset (1)"))
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
    // One result for each of several requests, of which none worked.
    if body.starts_with('[') {
        let says = |what: &str| {
            contains(body, &format!("\"success\":{what}")) || contains(body, &format!("\"success\": {what}"))
        };
        return says("false") && !says("true");
    }
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
        || !contains(text, "<status>running</status>") && text.lines().next_back().is_some_and(begins_with_an_error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::agrees_with_regex;

    #[test]
    fn the_expressions_answer_like_regex() {
        let all: Vec<&str> = MARKS.iter().map(|(_, _, expression)| *expression).collect();
        assert_eq!(agrees_with_regex(Dialect::Unicode, &all), all.len(), "each has words");
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
    fn tasks_that_failed() {
        for (text, expected) in [
            ("Requesting 5\nError: RPC request error: operation timed out", true),
            ("<status>failed</status>\nx", true),
            ("<status>running</status>\nError: cannot reach a", false),
            ("Error: retrying\nlistening on 3000", false),
            ("done", false),
        ] {
            assert_eq!(is_failed_task("BashOutput", text), expected, "{text}");
        }
        assert!(!is_failed_task("Read", "Error: x"));
    }

    #[test]
    fn the_commit_line_outweighs_what_stands_above() {
        let text = "--- FAIL: x\n[main 1a2b3c4] fix\n 1 file changed";
        assert_eq!(assess(text, true), Evidence::Passed);
        assert_eq!(assess(text, false), Evidence::Failed);
        assert_eq!(assess(&format!("{text}\n ! [rejected] main -> main"), true), Evidence::Failed);
    }
}
