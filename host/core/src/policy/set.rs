//! Many patterns at once: literals by hash, wildcards by one glob set per scope, so that thousands of rules cost little.

use std::borrow::Cow;
use std::collections::HashMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use super::pattern::{Pattern, PatternError, Scope};

/// How letters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// As they are.
    Exact,
    /// Without letter case, and without the difference between compatible Unicode forms.
    Folded,
}

/// Patterns with the order they were written in. A path matches if it, or a directory above it, does.
#[derive(Debug, Clone)]
pub(crate) struct PatternSet {
    case: Case,
    sources: Vec<String>,
    directory_only: Vec<bool>,
    names: HashMap<String, Vec<usize>>,
    paths: HashMap<String, Vec<usize>>,
    name_globs: Globs,
    path_globs: Globs,
}

/// A glob set and which pattern each glob is.
#[derive(Debug, Clone)]
struct Globs {
    set: GlobSet,
    rules: Vec<usize>,
}

impl PatternSet {
    /// Checks and compiles patterns; an error names the one at fault.
    pub(crate) fn new<'a>(
        sources: impl IntoIterator<Item = &'a str>,
        case: Case,
    ) -> Result<Self, (String, PatternError)> {
        let mut building = Building::default();
        for source in sources {
            building.add(source, case).map_err(|error| (source.to_owned(), error))?;
        }
        let malformed = |error: &globset::Error| {
            (error.glob().unwrap_or_default().to_owned(), PatternError::Malformed(error.kind().to_string()))
        };
        Ok(Self {
            case,
            sources: building.sources,
            directory_only: building.directory_only,
            names: building.names,
            paths: building.paths,
            name_globs: building.name_globs.build().map_err(|error| malformed(&error))?,
            path_globs: building.path_globs.build().map_err(|error| malformed(&error))?,
        })
    }

    /// The first pattern that covers a file's path. With [`Case::Folded`], a pattern for directories covers a file of
    /// that name too: on another system it may stand for the directory.
    pub(crate) fn find(&self, path: &str) -> Option<&str> {
        let path = match self.case {
            Case::Exact => Cow::Borrowed(path),
            Case::Folded => fold(path),
        };
        let mut best: Option<usize> = None;
        let mut start = 0;
        for end in path.match_indices('/').map(|(at, _)| at).chain([path.len()]) {
            let is_leaf = end == path.len();
            let whole = path.get(..end).unwrap_or_default();
            let name = path.get(start..end).unwrap_or_default();
            best = least(best, self.find_here(whole, name, is_leaf && self.case == Case::Exact));
            start = end + 1;
        }
        best.and_then(|rule| self.sources.get(rule)).map(String::as_str)
    }

    /// The first pattern that matches one directory or file by itself.
    fn find_here(&self, whole: &str, name: &str, is_file: bool) -> Option<usize> {
        let counts = |rule: &usize| !is_file || !self.directory_only.get(*rule).copied().unwrap_or(false);
        let literal = |map: &HashMap<String, Vec<usize>>, text: &str| -> Option<usize> {
            map.get(text)?.iter().copied().find(|rule| counts(rule))
        };
        let wild = |globs: &Globs, text: &str| -> Option<usize> {
            if globs.rules.is_empty() {
                return None;
            }
            let hits = globs.set.matches(text);
            hits.iter().filter_map(|&hit| globs.rules.get(hit)).copied().filter(counts).min()
        };
        let literals = least(literal(&self.names, name), literal(&self.paths, whole));
        least(literals, least(wild(&self.name_globs, name), wild(&self.path_globs, whole)))
    }
}

fn least(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).min()
}

#[derive(Default)]
struct Building {
    sources: Vec<String>,
    directory_only: Vec<bool>,
    names: HashMap<String, Vec<usize>>,
    paths: HashMap<String, Vec<usize>>,
    name_globs: BuildingGlobs,
    path_globs: BuildingGlobs,
}

impl Building {
    fn add(&mut self, source: &str, case: Case) -> Result<(), PatternError> {
        let rule = self.sources.len();
        let pattern = Pattern::new(source)?;
        let text = match case {
            Case::Exact => pattern.text,
            Case::Folded => fold(&pattern.text).into_owned(),
        };
        match (pattern.scope, pattern.wild) {
            (Scope::Name, false) => self.names.entry(text).or_default().push(rule),
            (Scope::Path, false) => self.paths.entry(text).or_default().push(rule),
            (Scope::Name, true) => self.name_globs.add(&text, rule)?,
            (Scope::Path, true) => self.path_globs.add(&text, rule)?,
        }
        self.sources.push(source.to_owned());
        self.directory_only.push(pattern.directory);
        Ok(())
    }
}

struct BuildingGlobs {
    set: GlobSetBuilder,
    rules: Vec<usize>,
}

impl Default for BuildingGlobs {
    fn default() -> Self {
        Self { set: GlobSetBuilder::new(), rules: Vec::new() }
    }
}

impl BuildingGlobs {
    fn add(&mut self, text: &str, rule: usize) -> Result<(), PatternError> {
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        self.set.add(glob.map_err(|error| PatternError::Malformed(error.kind().to_string()))?);
        self.rules.push(rule);
        Ok(())
    }

    fn build(self) -> Result<Globs, globset::Error> {
        Ok(Globs { set: self.set.build()?, rules: self.rules })
    }
}

/// Text without letter case: compatibility form, upper case (where `ß` and dotless `ı` meet their kin), lower case.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(text.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect());
    }
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}
