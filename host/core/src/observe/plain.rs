//! Plain output of test runners, compilers and similar tools. A file is the result of one run of its tool.
//!
//! There is no command and no time. The tool is recognised by lines that only it prints, and only the output can be
//! judged. The start and the end of the file are kept, at most [`MAX_EDGE_BYTES`] each, because that is where summaries
//! are.

use std::collections::VecDeque;
use std::sync::LazyLock;

use regex::bytes::RegexSet;

use super::codex::{CODES, header_number};
use super::reported::{End, Origin, Start};
use super::{Format, LineResult, LogReader, Opened, Recognise, Transcript};

const MAX_EDGE_BYTES: usize = 128 * 1024;

/// A tool, a command that runs it, and expressions for lines that only it prints.
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
            recognise: Recognise::Head(|head| $tool.is_output(head)),
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
    /// Whether a text is output of this tool. JSON may contain such output but is not output itself.
    fn is_output(&self, head: &[u8]) -> bool {
        !head.trim_ascii_start().starts_with(b"{") && self.marks.is_match(head)
    }
}

struct Output {
    tool: &'static Tool,
    lines: u64,
    begin: String,
    end: VecDeque<String>,
    end_bytes: usize,
    truncated: bool,
}

impl Output {
    fn of(tool: &'static Tool) -> Self {
        Self { tool, lines: 0, begin: String::new(), end: VecDeque::new(), end_bytes: 0, truncated: false }
    }

    fn text(&mut self) -> String {
        let mut text = std::mem::take(&mut self.begin);
        if self.truncated {
            text.push_str("…\n");
        }
        self.end.drain(..).for_each(|line| text.push_str(&line));
        text
    }
}

impl LogReader for Output {
    fn space_matters(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], _: &mut Transcript<'_>) -> LineResult {
        self.lines += 1;
        let cut = bytes.get(..bytes.len().min(MAX_EDGE_BYTES / 2)).unwrap_or_default();
        let line = String::from_utf8_lossy(cut).into_owned() + "\n";
        if self.end.is_empty() && self.begin.len() + line.len() <= MAX_EDGE_BYTES {
            self.begin.push_str(&line);
            return LineResult::Read;
        }
        self.end_bytes += line.len();
        self.end.push_back(line);
        while self.end_bytes > MAX_EDGE_BYTES {
            self.truncated = true;
            self.end_bytes -= self.end.pop_front().map_or(self.end_bytes, |line| line.len());
        }
        LineResult::Read
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        if self.lines == 0 {
            return;
        }
        let origin = Origin { time: None, session: out.file_session() };
        let call_id = Some("run");
        let line = std::mem::replace(&mut out.line, 1);
        out.start(&origin, &Start { call_id, tool: self.tool.name, input: self.tool.command.into(), is_command: true });
        out.line = line;
        let text = self.text();
        let text_exit_code = header_number(&text, &CODES);
        out.end(
            &origin,
            &End { call_id, output: text.into(), text_exit_code, no_exit_codes: true, untimed: true, ..End::default() },
        );
    }
}
