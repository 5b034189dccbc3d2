//! YAML: tabs, quotes, colons and indentation, in the line of the error or in the one before.

use saphyr_parser::{Event, Parser};

use super::attempt::{Attempt, doubled_backslashes};
use crate::fix::Edit;
use crate::source::Source;

/// The events of the document without their places, or the byte at which the text stops being YAML.
pub(super) fn parse(text: &str) -> Result<String, usize> {
    let mut shape = String::new();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((Event::Scalar(value, style, ..), _)) => {
                let quoted = !matches!(style, saphyr_parser::ScalarStyle::Plain);
                shape += &format!("{quoted}{value:?},");
            }
            Ok((event, _)) => {
                shape += match event {
                    Event::SequenceStart(..) => "[",
                    Event::SequenceEnd => "]",
                    Event::MappingStart(..) => "{",
                    Event::MappingEnd => "}",
                    Event::DocumentStart(..) => "---",
                    Event::Alias(..) => "*",
                    _ => "",
                };
            }
            Err(error) => {
                let line = error.marker().line().saturating_sub(1);
                return Err(text.split_inclusive('\n').take(line).map(str::len).sum());
            }
        }
    }
    Ok(shape)
}

/// The attempts for an error in a line, and for the two lines before it.
pub(super) fn attempts(source: &Source, number: usize) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> =
        [2, 4, 8].into_iter().map(|width| (tabs(source, width), "indent with spaces")).collect();
    attempts.retain(|(edits, _)| !edits.is_empty());
    // A file with tabs has that fault first.
    if !attempts.is_empty() {
        return attempts;
    }
    attempts.extend(first_line(source).map(|edit| (vec![edit], "indent the first line as the others")));
    for number in number.saturating_sub(2).max(1)..=number {
        let (Some(range), Some(line)) = (source.range(number), source.line(number)) else { continue };
        let moved = |edit: Edit| Edit { start: edit.start + range.start, end: edit.end + range.start, ..edit };
        let before = number.checked_sub(1).and_then(|number| source.line(number));
        let made =
            in_line(line, before).into_iter().map(|(edits, what)| (edits.into_iter().map(moved).collect(), what));
        attempts.extend(made);
    }
    attempts
}

/// Indents the first line, if it alone begins at the margin: whoever copies a part of a file often leaves its indentation out.
fn first_line(source: &Source) -> Option<Edit> {
    let is_content = |number: &usize| {
        source.line(*number).is_some_and(|line| !matches!(line.trim(), "" | "---") && !line.trim().starts_with('#'))
    };
    let indent = |number: usize| source.line(number).map_or(0, |line| line.len() - line.trim_start().len());
    let mut lines = (1..=source.count()).filter(is_content);
    let first = lines.next().filter(|number| indent(*number) == 0)?;
    let others = lines.map(indent).min().filter(|indent| *indent > 0)?;
    Some(Edit::insert(source.range(first)?.start, " ".repeat(others)))
}

/// Replaces each tab of an indentation.
fn tabs(source: &Source, width: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    for number in 1..=source.count() {
        let (Some(range), Some(line)) = (source.range(number), source.line(number)) else { continue };
        let indent = line.len() - line.trim_start().len();
        if line[..indent].contains('\t') && indent < line.len() {
            edits.push(Edit::replace(
                range.start..range.start + indent,
                line[..indent].replace('\t', &" ".repeat(width)),
            ));
        }
    }
    edits
}

fn in_line(line: &str, before: Option<&str>) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> = Vec::new();
    let indent = line.len() - line.trim_start().len();
    let body = line.trim();
    if body.is_empty() || body.starts_with('#') {
        return attempts;
    }
    let end = line.trim_end().len();
    let item = if body.starts_with("- ") { indent + 2 } else { indent };
    let mut one = |edits: Vec<Edit>, what: &'static str| attempts.push((edits, what));
    let is_key = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    // `key: value`, or `- value`.
    let value = match line[item..end].split_once(": ") {
        Some((key, value)) if is_key(key) => Some(end - value.trim_start().len()),
        _ => (item > indent).then_some(item),
    };
    if let Some(start) = value {
        let text = &line[start..end];
        // A star and a name would be an alias, and a bracket a list.
        let star = text.strip_prefix('*').is_some_and(|rest| rest.starts_with(['.', '/', '*']));
        let starts_odd = star || text.starts_with(['@', '`', '%']);
        // An expression of a template engine would be a mapping.
        let is_template = text.starts_with("{{") && text.contains("}}");
        if (text.contains(": ") || text.ends_with(':') || starts_odd || is_template)
            && (is_template || !text.starts_with(['"', '\'', '[', '{', '&', '!', '|', '>']))
            && !text.contains(" #")
        {
            let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            one(vec![Edit::replace(start..end, quoted)], "put the value in quotes");
        }
        for quote in ['"', '\''] {
            if text.starts_with(quote) && text.matches(quote).count() == 1 {
                one(vec![Edit::insert(end, quote.to_string())], "close the text in quotes");
            }
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''))
            && inner.contains('\'')
            && !inner.contains("''")
        {
            one(
                vec![Edit::replace(start + 1..end - 1, inner.replace('\'', "''"))],
                "double the quotes inside of the text",
            );
        }
        if text.starts_with('"') && text.ends_with('"') {
            let edits = doubled_backslashes(text, start, "0abtnvfre \"/\\N_LPxuU");
            if !edits.is_empty() {
                one(edits, "escape the backslashes");
            }
        }
    }
    if let Some(colon) = line.find(':')
        && is_key(&line[item..colon.max(item)])
        && line[colon + 1..].starts_with(|c: char| c.is_alphanumeric() || "\"'".contains(c))
    {
        one(vec![Edit::insert(colon + 1, " ")], "put a space after the colon");
    }
    if is_key(body) && !body.contains(['.', '/']) {
        one(vec![Edit::insert(end, ":")], "add the missing colon");
    }
    if let Some(other) = before.map(|before| before.len() - before.trim_start().len())
        && other.abs_diff(indent) == 1
    {
        one(vec![Edit::replace(0..indent, " ".repeat(other))], "indent the line as the one before it");
    }
    attempts
}
