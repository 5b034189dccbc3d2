//! Imports of modules in the same folder. In Python 2, and in no later version, `import b` in `p/a.py` finds `p/b.py`.

use super::file::File;
use super::imports::Import;
use super::table::{STANDARD_MODULES, is_successor};
use crate::edit::Edit;

/// Modules and packages in one folder, which is a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Siblings {
    /// The folder; empty for the root.
    pub(crate) folder: String,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// Names that the package binds to something of a module: [`bound`].
    pub(crate) bound: Vec<String>,
}

/// The names that `from module import …` binds in the source of a package, where they may hide a module of that name.
pub(crate) fn bound(package: &[u8]) -> Vec<String> {
    let Some(file) = File::parse(package, None) else { return Vec::new() };
    let of_module = |import: &&Import| import.from.as_ref().is_some_and(|(module, _)| module != ".");
    let clauses = file.imports.iter().filter(of_module).flat_map(|import| &import.clauses);
    clauses.map(|clause| clause.alias.as_ref().unwrap_or(&clause.name).clone()).collect()
}

/// Whether a line is in a function, so that it runs after the imports of the package.
fn is_in_function(file: &File<'_>, line: usize) -> bool {
    let mut indent = file.lines.get(line).map_or(0, |line| line.indent);
    file.lines.iter().take(line).rev().any(|outer| {
        let is_around = outer.indent < indent;
        indent = indent.min(outer.indent);
        is_around && ["def", "async"].iter().any(|word| file.tokens.is(outer.tokens.start, word))
    })
}

/// The modules that a file imports by absolute names, without their submodules, in the order of the file.
pub(crate) fn imported(source: &[u8]) -> Vec<String> {
    let Some(file) = File::parse(source, None) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    let is_dotted = is_dotted(&file);
    for import in &file.imports {
        let modules: Vec<&str> = match &import.from {
            Some((module, _)) => vec![module.as_str()],
            None => import.clauses.iter().map(|clause| clause.name.as_str()).collect(),
        };
        for module in modules {
            let root = module.split('.').next().unwrap_or(module);
            let is_standard = STANDARD_MODULES.contains(&root) || is_dotted && is_successor(root);
            if !root.is_empty() && !is_standard && !names.iter().any(|known| known == root) {
                names.push(root.to_owned());
            }
        }
    }
    names
}

/// Whether the file imports something of its own package with a dot: then a module that Python 3 named is that module.
fn is_dotted(file: &File<'_>) -> bool {
    file.imports.iter().any(|import| import.from.as_ref().is_some_and(|(module, _)| module.starts_with('.')))
}

impl Siblings {
    /// The source with these modules imported from the own package; `None` if a use is not understood.
    pub(crate) fn repair(&self, file: &File<'_>) -> Option<Vec<u8>> {
        let mut edits = Vec::new();
        let is_dotted = is_dotted(file);
        for import in file.imports.iter().filter(|import| file.is_open(import.line)) {
            match &import.from {
                Some((module, _)) if is_dotted && is_successor(module.split('.').next()?) => {}
                Some((module, span)) if self.has(module.split('.').next()?) => {
                    edits.push(Edit::insert(span.start, "."));
                }
                Some(_) => {}
                None => edits.extend(self.plain(file, import)?),
            }
        }
        file.finish(edits)
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// `import a, b` becomes `from . import a, b`, and modules from elsewhere stay.
    fn plain(&self, file: &File<'_>, import: &Import) -> Option<Vec<Edit>> {
        let (own, others): (Vec<_>, Vec<_>) =
            import.clauses.iter().partition(|clause| self.has(clause.name.split('.').next().unwrap_or_default()));
        // There `from . import b` gives what the package binds, which is not the module.
        let is_hidden = own.iter().any(|clause| self.bound.contains(&clause.name));
        if own.is_empty() || is_hidden && is_in_function(file, import.line) {
            return Some(Vec::new());
        }
        let text = |clause: &super::imports::Clause| {
            let bytes = file.tokens.bytes.get(clause.span.clone())?;
            std::str::from_utf8(bytes).ok().map(str::to_owned)
        };
        let span = file.span(import.tokens.start, import.tokens.end.checked_sub(1)?)?;
        let mut names = Vec::new();
        for clause in &own {
            match (clause.name.rsplit_once('.'), &clause.alias) {
                (None, _) => names.push(text(clause)?),
                (Some((package, module)), Some(alias)) if own.len() == 1 && others.is_empty() => {
                    return Some(vec![Edit::replace(span, format!("from .{package} import {module} as {alias}"))]);
                }
                // `import a.b` binds `a`, which no single statement with a dot does. It stays.
                (Some(_), _) => return Some(Vec::new()),
            }
        }
        let statement = format!("from . import {}", names.join(", "));
        if others.is_empty() {
            return Some(vec![Edit::replace(span, statement)]);
        }
        let others = others.into_iter().map(text).collect::<Option<Vec<_>>>()?.join(", ");
        Some(vec![Edit::replace(span, format!("import {others}")), file.statement_after(import, &statement)?])
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        let what = format!("import {} from the own package", self.names.join(", "));
        (what, "since Python 3.0 an import without a dot does not look in the folder of the file".to_owned())
    }
}
