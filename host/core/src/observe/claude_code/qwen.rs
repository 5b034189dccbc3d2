//! Sessions of Qwen Code (QwenLM/qwen-code `chatRecordingService.ts`): lines with the keys of Claude Code's, whose messages have
//! Gemini's parts, and lines `tool_result` that say how a call ended.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::observe::content::{BoundedList, Text, lenient};
use crate::observe::gemini_result::{Answer, Part, Printed, printed};
use crate::observe::reported::{End, Origin};
use crate::observe::time::read_time;
use crate::observe::usage::TokenCounts;
use crate::observe::{LineResult, SkipReason, Transcript, openai, parse, peek};
use crate::outcome::Ending;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, default)]
    uuid: Text<'a>,
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    subtype: Text<'a>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow)]
    message: Message<'a>,
    #[serde(borrow, default)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_call_result: Option<Ended<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    parts: BoundedList<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended<'a> {
    #[serde(borrow, default)]
    call_id: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    result_display: Text<'a>,
}

/// Whether a line of a session is one of these.
pub(super) fn is_line(line: &[u8]) -> bool {
    peek::value_field(line, "message").is_some_and(|message| peek::value_field(message, "parts").is_some())
}

/// Reads one line for which [`is_line`] holds.
pub(super) fn take(bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
    LineResult::of(parse::<Line<'_>>(bytes).and_then(|line| report(&line, out)))
}

fn report(line: &Line<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    if !line.uuid.0.is_empty() && !out.shared.first_time(&[b"qwen-code", line.uuid.0.as_bytes()]) {
        return Err(SkipReason::Duplicate);
    }
    let origin = Origin { time: read_time(&line.timestamp.0), session: out.session(&line.session_id.0) };
    let inbound = line.kind.0 == "user";
    if !inbound {
        out.usage_for_next(&origin, TokenCounts::read(line.usage_metadata).usage_including_cache(), &line.model.0);
    }
    for part in line.message.parts.iter() {
        if let Some(call) = &part.function_call {
            openai::start(&call.id.0, &call.name.0, call.args, &origin, out);
        } else if let Some(answer) = &part.function_response {
            end(answer, line.tool_call_result.as_ref(), &origin, out);
        } else if part.thought != Some(true) && !part.text.0.trim().is_empty() && line.kind.0 != "tool_result" {
            // A notice and a prompt on a schedule are written in the user's role.
            let channel = (inbound && !line.subtype.0.is_empty()).then_some("harness");
            out.message(&origin, inbound, channel, &part.text.0);
        }
    }
    Ok(())
}

fn end(answer: &Answer<'_>, ended: Option<&Ended<'_>>, origin: &Origin, out: &mut Transcript<'_>) {
    let id = Some(&*answer.id.0).filter(|id| !id.is_empty()).or(ended.map(|ended| &*ended.call_id.0));
    let status = ended.map_or("", |ended| &*ended.status.0);
    let (said, is_error) = answer.text();
    let said = match ended {
        Some(ended) if said.is_empty() => Cow::Borrowed(&*ended.result_display.0),
        _ => said,
    };
    let Printed { output, exit_code, ending } = printed(&said);
    let ending = if status == "cancelled" { Ending::Stopped } else { ending };
    let end = End { call_id: id, output, text_exit_code: exit_code, ending, ..End::default() };
    out.end(origin, &End { tool: Some(&answer.name.0), flagged: is_error || status == "error", ..end });
}
