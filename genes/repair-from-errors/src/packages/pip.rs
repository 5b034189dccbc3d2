//! Edits of `requirements.txt`, and of the dependencies in `pyproject.toml`.

use crate::edit::{Edit, apply, line_ending, physical_lines};

/// The manifest with a package added; `None` if it names the package already.
pub(super) fn added(source: &[u8], package: &str) -> Option<Vec<u8>> {
    match read(source)? {
        List::Lines(names) if !names.iter().any(|entry| entry.0 == normal(package)) => appended(source, package),
        List::Array(names, end) if !names.contains(&normal(package)) => {
            inserted(source, end, package, names.is_empty())
        }
        _ => None,
    }
}

/// The manifest with a bound for a package; `None` if it has another requirement for it already.
pub(super) fn bounded(source: &[u8], package: &str, bound: &str) -> Option<Vec<u8>> {
    match read(source)? {
        List::Lines(names) => match names.iter().find(|entry| entry.0 == normal(package)) {
            None => appended(source, &format!("{package}{bound}")),
            Some((_, Some(end))) => apply(source, vec![Edit::insert(*end, bound)]),
            Some(_) => None,
        },
        List::Array(names, end) if !names.contains(&normal(package)) => {
            inserted(source, end, &format!("{package}{bound}"), names.is_empty())
        }
        List::Array(..) => None,
    }
}

/// What a manifest requires.
enum List {
    /// The lines of `requirements.txt`: the name, and its end if the line has nothing else.
    Lines(Vec<(String, Option<usize>)>),
    /// The array in `pyproject.toml`: the names, and the end of the array.
    Array(Vec<String>, usize),
}

fn read(source: &[u8]) -> Option<List> {
    let text = std::str::from_utf8(source).ok()?;
    if !text.lines().any(|line| line.starts_with('[') || line.contains(" = ")) {
        return Some(List::Lines(requirements(source)?));
    }
    // A heading may stand in a text of several lines.
    if text.contains("\"\"\"") || text.contains("'''") {
        return None;
    }
    let mut in_project = false;
    for line in physical_lines(source) {
        let code = text.get(line.clone())?;
        if code.trim_start().starts_with('[') {
            in_project = code.trim() == "[project]";
        }
        let value = code.strip_prefix("dependencies").and_then(|rest| rest.trim_start().strip_prefix('='));
        if let Some(list) = value.filter(|_| in_project).and_then(|value| value.trim_start().strip_prefix('[')) {
            return array(text, line.start + code.len() - list.len());
        }
    }
    None
}

/// The array of plain strings whose first item begins at `at` or after it. `None` if it has anything else: a TOML reader would
/// double the size of this module's part of the component, and the other forms are rare.
fn array(text: &str, mut at: usize) -> Option<List> {
    let mut names = Vec::new();
    let mut wants_comma = false;
    loop {
        let rest = text.get(at..)?;
        let first = rest.chars().next()?;
        at += match first {
            ']' => return Some(List::Array(names, at)),
            '#' => rest.find('\n')?,
            ',' if wants_comma => 1,
            '"' | '\'' if !wants_comma => {
                let inner = rest.get(1..)?.split(first).next().filter(|inner| !inner.contains(['\\', '\n']))?;
                names.push(name(inner));
                inner.len() + 2
            }
            _ if first.is_ascii_whitespace() => 1,
            _ => return None,
        };
        wants_comma = match first {
            ',' => false,
            '"' | '\'' => true,
            _ => wants_comma,
        };
    }
}

/// The requirements of a `requirements.txt`. `None` if it has hashes, since every line needs one then.
fn requirements(source: &[u8]) -> Option<Vec<(String, Option<usize>)>> {
    let mut names = Vec::new();
    for line in physical_lines(source) {
        let text = std::str::from_utf8(source.get(line.clone())?).ok()?;
        if text.contains("--hash") {
            return None;
        }
        let code = text.split('#').next().unwrap_or_default().trim();
        let plain = !code.is_empty() && !code.starts_with('-');
        if plain {
            let is_name = code.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
            let end = line.start + text.find(code)? + code.len();
            names.push((name(code), is_name.then_some(end)));
        }
    }
    (!names.is_empty()).then_some(names)
}

/// The normal form of the name that a requirement begins with.
fn name(requirement: &str) -> String {
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
    normal(requirement.get(..end.unwrap_or(requirement.len())).unwrap_or_default())
}

fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

fn appended(source: &[u8], requirement: &str) -> Option<Vec<u8>> {
    let ending = line_ending(source, 0);
    let text = if source.ends_with(b"\n") {
        format!("{requirement}{ending}")
    } else {
        format!("{ending}{requirement}{ending}")
    };
    apply(source, vec![Edit::insert(source.len(), text)])
}

/// Adds an item at the end of an array, on a line of its own if the last item has one.
fn inserted(source: &[u8], end: usize, requirement: &str, is_empty: bool) -> Option<Vec<u8>> {
    let before = source.get(..end)?;
    let last = before.iter().rposition(|byte| !byte.is_ascii_whitespace())?;
    let gap = std::str::from_utf8(before.get(last + 1..)?).ok()?;
    // A comment after the last item would swallow the new one.
    let line = before.get(before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)..)?;
    if before.get(last)? != &b',' && !matches!(before.get(last)?, b'"' | b'\'' | b'[') || line.contains(&b'#') {
        return None;
    }
    let comma = if is_empty || before.get(last) == Some(&b',') { "" } else { "," };
    if !gap.contains('\n') {
        let space = if is_empty { "" } else { " " };
        return apply(source, vec![Edit::replace(last + 1..end, format!("{comma}{space}\"{requirement}\""))]);
    }
    let start = before.get(..last)?.iter().rposition(|byte| *byte == b'\n')? + 1;
    let item = std::str::from_utf8(before.get(start..=last)?).ok()?;
    let indent: String = item.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let text = format!("{comma}{}{indent}\"{requirement}\",", line_ending(source, 0));
    apply(source, vec![Edit::insert(last + 1, text)])
}
