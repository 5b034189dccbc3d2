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
use super::{methods, modules, moves, two};

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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Port {
    own: BTreeSet<String>,
}

impl Port {
    /// Notes what a file of the project defines.
    pub(crate) fn read(&mut self, source: &[u8]) {
        let Some(file) = File::parse(source, None) else { return };
        let tokens = &file.tokens;
        for index in (0..tokens.list.len()).filter(|index| tokens.is_kind(*index, Kind::Name)) {
            let begins = || file.lines.get(file.line_of(index)).is_some_and(|line| line.tokens.start == index);
            let defined = tokens.follows(index, "def") || tokens.follows(index, "class");
            let assigned = tokens.is(index + 1, "=") && (tokens.follows(index, ".") || begins());
            if defined || assigned {
                self.own.extend(std::str::from_utf8(tokens.text(index)).map(str::to_owned));
            }
        }
        for clause in file.imports.iter().filter(|it| it.from.is_some()).flat_map(|it| &it.clauses) {
            let local = clause.alias.as_ref().unwrap_or(&clause.name);
            if !matches!(local.as_str(), "reduce" | "reload" | "intern") {
                self.own.insert(local.clone());
            }
        }
    }

    /// The file without what only Python 2 has; `None` if it has nothing of it. `is_own` says whether the file would import a
    /// module of the project under a name.
    pub(crate) fn repair(&self, source: &[u8], is_own: &mut dyn FnMut(&str) -> bool) -> Option<Vec<u8>> {
        let mut text = source.to_vec();
        let mut step = |word: &str, repair: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
            if has(&text, word) {
                text = repair(&text).unwrap_or_else(|| std::mem::take(&mut text));
            }
        };
        step("", &|text| two::repair(&File::parse(text, None)?));
        for (old, new, _) in table::renamed_modules(Since::Maintained) {
            let root = old.split('.').next().unwrap_or(old);
            let leaf = old.rsplit('.').next().unwrap_or(old);
            if !is_own(root) {
                step(leaf, &|text| modules::repair(&File::read(text, None)?, old, new));
            }
        }
        for (module, is_gone) in table::moved_modules(Since::Maintained) {
            if !is_own(module.split('.').next().unwrap_or(module)) {
                let leaf = module.rsplit('.').next().unwrap_or(module);
                step(leaf, &|text| moves::repair(&File::read(text, None)?, module, is_gone));
            }
        }
        for missing in table::builtins().map(|(old, new)| Missing::Renamed { old, new }).chain(others()) {
            if !self.own.contains(missing.name()) {
                step(missing.name(), &|text| names::repair(&File::read(text, None)?, &missing));
            }
        }
        for (old, new) in METHODS.into_iter().filter(|(old, _)| !self.own.contains(*old)) {
            step(old, &|text| methods::repair_method(&File::read(text, None)?, old, new));
        }
        if let Some(rule @ Rule::Receiver(_)) = objects::has_key()
            && !self.own.contains("has_key")
        {
            step("has_key", &|text| objects::repair(&File::read(text, None)?, &rule));
        }
        for (old, new) in table::function_attributes().filter(|(old, _)| !self.own.contains(*old)) {
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

/// Whether a text contains a word; each of them is so short that the whole file may be searched.
fn has(text: &[u8], word: &str) -> bool {
    word.is_empty() || text.windows(word.len()).any(|part| part == word.as_bytes())
}
