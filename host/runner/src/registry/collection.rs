//! How one asset is put into a file of assets, `{"version": 1, "<key>": [ … ]}` or a bare list, or taken out of it.
//!
//! Owns no effect. What must stay true: every byte outside the asset that is put stays as it was; and memory is bounded by
//! one asset, whatever the size of the file.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use gephost_core::digest::MAX_ASSET_BYTES;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::list::{Layout, read_list};

/// What is to be written in the place of some bytes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The bytes. They may end behind the file's end.
    pub(super) range: Range<u64>,
    /// What comes in their place.
    pub(super) text: String,
}

/// The change that puts an asset into the list named `key`: in the place of the first one with its id, or at the end. `None` if
/// it is there.
pub(super) fn with(
    content: impl Read,
    key: &str,
    id: &str,
    document: &Map<String, Value>,
) -> serde_json::Result<Option<Change>> {
    let own = Value::Object(document.clone());
    let (mut found, mut newest) = (None, None);
    let layout = read_list(content, &[key], MAX_ASSET_BYTES, &mut |start, item| {
        let end = start + item.len() as u64;
        if found.is_none() && has_id(item, id) {
            found = Some((start..end, is_same(item, &own)));
        }
        newest = Some(end);
    })?;
    let list = format!("[\n    {own}\n  ]");
    Ok(match (found, newest, layout) {
        (Some((_, true)), ..) => None,
        (Some((range, false)), ..) => Some(Change { range, text: own.to_string() }),
        (None, Some(end), _) => Some(Change { range: end..end, text: format!(",\n    {own}") }),
        (None, None, Layout { list: Some(range), .. }) => Some(Change { range, text: list }),
        (None, None, Layout { list: None, last_member: Some(end) }) => {
            Some(Change { range: end..end, text: format!(",\n  \"{key}\": {list}") })
        }
        (None, None, Layout { list: None, last_member: None }) => {
            let text = format!("{{\n  \"version\": 1,\n  \"{key}\": {list}\n}}\n");
            Some(Change { range: 0..u64::MAX, text })
        }
    })
}

/// The change that takes the asset with this id out of the list named `key`; `None` if there is none.
pub(super) fn without(content: impl Read, key: &str, id: &str) -> serde_json::Result<Option<Change>> {
    let (mut own, mut before, mut next) = (None, None, None);
    read_list(content, &[key], MAX_ASSET_BYTES, &mut |start, item| {
        let end = start + item.len() as u64;
        match own {
            None if has_id(item, id) => own = Some(start..end),
            None => before = Some(end),
            Some(_) => next = next.or(Some(start)),
        }
    })?;
    // With the comma behind it, or else the one before it.
    let range = own.map(|own| match (next, before) {
        (Some(next), _) => own.start..next,
        (None, Some(before)) => before..own.end,
        (None, None) => own,
    });
    Ok(range.map(|range| Change { range, text: String::new() }))
}

/// Whether an item is an object that states this id.
fn has_id(item: &str, id: &str) -> bool {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        id: Cow<'a, str>,
    }
    // A list of one text would be read as a `Named` too.
    item.starts_with('{') && serde_json::from_str::<Named<'_>>(item).is_ok_and(|named| named.id == id)
}

fn is_same(item: &str, own: &Value) -> bool {
    serde_json::from_str::<Value>(item).is_ok_and(|value| value == *own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_put(text: &str) -> serde_json::Result<Option<Change>> {
        let document = Map::from_iter([("id".to_owned(), "x".into()), ("n".to_owned(), 1.into())]);
        with(text.as_bytes(), "genes", "x", &document)
    }

    fn changed(text: &str, change: Change) -> String {
        let place = |byte: u64| text.len().min(usize::try_from(byte).unwrap());
        format!("{}{}{}", &text[..place(change.range.start)], change.text, &text[place(change.range.end)..])
    }

    fn put(text: &str) -> Option<String> {
        try_put(text).unwrap().map(|change| changed(text, change))
    }

    const OWN: &str = r#"{"id":"x","n":1}"#;

    #[test]
    fn an_asset_is_put_and_every_other_byte_stays() {
        let check = |text: &str, expect: &str| {
            let found = put(text).unwrap();
            assert_eq!(found, expect.replace("OWN", OWN), "{text}");
            assert_eq!(put(&found), None, "a second time it is there");
        };
        let fresh = "{\n  \"version\": 1,\n  \"genes\": [\n    OWN\n  ]\n}\n";
        check("", fresh);
        check(" \n", fresh);
        check("{ }", fresh);
        check("[]", "[\n    OWN\n  ]");
        check("\n[ {\"id\":\"ä\"} ]\n", "\n[ {\"id\":\"ä\"},\n    OWN ]\n");
        check("{\"v\" : 2 }\r\n", "{\"v\" : 2,\n  \"genes\": [\n    OWN\n  ] }\r\n");
        check("{\"genes\":[ ], \"n\":1.00}", "{\"genes\":[\n    OWN\n  ], \"n\":1.00}");
        check(
            "{ \"ü\":\"genes\", \"genes\" :[{\"id\":\"y\",\"id\":\"x\"} ,{\"a\":0, \"id\":\"\\u0078\"}, [\"x\"]]}",
            "{ \"ü\":\"genes\", \"genes\" :[{\"id\":\"y\",\"id\":\"x\"} ,OWN, [\"x\"]]}",
        );
        check("[7, \"x\", null, [\"x\"]]", "[7, \"x\", null, [\"x\"],\n    OWN]");
    }

    #[test]
    fn an_asset_that_is_there_in_other_spelling_stays() {
        assert_eq!(put(r#"{"genes": [ { "n" : 1, "id" : "x" } ]}"#), None);
    }

    #[test]
    fn an_asset_is_taken_out_and_every_other_byte_stays() {
        let without = |text: &str| {
            let change = super::without(text.as_bytes(), "genes", "x").unwrap();
            change.map(|change| changed(text, change))
        };
        let own = r#"{"id":"x"}"#;
        for (text, expect) in [
            ("[OWN]", "[]"),
            ("[ OWN , 7 ]", "[ 7 ]"),
            ("[ 7 , OWN ]\n", "[ 7 ]\n"),
            ("{\"n\": 1.00, \"genes\": [1, OWN,\n 2]}", "{\"n\": 1.00, \"genes\": [1, 2]}"),
        ] {
            assert_eq!(without(&text.replace("OWN", own)).as_deref(), Some(expect), "{text}");
        }
        for text in ["", "{}", "[]", "[{\"id\":\"y\"}]"] {
            assert_eq!(without(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_collection_is_refused() {
        for text in ["x", "7", "\"genes\"", "{", "[]]", "{\"genes\":{}}", "{\"genes\":null}", "\u{feff}[]"] {
            assert!(try_put(text).is_err(), "{text}");
        }
        let twice = try_put(r#"{"genes":[1],"genes":[]}"#).unwrap_err().to_string();
        assert!(twice.contains("twice"), "{twice}");
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = format!("[{}{}]", "[".repeat(200_000), "]".repeat(200_000));
        assert!(put(&deep).unwrap().ends_with(&format!(",\n    {OWN}]")));
    }
}
