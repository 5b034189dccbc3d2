//! Names of modules that no longer exist and have no successor, which a file can define itself. The definitions stand after
//! the imports at the top of the file.

use std::collections::BTreeSet;

use super::bindings::{in_import, is_rebound, names_something_else};
use super::clauses::removal;
use super::file::File;
use super::imports::{Clause, Import};
use super::insert::import_statement;
use super::table::{definition, moved};
use crate::edit::{Edit, line_ending};

/// The source with definitions of what it takes from a module that is gone. `None` unless each of these names has a
/// definition or a successor, or if one of them has another meaning in the file.
pub(crate) fn repair(file: &File<'_>, module: &str) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    let mut used = BTreeSet::new();
    // The last of the imports at the top, and whether it stays.
    let last = last_import(file);
    let mut ends_in_gone = None;
    for import in file.imports.iter().filter(|import| file.is_open(import.line)) {
        let mut places = Vec::new();
        for (place, clause) in import.clauses.iter().enumerate() {
            if import.is_from(module) {
                if definition(module, &clause.name).is_some() {
                    if clause.alias.is_some() {
                        return None;
                    }
                    used.insert(clause.name.clone());
                    places.push(place);
                } else if moved(module, &clause.name).is_none() {
                    return None;
                }
            } else if let Some(binding) = binding(import, clause, module) {
                attributes(file, &binding, module, &mut edits, &mut used)?;
                places.push(place);
            }
        }
        if places.len() == import.clauses.len() && !places.is_empty() && last == Some(import.line) {
            ends_in_gone = Some(file.span(import.tokens.start, import.tokens.end.checked_sub(1)?)?);
        } else if !places.is_empty() {
            edits.extend(without(file, import, &places)?);
        }
    }
    let is_taken = |name: &String| {
        is_rebound(&file.tokens, &file.lines, &file.imports, name)
            || file.imports.iter().any(|import| {
                let is_it = |it: &Clause| it.alias.as_deref().unwrap_or(&it.name) == name;
                !import.is_from(module) && import.clauses.iter().any(is_it)
            })
    };
    if used.is_empty() || used.iter().any(is_taken) {
        return None;
    }
    let text = text(file, module, &used)?.replace('\n', line_ending(file.tokens.bytes, 0));
    edits.push(match (ends_in_gone, last) {
        (Some(span), _) => Edit::replace(span, text),
        (None, Some(line)) => {
            let import = file.imports.iter().rev().find(|import| import.line == line)?;
            file.statement_after(import, &text)?
        }
        (None, None) => import_statement(file, &format!("{text}\n\n"))?,
    });
    file.finish(edits)
}

/// The dotted name that a clause binds to the module.
fn binding(import: &Import, clause: &Clause, module: &str) -> Option<String> {
    match &import.from {
        None if clause.name == module => Some(clause.alias.clone().unwrap_or_else(|| module.to_owned())),
        Some((from, _))
            if module.strip_suffix(&clause.name).and_then(|it| it.strip_suffix('.')) == Some(from.as_str()) =>
        {
            Some(clause.alias.clone().unwrap_or_else(|| clause.name.clone()))
        }
        _ => None,
    }
}

/// Replaces each `binding.name`. `None` if one of the names has no definition.
fn attributes(
    file: &File<'_>,
    binding: &str,
    module: &str,
    edits: &mut Vec<Edit>,
    used: &mut BTreeSet<String>,
) -> Option<()> {
    let parts: Vec<&str> = binding.split('.').collect();
    let root = *parts.first()?;
    if is_rebound(&file.tokens, &file.lines, &file.imports, root) {
        return None;
    }
    let is_inside = |index: usize| in_import(&file.imports, index);
    let uses = file.dotted_uses(&parts);
    // Who uses more of the package than this module needs the import.
    let others = file.dotted_uses(&[root]).into_iter().filter(|index| !is_inside(*index) && !uses.contains(index));
    if others.count() > 0 {
        return None;
    }
    for first in uses.into_iter().filter(|index| !is_inside(*index)) {
        let last = first + 2 * parts.len();
        let name = std::str::from_utf8(file.tokens.text(last)).ok().filter(|_| file.tokens.is(last - 1, "."))?;
        definition(module, name)?;
        edits.push(Edit::replace(file.span(first, last)?, name));
        used.insert(name.to_owned());
    }
    Some(())
}

/// The line of the last import in the run of imports with which the file begins.
fn last_import(file: &File<'_>) -> Option<usize> {
    let is_text = |line: usize| {
        let tokens = file.lines.get(line).map(|line| line.tokens.clone());
        tokens.is_some_and(|mut tokens| tokens.all(|index| file.tokens.is_kind(index, super::tokens::Kind::Text)))
    };
    let is_import = |line: usize| {
        let is_alone = |import: &Import| import.line == line && import.alone;
        file.imports.iter().any(is_alone) && file.lines.get(line).is_some_and(|line| line.indent == 0)
    };
    let run = (0..file.lines.len()).take_while(|line| is_import(*line) || *line == 0 && is_text(0));
    run.filter(|line| is_import(*line)).last()
}

/// The edits that remove these names of an import, or all of it.
fn without(file: &File<'_>, import: &Import, places: &[usize]) -> Option<Vec<Edit>> {
    if places.len() < import.clauses.len() {
        return removal(file.tokens.bytes, import, places);
    }
    Some(vec![file.without(import.line).filter(|_| import.alone)?])
}

/// The imports that the definitions need and the file does not have, and the definitions. `None` if the name of such a
/// module means anything else in the file.
fn text(file: &File<'_>, module: &str, used: &BTreeSet<String>) -> Option<String> {
    let mut needed = BTreeSet::new();
    let mut plain = Vec::new();
    let mut blocks = Vec::new();
    for name in used {
        let (imports, text) = definition(module, name)?;
        needed.extend(imports.split_ascii_whitespace());
        if text.contains('\n') { blocks.push(text) } else { plain.push(text) }
    }
    let mut lines = Vec::new();
    for name in needed {
        let root = name.split('.').next().unwrap_or(name);
        let is_other = is_rebound(&file.tokens, &file.lines, &file.imports, root);
        if is_other || names_something_else(&file.imports, root) {
            return None;
        }
        let has = |import: &Import| {
            let is_it = |it: &Clause| it.name == name && it.alias.is_none();
            import.alone && import.from.is_none() && import.clauses.iter().any(is_it)
        };
        let is_top = |import: &&Import| file.lines.get(import.line).is_some_and(|line| line.indent == 0);
        if !file.imports.iter().filter(is_top).any(has) {
            lines.push(format!("import {name}"));
        }
    }
    let mut parts = Vec::new();
    if !lines.is_empty() {
        parts.push(lines.join("\n"));
    }
    if !plain.is_empty() {
        parts.push(format!("{}{}", if lines.is_empty() { "" } else { "\n" }, plain.join("\n")));
    }
    for block in blocks {
        parts.push(format!("\n\n{block}"));
    }
    Some(parts.join("\n"))
}
