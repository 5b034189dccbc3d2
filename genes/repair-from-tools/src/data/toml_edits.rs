//! TOML: quotes, brackets, commas, keywords and backslashes, in the line of the error or in the one before.

use toml::de::DeTable;

use super::attempt::{Attempt, doubled_backslashes};
use crate::fix::Edit;
use crate::source::Source;

/// The document in the parser's own words, or the byte at which the text stops being TOML.
pub(super) fn parse(text: &str) -> Result<String, usize> {
    match DeTable::parse(text) {
        Ok(table) => Ok(shape(&toml::de::DeValue::Table(table.into_inner()))),
        Err(error) => Err(error.span().map_or(0, |span| span.start)),
    }
}

/// A value without its places in the text.
fn shape(value: &toml::de::DeValue<'_>) -> String {
    use toml::de::DeValue;
    match value {
        DeValue::Table(table) => {
            let mut text = String::from("{");
            for (key, value) in table {
                text += &format!("{:?}:{},", key.get_ref(), shape(value.get_ref()));
            }
            text + "}"
        }
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| shape(item.get_ref())).collect();
            format!("[{}]", items.join(","))
        }
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Integer(value) => format!("i{value}"),
        DeValue::Float(value) => format!("f{value}"),
        DeValue::Datetime(value) => value.to_string(),
    }
}

/// The attempts for an error in a line, and for the lines before it and after it.
pub(super) fn attempts(source: &Source, number: usize) -> Vec<Attempt> {
    let lines = [Some(number), number.checked_sub(1), Some(number + 1)];
    let mut attempts: Vec<Attempt> = Vec::new();
    for number in lines.into_iter().flatten() {
        let (Some(range), Some(line)) = (source.range(number), source.line(number)) else { continue };
        let moved = |edit: Edit| Edit { start: edit.start + range.start, end: edit.end + range.start, ..edit };
        attempts.extend(in_line(line).into_iter().map(|(edits, what)| (edits.into_iter().map(moved).collect(), what)));
    }
    attempts
}

fn in_line(line: &str) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> = Vec::new();
    let body = line.trim();
    if body.is_empty() || body.contains("\"\"\"") || body.contains("'''") {
        return attempts;
    }
    let indent = line.len() - line.trim_start().len();
    let end = without_comment(line).trim_end().len();
    let code = &line[..end];
    let mut one = |edit: Edit, what: &'static str| attempts.push((vec![edit], what));
    if let Some(rest) = body.strip_prefix("//") {
        one(Edit::replace(indent..line.len(), format!("#{rest}")), "begin the comment with `#`");
    }
    if body.starts_with('[') && !code.contains('=') {
        let missing = if body.starts_with("[[") { 2 } else { 1 };
        let closed = code.trim_end().chars().rev().take_while(|c| *c == ']').count();
        if closed < missing && code[indent..].chars().all(|c| c.is_alphanumeric() || "[]._-\" ".contains(c)) {
            one(Edit::insert(end, "]".repeat(missing - closed)), "close the table's name");
        }
    }
    if code.matches('"').count() % 2 == 1 {
        one(Edit::insert(line.trim_end().len(), "\""), "close the text in quotes");
        if let Some(rest) = line.trim_end().strip_suffix([',', ']', '}']) {
            one(Edit::insert(rest.trim_end().len(), "\""), "close the text in quotes");
        }
    }
    if code.matches('\'').count() % 2 == 1 && !code.contains('"') {
        one(Edit::insert(line.trim_end().len(), "'"), "close the text in quotes");
    }
    if let Some(rest) = code.strip_suffix([',', ';'])
        && code.contains('=')
    {
        one(Edit::replace(rest.len()..end, ""), "remove the mark at the end of the line");
    }
    if code.ends_with(['"', '\'', '}', ']']) || code.ends_with(|c: char| c.is_ascii_digit()) {
        one(Edit::insert(end, ","), "add the missing comma");
    }
    for (at, _) in code.match_indices("\" \"") {
        one(Edit::insert(at + 1, ","), "add the missing comma");
    }
    if let Some(colon) = code.find(':')
        && !code.contains('=')
        && code[..colon].trim().chars().all(|c| c.is_alphanumeric() || "_-.\"".contains(c))
    {
        one(Edit::replace(code[..colon].trim_end().len()..colon + 1, " ="), "set the value with `=`");
    }
    if let Some((key, value)) = code.split_once('=') {
        let start = key.len() + 1 + (value.len() - value.trim_start().len());
        let value = value.trim();
        match value {
            "True" | "TRUE" => {
                one(Edit::replace(start..start + value.len(), "true"), "write true and false in small letters");
            }
            "False" | "FALSE" => {
                one(Edit::replace(start..start + value.len(), "false"), "write true and false in small letters");
            }
            _ if is_bare(value) => {
                one(Edit::replace(start..start + value.len(), format!("\"{value}\"")), "put the value in quotes");
            }
            _ => {}
        }
        if value.len() > 1 && value.starts_with('"') && value.ends_with('"') {
            let edits = doubled_backslashes(value, start, "btnfreuUx\"\\");
            if !edits.is_empty() {
                attempts.push((edits, "escape the backslashes"));
            }
        }
    }
    attempts
}

/// Whether a value is a plain word that only quotes make a text.
fn is_bare(value: &str) -> bool {
    let starts = value.starts_with(|c: char| c.is_alphanumeric() || "./^~<>=*".contains(c));
    let keyword =
        matches!(value.to_ascii_lowercase().as_str(), "null" | "none" | "nil" | "true" | "false" | "yes" | "no");
    starts && !keyword && value.chars().all(|c| c.is_alphanumeric() || "./^~<>=*_-+@".contains(c))
}

/// The line up to its comment.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '#' => return &line[..at],
            _ => {}
        }
    }
    line
}
