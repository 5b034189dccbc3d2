//! nanobot sessions (HKUDS/nanobot `nanobot/session/manager.py`): a metadata line, then messages in `OpenAI`'s form.
//!
//! Each save writes the whole file anew, so equal messages count once. Times are local and have no zone. There is no
//! error flag; a tool's failure is the text `Error: …`.

use std::sync::Arc;

use serde::Deserialize;

use super::content::{BoundedList, Text, lenient};
use super::openai::ToolCall;
use super::reported::{End, Origin};
use super::time::read_time;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};

pub(super) const FORMAT: Format = Format {
    name: "nanobot",
    recognise: Recognise::Line(recognises),
    open: |_| Opened::Lines(Box::<Nanobot>::default()),
};

fn recognises(line: &[u8]) -> bool {
    matches!(peek::string_field(line, "_type"), Some(b"metadata" | b"provider_state"))
}

#[derive(Default)]
struct Nanobot {
    session: Arc<str>,
    /// The part of the key before `:`, which names the source of messages.
    channel: Option<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default, rename = "_type")]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    key: Text<'a>,
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
}

impl LogReader for Nanobot {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        LineResult::of(self.take(bytes, out))
    }
}

impl Nanobot {
    fn take(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let line: Line<'_> = parse(bytes)?;
        if let Some(kind) = &line.kind {
            if kind.0 == "metadata" {
                self.session = out.session(&line.key.0);
                self.channel = line.key.0.split_once(':').map(|(channel, _)| channel.to_owned());
            }
            return Ok(());
        }
        let known =
            !line.timestamp.0.is_empty() && !out.shared.first_time(&[b"nanobot", self.session.as_bytes(), bytes]);
        if known {
            return Err(SkipReason::Duplicate);
        }
        let origin = Origin { time: read_time(&line.timestamp.0), session: self.session.clone() };
        match &*line.role.0 {
            "user" => out.message(&origin, true, self.channel.as_deref(), &line.content.0),
            "assistant" => {
                if !line.content.0.trim().is_empty() {
                    out.message(&origin, false, None, &line.content.0);
                }
                for call in line.tool_calls.iter().flat_map(|calls| calls.iter()) {
                    call.start(&origin, out);
                }
            }
            "tool" => {
                let output = &line.content.0;
                let end = End {
                    call_id: Some(&line.tool_call_id.0),
                    output: output.clone(),
                    failed_by_event: output.starts_with("Error: ") || output.starts_with("Error executing "),
                    text_exit_code: text_exit_code(output),
                    ..End::default()
                };
                out.end(&origin, &end);
            }
            "system" => {}
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }
}

/// The code in the last line `Exit code: N`, which the shell tool adds.
fn text_exit_code(output: &str) -> Option<i64> {
    output.trim_end().rsplit('\n').next()?.strip_prefix("Exit code: ")?.trim().parse().ok()
}
