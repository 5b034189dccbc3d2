//! Items that a lint wants to be added or removed, and whose suggestion the terminal does not show as one edit.

use super::report::{Report, rust_file};
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::text::{between, is_name, positions};

/// The repair, and why it is right.
pub(super) fn fix(report: &Report, shelf: &mut Shelf<'_>) -> Option<(Fix, &'static str)> {
    if report.code == "clippy::new_without_default" {
        return default(report, shelf).map(|fix| (fix, "a type with `new()` has a default"));
    }
    let inherent = "use of deprecated trait `std::ascii::AsciiExt`: use inherent methods instead";
    (report.message == inherent)
        .then(|| unneeded(report, "AsciiExt", shelf))
        .flatten()
        .map(|fix| (fix, "the types have its methods themselves since Rust 1.23"))
}

/// Adds `Default` before the only block `impl NAME` with `pub fn new()`.
fn default(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let name = between(&report.message, "a `Default` implementation for `", "`").filter(|name| is_name(name))?;
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.first()?.line;
    let line = source.line(number)?;
    let indent = line.len() - line.trim_start().len();
    let returned = between(line, "pub fn new() -> ", " {")?;
    if ![name, "Self"].contains(&returned) || source.text.contains(&["Default for ", name].concat()) {
        return None;
    }
    let header = (1..number).rev().find(|above| {
        source.line(*above).is_some_and(|line| !line.trim().is_empty() && line.len() - line.trim_start().len() < indent)
    })?;
    let text = source.line(header)?;
    if between(text, "impl ", " {") != Some(name) {
        return None;
    }
    // Comments and attributes of the block stay with it.
    let belongs = |number: usize| {
        source.line(number).is_some_and(|line| ["///", "#[", "//"].iter().any(|start| line.trim().starts_with(start)))
    };
    let first = (1..=header).rev().find(|number| *number == 1 || !belongs(number - 1))?;
    let (space, end) = (&text[..text.len() - text.trim_start().len()], source.ending());
    let step = line.get(space.len()..indent)?;
    let head = ["impl Default for ", name, " {"].concat();
    let lines = [("", head.as_str()), (step, "fn default() -> Self {"), (step, ""), (step, "}"), ("", "}")];
    let mut added = String::new();
    for (inner, text) in lines {
        let text = if text.is_empty() { [step, "Self::new()"].concat() } else { text.to_owned() };
        added.extend([space, inner, &text, end]);
    }
    added.push_str(end);
    let at = source.range(first)?.start;
    Some(Fix::new(&source, number, vec![Edit::insert(at, added)], "implement `Default` for the type"))
}

/// Removes the import of a trait that the file does not name again.
fn unneeded(report: &Report, name: &str, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let line = source.line(number)?;
    let above = number.checked_sub(1).and_then(|number| source.line(number)).map_or("", str::trim);
    let alone = line.starts_with("use ") && line.trim_end().ends_with(&["::", name, ";"].concat());
    if !alone || above.starts_with("#[") || positions(&source.text, name).count() != 1 {
        return None;
    }
    let edit = Edit::replace(source.whole(number)?, "");
    Some(Fix::new(&source, number, vec![edit], "remove the import"))
}
