//! Options of `tsconfig.json` that the TypeScript compiler removed or deprecates, and those that are written wrongly.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gephost_gene::failures::Failure;

use super::tsc::{Error, errors, is_near, meant};
use crate::fix::{Edit, Fix};
use crate::shelf::{Shelf, has_ending};
use crate::source::Source;

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// It goes.
    Gone,
    /// It goes, if the file does not have this option.
    Without(&'static str),
    /// It gets this value.
    Value(&'static str),
    /// This option takes its place, with its value.
    Key(&'static str),
    /// This option takes its place, with the value true.
    Other(&'static str),
}

/// Option, value in lower case (empty for any), change. Sources: the release notes of TypeScript 5.0, 5.5 and 6.0.
const OPTIONS: &[(&str, &str, Change)] = &[
    ("alwaysStrict", "false", Change::Gone),
    ("baseUrl", "", Change::Without("paths")),
    ("charset", "", Change::Gone),
    ("downlevelIteration", "", Change::Gone),
    ("importsNotUsedAsValues", "error", Change::Gone),
    ("importsNotUsedAsValues", "preserve", Change::Other("verbatimModuleSyntax")),
    ("importsNotUsedAsValues", "remove", Change::Gone),
    ("keyofStringsOnly", "", Change::Gone),
    ("moduleResolution", "node", Change::Value("bundler")),
    ("moduleResolution", "node10", Change::Value("bundler")),
    ("noImplicitUseStrict", "", Change::Gone),
    ("noStrictGenericChecks", "", Change::Gone),
    ("out", "", Change::Key("outFile")),
    ("preserveValueImports", "false", Change::Gone),
    ("preserveValueImports", "true", Change::Other("verbatimModuleSyntax")),
    ("suppressExcessPropertyErrors", "", Change::Gone),
    ("suppressImplicitAnyIndexErrors", "", Change::Gone),
    ("target", "es3", Change::Value("es5")),
    ("target", "es5", Change::Value("es2015")),
];

/// The codes for an option that was removed or is deprecated, with and without its value.
const REMOVED: [u32; 4] = [5101, 5102, 5107, 5108];
/// The code for an option that the compiler does not know.
const UNKNOWN: u32 = 5025;

/// The code for a value of another type.
const TYPE: u32 = 5024;
/// The code for a path that is not relative.
const PATH: u32 = 5090;

/// Whether a path is a configuration of the compiler.
pub(super) fn is_config(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    has_ending(name, &["json"]) && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// The repairs: one for each file, because all options of it have to be right.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let errors = errors(&failure.output);
    let mut files: BTreeMap<&str, Vec<&Error<'_>>> = BTreeMap::new();
    for error in &errors {
        if is_config(error.path) && (REMOVED.contains(&error.code) || [UNKNOWN, TYPE, PATH].contains(&error.code)) {
            files.entry(error.path).or_default().push(error);
        }
    }
    files.into_iter().filter_map(|(path, errors)| fix(&shelf.open(path)?, &errors, shelf)).collect()
}

fn fix(source: &Rc<Source>, errors: &[&Error<'_>], shelf: &mut Shelf<'_>) -> Option<Fix> {
    let mut edits = Vec::new();
    let mut gone = BTreeSet::new();
    for error in errors {
        if error.code == PATH {
            let quote = source.at_utf16(error.line, error.column).map(|at| at + 1);
            edits.extend(
                quote
                    .filter(|at| source.text.get(..*at).is_some_and(|it| it.ends_with('"')))
                    .map(|at| Edit::insert(at, "./")),
            );
            continue;
        }
        let option = Setting::at(source, error.line);
        let change = option.as_ref().and_then(|option| option.change(error, source));
        let Some((option, (removed, edit))) = option.zip(change) else {
            shelf.note(&format!("{}:{}: TS{}: there is no edit known for it", source.path, error.line, error.code));
            continue;
        };
        if removed {
            gone.insert(option.line);
        }
        edits.extend(edit);
    }
    for line in &gone {
        edits.push(Edit::replace(source.whole(*line)?, ""));
    }
    edits.extend(comma(source, &gone));
    let first = errors.first()?;
    let message = format!("error TS{}: {}", first.code, first.message);
    let what = "write the options as the compiler takes them";
    let why = "the TypeScript compiler does not take these options as they are";
    (!edits.is_empty()).then(|| Fix::new(source, first.line, edits, what).because(why, message))
}

/// An option that has a line of its own.
struct Setting<'a> {
    line: usize,
    key: &'a str,
    /// As the file writes it.
    value: &'a str,
    /// Where the key begins, after its quote.
    key_at: usize,
    value_at: usize,
}

impl<'a> Setting<'a> {
    fn at(source: &'a Source, line: usize) -> Option<Self> {
        let text = source.line(line)?;
        let start = source.range(line)?.start;
        let code = text.split("//").next()?.trim_end();
        let inner = code.trim_start().strip_prefix('"')?;
        let (key, rest) = inner.split_once('"')?;
        let after = rest.trim_start().strip_prefix(':')?.trim_start();
        let value = after.trim_end_matches(',').trim_end();
        let is_text =
            value.len() >= 2 && value.starts_with('"') && value.ends_with('"') && value.matches('"').count() == 2;
        let is_word = value.chars().all(char::is_alphanumeric) && !value.is_empty();
        let (key_at, value_at) = (text.find(key)?, code.len() - after.len());
        (is_text || is_word).then(|| Self { line, key, value, key_at: start + key_at, value_at: start + value_at })
    }

    /// Whether the line goes, and what changes in it.
    fn change(&self, error: &Error<'_>, source: &Source) -> Option<(bool, Vec<Edit>)> {
        let key = self.key_at..self.key_at + self.key.len();
        let named = error.message.split('\'').nth(1)?.split('=').next()?;
        if named != self.key {
            return None;
        }
        if error.code == UNKNOWN {
            let new = meant(error.message).filter(|new| new.chars().all(char::is_alphanumeric))?;
            return is_near(new, self.key).then(|| (false, vec![Edit::replace(key, new)]));
        }
        let value = self.value.trim_matches('"').to_ascii_lowercase();
        if error.code == TYPE {
            let is_text = self.value.starts_with('"');
            let new = match error.message.rsplit_once(" requires a value of type ")?.1 {
                "boolean." if ["true", "false"].contains(&value.as_str()) && is_text => value,
                "Array." if is_text => format!("[{}]", self.value),
                _ => return None,
            };
            return Some((false, vec![Edit::replace(self.value_at..self.value_at + self.value.len(), new)]));
        }
        let fits = |row: &&(&str, &str, Change)| row.0 == self.key && (row.1.is_empty() || row.1 == value);
        match OPTIONS.iter().find(fits)?.2 {
            Change::Gone => Some((true, Vec::new())),
            Change::Without(other) => (!source.text.contains(&format!("\"{other}\""))).then(|| (true, Vec::new())),
            Change::Value(new) => {
                let at = self.value_at..self.value_at + self.value.len();
                Some((false, vec![Edit::replace(at, format!("\"{new}\""))]))
            }
            Change::Key(new) => {
                (!source.text.contains(&format!("\"{new}\""))).then(|| (false, vec![Edit::replace(key, new)]))
            }
            Change::Other(new) if source.text.contains(&format!("\"{new}\"")) => Some((true, Vec::new())),
            Change::Other(new) => {
                let all = self.key_at..self.value_at + self.value.len();
                Some((false, vec![Edit::replace(all, format!("{new}\": true"))]))
            }
        }
    }
}

/// Removes the comma before what would be the last option.
fn comma(source: &Source, gone: &BTreeSet<usize>) -> Option<Edit> {
    let last = *gone.last()?;
    let is_left = |line: &usize| {
        let text = source.line(*line).map_or("", str::trim);
        !gone.contains(line) && !text.is_empty() && !text.starts_with("//")
    };
    let next = (last + 1..=source.count()).find(is_left)?;
    let before = (1..last).rev().find(is_left)?;
    let text = source.line(before)?.split("//").next()?.trim_end();
    let at = source.range(before)?.start + text.len().checked_sub(1)?;
    (source.line(next)?.trim_start().starts_with('}') && text.ends_with(',')).then(|| Edit::replace(at..at + 1, ""))
}
