//! Errors of the Rust compiler and of clippy, with the edits that they suggest.
//!
//! [`json`] reads diagnostics as data, and [`human`] reads what a terminal shows. Both give [`Report`]s. A suggestion is made
//! if the compiler calls it machine-applicable, or if the table has its text. Only errors are repaired: a
//! warning never makes a command fail.

mod human;
mod imports;
mod items;
mod json;
mod lints;
mod loops;
mod question;
mod report;
mod table;
mod words;

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::is_bounded;
use report::{GLOB, Part, Report, Suggestion, rust_file};

/// Most errors that are read from one output.
const MAX_REPORTS: usize = 64;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut reports = json::reports(&failure.output);
    reports.extend(human::reports(&failure.output));
    reports.into_iter().take(MAX_REPORTS).filter_map(|report| fix(&report, shelf)).collect()
}

fn fix(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let clippy = table::is_known_lint(&report.code);
    let is_safe = |it: &&Suggestion| it.machine || clippy || table::is_known_help(&it.help);
    let mut safe: Vec<&Suggestion> = report.suggestions.iter().filter(is_safe).collect();
    // Alternatives that only add a line each: the one that imports from the standard library is not known to be meant.
    safe.dedup();
    if safe.iter().filter(|it| table::is_preferred(&it.help)).count() == 1 {
        safe.retain(|it| table::is_preferred(&it.help));
    }
    let message = match report.code.as_str() {
        "" => format!("error: {}", report.message),
        code => format!("error[{code}]: {}", report.message),
    };
    match safe.as_slice() {
        [] => {
            let unused = imports::unused(report, shelf).map(|fix| (fix, "nothing in the file uses it"));
            let fix =
                unused.or_else(|| question::fix(report, shelf).map(|fix| (fix, "the compiler deprecates the macro")));
            let fix = fix
                .or_else(|| items::fix(report, shelf))
                .or_else(|| lints::fix(report, shelf))
                .or_else(|| loops::fix(report, shelf));
            fix.map(|(fix, why)| fix.because(why, message))
        }
        [one] => {
            let source = rust_file(&one.file, shelf)?;
            if !report.holds(shelf) {
                shelf
                    .note(&format!("{}: the compiler shows no single line, or the file no longer has it", report.file));
                return None;
            }
            let Some((line, edits)) = edits(one, &source, shelf) else {
                let number = one.parts.first().map_or(0, Part::line);
                shelf.note(&format!("{}:{number}: the suggestion of rustc does not fit this file", source.path));
                return None;
            };
            let help = one.help.split(": `").next().unwrap_or(&one.help).trim_end_matches(':');
            let what = format!("follow the compiler: {}", if help.is_empty() { &report.message } else { help });
            Some(Fix::new(&source, line, edits, what).because("rustc suggests this edit, and no other one", message))
        }
        _ => {
            shelf.note(&format!("rustc suggests more than one edit for: {}", report.message));
            None
        }
    }
}

/// The line and the edits of a suggestion, if the file still has what the compiler shows.
fn edits(suggestion: &Suggestion, source: &Source, shelf: &mut Shelf<'_>) -> Option<(usize, Vec<Edit>)> {
    let mut edits = Vec::new();
    for part in &suggestion.parts {
        let edit = part.edit(source)?;
        if !is_bounded(&edit, source, shelf, GLOB, words::KNOWN) && !imports::is_import(&edit.text, source, shelf) {
            return None;
        }
        edits.push(edit);
    }
    let line = suggestion.parts.iter().map(Part::line).min()?;
    crate::fix::apply(&source.text, &edits)?;
    Some((line, edits))
}
