//! Says why an asset does not have the id that it states.
//!
//! Tools hash assets in other ways than the protocol, or change an asset after they hashed it. Most such ways leave the stated
//! id reproducible: this module hashes the asset in each way that it knows, and names the one that gives the stated id.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::asset_id::{DigestError, UNHASHED, members_id, sha256_hex};
use super::canonical_text;

/// How the stated id comes about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// The asset was hashed without this member, which was added or changed later.
    WithoutMember {
        /// The member.
        member: String,
    },
    /// Members that are `null` were left out.
    WithoutNulls,
    /// Of `outcome`, only `status` and `score` were hashed, as a hub does.
    OutcomeForHub,
    /// The asset ids inside of other members were left out too.
    WithoutInnerIds,
    /// `asset_id` was hashed as an empty text.
    EmptyId,
    /// `asset_id` was hashed as `null`.
    NullId,
    /// The members were hashed in the order in which they are written.
    Unsorted,
    /// Characters beyond ASCII were hashed as `\u` escapes.
    Escaped,
    /// White space follows each `,` and `:`.
    Spaced,
    /// White space follows each `,` and `:`, and characters beyond ASCII are `\u` escapes.
    SpacedAndEscaped,
}

impl Origin {
    /// A sentence for people.
    pub fn sentence(&self) -> String {
        match self {
            Self::WithoutMember { member } => {
                format!("The stated id is that of the asset without `{member}`: this member was added after hashing.")
            }
            Self::WithoutNulls => "The stated id leaves out members that are null. The protocol hashes them.".to_owned(),
            Self::OutcomeForHub => {
                "The stated id hashes only `status` and `score` of `outcome`, as a hub does. The other members of `outcome` \
                 must be removed before hashing."
                    .to_owned()
            }
            Self::WithoutInnerIds => {
                "The stated id leaves out asset ids inside of other members. The protocol leaves out only that of the asset."
                    .to_owned()
            }
            Self::EmptyId => "The stated id hashes `asset_id` as an empty text. The protocol leaves it out.".to_owned(),
            Self::NullId => "The stated id hashes `asset_id` as null. The protocol leaves it out.".to_owned(),
            Self::Unsorted => "The stated id hashes the members in their written order. The protocol sorts them.".to_owned(),
            Self::Escaped => {
                "The stated id hashes characters beyond ASCII as \\u escapes. The protocol hashes them as UTF-8.".to_owned()
            }
            Self::Spaced => "The stated id hashes a text with spaces. The protocol hashes one without white space.".to_owned(),
            Self::SpacedAndEscaped => {
                "The stated id hashes a text with spaces and \\u escapes (the defaults of Python's json.dumps). The protocol \
                 hashes UTF-8 without white space."
                    .to_owned()
            }
        }
    }
}

/// The first known way to hash the asset that gives the id `stated`; `None` if no known way does. Then a value was changed
/// after hashing, or the id belongs to another asset.
///
/// Each way hashes the asset once. A way that leaves out one member is tried for each member.
pub fn origin(members: &Map<String, Value>, stated: &str) -> Result<Option<Origin>, DigestError> {
    let is_stated = |members: &Map<String, Value>| Ok::<_, DigestError>(members_id(members)? == stated);
    for (origin, changed) in variants(members) {
        if changed != *members && is_stated(&changed)? {
            return Ok(Some(origin));
        }
    }
    for (origin, id) in [(Origin::EmptyId, Value::from("")), (Origin::NullId, Value::Null)] {
        if text_id(&json_text(&with_id(members, id), &Style::CANONICAL)) == stated {
            return Ok(Some(origin));
        }
    }
    let hashed = without(members, |key| UNHASHED.contains(&key));
    let styles = [
        (Origin::Unsorted, Style { sorted: false, ..Style::CANONICAL }),
        (Origin::Escaped, Style { ascii: true, ..Style::CANONICAL }),
        (Origin::Spaced, Style { spaced: true, ..Style::CANONICAL }),
        (Origin::SpacedAndEscaped, Style { spaced: true, ascii: true, ..Style::CANONICAL }),
    ];
    for (origin, style) in styles {
        if text_id(&json_text(&hashed, &style)) == stated {
            return Ok(Some(origin));
        }
    }
    for member in members.keys().filter(|key| !UNHASHED.contains(&key.as_str())) {
        if is_stated(&without(members, |key| key == member))? {
            return Ok(Some(Origin::WithoutMember { member: member.clone() }));
        }
    }
    Ok(None)
}

/// The asset as other ways of hashing take it.
fn variants(members: &Map<String, Value>) -> [(Origin, Map<String, Value>); 3] {
    let mut for_hub = members.clone();
    if let Some(Value::Object(outcome)) = for_hub.get_mut("outcome") {
        outcome.retain(|key, _| key == "status" || key == "score");
    }
    let inner = members.iter().map(|(key, value)| (key.clone(), without_ids(value))).collect();
    [
        (Origin::WithoutNulls, members.iter().filter(|(_, value)| !value.is_null()).map(owned).map(dense).collect()),
        (Origin::OutcomeForHub, for_hub),
        (Origin::WithoutInnerIds, inner),
    ]
}

fn owned((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

/// A member whose value has no `null` members.
fn dense((key, value): (String, Value)) -> (String, Value) {
    let value = match value {
        Value::Object(members) => {
            Value::Object(members.into_iter().filter(|(_, value)| !value.is_null()).map(dense).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| dense((String::new(), item)).1).collect()),
        other => other,
    };
    (key, value)
}

fn without_ids(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let others = members.iter().filter(|(key, _)| *key != "asset_id");
            Value::Object(others.map(|(key, value)| (key.clone(), without_ids(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_ids).collect()),
        other => other.clone(),
    }
}

fn without(members: &Map<String, Value>, is_left_out: impl Fn(&str) -> bool) -> Map<String, Value> {
    members.iter().filter(|(key, _)| !is_left_out(key)).map(owned).collect()
}

fn with_id(members: &Map<String, Value>, id: Value) -> Map<String, Value> {
    let mut members = members.clone();
    members.insert("asset_id".to_owned(), id);
    members
}

fn text_id(text: &str) -> String {
    format!("sha256:{}", sha256_hex(text.as_bytes()))
}

/// How a JSON text is written.
struct Style {
    sorted: bool,
    spaced: bool,
    ascii: bool,
}

impl Style {
    /// The protocol's own.
    const CANONICAL: Self = Self { sorted: true, spaced: false, ascii: false };
}

/// The text of an object. Numbers and strings are canonical, but for what the style says.
fn json_text(members: &Map<String, Value>, style: &Style) -> String {
    let mut text = String::new();
    write_object(&mut text, members, style);
    text
}

fn write_value(text: &mut String, value: &Value, style: &Style) {
    match value {
        Value::Object(members) => write_object(text, members, style),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(text, index, style);
                write_value(text, item, style);
            }
            text.push(']');
        }
        leaf => write_leaf(text, leaf, style),
    }
}

fn write_object(text: &mut String, members: &Map<String, Value>, style: &Style) {
    let mut members: Vec<(&String, &Value)> = members.iter().collect();
    if style.sorted {
        members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    }
    text.push('{');
    for (index, (key, value)) in members.into_iter().enumerate() {
        separate(text, index, style);
        write_leaf(text, &Value::from(key.as_str()), style);
        text.push_str(if style.spaced { ": " } else { ":" });
        write_value(text, value, style);
    }
    text.push('}');
}

fn separate(text: &mut String, index: usize, style: &Style) {
    if index > 0 {
        text.push_str(if style.spaced { ", " } else { "," });
    }
}

fn write_leaf(text: &mut String, leaf: &Value, style: &Style) {
    let leaf = canonical_text(leaf).unwrap_or_default();
    if !style.ascii {
        text.push_str(&leaf);
        return;
    }
    for c in leaf.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashed by Python's `hashlib` and `json`, and by node, over the texts in the comments.
    fn asset() -> Map<String, Value> {
        let text = r#"{"type":"Gene","id":"g","summary":"é🧬","none":null,"n":1.0,"list":[{"asset_id":"x","a":null}],
            "outcome":{"status":"success","score":1,"notes":"n"}}"#;
        serde_json::from_str(text).expect("an object")
    }

    fn of(text: &str) -> String {
        text_id(text)
    }

    #[test]
    fn the_way_of_hashing_is_named() {
        let check = |text: &str, expect: Origin| {
            assert_eq!(origin(&asset(), &of(text)).expect("an id"), Some(expect), "{text}");
        };
        check(
            r#"{"id":"g","list":[{"asset_id":"x"}],"n":1,"outcome":{"notes":"n","score":1,"status":"success"},"summary":"é🧬","type":"Gene"}"#,
            Origin::WithoutNulls,
        );
        check(
            r#"{"id":"g","list":[{"a":null,"asset_id":"x"}],"n":1,"none":null,"outcome":{"score":1,"status":"success"},"summary":"é🧬","type":"Gene"}"#,
            Origin::OutcomeForHub,
        );
        check(
            r#"{"id":"g","list":[{"a":null}],"n":1,"none":null,"outcome":{"notes":"n","score":1,"status":"success"},"summary":"é🧬","type":"Gene"}"#,
            Origin::WithoutInnerIds,
        );
        check(
            r#"{"asset_id":"","id":"g","list":[{"a":null,"asset_id":"x"}],"n":1,"none":null,"outcome":{"notes":"n","score":1,"status":"success"},"summary":"é🧬","type":"Gene"}"#,
            Origin::EmptyId,
        );
        check(
            r#"{"asset_id":null,"id":"g","list":[{"a":null,"asset_id":"x"}],"n":1,"none":null,"outcome":{"notes":"n","score":1,"status":"success"},"summary":"é🧬","type":"Gene"}"#,
            Origin::NullId,
        );
        check(
            r#"{"type":"Gene","id":"g","summary":"é🧬","none":null,"n":1,"list":[{"asset_id":"x","a":null}],"outcome":{"status":"success","score":1,"notes":"n"}}"#,
            Origin::Unsorted,
        );
        check(
            r#"{"id":"g","list":[{"a":null,"asset_id":"x"}],"n":1,"none":null,"outcome":{"notes":"n","score":1,"status":"success"},"summary":"\u00e9\ud83e\uddec","type":"Gene"}"#,
            Origin::Escaped,
        );
        check(
            r#"{"id": "g", "list": [{"a": null, "asset_id": "x"}], "n": 1, "none": null, "outcome": {"notes": "n", "score": 1, "status": "success"}, "summary": "é🧬", "type": "Gene"}"#,
            Origin::Spaced,
        );
        check(
            r#"{"id": "g", "list": [{"a": null, "asset_id": "x"}], "n": 1, "none": null, "outcome": {"notes": "n", "score": 1, "status": "success"}, "summary": "\u00e9\ud83e\uddec", "type": "Gene"}"#,
            Origin::SpacedAndEscaped,
        );
        check(
            r#"{"id":"g","list":[{"a":null,"asset_id":"x"}],"n":1,"none":null,"outcome":{"notes":"n","score":1,"status":"success"},"type":"Gene"}"#,
            Origin::WithoutMember { member: "summary".to_owned() },
        );
    }

    #[test]
    fn a_changed_value_has_no_known_origin() {
        let mut changed = asset();
        changed.insert("id".to_owned(), "other".into());
        let stated = members_id(&asset()).expect("an id");
        assert_eq!(origin(&changed, &stated).expect("an id"), None);
        assert_eq!(origin(&asset(), "sha256:0").expect("an id"), None);
    }
}
