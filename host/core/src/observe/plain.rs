//! Plain output of test runners, compilers and the like: a file is the result of one run of its tool.
//!
//! There is no command and no time, so the tool is known by what only it writes, and what it says of itself is all that
//! can be judged. Kept are the file's beginning and its end, [`MAX_KEPT_BYTES`] each: that is where summaries stand.

use std::collections::VecDeque;
use std::sync::LazyLock;

use regex::bytes::RegexSet;

use super::codex::{CODES, header_number};
use super::transcript::{End, Place, Start};
use super::{Format, Is, LineResult, LogReader, Opened, Transcript};

const MAX_KEPT_BYTES: usize = 128 * 1024;

/// A tool, the command that stands for it, and what only it writes.
struct Tool {
    name: &'static str,
    command: &'static str,
    marks: LazyLock<RegexSet>,
}

macro_rules! tools {
    ($($constant:ident $tool:ident $name:literal $command:literal [$($mark:literal)+])+) => {$(
        static $tool: Tool = Tool {
            name: $name,
            command: $command,
            marks: LazyLock::new(|| RegexSet::new([$($mark),+]).expect("the expressions of this file compile, as the tests show")),
        };
        pub(super) const $constant: Format = Format {
            name: $name,
            is: Is::Head(|head| $tool.wrote(head)),
            open: |_| Opened::Lines(Box::new(Output::of(&$tool))),
        };
    )+};
}

tools! {
    PYTEST PYTEST_TOOL "pytest" "pytest" [
        r"(?m)^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+\r?$"
        r"(?m)^(?:=+ )?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?)(?:, \d+ \w+)* in \d[\d.]*s"
        r"(?m)^(?:FAILED|ERROR) \S+\.py(?:::|\s|$)"
    ]
    UNITTEST UNITTEST_TOOL "unittest" "python -m unittest" [
        r"(?m)^Ran \d+ tests? in \d[\d.]*s\r?$"
        r"(?m)^(?:FAIL|ERROR): \w+ \([\w.]+\)"
    ]
    CARGO CARGO_TOOL "cargo" "cargo test" [
        r"(?m)^test result: (?:ok|FAILED)\."
        r"(?m)^\s+(?:Compiling|Checking|Finished|Downloaded|Updating|Locking) \S"
        r"(?m)^error\[E\d{4}\]: "
        r"(?m)^error: (?:could not compile|aborting due to)"
    ]
    GO GO_TOOL "go" "go test ./..." [
        r"(?m)^\s*--- (?:FAIL|PASS|SKIP): \S+ \("
        r"(?m)^(?:ok  |FAIL|\?   )\t\S+"
        r"(?m)^=== RUN   "
    ]
    BUN BUN_TOOL "bun" "bun test" [
        r"(?m)^bun test v\d"
        r"(?m)^\((?:pass|fail)\) "
    ]
    VITEST VITEST_TOOL "vitest" "vitest run" [
        r"(?m)^\s*(?:RUN|DEV)\s+v\d+\.\d+\.\d+ "
        r"(?m)^\s*Test Files  "
    ]
    JEST JEST_TOOL "jest" "jest" [
        r"(?m)^(?:PASS|FAIL) \S+\.[cm]?[jt]sx?(?:\s|$)"
        r"(?m)^Test Suites: .* total"
        r"(?m)^Tests:\s+.* total"
    ]
    NODE NODE_TOOL "node" "node --test" [
        r"(?m)^Node\.js v\d+\."
        r"(?m)^\s+at .*\(node:internal/"
        r"(?m)^(?:#|ℹ) (?:tests|pass|fail) \d+\r?$"
        r"(?m)^(?:not )?ok \d+ - "
        r"(?m)^(?:Uncaught )?(?:Type|Reference|Range|Syntax)Error: [^\n]*\r?\n\s+at "
    ]
    TSC TSC_TOOL "tsc" "tsc" [
        r"(?m)^[^\n]+\(\d+,\d+\): error TS\d{3,5}: "
        r"(?m)^[^\n]+:\d+:\d+ - error TS\d{3,5}: "
        r"(?m)^error TS\d{3,5}: "
    ]
    NPM NPM_TOOL "npm" "npm ci" [
        r"(?m)^npm (?:ERR!|error|warn|WARN|notice) "
        r"(?m)^(?:added|changed|removed|audited) \d+ packages?"
        r"(?m)^> \S+@\d\S* \S+\r?$"
    ]
    GIT GIT_TOOL "git" "git" [
        r"(?m)^fatal: "
        r"(?m)^ ! \[(?:remote )?rejected\]"
        r"(?m)^error: (?:failed to push|pathspec|Your local changes)"
        r"(?m)^CONFLICT \("
        r"(?m)^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] "
        r"(?m)^On branch \S+\r?$"
        r"(?m)^To (?:https?://|ssh://|git@|\.\.?/|/)"
    ]
    PYTHON PYTHON_TOOL "python" "python" [
        r"(?m)^Traceback \(most recent call last\):"
    ]
    LINT LINT_TOOL "lint" "lint" [
        r"(?m)^\[lint\] "
        r"(?m)^\d+ issues[:.]"
        r"✖ \d+ problems? \("
        r"(?m)^[^\s:][^\n:]*:\d+(?::\d+)?(?: error)? MD\d{3}/"
        r"(?m)^\S[^\n:]*\.\w+:\d+:\d+: [^\n]+ \([a-z]{2,20}\)\r?$"
    ]
    SHELL SHELL_TOOL "shell" "sh" [
        r"^Exit code:? \d"
        r"^Chunk ID: \w+\r?\nWall time: "
    ]
}

impl Tool {
    /// Text that is JSON tells of a run, and is none.
    fn wrote(&self, head: &[u8]) -> bool {
        !head.trim_ascii_start().starts_with(b"{") && self.marks.is_match(head)
    }
}

struct Output {
    tool: &'static Tool,
    lines: u64,
    begin: String,
    end: VecDeque<String>,
    end_bytes: usize,
    left_out: bool,
}

impl Output {
    fn of(tool: &'static Tool) -> Self {
        Self { tool, lines: 0, begin: String::new(), end: VecDeque::new(), end_bytes: 0, left_out: false }
    }

    fn text(&mut self) -> String {
        let mut text = std::mem::take(&mut self.begin);
        if self.left_out {
            text.push_str("…\n");
        }
        self.end.drain(..).for_each(|line| text.push_str(&line));
        text
    }
}

impl LogReader for Output {
    fn keeps_space(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], _: &mut Transcript<'_>) -> LineResult {
        self.lines += 1;
        let cut = bytes.get(..bytes.len().min(MAX_KEPT_BYTES / 2)).unwrap_or_default();
        let line = String::from_utf8_lossy(cut).into_owned() + "\n";
        if self.end.is_empty() && self.begin.len() + line.len() <= MAX_KEPT_BYTES {
            self.begin.push_str(&line);
            return LineResult::Read;
        }
        self.end_bytes += line.len();
        self.end.push_back(line);
        while self.end_bytes > MAX_KEPT_BYTES {
            self.left_out = true;
            self.end_bytes -= self.end.pop_front().map_or(self.end_bytes, |line| line.len());
        }
        LineResult::Read
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        if self.lines == 0 {
            return;
        }
        let place = Place { time: None, session: out.file_session() };
        let call_id = Some("run");
        let line = std::mem::replace(&mut out.line, 1);
        out.start(&place, &Start { call_id, tool: self.tool.name, input: self.tool.command.into(), is_command: true });
        out.line = line;
        let text = self.text();
        let told_code = header_number(&text, &CODES);
        out.end(
            &place,
            &End { call_id, output: text.into(), told_code, codeless: true, untimed: true, ..End::default() },
        );
    }
}
