//! Languages whose code is data: one component is the interpreter, and what the author edits is its input. The interpreter
//! is built and compiled again only if something else changes: the tool, the contract, or the modules that it must know.

use std::collections::{BTreeMap, BTreeSet};

/// Python's loader: the program that is frozen into the interpreter.
const PYTHON_LOADER: &str = include_str!("../interpreters/python.py");
/// The line of the loader that names the modules.
const IMPORTS: &str = "IMPORTS = []";
/// Modules that a gene gets without naming them: most genes of Python use some, and a gene that begins to use another one
/// of these builds as quickly as before.
const COMMON: &[&str] = &[
    "_strptime",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "collections.abc",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "difflib",
    "enum",
    "fnmatch",
    "functools",
    "glob",
    "hashlib",
    "heapq",
    "html",
    "io",
    "itertools",
    "json",
    "keyword",
    "logging",
    "math",
    "operator",
    "os.path",
    "pathlib",
    "posixpath",
    "random",
    "re",
    "shlex",
    "shutil",
    "statistics",
    "string",
    "tempfile",
    "textwrap",
    "time",
    "tokenize",
    "tomllib",
    "typing",
    "unicodedata",
    "urllib.parse",
];

/// An interpreter.
#[derive(Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// The ending of the files that are its input, without the dot.
    pub extension: &'static str,
    /// Where its loader is written.
    pub loader: &'static str,
    /// The file that says from what it was built.
    pub stamp: &'static str,
    /// Files beside the sources that it is built from, if they are there.
    pub inputs: &'static [&'static str],
}

/// Python.
pub const PYTHON: Interpreter = Interpreter {
    extension: "py",
    loader: "build/python/interpreter.py",
    stamp: "build/interpreter.txt",
    inputs: &["requirements.txt"],
};

/// The sources of a project: their texts by path, with `/` between folders.
pub type Sources = BTreeMap<String, String>;

impl Interpreter {
    /// The loader for these sources.
    pub fn loader_for(&self, sources: &Sources) -> String {
        let mut names: BTreeSet<String> = COMMON.iter().map(|name| (*name).to_owned()).collect();
        names.extend(imports(sources));
        let list = names.into_iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        PYTHON_LOADER.replacen(IMPORTS, &format!("IMPORTS = [{list}]"), 1)
    }

    /// The input that the interpreter gets.
    pub fn input(&self, sources: &Sources) -> Vec<u8> {
        // A map of texts always has a JSON form.
        serde_json::to_vec(sources).unwrap_or_default()
    }
}

/// The modules that sources import and that are not among them. A word that only looks like an import costs nothing.
fn imports(sources: &Sources) -> BTreeSet<String> {
    let own = |name: &str| {
        let base = name.replace('.', "/");
        sources.keys().any(|path| *path == format!("{base}.py") || path.starts_with(&format!("{base}/")))
    };
    let mut found = BTreeSet::new();
    for text in sources.values() {
        for statement in statements(text) {
            named(&statement, &mut found);
        }
    }
    // Of a package of the project, nothing is frozen.
    found.retain(|name| !own(name.split('.').next().unwrap_or(name)));
    found
}

/// The statements of a text that begin like an import, each on one line.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        for part in line.split(';') {
            let part = code_of(part);
            if !(part.starts_with("import ") || part.starts_with("from ")) {
                continue;
            }
            let mut statement = part.trim_end_matches('\\').to_owned();
            let mut goes_on = part.ends_with('\\') || is_open(&statement);
            while goes_on && let Some(next) = lines.next() {
                let next = code_of(next);
                statement.push(' ');
                statement.push_str(next.trim_end_matches('\\'));
                goes_on = next.ends_with('\\') || is_open(&statement);
            }
            found.push(statement);
        }
    }
    found
}

/// A line without its comment. No name of a module has a `#`.
fn code_of(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn is_open(statement: &str) -> bool {
    statement.contains('(') && !statement.contains(')')
}

/// Adds the modules that an import names. `from a import b` may name the module `a.b`.
fn named(statement: &str, found: &mut BTreeSet<String>) {
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let names = |list: &str| list.split(',').map(first).filter(|name| is_name(name)).collect::<Vec<_>>();
    if let Some(list) = statement.strip_prefix("import ") {
        found.extend(names(list));
    } else if let Some((module, list)) = statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        let module = module.trim();
        if is_name(module) {
            found.insert(module.to_owned());
            let list = list.replace(['(', ')'], " ");
            found.extend(names(&list).into_iter().map(|name| format!("{module}.{name}")));
        }
    }
}

/// Whether it is a name with dots, as the loader may hold it between quotes. A relative import names an own module.
fn is_name(name: &str) -> bool {
    const MOST: usize = 200;
    name.len() <= MOST
        && name.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let sources = sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        imports(&sources).into_iter().collect()
    }

    #[test]
    fn every_form_of_an_import_is_found() {
        let text = "\
import csv, xml.dom as dom  # not this: import nothing
from zipfile import (
    ZipFile,  # a class
    Path as P,
)
from a.b import c; import d
    import indented
from \\
    e import f
x = 1; import g
from . import relative
from .own import relative
import 9bad, \"quoted\", ok
important = 1
";
        let names = [
            "a.b",
            "a.b.c",
            "csv",
            "d",
            "e",
            "e.f",
            "g",
            "indented",
            "ok",
            "xml.dom",
            "zipfile",
            "zipfile.Path",
            "zipfile.ZipFile",
        ];
        assert_eq!(found(&[("gene.py", text)]), names);
    }

    #[test]
    fn own_modules_are_not_frozen() {
        let text = "import helpers, rules.words\nfrom rules import more\nimport json";
        let sources = [("gene.py", text), ("helpers.py", "import zlib"), ("rules/words.py", "")];
        assert_eq!(found(&sources), ["json", "zlib"]);
    }

    #[test]
    fn an_edit_that_imports_nothing_new_leaves_the_loader_as_it_is() {
        let one = Sources::from([("gene.py".to_owned(), "import json\nX = 1".to_owned())]);
        let other = Sources::from([("gene.py".to_owned(), "import json, re\nX = 2".to_owned())]);
        let more = Sources::from([("gene.py".to_owned(), "import zipfile".to_owned())]);
        let loader = PYTHON.loader_for(&one);
        assert_eq!(loader, PYTHON.loader_for(&other));
        assert_ne!(loader, PYTHON.loader_for(&more));
        assert!(loader.contains("\"json\"") && !loader.contains(IMPORTS));
        assert_ne!(PYTHON.input(&one), PYTHON.input(&other));
    }

    #[test]
    fn whatever_the_text_is_there_is_an_answer() {
        for text in
            ["import", "from", "from x", "from x import", "import (", "from x import (\n", "import a \\", ";;import;"]
        {
            drop(found(&[("gene.py", text)]));
        }
    }
}
