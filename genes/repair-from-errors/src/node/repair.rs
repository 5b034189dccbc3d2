//! Which repair an error of Node calls for, and what it changes in a file.

use super::removed::{self, Removed};
use super::renamed::Renamed;
use super::{buffer, callbacks, esm, globals, modules, natives};
use crate::fault::Fault;

/// A repair of a JavaScript file. The same value repairs every file that has the same fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// The deprecated constructor `Buffer`.
    Buffer,
    /// Calls of `fs` without a callback.
    Callbacks,
    /// The source text of one of Node's own modules, which a file evaluates.
    Natives,
    /// A function that was removed from a module.
    Function(Removed),
    /// A module or property that has another name now.
    Renamed(Renamed),
    /// A built-in module that is not loaded, or an old name of the global object.
    Missing(&'static str),
    /// Import attributes with the old keyword.
    Attributes,
    /// Built-in modules that an ECMAScript module loads with `require`.
    Requires,
    /// The folder or the file of an ECMAScript module.
    Places,
    /// Imports of this JSON file without its type.
    Json(String),
    /// Names of a `CommonJS` module that Node does not find.
    Unnamed,
    /// A constant that is assigned to.
    Constant,
    /// The default export of the package that this name is bound to.
    Default(String),
    /// Relative specifiers without an ending; each with the only ending that a file has.
    Specifiers(Vec<(String, &'static str)>),
}

impl Repair {
    /// The repair for a fault; `None` if no single repair is known to be right.
    pub(crate) fn for_fault(fault: &Fault) -> Option<Self> {
        let message = fault.message.as_str();
        if message.starts_with("Buffer() is deprecated") || message == "Buffer is not a constructor" {
            return Some(Self::Buffer);
        }
        if let Some(renamed) = Renamed::of(&fault.kind, message) {
            return Some(Self::Renamed(renamed));
        }
        match fault.kind.as_str() {
            "ReferenceError" if natives::is_named(message) => Some(Self::Natives),
            "ReferenceError" if message.starts_with("require is not defined in ES module scope") => {
                Some(Self::Requires)
            }
            "ReferenceError" if modules::is_place(message) => Some(Self::Places),
            "ReferenceError" => globals::missing(message).map(Self::Missing),
            "SyntaxError" if message == "Unexpected identifier 'assert'" => Some(Self::Attributes),
            "SyntaxError" if modules::is_unnamed(message) => Some(Self::Unnamed),
            "Error" => is_incomplete(message).then(|| Self::Specifiers(Vec::new())),
            "TypeError" if callbacks::is_missing(message) => Some(Self::Callbacks),
            "TypeError" if message == "Assignment to constant variable." => Some(Self::Constant),
            "TypeError" => {
                let json = || modules::json_file(message).map(Self::Json);
                let default = || modules::callee(message).map(Self::Default);
                removed::removed(message).map(Self::Function).or_else(json).or_else(default)
            }
            _ => None,
        }
    }

    /// The file's new content; `None` if this repair does not apply to it. `anchor` is the physical line (from 0) that failed;
    /// without it the whole file is repaired.
    pub(crate) fn apply(&self, source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
        match self {
            Self::Buffer => buffer::repair(source, anchor),
            Self::Callbacks => callbacks::repair(source, anchor),
            // The error is in the evaluated text; another line of the file must change.
            Self::Natives => natives::repair(source),
            Self::Function(entry) => removed::repair(source, *entry, anchor),
            Self::Renamed(renamed) => renamed.repair(source, anchor),
            Self::Missing(name) => globals::repair(source, name, anchor),
            Self::Attributes => esm::attributes(source, anchor),
            Self::Requires => esm::imports(source, anchor),
            Self::Places => modules::places(source, anchor),
            Self::Unnamed => modules::unnamed(source, anchor),
            Self::Constant => modules::variable(source, anchor),
            // What changes is on another line than the one that failed.
            Self::Default(name) => modules::default_export(source, name),
            Self::Json(name) => modules::typed(source, name),
            // The message names no line.
            Self::Specifiers(endings) => esm::completed(source, endings),
        }
    }

    /// A word that every other file with the same fault contains.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Buffer => Some("Buffer"),
            Self::Natives => Some("natives"),
            Self::Function(entry) => Some(entry.name()),
            Self::Renamed(renamed) => Some(renamed.word()),
            Self::Missing(name) => Some(name).copied().filter(|name| globals::is_old_global(name)),
            Self::Attributes => Some("assert"),
            Self::Places => Some("__dirname"),
            Self::Json(name) => Some(name),
            Self::Unnamed | Self::Constant | Self::Default(_) => None,
            Self::Callbacks | Self::Requires | Self::Specifiers(_) => None,
        }
    }

    /// Whether the fault shows that the package is written for an old version of Node.
    pub(crate) fn is_old(&self) -> bool {
        match self {
            Self::Buffer | Self::Function(_) | Self::Renamed(_) => true,
            Self::Missing(name) => globals::is_old_global(name),
            _ => false,
        }
    }

    /// Whether the message names the module that lacks something, and no place.
    pub(crate) fn is_unplaced(&self) -> bool {
        matches!(self, Self::Json(_))
    }

    /// Whether it only replaces a name by its successor, so that the code behaves as it did before.
    pub(crate) fn is_plain_rename(&self) -> bool {
        matches!(self, Self::Function(_) | Self::Renamed(_))
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        match self {
            Self::Buffer => (
                "use Buffer.from and Buffer.alloc instead of new Buffer".to_owned(),
                "Node deprecates the Buffer constructor (DEP0005)".to_owned(),
            ),
            Self::Callbacks => (
                "give calls of fs a callback that throws the error".to_owned(),
                "Node 10 made the callback mandatory (DEP0013)".to_owned(),
            ),
            Self::Natives => (
                "use the exports of Node's modules instead of their source text".to_owned(),
                "since Node 12 the sources of Node's own modules run only under Node's loader".to_owned(),
            ),
            Self::Missing(name) if globals::is_old_global(name) => (
                format!("use global instead of {name}"),
                format!("Node 14 removed the name {name} of the global object"),
            ),
            Self::Missing(name) => {
                (format!("load the module {name}"), format!("the module {name} is used, and nothing loads it"))
            }
            Self::Attributes => (
                "use the keyword with for import attributes".to_owned(),
                "Node 22 removed the keyword assert".to_owned(),
            ),
            Self::Places => (
                "use import.meta.dirname and import.meta.filename".to_owned(),
                "an ECMAScript module has no __dirname and no __filename".to_owned(),
            ),
            Self::Json(name) => (
                format!("import {name} with its type"),
                "an ECMAScript module imports JSON only with its type".to_owned(),
            ),
            Self::Unnamed => (
                "import the module's default, and take the names from it".to_owned(),
                "Node does not find the names of this CommonJS module".to_owned(),
            ),
            Self::Constant => (
                "declare the variable with let".to_owned(),
                "the code assigns to a name that it declares with const".to_owned(),
            ),
            Self::Default(name) => (
                format!("use the default export for {name}"),
                "the package became an ECMAScript module, and require gives all its exports".to_owned(),
            ),
            Self::Requires => (
                "import modules instead of requiring them".to_owned(),
                "an ECMAScript module has no require".to_owned(),
            ),
            Self::Specifiers(_) => (
                "complete the specifiers of relative imports".to_owned(),
                "an ECMAScript module is found only by its whole name".to_owned(),
            ),
            Self::Renamed(renamed) => renamed.describe(),
            Self::Function(entry) => {
                let (old, now) = entry.describe();
                (format!("call {now} instead of {old}"), format!("Node removed {old}"))
            }
        }
    }
}

/// Whether the message says that a relative import names no file.
fn is_incomplete(message: &str) -> bool {
    let starts = ["Cannot find module '", "Directory import '"];
    starts.iter().any(|start| message.starts_with(start)) && message.contains(" imported from ")
}
