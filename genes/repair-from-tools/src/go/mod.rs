//! Errors of the Go compiler and of `go vet` that have exactly one right edit.

mod format;
mod imports;
mod table;

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{between, is_name, positions};

/// Most errors that are read from one output.
const MAX_ERRORS: usize = 64;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    failure.output.lines().filter_map(error).take(MAX_ERRORS).filter_map(|error| fix(&error, shelf)).collect()
}

struct Error<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
}

/// `path.go:line:column: message`, with or without `vet: ` before it.
fn error(line: &str) -> Option<Error<'_>> {
    let line = line.trim();
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let (path, rest) = line.split_once(".go:")?;
    let path = line.get(..path.len() + 3)?;
    let (number, rest) = rest.split_once(':')?;
    let (column, message) = rest.split_once(": ")?;
    Some(Error { path, line: number.parse().ok()?, column: column.parse().ok()?, message })
}

fn fix(error: &Error<'_>, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let kind = KINDS.iter().find(|(part, _)| error.message.contains(part)).map(|(_, kind)| *kind)?;
    let source = shelf.open(error.path)?;
    if kind == Kind::Language {
        return language(error, &source, shelf).map(|fix| fix.because("the compiler names the version", error.message));
    }
    let made = match kind {
        Kind::Undefined => missing_import(error, &source, shelf),
        _ => edits(kind, error, &source),
    };
    let Some((edits, what)) = made else {
        shelf.note(&format!("{}:{}: there is not exactly one right edit: {}", source.path, error.line, error.message));
        return None;
    };
    Some(Fix::new(&source, error.line, edits, what).because(kind.why(), error.message))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    UnusedImport,
    UnusedVariable,
    Undefined,
    NoNewVariables,
    OtherCase,
    Comma,
    Newline,
    Constant,
    Tag,
    /// The pairs of a struct tag have commas between them.
    Pairs,
    /// A function that does not format gets a format.
    Directive,
    Itself,
    Language,
}

/// Parts of messages. Sources: cmd/compile's `types2` and `syntax`, and the analyzers of `go vet`.
const KINDS: &[(&str, Kind)] = &[
    (" and not used", Kind::UnusedImport),
    ("declared and not used", Kind::UnusedVariable),
    ("declared but not used", Kind::UnusedVariable),
    ("undefined: ", Kind::Undefined),
    ("no new variables on left side of :=", Kind::NoNewVariables),
    (", but does have ", Kind::OtherCase),
    ("; possibly missing comma or ", Kind::Comma),
    ("missing ',' before newline in ", Kind::Comma),
    ("arg list ends with redundant newline", Kind::Newline),
    ("non-constant format string in call to ", Kind::Constant),
    ("not compatible with reflect.StructTag.Get: bad syntax for struct tag value", Kind::Tag),
    ("not compatible with reflect.StructTag.Get: key:\"value\" pairs not separated by spaces", Kind::Pairs),
    (" call has possible Printf formatting directive %", Kind::Directive),
    ("self-assignment of ", Kind::Itself),
    ("(-lang was set to go", Kind::Language),
];

impl Kind {
    fn why(self) -> &'static str {
        match self {
            Self::UnusedImport => "Go does not compile an import that nothing uses",
            Self::UnusedVariable => "nothing reads this variable, and its value has no effect",
            Self::Undefined => "only one package of the standard library has this name",
            Self::NoNewVariables => "all variables on the left are declared already",
            Self::OtherCase => "the compiler names the field or method with other capital letters",
            Self::Comma => "the parser stops exactly where the comma is missing",
            Self::Newline => "the function adds a newline by itself",
            Self::Constant => "a text is no format",
            Self::Tag => "the value of a struct tag stands in quotes",
            Self::Pairs => "the pairs of a struct tag stand apart by spaces",
            Self::Directive => {
                "the text has a directive for every value, and only the function that formats reads them"
            }
            Self::Itself => "the assignment has no effect",
            Self::Language => "the compiler names the version",
        }
    }
}

fn edits(kind: Kind, error: &Error<'_>, source: &Source) -> Option<(Vec<Edit>, String)> {
    let at = source.range(error.line)?.start + error.column.checked_sub(1)?;
    let line = source.line(error.line)?;
    let rest = line.get(error.column - 1..)?;
    match kind {
        Kind::UnusedImport if error.message.starts_with('"') => {
            let path = between(error.message, "\"", "\"")?;
            imports::removed(source, error.line, path)
        }
        Kind::UnusedImport | Kind::UnusedVariable => unused_variable(error, source),
        Kind::NoNewVariables => {
            let operator = rest.strip_prefix(":=").is_some();
            let block = line.trim_start();
            // In a header the statement would change what an outer variable holds.
            let plain = !["if ", "for ", "switch ", "select "].iter().any(|word| block.starts_with(word));
            let what = "assign with `=` instead of `:=`".to_owned();
            (operator && plain).then(|| (vec![Edit::replace(at..at + 2, "=")], what))
        }
        Kind::OtherCase => {
            let new = error.message.rsplit(' ').next()?.trim_end_matches(')');
            let word = rest.trim_start_matches('.');
            let start = at + rest.len() - word.len();
            let old = source.word_at(start)?;
            let same = old != new && old.eq_ignore_ascii_case(new) && is_name(new);
            let named = error.message.contains(&format!(".{old} undefined"));
            (same && named).then(|| {
                (vec![Edit::replace(start..start + old.len(), new)], format!("use `{new}` instead of `{old}`"))
            })
        }
        Kind::Comma => {
            let after = rest.trim_start();
            let ends = after.is_empty() || after.starts_with("//");
            let before = line.get(..error.column - 1)?.trim_end();
            let last = before.chars().next_back()?;
            let fits = ends && (last.is_alphanumeric() || "\"`')}]_".contains(last));
            let end = source.range(error.line)?.start + before.len();
            fits.then(|| (vec![Edit::insert(end, ",")], "add the missing comma".to_owned()))
        }
        Kind::Newline => {
            let call = error.message.split(' ').next()?;
            let end = line.trim_end().strip_suffix("\\n\")")?;
            let fits = rest.starts_with(call) && line.matches(call).count() == 1 && !end.ends_with('\\');
            let start = source.range(error.line)?.start + end.len();
            fits.then(|| (vec![Edit::replace(start..start + 2, "")], "remove the newline at the end".to_owned()))
        }
        Kind::Constant => {
            let call = error.message.strip_prefix("non-constant format string in call to ")?;
            let before = line.get(..error.column - 1)?;
            let name = call.rsplit(['.', '/', ')']).next()?;
            let fits = is_name(name) && before.trim_end().ends_with(&format!("{name}(")) && is_only_argument(rest);
            fits.then(|| (vec![Edit::insert(at, "\"%s\", ")], "print the text with the format \"%s\"".to_owned()))
        }
        Kind::Tag => {
            let tag = between(error.message, "struct field tag `", "`")?;
            let (key, value) = tag.split_once(':')?;
            let word =
                |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-,".contains(c));
            let whole = format!("`{tag}`");
            let start = source.range(error.line)?.start + line.find(&whole)?;
            let quoted = value.trim_start().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let value = quoted.unwrap_or(value);
            (word(key) && word(value) && line.matches(&whole).count() == 1).then(|| {
                let new = format!("`{key}:\"{value}\"`");
                (vec![Edit::replace(start..start + whole.len(), new)], "put the tag's value in quotes".to_owned())
            })
        }
        Kind::Pairs => {
            let tag = between(error.message, "struct field tag `", "`")?;
            let whole = format!("`{tag}`");
            let start = source.range(error.line)?.start + line.find(&whole)? + 1;
            let commas: Vec<Edit> =
                tag.match_indices("\",").map(|(at, _)| Edit::replace(start + at + 1..start + at + 2, " ")).collect();
            let is_plain = !tag.contains(' ') && tag.matches('"').count() == 2 * (commas.len() + 1);
            (is_plain && line.matches(&whole).count() == 1)
                .then(|| (commas, "separate the tag's pairs by spaces".to_owned()))
        }
        Kind::Directive => format::edits(error.message, rest, at),
        Kind::Itself => {
            let name = error.message.strip_prefix("self-assignment of ")?.split(" to ").next()?;
            let fits = is_name(name) && line.trim() == format!("{name} = {name}");
            let whole = source.whole(error.line)?;
            fits.then(|| (vec![Edit::replace(whole, "")], "remove the assignment that has no effect".to_owned()))
        }
        Kind::Undefined | Kind::Language => None,
    }
}

/// Imports the package of the standard library whose exported name is used, unless the project has or requires another
/// package of that name.
fn missing_import(error: &Error<'_>, source: &Source, shelf: &mut Shelf<'_>) -> Option<(Vec<Edit>, String)> {
    let name = error.message.strip_prefix("undefined: ")?;
    let path = table::package(name)?;
    let rest = source.line(error.line)?.get(error.column - 1..)?;
    let exported = rest.strip_prefix(name)?.strip_prefix('.')?.starts_with(|c: char| c.is_ascii_uppercase());
    let own = !shelf.matching(&format!("**/{name}/*.go")).is_empty();
    let mut modules = shelf.matching("**/go.mod");
    modules.truncate(20);
    let word = |line: &str| line.split([' ', '/']).any(|part| part == name);
    let required = modules.iter().filter_map(|path| shelf.read(path)).any(|module| module.text.lines().any(word));
    (exported && !own && !required).then(|| imports::added(source, path)).flatten()
}

/// Whether a call's arguments, from the first one, are one name or one field and nothing else.
fn is_only_argument(rest: &str) -> bool {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c))).unwrap_or(rest.len());
    rest.get(end..).is_some_and(|after| after.starts_with(')'))
}

/// Removes a variable that nothing reads, if its value is a constant.
fn unused_variable(error: &Error<'_>, source: &Source) -> Option<(Vec<Edit>, String)> {
    let name = error.message.rsplit(": ").next().filter(|name| is_name(name));
    let name = name.or_else(|| error.message.split(' ').next()).filter(|name| is_name(name))?;
    let text = source.line(error.line)?.trim();
    let constant = |value: &str| {
        let number = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '_');
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        number || matches!(value, "true" | "false" | "nil") || quoted.is_some_and(|text| !text.contains(['"', '\\']))
    };
    let declared = match text.strip_prefix("var ") {
        Some(rest) => rest.strip_prefix(name).is_some_and(|kind| {
            kind.starts_with(' ') && kind.trim().chars().all(|c| c.is_alphanumeric() || "_.*[]".contains(c))
        }),
        None => text
            .strip_prefix(name)
            .and_then(|rest| rest.trim_start().strip_prefix(":="))
            .is_some_and(|value| constant(value.trim())),
    };
    // A later assignment would need it.
    let end =
        (error.line + 1..=source.count()).find(|number| source.line(*number).is_some_and(|line| line.starts_with('}')));
    let end = end.and_then(|number| source.range(number)).map_or(source.text.len(), |range| range.start);
    let rest = source.text.get(source.whole(error.line)?.end..end)?;
    let unused = positions(rest, name).next().is_none();
    (declared && unused)
        .then(|| {
            Some((vec![Edit::replace(source.whole(error.line)?, "")], format!("remove the unused variable `{name}`")))
        })
        .flatten()
}

/// Raises the language version in `go.mod`, unless that changes what loops mean (since Go 1.22 each iteration has variables
/// of its own).
fn language(error: &Error<'_>, source: &Source, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let old = between(error.message, "(-lang was set to go", ";")?;
    let new = error.message.split("requires go").nth(1)?.split(' ').next()?;
    let minor = |version: &str| version.strip_prefix("1.").and_then(|minor| minor.parse::<u32>().ok());
    let (from, to) = (minor(old)?, minor(new)?);
    let module = shelf.nearest(&source.path, "go.mod")?;
    let module = shelf.read(&module)?;
    if from >= to || (from < 22 && to >= 22) {
        shelf.note(&format!("{}: a newer Go version also changes what loops mean", module.path));
        return None;
    }
    let number =
        (1..=module.count()).find(|number| module.line(*number).is_some_and(|line| line.starts_with("go ")))?;
    let stated = module.line(number)?.strip_prefix("go ")?.trim();
    let range = module.range(number)?;
    (stated == old || stated.starts_with(&format!("{old}.")))
        .then(|| Fix::new(&module, number, vec![Edit::replace(range, format!("go {new}"))], format!("state Go {new}")))
}
