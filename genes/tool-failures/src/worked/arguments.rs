//! How two calls of a tool with named arguments differ: arguments that were left out, added, renamed, made shorter, or given in
//! another form. A difference counts if the message names the argument, or if nothing else differs.

use crate::call::hash;

/// Most arguments of a call, and most that may have been added.
const MAX_ARGUMENTS: usize = 48;
const MAX_ADDED: usize = 2;
/// Most bytes of a name.
const MAX_NAME: usize = 200;

/// One named value of a call.
#[derive(Debug, PartialEq, Eq)]
struct Argument {
    name: String,
    /// Whether it is an argument of the call itself, and no part of one.
    is_whole: bool,
    form: &'static str,
    /// Of a text, how many bytes it has.
    len: usize,
    /// The hash of a text, a number or a truth value.
    value: u64,
}

/// What was different in the call that worked, after one of which the tool said `said`.
pub(crate) fn difference(failed: &str, worked: &str, said: &str) -> Option<String> {
    let (failed, worked) = (arguments(failed), arguments(worked));
    if failed.is_empty() || worked.is_empty() {
        return None;
    }
    let lower = said.to_ascii_lowercase();
    let is_named = |name: &str| {
        let name = name.to_ascii_lowercase();
        lower.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let lacks = |others: &[Argument], argument: &Argument| !others.iter().any(|other| other.name == argument.name);
    let gone: Vec<&Argument> = failed.iter().filter(|own| own.is_whole && lacks(&worked, own)).collect();
    let added: Vec<&Argument> = worked.iter().filter(|other| other.is_whole && lacks(&failed, other)).collect();
    let is_only = gone.len() == 1 && added.len() == 1;
    let renamed = gone.iter().find_map(|own| {
        let is_other = |other: &&&Argument| {
            own.form == other.form && (own.value == other.value || is_only && is_named(&other.name))
        };
        added.iter().find(is_other).map(|other| (&other.name, &own.name))
    });
    if let Some((name, before)) = renamed {
        return Some(format!("give it `{name}` instead of `{before}`"));
    }
    if let Some(gone) = failed.iter().find(|own| lacks(&worked, own) && is_named(&own.name)) {
        return Some(format!("leave out `{}`", gone.name));
    }
    if !gone.is_empty() {
        return None;
    }
    let changed = |own: &&Argument| worked.iter().any(|other| other.name == own.name && *own != other);
    let others = |name: &str| failed.iter().filter(changed).filter(|own| own.is_whole && own.name != name).count();
    let counts = |name: &str| is_named(name) || others(name) == 0;
    if !added.is_empty() {
        let names: Vec<String> = added.iter().map(|argument| format!("`{}`", argument.name)).collect();
        let is_told = added.len() <= MAX_ADDED && added.iter().all(|argument| counts(&argument.name));
        return is_told.then(|| format!("give it {}, too", names.join(" and ")));
    }
    failed.iter().filter(changed).filter(|own| counts(&own.name)).find_map(|own| {
        let other = worked.iter().find(|other| other.name == own.name)?;
        let name = &own.name;
        match limit(said) {
            _ if own.form != other.form => Some(format!("give it `{name}` as {}", other.form)),
            Some(limit) if other.len < own.len => Some(format!("give it `{name}` with at most {limit} characters")),
            _ => None,
        }
    })
}

/// Whether two calls have the same arguments, in whatever order.
pub(crate) fn are_same(failed: &str, worked: &str) -> bool {
    let (failed, worked) = (arguments(failed), arguments(worked));
    !failed.is_empty() && failed.len() == worked.len() && failed.iter().all(|own| worked.contains(own))
}

/// The argument of another call that is a name and the only one that differs: what has that name was in the way.
pub(crate) fn renamed(failed: &str, worked: &str) -> Option<String> {
    let (failed, worked) = (arguments(failed), arguments(worked));
    let is_name = |argument: &Argument| argument.is_whole && (1..=MAX_NAME).contains(&argument.len);
    let mut others = failed.iter().filter(|own| !worked.contains(own));
    let other = others.next().filter(|own| others.next().is_none() && failed.len() == worked.len() && is_name(own))?;
    worked.iter().any(|own| own.name == other.name && is_name(own)).then(|| other.name.clone())
}

/// How many characters a text may have, as a message says: `max 256 characters`, `is 526 characters — at most 220`.
pub(crate) fn limit(said: &str) -> Option<&str> {
    const SAYS: [&str; 5] = ["at most ", "max ", "maximum ", "maximum of ", "limit of "];
    let number = |rest: &'_ str| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let limit = |words: &&str| {
        let (_, rest) = said.split_once(*words)?;
        rest.get(..number(rest)).filter(|limit| !limit.is_empty())
    };
    SAYS.iter().find_map(limit).filter(|_| said.contains("characters"))
}

/// The named values in an input that is an object, also those within others.
fn arguments(input: &str) -> Vec<Argument> {
    let mut arguments = Vec::new();
    let bytes = input.trim().as_bytes();
    if bytes.first() != Some(&b'{') {
        return arguments;
    }
    let (mut depth, mut at) = (0_u32, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                at = start + text_len(bytes.get(start..).unwrap_or_default());
                let rest = bytes.get(at + 1..).unwrap_or_default().trim_ascii_start();
                let key = bytes.get(start..at).and_then(|key| std::str::from_utf8(key).ok());
                if let (Some(key), [b':', value @ ..]) = (key, rest)
                    && arguments.len() < MAX_ARGUMENTS
                {
                    let value = value.trim_ascii_start();
                    let text = value.strip_prefix(b"\"").unwrap_or_default();
                    let text = text.get(..text_len(text)).unwrap_or_default();
                    let scalar = value.split(|byte| matches!(byte, b',' | b'}' | b']')).next().unwrap_or_default();
                    let scalar =
                        if matches!(value.first(), Some(b'"' | b'[' | b'{')) { text } else { scalar.trim_ascii() };
                    arguments.push(Argument {
                        name: key.to_owned(),
                        is_whole: depth == 1,
                        form: form(value),
                        len: text.len(),
                        value: hash(0, scalar),
                    });
                }
            }
            _ => {}
        }
        at += 1;
    }
    arguments
}

/// How many bytes stand before the quote that ends a text.
fn text_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while bytes.get(at).is_some_and(|byte| *byte != b'"') {
        at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
    }
    at.min(bytes.len())
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
        let old = r#"{"path":"/a","new_text":"x: \"y\""}"#;
        let new = r#"{"path":"/a","old_text":"b","new_text":"c"}"#;
        assert_eq!(difference(old, new, "`old_text` is required").as_deref(), Some("give it `old_text`, too"));
        assert_eq!(difference(old, new, "no such text"), None, "another text, too, and the message names neither");
        let alone = r#"{"path":"/a","old_text":"b","new_text":"x: \"y\""}"#;
        assert_eq!(difference(old, alone, "wrong call").as_deref(), Some("give it `old_text`, too"));
        assert_eq!(difference(old, old, ""), None);
        let lists = (r#"{"queries": [{"a":1}]}"#, r#"{"queries": ["a"]}"#);
        assert_eq!(difference(lists.0, lists.1, "bad").as_deref(), Some("give it `queries` as a list of texts"));
        assert_eq!(difference("ls -la", "ls", ""), None);
        for odd in ["{", "{\"", "{\"a\"", "{\"a\":", "{\"a\\", "{\"a\":\"b\\"] {
            assert!(arguments(odd).len() < 2);
        }
    }

    #[test]
    fn the_same_call_and_one_with_another_name_are_known() {
        let failed = r#"{"root": "/a", "id": "x", "depth": 2}"#;
        assert!(are_same(failed, r#"{"depth":2,"id":"x","root":"/a"}"#));
        for other in [r#"{"depth":1,"id":"x","root":"/a"}"#, r#"{"id":"x","root":"/a"}"#, "ls", ""] {
            assert!(!are_same(failed, other), "{other}");
        }
        assert_eq!(renamed(failed, r#"{"id":"x-2","root":"/a","depth":2}"#).as_deref(), Some("id"));
        for other in
            [failed, r#"{"id":"y","root":"/b","depth":2}"#, r#"{"id":7,"root":"/a","depth":2}"#, r#"{"root":"/a"}"#]
        {
            assert_eq!(renamed(failed, other), None, "{other}");
        }
    }

    #[test]
    fn an_argument_under_another_name_was_renamed() {
        let written = |name: &str, value: &str| format!(r#"{{"{name}":"{value}","content":"x"}}"#);
        let said = "The required parameter `file_path` is missing; an unexpected parameter `path` was provided";
        let told = Some("give it `file_path` instead of `path`".to_owned());
        assert_eq!(difference(&written("path", "/w/a"), &written("file_path", "/w/a"), said), told);
        // Another value, too, if the tool names what it wants.
        assert_eq!(difference(&written("path", "/w/a"), &written("file_path", "/w/b"), said), told);
        assert_eq!(difference(&written("path", "/w/a"), &written("file_path", "/w/b"), "failed"), None);
        // What else was missing came, too.
        let more = r#"{"file_path":"/w/a","content":"x"}"#;
        assert_eq!(difference(r#"{"path":"/w/a"}"#, more, said), told);
        // Two others came for one.
        let two = r#"{"a":"1","b":"2","content":"x"}"#;
        assert_eq!(difference(&written("path", "/w/a"), two, "failed"), None);
        // A number is no other name of a text.
        assert_eq!(difference(&written("path", "7"), r#"{"line":7,"content":"x"}"#, "failed"), None);
    }

    #[test]
    fn what_was_left_out_or_made_shorter_is_known_if_the_message_names_it() {
        let rules = |extra: &str| format!(r#"{{"name":"a","rules":[{{"patterns":[{{{extra}"value":"x"}}]}}]}}"#);
        let said = "rules.0.patterns.0.key Extra inputs are not permitted";
        assert_eq!(difference(&rules(r#""key":"b","#), &rules(""), said).as_deref(), Some("leave out `key`"));
        assert_eq!(difference(&rules(r#""key":"b","#), &rules(""), "bad request"), None);
        let sized = |len: usize, name: &str| format!(r#"{{"name":"{name}","comment":"{}"}}"#, "x".repeat(len));
        let said = "Comment exceed max 256 characters!";
        let told = "give it `comment` with at most 256 characters";
        assert_eq!(difference(&sized(284, "a"), &sized(217, "b"), said).as_deref(), Some(told));
        assert_eq!(difference(&sized(217, "a"), &sized(284, "a"), said), None, "it is longer");
        assert_eq!(difference(&sized(284, "a"), &sized(217, "a"), "denied"), None);
    }
}
