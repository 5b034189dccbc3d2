//! Repairs uses of `pkg_resources`, which setuptools 82 removed: the standard library has what programs mostly take from it.
//!
//! What must stay true: every use in the file is understood, or nothing changes, because the import goes. Sources: the
//! migration guide of importlib.metadata and importlib.resources, and the documentation of `pkg_resources` and `pkgutil`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::bindings::{in_import, is_rebound, names_something_else};
use super::calls::Call;
use super::file::File;
use super::imports::Import;
use super::lines::indentation;
use crate::edit::{Edit, line_ending};

/// The module that is gone.
pub(crate) const MODULE: &str = "pkg_resources";

/// The folder of the file, as `resource_filename(__name__, …)` takes it.
const HERE: &str = "os.path.dirname(os.path.abspath(__file__))";

/// The source without `pkg_resources`; `None` if a use is not understood, or if the file expects that it is missing.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let mut work = Work { file, edits: Vec::new(), needed: BTreeSet::new() };
    let imports: Vec<&Import> = file.imports.iter().filter(|import| is_of_module(import)).collect();
    if imports.iter().any(|import| !file.is_open(import.line) || import.clauses.is_empty()) {
        return None;
    }
    for import in &imports {
        for clause in &import.clauses {
            if clause.alias.is_some() || is_rebound(&file.tokens, &file.lines, &file.imports, &clause.name) {
                return None;
            }
            let own: &[&str] = if import.from.is_some() { &[clause.name.as_str()] } else { &[MODULE] };
            for first in file.dotted_uses(own).into_iter().filter(|index| !in_import(&file.imports, *index)) {
                let name = if import.from.is_some() { first } else { first + 2 };
                work.usage(first, name)?;
            }
        }
    }
    work.namespace()?;
    for import in imports {
        work.import(import)?;
    }
    if work.edits.is_empty() { None } else { file.finish(work.edits) }
}

/// Whether an import binds the module or names of it. Only the module alone in a plain import is understood.
fn is_of_module(import: &Import) -> bool {
    import.is_from(MODULE) || import.from.is_none() && import.clauses.iter().any(|clause| clause.name == MODULE)
}

struct Work<'a, 'b> {
    file: &'a File<'b>,
    edits: Vec<Edit>,
    /// Modules that the file must import.
    needed: BTreeSet<&'static str>,
}

impl Work<'_, '_> {
    /// Replaces one use: `first` is where the expression begins, `name` the name of the module's attribute.
    fn usage(&mut self, first: usize, name: usize) -> Option<()> {
        let tokens = &self.file.tokens;
        if name > first && !tokens.is(name - 1, ".") {
            return None;
        }
        let text = std::str::from_utf8(tokens.text(name)).ok()?;
        if text == "DistributionNotFound" {
            return self.replace(
                first,
                name,
                "importlib.metadata",
                "importlib.metadata.PackageNotFoundError".to_owned(),
            );
        }
        let call = Call::at(tokens, name + 1)?;
        let argument = |at: usize| call.arguments.get(at).and_then(|range| self.text(range));
        let is_positional = !call.has_special(tokens);
        let count = call.arguments.len();
        match (text, count) {
            ("get_distribution", 1) if is_positional && is_version(self.file, call.close) => {
                let version = format!("importlib.metadata.version({})", argument(0)?);
                self.replace(first, call.close + 2, "importlib.metadata", version)
            }
            ("require", 1) if is_positional && is_first_version(self.file, call.close) => {
                let version = format!("importlib.metadata.version({})", argument(0)?);
                self.replace(first, call.close + 5, "importlib.metadata", version)
            }
            ("iter_entry_points", 1 | 2) => {
                let points = self.entry_points(&call)?;
                self.replace(first, call.close, "importlib.metadata", points)
            }
            ("resource_string", 2) if is_positional => {
                let data = format!("pkgutil.get_data({}, {})", argument(0)?, argument(1)?);
                self.replace(first, call.close, "pkgutil", data)
            }
            ("resource_stream", 2) if is_positional => {
                let data = format!("io.BytesIO(pkgutil.get_data({}, {}))", argument(0)?, argument(1)?);
                self.needed.insert("io");
                self.replace(first, call.close, "pkgutil", data)
            }
            ("resource_filename", 2) if is_positional && argument(0)? == "__name__" => {
                let path = format!("os.path.join({HERE}, {})", argument(1)?);
                self.replace(first, call.close, "os", path)
            }
            ("resource_exists", 2) if is_positional && argument(0)? == "__name__" => {
                let path = format!("os.path.exists(os.path.join({HERE}, {}))", argument(1)?);
                self.replace(first, call.close, "os", path)
            }
            ("declare_namespace", 1) if argument(0)? == "__name__" => self.declared(first, call.close),
            _ => None,
        }
    }

    /// `group` and maybe `name`, by place or by name.
    fn entry_points(&self, call: &Call) -> Option<String> {
        /// What entry points no longer have under that name.
        const OTHER: [&str; 5] = ["module_name", "dist", "require", "resolve", "attrs"];
        let tokens = &self.file.tokens;
        let is_other = |index: usize| tokens.follows(index, ".") && OTHER.iter().any(|name| tokens.is(index, name));
        if (0..tokens.list.len()).any(is_other) {
            return None;
        }
        let mut parts = Vec::new();
        for (place, range) in ["group", "name"].into_iter().zip(&call.arguments) {
            let is_named = tokens.is(range.start + 1, "=");
            let value = if is_named { range.start + 2..range.end } else { range.clone() };
            let name = if is_named { std::str::from_utf8(tokens.text(range.start)).ok()? } else { place };
            if !matches!(name, "group" | "name") || tokens.is(value.start, "*") || tokens.is(value.start, "**") {
                return None;
            }
            parts.push(format!("{name}={}", self.text(&value)?));
        }
        // Without a name, an optional one is `None` and means all of them; `None` as a name would find nothing.
        let is_group = parts.first().is_some_and(|part| part.starts_with("group="));
        (is_group && !parts.iter().any(|part| part == "name=None"))
            .then(|| format!("importlib.metadata.entry_points({})", parts.join(", ")))
    }

    /// A namespace package in the way that pkgutil documents. `first` begins the statement.
    fn declared(&mut self, first: usize, close: usize) -> Option<()> {
        let line = self.file.lines.get(self.file.line_of(first))?;
        let is_statement = line.tokens.end == close + 1 && (line.tokens.start == first || self.begins(first));
        let text = "__path__ = pkgutil.extend_path(__path__, __name__)".to_owned();
        if is_statement { self.replace(first, close, "pkgutil", text) } else { None }
    }

    /// Whether a statement begins here, after another one on the same line.
    fn begins(&self, first: usize) -> bool {
        self.file.tokens.follows(first, ";")
    }

    /// `__import__('pkg_resources').declare_namespace(__name__)`.
    fn namespace(&mut self) -> Option<()> {
        let file = self.file;
        let tokens = &file.tokens;
        for first in file.dotted_uses(&["__import__"]) {
            let Some(call) = Call::at(tokens, first + 1) else { continue };
            let names = |quoted: &[u8]| matches!(quoted, b"'pkg_resources'" | b"\"pkg_resources\"");
            let is_named = call.arguments.len() == 1 && names(tokens.text(first + 2));
            if !is_named || !file.is_open(file.line_of(first)) {
                continue;
            }
            let name = call.close + 2;
            let inner = Call::at(tokens, name + 1).filter(|_| tokens.is(name, "declare_namespace"))?;
            let line = file.lines.get(file.line_of(first)).filter(|line| line.tokens.start == first)?;
            if line.tokens.end != inner.close + 1 {
                return None;
            }
            // The file may import nothing else, so that the statement brings its import along.
            let gap = format!("{}{}", line_ending(tokens.bytes, 0), indentation(tokens, line));
            let text = format!("import pkgutil{gap}__path__ = pkgutil.extend_path(__path__, __name__)");
            self.edits.push(Edit::replace(file.span(first, inner.close)?, text));
        }
        Some(())
    }

    fn text(&self, range: &Range<usize>) -> Option<String> {
        let span = self.file.span(range.start, range.end.checked_sub(1)?)?;
        let text = std::str::from_utf8(self.file.tokens.bytes.get(span)?).ok()?;
        (!text.contains(['\n', '#'])).then(|| text.to_owned())
    }

    fn replace(&mut self, first: usize, last: usize, module: &'static str, text: String) -> Option<()> {
        self.needed.insert(module);
        self.edits.push(Edit::replace(self.file.span(first, last)?, text));
        Some(())
    }

    /// Replaces an import by those that the uses need now.
    fn import(&mut self, import: &Import) -> Option<()> {
        let file = self.file;
        let line = file.lines.get(import.line)?;
        if !import.alone || import.from.is_none() && import.clauses.len() != 1 {
            return None;
        }
        for module in &self.needed {
            let root = module.split('.').next().unwrap_or(module);
            if is_rebound(&file.tokens, &file.lines, &file.imports, root) || names_something_else(&file.imports, root) {
                return None;
            }
        }
        let gap = format!("{}{}", line_ending(file.tokens.bytes, 0), indentation(&file.tokens, line));
        let statements: Vec<String> = self.needed.iter().map(|module| format!("import {module}")).collect();
        if statements.is_empty() && line.indent == 0 {
            self.edits.push(Edit::replace(file.whole_lines(&import.tokens)?, ""));
            return Some(());
        }
        // A block must not become empty.
        let text = if statements.is_empty() { "pass".to_owned() } else { statements.join(&gap) };
        self.edits.push(Edit::replace(file.span(import.tokens.start, import.tokens.end.checked_sub(1)?)?, text));
        Some(())
    }
}

/// Whether `.version` follows a call that ends here.
fn is_version(file: &File<'_>, close: usize) -> bool {
    file.tokens.is(close + 1, ".") && file.tokens.is(close + 2, "version") && !file.tokens.is(close + 3, "(")
}

/// Whether `[0].version` follows a call that ends here.
fn is_first_version(file: &File<'_>, close: usize) -> bool {
    let tokens = &file.tokens;
    let is_first = tokens.is(close + 1, "[") && tokens.text(close + 2) == b"0" && tokens.is(close + 3, "]");
    is_first && is_version(file, close + 3)
}
