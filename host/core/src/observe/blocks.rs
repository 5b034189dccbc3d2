//! The blocks of which a message in Anthropic's form consists: texts, calls (`tool_use`) and their results (`tool_result`).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Transcript;
use super::content::Text;
use super::input::read_input;
use super::reported::{Origin, Start};

/// The content of a message: a text, which is one block, or a list of blocks.
#[derive(Default)]
pub(super) struct Content<'a>(pub(super) Vec<Block<'a>>);

#[derive(Deserialize, Default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Text<'a>,
    #[serde(borrow, default)]
    pub(super) text: Text<'a>,
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Text<'a>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Option<Text<'a>>,
    #[serde(default)]
    pub(super) is_error: Option<bool>,
    #[serde(borrow, default, deserialize_with = "text_or_results")]
    pub(super) content: Text<'a>,
}

/// The text of a content. A list of results, which have no text, stays as it is written.
fn text_or_results<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?.get();
    let text: Text<'a> = serde_json::from_str(raw).map_err(serde::de::Error::custom)?;
    let is_results = || raw.starts_with('[') && raw.contains("\"success\"") && !raw.contains("\"type\"");
    Ok(if text.0.is_empty() && is_results() { Text(Cow::Borrowed(raw)) } else { text })
}

impl Block<'_> {
    /// Reports the call that a block `tool_use` is.
    pub(super) fn start(&self, origin: &Origin, out: &mut Transcript<'_>) {
        let input = read_input(self.input.map_or("", RawValue::get));
        let call_id = self.id.as_ref().map(|id| &*id.0);
        let (text, is_command) = (input.text, input.is_command);
        out.start(origin, &Start { call_id, tool: &self.name.0, input: text, is_command });
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of blocks")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(text_block(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(text_block(Cow::Owned(text.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Content::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content(blocks))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

fn text_block(text: Cow<'_, str>) -> Content<'_> {
    Content(vec![Block { kind: Text(Cow::Borrowed("text")), text: Text(text), ..Block::default() }])
}
