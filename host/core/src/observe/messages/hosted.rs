//! Items of the Responses API for tools that have a form of their own. If the provider runs the tool, one item is the call
//! and its result.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::calls::Calls;
use crate::observe::content::{BoundedList, Text, lenient};
use crate::observe::input::read_input;
use crate::observe::langfuse::text_or_json;
use crate::observe::reported::{End, Origin, Start};
use crate::observe::{SkipReason, Transcript, parse};

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    call_id: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    operation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    queries: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    outputs: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Commands {
    commands: Vec<String>,
}

/// What one of the commands of a `shell_call` printed.
#[derive(Deserialize)]
struct Printed<'a> {
    #[serde(borrow, default)]
    stdout: Text<'a>,
    #[serde(borrow, default)]
    stderr: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    outcome: Option<Ended<'a>>,
}

#[derive(Deserialize)]
struct Ended<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
}

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow, default)]
    logs: Text<'a>,
}

/// Reports an item.
pub(super) fn take(
    bytes: &[u8],
    origin: &Origin,
    calls: &mut Calls,
    out: &mut Transcript<'_>,
) -> Result<(), SkipReason> {
    let item: Item<'_> = parse(bytes)?;
    let id = if item.call_id.0.is_empty() { &*item.id.0 } else { &*item.call_id.0 };
    match &*item.kind.0 {
        "shell_call" => {
            let commands = item.action.and_then(|raw| serde_json::from_str::<Commands>(raw.get()).ok());
            let input = commands.map_or(String::new(), |action| action.commands.join("\n")).into();
            out.start(origin, &Start { call_id: Some(id), tool: "shell", input, is_command: true });
        }
        "shell_call_output" => shell_output(&item, id, origin, out),
        "apply_patch_call" => start(id, "apply_patch", item.operation, origin, out),
        "apply_patch_call_output" => {
            let end = End::as_stated(Some(id), text_or_json(item.output), item.status.0 == "failed");
            out.end(origin, &end);
        }
        "computer_call" => start(id, "computer", item.action, origin, out),
        "computer_call_output" => out.end(origin, &End { call_id: Some(id), ..End::default() }),
        _ => whole(&item, id, origin, calls, out),
    }
    Ok(())
}

fn start(id: &str, tool: &str, input: Option<&RawValue>, origin: &Origin, out: &mut Transcript<'_>) {
    let input = text_or_json(input);
    out.start(origin, &Start { call_id: Some(id), tool, input, is_command: false });
}

fn shell_output(item: &Item<'_>, id: &str, origin: &Origin, out: &mut Transcript<'_>) {
    let parsed = item.output.and_then(|raw| serde_json::from_str::<BoundedList<Printed<'_>>>(raw.get()).ok());
    let printed = parsed.unwrap_or_default();
    let text = printed.iter().flat_map(|one| [&*one.stdout.0, &*one.stderr.0]).collect::<Vec<_>>().join("\n");
    let ended = || printed.iter().filter_map(|one| one.outcome.as_ref());
    let codes: Vec<i64> = ended().filter_map(|end| end.exit_code).collect();
    // The first command that failed stands for all.
    let exit_code = codes.iter().find(|code| **code != 0).or(codes.first()).copied();
    let timed_out = ended().any(|end| end.kind.0 == "timeout");
    let output = Cow::Owned(text.trim().to_owned());
    out.end(origin, &End { call_id: Some(id), output, flagged: timed_out, exit_code, ..End::default() });
}

/// Reports start and end of a call that the provider itself ran.
fn whole(item: &Item<'_>, id: &str, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
    let made = if id.is_empty() { calls.unique() } else { id.to_owned() };
    let tool = if item.name.0.is_empty() { item.kind.0.trim_end_matches("_call") } else { &*item.name.0 };
    let input = item.arguments.or(item.code).or(item.queries).or(item.action);
    let input = text_or_json(input);
    let read = read_input(&input);
    out.start(origin, &Start { call_id: Some(&made), tool, input: read.text, is_command: read.is_command });
    if matches!(&*item.status.0, "in_progress" | "incomplete" | "calling" | "interpreting" | "generating") {
        return;
    }
    let error = item.error.filter(|raw| raw.get() != "null");
    let logs = item.outputs.and_then(|raw| serde_json::from_str::<BoundedList<Log<'_>>>(raw.get()).ok());
    let output = match (error, logs) {
        (Some(error), _) => text_or_json(Some(error)),
        (None, Some(logs)) => logs.iter().map(|log| &*log.logs.0).collect::<Vec<_>>().join("\n").into(),
        (None, None) => text_or_json(item.output),
    };
    let flagged = error.is_some() || item.status.0 == "failed";
    let end = End::as_stated(Some(&made), output, flagged);
    out.end(origin, &end);
}
