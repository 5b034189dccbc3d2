//! aider's `.aider.chat.history.md` (Aider-AI/aider `aider/io.py`): `#### ` marks the user, `> ` marks output of the
//! tool itself, and everything else is the model. Only the start of a chat has a time.
//!
//! The tool's output is read for edits, lint and test runs, and errors of the model's provider. Edits and runs become
//! calls, provider errors become exceptions, and several retries in a row count once.

use std::sync::Arc;

use jiff::Timestamp;

use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::{TokenCounts, nano_of, number_of};
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript};

pub(super) const FORMAT: Format =
    Format { name: "aider", recognise: Recognise::Head(recognises), open: |_| Opened::Lines(Box::<Aider>::default()) };

const STARTED: &str = "# aider chat started at ";

/// Most bytes of one text of the user, the model or the tool. The rest is left out.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// What aider prints if it finds no edit in an answer that should have one.
const NO_EDIT: &str = "The LLM did not conform to the edit format";
/// What aider prints if it could not install something that it had asked for.
const FAILED_INSTALL: &str = "Error: Installation process exited with code: ";
/// Most errors that are taken from one message of aider.
const MAX_ERRORS: usize = 8;

/// Recognises the line that starts a chat. In a part of a file, recognises text of the user together with output of the
/// tool.
fn recognises(head: &[u8]) -> bool {
    let mut user = false;
    let mut tool = false;
    for line in head.split(|byte| *byte == b'\n') {
        if line.starts_with(STARTED.as_bytes()) {
            return true;
        }
        user |= line.starts_with(b"#### ");
        tool |= [&b"> Aider v"[..], b"> Applied edit to ", b"> Repo-map: ", b"> Tokens: "]
            .iter()
            .any(|start| line.starts_with(start));
    }
    user && tool
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Speaker {
    #[default]
    None,
    User,
    Tool,
    Model,
}

#[derive(Default)]
struct Aider {
    session: Arc<str>,
    time: Option<Timestamp>,
    speaker: Speaker,
    text: String,
    since: u64,
    calls: u64,
    /// The kind of error of the last exception, if there have only been retries since.
    retrying: Option<String>,
}

impl LogReader for Aider {
    fn space_matters(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let Ok(line) = std::str::from_utf8(bytes) else {
            return LineResult::Skipped(SkipReason::InvalidUtf8);
        };
        if let Some(time) = line.strip_prefix(STARTED) {
            self.flush(out);
            self.session = out.session(&format!("aider {}", time.trim()));
            self.time = read_time(time);
            return LineResult::Read;
        }
        let (speaker, text) = match line.strip_prefix("####") {
            Some(text) => (Speaker::User, text),
            None => match line.strip_prefix('>') {
                Some(text) => (Speaker::Tool, text),
                None => (Speaker::Model, line),
            },
        };
        // An empty line ends the tool's output. Within the model's answer it separates paragraphs.
        if line.is_empty() && self.speaker != Speaker::Model {
            self.flush(out);
        } else if !line.is_empty() || self.speaker == Speaker::Model {
            self.add_line(speaker, text.trim_end(), out);
        }
        LineResult::Read
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        self.flush(out);
    }
}

impl Aider {
    fn add_line(&mut self, speaker: Speaker, text: &str, out: &mut Transcript<'_>) {
        if speaker != self.speaker {
            self.flush(out);
            self.speaker = speaker;
            self.since = out.line;
        }
        if self.text.len() + text.len() < MAX_TEXT_BYTES {
            self.text.push_str(text.strip_prefix(' ').unwrap_or(text));
            self.text.push('\n');
        }
    }

    fn flush(&mut self, out: &mut Transcript<'_>) {
        let text = std::mem::take(&mut self.text);
        let speaker = std::mem::take(&mut self.speaker);
        let line = std::mem::replace(&mut out.line, self.since);
        let origin = Origin { time: self.time, session: self.session.clone() };
        let trimmed = text.trim();
        match speaker {
            Speaker::None => {}
            _ if trimmed.is_empty() => {}
            Speaker::User => {
                self.retrying = None;
                out.message(&origin, true, None, trimmed);
            }
            Speaker::Model => out.message(&origin, false, None, trimmed),
            Speaker::Tool => self.tool(trimmed, &origin, out),
        }
        out.line = line;
    }

    fn tool(&mut self, text: &str, origin: &Origin, out: &mut Transcript<'_>) {
        for report in text.lines().filter_map(|line| line.strip_prefix("Tokens: ")) {
            out.usage_for_newest(origin, used(report).usage_including_cache(), "");
        }
        let retries = text.contains("Retrying in ");
        let errors = provider_errors(text);
        for error in &errors {
            let kind = kind_of_error(error);
            // A retry that ends in another error is another incident.
            if !(retries && self.retrying.as_deref() == Some(kind)) {
                out.exception(origin, error);
            }
            self.retrying = retries.then(|| kind.to_owned());
        }
        if !errors.is_empty() {
            return;
        }
        self.retrying = self.retrying.take().filter(|_| retries);
        if let Some(mismatch) =
            text.lines().find(|line| line.contains("SEARCH/REPLACE block") && line.contains("failed to match"))
        {
            self.call("edit", mismatch, text, true, origin, out);
        } else if let Some(refusal) = text.lines().find(|line| line.starts_with(NO_EDIT)) {
            self.call("edit", "", refusal, true, origin, out);
        }
        if text.lines().any(|line| line.starts_with(FAILED_INSTALL)) {
            let asked = text.lines().find_map(|line| line.strip_prefix("Install ")?.split('?').next());
            self.call("install", asked.unwrap_or_default(), text, true, origin, out);
        }
        for line in text.lines() {
            if let Some(file) = line.strip_prefix("Applied edit to ") {
                self.call("edit", file.trim(), line, false, origin, out);
            }
        }
        if let Some(run) = report_subject(text) {
            let failed = text.lines().any(is_failed_hook);
            self.call("run", run, text, failed, origin, out);
        }
    }

    fn call(
        &mut self,
        tool: &str,
        input: &str,
        output: &str,
        flagged: bool,
        origin: &Origin,
        out: &mut Transcript<'_>,
    ) {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let call_id = Some(&*id);
        out.start(origin, &Start { call_id, tool, input: input.into(), is_command: false });
        out.end(origin, &End { call_id, output: output.into(), flagged, untimed: true, ..End::default() });
    }
}

/// The usage in a line such as `12k sent, 3k cache hit, 1,204 received. Cost: $0.02 message, $0.12 session.` Numbers
/// from a thousand on are rounded.
fn used(report: &str) -> TokenCounts {
    let (tokens, cost) = report.split_once(" Cost: $").unwrap_or((report, ""));
    let mut used = TokenCounts { cost: cost.split(' ').next().and_then(nano_of), ..TokenCounts::default() };
    for part in tokens.trim_end_matches('.').split(", ") {
        let (number, what) = part.split_once(' ').unwrap_or_default();
        let slot = match what {
            "sent" => &mut used.input,
            "received" => &mut used.output,
            "cache hit" => &mut used.cache_read,
            "cache write" => &mut used.cache_write,
            _ => continue,
        };
        let plain = number.replace(',', "");
        *slot = match plain.strip_suffix('k') {
            Some(thousands) => number_of(&format!("{thousands}e3")),
            None => number_of(&plain),
        };
    }
    used
}

/// The lines that report errors of the model's provider, one for each kind of error in a row.
fn provider_errors(text: &str) -> Vec<&str> {
    let named = |line: &&str| {
        let start = kind_of_error(line);
        (start.starts_with("litellm.") || start.starts_with("openai."))
            && ["Error", "Exception", "Timeout"].iter().any(|end| start.ends_with(end))
    };
    let mut errors: Vec<&str> = text.lines().filter(named).collect();
    errors.dedup_by_key(|line| kind_of_error(line));
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() {
        let other = |line: &&str| line.starts_with("Unexpected error: ") || line.starts_with("Retrying in ");
        errors.extend(text.lines().find(other));
    }
    errors
}

/// `litellm.RateLimitError` in the line that reports it.
fn kind_of_error(line: &str) -> &str {
    line.split([':', ' ']).next().unwrap_or_default()
}

/// The command of a report. One that names none, and has results of hooks, is of pre-commit, which prints these.
fn report_subject(text: &str) -> Option<&str> {
    let run = text.lines().find_map(|line| line.strip_prefix("## Running: ").or_else(|| line.strip_prefix("Running ")));
    let is_result = |line: &str| line.contains("....") && (line.ends_with("Failed") || line.ends_with("Passed"));
    run.or_else(|| text.lines().any(is_result).then_some("pre-commit"))
}

/// Whether a line is `flake8.....Failed`, or the `- exit code: N` below it.
fn is_failed_hook(line: &str) -> bool {
    let line = line.trim_end();
    (line.contains("....") && line.ends_with("Failed"))
        || line.strip_prefix("- exit code: ").is_some_and(|code| code != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_of_the_command_that_it_names_or_of_the_runner_of_hooks() {
        for (text, expected) in [
            ("isort.......Passed\nflake8......Failed\n- hook id: flake8", Some("pre-commit")),
            ("## Running: lint.sh a.py\nisort.......Passed", Some("lint.sh a.py")),
            ("Running pytest\n1 failed", Some("pytest")),
            ("Loading....\nFailed", None),
            ("isort.. Failed", None),
            ("", None),
        ] {
            assert_eq!(report_subject(text), expected, "{text}");
        }
    }
}
