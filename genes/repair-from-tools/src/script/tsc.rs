//! Errors of the TypeScript compiler (tsc) that name the right edit.
//!
//! The compiler shows `file(line,column): error TScode: message`, or `file:line:column - error TScode: message` on a terminal.
//! It shows no text of the source, so a repair is made only if the name in the message stands at that very place.

use std::rc::Rc;

use super::imports;
use super::{GLOB, is_script};
use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::{Shelf, has_ending};
use crate::source::Source;
use crate::text::{between, is_name};

/// Most errors that are read from one output.
const MAX_ERRORS: usize = 64;

/// What a code asks for. Source of codes and texts: TypeScript's `diagnosticMessages.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The name at the place is replaced by the one after "Did you mean".
    Rename,
    /// The string at the place is replaced by the one after "Did you mean".
    Text,
    /// `typeof` is put before the name.
    Typeof,
    /// `type` is put before the imported or exported name.
    TypeOnly,
    /// The type that is used as a value is imported as one.
    Value,
    /// The comment that expects an error is removed.
    Expected,
    /// `override` is put before the member.
    Override,
    /// `value.name` of an instance becomes `Class.name`.
    Static,
    /// The import of a name that nothing uses is removed.
    Unused,
    /// An import of a default becomes an import of a name, or the other way round.
    Import,
    /// `namespace` takes the place of `module`.
    Namespace,
    /// `with` takes the place of `assert`.
    With,
    /// The import gets `with { type: "json" }`.
    Json,
    /// `await` or a call's parentheses are not sure, and neither is anything else.
    NotSure,
}

const CODES: &[(u32, Kind)] = &[
    (1192, Kind::NotSure),
    (1205, Kind::TypeOnly),
    (1361, Kind::Value),
    (1484, Kind::TypeOnly),
    (1540, Kind::Namespace),
    (1543, Kind::Json),
    (2551, Kind::Rename),
    (2552, Kind::Rename),
    (2561, Kind::Rename),
    (2568, Kind::Rename),
    (2570, Kind::Rename),
    (2576, Kind::Static),
    (2578, Kind::Expected),
    (2613, Kind::Import),
    (2614, Kind::Import),
    (2662, Kind::Rename),
    (2663, Kind::Rename),
    (2724, Kind::Rename),
    (2749, Kind::Typeof),
    (2820, Kind::Text),
    (2833, Kind::Rename),
    (2835, Kind::Text),
    (2880, Kind::With),
    (4114, Kind::Override),
    (4116, Kind::Override),
    (6133, Kind::Unused),
    (6192, Kind::Unused),
    (6196, Kind::Unused),
];

/// An error with its place.
pub(super) struct Error<'a> {
    pub(super) path: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) code: u32,
    pub(super) message: &'a str,
}

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let errors = errors(&failure.output);
    let mut fixes = Vec::new();
    for error in &errors {
        // A misspelled import is also unused; its name is corrected.
        let twin = |other: &&Error<'_>| {
            other.code != error.code && (other.path, other.line, other.column) == (error.path, error.line, error.column)
        };
        if kind(error.code) == Some(Kind::Unused) && errors.iter().any(|other| twin(&other)) {
            continue;
        }
        fixes.extend(fix(error, shelf));
    }
    fixes
}

/// The errors in an output.
pub(super) fn errors(output: &str) -> Vec<Error<'_>> {
    output.lines().filter_map(error).take(MAX_ERRORS).collect()
}

fn kind(code: u32) -> Option<Kind> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, kind)| *kind).filter(|kind| *kind != Kind::NotSure)
}

fn error(line: &str) -> Option<Error<'_>> {
    let (place, rest) = line.split_once(": error TS").or_else(|| line.split_once(" - error TS"))?;
    let (code, message) = rest.split_once(": ")?;
    let (path, line, column) = if let Some(place) = place.strip_suffix(')') {
        let (path, position) = place.rsplit_once('(')?;
        let (line, column) = position.split_once(',')?;
        (path, line, column)
    } else {
        let mut parts = place.rsplitn(3, ':');
        let (column, line) = (parts.next()?, parts.next()?);
        (parts.next()?, line, column)
    };
    // A runner such as `npm run` in a workspace may put a prefix before the path.
    let path = path.rsplit([' ', '|']).next()?;
    Some(Error { path, line: line.parse().ok()?, column: column.parse().ok()?, code: code.parse().ok()?, message })
}

fn fix(error: &Error<'_>, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let kind = kind(error.code)?;
    if !is_script(error.path) {
        return None;
    }
    let source = shelf.open(error.path)?;
    let at = source.at_utf16(error.line, error.column);
    let made = at.and_then(|at| edits(kind, error, &source, at, shelf));
    let Some((edits, what)) = made else {
        shelf.note(&format!(
            "{}:{}: TS{}: the file does not have what the message names, or more than one edit could be right",
            source.path, error.line, error.code
        ));
        return None;
    };
    let why = "the TypeScript compiler names the right text";
    Some(Fix::new(&source, error.line, edits, what).because(why, format!("error TS{}: {}", error.code, error.message)))
}

fn edits(
    kind: Kind,
    error: &Error<'_>,
    source: &Rc<Source>,
    at: usize,
    shelf: &mut Shelf<'_>,
) -> Option<(Vec<Edit>, String)> {
    let name = source.word_at(at).unwrap_or_default();
    match kind {
        Kind::Rename => {
            let new = meant(error.message)?;
            // The message names the text at the place, with quotes of its own.
            if name.is_empty() || !error.message.contains(&format!("'{name}'")) || !is_path(new) {
                return None;
            }
            // The name comes from the declarations, which may be in a library that this gene does not see.
            let known = new.split('.').all(|part| part == "this" || is_near(part, name) || shelf.has_word(part, GLOB));
            // A shorthand property would get another name, and an import that is used would lose its name.
            let range = at..at + name.len();
            let is_import = error.code == 2724;
            let uses = crate::text::positions(&source.text, name).count();
            if is_import && uses > 1 && !is_renamed(source, at + name.len()) {
                let all: Vec<usize> = crate::text::positions(&source.text, name).collect();
                let edits = vec![Edit::replace(range, format!("{new} as {name}"))];
                return (known && all.contains(&at)).then(|| (edits, format!("import `{new}` as `{name}`")));
            }
            known.then(|| (vec![Edit::replace(range, new)], format!("use `{new}` instead of `{name}`")))
        }
        Kind::Text => {
            let new = meant(error.message)?.trim_matches('"');
            let quote = source.text.get(at..)?.chars().next().filter(|c| "'\"".contains(*c))?;
            let line_end = source.range(error.line)?.end;
            let length = source.text.get(at + 1..line_end)?.find(quote)?;
            let old = source.text.get(at + 1..at + 1 + length)?;
            let plain =
                |text: &str| text.chars().all(|c| c.is_alphanumeric() || " ._-/@+".contains(c)) && text.len() <= 200;
            let fits = match error.code {
                2835 => {
                    [".js", ".mjs", ".cjs", "/index.js", ".json"].iter().any(|end| new.strip_suffix(end) == Some(old))
                }
                _ => error.message.contains(&format!("\"{old}\"")) && is_near(new, old),
            };
            (fits && plain(new)).then(|| {
                (vec![Edit::replace(at + 1..at + 1 + length, new)], format!("write `{new}` instead of `{old}`"))
            })
        }
        Kind::Typeof => {
            let fits = !name.is_empty() && error.message.starts_with(&format!("'{name}' refers to a value"));
            fits.then(|| (vec![Edit::insert(at, "typeof ")], format!("use `typeof {name}` as the type")))
        }
        Kind::TypeOnly => {
            let (first, rest) =
                (source.text.get(source.range(error.line)?.start..at)?, source.text.get(at + name.len()..)?);
            let in_braces = first.contains('{') && !first.contains('}') && rest.contains('}');
            let fits = in_braces && !name.is_empty() && !first.trim_end().ends_with("type");
            let named = error.code == 1205 || error.message.starts_with(&format!("'{name}' is a type"));
            let word = if error.code == 1205 { "export" } else { "import" };
            (fits && named && first.trim_start().starts_with(word))
                .then(|| (vec![Edit::insert(at, "type ")], format!("{word} `{name}` as a type")))
        }
        Kind::Override => {
            let before = source.text.get(source.range(error.line)?.start..at)?;
            let start = before.rfind(['{', ';', '}']).map_or(0, |last| last + 1);
            let words: Vec<&str> = before.get(start..)?.split_whitespace().collect();
            let access = ["public", "protected", "private", "static"];
            let later = ["async", "readonly", "get", "set", "*"];
            let kept = words.iter().take_while(|word| access.contains(word)).count();
            if name.is_empty() || !words.iter().skip(kept).all(|word| later.contains(word)) {
                return None;
            }
            let target = words.get(kept).map_or(at, |word| {
                let line = source.range(error.line).map_or(0, |range| range.start);
                before.get(start..).and_then(|text| text.find(word)).map_or(at, |found| line + start + found)
            });
            Some((vec![Edit::insert(target, "override ")], format!("mark `{name}` with `override`")))
        }
        Kind::Static => {
            let new = between(error.message, "static member '", "'")?;
            let (class, member) = new.split_once('.')?;
            let before = source.text.get(..at)?;
            let owner = before.strip_suffix('.')?;
            let start = owner.rfind(|c: char| !(c.is_alphanumeric() || "_$".contains(c))).map_or(0, |last| last + 1);
            let fits = member == name && is_name(class) && owner.get(start..).is_some_and(is_name);
            let chained = owner.get(..start).is_some_and(|text| text.ends_with(['.', ')', ']']));
            (fits && !chained && shelf.has_word(class, GLOB)).then(|| {
                (vec![Edit::replace(start..at, format!("{class}."))], format!("call the static member `{new}`"))
            })
        }
        Kind::Value => imports::as_value(source, name),
        Kind::Expected => {
            let is_alone = source.line(error.line)?.trim_start().starts_with("// @ts-expect-error");
            let edit = Edit::replace(source.whole(error.line)?, "");
            is_alone.then(|| (vec![edit], "remove the comment that expects an error".to_owned()))
        }
        Kind::Unused => imports::unused(source, at, error.line, shelf),
        Kind::Import => {
            let new = between(error.message, "Did you mean to use '", "' instead")?;
            imports::swapped(source, error.line, at, new)
        }
        Kind::Namespace => {
            let before = source.text.get(..at)?.trim_end();
            let start = before.strip_suffix("module")?.len();
            let edit = Edit::replace(start..before.len(), "namespace");
            is_name(name).then(|| (vec![edit], "declare a `namespace`".to_owned()))
        }
        Kind::With => {
            let edit = Edit::replace(at..at + name.len(), "with");
            (name == "assert").then(|| (vec![edit], "use `with` for import attributes".to_owned()))
        }
        Kind::Json => {
            let rest = source.text.get(at..source.range(error.line)?.end)?;
            let quote = rest.chars().next().filter(|c| "'\"".contains(*c))?;
            let end = 1 + rest.get(1..)?.find(quote)?;
            let after = rest.get(end + 1..)?.trim();
            let edit = Edit::insert(at + end + 1, format!(" with {{ type: {quote}json{quote} }}"));
            let fits = has_ending(rest.get(1..end)?, &["json"]) && matches!(after, "" | ";");
            fits.then(|| (vec![edit], "import JSON with its type".to_owned()))
        }
        Kind::NotSure => None,
    }
}

/// The text after "Did you mean".
pub(super) fn meant(message: &str) -> Option<&str> {
    let (_, rest) = message.rsplit_once("Did you mean ")?;
    let (_, rest) = rest.split_once('\'')?;
    let (text, _) = rest.split_once('\'')?;
    (!text.is_empty() && text.len() <= 200).then_some(text)
}

/// Whether it is a name, or names joined by points.
fn is_path(text: &str) -> bool {
    text.split('.').all(is_name) && text.split('.').count() <= 3
}

/// Whether an import or export is given another name here.
fn is_renamed(source: &Source, after: usize) -> bool {
    source.text.get(after..).is_some_and(|rest| rest.trim_start().starts_with("as "))
}

/// Whether one text is a misspelling of the other: at most 40 % of the longer one differs, as the compiler itself demands.
pub(super) fn is_near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_ascii_lowercase().chars().collect(), b.to_ascii_lowercase().chars().collect());
    if a.len().max(b.len()) > 100 {
        return false;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for (j, y) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX);
            let left = row.get(j).copied().unwrap_or(usize::MAX);
            let best = (above.min(left) + 1).min(corner + usize::from(x != y));
            corner = above;
            if let Some(cell) = row.get_mut(j + 1) {
                *cell = best;
            }
        }
    }
    row.last().copied().unwrap_or(usize::MAX) * 10 <= a.len().max(b.len()) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_near() {
        assert!(is_near("lenght", "length"));
        assert!(is_near("forEech", "forEach"));
        assert!(is_near("countr", "counter"));
        assert!(!is_near("eval", "length"));
        assert!(!is_near("toString", "fetch"));
    }

    #[test]
    fn both_forms_of_an_error_are_read() {
        for line in [
            "src/a.ts(3,5): error TS2551: Property 'x' does not exist.",
            "src/a.ts:3:5 - error TS2551: Property 'x' does not exist.",
            "web build: src/a.ts(3,5): error TS2551: Property 'x' does not exist.",
        ] {
            let error = error(line).expect("it is an error");
            assert_eq!((error.path, error.line, error.column, error.code), ("src/a.ts", 3, 5, 2551), "{line}");
        }
    }
}
