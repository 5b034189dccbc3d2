//! JSON, YAML and TOML that does not parse, if exactly one edit makes it parse.
//!
//! The log only says that a format did not parse, and perhaps in which file. Where and what the fault is, is found in the file:
//! each kind of edit is tried, and one is made only if all attempts that parse mean the same. The log brings no text into
//! the file.

mod attempt;
mod format;
mod json_edits;
pub(crate) mod lexer;
mod messages;
mod toml_edits;
mod yaml_edits;

use std::rc::Rc;

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix, apply};
use crate::json;
use crate::shelf::Shelf;
use crate::source::Source;
use attempt::Attempt;
use format::Format;

/// Most files of a format that are tried if the log names none.
const MAX_FILES: usize = 200;
/// Largest file that is tried, in bytes: each attempt parses it again.
const MAX_BYTES: usize = 256 * 1024;
/// Most edits of one repair.
const MAX_EDITS: usize = 100;
/// Most places of a file at which the same kind of edit is made one after the other.
const MAX_REPEATED: usize = 12;

/// What the text means, or the byte at which it stops being this format.
fn parse(format: Format, text: &str) -> Result<Meaning, usize> {
    match format {
        Format::Json => json::parse(text).map(Meaning::Json),
        Format::Yaml => yaml_edits::parse(text).map(Meaning::Text),
        Format::Toml => toml_edits::parse(text).map(Meaning::Text),
    }
}

fn attempts(format: Format, source: &Source, at: usize) -> Vec<Attempt> {
    match format {
        Format::Json => json_edits::attempts(&source.text),
        Format::Yaml => yaml_edits::attempts(source, source.number_at(at)),
        Format::Toml => toml_edits::attempts(source, source.number_at(at)),
    }
}

/// What a text means, to tell whether two repairs differ.
#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Json(json::Value),
    Text(String),
}

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    for (format, message) in messages::formats(&failure.output) {
        for source in broken(format, failure, shelf) {
            match repair(format, &source) {
                Some((edits, what)) => {
                    let line = edits.iter().map(|edit| edit.start).min().map_or(1, |at| source.number_at(at));
                    let why = format!("the file is no {}, and no other edit makes it so", format.name());
                    fixes.push(Fix::new(&source, line, edits, what).because(why, message.clone()));
                }
                None => shelf.note(&format!("{}: there is not exactly one edit that makes it parse", source.path)),
            }
        }
    }
    fixes
}

/// The files that do not parse: those that the log names, or the only one of the workspace.
fn broken(format: Format, failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Rc<Source>> {
    let mut named: Vec<Rc<Source>> = Vec::new();
    // A parser that knows no comments was given this file, so a tool that allows them is not the one that failed.
    let read = messages::read_as_json(&failure.input).filter(|_| format == Format::Json);
    let read = read.and_then(|name| shelf.open(name)).filter(|source| source.text.len() <= MAX_BYTES);
    named.extend(read.filter(|source| !source.text.trim().is_empty() && parse(format, &source.text).is_err()));
    for name in messages::names(&failure.output).chain(messages::names(&failure.input)) {
        if Format::of(name) == Some(format)
            && let Some(source) = shelf.open(name)
            && is_broken(format, &source)
            && !named.contains(&source)
        {
            named.push(source);
        }
    }
    named.truncate(8);
    if !named.is_empty() {
        return named;
    }
    let paths: Vec<String> = format.globs().iter().flat_map(|glob| shelf.matching(glob)).collect();
    if paths.len() > MAX_FILES {
        return Vec::new();
    }
    let mut found: Vec<Rc<Source>> = Vec::new();
    for path in paths.iter().filter(|path| !is_meant_broken(path)) {
        found.extend(shelf.read(path).filter(|source| is_broken(format, source)));
    }
    if found.len() > 1 {
        shelf.note(&format!("more than one {} file does not parse, and the log names none", format.name()));
        found.clear();
    }
    found
}

fn is_broken(format: Format, source: &Source) -> bool {
    let left_alone = match format {
        Format::Json => json_edits::may_have_comments(&source.path),
        // Templates become YAML only when they are filled in.
        Format::Yaml => source.path.split('/').any(|part| part == "templates") || source.text.contains("{%"),
        Format::Toml => false,
    };
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let is_lock = name.contains("lock") || name.contains("shrinkwrap");
    let conflict = source.text.lines().any(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "));
    let empty = source.text.trim().is_empty();
    let fits = source.text.len() <= MAX_BYTES && !left_alone && !is_lock && !conflict && !empty;
    fits && parse(format, &source.text).is_err()
}

/// Whether a path says that the file is broken on purpose, or filled in later.
fn is_meant_broken(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let words =
        ["test", "fixture", "invalid", "broken", "malformed", "bad", "corrupt", "template", "example", "sample"];
    words.iter().any(|word| lower.contains(word))
}

/// The edits that make the text parse, if all attempts that do mean the same.
fn repair(format: Format, source: &Source) -> Option<Attempt> {
    let at = parse(format, &source.text).err()?;
    let mut best: Option<(Attempt, Meaning)> = None;
    for (edits, what) in attempts(format, source, at) {
        if edits.len() > MAX_EDITS {
            continue;
        }
        let Some((text, meaning)) = completed(format, source, &edits, what, at) else { continue };
        match &best {
            None => best = Some(((vec![Edit::between(0, &source.text, &text)], what), meaning)),
            Some((_, known)) if *known == meaning => {}
            Some(_) => return None,
        }
    }
    best.map(|(attempt, _)| attempt)
}

/// The text after these edits, if it parses; with the same kind of edit wherever the text stops being this format after that.
fn completed(format: Format, source: &Source, edits: &[Edit], what: &str, at: usize) -> Option<(String, Meaning)> {
    let mut text = apply(&source.text, edits)?;
    let mut done = at;
    for _ in 0..MAX_REPEATED {
        let next = match parse(format, &text) {
            Ok(meaning) => return Some((text, meaning)),
            Err(next) => next,
        };
        if next <= done || text.len() > MAX_BYTES / 8 {
            return None;
        }
        let here = Source::new(source.path.as_str(), text);
        let same = attempts(format, &here, next).into_iter().filter(|(_, other)| *other == what);
        // The fault is in the line that the parser names; an attempt elsewhere would not be known to be needed.
        let mut texts = same
            .filter_map(|(edits, _)| apply(&here.text, &edits))
            .filter(|text| parse(format, text).err().is_none_or(|later| later > next));
        text = texts.next().filter(|_| texts.next().is_none())?;
        done = next;
    }
    None
}
