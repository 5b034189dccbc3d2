//! Adds an import to a file.

use super::bindings::{is_rebound, names_something_else};
use super::file::File;
use super::lines::Guard;
use super::tokens::Kind;
use crate::edit::{Edit, line_ending};

/// The edit that adds `from module import name`: to a statement that imports from the module already, or on a line of its own.
pub(crate) fn import_name(file: &File<'_>, module: &str, name: &str) -> Option<Edit> {
    let known = file.imports.iter().find(|import| {
        import.is_from(module)
            && !import.clauses.is_empty()
            && is_first_class(file, import.line)
            && is_early(file, import.line)
    });
    match known.and_then(|import| import.clauses.last()) {
        Some(last) => Some(Edit::insert(last.span.end, format!(", {name}"))),
        None => import_statement(file, &format!("from {module} import {name}")),
    }
}

/// The edit that adds an import statement: before the first import of the file, or before its first line of code.
pub(crate) fn import_statement(file: &File<'_>, statement: &str) -> Option<Edit> {
    let future = |line: usize| file.imports.iter().any(|import| import.line == line && import.is_from("__future__"));
    let first =
        file.imports.iter().map(|import| import.line).find(|line| is_first_class(file, *line) && !future(*line));
    let line = first.filter(|line| is_early(file, *line)).unwrap_or_else(|| {
        let last_future = file.imports.iter().map(|import| import.line).filter(|line| future(*line)).max();
        last_future.map_or(usize::from(is_docstring(file)), |line| line + 1)
    });
    let place = file.lines.get(line).filter(|line| line.indent == 0)?;
    let start = file.tokens.list.get(place.tokens.start)?.start;
    // A line of code begins in the first column, unless it follows another statement or a continued line.
    let is_begin = start == 0 || file.tokens.bytes.get(start - 1).is_some_and(|byte| matches!(byte, b'\n' | 0xbf));
    is_begin.then(|| Edit::insert(start, format!("{statement}{}", line_ending(file.tokens.bytes, start))))
}

/// The edits that let the file use a module by its name: none if it imports it already. `None` if the name means anything else.
pub(crate) fn import_module(file: &File<'_>, name: &str) -> Option<Vec<Edit>> {
    if is_rebound(&file.tokens, &file.lines, &file.imports, name) || names_something_else(&file.imports, name) {
        return None;
    }
    let is_known = file.imports.iter().any(|import| {
        let top = file.lines.get(import.line).is_some_and(|line| line.indent == 0);
        import.from.is_none() && top && import.clauses.iter().any(|it| it.name == name && it.alias.is_none())
    });
    if is_known { Some(Vec::new()) } else { Some(vec![import_statement(file, &format!("import {name}"))?]) }
}

/// Whether a line is at the top level, and nothing guards it.
fn is_first_class(file: &File<'_>, line: usize) -> bool {
    file.lines.get(line).is_some_and(|line| line.indent == 0 && line.guard == Guard::None)
}

/// Whether a line runs before the one that failed.
fn is_early(file: &File<'_>, line: usize) -> bool {
    file.anchor.is_none_or(|anchor| line < anchor)
}

fn is_docstring(file: &File<'_>) -> bool {
    file.lines.first().is_some_and(|line| line.tokens.clone().all(|index| file.tokens.is_kind(index, Kind::Text)))
}
