//! mini-swe-agent trajectories (`*.traj.json`, SWE-agent/mini-swe-agent `docs/usage/output_files.md`): a list of
//! messages, in later versions a document with `messages`.
//!
//! A call is the command in an answer's code block (or tool call). The next message is its result, with the exit code
//! in `<returncode>`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{BoundedList, Text, lenient};
use super::document::Path;
use super::openai::ToolCall;
use super::reported::{End, Origin, Start};
use super::time::since_1970;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::run_event::Usage;

pub(super) const FORMAT: Format = Format {
    name: "mini-swe-agent",
    recognise: Recognise::Head(recognises),
    open: |_| Opened::Document(PATHS, Box::<MiniSweAgent>::default()),
};

const PATHS: &[Path] = &[&["*"], &["messages", "*"], &["info", "exit_status"], &["info", "model_stats"]];
const EXIT_STATUS: usize = 2;
const MODEL_STATS: usize = 3;

fn recognises(head: &[u8]) -> bool {
    const MARKS: [&[u8]; 4] = [b"<returncode>", b"mini-swe-agent", b"\"mini_version\"", b"mswea_"];
    let is_list = head.trim_ascii_start().starts_with(b"[");
    let messages = || is_list || peek::fields(head).any(|(key, _)| key == b"messages" || key == b"trajectory_format");
    let marked = MARKS.iter().any(|mark| memchr::memmem::find(head, mark).is_some());
    marked && messages() && memchr::memmem::find(head, b"\"role\"").is_some()
}

#[derive(Default)]
struct MiniSweAgent {
    calls: u64,
    /// Calls without a result, in order.
    pending: std::collections::VecDeque<String>,
    started: bool,
    /// The usage that answers have reported so far.
    reported: Usage,
    /// Whether the document has reported the usage of the whole run.
    total_reported: bool,
}

/// Most calls of one answer.
const MAX_PENDING: usize = 64;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    extra: Option<Extra<'a>>,
}

#[derive(Deserialize)]
struct Extra<'a> {
    #[serde(borrow, default)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cost: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
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
                    out.exception(&Origin { time: None, session }, &format!("run ended with {}", status.0));
                }
            }));
        }
        if path == MODEL_STATS {
            let origin = Origin { time: None, session };
            return LineResult::of(
                parse(bytes)
                    .map(|stats| self.total(TokenCounts::read(Some(stats)).usage_excluding_cache(), &origin, out)),
            );
        }
        LineResult::of(self.message(bytes, Origin { time: None, session }, out))
    }
}

impl MiniSweAgent {
    fn message(&mut self, bytes: &[u8], mut origin: Origin, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let message: Message<'_> = parse(bytes)?;
        let time = message.extra.as_ref().and_then(|extra| extra.timestamp);
        origin.time = time.and_then(|raw| since_1970(raw, 1));
        match &*message.role.0 {
            "system" => {}
            "assistant" => self.answer(&message, &origin, out),
            "user" | "tool" | "exit" => self.result(&message, &origin, out),
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }

    /// Counts the part of the whole run's usage that no answer has reported.
    fn total(&mut self, total: Usage, origin: &Origin, out: &mut Transcript<'_>) {
        self.total_reported = true;
        out.usage_for_newest(origin, total.beyond(&self.reported), "");
    }

    fn answer(&mut self, message: &Message<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        if let Some(extra) = &message.extra {
            let response = extra.response.as_ref();
            let reported = TokenCounts::read(response.and_then(|response| response.usage))
                .with_cost(extra.cost)
                .usage_including_cache();
            self.reported.add(&reported);
            let cost_nano_usd = reported.cost_nano_usd.filter(|_| !self.total_reported);
            out.usage_for_next(
                origin,
                Usage { cost_nano_usd, ..reported },
                response.map_or("", |response| &response.model.0),
            );
        }
        self.started = true;
        if !message.content.0.trim().is_empty() {
            out.message(origin, false, None, &message.content.0);
        }
        for call in message.tool_calls.iter().flat_map(|calls| calls.iter()) {
            self.add_pending(&call.id.0);
            call.start(origin, out);
        }
        if message.tool_calls.as_ref().is_none_or(|calls| calls.is_empty())
            && let Some(command) = code_block(&message.content.0)
        {
            self.calls += 1;
            let id = format!("step-{}", self.calls);
            self.add_pending(&id);
            out.start(origin, &Start { call_id: Some(&id), tool: "bash", input: command.into(), is_command: true });
        }
    }

    fn add_pending(&mut self, id: &str) {
        if self.pending.len() < MAX_PENDING {
            self.pending.push_back(id.to_owned());
        }
    }

    fn result(&mut self, message: &Message<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let text = &message.content.0;
        let named = Some(&*message.tool_call_id.0).filter(|id| !id.is_empty());
        let id = match named {
            Some(id) => {
                self.pending.retain(|pending| pending != id);
                Some(id.to_owned())
            }
            None => self.pending.pop_front(),
        };
        let is_format_error = self.started && is_format_error(text);
        let Some(id) = id else {
            if is_format_error {
                return out.exception(origin, text);
            }
            let channel = self.started.then_some("harness");
            return out.message(origin, true, channel, text);
        };
        let exit_code = between(text, "<returncode>", "</returncode>").and_then(|code| code.trim().parse().ok());
        let output =
            between(text, "<output>", "</output>").or_else(|| between(text, "<output_head>", "</output_tail>"));
        let timed_out =
            text.contains("timed out and has been killed") || text.starts_with("The last command <command>");
        let output = output.filter(|_| exit_code.is_some()).unwrap_or(text).trim_matches('\n');
        let output = exit_code.map_or(output, |code| without_code(output, code)).into();
        let flagged = timed_out || is_format_error && exit_code.is_none();
        out.end(origin, &End { call_id: Some(&id), output, flagged, exit_code, ..End::default() });
    }
}

/// Whether the harness says that an answer had no call, or more than one, so that nothing ran.
fn is_format_error(text: &str) -> bool {
    const SAYS: [&str; 3] = ["exactly one action", "exactly one tool call", "no tool calls found"];
    let first = text.trim_start().lines().next().unwrap_or_default().to_ascii_lowercase();
    SAYS.iter().any(|says| first.contains(says))
}

/// The output without the line that some environments add for a code other than 0: `CommandExecError: 1`. The last line of
/// a traceback is an error of the program, whatever its number.
fn without_code(output: &str, code: i64) -> &str {
    let (before, last) = output.rsplit_once('\n').unwrap_or(("", output));
    if before.contains("Traceback (most recent call last)") && !last.starts_with("CommandExecError") {
        return output;
    }
    let said = last.trim().split_once("Error: ").map(|(name, said)| (name.contains(' '), said.parse()));
    if said == Some((false, Ok(code))) { before.trim_end_matches('\n') } else { output }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_call_is_an_error_of_its_format() {
        for (text, expected) in [
            ("Please always provide EXACTLY ONE action in triple backticks, found 0 actions.\n\nMore", true),
            ("Tool call error: No tool calls found in the response.", true),
            ("<returncode>0</returncode>\n<output>\nexactly one action\n</output>", false),
            ("Go on with one action.", false),
            ("", false),
        ] {
            assert_eq!(is_format_error(text), expected, "{text}");
        }
    }

    #[test]
    fn an_exit_code_at_the_end_of_an_output_is_no_part_of_it() {
        for (output, code, expected) in [
            ("grep: a: No such file\nCommandExecError: 2", 2, "grep: a: No such file"),
            ("CommandExecError: 1", 1, ""),
            ("CommandExecError: 1", 2, "CommandExecError: 1"),
            ("KeyError: 'a'", 1, "KeyError: 'a'"),
            ("fatal Error: 1", 1, "fatal Error: 1"),
            (
                "Traceback (most recent call last):\n  f(1)\nKeyError: 1",
                1,
                "Traceback (most recent call last):\n  f(1)\nKeyError: 1",
            ),
            (
                "Traceback (most recent call last):\n  f(1)\nKeyError: 1\nCommandExecError: 1",
                1,
                "Traceback (most recent call last):\n  f(1)\nKeyError: 1",
            ),
            ("", 0, ""),
        ] {
            assert_eq!(without_code(output, code), expected, "{output}");
        }
    }
}
