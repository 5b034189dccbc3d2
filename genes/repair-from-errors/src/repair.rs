//! The repairs: which one an error calls for, and what it changes in a file.

use crate::cargo::{self, Update};
use crate::fault::{Fault, Frame, Language};
use crate::node::removed::{self, Removed};
use crate::node::{buffer, natives};
use crate::python::file::File;
use crate::python::{coroutines, methods, modules, moves, print, syntax, table};

/// A repair. The same value repairs every file that has the same fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Names of a Python module that moved. `name` is the one that failed; `gone` says that the module no longer exists.
    Moved { module: String, name: String, gone: bool },
    /// A Python module that was renamed.
    Module { old: &'static str, new: &'static str, since: &'static str },
    /// A method that was renamed.
    Method { old: &'static str, new: &'static str, since: &'static str },
    /// Functions decorated with `asyncio.coroutine`.
    Coroutines,
    /// Aliases of methods that `unittest.TestCase` no longer has.
    Assertions,
    /// Print statements.
    Print,
    /// A missing colon.
    Colon,
    /// A missing closing parenthesis.
    Bracket,
    /// A missing colon or closing parenthesis, reported only as "invalid syntax" by an older parser.
    ColonOrBracket,
    /// The deprecated constructor `Buffer` of Node.
    Buffer,
    /// The source text of one of Node's own modules, which a file evaluates.
    Natives,
    /// A function that was removed from a module of Node.
    Function(Removed),
    /// A requirement in Cargo.toml of a package that does not compile.
    Requirement(Update),
    /// The same package in Cargo.lock, if only other packages require it.
    Lock(Update),
}

/// The repair for a fault; `None` if no single repair is known to be right.
pub(crate) fn repair_for(fault: &Fault) -> Option<Repair> {
    match (fault.language, fault.kind.as_str()) {
        (Language::Node, _) => node(fault),
        (Language::Cargo, _) => Update::for_fault(fault).map(Repair::Requirement),
        (_, "AttributeError") => attribute(&fault.message),
        (_, "ImportError") => import(&fault.message),
        (_, "ModuleNotFoundError") => module(&fault.message),
        (_, "SyntaxError") => parser(&fault.message),
        _ => None,
    }
}

impl Repair {
    /// The file's new content; `None` if this repair does not apply to it. `place` is the physical line (from 0) that failed
    /// and the frame that names it; without a place the whole file is repaired.
    pub(crate) fn apply(&self, source: &[u8], place: Option<(usize, &Frame)>) -> Option<Vec<u8>> {
        let anchor = place.map(|(line, _)| line);
        match self {
            Self::Moved { module, gone, .. } => moves::repair(&File::read(source, anchor)?, module, *gone),
            Self::Module { old, new, .. } => modules::repair(&File::read(source, anchor)?, old, new),
            Self::Method { old, new, .. } => methods::repair_method(&File::read(source, anchor)?, old, new),
            Self::Coroutines => coroutines::repair(&File::read(source, anchor)?),
            Self::Assertions => methods::repair_assertions(&File::read(source, anchor)?),
            Self::Print => print::repair(&File::read(source, anchor)?),
            Self::Colon => place.and_then(|(line, frame)| syntax::colon(source, line, frame.caret)),
            Self::Bracket => place.and_then(|(line, _)| syntax::bracket(source, line)),
            Self::ColonOrBracket => place.and_then(|(line, frame)| syntax::colon_or_bracket(source, line, frame.caret)),
            Self::Buffer => buffer::repair(source, anchor),
            // The error is in the evaluated text; another line of the file must change.
            Self::Natives => natives::repair(source),
            Self::Function(entry) => removed::repair(source, *entry, anchor),
            Self::Requirement(update) => cargo::repair_manifest(source, update),
            Self::Lock(update) => cargo::repair_lock(source, update),
        }
    }

    /// A word that every other file with the same fault contains; `None` if the repair is for one place only.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Moved { module, .. } => Some(module.rsplit('.').next().unwrap_or(module)),
            Self::Module { old, .. } => Some(old.rsplit('.').next().unwrap_or(old)),
            Self::Coroutines => Some("coroutine"),
            Self::Assertions => Some("TestCase"),
            Self::Print => Some("print"),
            Self::Buffer => Some("Buffer"),
            Self::Natives => Some("natives"),
            Self::Function(entry) => Some(entry.name()),
            Self::Requirement(update) => Some(update.name),
            // Elsewhere the same method may belong to another type, and a build has only one lock file.
            Self::Method { .. } | Self::Colon | Self::Bracket | Self::ColonOrBracket | Self::Lock(_) => None,
        }
    }

    /// The Python module whose name failed. If the workspace has a module of that name, the tables do not apply.
    pub(crate) fn module(&self) -> Option<&str> {
        match self {
            Self::Moved { module, .. } => Some(module),
            Self::Coroutines => Some("asyncio"),
            _ => None,
        }
    }

    /// The files that may have the same fault.
    pub(crate) fn globs(&self) -> &'static [&'static str] {
        match self {
            Self::Buffer | Self::Natives | Self::Function(_) => &["**/*.js", "**/*.cjs", "**/*.mjs"],
            Self::Requirement(_) | Self::Lock(_) => &["**/Cargo.toml"],
            _ => &["**/*.py"],
        }
    }

    /// Whether it only replaces a name by its successor, so that the code behaves as it did before.
    pub(crate) fn is_plain_rename(&self) -> bool {
        matches!(
            self,
            Self::Moved { .. }
                | Self::Module { .. }
                | Self::Method { .. }
                | Self::Assertions
                | Self::Colon
                | Self::Function(_)
        )
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        match self {
            Self::Moved { module, name, .. } => {
                let entry = table::moved(module, name);
                let now = entry.map_or_else(String::new, |entry| match entry.to_module {
                    "" => format!("the builtin {}", entry.to_name),
                    module => format!("{module}.{}", entry.to_name),
                });
                let since = entry.map_or("", |entry| entry.since);
                (format!("use {now} instead of {module}.{name}"), format!("{module}.{name} was removed in {since}"))
            }
            Self::Module { old, new, since } => {
                (format!("import {new} instead of {old}"), format!("the module {old} was removed in {since}"))
            }
            Self::Method { old, new, since } => {
                (format!("call {new} instead of {old}"), format!("the method {old} was removed in {since}"))
            }
            Self::Coroutines => (
                "use types.coroutine and async def instead of asyncio.coroutine".to_owned(),
                "asyncio.coroutine was removed in Python 3.11".to_owned(),
            ),
            Self::Assertions => (
                "use the current names of unittest's assertion methods".to_owned(),
                "the old aliases in unittest.TestCase were removed in Python 3.12".to_owned(),
            ),
            Self::Print => {
                ("turn print statements into calls".to_owned(), "print is a function since Python 3.0".to_owned())
            }
            Self::Colon => {
                ("add the missing colon".to_owned(), "the parser expects a colon at the end of this line".to_owned())
            }
            Self::Bracket => (
                "close the parenthesis".to_owned(),
                "the parser reports that this parenthesis is never closed".to_owned(),
            ),
            Self::ColonOrBracket => (
                "add the missing colon or parenthesis".to_owned(),
                "the parser stops exactly where it is missing".to_owned(),
            ),
            Self::Buffer => (
                "use Buffer.from and Buffer.alloc instead of new Buffer".to_owned(),
                "Node deprecates the Buffer constructor (DEP0005)".to_owned(),
            ),
            Self::Natives => (
                "use the exports of Node's modules instead of their source text".to_owned(),
                "since Node 12 the sources of Node's own modules run only under Node's loader".to_owned(),
            ),
            Self::Requirement(update) | Self::Lock(update) => update.describe(),
            Self::Function(entry) => {
                let (old, now) = entry.describe();
                (format!("call {now} instead of {old}"), format!("Node removed {old}"))
            }
        }
    }
}

fn node(fault: &Fault) -> Option<Repair> {
    let deprecated =
        fault.message.starts_with("Buffer() is deprecated") || fault.message == "Buffer is not a constructor";
    if deprecated {
        return Some(Repair::Buffer);
    }
    if fault.kind == "ReferenceError" && natives::is_named(&fault.message) {
        return Some(Repair::Natives);
    }
    (fault.kind == "TypeError").then(|| removed::removed(&fault.message)).flatten().map(Repair::Function)
}

fn attribute(message: &str) -> Option<Repair> {
    if message.contains("partially initialized") || message.contains("consider renaming") {
        return None;
    }
    if let Some((owner, name)) = quoted_pair(message, "module '", "' has no attribute '") {
        return moved(owner, name);
    }
    if let Some(rest) = message.strip_prefix("`np.") {
        let (name, rest) = rest.split_once('`')?;
        return rest.contains("was removed in the NumPy 2.0").then(|| moved("numpy", name)).flatten();
    }
    let (owner, name) = quoted_pair(message, "'", "' object has no attribute '")?;
    if table::assertion(name.as_bytes()).is_some() {
        return Some(Repair::Assertions);
    }
    let (old, new, since) = table::renamed_method(owner, name)?;
    Some(Repair::Method { old, new, since })
}

fn import(message: &str) -> Option<Repair> {
    let (name, module) = quoted_pair(message, "cannot import name '", "' from '")?;
    // The message may mean a file of the workspace with the same name, which the table does not know.
    if message.contains("partially initialized") || message.contains("consider renaming") {
        return None;
    }
    moved(module, name).or_else(|| module_repair(&format!("{module}.{name}")))
}

fn module(message: &str) -> Option<Repair> {
    let (name, _) = message.strip_prefix("No module named '")?.split_once('\'')?;
    module_repair(name).or_else(|| {
        let (module, _) = table::dissolved(name)?;
        let name = if module == "imp" {
            "reload"
        } else if module == "pipes" {
            "quote"
        } else {
            "escape"
        };
        Some(Repair::Moved { module: module.to_owned(), name: name.to_owned(), gone: true })
    })
}

fn module_repair(name: &str) -> Option<Repair> {
    let (old, new, since) = table::renamed_module(name)?;
    Some(Repair::Module { old, new, since })
}

fn moved(module: &str, name: &str) -> Option<Repair> {
    if (module, name) == ("asyncio", "coroutine") {
        return Some(Repair::Coroutines);
    }
    table::moved(module, name)?;
    Some(Repair::Moved { module: module.to_owned(), name: name.to_owned(), gone: false })
}

fn parser(message: &str) -> Option<Repair> {
    if message == "expected ':'" {
        Some(Repair::Colon)
    } else if message == "invalid syntax" {
        Some(Repair::ColonOrBracket)
    } else if message == "'(' was never closed" {
        Some(Repair::Bracket)
    } else if message.starts_with("Missing parentheses in call to 'print'") {
        Some(Repair::Print)
    } else {
        None
    }
}

/// The texts A and B of a message `start A middle B'`.
fn quoted_pair<'a>(message: &'a str, start: &str, middle: &str) -> Option<(&'a str, &'a str)> {
    let (first, rest) = message.strip_prefix(start)?.split_once(middle)?;
    let (second, _) = rest.split_once('\'')?;
    Some((first, second))
}
