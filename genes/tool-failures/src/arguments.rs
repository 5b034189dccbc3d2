//! How a tool was called when it worked, after a call with other arguments had failed: arguments that were added, or that
//! were given in another form.
//!
//! Memory is bounded: [`MAX_OPEN`] failed calls wait, and [`MAX_FOUND`] differences are kept.

use crate::by_event::ByEvent;
use crate::call::Call;
use crate::names;

const MAX_OPEN: usize = 64;
const MAX_FOUND: usize = 1024;
/// Most arguments of a call, and most that may have been added.
const MAX_ARGUMENTS: usize = 24;
const MAX_ADDED: usize = 2;

/// The arguments of a call, each with the form of its value.
type Forms = Vec<(String, &'static str)>;

/// What is known of all calls with named arguments.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    open: Vec<Open>,
    /// What was different, by the number of the failed call.
    found: ByEvent<String>,
}

#[derive(Debug)]
struct Open {
    session: u32,
    event: u64,
    tool: String,
    file: Option<String>,
    forms: Forms,
}

impl Arguments {
    /// Adds a call that failed.
    pub(crate) fn fail(&mut self, call: &Call<'_>) {
        let forms = forms(call.input);
        if forms.is_empty() || call.name.is_empty() {
            return;
        }
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        let file = names::file(call.input).map(str::to_owned);
        self.open.push(Open { session: call.session, event: call.event, tool: call.name.to_owned(), file, forms });
    }

    /// Adds a call that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        let is_same = |open: &Open| {
            open.session == call.session && open.tool == call.name && open.file.as_deref() == names::file(call.input)
        };
        if !self.open.iter().any(is_same) {
            return;
        }
        let worked = forms(call.input);
        let found = &mut self.found;
        self.open.retain(|open| {
            if !is_same(open) {
                return true;
            }
            if let Some(difference) = difference(&open.forms, &worked).filter(|_| found.len() < MAX_FOUND) {
                found.insert(open.event, difference);
            }
            false
        });
    }

    /// How the call differed that worked in place of this one.
    pub(crate) fn of(&self, event: u64) -> Option<&str> {
        self.found.get(event).map(String::as_str)
    }
}

fn difference(failed: &Forms, worked: &Forms) -> Option<String> {
    let of = |forms: &Forms, name: &str| forms.iter().find(|(known, _)| known == name).map(|(_, form)| *form);
    if failed.iter().any(|(name, _)| of(worked, name).is_none()) {
        return None;
    }
    let added: Vec<String> =
        worked.iter().filter(|(name, _)| of(failed, name).is_none()).map(|(name, _)| format!("`{name}`")).collect();
    if !added.is_empty() {
        return (added.len() <= MAX_ADDED).then(|| format!("give it {}, too", added.join(" and ")));
    }
    let (name, form) = worked.iter().find(|(name, form)| of(failed, name) != Some(form))?;
    Some(format!("give it `{name}` as {form}"))
}

/// The arguments of a call whose input is an object, each with the form of its value.
fn forms(input: &str) -> Forms {
    let mut forms = Forms::new();
    let bytes = input.trim().as_bytes();
    if bytes.first() != Some(&b'{') {
        return forms;
    }
    let (mut depth, mut at) = (0_u32, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                at = start;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let rest = bytes.get(at + 1..).unwrap_or_default().trim_ascii_start();
                let key = bytes.get(start..at).and_then(|key| std::str::from_utf8(key).ok());
                if let (1, Some(key), [b':', value @ ..]) = (depth, key, rest)
                    && forms.len() < MAX_ARGUMENTS
                {
                    forms.push((key.to_owned(), form(value.trim_ascii_start())));
                }
            }
            _ => {}
        }
        at += 1;
    }
    forms
}

/// The form of a value.
fn form(value: &[u8]) -> &'static str {
    match (value.first(), value.get(1..).unwrap_or_default().trim_ascii_start().first()) {
        (Some(b'"'), _) => "a text",
        (Some(b'['), Some(b'{')) => "a list of objects",
        (Some(b'['), Some(b'"')) => "a list of texts",
        (Some(b'['), _) => "a list",
        (Some(b'{'), _) => "an object",
        (Some(b't' | b'f'), _) => "true or false",
        (Some(b'n'), _) => "null",
        _ => "a number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_or_given_in_another_form_is_known() {
        let told = |failed: &str, worked: &str| {
            let mut arguments = Arguments::default();
            arguments.fail(&Call { name: "editor", input: failed, ..Call::FAILED });
            arguments.work(&Call { name: "editor", input: worked, failed: false, event: 9, ..Call::FAILED });
            arguments.of(0).map(str::to_owned)
        };
        let old = r#"{"path":"/a","new_text":"x: \"y\""}"#;
        assert_eq!(
            told(old, r#"{"path":"/a","old_text":"b","new_text":"c"}"#).as_deref(),
            Some("give it `old_text`, too")
        );
        assert_eq!(told(old, r#"{"path":"/b","old_text":"b","new_text":"c"}"#), None, "another file");
        assert_eq!(told(old, old), None);
        let lists = (r#"{"queries": [{"a":1}]}"#, r#"{"queries": ["a"]}"#);
        assert_eq!(told(lists.0, lists.1).as_deref(), Some("give it `queries` as a list of texts"));
        assert_eq!(told("ls -la", "ls"), None);
        for odd in ["{", "{\"", "{\"a\"", "{\"a\":", "{\"a\\"] {
            assert!(forms(odd).len() < 2);
        }
    }
}
