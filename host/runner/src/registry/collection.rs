//! The text of a file of assets, `{"version": 1, "<key>": [ … ]}` or a bare list, and how one asset is put into it.
//!
//! Owns no effect. What must stay true: every byte outside the asset that is put stays as it was.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A file's text and where its list of assets lies in it.
#[derive(Debug)]
pub(super) struct Collection<'a> {
    key: &'a str,
    text: &'a str,
    place: Place<'a>,
}

#[derive(Debug)]
enum Place<'a> {
    /// There is nothing but white space, or an object without members.
    Nowhere,
    /// An object without the list; this is its last member's value.
    After(&'a RawValue),
    /// The list, and its items.
    List(&'a RawValue, Vec<&'a RawValue>),
}

impl<'a> Collection<'a> {
    /// Finds the list named `key`. Items are not looked at.
    pub(super) fn read(key: &'a str, text: &'a str) -> serde_json::Result<Self> {
        let place = if text.trim().is_empty() { Place::Nowhere } else { Place::find(key, text)? };
        Ok(Self { key, text, place })
    }

    /// The text with an asset in the place of the first one with its id, or at the end; `None` where it is there.
    pub(super) fn with(&self, id: &str, document: &Map<String, Value>) -> Option<String> {
        let own = Value::Object(document.clone());
        let list = format!("[\n    {own}\n  ]");
        let text = match &self.place {
            Place::Nowhere => format!("{{\n  \"version\": 1,\n  \"{}\": {list}\n}}\n", self.key),
            Place::After(value) => {
                let end = self.range(value).end;
                self.splice(end..end, &format!(",\n  \"{}\": {list}", self.key))
            }
            Place::List(whole, items) => match (items.iter().find(|item| has_id(item, id)), items.last()) {
                (Some(item), _) if is_same(item, &own) => return None,
                (Some(item), _) => self.splice(self.range(item), &own.to_string()),
                (None, Some(newest)) => {
                    let end = self.range(newest).end;
                    self.splice(end..end, &format!(",\n    {own}"))
                }
                (None, None) => self.splice(self.range(whole), &list),
            },
        };
        Some(text)
    }

    /// The text without the asset with this id; `None` where there is none.
    pub(super) fn without(&self, id: &str) -> Option<String> {
        let Place::List(_, items) = &self.place else { return None };
        let at = items.iter().position(|item| has_id(item, id))?;
        let own = self.range(items.get(at)?);
        let before = at.checked_sub(1).and_then(|before| items.get(before)).map(|item| self.range(item).end);
        // With the comma behind it, or else the one before it.
        let range = match (items.get(at + 1), before) {
            (Some(next), _) => own.start..self.range(next).start,
            (None, Some(before)) => before..own.end,
            (None, None) => own,
        };
        Some(self.splice(range, ""))
    }

    /// Where a part lies. serde borrows raw values from the text, so their addresses say it.
    fn range(&self, part: &RawValue) -> Range<usize> {
        let start = part.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        start..start.saturating_add(part.get().len())
    }

    fn splice(&self, range: Range<usize>, new: &str) -> String {
        let mut text = self.text.to_owned();
        text.replace_range(range, new);
        text
    }
}

impl<'a> Place<'a> {
    fn find(key: &str, text: &'a str) -> serde_json::Result<Self> {
        let whole: &RawValue = serde_json::from_str(text)?;
        if whole.get().starts_with('[') {
            return Ok(Self::List(whole, serde_json::from_str(whole.get())?));
        }
        let Members(members) = serde_json::from_str(text)?;
        let mut lists = members.iter().filter(|(name, _)| name == key);
        match (lists.next(), lists.next(), members.last()) {
            (Some(_), Some(_), _) => {
                Err(serde_json::Error::custom(format!("the list {key:?} is there twice: make it one")))
            }
            (Some((_, list)), None, _) => Ok(Self::List(list, serde_json::from_str(list.get())?)),
            (None, _, Some((_, last))) => Ok(Self::After(last)),
            (None, _, None) => Ok(Self::Nowhere),
        }
    }
}

/// Whether an item is an object that states this id.
fn has_id(item: &RawValue, id: &str) -> bool {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        id: Cow<'a, str>,
    }
    // A list of one text would be read as a `Named` too.
    item.get().starts_with('{') && serde_json::from_str::<Named<'_>>(item.get()).is_ok_and(|named| named.id == id)
}

fn is_same(item: &RawValue, own: &Value) -> bool {
    serde_json::from_str::<Value>(item.get()).is_ok_and(|value| value == *own)
}

/// An object's members in their order, values unread.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object or a list of assets")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &str) -> Option<String> {
        let document = Map::from_iter([("id".to_owned(), "x".into()), ("n".to_owned(), 1.into())]);
        Collection::read("genes", text).unwrap().with("x", &document)
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
        let without = |text: &str| Collection::read("genes", text).unwrap().without("x");
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
            assert!(Collection::read("genes", text).is_err(), "{text}");
        }
        let twice = Collection::read("genes", r#"{"genes":[1],"genes":[]}"#).unwrap_err().to_string();
        assert!(twice.contains("twice"), "{twice}");
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = format!("[{}{}]", "[".repeat(200_000), "]".repeat(200_000));
        assert!(put(&deep).unwrap().ends_with(&format!(",\n    {OWN}]")));
    }
}
