//! Repairs for packages of the crate registry that a newer Rust does not compile: the project gets the oldest release that
//! compiles.
//!
//! A gene cannot change the sources of a package, but it can change what the project asks for: the requirement in
//! `Cargo.toml`, or the version in `Cargo.lock` if only other packages require it.

pub(crate) mod check_cfg;
pub(crate) mod edition;
mod errors;
mod lock;
mod manifest;
pub(crate) mod path;
mod table;
mod update;
mod version;

use gephost_gene::failures::Failure;

use crate::fix::Fix;
use crate::order::ordered;
use crate::shelf::Shelf;
use errors::PackageError;
use update::Update;

/// Most manifests, and most lock files, that are read for one error.
const MAX_READ: usize = 200;

/// The repairs for the errors in an output: in every manifest that requires the package, or else in the lock file that has it.
/// Of several lock files the one nearest to the root is taken.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    for error in &errors::errors(&failure.output) {
        if let Some(update) = Update::for_error(error) {
            fixes.extend(update_fixes(update, error, failure, shelf));
        }
    }
    fixes
}

fn update_fixes(update: Update, error: &PackageError, failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let locks = nearest(shelf.matching("**/Cargo.lock"));
    if !locks.is_empty() && ["--locked", "--frozen"].iter().any(|flag| failure.input.contains(flag)) {
        shelf.note("the failing command does not let cargo change Cargo.lock, and only cargo can complete it");
        return Vec::new();
    }
    let mut fixes = Vec::new();
    for path in nearest(shelf.matching("**/Cargo.toml")) {
        let Some(source) = shelf.read(&path) else { continue };
        let edits = manifest::edits(&source.text, update).unwrap_or_default();
        if let Some(first) = edits.first() {
            let line = source.number_at(first.start);
            fixes.push(update.fix(Fix::new(&source, line, edits, ""), error));
        }
    }
    let lock = locks.into_iter().filter(|_| fixes.is_empty()).find_map(|path| {
        let source = shelf.read_lock(&path)?;
        let edit = lock::edit(&source, update)?;
        let line = source.number_at(edit.start);
        Some(update.fix(Fix::new(&source, line, vec![edit], ""), error))
    });
    fixes.extend(lock);
    if fixes.is_empty() {
        let name = update.name;
        shelf.note(&format!("no Cargo.toml and no Cargo.lock has an entry for {name} that this gene can change"));
    }
    fixes
}

fn nearest(paths: Vec<String>) -> Vec<String> {
    let paths = ordered(paths.into_iter().map(|path| (path.matches('/').count(), path)));
    paths.into_iter().map(|(_, path)| path).take(MAX_READ).collect()
}
