//! Calls in the stream of Cursor's command line agent. It writes the lines of Claude Code's stream, but each call is a
//! line of its own when it starts and when it has ended:
//! `{"type":"tool_call","subtype":"started","call_id":…,"tool_call":{"shellToolCall":{"args":{…},"result":{…}}}}`.
//! Its shapes are not published; this follows streams that others recorded in 2026.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::observe::content::{Text, lenient};
use crate::observe::input::read_input;
use crate::observe::reported::{End, Origin, Start};
use crate::observe::{LineResult, SkipReason, Transcript, parse};
use crate::outcome::Ending;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    subtype: Text<'a>,
    #[serde(borrow, default)]
    call_id: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_call: Option<Called<'a>>,
}

/// The tool: the member with its name among others about time and hooks.
struct Called<'a> {
    name: Cow<'a, str>,
    tool: &'a RawValue,
}

#[derive(Deserialize)]
struct Tool<'a> {
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    /// Of a tool that Cursor itself has no type for.
    #[serde(borrow, default)]
    arguments: Option<Text<'a>>,
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    result: Option<Ended<'a>>,
}

/// How it ended: `success`, `failure`, `error`, `rejected` and others, and what belongs to that.
struct Ended<'a> {
    ending: Cow<'a, str>,
    content: &'a RawValue,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
    #[serde(borrow, default)]
    stdout: Text<'a>,
    #[serde(borrow, default)]
    stderr: Text<'a>,
    #[serde(borrow, default)]
    reason: Text<'a>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(borrow, default)]
    error_message: Text<'a>,
}

/// Reads one line, and reports the start or the end of its call.
pub(super) fn take(bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
    LineResult::of(parse::<Line<'_>>(bytes).and_then(|line| report(&line, out)))
}

fn report(line: &Line<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    let called = line.tool_call.as_ref().ok_or(SkipReason::UnknownType)?;
    let tool: Tool<'_> = parse(called.tool.get().as_bytes())?;
    let origin = Origin { time: None, session: out.session(&line.session_id.0) };
    let call_id = line.call_id.as_ref().map(|id| &*id.0);
    let name = tool.name.as_ref().map_or(&*called.name, |name| &name.0);
    match &*line.subtype.0 {
        "started" => {
            let arguments = tool.arguments.as_ref().map(|text| &*text.0);
            let input = read_input(arguments.or(tool.args.map(RawValue::get)).unwrap_or_default());
            out.start(&origin, &Start { call_id, tool: name, input: input.text, is_command: input.is_command });
        }
        "completed" => out.end(&origin, &end(call_id, name, tool.result.as_ref())),
        _ => return Err(SkipReason::UnknownType),
    }
    Ok(())
}

fn end<'a>(call_id: Option<&'a str>, name: &'a str, result: Option<&Ended<'a>>) -> End<'a> {
    let Some(result) = result else { return End { call_id, tool: Some(name), ..End::default() } };
    let raw = result.content.get();
    let content: Content<'_> = serde_json::from_str(raw).unwrap_or_default();
    let said =
        [&content.reason.0, &content.error.0, &content.error_message.0].into_iter().find(|said| !said.is_empty());
    let printed = !content.stdout.0.is_empty() || !content.stderr.0.is_empty() || content.exit_code.is_some();
    let output = match (said, &*content.stdout.0, &*content.stderr.0) {
        (Some(said), ..) if !printed => Cow::Owned(said.clone().into_owned()),
        _ if !printed => Cow::Borrowed(raw),
        (_, stdout, "") => Cow::Owned(stdout.to_owned()),
        (_, stdout, stderr) => Cow::Owned(format!("{stdout}{stderr}")),
    };
    let stopped = matches!(&*result.ending, "rejected" | "cancelled" | "canceled" | "aborted");
    let ending = if stopped { Ending::Stopped } else { Ending::Returned };
    let flagged = result.ending != "success";
    End { call_id, tool: Some(name), output, flagged, exit_code: content.exit_code, ending, ..End::default() }
}

impl<'de: 'a, 'a> Deserialize<'de> for Called<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_tool = |key: &str| key == "function" || key.ends_with("ToolCall");
        let (name, tool) = deserializer.deserialize_map(Member(is_tool))?;
        let name = match name {
            Cow::Borrowed(name) => Cow::Borrowed(name.strip_suffix("ToolCall").unwrap_or(name)),
            Cow::Owned(name) => Cow::Owned(name.strip_suffix("ToolCall").unwrap_or(&name).to_owned()),
        };
        Ok(Self { name, tool })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Ended<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (ending, content) = deserializer.deserialize_map(Member(|_: &str| true))?;
        Ok(Self { ending, content })
    }
}

/// The first member of an object whose name is asked for.
struct Member<F>(F);

impl<'de, F: Fn(&str) -> bool> Visitor<'de> for Member<F> {
    type Value = (Cow<'de, str>, &'de RawValue);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the name of a tool or of an ending")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            if found.is_none() && (self.0)(&key) {
                found = Some((key, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        found.ok_or_else(|| serde::de::Error::custom("no such member"))
    }
}
