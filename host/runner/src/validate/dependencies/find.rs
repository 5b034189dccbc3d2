//! Finds folders of dependencies in a checkout, beside the files that git tracks.

#![expect(clippy::disallowed_methods, reason = "the checkout is named by path")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;
use gephost_core::validation::{DEPENDENCIES, HomeCache, USES};

use super::venv::{is_conda, is_venv};

/// How deep folders of the project are searched.
const MAX_DEPTH: usize = 6;
/// Most entries of the checkout that are looked at.
const MAX_SEEN: usize = 200_000;

/// Folders of dependencies that packages of a workspace share.
const HOISTED: &[&str] = &["node_modules", ".venv", "venv"];

/// What was found.
#[derive(Debug, Default)]
pub(in crate::validate) struct Found {
    /// Folders and files of dependencies, as paths from the project's root.
    pub(in crate::validate) shown: Vec<String>,
    /// Those whose place is taken in the copy.
    pub(in crate::validate) taken: Vec<String>,
    /// Those that are links out of the checkout.
    pub(in crate::validate) links: Vec<String>,
    /// Those that the operator's policy denies.
    pub(in crate::validate) denied: Vec<String>,
    /// The caches that the project's tools need.
    pub(in crate::validate) caches: BTreeSet<HomeCache>,
}

/// Looks into every folder of the copy that the checkout has too.
pub(in crate::validate) fn find(copy: &Path, checkout: &Path, policy: &Policy) -> Found {
    let mut search = Search { copy, checkout, policy, found: Found::default(), seen: 0 };
    search.folder("", 0);
    search.found.shown.sort();
    search.found
}

struct Search<'a> {
    copy: &'a Path,
    checkout: &'a Path,
    policy: &'a Policy,
    found: Found,
    seen: usize,
}

impl Search<'_> {
    fn folder(&mut self, folder: &str, depth: usize) {
        // What cannot be read holds nothing that a command could use.
        let Ok(entries) = fs::read_dir(self.checkout.join(folder)) else { return };
        let mut below = Vec::new();
        for entry in entries.flatten() {
            self.seen += 1;
            let (Some(name), Ok(kind)) = (entry.file_name().to_str().map(str::to_owned), entry.file_type()) else {
                continue;
            };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if let Some((_, cache)) = USES.iter().find(|(file, _)| *file == name)
                && self.copy.join(&path).exists()
            {
                self.found.caches.insert(*cache);
            }
            if self.is_dependencies(folder, &name, &entry.path()) {
                self.note(path, kind.is_symlink());
            } else if kind.is_dir() && name != ".git" && is_folder(&self.copy.join(&path)) {
                below.push(path);
            }
        }
        below.sort();
        for path in below {
            if depth < MAX_DEPTH && self.seen < MAX_SEEN {
                self.folder(&path, depth + 1);
            }
        }
    }

    fn is_dependencies(&self, folder: &str, name: &str, path: &Path) -> bool {
        let beside = |file: &str| self.checkout.join(folder).join(file).is_file();
        let known = |one: &&gephost_core::validation::Dependencies| one.name == name && one.beside.is_none_or(beside);
        DEPENDENCIES.iter().find(known).is_some() || is_venv(path) || is_conda(path)
    }

    fn note(&mut self, path: String, is_link: bool) {
        let is_taken = fs::symlink_metadata(self.copy.join(&path)).is_ok();
        // A path that is none is not in a repository either.
        let is_denied = RepoPath::new(&path).is_ok_and(|path| self.policy.hides(&path));
        let leads_out =
            is_link && !self.checkout.join(&path).canonicalize().is_ok_and(|target| target.starts_with(self.checkout));
        let list = match (is_taken, is_denied, leads_out) {
            (true, _, _) => &mut self.found.taken,
            (_, true, _) => &mut self.found.denied,
            (_, _, true) => &mut self.found.links,
            _ => &mut self.found.shown,
        };
        list.push(path);
    }
}

/// Folders of dependencies above a project that is a folder of its repository: what a workspace has for all its packages.
/// Each with its place in the copy. `files` is the root of the copied repository.
pub(in crate::validate) fn hoisted(copy: &Path, files: &Path, checkout: &Path) -> Vec<(PathBuf, PathBuf)> {
    let above = checkout.ancestors().zip(copy.ancestors()).skip(1).take_while(|(_, to)| to.starts_with(files));
    let mut found = Vec::new();
    for (from, to) in above {
        for name in HOISTED {
            let is_meant = is_folder(&from.join(name)) && (*name == "node_modules" || is_venv(&from.join(name)));
            if is_meant && fs::symlink_metadata(to.join(name)).is_err() {
                found.push((from.join(name), to.join(name)));
            }
        }
    }
    found
}

/// Whether it is a folder, and no link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}
