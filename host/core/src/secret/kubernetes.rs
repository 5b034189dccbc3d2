//! Values of a Kubernetes Secret as `kubectl` prints it, in YAML or in JSON with a member on each line. All values below
//! `data` and `stringData` are secret, whatever their names are.
//!
//! Invariants: an object is read once, so the time is linear. Another object of the same list is not read.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use super::placeholder::{is_placeholder, is_stand_in};
use super::{Class, SecretMatch};

/// Rule id of this scanner.
pub(super) const KIND: &str = "kubernetes_secret";

/// Most bytes of an object that are read on each side of its kind.
const REACH: usize = 64 << 10;
/// Least length of a value in Base64. Shorter ones are words such as names of users.
const SHORTEST: usize = 10;

static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("kind"));

/// The values of all Secrets of a text.
pub(super) fn find(text: &str) -> Vec<SecretMatch<'static>> {
    let mut found = Vec::new();
    let mut done = 0;
    for at in FINDER.find_iter(text.as_bytes()) {
        let Some(line) = secret_at(text, at).filter(|line| line.start >= done) else { continue };
        let object = first(text, &line, done)..last(text, &line);
        done = object.end;
        values(text, object, line.indent, &mut found);
    }
    found
}

/// A line without what precedes its content: blanks, the sign of a diff, the dash of a list.
#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    start: usize,
    end: usize,
    /// How far its content is indented.
    indent: usize,
    content: &'t str,
    /// Whether it begins an entry of a list.
    entry: bool,
}

impl<'t> Line<'t> {
    /// The line in which `at` is.
    fn around(text: &'t str, at: usize) -> Self {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        Self::at(text, memchr::memrchr(b'\n', before).map_or(0, |end| end + 1))
    }

    /// The line that begins at `start`.
    fn at(text: &'t str, start: usize) -> Self {
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        let content = line.trim_start_matches([' ', '\t', '+']);
        let listed = content.strip_prefix("- ").map(|entry| entry.trim_start_matches(' '));
        let (content, entry) = listed.map_or((content, false), |entry| (entry, true));
        Self { start, end: start + length, indent: line.len() - content.len(), content: content.trim_end(), entry }
    }

    fn next(&self, text: &'t str) -> Option<Self> {
        (self.end < text.len()).then(|| Self::at(text, self.end + 1))
    }

    fn previous(&self, text: &'t str) -> Option<Self> {
        self.start.checked_sub(1).map(|end| Self::around(text, end))
    }

    /// Whether an object whose members are indented this far goes on in the line.
    fn continues(&self, indent: usize) -> bool {
        self.content.is_empty() || self.indent >= indent && !self.content.starts_with("---")
    }

    /// Name and value of a member.
    fn member(&self) -> Option<(&'t str, &'t str)> {
        let (name, value) = self.content.split_once(':')?;
        let name = name.trim_matches(['"', '\'']);
        let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        named.then(|| (name, value.trim_start()))
    }
}

/// The line `kind: Secret` whose name is at `at`. It is only read if it is as short as such a line, since lines of other
/// texts can be long.
fn secret_at(text: &str, at: usize) -> Option<Line<'_>> {
    const DEEPEST: usize = 128;
    const LONGEST: usize = 32;
    let before = text.as_bytes().get(at.saturating_sub(DEEPEST)..at)?;
    let after = text.as_bytes().get(at..text.len().min(at + LONGEST))?;
    let margin = before.rsplit(|byte| *byte == b'\n').next()?;
    let blank = margin.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'+' | b'-' | b'"' | b'\''));
    let ends = after.contains(&b'\n') || at + LONGEST >= text.len();
    if !blank || margin.len() == DEEPEST || !ends {
        return None;
    }
    let line = Line::at(text, at - margin.len());
    let value = |value: &str| value.trim_end_matches(',').trim_matches(['"', '\'']).eq_ignore_ascii_case("secret");
    line.member().is_some_and(|(name, kind)| name == "kind" && value(kind)).then_some(line)
}

/// Where the object of a member begins, no earlier than `done`.
fn first(text: &str, member: &Line<'_>, done: usize) -> usize {
    let least = member.start.saturating_sub(REACH).max(done);
    let mut line = *member;
    while !(line.entry && line.indent == member.indent) {
        match line.previous(text) {
            Some(previous) if previous.start >= least && previous.continues(member.indent) => line = previous,
            _ => break,
        }
    }
    line.start
}

/// Where the object of a member ends.
fn last(text: &str, member: &Line<'_>) -> usize {
    let most = member.end.saturating_add(REACH);
    let mut line = *member;
    while let Some(next) = line.next(text) {
        let is_next_entry = next.entry && next.indent <= member.indent;
        if next.end > most || is_next_entry || !next.continues(member.indent) {
            break;
        }
        line = next;
    }
    line.end
}

/// Adds the values below `data` and `stringData` of an object whose members are indented this far.
fn values(text: &str, object: Range<usize>, indent: usize, found: &mut Vec<SecretMatch<'static>>) {
    let mut encoded = None;
    let mut next = Some(Line::at(text, object.start));
    while let Some(line) = next.filter(|line| line.start < object.end) {
        next = line.next(text);
        if line.content.is_empty() || line.content.starts_with('#') {
            continue;
        }
        if line.indent <= indent {
            encoded = line.member().and_then(|(name, _)| match name {
                "data" => Some(true),
                "stringData" => Some(false),
                _ => None,
            });
            continue;
        }
        let Some(encoded) = encoded else { continue };
        // A line without a name continues a value of several lines.
        let value = line.member().map_or(line.content, |(_, value)| value);
        let value = value.trim_end_matches(',').trim_matches(['"', '\'']);
        if counts(value, encoded)
            && let Some(start) = line_offset(&line, text, value)
        {
            found.push(SecretMatch { range: start..start + value.len(), kind: KIND, class: Class::Secret });
        }
    }
}

/// Where the last occurrence of a value in a line begins.
fn line_offset(line: &Line<'_>, text: &str, value: &str) -> Option<usize> {
    text.get(line.start..line.end)?.rfind(value).map(|at| line.start + at)
}

fn counts(value: &str, encoded: bool) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if encoded {
        return value.len() >= SHORTEST && value.bytes().all(base64) && !is_placeholder(value);
    }
    !value.starts_with("ENC[")
        && !matches!(value.as_bytes(), [b'|' | b'>', ..])
        && !is_placeholder(value)
        && !is_stand_in(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|secret| text.get(secret.range).unwrap_or_default()).collect()
    }

    #[test]
    fn values_are_found_before_and_after_the_kind_in_yaml_and_json() {
        let value = "cXVpZXRyaXZlcg==";
        for text in [
            format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  # of the database\n  x: {value}\n"),
            format!("data:\n  x: \"{value}\"\nkind: 'Secret'\nmetadata:\n  name: db"),
            format!("+kind: Secret\n+data:\n+  .dockercfg: |\n+    {value}\n"),
            format!("items:\n- apiVersion: v1\n  data:\n    x: {value}\n  kind: Secret\n- apiVersion: v1\n"),
            format!("{{\n  \"data\": {{\n    \"x\": \"{value}\",\n  }},\n  \"kind\": \"Secret\"\n}}\n"),
        ] {
            assert_eq!(found(&text), [value], "{text}");
        }
        assert_eq!(found("kind: Secret\nstringData:\n  x: quietriver\n  y: {{ .Values.y }}\n"), ["quietriver"]);
    }

    #[test]
    fn other_objects_and_other_members_are_left_alone() {
        let value = "cXVpZXRyaXZlcg==";
        for text in [
            format!("kind: ConfigMap\ndata:\n  x: {value}\n"),
            format!("kind: ExternalSecret\ndata:\n  x: {value}\n"),
            format!("kind: Secret\ndata:\n---\nkind: ConfigMap\ndata:\n  x: {value}\n"),
            format!("items:\n- kind: Secret\n  data:\n- kind: ConfigMap\n  data:\n    x: {value}\n"),
            format!("kind: Secret\nmetadata:\n  uid: {value}\ndata:\n  user: bWU=\ntype: Opaque\n"),
            format!("spec:\n  target:\n    kind: Secret\n  data:\n    x: {value}\n"),
        ] {
            assert_eq!(found(&text), Vec::<&str>::new(), "{text}");
        }
    }
}
