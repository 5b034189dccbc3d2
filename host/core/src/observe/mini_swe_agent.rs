//! mini-swe-agent trajectories (`*.traj.json`, SWE-agent/mini-swe-agent `docs/usage/output_files.md`): a bare list of
//! messages, later a document with `messages`.
//!
//! A call is the command in an answer's code block (or tool call); its result is the next message, with the exit code
//! in `<returncode>`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Few, Text, loose};
use super::document::Path;
use super::openai::ToolCall;
use super::time::since_1970;
use super::transcript::{End, Place, Start};
use super::usage::Told;
use super::{Format, Is, LineResult, LogReader, Opened, SkipReason, Transcript, parse, peek};
use crate::run_event::Usage;

pub(super) const FORMAT: Format = Format {
    name: "mini-swe-agent",
    is: Is::Head(is),
    open: |_| Opened::Document(PATHS, Box::<MiniSweAgent>::default()),
};

const PATHS: &[Path] = &[&["*"], &["messages", "*"], &["info", "exit_status"], &["info", "model_stats"]];
const EXIT_STATUS: usize = 2;
const MODEL_STATS: usize = 3;

fn is(head: &[u8]) -> bool {
    const MARKS: [&[u8]; 4] = [b"<returncode>", b"mini-swe-agent", b"\"mini_version\"", b"mswea_"];
    let is_list = head.trim_ascii_start().starts_with(b"[");
    let messages = || is_list || peek::fields(head).any(|(key, _)| key == b"messages" || key == b"trajectory_format");
    let marked = MARKS.iter().any(|mark| memchr::memmem::find(head, mark).is_some());
    marked && messages() && memchr::memmem::find(head, b"\"role\"").is_some()
}

#[derive(Default)]
struct MiniSweAgent {
    calls: u64,
    /// Calls whose result is still to come, in order.
    waiting: std::collections::VecDeque<String>,
    began: bool,
    /// What the answers so far told that they cost.
    told: Usage,
    /// Whether the document told what all of them cost.
    total_told: bool,
}

/// Most calls of one answer.
const MAX_WAITING: usize = 64;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default, deserialize_with = "loose")]
    tool_calls: Option<Few<ToolCall<'a>>>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "loose")]
    extra: Option<Extra<'a>>,
}

#[derive(Deserialize)]
struct Extra<'a> {
    #[serde(borrow, default)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cost: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "loose")]
    response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

impl LogReader for MiniSweAgent {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let session = out.file_session();
        if path == EXIT_STATUS {
            return LineResult::of(parse::<Text<'_>>(bytes).map(|status| {
                if !matches!(&*status.0, "" | "Submitted" | "submitted") {
                    out.exception(&Place { time: None, session }, &format!("run ended with {}", status.0));
                }
            }));
        }
        if path == MODEL_STATS {
            let place = Place { time: None, session };
            return LineResult::of(parse(bytes).map(|stats| self.total(Told::read(Some(stats)).apart(), &place, out)));
        }
        LineResult::of(self.message(bytes, Place { time: None, session }, out))
    }
}

impl MiniSweAgent {
    fn message(&mut self, bytes: &[u8], mut place: Place, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let message: Message<'_> = parse(bytes)?;
        let time = message.extra.as_ref().and_then(|extra| extra.timestamp);
        place.time = time.and_then(|raw| since_1970(raw, 1));
        match &*message.role.0 {
            "system" => {}
            "assistant" => self.answer(&message, &place, out),
            "user" | "tool" | "exit" => self.result(&message, &place, out),
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }

    /// What the whole run cost counts as far as no answer told of it.
    fn total(&mut self, total: Usage, place: &Place, out: &mut Transcript<'_>) {
        self.total_told = true;
        out.has_spent(place, total.beyond(&self.told), "");
    }

    fn answer(&mut self, message: &Message<'_>, place: &Place, out: &mut Transcript<'_>) {
        if let Some(extra) = &message.extra {
            let response = extra.response.as_ref();
            let told = Told::read(response.and_then(|response| response.usage)).costing(extra.cost).whole();
            self.told.add(&told);
            let cost_nano_usd = told.cost_nano_usd.filter(|_| !self.total_told);
            out.spends(place, Usage { cost_nano_usd, ..told }, response.map_or("", |response| &response.model.0));
        }
        self.began = true;
        if !message.content.0.trim().is_empty() {
            out.message(place, false, None, &message.content.0);
        }
        for call in message.tool_calls.iter().flat_map(|calls| calls.iter()) {
            self.wait_for(&call.id.0);
            call.start(place, out);
        }
        if message.tool_calls.as_ref().is_none_or(|calls| calls.is_empty())
            && let Some(command) = code_block(&message.content.0)
        {
            self.calls += 1;
            let id = format!("step-{}", self.calls);
            self.wait_for(&id);
            out.start(place, &Start { call_id: Some(&id), tool: "bash", input: command.into(), is_command: true });
        }
    }

    fn wait_for(&mut self, id: &str) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(id.to_owned());
        }
    }

    fn result(&mut self, message: &Message<'_>, place: &Place, out: &mut Transcript<'_>) {
        let text = &message.content.0;
        let named = Some(&*message.tool_call_id.0).filter(|id| !id.is_empty());
        let id = match named {
            Some(id) => {
                self.waiting.retain(|waiting| waiting != id);
                Some(id.to_owned())
            }
            None => self.waiting.pop_front(),
        };
        let Some(id) = id else {
            let channel = self.began.then_some("harness");
            return out.message(place, true, channel, text);
        };
        let exit_code = between(text, "<returncode>", "</returncode>").and_then(|code| code.trim().parse().ok());
        let output =
            between(text, "<output>", "</output>").or_else(|| between(text, "<output_head>", "</output_tail>"));
        let timed_out =
            text.contains("timed out and has been killed") || text.starts_with("The last command <command>");
        let output = output.filter(|_| exit_code.is_some()).unwrap_or(text).trim_matches('\n').into();
        out.end(place, &End { call_id: Some(&id), output, flagged: timed_out, exit_code, ..End::default() });
    }
}

/// The command in the last fenced block.
fn code_block(text: &str) -> Option<&str> {
    let blocks = text.match_indices("```").map(|(at, _)| at).collect::<Vec<_>>();
    let (open, close) = match *blocks.as_slice() {
        [.., open, close] if blocks.len() % 2 == 0 => (open, close),
        _ => return None,
    };
    let block = text.get(open + 3..close)?;
    let (language, command) = block.split_once('\n')?;
    matches!(language.trim(), "" | "bash" | "sh" | "shell" | "mswea_bash_command").then(|| command.trim())
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.rsplit_once(close).map(|(inner, _)| inner)
}
