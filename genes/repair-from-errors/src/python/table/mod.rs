//! Tables of Python names that moved, were renamed or were removed, and that have exactly one successor.
//!
//! Sources: the sections "Removed" and "Porting" of "What's New In Python" for the version in `since`; PEP 3108 for
//! modules of 3.0; for other packages the release notes of the named version. Each table has a file of its own.

mod builtins;
mod definitions;
mod libraries;
mod methods;
mod modules;
mod standard;

use std::collections::BTreeSet;

use crate::edit::set;

pub(crate) use builtins::{MODULES as STANDARD_MODULES, NAMES as STANDARD_NAMES};
pub(crate) use definitions::{defining, definition};

/// The uses for which the successor means the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All uses.
    Any,
    /// Only calls with one or two arguments, because the successor has another default for `quote`.
    Escape,
    /// Only calls of whose result no more than the first four fields are used.
    ArgSpec,
    /// Only calls with one argument.
    One,
    /// Only calls with two arguments whose result is not used; the last one is added.
    Merged,
    /// Only calls with an object as the second argument; a third one, its class, goes.
    Bound,
    /// All uses but those in a call of `isinstance`: no value has this type any more.
    Compared,
    /// Only calls; the function is a method of the first argument now.
    Method,
    /// Only calls; the function is a method of the second argument now, or of a space if there is none.
    Join,
}

/// A name of a module and its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    /// The old module.
    pub(crate) module: &'static str,
    /// The old name.
    pub(crate) name: &'static str,
    /// The new module; empty for a builtin, or for a method.
    pub(crate) to_module: &'static str,
    /// The new name; empty if the name was a module itself.
    pub(crate) to_name: &'static str,
    /// The uses that can be replaced.
    pub(crate) shape: Shape,
    /// The version that removed the old name.
    pub(crate) since: &'static str,
}

impl Move {
    /// The new name with its module, for a reader.
    pub(crate) fn successor(&self) -> String {
        match (self.shape, self.to_module, self.to_name) {
            (Shape::Method | Shape::Join, ..) => format!("the method {}", self.to_name),
            (_, "", name) => format!("the builtin {name}"),
            (_, module, "") => format!("the module {module}"),
            (_, module, name) => format!("{module}.{name}"),
        }
    }
}

/// The abstract base classes that left `collections` in Python 3.10.
const ABCS: [&str; 25] = [
    "Awaitable",
    "Coroutine",
    "AsyncIterable",
    "AsyncIterator",
    "AsyncGenerator",
    "Hashable",
    "Iterable",
    "Iterator",
    "Generator",
    "Reversible",
    "Sized",
    "Container",
    "Callable",
    "Collection",
    "Set",
    "MutableSet",
    "Mapping",
    "MutableMapping",
    "MappingView",
    "KeysView",
    "ItemsView",
    "ValuesView",
    "Sequence",
    "MutableSequence",
    "ByteString",
];

/// Names whose successor fits only some uses.
const SHAPED: &[(&str, &str, &str, &str, Shape, &str)] = &[
    ("cgi", "escape", "html", "escape", Shape::Escape, "Python 3.8"),
    ("inspect", "getargspec", "inspect", "getfullargspec", Shape::ArgSpec, "Python 3.11"),
    ("distutils.dir_util", "remove_tree", "shutil", "rmtree", Shape::One, "Python 3.12"),
    ("distutils.dir_util", "copy_tree", "shutil", "copytree", Shape::Merged, "Python 3.12"),
    ("types", "InstanceType", "", "object", Shape::Compared, "Python 3.0"),
    ("new", "instancemethod", "types", "MethodType", Shape::Bound, "Python 3.0"),
    ("string", "atof", "", "float", Shape::One, "Python 3.0"),
    ("string", "atoi", "", "int", Shape::Any, "Python 3.0"),
    ("string", "atol", "", "int", Shape::Any, "Python 3.0"),
    ("string", "capitalize", "", "capitalize", Shape::Method, "Python 3.0"),
    ("string", "count", "", "count", Shape::Method, "Python 3.0"),
    ("string", "expandtabs", "", "expandtabs", Shape::Method, "Python 3.0"),
    ("string", "find", "", "find", Shape::Method, "Python 3.0"),
    ("string", "index", "", "index", Shape::Method, "Python 3.0"),
    ("string", "join", "", "join", Shape::Join, "Python 3.0"),
    ("string", "joinfields", "", "join", Shape::Join, "Python 3.0"),
    ("string", "ljust", "", "ljust", Shape::Method, "Python 3.0"),
    ("string", "lower", "", "lower", Shape::Method, "Python 3.0"),
    ("string", "lstrip", "", "lstrip", Shape::Method, "Python 3.0"),
    ("string", "replace", "", "replace", Shape::Method, "Python 3.0"),
    ("string", "rfind", "", "rfind", Shape::Method, "Python 3.0"),
    ("string", "rindex", "", "rindex", Shape::Method, "Python 3.0"),
    ("string", "rjust", "", "rjust", Shape::Method, "Python 3.0"),
    ("string", "rstrip", "", "rstrip", Shape::Method, "Python 3.0"),
    ("string", "split", "", "split", Shape::Method, "Python 3.0"),
    ("string", "splitfields", "", "split", Shape::Method, "Python 3.0"),
    ("string", "strip", "", "strip", Shape::Method, "Python 3.0"),
    ("string", "swapcase", "", "swapcase", Shape::Method, "Python 3.0"),
    ("string", "upper", "", "upper", Shape::Method, "Python 3.0"),
    ("string", "zfill", "", "zfill", Shape::Method, "Python 3.0"),
    ("unittest", "findTestCases", "unittest", "defaultTestLoader.loadTestsFromModule", Shape::One, "Python 3.13"),
    ("unittest", "getTestCaseNames", "unittest", "defaultTestLoader.getTestCaseNames", Shape::One, "Python 3.13"),
    ("unittest", "makeSuite", "unittest", "defaultTestLoader.loadTestsFromTestCase", Shape::One, "Python 3.13"),
    ("numpy", "asscalar", "", "item", Shape::Method, "NumPy 1.23"),
];

/// The names of a module in the tables. A row of a table has several names.
fn rows(module: &str) -> impl Iterator<Item = Move> {
    let plain = standard::STANDARD.iter().chain(libraries::LIBRARIES).filter(move |row| row.0 == module);
    let plain = plain.flat_map(|&(module, to_module, names, since)| {
        names.split_ascii_whitespace().map(move |entry| {
            let (name, to_name) = entry.split_once('=').unwrap_or((entry, entry));
            Move { module, name, to_module, to_name, shape: Shape::Any, since }
        })
    });
    let shaped = SHAPED.iter().filter(move |row| row.0 == module);
    let shaped = shaped.map(|&(module, name, to_module, to_name, shape, since)| Move {
        module,
        name,
        to_module,
        to_name,
        shape,
        since,
    });
    plain.chain(shaped)
}

/// The successor of a module's name.
pub(crate) fn moved(module: &str, name: &str) -> Option<Move> {
    if module == "collections" {
        let name = ABCS.iter().find(|abc| **abc == name)?;
        let (to_module, shape) = ("collections.abc", Shape::Any);
        return Some(Move { module: "collections", name, to_module, to_name: name, shape, since: "Python 3.10" });
    }
    rows(module).find(|row| row.name == name)
}

/// Which versions of Python removed a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// Python 3.0.
    Three,
    /// Python 3.10 or an older one: no maintained version has the name.
    Maintained,
}

impl Since {
    /// Whether a version of the tables is one of them.
    pub(crate) fn includes(self, version: &str) -> bool {
        let minor = version.strip_prefix("Python 3.").and_then(|minor| minor.parse::<u32>().ok());
        minor.is_some_and(|minor| minor <= if self == Self::Three { 0 } else { 10 })
    }
}

/// Modules of the standard library in the tables that still exist.
const ALIVE: [&str; 23] = [
    "asyncio",
    "base64",
    "cgi",
    "collections",
    "configparser",
    "fractions",
    "importlib.abc",
    "itertools",
    "locale",
    "operator",
    "os",
    "plistlib",
    "re",
    "string",
    "sys",
    "tarfile",
    "time",
    "types",
    "typing",
    "unittest",
    "urllib",
    "wave",
    "inspect",
];

/// The modules whose names moved, and whether the module itself is gone.
pub(crate) fn moved_modules(since: Since) -> Vec<(&'static str, bool)> {
    let plain = standard::STANDARD.iter().map(|row| (row.0, row.3)).chain([("collections", "Python 3.10")]);
    let all = plain.chain(SHAPED.iter().map(|row| (row.0, row.5)));
    let mut modules = Vec::new();
    for (module, _) in all.filter(|row| since.includes(row.1)) {
        let entry = (module, !ALIVE.contains(&module));
        if !modules.contains(&entry) {
            modules.push(entry);
        }
    }
    modules
}

/// The modules of the standard library that were renamed.
pub(crate) fn renamed_modules(
    since: Since,
) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    modules::MODULES.iter().filter(move |row| since.includes(row.2))
}

/// Whether no maintained version of Python has this module of the standard library.
pub(crate) fn is_gone(module: &str) -> bool {
    let moved = moved_modules(Since::Maintained).into_iter().any(|(name, is_gone)| is_gone && name == module);
    moved || renamed_modules(Since::Maintained).any(|row| row.0 == module)
}

/// The builtins of Python 2 that have another name.
pub(crate) fn builtins() -> impl Iterator<Item = (&'static str, &'static str)> {
    builtins::BUILTINS.iter().copied()
}

/// The attributes of functions and methods that have another name since Python 3.0.
pub(crate) fn function_attributes() -> impl Iterator<Item = (&'static str, &'static str)> {
    methods::ATTRIBUTES.iter().map(|row| (row.1, row.2))
}

/// The modules with names in the tables that are gone if there is no module `name`: itself, and those in it.
pub(crate) fn dissolved(name: &str) -> BTreeSet<&'static str> {
    let inside = |module: &str| module.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let tables = standard::STANDARD.iter().chain(libraries::LIBRARIES).map(|row| row.0);
    set(tables.chain(SHAPED.iter().map(|row| row.0)).filter(|module| inside(module)))
}

/// The version that removed the names of a dissolved module.
pub(crate) fn dissolved_since(module: &str) -> &'static str {
    match module {
        "cgi" => "Python 3.13",
        _ => rows(module).next().map_or("", |row| row.since),
    }
}

/// The old and the new name of a renamed module, and the version.
pub(crate) fn renamed_module(module: &str) -> Option<(&'static str, &'static str, &'static str)> {
    modules::MODULES.iter().find(|entry| entry.0 == module).copied()
}

/// Whether a module of Python 2 has a successor in the package, or as the module, of this name.
pub(crate) fn is_successor(root: &str) -> bool {
    let is_it = |module: &str| module.split('.').next() == Some(root);
    renamed_modules(Since::Three).any(|row| is_it(row.1))
}

/// Whether the module that replaces `module` lacks this name.
pub(crate) fn is_lost(module: &str, name: &str) -> bool {
    modules::LOST.iter().any(|(old, names)| *old == module && names.contains(&name))
}

/// The old and the new name of a method of this type, and the version.
pub(crate) fn renamed_method(kind: &str, name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    // A class of the project is named by what it is.
    let is_kind = |known: &str| known == kind || known == "Thread" && kind.ends_with("Thread");
    methods::METHODS.iter().find(|entry| is_kind(entry.0) && entry.1 == name).map(|entry| (entry.1, entry.2, entry.3))
}

/// The old and the new name of an attribute of this type.
pub(crate) fn renamed_attribute(kind: &str, name: &str) -> Option<(&'static str, &'static str)> {
    methods::ATTRIBUTES.iter().find(|entry| entry.0 == kind && entry.1 == name).map(|entry| (entry.1, entry.2))
}

/// The old and the new name of a special method.
pub(crate) fn special_method(now: &str) -> Option<(&'static str, &'static str)> {
    methods::SPECIAL.iter().find(|entry| entry.1 == now).copied()
}

/// All special methods that have another name since Python 3.0: old, new.
pub(crate) fn special_methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    methods::SPECIAL.iter().copied()
}

/// The method that an alias in `unittest.TestCase` stood for.
pub(crate) fn assertion(name: &[u8]) -> Option<&'static str> {
    methods::ASSERTIONS.iter().find(|entry| entry.0.as_bytes() == name).map(|entry| entry.1)
}

/// A builtin of Python 2 and its successor.
pub(crate) fn builtin(name: &str) -> Option<(&'static str, &'static str)> {
    builtins::BUILTINS.iter().find(|entry| entry.0 == name).copied()
}

/// A builtin of Python 2, and the module that has it now.
pub(crate) fn builtin_in_module(name: &str) -> Option<(&'static str, &'static str)> {
    builtins::BUILTINS_IN_MODULES.iter().find(|entry| entry.0 == name).copied()
}
