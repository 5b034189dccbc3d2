//! What Node took away long ago, and reports only as a property of nothing: its list of search paths, and names in capital
//! letters. Node shows the line of the source above the error.

use std::collections::BTreeSet;
use std::rc::Rc;

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::paths::{self, joined, relative};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{is_name, positions};

/// Old name, its name since Node 0.6.
const RENAMED: [(&str, &str); 2] = [("process.ARGV", "process.argv"), ("process.ENV", "process.env")];
/// Where an import may lead: the file itself, or with these ends.
const ENDS: [&str; 4] = ["", ".js", ".json", "/index.js"];
/// Most files of a project whose imports are looked at.
const MAX_FILES: usize = 400;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let lines: Vec<&str> = failure.output.lines().collect();
    for (at, pair) in lines.windows(2).enumerate() {
        let [place, code] = pair else { continue };
        let below = lines.get(at + 2..).unwrap_or_default();
        let Some(message) = below.iter().take(6).find(|line| line.contains("Error: ")) else { continue };
        let Some((path, number)) = place.rsplit_once(':') else { continue };
        let source = number.parse().ok().and_then(|number: usize| Some((shelf.open(path)?, number)));
        let Some((source, number)) = source.filter(|(source, number)| source.line(*number) == Some(*code)) else {
            continue;
        };
        let is_missing = message.contains("Cannot read properties of undefined");
        let fixes = if message.contains("Setter must have exactly one formal parameter") {
            setters(&source, number).into_iter().map(|fix| fix.because(SETTER, *message)).collect()
        } else if is_missing && code.trim_start().starts_with("require.paths.") {
            search_paths(&source, message, shelf)
        } else if is_missing {
            renamed(&source, number, code).into_iter().map(|fix| fix.because(NAMES, *message)).collect()
        } else {
            Vec::new()
        };
        if !fixes.is_empty() {
            return fixes;
        }
    }
    Vec::new()
}

const SETTER: &str = "JavaScript no longer takes a setter without a parameter";
const NAMES: &str = "Node 0.6 renamed the property";
const PATHS: &str = "Node has no search paths since 0.5, and the file has this place in the project";

/// Names the value that a setter does not use.
fn setters(source: &Source, number: usize) -> Option<Fix> {
    let mut edits = Vec::new();
    for (at, _) in source.text.match_indices("set ") {
        let starts = source.text.get(..at)?.chars().next_back().is_none_or(|c| c.is_whitespace() || "{,".contains(c));
        let Some((name, body)) = source.text.get(at + 4..)?.split_once("()") else { break };
        if starts && is_name(name) && body.trim_start().starts_with('{') {
            edits.push(Edit::insert(at + 4 + name.len() + 1, "_"));
        }
    }
    (!edits.is_empty()).then(|| Fix::new(source, number, edits, "name the parameter of the setters"))
}

/// Uses the new name of a property in the whole file.
fn renamed(source: &Source, number: usize, code: &str) -> Option<Fix> {
    let (old, new) = RENAMED.iter().find(|(old, _)| positions(code, old).next().is_some())?;
    let edits = positions(&source.text, old).map(|at| Edit::replace(at..at + old.len(), *new)).collect();
    Some(Fix::new(source, number, edits, format!("use `{new}` instead of `{old}`")))
}

/// Imports by relative paths what the search paths led to. They held for the whole program, so every file of the project
/// changes that sets or uses them, the failing one first.
fn search_paths(failing: &Rc<Source>, message: &str, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let paths = shelf.matching("**/*.js");
    let mut sources: Vec<Rc<Source>> = vec![Rc::clone(failing)];
    for path in paths.iter().filter(|path| **path != failing.path).take(MAX_FILES) {
        sources.extend(shelf.read(path));
    }
    // A file with a path that is not known keeps all of its own.
    let known: Vec<(Rc<Source>, Vec<Statement>)> =
        sources.into_iter().filter_map(|source| Some((Rc::clone(&source), statements(&source)?))).collect();
    if known.first().is_none_or(|(_, statements)| statements.is_empty()) {
        return Vec::new();
    }
    let folders: BTreeSet<&str> =
        known.iter().flat_map(|(_, all)| all.iter().flat_map(|it| it.folders.iter().map(String::as_str))).collect();
    let mut fixes = Vec::new();
    for (source, statements) in &known {
        let mut edits: Vec<Edit> = imports(source)
            .filter_map(|(at, name)| {
                let mut found = folders.iter().filter_map(|folder| {
                    let target = joined(folder, name)?;
                    let is_there =
                        ENDS.iter().any(|end| paths.iter().any(|path| path.strip_suffix(end) == Some(&target)));
                    is_there.then_some(target)
                });
                let target = found.next().filter(|target| found.all(|other| other == *target))?;
                Some(Edit::replace(at..at + name.len(), relative(&source.path, &target)))
            })
            .collect();
        edits.extend(statements.iter().filter_map(|it| Some(Edit::replace(source.whole(it.line)?, ""))));
        if let Some(first) = edits.iter().map(|edit| edit.start).min() {
            let line = source.number_at(first);
            fixes.push(Fix::new(source, line, edits, "import by relative paths").because(PATHS, message));
        }
    }
    fixes
}

/// A line that sets search paths.
struct Statement {
    line: usize,
    /// The folders, from the project's root.
    folders: Vec<String>,
}

/// The lines of a file that set search paths. `None` if one of them cannot be read.
fn statements(source: &Source) -> Option<Vec<Statement>> {
    let mut statements = Vec::new();
    let own = paths::folder(&source.path);
    for line in 1..=source.count() {
        let text = source.line(line)?.trim();
        if !text.contains("require.paths") || text.starts_with("//") || text.starts_with('*') {
            continue;
        }
        let rest = text.strip_prefix("require.paths.")?;
        let call = rest.strip_prefix("unshift(").or_else(|| rest.strip_prefix("push("))?;
        let arguments = call.trim_end_matches(';').strip_suffix(')')?;
        let folders = split(arguments)?.into_iter().map(|argument| folder(argument, own)).collect::<Option<_>>()?;
        statements.push(Statement { line, folders });
    }
    Some(statements)
}

/// The parts between the commas outside of brackets.
fn split(arguments: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in arguments.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(arguments.get(start..at)?.trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(arguments.get(start..)?.trim());
    Some(parts)
}

/// The folder that an expression means: `__dirname`, with a text after it or joined with texts.
fn folder(expression: &str, own: &str) -> Option<String> {
    let text = |part: &str| {
        let inner = part.trim().trim_matches(['\'', '"']);
        (inner.len() + 2 == part.trim().len()).then(|| inner.trim_matches('/').to_owned())
    };
    if expression == "__dirname" {
        return Some(own.to_owned());
    }
    if let Some((first, after)) = expression.split_once('+') {
        return joined(own, &text(after)?).filter(|_| first.trim() == "__dirname");
    }
    let call = expression.strip_prefix("path.join(").or_else(|| expression.strip_prefix("require('path').join("))?;
    let mut parts = call.strip_suffix(')')?.split(',');
    if parts.next()?.trim() != "__dirname" {
        return None;
    }
    parts.try_fold(own.to_owned(), |folder, part| joined(&folder, &text(part)?))
}

/// The modules that a file requires by a name, each with its first byte.
fn imports(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    source.text.match_indices("require(").filter_map(|(at, call)| {
        let start = at + call.len() + 1;
        let quote = source.text.get(start - 1..start).filter(|quote| matches!(*quote, "'" | "\""))?;
        let name = source.text.get(start..)?.split_once(quote)?.0;
        (!name.starts_with(['.', '/']) && !name.contains(['\n', ' ']) && !name.is_empty()).then_some((start, name))
    })
}
