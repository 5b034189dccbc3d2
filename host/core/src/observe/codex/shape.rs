//! The fields of a line that are read, and those of outputs that are JSON in a string.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::observe::content::{Text, lenient};

#[derive(Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) payload: Payload<'a>,
}

#[derive(Deserialize, Default)]
pub(in crate::observe) struct Payload<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Text<'a>,
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Text<'a>,
    #[serde(borrow, default)]
    pub(super) message: Text<'a>,
    #[serde(borrow, default)]
    pub(super) reason: Text<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) input: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) output: Text<'a>,
    #[serde(default)]
    pub(super) action: Option<Action>,
    #[serde(default)]
    pub(super) success: Option<bool>,
    #[serde(default)]
    pub(super) exit_code: Option<i64>,
    #[serde(borrow, default)]
    pub(super) result: Option<McpResult<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub(super) info: Option<TokenInfo<'a>>,
    #[serde(borrow, default)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) thread_token_usage: Option<&'a RawValue>,
}

/// The content of a `token_count`: the usage of all requests of the session, and of the newest one.
#[derive(Deserialize)]
pub(in crate::observe) struct TokenInfo<'a> {
    #[serde(borrow, default)]
    pub(super) total_token_usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) last_token_usage: Option<&'a RawValue>,
}

impl Payload<'_> {
    /// The id of the call: some items have it only as their own.
    pub(super) fn call(&self) -> Option<&str> {
        let own = Some(&self.id).filter(|id| !id.0.is_empty());
        self.call_id.as_ref().or(own).map(|id| &*id.0)
    }

    /// The JavaScript that a call of `exec` runs in code mode.
    pub(super) fn script(&self) -> Option<&str> {
        let script = self.input.as_ref().filter(|_| self.name.0 == "exec")?;
        script.0.contains("tools.").then_some(&*script.0)
    }
}

#[derive(Deserialize)]
pub(in crate::observe) struct Action {
    #[serde(default)]
    pub(super) command: Vec<String>,
}

#[derive(Deserialize)]
pub(in crate::observe) struct McpResult<'a> {
    #[serde(rename = "Ok", default)]
    pub(super) ok: Option<McpAnswer>,
    #[serde(borrow, rename = "Err", default)]
    pub(super) error: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(in crate::observe) struct McpAnswer {
    #[serde(default, rename = "isError", alias = "is_error")]
    pub(super) is_error: Option<bool>,
}

/// Before 2026, an output was JSON in a string.
#[derive(Deserialize)]
pub(super) struct OldForm<'a> {
    #[serde(borrow)]
    pub(super) output: Text<'a>,
    pub(super) metadata: Metadata,
}

#[derive(Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    pub(super) exit_code: Option<i64>,
    #[serde(default)]
    pub(super) duration_seconds: Option<f64>,
}

pub(super) fn old_form(text: &str) -> Option<OldForm<'_>> {
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}
