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
    if report.code == "clippy::len_without_is_empty" {
        return is_empty(report, shelf).map(|fix| (fix, "a type with `len()` can say whether it is empty"));
    }
    if report.message == "use of deprecated function `std::mem::uninitialized`: use `mem::MaybeUninit` instead" {
        return initialized(report, shelf).map(|fix| (fix, "an array of integers has to be initialized"));
    }
    if report.message == "patterns aren't allowed in functions without bodies" {
        return unpatterned(report, shelf).map(|fix| (fix, "without a body, the pattern binds nothing"));
    }
    if report.message == DESCRIPTION || report.message == CAUSE {
        let text = described(report, shelf).map(|fix| (fix, "the text of an error is what it displays"));
        let why = "the implementation of a deprecated method passes on to the same method of the error inside";
        return text.or_else(|| passed_on(report, shelf).map(|fix| (fix, why)));
    }
    if let Some(name) = between(&report.message, "extern crate `", "` is private and cannot be re-exported") {
        return exported(report, name, shelf)
            .map(|fix| (fix, "a crate is exported under another name by its declaration"));
    }
    if report.message == "unsafe attribute used without unsafe" {
        return attribute(report, shelf).map(|fix| (fix, "edition 2024 wants the word at such attributes"));
    }
    if report.message == "extern blocks must be unsafe" {
        return foreign(report, shelf).map(|fix| (fix, "nothing checks the declarations of foreign functions"));
    }
    let inherent = "use of deprecated trait `std::ascii::AsciiExt`: use inherent methods instead";
    (report.message == inherent)
        .then(|| unneeded(report, "AsciiExt", shelf))
        .flatten()
        .map(|fix| (fix, "the types have its methods themselves since Rust 1.23"))
}

/// The warning for the method `description` of errors.
const DESCRIPTION: &str =
    "use of deprecated method `std::error::Error::description`: use the Display impl or to_string()";

/// The warning for its method `cause`.
const CAUSE: &str =
    "use of deprecated method `std::error::Error::cause`: replaced by Error::source, which can support downcasting";

/// Allows the deprecated method where an implementation of it only passes on to the error inside: who still calls it has to get
/// the same.
fn passed_on(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let name = between(&report.message, "Error::", "`")?;
    let indent = |number: usize| source.line(number).map(|line| line.len() - line.trim_start().len());
    let starts =
        |number: usize, word: &str| source.line(number).is_some_and(|line| line.trim_start().starts_with(word));
    let method = (1..number).rev().find(|above| starts(*above, "fn "))?;
    let header = (1..method).rev().find(|above| starts(*above, "impl") && indent(*above) < indent(method))?;
    let space = source.line(method)?.split("fn ").next()?;
    let is_it = starts(method, &format!("fn {name}(&self)"))
        && indent(method) < indent(number)
        && source.line(header)?.contains("Error for ")
        && source.line(number)?.contains(&format!(".{name}()"))
        && !source.line(method - 1)?.contains("deprecated");
    let attribute = format!("{space}#[allow(deprecated)]{}", source.ending());
    let edit = Edit::insert(source.range(method)?.start, attribute);
    is_it.then(|| Fix::new(&source, method, vec![edit], format!("allow `{name}` in its own implementation")))
}

/// `pub extern crate core as name;` for `pub use core as name;`.
fn exported(report: &Report, name: &str, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let alias = source.line(number)?.strip_prefix(&format!("pub use {name} as "))?.trim_end().strip_suffix(';')?;
    let start = source.range(number)?.start;
    let edit = Edit::replace(start + "pub ".len()..start + "pub use".len(), "extern crate");
    let is_own = ["core", "std", "alloc"].contains(&name) && is_name(alias);
    is_own.then(|| Fix::new(&source, number, vec![edit], format!("export the crate as `{alias}`")))
}

/// Makes text of the error itself: `e.description().to_string()`, or `e.description()` as an argument of a macro that formats.
fn described(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    const CALL: &str = ".description()";
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let line = source.line(number)?;
    let mut places = line.match_indices(CALL);
    let ((at, _), None) = (places.next()?, places.next()) else { return None };
    let after = line.get(at + CALL.len()..)?;
    let owned = [".to_string()", ".to_owned()"].iter().find(|call| after.starts_with(**call));
    let before = line.get(..at)?;
    let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    let is_formatted =
        ["format!(\"", "print!(\"", "println!(\"", "eprintln!(\"", "panic!(\""].iter().any(|it| before.contains(it))
            && before.ends_with(&[", ", name].concat())
            && after.starts_with([')', ',']);
    // An implementation of `Display` that asked itself would not end.
    if !is_name(name) || name == "self" || !(owned.is_some() || is_formatted) {
        return None;
    }
    let start = source.range(number)?.start + at;
    let length = CALL.len() + owned.map_or(0, |call| call.len());
    let edit = Edit::replace(start..start + length, if owned.is_some() { ".to_string()" } else { "" });
    Some(Fix::new(&source, number, vec![edit], "make text of the error itself"))
}

/// `#[unsafe(no_mangle)]` for `#[no_mangle]`.
fn attribute(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let line = source.line(number)?;
    let inner = line.trim().strip_prefix("#[")?.strip_suffix(']')?;
    let is_known = ["no_mangle", "export_name = \"", "link_section = \""].iter().any(|start| inner.starts_with(start));
    let start = source.range(number)?.start + line.find(inner)?;
    let edit = Edit::replace(start..start + inner.len(), ["unsafe(", inner, ")"].concat());
    (is_known && !inner.contains([']', ',']))
        .then(|| Fix::new(&source, number, vec![edit], "mark the attribute as unsafe"))
}

/// Puts `unsafe` before a block of foreign declarations.
fn foreign(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.first()?.line;
    let line = source.line(number)?;
    let body = line.trim_start();
    let at = source.range(number)?.start + line.len() - body.len();
    let edit = Edit::insert(at, "unsafe ");
    body.starts_with("extern ").then(|| Fix::new(&source, number, vec![edit], "mark the block as unsafe"))
}

/// Adds `Default` before the only block `impl NAME` with `pub fn new()`. It has the parameters and bounds of that block.
fn default(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let whole = between(&report.message, "a `Default` implementation for `", "`")?;
    let name = whole.split('<').next().filter(|name| is_name(name))?;
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.first()?.line;
    let line = source.line(number)?;
    let indent = line.len() - line.trim_start().len();
    let returned = between(line, "pub fn new() -> ", " {")?;
    if ![name, whole, "Self"].contains(&returned) || source.text.contains(&["Default for ", name].concat()) {
        return None;
    }
    let header = (1..number).rev().find(|above| {
        source.line(*above).is_some_and(|line| !line.trim().is_empty() && line.len() - line.trim_start().len() < indent)
    })?;
    let text = source.line(header)?;
    let (parameters, rest) = parameters(text.trim_start().strip_prefix("impl")?)?;
    let bounds = rest.strip_prefix(' ')?.strip_prefix(whole)?;
    if bounds != " {" && !(bounds.starts_with(" where ") && bounds.ends_with(" {")) {
        return None;
    }
    // Comments and attributes of the block stay with it.
    let belongs = |number: usize| {
        source.line(number).is_some_and(|line| ["///", "#[", "//"].iter().any(|start| line.trim().starts_with(start)))
    };
    let first = (1..=header).rev().find(|number| *number == 1 || !belongs(number - 1))?;
    let (space, end) = (&text[..text.len() - text.trim_start().len()], source.ending());
    let step = line.get(space.len()..indent)?;
    let head = ["impl", parameters, " Default for", rest].concat();
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

/// The parameters in angle brackets at the beginning of a text, if there are any, and what follows them.
fn parameters(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text.get(..at)?.ends_with('-') => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return text.split_at_checked(if c == '>' { at + 1 } else { at });
        }
    }
    None
}

/// Adds `is_empty` before the only method `len` of a block.
fn is_empty(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let line = source.line(number)?;
    let (space, body) = line.split_once("pub fn len(&self) -> usize {")?;
    if !body.is_empty() && !body.trim_end().ends_with('}') {
        return None;
    }
    let belongs = |number: usize| {
        source.line(number).is_some_and(|line| ["///", "#[", "//"].iter().any(|start| line.trim().starts_with(start)))
    };
    let first = (1..=number).rev().find(|number| *number == 1 || !belongs(number - 1))?;
    let end = source.ending();
    let step = if space.contains('\t') { "\t" } else { "    " };
    let lines = [
        [space, "/// Whether the length is 0."],
        [space, "pub fn is_empty(&self) -> bool {"],
        [space, &[step, "self.len() == 0"].concat()],
        [space, "}"],
    ];
    let mut added: String = lines.iter().flat_map(|line| [line.concat(), end.to_owned()]).collect();
    added.push_str(end);
    let edit = Edit::insert(source.range(first)?.start, added);
    (space.trim().is_empty()).then(|| Fix::new(&source, number, vec![edit], "add the method `is_empty`"))
}

/// Fills an array of integers with zeros: `let a: [u8; 4] = unsafe { mem::uninitialized() };`.
fn initialized(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    const INTEGERS: [&str; 12] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    let source = rust_file(&report.file, shelf)?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let line = source.line(number)?;
    let (declared, value) = line.split_once("] = ")?;
    let (kind, length) = declared.rsplit_once(": [")?.1.split_once(';')?;
    let wanted = [
        "mem::uninitialized();",
        "unsafe { mem::uninitialized() };",
        "unsafe { std::mem::uninitialized() };",
        "unsafe { ::std::mem::uninitialized() };",
    ];
    if !declared.trim_start().starts_with("let ") || !INTEGERS.contains(&kind) || !wanted.contains(&value.trim_end()) {
        return None;
    }
    let start = source.range(number)?.start + declared.len() + "] = ".len();
    let edit = Edit::replace(start..start + value.trim_end().len(), ["[0;", length, "];"].concat());
    Some(Fix::new(&source, number, vec![edit], "initialize the array with zeros"))
}

/// Removes `&` or `mut` before the name of a parameter.
fn unpatterned(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf)?;
    let shown = report.shown.iter().find(|shown| !shown.marks.is_empty())?;
    let [(column, length)] = shown.marks.as_slice() else { return None };
    let marked: String = shown.text.chars().skip(column - 1).take(*length).collect();
    let name = marked.strip_prefix('&').or_else(|| marked.strip_prefix("mut "))?;
    let line = source.line(shown.line)?;
    let mut places = line
        .match_indices(marked.as_str())
        .filter(|(at, text)| line.get(at + text.len()..).is_some_and(|rest| rest.trim_start().starts_with(':')));
    let ((at, _), None) = (places.next()?, places.next()) else { return None };
    let start = source.range(shown.line)?.start + at;
    let edit = Edit::replace(start..start + marked.len(), name);
    is_name(name).then(|| Fix::new(&source, shown.line, vec![edit], "name the parameter without a pattern"))
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
