//! Pages: a command makes one value, and its text and its JSON document both come from that value.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::exit_code::Exit;

/// The result of a command.
pub(crate) trait Page: Serialize + JsonSchema {
    /// The kind of document. Its member `schema` is `gephost.KIND/1`.
    const KIND: &'static str;

    /// The page as text. May hold ANSI styles, which are removed where they do not belong.
    fn text(&self) -> String;

    /// The exit code that the result means.
    fn exit(&self) -> Exit {
        Exit::Done
    }
}

/// The JSON document of a page: the member `schema`, then the page's own members.
pub(crate) fn document<P: Page>(page: &P) -> Value {
    let mut document = Map::from_iter([("schema".to_owned(), name(P::KIND).into())]);
    match serde_json::to_value(page).expect("a page holds nothing but texts, numbers, lists and objects") {
        Value::Object(members) => document.extend(members),
        other => unreachable!("a page is an object, not {other}"),
    }
    Value::Object(document)
}

/// The name of a document's schema.
pub(crate) fn name(kind: &str) -> String {
    format!("gephost.{kind}/1")
}

/// A page within another one.
#[derive(Debug)]
pub(crate) struct Document<P>(pub(crate) P);

impl<P: Page> Serialize for Document<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        document(&self.0).serialize(serializer)
    }
}

impl<P: Page> JsonSchema for Document<P> {
    fn schema_name() -> Cow<'static, str> {
        format!("Document_{}", P::KIND).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = P::json_schema(generator);
        let name = json!({ "const": name(P::KIND), "description": "The name of this schema." });
        let members = schema.ensure_object();
        let mut properties = Map::from_iter([("schema".to_owned(), name)]);
        if let Some(Value::Object(own)) = members.remove("properties") {
            properties.extend(own.into_iter().filter(|(key, _)| key != "schema"));
        }
        let mut required = vec![json!("schema")];
        if let Some(Value::Array(own)) = members.remove("required") {
            required.extend(own.into_iter().filter(|key| key != "schema"));
        }
        members.insert("properties".to_owned(), properties.into());
        members.insert("required".to_owned(), required.into());
        schema
    }
}

/// The JSON Schema of a page's document.
pub(crate) fn schema_of_page<P: Page>() -> Schema {
    let mut schema = schema_of::<Document<P>>();
    schema.insert("title".to_owned(), name(P::KIND).into());
    schema
}

/// The JSON Schema of a value that is written and has no member `schema`, such as an answer of `--jsonl`.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>()
}
