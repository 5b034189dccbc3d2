//! With how many cases a test or a loop runs, as far as the text tells.

use std::collections::{BTreeSet, HashMap};

use super::shape::Tongue;
use super::tree::{Node, top_level};

/// Most cases that are distinguished.
const MAX_CASES: u64 = 10_000;

/// The lists that a file names, with their lengths.
pub(super) type Lists = HashMap<String, u64>;

/// The named lists of a file or a block.
pub(super) fn lists(nodes: &[Node]) -> Lists {
    let mut into = Lists::new();
    for node in nodes {
        let Some((name, value)) = node.said.split_once('=') else { continue };
        let name = name.trim_end_matches([':', ' ']).trim();
        let name = name.split([':', ' ']).rfind(|word| !word.is_empty()).unwrap_or_default();
        let named = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'));
        if named && let Some(length) = length(value, node) {
            into.entry(name.to_owned()).or_insert(length);
        }
    }
    into
}

/// The length of a named list.
fn known_as(name: &str, known: &[&Lists]) -> Option<u64> {
    known.iter().rev().find_map(|lists| lists.get(name)).copied()
}

/// The number of values in a list that is written out.
fn length(value: &str, node: &Node) -> Option<u64> {
    let value = value.trim().trim_start_matches('&');
    // The elements of a list in Go are a block, behind its type.
    let is_typed = value.ends_with("{}") && (value.starts_with("[]") || !value.starts_with(['[', '(', '{']));
    match node.blocks.last().filter(|_| is_typed) {
        Some(block) => Some(rows(block)),
        None => elements(value),
    }
}

/// How often a function runs that is handed to a list which is written out or named: `[1, 2].forEach(…)`, `rows.forEach(…)`.
pub(super) fn of_inline(said: &str, known: &[&Lists]) -> u64 {
    const HANDS: [&str; 4] = ["].forEach(", "].map(", "].every(", "].each("];
    let Some(list) = said.strip_prefix('[') else {
        let name = HANDS.iter().find_map(|hands| Some(said.split_once(hands.strip_prefix(']')?)?.0));
        return name.and_then(|name| known_as(name, known)).unwrap_or(1).max(1);
    };
    let end = HANDS.iter().filter_map(|hands| list.find(hands)).min();
    end.and_then(|end| elements(&format!("[{}]", list.get(..end)?))).map_or(1, |count| count.max(1))
}

/// The elements of a list that is a block.
fn rows(block: &[Node]) -> u64 {
    let of_node = |node: &Node| {
        if node.blocks.is_empty() {
            node.text.split(',').filter(|part| !part.trim().is_empty()).count()
        } else {
            node.blocks.len()
        }
    };
    block.iter().map(|node| of_node(node) as u64).sum()
}

/// The number of different values in a list that is written out.
pub(super) fn elements(value: &str) -> Option<u64> {
    let value = value.trim().trim_start_matches('&');
    if let Some(inner) = value.strip_prefix("range(") {
        let last = inner.split(')').next()?.split(',').collect::<Vec<_>>();
        let bounds: Vec<u64> = last.iter().filter_map(|number| number.trim().parse().ok()).collect();
        return match bounds.as_slice() {
            [to] if last.len() == 1 => Some((*to).min(MAX_CASES)),
            [from, to] if last.len() == 2 => Some(to.saturating_sub(*from).min(MAX_CASES)),
            _ => None,
        };
    }
    if let Some((from, to)) = value.split_once("..")
        && let (Ok(from), Ok(to)) = (from.trim().parse::<u64>(), to.trim().parse::<u64>())
    {
        return Some(to.saturating_sub(from).min(MAX_CASES));
    }
    let value = value.strip_prefix("vec!").unwrap_or(value);
    let close = match value.bytes().next()? {
        b'[' => ']',
        b'(' => ')',
        b'{' => '}',
        _ => return None,
    };
    let end = closes(value, close).or_else(|| value.rfind(close))?;
    // What stands behind the list may pick from it.
    let behind = value.get(end + 1..)?;
    let most = if behind.starts_with(['.', '[']) { Some(pick(behind)?) } else { None };
    let inside = value.get(1..end)?;
    let (mut parts, mut start) = (Vec::new(), 0);
    let ends: Vec<usize> =
        top_level(inside).filter(|(_, byte)| *byte == b',').map(|(at, _)| at).chain([inside.len()]).collect();
    for end in ends {
        parts.push(inside.get(start..end).unwrap_or_default().trim());
        start = end + 1;
    }
    parts.retain(|part| !part.is_empty());
    // A block that is left out may be anything, so that two of them can differ.
    let count = if parts.iter().any(|part| part.contains("{}")) {
        parts.len() as u64
    } else {
        parts.into_iter().collect::<BTreeSet<_>>().len() as u64
    };
    Some(most.map_or(count, |pick| pick.of(count)))
}

/// Which elements of a list are taken.
struct Pick {
    from: u64,
    to: u64,
}

impl Pick {
    fn of(&self, count: u64) -> u64 {
        self.to.min(count).saturating_sub(self.from)
    }
}

/// Where a list closes.
fn closes(value: &str, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let at = value.char_indices().find_map(|(at, c)| {
        depth += usize::from(matches!(c, '[' | '(' | '{'));
        depth = depth.saturating_sub(usize::from(matches!(c, ']' | ')' | '}')));
        (depth == 0).then_some((at, c))
    });
    at.filter(|(_, c)| *c == close).map(|(at, _)| at)
}

/// What is picked from a list; `None` if that is not clear.
fn pick(behind: &str) -> Option<Pick> {
    const ALL: u64 = u64::MAX;
    const WHOLE: [&str; 8] = [
        ".iter()",
        ".into_iter()",
        ".iter().copied()",
        ".iter().enumerate()",
        ".iter().cloned()",
        ".entries()",
        ".items()",
        ".values()",
    ];
    let behind = behind.trim().trim_end_matches([',', ';']);
    if WHOLE.contains(&behind) {
        return Some(Pick { from: 0, to: ALL });
    }
    let number = |text: &str| if text.is_empty() { Some(None) } else { text.trim().parse().ok().map(Some) };
    if let Some(range) = behind.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let (from, to) = range.split_once(':')?;
        return Some(Pick { from: number(from)?.unwrap_or(0), to: number(to)?.unwrap_or(ALL) });
    }
    let bare = [".iter()", ".into_iter()"].iter().find_map(|start| behind.strip_prefix(start)).unwrap_or(behind);
    let (call, arguments) = bare.strip_prefix('.')?.strip_suffix(')')?.split_once('(')?;
    let numbers: Vec<u64> = arguments.split(',').filter_map(|text| text.trim().parse().ok()).collect();
    match (call, numbers.as_slice()) {
        ("take" | "first", [to]) => Some(Pick { from: 0, to: *to }),
        ("skip" | "slice", [from]) => Some(Pick { from: *from, to: ALL }),
        ("slice", [from, to]) => Some(Pick { from: *from, to: *to }),
        _ => None,
    }
}

/// How often a loop over this runs; `None` if the text does not tell.
pub(super) fn of_loop(subject: &str, node: &Node, known: &[&Lists]) -> Option<u64> {
    let subject = subject.trim();
    // The last block is the body.
    if let Some(block) = node.blocks.iter().rev().nth(1).filter(|_| subject.ends_with("{}")) {
        return Some(rows(block));
    }
    let subject = subject.strip_prefix("enumerate(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(subject);
    let name = subject.split(['.', '(']).next().unwrap_or_default().trim_start_matches('&');
    elements(subject).or_else(|| known_as(name, known))
}

/// With how many cases a test runs, by the text before its body.
pub(super) fn of_test(tongue: Tongue, headers: &[&str], known: &[&Lists]) -> u64 {
    let count = match tongue {
        Tongue::Python => headers.iter().filter_map(|header| parametrized(header, known)).fold(1, u64::saturating_mul),
        Tongue::JavaScript => headers.iter().find_map(|header| each(header, known)).unwrap_or(1),
        Tongue::Rust => {
            let marks = |header: &&str| {
                ["#[case", "#[test_case", "#[values"].iter().map(|m| header.matches(m).count()).sum::<usize>()
            };
            headers.iter().map(marks).sum::<usize>().max(1) as u64
        }
        Tongue::Go => 1,
    };
    count.min(MAX_CASES)
}

fn parametrized(header: &str, known: &[&Lists]) -> Option<u64> {
    let (_, rest) = header.split_once("parametrize")?;
    let rest = rest.trim_start().strip_prefix('(')?;
    let comma = top_level(rest).find(|(_, byte)| *byte == b',')?.0;
    let values = rest.get(comma + 1..)?.trim().trim_start_matches("argvalues=");
    let end = top_level(values).find(|(_, byte)| *byte == b',').map_or(values.len(), |(at, _)| at);
    let values = values.get(..end)?;
    elements(values).or_else(|| known_as(values.trim_end_matches(')').trim(), known))
}

fn each(header: &str, known: &[&Lists]) -> Option<u64> {
    let (_, rest) = header.split_once(".each").or_else(|| header.split_once(".for"))?;
    let rest = rest.trim_start();
    if let Some(table) = rest.strip_prefix('`') {
        // A row of such a table has a value for each of its columns.
        let columns = table.split("${").next()?.matches('|').count() + 1;
        return Some((table.matches("${").count() / columns).max(1) as u64);
    }
    let rest = rest.strip_prefix('(')?;
    let end = top_level(rest).find(|(_, byte)| *byte == b',').map_or(rest.len(), |(at, _)| at);
    let mut depth = 0_usize;
    let closes = rest.bytes().position(|byte| {
        depth += usize::from(matches!(byte, b'(' | b'['));
        let ends = byte == b')' && depth == 0;
        depth -= usize::from(matches!(byte, b')' | b']') && depth > 0);
        ends
    });
    let values = rest.get(..closes.unwrap_or(end))?;
    elements(values).or_else(|| known_as(values.trim(), known))
}
