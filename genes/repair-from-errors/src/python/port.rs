//! What only Python 2 has, in every file of a project at once. A project that fails because of one such thing has more of
//! them, and each file would otherwise be a repair of its own.
//!
//! Only what the other repairs are sure of without a failing line is replaced: syntax, modules and names that every
//! maintained version of Python has lost, builtins, and methods of dictionaries. A name that a file of the project defines
//! stays in all of them.

use std::collections::BTreeSet;

use super::file::File;
use super::names::{self, Missing};
use super::objects::{self, Rule};
use super::table::{self, Since};
use super::tokens::Kind;
use super::{classes, methods, modules, moves, shims, slots, tabs, two};
use crate::edit::set;

/// Methods of dictionaries that Python 3.0 removed, and their successors.
const METHODS: [(&str, &str); 6] = [
    ("iteritems", "items"),
    ("iterkeys", "keys"),
    ("itervalues", "values"),
    ("viewitems", "items"),
    ("viewkeys", "keys"),
    ("viewvalues", "values"),
];

/// Builtins of Python 2 that need another expression, or an import.
const OTHERS: [&str; 7] = ["apply", "cmp", "execfile", "file", "intern", "reduce", "reload"];

/// What the files of a project define themselves, so that it keeps its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Port {
    /// What files define or import.
    own: BTreeSet<String>,
    /// What files assign to other modules and to objects.
    set: BTreeSet<String>,
    /// The modules whose names moved, and whether the module itself is gone.
    moved: Vec<(&'static str, bool)>,
}

impl Port {
    /// Of a project that defines nothing.
    pub(crate) fn new() -> Self {
        Self { own: BTreeSet::new(), set: BTreeSet::new(), moved: table::moved_modules(Since::Maintained) }
    }

    /// Notes what a file of the project defines.
    pub(crate) fn read(&mut self, source: &[u8]) {
        let Some(file) = File::parse(source, None) else { return };
        let tokens = &file.tokens;
        let begins = |at: usize| file.lines.get(file.line_of(at)).is_some_and(|line| line.tokens.start == at);
        let binds = |at: usize| tokens.follows(at, "def") || tokens.is(at + 1, "=") && begins(at);
        let defines = |name: &str| (0..tokens.list.len()).any(|at| tokens.is(at, name) && binds(at));
        for index in (0..tokens.list.len()).filter(|index| tokens.is_kind(*index, Kind::Name)) {
            let Ok(name) = std::str::from_utf8(tokens.text(index)) else { continue };
            let is_assigned = tokens.is(index + 1, "=");
            // A class with both methods of a dictionary serves either name.
            let mut both = METHODS.iter().chain(&[("has_key", "__contains__")]);
            let mut serves = || both.any(|(old, new)| *old == name && defines(new));
            if is_assigned && tokens.follows(index, ".") {
                self.set.insert(name.to_owned());
            } else if tokens.follows(index, "class") || binds(index) && !serves() {
                self.own.insert(name.to_owned());
            }
        }
        for clause in file.imports.iter().filter(|it| it.from.is_some()).flat_map(|it| &it.clauses) {
            self.own.insert(clause.alias.as_ref().unwrap_or(&clause.name).clone());
        }
    }

    /// Whether an attribute of this name may be the project's own.
    fn has(&self, name: &str) -> bool {
        self.own.contains(name) || self.set.contains(name)
    }

    /// The file without what only Python 2 has; `None` if it has nothing of it. `is_own` says whether the file would import a
    /// module of the project under a name.
    pub(crate) fn repair(&self, source: &[u8], is_own: &mut dyn FnMut(&str) -> bool) -> Option<Vec<u8>> {
        let mut text = source.to_vec();
        let parts = source.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let words = set(parts.map(|word| String::from_utf8_lossy(word).into_owned()));
        let mut step = |word: &str, repair: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
            if word.is_empty() || words.contains(word) {
                text = repair(&text).unwrap_or_else(|| std::mem::take(&mut text));
            }
        };
        step("", &|text| two::repair(&File::parse(text, None)?));
        step("", &|text| tabs::repair_two(&File::parse(text, None)?));
        if words.iter().any(|word| classes::is_word(word)) {
            step("", &|text| classes::modern(&File::read(text, None)?));
        }
        step("__slots__", &|text| slots::repair(&File::read(text, None)?));
        step("HTMLParseError", &|text| shims::repair(&File::read(text, None)?, "HTMLParser"));
        step("setdefaultencoding", &|text| objects::default_encoding(&File::read(text, None)?));
        if words.contains("DictMixin") && !is_own("UserDict") {
            step("DictMixin", &|text| shims::repair(&File::read(text, None)?, "UserDict"));
        }
        for (old, new, _) in table::renamed_modules(Since::Maintained) {
            let root = old.split('.').next().unwrap_or(old);
            let leaf = old.rsplit('.').next().unwrap_or(old);
            if words.contains(leaf) && !is_own(root) {
                step(leaf, &|text| modules::repair(&File::read(text, None)?, old, new));
            }
        }
        for &(module, is_gone) in &self.moved {
            let leaf = module.rsplit('.').next().unwrap_or(module);
            if words.contains(leaf) && !is_own(module.split('.').next().unwrap_or(module)) {
                step(leaf, &|text| moves::repair(&File::read(text, None)?, module, is_gone));
            }
        }
        // A builtin is the project's own only if the file imports it, perhaps without naming it.
        let stars = File::parse(source, None).is_some_and(|file| {
            file.imports.iter().any(|import| import.from.is_some() && import.clauses.iter().all(|it| it.name == "*"))
        });
        for missing in table::builtins().map(|(old, new)| Missing::Renamed { old, new }).chain(others()) {
            let name = missing.name();
            let is_own = self.set.contains(name) || (stars && self.own.contains(name));
            if !is_own {
                step(name, &|text| names::repair(&File::read(text, None)?, &missing));
            }
        }
        for (old, new) in METHODS.into_iter().filter(|(old, _)| !self.has(old)) {
            step(old, &|text| methods::repair_method(&File::read(text, None)?, old, new));
        }
        if let Some(rule @ Rule::Receiver(_)) = objects::has_key()
            && !self.has("has_key")
        {
            step("has_key", &|text| objects::repair(&File::read(text, None)?, &rule));
        }
        step("map", &|text| objects::maps(&File::read(text, None)?));
        step("", &|text| objects::lists(&File::read(text, None)?));
        for (old, new) in table::function_attributes().filter(|(old, _)| !self.has(old)) {
            step(old, &|text| methods::repair_attribute(&File::read(text, None)?, old, new));
        }
        (text != source).then_some(text)
    }
}

fn others() -> impl Iterator<Item = Missing> {
    OTHERS.into_iter().map(|name| match table::builtin_in_module(name) {
        Some((name, module)) => Missing::From { name, module },
        None => Missing::Call(name),
    })
}
