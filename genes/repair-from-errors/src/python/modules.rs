//! Repairs the imports of a module that was renamed. The rest of the file keeps the name that it used for it.

use super::bindings::{in_import, is_rebound};
use super::file::File;
use super::imports::{Clause, Import};
use super::table::is_lost;
use crate::edit::{Edit, sorted};

/// The source with every unguarded import of `old` replaced by one of `new`; `None` if there is none.
pub(crate) fn repair(file: &File<'_>, old: &str, new: &str) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    let (package, leaf) = old.rsplit_once('.').unwrap_or(("", old));
    let (new_package, new_leaf) = new.rsplit_once('.').unwrap_or(("", new));
    for import in file.imports.iter().filter(|import| file.is_open(import.line)) {
        match &import.from {
            Some((module, span)) if module == old => {
                if import.clauses.iter().any(|clause| is_lost(old, &clause.name)) {
                    return None;
                }
                edits.push(Edit::replace(span.clone(), new));
            }
            Some((module, _)) if module == package && package == new_package => {
                let named = import.clauses.iter().filter(|clause| clause.name == leaf);
                edits.extend(named.map(|clause| renamed(clause, leaf, new_leaf)));
            }
            Some((module, _)) if module == package && import.clauses.len() == 1 && has_leaf(import, leaf) => {
                let span = file.span(import.tokens.start, import.tokens.end.checked_sub(1)?)?;
                let local = import.clauses.first().and_then(|clause| clause.alias.as_deref()).unwrap_or(leaf);
                let alias = if local == new_leaf { String::new() } else { format!(" as {local}") };
                let statement = if new_package.is_empty() {
                    format!("import {new_leaf}{alias}")
                } else {
                    format!("from {new_package} import {new_leaf}{alias}")
                };
                edits.push(Edit::replace(span, statement));
            }
            Some(_) => {}
            None => {
                if uses_lost(file, import, old) {
                    return None;
                }
                for clause in import.clauses.iter().filter(|clause| clause.name == old) {
                    // The gate refuses builtins under another name.
                    if clause.alias.is_none() && (!package.is_empty() || old == "__builtin__") {
                        edits.push(Edit::replace(clause.name_span.clone(), new));
                        edits.extend(uses(file, old, new)?);
                    } else {
                        edits.push(renamed(clause, old, new));
                    }
                }
            }
        }
    }
    let mut edits = sorted(edits);
    edits.dedup();
    file.finish(edits)
}

/// Whether an import names only this.
fn has_leaf(import: &Import, leaf: &str) -> bool {
    import.clauses.iter().all(|clause| clause.name == leaf)
}

/// Whether the file uses a name of the module that the new module lacks.
fn uses_lost(file: &File<'_>, import: &Import, old: &str) -> bool {
    let clauses = import.clauses.iter().filter(|clause| clause.name == old);
    clauses.map(|clause| clause.alias.as_deref().unwrap_or(old)).any(|local| {
        let parts: Vec<&str> = local.split('.').collect();
        file.dotted_uses(&parts).into_iter().any(|first| {
            let name = first + 2 * parts.len();
            std::str::from_utf8(file.tokens.text(name)).is_ok_and(|text| is_lost(old, text))
        })
    })
}

/// `new as local`, or only `new` if that is the local name.
fn renamed(clause: &Clause, old: &str, new: &str) -> Edit {
    let local = clause.alias.as_deref().unwrap_or(old);
    let text = if local == new { new.to_owned() } else { format!("{new} as {local}") };
    Edit::replace(clause.span.clone(), text)
}

/// Replaces the uses of a dotted module by its full name.
fn uses(file: &File<'_>, old: &str, new: &str) -> Option<Vec<Edit>> {
    let parts: Vec<&str> = old.split('.').collect();
    if is_rebound(&file.tokens, &file.lines, &file.imports, parts.first()?) {
        return None;
    }
    let outside = |first: &usize| !in_import(&file.imports, *first);
    file.dotted_uses(&parts)
        .into_iter()
        .filter(outside)
        .map(|first| Some(Edit::replace(file.span(first, first + 2 * (parts.len() - 1))?, new)))
        .collect()
}
