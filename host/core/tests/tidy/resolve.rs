//! From a path in the code to the file that defines what it names.

use crate::imports::Import;
use crate::modules::{Crate, ModuleId};

/// Re-exports of re-exports are followed so far; more is a circle of `use` lines, which does not compile.
const MAX_RE_EXPORTS: usize = 16;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A module as such: what is imported are the paths that go on from it.
    Module(ModuleId),
    /// An item that this module's file defines.
    Item(ModuleId),
}

impl Crate {
    /// The file that defines what `import` in `from` names; nothing for other crates, local names and bare modules.
    pub(crate) fn definer(&self, from: ModuleId, import: &Import) -> Option<ModuleId> {
        match self.resolve(from, &import.segments, 0)? {
            Target::Item(module) => Some(module),
            Target::Module(module) => import.is_whole.then_some(module),
        }
    }

    fn resolve(&self, from: ModuleId, segments: &[String], followed: usize) -> Option<Target> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => Some(self.descend(0, rest, followed)),
            "self" => Some(self.descend(from, rest, followed)),
            "super" => match rest.first().map(String::as_str) {
                Some("super") => self.resolve(self.modules[from].parent?, rest, followed),
                _ => Some(self.descend(self.modules[from].parent?, rest, followed)),
            },
            _ => self.lookup(from, segments, followed),
        }
    }

    /// Follows `segments` from the module `at`, which is named explicitly.
    fn descend(&self, at: ModuleId, segments: &[String], followed: usize) -> Target {
        if segments.is_empty() {
            return Target::Module(at);
        }
        self.lookup(at, segments, followed).unwrap_or(Target::Item(at))
    }

    /// What `segments` name in the module `at`: an item, a child, or what a `use` line brings in.
    fn lookup(&self, at: ModuleId, segments: &[String], followed: usize) -> Option<Target> {
        if followed > MAX_RE_EXPORTS {
            return None;
        }
        let (first, rest) = segments.split_first()?;
        let imports = &self.modules[at].imports;
        if imports.defined.contains(first) {
            return Some(Target::Item(at));
        }
        if let Some(child) = self.child(at, first) {
            return Some(self.descend(child, rest, followed));
        }
        if let Some(alias) = imports.aliases.iter().find(|alias| alias.name == *first && alias.segments != segments) {
            let whole: Vec<String> = alias.segments.iter().chain(rest).cloned().collect();
            return self.resolve(at, &whole, followed + 1);
        }
        imports.globs.iter().find_map(|glob| self.through_glob(at, glob, segments, followed))
    }

    /// What `segments` name in the target of a `use …::*`, if it has that name.
    fn through_glob(&self, at: ModuleId, glob: &[String], segments: &[String], followed: usize) -> Option<Target> {
        match self.resolve(at, glob, followed + 1)? {
            Target::Module(module) if module != at => self.lookup(module, segments, followed + 1),
            _ => None,
        }
    }
}
