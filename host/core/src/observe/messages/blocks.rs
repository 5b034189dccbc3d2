//! The parts of a message's content in their different forms.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::calls::Calls;
use super::ended::{Ran, Shown};
use super::goose;
use crate::observe::blocks::Block;
use crate::observe::content::{BoundedList, Text, lenient};
use crate::observe::gemini_result;
use crate::observe::langfuse::text_or_json;
use crate::observe::openai;
use crate::observe::peek;
use crate::observe::reported::Origin;
use crate::observe::{SkipReason, Transcript};

/// Members of which a part of Gemini's API has one, if it is a call or a result. Its parts have no type.
const OF_GEMINI: [&str; 4] = ["functionCall", "functionResponse", "function_call", "function_response"];

/// A part of a content.
pub(super) enum Part<'a> {
    Text(Cow<'a, str>),
    /// A call or a result in Anthropic's form.
    Block(Block<'a>),
    /// As in the AI SDK, or without a type as in `AutoGen`.
    Call(Called<'a>),
    Result(Returned<'a>),
    /// As in Goose.
    Goose(goose::Part<'a>),
    /// A result as in Amp.
    Ran(Ran<'a>),
    /// As in Gemini's API.
    Gemini(gemini_result::Part<'a>),
    /// A call with its result, as the AI SDK shows it.
    Shown(Shown<'a>),
}

/// A call that is a part.
#[derive(Deserialize)]
pub(super) struct Called<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default, rename = "toolCallId")]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default, rename = "toolName")]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

/// A result that is a part.
#[derive(Deserialize)]
pub(super) struct Returned<'a> {
    #[serde(borrow, default)]
    call_id: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, rename = "toolCallId")]
    camel_call_id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default, rename = "toolName")]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(default, rename = "isError", deserialize_with = "lenient")]
    camel_is_error: Option<bool>,
}

/// `{"type": "error-text", "value": …}`
#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    value: &'a RawValue,
}

/// The parts of a content, which is a text or a list. Parts that hold neither a text nor a call are left out.
pub(super) fn parts(content: Option<&RawValue>) -> Result<Vec<Part<'_>>, SkipReason> {
    let raw = content.map_or("null", RawValue::get);
    if !raw.starts_with('[') {
        let text: Text<'_> = serde_json::from_str(raw).map_err(|_| SkipReason::BrokenJson)?;
        return Ok(if text.0.is_empty() { Vec::new() } else { vec![Part::Text(text.0)] });
    }
    let list: BoundedList<&RawValue> = serde_json::from_str(raw).map_err(|_| SkipReason::BrokenJson)?;
    Ok(list.iter().filter_map(|raw| part(raw)).collect())
}

fn part(raw: &RawValue) -> Option<Part<'_>> {
    let (json, bytes) = (raw.get(), raw.get().as_bytes());
    let has = |name| peek::value_field(bytes, name).is_some();
    match peek::string_field(bytes, "type") {
        None if OF_GEMINI.iter().any(|name| has(name)) => serde_json::from_str(json).ok().map(Part::Gemini),
        None if peek::value_field(bytes, "thought").is_some_and(|value| value.starts_with(b"true")) => None,
        Some(b"tool_result") if has("run") => serde_json::from_str(json).ok().map(Part::Ran),
        Some(b"tool_use" | b"tool_result") => serde_json::from_str(json).ok().map(Part::Block),
        Some(b"tool-call" | b"toolCall") => serde_json::from_str(json).ok().map(Part::Call),
        Some(b"toolRequest" | b"frontendToolRequest" | b"toolResponse") => goose::part(json).map(Part::Goose),
        Some(b"tool-result") => serde_json::from_str(json).ok().map(Part::Result),
        Some(kind) if kind == b"dynamic-tool" || kind.starts_with(b"tool-") => {
            serde_json::from_str(json).ok().map(Part::Shown)
        }
        None if has("name") && has("arguments") => serde_json::from_str(json).ok().map(Part::Call),
        None if has("call_id") || has("tool_call_id") => serde_json::from_str(json).ok().map(Part::Result),
        Some(b"text" | b"input_text" | b"output_text" | b"refusal") | None => {
            let text: Text<'_> = serde_json::from_str(json).ok()?;
            (!text.0.is_empty()).then_some(Part::Text(text.0))
        }
        _ => None,
    }
}

impl Called<'_> {
    pub(super) fn start(&self, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
        let [id, name] = [(&self.id, &self.tool_call_id), (&self.name, &self.tool_name)].map(|(a, b)| first(&[a, b]));
        let made = if id.is_empty() { calls.add(name) } else { id.to_owned() };
        openai::start(&made, name, self.arguments.or(self.args).or(self.input), origin, out);
    }
}

impl Returned<'_> {
    pub(super) fn end(&self, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
        let id = first(&[&self.call_id, &self.tool_call_id, &self.camel_call_id]);
        let name = first(&[&self.name, &self.tool_name]);
        let typed = self.output.and_then(|raw| serde_json::from_str::<Output<'_>>(raw.get()).ok());
        let says_error = typed.as_ref().is_some_and(|output| output.kind.0.starts_with("error"));
        let flagged = self.is_error == Some(true) || self.camel_is_error == Some(true) || says_error;
        let raw = typed.as_ref().map(|output| output.value).or(self.output).or(self.result);
        let output = if raw.is_some() { text_or_json(raw) } else { Cow::Borrowed(&*self.content.0) };
        calls.end(id, name, output, flagged, origin, out);
    }
}

fn first<'a>(texts: &[&'a Text<'_>]) -> &'a str {
    texts.iter().map(|text| &*text.0).find(|text| !text.is_empty()).unwrap_or_default()
}
