//! From a fault to the file of the workspace it points at, repaired.

use std::collections::BTreeSet;

use crate::cargo::Update;
use crate::fault::{Fault, Frame, is_foreign};
use crate::locate;
use crate::plan::{Failure, MAX_SEARCHED, Workspace};
use crate::repair::{Repair, wanted};

/// Largest source file that is looked at, in bytes.
const MAX_SOURCE: usize = 1 << 20;

/// A fault's place in the workspace, repaired.
pub(crate) struct Site {
    pub(crate) repair: Repair,
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// What the log calls the workspace's root.
    pub(crate) root: Option<String>,
    pub(crate) repaired: Vec<u8>,
}

/// Repairs the innermost place of a fault that lies in the workspace.
pub(crate) fn site(fault: &Fault, failure: &Failure, workspace: &mut impl Workspace) -> Option<Site> {
    let repair = wanted(fault)?;
    if let Repair::Requirement(update) = repair {
        return required(update, failure, workspace);
    }
    if fault.frames.is_empty() {
        return unplaced(repair, failure, workspace);
    }
    let (frame, path) = fault.frames.iter().filter(|frame| !is_foreign(&frame.path)).find_map(|frame| {
        let path = find(frame, workspace)?;
        Some((frame, path))
    })?;
    if is_shadowed(&path, &owners(&repair, workspace)) {
        workspace.note(&format!("{path}: the workspace has a module of the same name as the one that failed"));
        return None;
    }
    let source = read(workspace, &path)?;
    let Some(anchor) = locate::anchor(&source, frame) else {
        workspace.note(&format!("{path}:{}: the line in the log is no longer in the file", frame.line));
        return None;
    };
    let Some(repaired) = repair.apply(&source, Some((anchor, frame))) else {
        workspace.note(&format!("{path}:{}: no single edit is right here", anchor + 1));
        return None;
    };
    let text = source.split(|byte| *byte == b'\n').nth(anchor).unwrap_or_default();
    let text = String::from_utf8_lossy(text).trim().to_owned();
    let root = locate::root(&frame.path, &path);
    Some(Site { repair, path, line: anchor + 1, text, root, repaired })
}

/// A fault that names no place: the file that the failing call ran, or else the only file that has the fault.
fn unplaced(repair: Repair, failure: &Failure, workspace: &mut impl Workspace) -> Option<Site> {
    let ran = |path: &str| failure.input.split([' ', '"', '\'', '/']).any(|word| path.rsplit('/').next() == Some(word));
    let mut sites = Vec::new();
    for path in workspace.containing(repair.word()?, repair.globs()).into_iter().take(MAX_SEARCHED) {
        let source = if is_foreign(&path) { None } else { read(workspace, &path) };
        if let Some((source, repaired)) = source.and_then(|source| repair.apply(&source, None).map(|new| (source, new)))
        {
            sites.push((path, first_difference(&source, &repaired), source, repaired));
        }
    }
    let only = sites.len() == 1;
    let (path, line, source, repaired) = sites.into_iter().find(|(path, ..)| only || ran(path))?;
    let text = line_text(&source, line);
    Some(Site { repair, path, line: line + 1, text, root: None, repaired })
}

/// A package that does not compile: the manifest that requires it, or else the lock file that holds it, the one nearest
/// to the root.
fn required(update: Update, failure: &Failure, workspace: &mut impl Workspace) -> Option<Site> {
    let locks = nearest(workspace.named("Cargo.lock"));
    if !locks.is_empty() && ["--locked", "--frozen"].iter().any(|flag| failure.input.contains(flag)) {
        workspace.note("the failing command forbids cargo to change Cargo.lock, and only cargo can fill it in");
        return None;
    }
    let manifests = nearest(workspace.named("Cargo.toml")).into_iter().map(|path| (Repair::Requirement(update), path));
    let places = manifests.chain(locks.into_iter().map(|path| (Repair::Lock(update), path)));
    let found = places.take(MAX_SEARCHED).find_map(|(repair, path)| {
        let source = read(workspace, &path)?;
        let repaired = repair.apply(&source, None)?;
        Some((repair, path, source, repaired))
    });
    let Some((repair, path, source, repaired)) = found else {
        workspace.note(&format!("no manifest and no lock file asks for {} in a way that is understood", update.name));
        return None;
    };
    let line = first_difference(&source, &repaired);
    let text = line_text(&source, line);
    Some(Site { repair, path, line: line + 1, text, root: None, repaired })
}

fn nearest(mut paths: Vec<String>) -> Vec<String> {
    paths.retain(|path| !is_foreign(path));
    paths.sort_by_key(|path| path.matches('/').count());
    paths
}

/// The line, from 0, on which two contents part.
fn first_difference(before: &[u8], after: &[u8]) -> usize {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    before.iter().take(same).filter(|byte| **byte == b'\n').count()
}

fn line_text(source: &[u8], line: usize) -> String {
    let text = source.split(|byte| *byte == b'\n').nth(line).unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

fn find(frame: &Frame, workspace: &mut impl Workspace) -> Option<String> {
    let name = frame.path.rsplit('/').next()?;
    if name.is_empty() || name.contains(['*', '?', '[', ']', '{', '}', '!', '\\']) {
        return None;
    }
    let candidates: Vec<String> = workspace.named(name).into_iter().filter(|path| !is_foreign(path)).collect();
    let found = locate::resolve(&frame.path, &candidates);
    if found.is_none() && !candidates.is_empty() {
        workspace.note(&format!("{}: no file of the workspace is clearly this one", frame.path));
    }
    found
}

/// The folders in which the workspace has a module of the name that failed, for which no table speaks.
pub(crate) fn owners(repair: &Repair, workspace: &mut impl Workspace) -> BTreeSet<String> {
    let Some(module) = repair.module() else { return BTreeSet::new() };
    let root = module.split('.').next().unwrap_or(module);
    let package = format!("{root}/__init__.py");
    let files = workspace.named(&format!("{root}.py"));
    let packages = workspace.named("__init__.py");
    let packages = packages.iter().filter_map(|path| path.strip_suffix(&package));
    let packages = packages.filter(|folder| folder.is_empty() || folder.ends_with('/'));
    let packages = packages.map(|folder| folder.trim_end_matches('/').to_owned());
    files.iter().map(|path| folder(path).to_owned()).chain(packages).collect()
}

/// Whether a file would import the workspace's own module of that name: from its folder or from where imports start.
pub(crate) fn is_shadowed(path: &str, owners: &BTreeSet<String>) -> bool {
    ["", "src", folder(path)].iter().any(|place| owners.contains(*place))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn read(workspace: &mut impl Workspace, path: &str) -> Option<Vec<u8>> {
    let source = workspace.read(path)?;
    (source.len() <= MAX_SOURCE).then_some(source)
}
