//! Lints whose suggestion the terminal does not show in full, or does not show at all, although only one edit can be meant.

use super::report::{Part, Report, Shown, rust_file};
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::text::{between, is_name};

/// The repair, and why it is right.
pub(super) fn fix(report: &Report, shelf: &mut Shelf<'_>) -> Option<(Fix, &'static str)> {
    match report.code.as_str() {
        "clippy::derivable_impls" => {
            derived(report, shelf).map(|fix| (fix, "the derived implementation means the same"))
        }
        "clippy::same_item_push" => {
            repeated(report, shelf).map(|fix| (fix, "the loop only adds the same value again and again"))
        }
        "clippy::tabs_in_doc_comments" => spaced(report, shelf).map(|fix| (fix, "clippy wants four spaces for a tab")),
        "clippy::multiple_bound_locations" => {
            joined(report, shelf).map(|fix| (fix, "all bounds of a parameter belong to one place"))
        }
        "E0554" => stable(report, shelf).map(|fix| (fix, "only a nightly compiler takes the attribute")),
        _ => removed(report, shelf)
            .map(|fix| (fix, "the compiler no longer has this lint, so the attribute does nothing")),
    }
}

/// Removes an attribute `#![feature(…)]`, which fills one line or several.
fn stable(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let (first, last) = report.span.unwrap_or((number, number));
    let range = source.whole(first)?.start..source.whole(last)?.end;
    let text = source.text.get(range.clone())?.trim();
    let is_it = text.starts_with("#![feature(") && text.ends_with(")]") && text.matches(']').count() == 1;
    let edit = Edit::replace(range, "");
    is_it.then(|| Fix::new(&source, first, vec![edit], "remove the attribute for unstable features"))
}

/// Four spaces for every tab in a line of documentation.
fn spaced(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let (line, start) = (source.line(number)?, source.range(number)?.start);
    let is_doc = ["///", "//!"].iter().any(|sign| line.trim_start().starts_with(sign));
    let text = line.find("//").filter(|_| is_doc)?;
    let tabs = line.match_indices('\t').map(|(at, _)| at).filter(|at| *at > text);
    let edits: Vec<Edit> = tabs.map(|at| Edit::replace(start + at..start + at + 1, "    ")).collect();
    (!edits.is_empty()).then(|| Fix::new(&source, number, edits, "write spaces in the documentation"))
}

/// Moves a parameter's bound to its others: `<Q>(…) where Q: Hash + ?Sized` for `<Q: ?Sized>(…) where Q: Hash`.
fn joined(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let marks = report.shown.iter().flat_map(|shown| shown.marks.iter().map(move |(column, _)| (shown, *column)));
    let [first, last] = marks.collect::<Vec<_>>()[..] else { return None };
    let (head, rest) = (source.line(first.0.line)?, source.line(last.0.line)?);
    let place = |(shown, column): (&Shown, usize), line: &str| {
        column.checked_sub(1 + shown.text.len() - line.len()).filter(|_| line.is_ascii() && shown.text.ends_with(line))
    };
    let from = head.get(place(first, head)?..)?;
    let name = from.split(':').next().filter(|name| is_name(name))?;
    let bound = from.strip_prefix(name)?.strip_prefix(": ")?;
    let bound =
        bound.get(..bound.find(['>', ',', '<', '('])?).filter(|it| !bound[it.len()..].starts_with(['<', '(']))?;
    let to = rest.get(place(last, rest)?..)?;
    let end = to.trim_end_matches([',', ' ', '{']);
    if !end.starts_with(&format!("{name}: ")) || end.contains([',', '<', '{', '(']) {
        return None;
    }
    let at = source.range(first.0.line)?.start + head.len() - from.len() + name.len();
    let after = source.range(last.0.line)?.start + rest.len() - to.len() + end.len();
    let removed = Edit::replace(at..at + ": ".len() + bound.len(), "");
    let edits = vec![removed, Edit::insert(after, format!(" + {bound}"))];
    Some(Fix::new(&source, first.0.line, edits, format!("put the bounds of `{name}` together")))
}

/// Removes an implementation of `Default` and derives it. The terminal shows only the new attribute.
fn derived(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let [suggestion] = report.suggestions.as_slice() else { return None };
    let [Part::Added { number, text }] = suggestion.parts.as_slice() else { return None };
    let source = rust_file(&report.file, shelf).filter(|_| text == "#[derive(Default)]" && report.holds(shelf))?;
    let (first, last) = report.span?;
    let above = first.checked_sub(1).and_then(|number| source.line(number)).map_or("", str::trim);
    let (head, end) = (source.line(first)?, source.line(last)?);
    let kept = ["#[", "//"].iter().any(|start| above.starts_with(start));
    if kept || !head.starts_with("impl") || !head.contains("Default for ") || end != "}" {
        return None;
    }
    // Of two empty lines, one goes with it.
    let next = source.line(last + 1).filter(|next| next.trim().is_empty() && above.is_empty());
    let range = source.range(first)?.start..source.whole(last + usize::from(next.is_some()))?.end;
    let edits = vec![suggestion.parts.first()?.edit(&source)?, Edit::replace(range, "")];
    (*number < first || *number > last).then(|| Fix::new(&source, first, edits, "derive `Default`"))
}

/// `v.extend(std::iter::repeat_n(x, n))` for a loop that does nothing but `v.push(x)`, n times.
fn repeated(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let (head, body, end) = (source.line(number - 1)?, source.line(number)?, source.line(number + 1)?);
    let count = head.trim().strip_prefix("for _ in 0..")?.strip_suffix(" {")?;
    let (list, value) = body.trim().strip_suffix(");")?.split_once(".push(")?;
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_.'".contains(c)) && !text.is_empty();
    if end.trim() != "}" || !is_name(list) || !is_plain(value) || !is_plain(count.trim_end_matches("()")) {
        return None;
    }
    let start = source.range(number - 1)?.start + head.len() - head.trim_start().len();
    let text = format!("{list}.extend(std::iter::repeat_n({value}, {count}));");
    let edit = Edit::replace(start..source.range(number + 1)?.end, text);
    Some(Fix::new(&source, number, vec![edit], "add the value as often in one call"))
}

/// Takes a lint that was removed from the compiler out of its attribute, which fills a line.
fn removed(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let gone = between(&report.message, "lint `", "` has been removed")?;
    let source = rust_file(&report.file, shelf).filter(|_| report.holds(shelf))?;
    let number = report.shown.iter().find(|shown| !shown.marks.is_empty())?.line;
    let line = source.line(number)?;
    let inner = line.trim().strip_prefix("#![").or_else(|| line.trim().strip_prefix("#["))?;
    let (level, lints) = inner.strip_suffix(")]")?.split_once('(')?;
    let lints: Vec<&str> = lints.split(',').map(str::trim).filter(|lint| !lint.is_empty()).collect();
    let is_level = ["allow", "warn", "deny", "forbid", "expect"].contains(&level);
    if !is_level || lints.iter().filter(|known| **known == gone).count() != 1 {
        return None;
    }
    let left: Vec<&str> = lints.into_iter().filter(|known| *known != gone).collect();
    let edit = if left.is_empty() {
        Edit::replace(source.whole(number)?, "")
    } else {
        let at = source.range(number)?.start + line.find('(')? + 1;
        Edit::replace(at..source.range(number)?.start + line.rfind(')')?, left.join(", "))
    };
    Some(Fix::new(&source, number, vec![edit], format!("remove the lint `{gone}`")))
}
