//! Repairs every use of names that moved out of a module or were removed from it.

use std::collections::{BTreeMap, BTreeSet};

use super::bindings::{in_import, is_rebound, names_something_else};
use super::clauses::removal;
use super::file::File;
use super::imports::{Clause, Import};
use super::shape::{Fit, fitting};
use super::table::{Move, Shape, moved};
use crate::edit::Edit;

/// The source with all names of `module` that moved replaced by their successors. `None` if there are none, or if a use is
/// not understood. `gone` says that the module no longer exists, so that no use of it may remain.
pub(crate) fn repair(file: &File<'_>, module: &str, gone: bool) -> Option<Vec<u8>> {
    let (edits, needed, free) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut work = Work { file, module, is_gone: false, edits, needed, left: 0, free };
    let bindings = work.bindings();
    work.is_gone = gone
        && file
            .imports
            .iter()
            .all(|import| file.is_open(import.line) || !import.clauses.iter().any(|clause| work.binds(import, clause)));
    for binding in &bindings {
        work.attributes(binding)?;
    }
    let attributes = !work.edits.is_empty();
    for import in file.imports.iter().filter(|import| import.is_from(module)) {
        if file.is_open(import.line) {
            work.moved_import(import)?;
        }
    }
    // What is imported and not used goes as well.
    if attributes || gone && work.left == 0 {
        work.plain_imports(gone)?;
    }
    if gone && work.left > 0 {
        return None;
    }
    file.finish(work.edits)
}

struct Work<'a, 'b> {
    file: &'a File<'b>,
    module: &'a str,
    /// Whether the module no longer exists, and no import of it expects that.
    is_gone: bool,
    edits: Vec<Edit>,
    /// Modules that must be imported for the new names.
    needed: BTreeSet<&'static str>,
    /// How many uses of the module remain.
    left: usize,
    /// Names that are known to be unused, so that each is searched for once.
    free: BTreeSet<&'static str>,
}

impl Work<'_, '_> {
    /// The dotted names by which the file refers to the module.
    fn bindings(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for import in &self.file.imports {
            for clause in &import.clauses {
                if self.binds(import, clause) {
                    names.insert(clause.alias.clone().unwrap_or_else(|| match import.from {
                        Some(_) => clause.name.clone(),
                        None => self.module.to_owned(),
                    }));
                }
            }
        }
        names
    }

    /// Whether a clause binds a name to the module.
    fn binds(&self, import: &Import, clause: &Clause) -> bool {
        let Some((from, _)) = &import.from else {
            let below = clause.name.strip_prefix(self.module).is_some_and(|rest| rest.starts_with('.'));
            return clause.name == self.module || (below && clause.alias.is_none());
        };
        self.module.strip_suffix(&clause.name).and_then(|rest| rest.strip_suffix('.')) == Some(from.as_str())
    }

    /// Edits every `binding.name`.
    fn attributes(&mut self, binding: &str) -> Option<()> {
        let parts: Vec<&str> = binding.split('.').collect();
        let file = self.file;
        let root = parts.first()?;
        if is_rebound(&file.tokens, &file.lines, &file.imports, root) {
            return None;
        }
        for first in file.dotted_uses(&parts) {
            let name = first + 2 * parts.len();
            let line = file.line_of(first);
            if in_import(&file.imports, first) {
                continue;
            }
            let dotted = file.tokens.is(name - 1, ".");
            let found = std::str::from_utf8(file.tokens.text(name)).ok().and_then(|text| moved(self.module, text));
            let found = found.filter(|_| dotted);
            // The file assigns the name to the module itself, so it handles the change already.
            let is_outside = file.tokens.list.get(name).is_some_and(|token| token.depth == 0);
            if found.is_some() && is_outside && file.tokens.is(name + 1, "=") {
                return None;
            }
            // Who imports a module that is gone, and does not expect that, means all that is taken from it.
            let is_open = file.is_open(line) || self.is_gone;
            match found.filter(|_| is_open) {
                Some(entry) => self.attribute(first, name, &entry)?,
                None => self.left += 1,
            }
        }
        Some(())
    }

    fn attribute(&mut self, first: usize, name: usize, entry: &Move) -> Option<()> {
        let file = self.file;
        match fitting(file, first, name, entry)? {
            Fit::Renamed(more) => self.edits.extend(more),
            Fit::Rewritten(edits) => {
                self.edits.extend(edits);
                return Some(());
            }
        }
        let name_span = file.span(name, name)?;
        let below = entry.to_module.strip_prefix(self.module).and_then(|rest| rest.strip_prefix('.'));
        if entry.to_module == self.module {
            self.edits.push(Edit::replace(name_span, entry.to_name));
            self.left += 1;
        } else if let Some(below) = below {
            self.edits.push(Edit::replace(name_span, format!("{below}.{}", entry.to_name)));
            self.needed.insert(entry.to_module);
        } else if entry.to_module.is_empty() {
            self.is_free(root(entry.to_name))?;
            self.edits.push(Edit::replace(file.span(first, name)?, entry.to_name));
        } else {
            self.is_free(root(entry.to_module))?;
            let dot = if entry.to_name.is_empty() { "" } else { "." };
            let now = format!("{}{dot}{}", entry.to_module, entry.to_name);
            self.edits.push(Edit::replace(file.span(first, name)?, now));
            self.needed.insert(entry.to_module);
        }
        Some(())
    }

    /// `Some` if the file uses this name for nothing else.
    fn is_free(&mut self, name: &'static str) -> Option<()> {
        let file = self.file;
        // `try: set` with `set = Set` in its handler leaves a builtin as it is.
        let is_fallback = |number: usize| {
            let above = |lines: usize| {
                number.checked_sub(lines).and_then(|at| file.lines.get(at)).map(|line| line.tokens.start)
            };
            let says = |start: Option<usize>, words: &[&str]| {
                start.is_some_and(|start| words.iter().enumerate().all(|(at, word)| file.tokens.is(start + at, word)))
            };
            says(above(3), &["try"]) && says(above(2), &[name]) && says(above(1), &["except", "NameError"])
        };
        let taken = !self.free.contains(name)
            && (names_something_else(&file.imports, name)
                || file.lines.iter().enumerate().any(|(number, line)| {
                    is_rebound(&file.tokens, std::slice::from_ref(line), &file.imports, name) && !is_fallback(number)
                }));
        self.free.insert(name);
        (!taken).then_some(())
    }

    /// Adds the missing imports next to those of the module, or replaces those if nothing of the module is used any more.
    fn plain_imports(&mut self, gone: bool) -> Option<()> {
        let file = self.file;
        let missing: Vec<&str> = self.needed.iter().copied().filter(|module| !self.is_imported(module)).collect();
        let below = |module: &&str| module.strip_prefix(self.module).is_some_and(|rest| rest.starts_with('.'));
        let replaced = self.left == 0 && !self.needed.iter().any(below) && (gone || !missing.is_empty());
        let mut edits = Vec::new();
        for import in &file.imports {
            for (place, clause) in import.clauses.iter().enumerate().filter(|(_, clause)| self.binds(import, clause)) {
                if replaced && import.from.is_none() {
                    let dropped = if missing.is_empty() { self.dropped(import, place) } else { None };
                    let now = || self.needed.iter().copied().collect::<Vec<_>>().join(", ");
                    match dropped {
                        Some(all) => edits.extend(all),
                        None if self.needed.is_empty() => return None,
                        None => edits.push(Edit::replace(clause.span.clone(), now())),
                    }
                } else if !missing.is_empty() {
                    let statement = format!("import {}", missing.join(", "));
                    edits.push(file.statement_after(import, &statement)?);
                }
            }
        }
        self.edits.append(&mut edits);
        Some(())
    }

    /// The edits that remove one clause of an import, or the whole line if it has no other.
    fn dropped(&self, import: &Import, place: usize) -> Option<Vec<Edit>> {
        let file = self.file;
        if import.clauses.len() > 1 {
            return removal(file.tokens.bytes, import, &[place]);
        }
        let line = file.lines.get(import.line).filter(|line| line.indent == 0 && import.alone)?;
        let (start, end) =
            (file.tokens.list.get(line.tokens.start)?.start, file.tokens.list.get(line.tokens.end - 1)?.end);
        let rest = file.tokens.bytes.get(end..)?;
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let is_blank = rest.get(..length)?.iter().all(u8::is_ascii_whitespace);
        is_blank.then(|| vec![Edit::replace(start..end + length, "")])
    }

    /// Whether the file imports this module at the top level without an alias.
    fn is_imported(&self, module: &str) -> bool {
        let file = self.file;
        file.imports.iter().any(|import| {
            let top = file.lines.get(import.line).is_some_and(|line| line.indent == 0);
            import.from.is_none()
                && top
                && import.clauses.iter().any(|clause| clause.name == module && clause.alias.is_none())
        })
    }

    /// Imports the moved names of one `from module import …` from their new module.
    fn moved_import(&mut self, import: &Import) -> Option<()> {
        let mut apart: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut names = Vec::new();
        let mut gone = Vec::new();
        for (place, clause) in import.clauses.iter().enumerate() {
            let Some(entry) = moved(self.module, &clause.name) else {
                continue;
            };
            let is_expression = entry.to_name.contains('(') && !entry.to_module.is_empty();
            if entry.to_name.is_empty() || entry.to_name.contains('.') || is_expression {
                return None;
            }
            let rewritten = self.local_uses(clause, &entry)?;
            let local = clause.alias.as_deref().unwrap_or(&clause.name);
            let text = if local == entry.to_name { local.to_owned() } else { format!("{} as {local}", entry.to_name) };
            if entry.to_module == self.module {
                self.edits.push(Edit::replace(clause.span.clone(), text));
                continue;
            }
            gone.push(place);
            if entry.to_module.is_empty() {
                // A builtin keeps its old name by an assignment, so that every use stays valid.
                if !rewritten && local != entry.to_name {
                    self.is_free(root(entry.to_name))?;
                    names.push(format!("{local} = {}", entry.to_name));
                }
            } else {
                apart.entry(entry.to_module).or_default().push(text);
            }
        }
        let (_, module_span) = import.from.clone()?;
        let whole = gone.len() == import.clauses.len();
        if whole && apart.len() == 1 && names.is_empty() {
            let (to_module, _) = apart.pop_first()?;
            self.edits.push(Edit::replace(module_span, to_module));
            self.renamed_in_place(import);
            return Some(());
        }
        self.left += import.clauses.len() - gone.len();
        if gone.is_empty() {
            return Some(());
        }
        let from = apart.iter().map(|(to_module, names)| format!("from {to_module} import {}", names.join(", ")));
        let mut statements: Vec<String> = from.chain(names).collect();
        if !whole {
            self.edits.extend(removal(self.file.tokens.bytes, import, &gone)?);
        } else if statements.is_empty() {
            self.edits.extend(self.dropped_whole(import)?);
        } else {
            let span = self.file.span(import.tokens.start, import.tokens.end.checked_sub(1)?)?;
            if self.file.tokens.bytes.get(span.clone())?.contains(&b'#') {
                return None;
            }
            self.edits.push(Edit::replace(span, statements.remove(0)));
        }
        for statement in statements {
            self.edits.push(self.file.statement_after(import, &statement)?);
        }
        Some(())
    }

    /// Removes a whole `from` statement.
    fn dropped_whole(&self, import: &Import) -> Option<Vec<Edit>> {
        let first = import.clauses.first()?.clone();
        self.dropped(&Import { clauses: vec![first], ..import.clone() }, 0)
    }

    /// Renames names within a statement whose module was replaced as a whole.
    fn renamed_in_place(&mut self, import: &Import) {
        for clause in &import.clauses {
            let Some(entry) = moved(self.module, &clause.name).filter(|entry| entry.to_name != clause.name) else {
                continue;
            };
            let local = clause.alias.as_deref().unwrap_or(&clause.name);
            let text = if local == entry.to_name { local.to_owned() } else { format!("{} as {local}", entry.to_name) };
            self.edits.push(Edit::replace(clause.span.clone(), text));
        }
    }

    /// Checks the uses of an imported name if its successor fits only some kinds of use: all of them must be of that kind.
    /// Whether the uses no longer need the name.
    fn local_uses(&mut self, clause: &Clause, entry: &Move) -> Option<bool> {
        if entry.shape == Shape::Any {
            return Some(false);
        }
        let file = self.file;
        let local = clause.alias.as_deref().unwrap_or(&clause.name);
        if is_rebound(&file.tokens, &file.lines, &file.imports, local) {
            return None;
        }
        let mut rewritten = false;
        for first in file.dotted_uses(&[local]) {
            if !in_import(&file.imports, first) {
                match fitting(file, first, first, entry)? {
                    Fit::Renamed(edits) => self.edits.extend(edits),
                    Fit::Rewritten(edits) => {
                        self.edits.extend(edits);
                        rewritten = true;
                    }
                }
            }
        }
        Some(rewritten || matches!(entry.shape, Shape::Method | Shape::Join))
    }
}

/// The name that an expression begins with.
fn root(expression: &'static str) -> &'static str {
    let expression = expression.trim_start_matches('(');
    expression.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(expression)
}
