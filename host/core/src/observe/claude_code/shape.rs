//! The fields of a line that are read. Texts are borrowed from the line if JSON allows it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::observe::blocks::Content;
use crate::observe::content::{BoundedList, Text, lenient};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) uuid: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) session_id: Option<Text<'a>>,
    #[serde(borrow, default, rename = "session_id")]
    pub(super) session_of_stream: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Text<'a>>,
    #[serde(default)]
    pub(super) is_meta: Option<bool>,
    #[serde(default)]
    pub(super) is_api_error_message: Option<bool>,
    #[serde(borrow, default)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) tool_use_result: Option<ToolUseResult<'a>>,
    #[serde(borrow, default, rename = "tool_use_result")]
    pub(super) result_of_stream: Option<ToolUseResult<'a>>,
    #[serde(default, rename = "is_error", deserialize_with = "lenient")]
    pub(super) is_error: Option<bool>,
    #[serde(borrow, default)]
    pub(super) result: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) subtype: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) hook_errors: Option<BoundedList<Text<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) model: Text<'a>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
}

/// What the harness recorded next to a result: a text for a failure, an object for a success, a list for some tools.
#[derive(Default)]
pub(super) struct ToolUseResult<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) interrupted: bool,
    pub(super) duration_ms: Option<f64>,
}

impl<'de: 'a, 'a> Deserialize<'de> for ToolUseResult<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ResultVisitor;
        impl<'de> Visitor<'de> for ResultVisitor {
            type Value = ToolUseResult<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, an object or a list")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(ToolUseResult { text: Cow::Borrowed(text), ..ToolUseResult::default() })
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(ToolUseResult { text: Cow::Owned(text.to_owned()), ..ToolUseResult::default() })
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(ToolUseResult::default())
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(ToolUseResult::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(ToolUseResult::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut result = ToolUseResult::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    match &*key {
                        "interrupted" => {
                            result.interrupted = map.next_value::<Option<bool>>()? == Some(true);
                        }
                        "durationMs" | "totalDurationMs" => result.duration_ms = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(result)
            }
        }
        deserializer.deserialize_any(ResultVisitor)
    }
}
