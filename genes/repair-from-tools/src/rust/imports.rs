//! Imports: those that nothing uses, and those that are missing.

use super::report::{Report, rust_file};
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{has_word, is_name};

/// What clippy says of an import such as `std::usize`: without it, `usize::MAX` is the constant of the type.
const LEGACY: &str = "importing legacy numeric constants";
/// The modules of the standard library that are named like a type of numbers.
const NUMBERS: [&str; 14] =
    ["f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];

/// Removes an import that nothing uses. The terminal shows no suggestion for it, so this one is made from the marked names.
pub(super) fn unused(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    if !report.message.starts_with("unused import") && report.message != LEGACY {
        return None;
    }
    let source = rust_file(&report.file, shelf)?;
    let [shown] = report.shown.iter().filter(|shown| !shown.marks.is_empty()).collect::<Vec<_>>()[..] else {
        return None;
    };
    let line = source.line(shown.line)?;
    if line.contains('\t') && line.trim() != line.trim_start_matches('\t')
        || line.trim_start() != shown.text.trim_start()
    {
        return None;
    }
    let shift = shown.text.len() - shown.text.trim_start().len();
    let body = line.trim_start();
    let path = statement(body)?;
    let marked: Vec<&str> = shown
        .marks
        .iter()
        .map(|(column, length)| body.get((column - 1).checked_sub(shift)?..(column - 1 - shift + length)))
        .collect::<Option<_>>()?;
    let is_meant = if report.message == LEGACY {
        // The modules of floating point numbers have more than what the types have.
        let is_module = |path: &&str| path.rsplit("::").next().is_some_and(|name| NUMBERS.contains(&name));
        marked.len() == 1 && marked.iter().all(is_module) && !has_word(&source.text, "consts")
    } else {
        marked.len() == report.message.split('`').skip(1).step_by(2).count()
    };
    if !is_meant {
        return None;
    }
    let whole = source.whole(shown.line)?;
    // An attribute belongs to the import; a doc comment or a `cfg` above would be left for the next item.
    let above = shown.line.checked_sub(1).and_then(|number| source.line(number)).map_or("", str::trim);
    if above.starts_with("#[") || above.starts_with("///") {
        return None;
    }
    // Of an import of all names, the compiler marks the module.
    if marked == [path] || marked == [path.strip_suffix("::*").unwrap_or(path)] {
        let what = format!("remove the unused import `{path}`");
        return Some(Fix::new(&source, shown.line, vec![Edit::replace(whole, "")], what));
    }
    let (base, inner) = path.split_once('{')?;
    let inner = inner.strip_suffix('}').filter(|inner| !inner.contains(['{', '}']))?;
    let items: Vec<&str> = inner.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    if !marked.iter().all(|name| items.iter().filter(|item| *item == name).count() == 1) {
        return None;
    }
    let left: Vec<&str> = items.into_iter().filter(|item| !marked.contains(item)).collect();
    let what = format!("remove the unused imports `{}`", marked.join("`, `"));
    let start = source.range(shown.line)?.start + (line.len() - body.len()) + body.find(path)?;
    let edit = match left.as_slice() {
        [] => Edit::replace(whole, ""),
        [one] if *one != "self" => Edit::replace(start..start + path.len(), format!("{base}{one}")),
        _ => Edit::replace(start..start + path.len(), format!("{base}{{{}}}", left.join(", "))),
    };
    Some(Fix::new(&source, shown.line, vec![edit], what))
}

/// The path of a `use` statement that fills its line and exports nothing.
fn statement(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix("use ")?.strip_suffix(';')
}

/// Whether a text is one line that imports a name which the file uses: from the standard library, or from a crate that the
/// workspace names.
pub(super) fn is_import(text: &str, source: &Source, shelf: &mut Shelf<'_>) -> bool {
    let Some(path) = statement(text.trim()) else { return false };
    let parts: Vec<&str> = path.split("::").collect();
    let [first, .., last] = parts.as_slice() else { return false };
    let named = parts.iter().all(|part| is_name(part));
    let std = matches!(*first, "std" | "core" | "alloc");
    // A trait is imported for its methods; only those of the table are.
    let used = has_word(&source.text, last) || (std && TRAITS.contains(last));
    named
        && used
        && (std
            || parts
                .iter()
                .all(|part| matches!(*part, "crate" | "self" | "super") || shelf.has_word(part, "**/*.{rs,toml}")))
}

/// Traits of the standard library that code uses without their name.
const TRAITS: [&str; 16] = [
    "Any",
    "AsRef",
    "Borrow",
    "BorrowMut",
    "BufRead",
    "FromIterator",
    "FromStr",
    "Hash",
    "Hasher",
    "Not",
    "Read",
    "Seek",
    "TryFrom",
    "TryInto",
    "Write",
    "ToOwned",
];
