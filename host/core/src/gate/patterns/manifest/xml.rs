//! Reads XML as nested tables: an element is a member of the one around it, equal names are a list, and an attribute is a
//! member that begins with `@`. A document type is refused, since it may define entities, and depth is bounded.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Map, Value};

/// Deepest nesting of elements.
const MAX_DEPTH: usize = 64;

/// An element that is not closed yet.
struct Open {
    name: String,
    members: Map<String, Value>,
    text: String,
}

/// Reads a document; `None` if it is not a whole one.
pub(in super::super) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader::from_str(text);
    let mut open = vec![Open { name: String::new(), members: Map::new(), text: String::new() }];
    loop {
        match reader.read_event().ok()? {
            Event::DocType(_) => return None,
            Event::Start(element) => open.push(start(&element)?),
            Event::Empty(element) => {
                open.push(start(&element)?);
                close(&mut open)?;
            }
            Event::End(_) => close(&mut open)?,
            Event::Text(text) => add_text(&mut open, &text),
            Event::CData(text) => add_text(&mut open, &text),
            Event::GeneralRef(name) => add_text(&mut open, &name),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
    }
    let root = open.pop().filter(|_| open.is_empty())?;
    (!root.members.is_empty()).then_some(Value::Object(root.members))
}

fn start(element: &BytesStart<'_>) -> Option<Open> {
    let mut members = Map::new();
    for attribute in element.attributes() {
        let attribute = attribute.ok()?;
        let name = format!("@{}", attribute.key.as_ref());
        members.insert(name, attribute.value.as_ref().into());
    }
    let name = element.local_name().as_ref().to_owned();
    Some(Open { name, members, text: String::new() })
}

fn add_text(open: &mut [Open], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn close(open: &mut Vec<Open>) -> Option<()> {
    let Open { name, mut members, text } = open.pop()?;
    let text = text.trim();
    let value = if members.is_empty() {
        text.into()
    } else {
        if !text.is_empty() {
            members.insert("#text".to_owned(), text.into());
        }
        Value::Object(members)
    };
    let siblings = &mut open.last_mut()?.members;
    match siblings.get_mut(&name) {
        None => {
            siblings.insert(name, value);
        }
        Some(Value::Array(items)) => items.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elements_are_tables() {
        let text = "<?xml version='1.0'?><a x='1'><!-- c --><b>1</b><b><![CDATA[2]]></b><m:c> t </m:c><d/></a>";
        assert_eq!(read(text), Some(json!({"a": {"@x": "1", "b": ["1", "2"], "c": "t", "d": ""}})));
        let deep = "<a>".repeat(100_000);
        for broken in ["", "text", "<a>", "<a></b>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", &deep] {
            assert_eq!(read(broken), None, "{}", broken.get(..40).unwrap_or(broken));
        }
    }
}
