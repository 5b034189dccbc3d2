//! aider's `.aider.chat.history.md` (Aider-AI/aider `aider/io.py`): `#### ` is the person, `> ` is what the tool itself
//! printed, all else is the model. Only the start of a chat has a time.
//!
//! What the tool printed is read as far as it reports an edit, a lint or test run, or an error of the model's provider:
//! edits and runs are calls, provider errors are exceptions, several retries in a row are one.

use std::sync::Arc;

use jiff::Timestamp;

use super::time::read_time;
use super::transcript::{End, Place, Start};
use super::usage::{Told, nano_of, number_of};
use super::{Format, Is, LineResult, LogReader, Opened, SkipReason, Transcript};

pub(super) const FORMAT: Format =
    Format { name: "aider", is: Is::Head(is), open: |_| Opened::Lines(Box::<Aider>::default()) };

const STARTED: &str = "# aider chat started at ";

/// Most bytes of one person's, model's or tool's text; what is beyond is left out.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The line that starts a chat; or, in a part of a file, both what the person and what the tool said, in aider's words.
fn is(head: &[u8]) -> bool {
    let mut person = false;
    let mut tool = false;
    for line in head.split(|byte| *byte == b'\n') {
        if line.starts_with(STARTED.as_bytes()) {
            return true;
        }
        person |= line.starts_with(b"#### ");
        tool |= [&b"> Aider v"[..], b"> Applied edit to ", b"> Repo-map: ", b"> Tokens: "]
            .iter()
            .any(|start| line.starts_with(start));
    }
    person && tool
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Speaker {
    #[default]
    Nobody,
    Person,
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
    /// Nothing but retries since the last exception.
    retrying: bool,
}

impl LogReader for Aider {
    fn keeps_space(&self) -> bool {
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
            Some(text) => (Speaker::Person, text),
            None => match line.strip_prefix('>') {
                Some(text) => (Speaker::Tool, text),
                None => (Speaker::Model, line),
            },
        };
        // A gap ends what the tool says; within the model's answer it is a paragraph.
        if line.is_empty() && self.speaker != Speaker::Model {
            self.flush(out);
        } else if !line.is_empty() || self.speaker == Speaker::Model {
            self.say(speaker, text.trim_end(), out);
        }
        LineResult::Read
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        self.flush(out);
    }
}

impl Aider {
    fn say(&mut self, speaker: Speaker, text: &str, out: &mut Transcript<'_>) {
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
        let place = Place { time: self.time, session: self.session.clone() };
        let said = text.trim();
        match speaker {
            Speaker::Nobody => {}
            _ if said.is_empty() => {}
            Speaker::Person => out.message(&place, true, None, said),
            Speaker::Model => out.message(&place, false, None, said),
            Speaker::Tool => self.tool(said, &place, out),
        }
        out.line = line;
    }

    fn tool(&mut self, text: &str, place: &Place, out: &mut Transcript<'_>) {
        for told in text.lines().filter_map(|line| line.strip_prefix("Tokens: ")) {
            out.has_spent(place, used(told).whole(), "");
        }
        let retries = text.contains("Retrying in ");
        if let Some(error) = provider_error(text) {
            if !(retries && self.retrying) {
                out.exception(place, error);
            }
            self.retrying = retries;
            return;
        }
        self.retrying = self.retrying && retries;
        if let Some(mismatch) =
            text.lines().find(|line| line.contains("SEARCH/REPLACE block") && line.contains("failed to match"))
        {
            self.call("edit", mismatch, text, true, place, out);
        }
        for line in text.lines() {
            if let Some(file) = line.strip_prefix("Applied edit to ") {
                self.call("edit", file.trim(), line, false, place, out);
            }
        }
        if let Some(run) = ran(text) {
            let failed = text.lines().any(is_failed_hook);
            self.call("run", run, text, failed, place, out);
        }
    }

    fn call(&mut self, tool: &str, input: &str, output: &str, flagged: bool, place: &Place, out: &mut Transcript<'_>) {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let call_id = Some(&*id);
        out.start(place, &Start { call_id, tool, input: input.into(), is_command: false });
        out.end(place, &End { call_id, output: output.into(), flagged, untimed: true, ..End::default() });
    }
}

/// What an answer used, of `12k sent, 3k cache hit, 1,204 received. Cost: $0.02 message, $0.12 session.`: numbers are
/// rounded from a thousand on.
fn used(told: &str) -> Told {
    let (tokens, cost) = told.split_once(" Cost: $").unwrap_or((told, ""));
    let mut used = Told { cost: cost.split(' ').next().and_then(nano_of), ..Told::default() };
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

/// The line with which an error of the model's provider is reported.
fn provider_error(text: &str) -> Option<&str> {
    let named = |line: &&str| {
        let start = line.split([':', ' ']).next().unwrap_or_default();
        (start.starts_with("litellm.") || start.starts_with("openai."))
            && (start.ends_with("Error") || start.ends_with("Exception"))
    };
    text.lines().find(named).or_else(|| {
        text.lines().find(|line| line.starts_with("Unexpected error: ") || line.starts_with("Retrying in "))
    })
}

/// What a report of hooks or of a command is about.
fn ran(text: &str) -> Option<&str> {
    let run = text.lines().find_map(|line| line.strip_prefix("## Running: ").or_else(|| line.strip_prefix("Running ")));
    run.or_else(|| {
        text.lines().find(|line| line.contains("....") && (line.ends_with("Failed") || line.ends_with("Passed")))
    })
}

/// `flake8.....Failed`, or `- exit code: N` below it.
fn is_failed_hook(line: &str) -> bool {
    let line = line.trim_end();
    (line.contains("....") && line.ends_with("Failed"))
        || line.strip_prefix("- exit code: ").is_some_and(|code| code != "0")
}
