//! Whether a check compares something with itself, or with what the same expression gave a moment ago.

use std::collections::HashMap;

use super::tree::Node;

/// The variables of a block that are given a value once, with that value.
pub(super) type Values<'a> = HashMap<&'a str, Option<&'a str>>;

/// Longest side of a comparison that is looked into.
const MAX_BYTES: usize = 4096;

/// What gives a copy of the thing in its parentheses, or of the thing before it.
const COPIES: [(&str, &str); 15] = [
    ("(", ")"),
    ("&", ""),
    ("await ", ""),
    ("copy(", ")"),
    ("copy.copy(", ")"),
    ("copy.deepcopy(", ")"),
    ("deepcopy(", ")"),
    ("dict(", ")"),
    ("list(", ")"),
    ("structuredClone(", ")"),
    ("", ".clone()"),
    ("", ".copy()"),
    ("", ".dup"),
    ("", ".to_owned()"),
    ("", ".to_vec()"),
];

/// The names and values of the statements of a block.
pub(super) fn values(nodes: &[Node]) -> Values<'_> {
    let mut values = Values::new();
    for node in nodes {
        let Some((name, value)) = node.said.split_once('=').filter(|(_, value)| !value.starts_with(['=', '>'])) else {
            continue;
        };
        let name = name.trim_end_matches([':', ' ']);
        let name = name.split(':').next().unwrap_or_default().trim();
        let name = name.rsplit(' ').next().unwrap_or_default();
        let value = value.trim().trim_end_matches(';');
        if is_name(name) && !node.said.contains("==") {
            let is_new = !values.contains_key(name);
            values.insert(name, Some(value).filter(|_| is_new));
        }
    }
    values
}

/// Whether two sides of a comparison are the same thing, as far as their text and these values tell.
pub(super) fn is_alike(left: &str, right: &str, around: &[&Values<'_>]) -> bool {
    let (left, right) = (bare(left), bare(right));
    // A block that is left out may be anything.
    let is_open = |text: &str| text.is_empty() || text.contains("{}");
    let is_named_there =
        |whole: &str, name: &str| whole.split_once(":=").is_some_and(|(given, _)| given.trim() == name);
    if left == right || is_named_there(left, right) || is_named_there(right, left) {
        return !is_open(left);
    }
    let value = |name: &str| {
        let value = around.iter().rev().find_map(|values| values.get(name).copied())??;
        Some(bare(value)).filter(|value| value.contains('(') && !is_open(value))
    };
    let (old, new) = (value(left), value(right));
    old.is_some_and(|old| old == right) || new.is_some_and(|new| new == left)
}

/// The thing itself, without what only copies it.
fn bare<'a>(text: &'a str) -> &'a str {
    let mut text = text.trim();
    if text.len() > MAX_BYTES {
        return text;
    }
    // Most things are no copies, and begin and end with none of these.
    let may_copy = |text: &str| text.ends_with([')', 'p']) || text.starts_with(['&', 'a']);
    let begins_so = |text: &str, start: &str| start.is_empty() || text.bytes().next() == start.bytes().next();
    let copied = |text: &'a str| {
        COPIES.iter().filter(|(start, _)| begins_so(text, start)).find_map(|(start, end)| {
            let inner = text.strip_prefix(start)?.strip_suffix(end)?;
            is_whole(inner).then(|| inner.trim())
        })
    };
    while let Some(inner) = may_copy(text).then(|| copied(text)).flatten() {
        text = inner;
    }
    for (open, close) in [("[...", "]"), ("{...", "}"), ("{ ...", "}")] {
        text = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).unwrap_or(text).trim();
    }
    text
}

/// Whether the brackets of a text close within it.
pub(super) fn is_whole(text: &str) -> bool {
    let mut depth = 0_i64;
    let closes = text.bytes().all(|byte| {
        depth += i64::from(matches!(byte, b'(' | b'[' | b'{')) - i64::from(matches!(byte, b')' | b']' | b'}'));
        depth >= 0
    });
    closes && depth == 0
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(statements: &[&str], left: &str, right: &str) -> bool {
        let node = |said: &&str| Node { said: (*said).to_owned(), text: (*said).to_owned(), ..Node::default() };
        let nodes: Vec<Node> = statements.iter().map(node).collect();
        is_alike(left, right, &[&values(&nodes)])
    }

    #[test]
    fn a_thing_is_like_itself() {
        assert!(alike(&[], "f(x)", "f(x)"));
        assert!(alike(&[], "f(x).clone()", "&f(x)"));
        assert!(alike(&[], "[...v]", "v"));
        assert!(alike(&["want = f(x)"], "f(x)", "want"));
        assert!(alike(&["const want: number = await f(x);"], "want", "f(x)"));
        assert!(alike(&["want := f(x)"], "want", "f(x)"));
        assert!(alike(&[], "(t := f(x))", "t"));
    }

    #[test]
    fn other_things_are_not() {
        assert!(!alike(&[], "f(x)", "f(y)"));
        assert!(!alike(&[], "f(f(x))", "f(x)"));
        assert!(!alike(&["want = 5"], "f(x)", "want"));
        assert!(!alike(&["got = f(x)"], "got", "5"));
        assert!(!alike(&["want = f(x)", "want = 3"], "f(x)", "want"), "it has another value by then");
        assert!(!alike(&["a = f(x)", "b = g(x)"], "a", "b"));
        assert!(!alike(&[], "(a) + (b)", "a) + (b"));
    }
}
