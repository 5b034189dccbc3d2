//! Which repair an error of Python calls for, and what it changes in a file.

use super::classes::Special;
use super::encoding::Encoding;
use super::file::File;
use super::message::quoted_pair;
use super::names::Missing;
use super::siblings::Siblings;
use super::{
    coroutines, defined, leaked, methods, modules, moves, names, objects, resources, shims, syntax, table, tabs, two,
};
use crate::fault::{Fault, Frame, Language, is_foreign};

/// A repair of a Python file. The same value repairs every file that has the same fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Names of a module that moved. `name` is the one that failed.
    Moved { module: String, name: String },
    /// Names of a module that no longer exists.
    Gone { module: String },
    /// A module that was renamed.
    Module { old: &'static str, new: &'static str, since: &'static str },
    /// A method that was renamed.
    Method { old: &'static str, new: &'static str, since: &'static str },
    /// An attribute that was renamed.
    Attribute { old: &'static str, new: &'static str },
    /// A use of an object that another expression replaces.
    Object(objects::Rule),
    /// A class that lacks what Python 3.0 asks of it.
    Special(Special),
    /// Names of a module that the file has to define itself. The name is the one that failed.
    Shim { module: String, name: String },
    /// Functions decorated with `asyncio.coroutine`.
    Coroutines,
    /// `pkg_resources` is missing.
    Resources,
    /// Aliases of methods that `unittest.TestCase` no longer has.
    Assertions,
    /// Modules in the folder of the file that imports them, which Python 2 found there.
    Siblings(Siblings),
    /// An encoding, of the source or of a file that it opens.
    Encoding(Encoding),
    /// A name that is not defined.
    Name(Missing),
    /// Tests that yield what to call.
    Yields,
    /// A variable of a comprehension that is deleted after it.
    Leaked(String),
    /// Statements and literals that only Python 2 has. The word is one of those on the failing line.
    Two(&'static str),
    /// Indentation that mixes tabs and spaces.
    Tabs,
    /// A missing colon.
    Colon,
    /// A missing closing parenthesis.
    Bracket,
    /// What an older parser calls "invalid syntax": something of Python 2, a missing colon or a missing parenthesis.
    Invalid,
}

impl Repair {
    /// The repair for a fault; `None` if no single repair is known to be right.
    pub(crate) fn for_fault(fault: &Fault) -> Option<Self> {
        let message = fault.message.as_str();
        let own = fault.frames.iter().find(|frame| !is_foreign(&frame.path));
        let shown = own.and_then(|frame| frame.shown.as_deref()).unwrap_or_default();
        if let Some(encoding) = Encoding::for_message(&fault.kind, message) {
            return Some(Self::Encoding(encoding));
        }
        match fault.kind.as_str() {
            "AttributeError" => attribute(message),
            "ImportError" => import(message),
            "ModuleNotFoundError" => module(message),
            "NameError" => {
                let name = message.strip_prefix("name '").and_then(|rest| rest.split_once("' is not defined"));
                let leaked = || name.map(|(name, _)| Self::Leaked(name.to_owned()));
                let leaked = || leaked().filter(|_| shown.starts_with("del"));
                leaked().or_else(|| names::missing(message).map(Self::Name))
            }
            "SyntaxError" => parser(message),
            "Failed" => Some(Self::Yields),
            "TabError" => Some(Self::Tabs),
            "IndentationError" if message.starts_with("unindent does not match") => Some(Self::Tabs),
            _ => None,
        }
        .or_else(|| (fault.kind == "TypeError").then(|| type_error(message)).flatten())
        .or_else(|| objects::rule(&fault.kind, message, shown).map(Self::Object))
        .or_else(|| (fault.kind == "AttributeError").then(|| special(&fault.kind, message)).flatten())
    }

    /// The file's new content; `None` if this repair does not apply to it. `place` is the physical line (from 0) that failed
    /// and the frame that names it; without a place the whole file is repaired.
    pub(crate) fn apply(&self, source: &[u8], place: Option<(usize, &Frame)>) -> Option<Vec<u8>> {
        let anchor = place.map(|(line, _)| line);
        match self {
            Self::Moved { module, name } => {
                let file = File::read(source, anchor)?;
                let shim = || shims::has(module, name).then(|| shims::repair(&file, module)).flatten();
                moves::repair(&file, module, false).or_else(shim)
            }
            Self::Shim { module, .. } => shims::repair(&File::read(source, anchor)?, module),
            Self::Gone { module } => {
                let file = File::read(source, anchor)?;
                let moved = |file: &File<'_>| {
                    table::dissolved(module).into_iter().find_map(|module| moves::repair(file, module, true))
                };
                moved(&file).or_else(|| {
                    let own = table::defining(module).into_iter().find_map(|it| defined::repair(&file, it))?;
                    let rest = File::read(&own, None).and_then(|file| moved(&file));
                    Some(rest.unwrap_or(own))
                })
            }
            Self::Module { old, new, .. } => {
                let file = File::read(source, anchor)?;
                modules::repair(&file, old, new).or_else(|| {
                    // What the new module lacks may be defined in the file, before the rest of the import changes.
                    let own = shims::repair(&File::read(source, None)?, old)?;
                    let rest = File::read(&own, None).and_then(|file| modules::repair(&file, old, new));
                    Some(rest.unwrap_or(own))
                })
            }
            Self::Method { old, new, .. } => methods::repair_method(&File::read(source, anchor)?, old, new),
            Self::Attribute { old, new } => methods::repair_attribute(&File::read(source, anchor)?, old, new),
            Self::Object(rule) => objects::repair(&File::read(source, anchor)?, rule),
            Self::Special(special) => special.repair(&File::read(source, anchor)?),
            Self::Coroutines => coroutines::repair(&File::read(source, anchor)?),
            Self::Resources => resources::repair(&File::read(source, anchor)?),
            Self::Assertions => methods::repair_assertions(&File::read(source, anchor)?),
            Self::Siblings(siblings) => siblings.repair(&File::read(source, anchor)?),
            Self::Encoding(encoding) => encoding.repair(source, anchor),
            Self::Name(missing) => names::repair(&File::read(source, anchor)?, missing),
            Self::Leaked(name) => leaked::repair(&File::read(source, anchor)?, name),
            // The message names no line.
            Self::Yields => objects::yielded(&File::read(source, None)?),
            Self::Two(_) => two::repair(&File::parse(source, anchor)?),
            Self::Tabs => tabs::repair(&File::parse(source, anchor)?),
            Self::Colon => place.and_then(|(line, frame)| syntax::colon(source, line, frame.caret)),
            Self::Bracket => place.and_then(|(line, _)| syntax::bracket(source, line)),
            Self::Invalid => place.and_then(|(line, frame)| {
                let two = File::parse(source, anchor).and_then(|file| two::repair(&file));
                two.or_else(|| syntax::colon_or_bracket(source, line, frame.caret))
            }),
        }
    }

    /// A word that every other file with the same fault contains; `None` if the repair is for one place only.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Moved { module, .. } | Self::Gone { module } => Some(module.rsplit('.').next().unwrap_or(module)),
            Self::Module { old, .. } => Some(old.rsplit('.').next().unwrap_or(old)),
            Self::Special(special) => Some(special.word()),
            Self::Shim { name, .. } => Some(name),
            Self::Coroutines => Some("coroutine"),
            Self::Resources => Some(resources::MODULE),
            Self::Assertions => Some("TestCase"),
            Self::Siblings(_) => Some("import"),
            Self::Name(missing) => missing.word(),
            Self::Yields => Some("yield"),
            Self::Two(word) => Some(word).copied().filter(|word| !word.is_empty()),
            // Elsewhere the same method may belong to another type.
            Self::Method { .. }
            | Self::Attribute { .. }
            | Self::Object(_)
            | Self::Leaked(_)
            | Self::Encoding(_)
            | Self::Tabs
            | Self::Colon
            | Self::Bracket
            | Self::Invalid => None,
        }
    }

    /// The module whose name failed. If the workspace has a module of that name, the tables do not apply.
    pub(crate) fn module(&self) -> Option<&str> {
        match self {
            Self::Moved { module, .. } | Self::Gone { module } | Self::Shim { module, .. } => Some(module),
            Self::Module { old, .. } => Some(old),
            Self::Coroutines => Some("asyncio"),
            Self::Resources => Some(resources::MODULE),
            Self::Name(missing) => missing.module(),
            _ => None,
        }
    }

    /// The name whose definition in the workspace would be another explanation of the fault.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            // Who imports a standard module under its own name means that module.
            Self::Name(Missing::Module(_)) => None,
            Self::Name(missing) => Some(missing.name()),
            _ => None,
        }
    }

    /// Whether another file than the one that failed may have to change.
    pub(crate) fn is_unplaced(&self) -> bool {
        matches!(self, Self::Special(_))
    }

    /// Whether the fault shows that the project is written for Python 2. `source` is the failing file as it is.
    pub(crate) fn is_of_two(&self, source: &[u8]) -> bool {
        let three = |version: &str| table::Since::Three.includes(version);
        match self {
            Self::Two(_) | Self::Attribute { .. } | Self::Siblings(_) | Self::Leaked(_) => true,
            Self::Invalid => File::parse(source, None).is_some_and(|file| two::repair(&file).is_some()),
            Self::Moved { module, name } => table::moved(module, name).is_some_and(|entry| three(entry.since)),
            Self::Gone { module } => {
                table::dissolved(module).first().is_some_and(|module| three(table::dissolved_since(module)))
            }
            Self::Module { since, .. } | Self::Method { since, .. } => three(since),
            Self::Object(rule) => Some(*rule) == objects::has_key(),
            Self::Name(missing) => missing.is_of_two(),
            _ => false,
        }
    }

    /// Whether it only replaces a name by its successor, so that the code behaves as it did before.
    pub(crate) fn is_plain_rename(&self) -> bool {
        match self {
            Self::Moved { module, name } => !shims::has(module, name),
            Self::Gone { .. }
            | Self::Module { .. }
            | Self::Method { .. }
            | Self::Attribute { .. }
            | Self::Assertions
            | Self::Colon => true,
            Self::Name(missing) => !matches!(missing, Missing::Similar { .. }),
            _ => false,
        }
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        let text = |what: &str, why: &str| (what.to_owned(), why.to_owned());
        match self {
            Self::Moved { module, name } => {
                let entry = table::moved(module, name);
                let now = entry.map_or_else(String::new, |entry| entry.successor());
                let since = entry.map_or("", |entry| entry.since);
                (format!("use {now} instead of {module}.{name}"), format!("{module}.{name} was removed in {since}"))
            }
            Self::Gone { module } => {
                let since = table::dissolved(module).first().map_or("", |module| table::dissolved_since(module));
                if module == "nose" || module.starts_with("nose.") {
                    let what = "use unittest and plain assertions instead of nose".to_owned();
                    return (what, "nose is not maintained, and does not run with Python 3.10 or later".to_owned());
                }
                let what = format!("use the successors of the names in the module {module}, or define them");
                (what, format!("the module {module} was removed in {since}"))
            }
            Self::Module { old, new, since } => {
                (format!("import {new} instead of {old}"), format!("the module {old} was removed in {since}"))
            }
            Self::Method { old, new, since } => {
                (format!("call {new} instead of {old}"), format!("the method {old} was removed in {since}"))
            }
            Self::Attribute { old, new } => {
                (format!("use {new} instead of {old}"), format!("the attribute {old} was removed in Python 3.0"))
            }
            Self::Object(rule) => rule.describe(),
            Self::Special(special) => special.describe(),
            Self::Siblings(siblings) => siblings.describe(),
            Self::Encoding(encoding) => encoding.describe(),
            Self::Name(missing) => missing.describe(),
            Self::Yields => text(
                "call what the tests yield",
                "pytest 4.0 no longer calls what a test yields, and later versions refuse such tests",
            ),
            Self::Leaked(name) => (
                format!("do not delete the variable {name} of a comprehension"),
                "the variables of a comprehension end with it since Python 3.0".to_owned(),
            ),
            Self::Shim { module, name } => {
                let since = if module == "inspect" { "Python 3.11" } else { "Python 3.0" };
                (format!("define {module}.{name} in the file"), format!("{module}.{name} was removed in {since}"))
            }
            Self::Coroutines => text(
                "use types.coroutine and async def instead of asyncio.coroutine",
                "asyncio.coroutine was removed in Python 3.11",
            ),
            Self::Resources => text(
                "use importlib.metadata and pkgutil instead of pkg_resources",
                "setuptools 82 removed the module pkg_resources",
            ),
            Self::Assertions => text(
                "use the current names of unittest's assertion methods",
                "the old aliases in unittest.TestCase were removed in Python 3.12",
            ),
            Self::Two(_) => text("use the syntax of Python 3", "Python 3.0 removed this syntax of Python 2"),
            Self::Tabs => text(
                "replace the tabs in the indentation by spaces",
                "Python 3.0 does not accept indentation whose meaning depends on the width of a tab",
            ),
            Self::Colon => text("add the missing colon", "the parser expects a colon at the end of this line"),
            Self::Bracket => text("close the parenthesis", "the parser reports that this parenthesis is never closed"),
            Self::Invalid => text(
                "use the syntax of Python 3, or add the missing colon or parenthesis",
                "the parser stops exactly where there is only one right edit",
            ),
        }
    }
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
    let attribute = table::renamed_attribute(owner, name).map(|(old, new)| Repair::Attribute { old, new });
    let method = || table::renamed_method(owner, name).map(|(old, new, since)| Repair::Method { old, new, since });
    attribute.or_else(method)
}

fn type_error(message: &str) -> Option<Repair> {
    // Without parentheses `print >> file, "text"` is an operator.
    if message.starts_with("unsupported operand type(s) for >>: 'builtin_function_or_method' and ") {
        return Some(Repair::Two("print"));
    }
    special("TypeError", message)
}

fn special(kind: &str, message: &str) -> Option<Repair> {
    Special::for_message(kind, message).map(Repair::Special)
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
    if name == resources::MODULE {
        return Some(Repair::Resources);
    }
    let is_known = || !table::dissolved(name).is_empty() || !table::defining(name).is_empty();
    let gone = || is_known().then(|| Repair::Gone { module: name.to_owned() });
    module_repair(name).or_else(gone)
}

/// The top-level module that is missing, if the fault says so.
pub(crate) fn missing_module(fault: &Fault) -> Option<&str> {
    let is_missing = fault.language == Language::Python && fault.kind == "ModuleNotFoundError";
    let (name, rest) = fault.message.strip_prefix("No module named '").filter(|_| is_missing)?.split_once('\'')?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && rest.is_empty()).then_some(name)
}

/// The module that lacks a name, if the fault says so. It may be a package that Python 2 found a module of the same name in.
pub(crate) fn lacking_module(fault: &Fault) -> Option<&str> {
    let message = fault.message.as_str();
    let module = match fault.kind.as_str() {
        "AttributeError" => message.strip_prefix("module '")?.split_once("' has no attribute '")?.0,
        "ImportError" => message.strip_prefix("cannot import name '")?.split_once("' from '")?.1.split('\'').next()?,
        _ => return None,
    };
    let plain = !module.is_empty() && module.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && fault.language == Language::Python).then_some(module)
}

fn module_repair(name: &str) -> Option<Repair> {
    let (old, new, since) = table::renamed_module(name)?;
    Some(Repair::Module { old, new, since })
}

fn moved(module: &str, name: &str) -> Option<Repair> {
    if (module, name) == ("asyncio", "coroutine") {
        return Some(Repair::Coroutines);
    }
    if table::moved(module, name).is_none() {
        let shim = || Repair::Shim { module: module.to_owned(), name: name.to_owned() };
        return shims::has(module, name).then(shim);
    }
    Some(Repair::Moved { module: module.to_owned(), name: name.to_owned() })
}

fn parser(message: &str) -> Option<Repair> {
    const TWO: [(&str, &str); 12] = [
        ("Missing parentheses in call to 'print'", "print"),
        ("Missing parentheses in call to 'exec'", "exec"),
        ("multiple exception types must be parenthesized", "except"),
        ("leading zeros in decimal integer literals are not permitted", ""),
        ("invalid token", ""),
        ("invalid decimal literal", ""),
        ("invalid hexadecimal literal", ""),
        ("Lambda expression parameters cannot be parenthesized", "lambda"),
        ("Function parameters cannot be parenthesized", "def"),
        ("cannot assign to True", ""),
        ("cannot assign to False", ""),
        // Such as after `ur`.
        ("invalid syntax. Perhaps you forgot a comma?", ""),
    ];
    if message == "expected ':'" {
        Some(Repair::Colon)
    } else if message == "invalid syntax" {
        Some(Repair::Invalid)
    } else if message == "'(' was never closed" {
        Some(Repair::Bracket)
    } else {
        TWO.iter().find(|entry| message.starts_with(entry.0)).map(|entry| Repair::Two(entry.1))
    }
}
