//! Loops that clippy wants to be written in another way, and whose suggestion leaves a part out: `<item>`, or `{ .. }`.

use super::report::{GLOB, Part, Report, rust_file};
use super::words;
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{between, has_word, is_bounded, is_name};

/// The name that takes the place of `<item>`.
const ITEM: &str = "item";

/// The repair, and why it is right.
pub(super) fn fix(report: &Report, shelf: &mut Shelf<'_>) -> Option<(Fix, &'static str)> {
    match report.code.as_str() {
        "clippy::needless_range_loop" => {
            indexed(report, shelf).map(|fix| (fix, "the index only serves to get the items"))
        }
        "clippy::while_let_loop" => {
            endless(report, shelf).map(|fix| (fix, "the loop ends as soon as the pattern fails"))
        }
        _ => None,
    }
}

/// `for item in list.iter()` for `for i in 0..list.len()`, with `item` for every `list[i]`.
fn indexed(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let (index, only) = match between(&report.message, "the loop variable `", "` is used to index `") {
        Some(index) => (index, false),
        None => (between(&report.message, "the loop variable `", "` is only used to index `")?, true),
    };
    let list = between(&report.message, "to index `", "`")?;
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let [suggestion] = report.suggestions.as_slice() else { return None };
    let [Part::Line { number, old, new }] = suggestion.parts.as_slice() else { return None };
    let head =
        |item: &str| Part::Line { number: *number, old: old.clone(), new: new.replace("<item>", item) }.edit(&source);
    let is_plain = is_name(index) && is_name(list) && new.matches("<item>").count() == 1;
    if !is_plain || !is_bounded(&head(index)?, &source, shelf, GLOB, words::KNOWN) {
        return None;
    }
    let close = end(&source, *number)?;
    let start = source.range(number + 1)?.start;
    let body = source.text.get(start..source.range(close)?.start)?;
    let mut edits = vec![head(ITEM)?];
    let use_of = format!("{list}[{index}]");
    let mut rest = String::new();
    let mut done = 0;
    for (at, _) in body.match_indices(&use_of) {
        let before = body.get(..at)?;
        let line = before.rsplit('\n').next()?;
        if line.contains("//")
            || line.matches('"').count() % 2 == 1
            || before.ends_with(|c: char| c.is_alphanumeric() || "_.".contains(c))
        {
            return None;
        }
        let after = body.get(at + use_of.len()..)?;
        let borrowed = ["&mut ", "&"].iter().find(|sign| before.ends_with(**sign) && !before.ends_with("&&"));
        let is_member = after.starts_with(['.', '[']);
        if after.starts_with('?') || borrowed.is_some() && is_member {
            return None;
        }
        let from = start + at - borrowed.map_or(0, |sign| sign.len());
        let text = if is_member || borrowed.is_some() { ITEM.to_owned() } else { format!("*{ITEM}") };
        edits.push(Edit::replace(from..start + at + use_of.len(), text));
        rest.push_str(body.get(done..at)?);
        done = at + use_of.len();
    }
    rest.push_str(body.get(done..)?);
    let is_left = only && has_word(&rest, index) || has_word(&rest, list) || has_word(body, ITEM);
    (edits.len() > 1 && !is_left)
        .then(|| Fix::new(&source, *number, edits, format!("iterate over the items of `{list}`")))
}

/// `while let` for a `loop` that consists of a `match`, or begins with one, whose other arm is `break`.
fn endless(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let (first, last) = report.span.filter(|(first, last)| last - first >= 4)?;
    let line = |number: usize| source.line(number).map_or("", str::trim);
    if line(first) != "loop {" || line(last) != "}" {
        return None;
    }
    let start = source.range(first)?.end - "loop {".len();
    let edits = if let Some((name, value)) =
        line(first + 1).strip_prefix("let ").and_then(|rest| rest.split_once(" = match "))
    {
        let pattern =
            bound(name, line(first + 2), line(first + 3)).or_else(|| bound(name, line(first + 3), line(first + 2)))?;
        let value = value.strip_suffix(" {").filter(|_| line(first + 4) == "};")?;
        vec![Edit::replace(start..source.range(first + 4)?.end, format!("while let {pattern} = {value} {{"))]
    } else {
        let value = line(first + 1).strip_prefix("match ")?.strip_suffix(" {")?;
        let is_break =
            ["_ => break", "None => break", "Err(_) => break"].contains(&line(last - 2).trim_end_matches(','));
        let body = (first + 2..last - 2).find(|number| line(*number).ends_with("=> {"))?;
        let pattern: Vec<&str> = (first + 2..=body).map(line).collect();
        let pattern = pattern.join(" ");
        let pattern = pattern.strip_suffix(" => {")?;
        let is_only =
            end(&source, body) == Some(last - 3) && ["}", "},"].contains(&line(last - 3)) && line(last - 1) == "}";
        if !is_break || !is_only || pattern.contains("=>") || has_word(pattern, "if") {
            return None;
        }
        let head = Edit::replace(start..source.range(body)?.end, format!("while let {pattern} = {value} {{"));
        let tail = Edit::replace(source.range(last - 3)?.start..source.range(last)?.start, "");
        let mut edits = vec![head, tail];
        // What was inside of two blocks is now inside of one.
        let depth = indent(source.line(body + 1)?).checked_sub(indent(source.line(first)?))?;
        let step = indent(source.line(first + 1)?).checked_sub(indent(source.line(first)?))?;
        for number in body + 1..last - 3 {
            let range = source.range(number)?;
            if !range.is_empty() {
                source.line(number).filter(|line| indent(line) >= depth - step)?;
                edits.push(Edit::replace(range.start..range.start + depth - step, ""));
            }
        }
        edits
    };
    Some(Fix::new(&source, first, edits, "loop while the pattern matches"))
}

/// `Some(mut a)` for `let mut a = match … { Some(b) => b, None => break };`.
fn bound(name: &str, taken: &str, other: &str) -> Option<String> {
    let (pattern, value) = taken.trim_end_matches(',').split_once(" => ")?;
    let (kind, inner) = pattern.strip_suffix(')')?.split_once('(')?;
    let ends = match kind {
        "Some" => ["None => break", "_ => break"],
        "Ok" => ["Err(_) => break", "_ => break"],
        _ => return None,
    };
    let plain = inner == value && is_name(value) && is_name(name.strip_prefix("mut ").unwrap_or(name));
    (plain && ends.contains(&other.trim_end_matches(','))).then(|| format!("{kind}({name})"))
}

/// The line that closes the block which a line opens: the next one that is not indented more.
fn end(source: &Source, number: usize) -> Option<usize> {
    let depth = indent(source.line(number).filter(|line| line.ends_with('{'))?);
    let is_outside =
        |number: &usize| source.line(*number).is_some_and(|line| !line.trim().is_empty() && indent(line) <= depth);
    (number + 1..=source.count())
        .find(is_outside)
        .filter(|end| source.line(*end).is_some_and(|line| line.trim_start().starts_with('}')))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
