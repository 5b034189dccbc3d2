//! The time limits of Claude Code's shell, in the settings of the project.
//!
//! What must stay true: only the two members for time limits change, each only to a larger number of milliseconds. Every
//! other byte of the file stays as it is, and a file that is not JSON is left alone.

use serde_json::Value;

use crate::input::{Entry, MAX_FILE, Workspace};

/// The file of the settings that a team shares.
pub(crate) const FILE: &str = ".claude/settings.json";
/// The members of `env`, as Claude Code's documentation names them: the limit of a call that names none, and the largest
/// that a call may name.
const DEFAULT: &str = "BASH_DEFAULT_TIMEOUT_MS";
const MOST: &str = "BASH_MAX_TIMEOUT_MS";
/// The largest limit that a call may name if the settings do not say, in milliseconds.
const MOST_BY_DEFAULT: u64 = 600_000;

/// The limit that the settings give each call, in seconds.
pub(crate) fn default_limit(workspace: &mut impl Workspace) -> Option<u64> {
    let settings = serde_json::from_str(&workspace.text(FILE)?).ok()?;
    milliseconds(&settings, DEFAULT).map(|limit| limit / 1000)
}

/// The settings with at least this limit, in seconds. `None` if there is no such file, or it is to be left alone.
pub(crate) fn with_limit(seconds: u64, workspace: &mut impl Workspace) -> Option<String> {
    let reason = match workspace.entry(FILE)? {
        Entry::Link => "it is a link",
        Entry::Folder => "it is a folder",
        Entry::File { size } if size > MAX_FILE => "it is too large",
        Entry::File { .. } => match workspace.text(FILE) {
            None => "it is not UTF-8",
            Some(text) => match raised(&text, seconds.saturating_mul(1000)) {
                Some(changed) => return Some(changed),
                None => "it is not JSON with texts in `env`, or says so already",
            },
        },
    };
    workspace.note(&format!("{FILE} is left alone: {reason}"));
    None
}

/// The text with these limits.
fn raised(text: &str, limit: u64) -> Option<String> {
    let before: Value = serde_json::from_str(text).ok()?;
    let mut wanted = before.clone();
    let mut changed = text.to_owned();
    let most = milliseconds(&before, MOST).unwrap_or(MOST_BY_DEFAULT);
    let too_low = |name, known: u64| (milliseconds(&before, name).is_none() || known < limit).then_some(name);
    let known = milliseconds(&before, DEFAULT).unwrap_or_default();
    let names = [too_low(DEFAULT, known), (most < limit).then_some(MOST)];
    for name in names.into_iter().flatten() {
        changed = with_member(&changed, name, &limit.to_string())?;
        let env = wanted.as_object_mut()?.entry("env").or_insert_with(|| Value::Object(serde_json::Map::new()));
        env.as_object_mut()?.insert(name.to_owned(), Value::String(limit.to_string()));
    }
    // The parser is the judge of what was written.
    let after: Value = serde_json::from_str(&changed).ok()?;
    (after == wanted && after != before).then_some(changed)
}

fn milliseconds(settings: &Value, name: &str) -> Option<u64> {
    let value = settings.get("env")?.get(name)?;
    value.as_str().and_then(|text| text.trim().parse().ok()).or_else(|| value.as_u64())
}

/// The text with a member of `env`.
fn with_member(text: &str, name: &str, value: &str) -> Option<String> {
    let root = Object::at(text, text.find('{')?)?;
    let member = format!("\"{name}\": \"{value}\"");
    let Some(env) = root.member("env") else {
        return root.with_first(text, |inner| match inner {
            Some(gap) => format!("\"env\": {{{gap}{}{member}{gap}}}", unit(gap)),
            None => format!("\"env\": {{ {member} }}"),
        });
    };
    let env = Object::at(text, env.start)?;
    match env.member(name) {
        Some(known) => Some([text.get(..known.start)?, &format!("\"{value}\""), text.get(known.end..)?].concat()),
        None => env.with_first(text, |_| member),
    }
}

/// What one level of the file is indented by: that of the members of the root.
fn unit(gap: &str) -> &str {
    gap.rsplit('\n').next().unwrap_or_default()
}

/// An object in the text of a document, with the ranges of the values of its members.
struct Object<'t> {
    /// Where its brace is.
    open: usize,
    members: Vec<(&'t str, std::ops::Range<usize>)>,
}

impl<'t> Object<'t> {
    /// The object whose brace is here. The text is known to be a document.
    fn at(text: &'t str, open: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut object = Self { open, members: Vec::new() };
        let mut at = after_space(bytes, open.checked_add(1).filter(|_| bytes.get(open) == Some(&b'{'))?);
        while bytes.get(at) == Some(&b'"') {
            let end = after_string(bytes, at)?;
            let name = text.get(at + 1..end - 1)?;
            let colon = after_space(bytes, end);
            let start = after_space(bytes, colon + 1);
            let end = after_value(bytes, start)?;
            object.members.push((name, start..end));
            at = after_space(bytes, end);
            if bytes.get(at) == Some(&b',') {
                at = after_space(bytes, at + 1);
            }
        }
        Some(object)
    }

    /// The value of a member. Of two with the same name, readers differ in which they take.
    fn member(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let mut found = self.members.iter().filter(|(other, _)| *other == name);
        found.next().map(|(_, range)| range.clone()).filter(|_| found.next().is_none())
    }

    /// The text with a new first member. It is indented like the one that was first; `member` gets that white space.
    fn with_first(&self, text: &str, member: impl FnOnce(Option<&str>) -> String) -> Option<String> {
        let (before, rest) = text.split_at_checked(self.open + 1)?;
        let gap = rest.get(..rest.len() - rest.trim_start().len())?;
        if self.members.is_empty() {
            return Some([before, " ", &member(None), " ", rest.trim_start()].concat());
        }
        let own = gap.contains('\n').then_some(gap);
        let separator = if own.is_some() { gap } else { " " };
        Some([before, gap, &member(own), ",", separator, rest.trim_start()].concat())
    }
}

fn after_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Where the string that begins here ends, its quote included.
fn after_string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Where the value that begins here ends.
fn after_value(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => at = after_string(bytes, at)?,
            b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
            b'}' | b']' | b',' if depth == 0 => return Some(at),
            b'}' | b']' => (at, depth) = (at + 1, depth - 1),
            byte if byte.is_ascii_whitespace() && depth == 0 => return Some(at),
            _ => at += 1,
        }
        if depth == 0 && matches!(bytes.get(at - 1), Some(b'"' | b'}' | b']')) {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_limits_change() {
        for (text, limit, expected) in [
            (
                "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"deny\": [\"Read(.env)\"]\n  }\n}\n",
                300_000,
                "{\n  \"env\": {\n    \"BASH_DEFAULT_TIMEOUT_MS\": \"300000\"\n  },\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"deny\": [\"Read(.env)\"]\n  }\n}\n",
            ),
            (
                "{\n\t\"env\": {\n\t\t\"A\": \"1\"\n\t},\n\t\"own\": [1, {\"env\": 2}]\n}",
                240_000,
                "{\n\t\"env\": {\n\t\t\"BASH_DEFAULT_TIMEOUT_MS\": \"240000\",\n\t\t\"A\": \"1\"\n\t},\n\t\"own\": [1, {\"env\": 2}]\n}",
            ),
            (
                "{\"x\": \"} \\\" {\", \"env\": {\"BASH_DEFAULT_TIMEOUT_MS\": \"120000\"}}",
                180_000,
                "{\"x\": \"} \\\" {\", \"env\": {\"BASH_DEFAULT_TIMEOUT_MS\": \"180000\"}}",
            ),
            ("{}", 180_000, "{ \"env\": { \"BASH_DEFAULT_TIMEOUT_MS\": \"180000\" } }"),
            ("{\"a\": 1}", 180_000, "{\"env\": { \"BASH_DEFAULT_TIMEOUT_MS\": \"180000\" }, \"a\": 1}"),
            (
                "{\"env\": {}}",
                900_000,
                "{\"env\": { \"BASH_MAX_TIMEOUT_MS\": \"900000\", \"BASH_DEFAULT_TIMEOUT_MS\": \"900000\" }}",
            ),
        ] {
            let raised = raised(text, limit);
            assert_eq!(raised.as_deref(), Some(expected), "{text}");
            assert_eq!(super::raised(expected, limit), None, "it is there: {expected}");
        }
        // Not JSON, no object, no texts in `env`, twice the same name, and a larger limit.
        for text in [
            "{\n  // a comment\n  \"env\": {}\n}",
            "{\"env\": {},}",
            "[]",
            "\"env\"",
            "",
            "{\"env\": 1}",
            "{\"env\": {}, \"env\": {}}",
            "{\"env\": {\"BASH_DEFAULT_TIMEOUT_MS\": \"600000\"}}",
            "{\"\\u0065nv\": {\"BASH_DEFAULT_TIMEOUT_MS\": \"1\"}}",
        ] {
            assert_eq!(raised(text, 300_000), None, "{text}");
        }
    }
}
