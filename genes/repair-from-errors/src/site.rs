//! Finds the file and line of the workspace that a fault points at, and repairs them.

use std::collections::BTreeSet;

use gephost_gene::failures::Failure;
use gephost_gene::handwritten;

use crate::fault::{Fault, Frame, is_foreign};
use crate::input::{MAX_SEARCHED, Workspace};
use crate::locate;
use crate::node;
use crate::packages::Change;
use crate::python::{self, Encoding, Siblings};
use crate::repair::{Repair, repair_for};

/// The place in the workspace that a fault points at, and the repaired file.
pub(crate) struct Site {
    pub(crate) repair: Repair,
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The workspace's root, as the log names it.
    pub(crate) root: Option<String>,
    pub(crate) before: Vec<u8>,
    pub(crate) repaired: Vec<u8>,
}

/// Repairs a fault: the innermost place of it that lies in the workspace, or what the project asks for.
pub(crate) fn site(fault: &Fault, failure: &Failure, workspace: &mut impl Workspace) -> Option<Site> {
    in_source(fault, failure, workspace).or_else(|| in_manifest(fault, workspace))
}

/// Changes the only manifest in the root that can ask for the package which is missing or too new.
fn in_manifest(fault: &Fault, workspace: &mut impl Workspace) -> Option<Site> {
    let change = Change::for_fault(fault)?;
    let elsewhere = ["setup.py", "setup.cfg", "Pipfile", "poetry.lock", "environment.yml"];
    if change.is_missing() {
        let (frame, path) = innermost(fault, workspace)?;
        let source = read(workspace, &path)?;
        let anchor = locate::anchor(&source, frame)?;
        let is_test = path.split('/').any(|part| part.starts_with("test") || part == "conftest.py");
        if is_test || python::expects_failure(&source, anchor) || elsewhere.iter().any(|name| has(workspace, name)) {
            return None;
        }
    }
    let repair = Repair::Package(change);
    let names = change.manifests().iter().filter(|name| has(workspace, name)).map(|name| (*name).to_owned());
    let names: Vec<String> = names.collect();
    let mut sites = names.into_iter().filter_map(|path| {
        let source = read(workspace, &path)?;
        let repaired = repair.apply(&source, None)?;
        Some((path, source, repaired))
    });
    let ((path, source, repaired), None) = (sites.next()?, sites.next()) else { return None };
    let line = first_difference(&source, &repaired);
    let text = line_text(&source, line);
    Some(Site { repair: Repair::Package(change), path, line: line + 1, text, root: None, before: source, repaired })
}

/// Whether the root has a file of this name.
fn has(workspace: &mut impl Workspace, name: &str) -> bool {
    workspace.named(name).iter().any(|path| path == name)
}

fn in_source(fault: &Fault, failure: &Failure, workspace: &mut impl Workspace) -> Option<Site> {
    let Some(repair) = repair_for(fault) else {
        return sibling(fault, workspace).or_else(|| own_module(fault, workspace));
    };
    let ends_in_node = !fault.frames.is_empty() && fault.frames.iter().all(|frame| frame.path.starts_with("node:"));
    if fault.frames.is_empty() || repair.is_unplaced() || (ends_in_node && repair.is_plain_rename()) {
        return unplaced(repair, failure, workspace);
    }
    let (frame, path) = innermost(fault, workspace)?;
    placed(repair, frame, path, workspace)
}

/// The innermost place of a fault that lies in the workspace.
fn innermost<'a>(fault: &'a Fault, workspace: &mut impl Workspace) -> Option<(&'a Frame, String)> {
    fault.frames.iter().filter(|frame| !is_foreign(&frame.path)).find_map(|frame| {
        let path = find(frame, workspace)?;
        Some((frame, path))
    })
}

/// Repairs the file at a place.
fn placed(repair: Repair, frame: &Frame, path: String, workspace: &mut impl Workspace) -> Option<Site> {
    if is_shadowed(&path, &owners(&repair, workspace)) {
        workspace
            .note(&format!("{path} is left alone: the workspace has a module with the name of the one that failed"));
        return None;
    }
    if let Some(other) = rival(&repair, &path, workspace) {
        workspace.note(&format!("{path} is left alone: {other} defines the name that is missing, and may be meant"));
        return None;
    }
    let source = own(workspace, &path)?;
    let Some(anchor) = locate::anchor(&source, frame) else {
        workspace.note(&format!("{path}:{}: the file no longer has the line that the log shows", frame.line));
        return None;
    };
    if repair == Repair::Python(python::Repair::Encoding(Encoding::Utf8)) && !opens_utf8(&source, anchor, workspace) {
        workspace.note(&format!("{path}:{}: the encoding of the file that this line reads is not known", anchor + 1));
        return None;
    }
    let repair = match repair {
        Repair::Node(node::Repair::Specifiers(_)) => {
            Repair::Node(node::Repair::Specifiers(endings(&source, &path, workspace)))
        }
        other => other,
    };
    let Some(repaired) = repair.apply(&source, Some((anchor, frame))) else {
        workspace.note(&format!("{path}:{}: there is not exactly one right edit for this line", anchor + 1));
        return None;
    };
    let text = source.split(|byte| *byte == b'\n').nth(anchor).unwrap_or_default();
    let text = String::from_utf8_lossy(text).trim().to_owned();
    let root = locate::root(&frame.path, &path);
    Some(Site { repair, path, line: anchor + 1, text, root, before: source, repaired })
}

/// The relative specifiers of a module that name no file, each with the only ending with which it names one.
fn endings(source: &[u8], path: &str, workspace: &mut impl Workspace) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for specifier in node::specifiers(source) {
        let Some(target) = joined(folder(path), &specifier) else { continue };
        let mut is_file = |ending: &str| {
            let path = format!("{target}{ending}");
            workspace.named(path.rsplit('/').next().unwrap_or_default()).contains(&path)
        };
        let mut fits = node::ENDINGS.into_iter().filter(|ending| is_file(ending));
        if let (Some(ending), None) = (fits.next(), fits.next())
            && !is_file("")
        {
            found.push((specifier, ending));
        }
    }
    found
}

/// The path that a relative specifier means; `None` if it leaves the workspace.
fn joined(folder: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether all files of the workspace that the line may open are UTF-8, and one of them is more than ASCII.
fn opens_utf8(source: &[u8], anchor: usize, workspace: &mut impl Workspace) -> bool {
    let Some(name) = python::opened_file(source, anchor) else { return false };
    let paths: Vec<String> = workspace.named(&name).into_iter().filter(|path| !is_foreign(path)).collect();
    let texts: Vec<Option<Vec<u8>>> = paths.iter().map(|path| read(workspace, path)).collect();
    let is_utf8 = |text: &Option<Vec<u8>>| text.as_ref().is_some_and(|text| std::str::from_utf8(text).is_ok());
    texts.iter().all(is_utf8) && texts.iter().flatten().any(|text| !text.is_ascii())
}

/// Repairs the import of a module that lies in the folder of the file, if that folder is a package.
fn sibling(fault: &Fault, workspace: &mut impl Workspace) -> Option<Site> {
    let missing = python::missing_module(fault)?;
    let (frame, path) = innermost(fault, workspace)?;
    let own = folder(&path).to_owned();
    let source = read(workspace, &path)?;
    let has = |workspace: &mut _, name: &str, folder: &str| is_module(workspace, name, folder);
    if !has(workspace, missing, &own) || !is_package(workspace, &own) || has(workspace, missing, "") {
        return None;
    }
    let names =
        python::imported(&source).into_iter().filter(|name| name == missing || has(workspace, name, &own)).collect();
    let bound = read(workspace, &marker(&own)).map(|package| python::bound(&package)).unwrap_or_default();
    placed(Repair::Python(python::Repair::Siblings(Siblings { folder: own, names, bound })), frame, path, workspace)
}

/// Repairs the import of a package from the module of the same name in it, which is what Python 2 found.
fn own_module(fault: &Fault, workspace: &mut impl Workspace) -> Option<Site> {
    let name = python::lacking_module(fault)?;
    let marker = format!("/{name}/__init__.py");
    let is_its = |path: &String| format!("/{path}").ends_with(&marker) && !is_foreign(path);
    let mut packages = workspace.named("__init__.py").into_iter().filter(is_its);
    let (path, None) = (packages.next()?, packages.next()) else { return None };
    let own = folder(&path).to_owned();
    if !workspace.named(&format!("{name}.py")).contains(&format!("{own}/{name}.py")) {
        return None;
    }
    let source = self::own(workspace, &path)?;
    let siblings = Siblings { folder: own, names: vec![name.to_owned()], bound: Vec::new() };
    let repair = Repair::Python(python::Repair::Siblings(siblings));
    let repaired = repair.apply(&source, None)?;
    let line = first_difference(&source, &repaired);
    let text = line_text(&source, line);
    Some(Site { repair, path, line: line + 1, text, root: None, before: source, repaired })
}

/// Whether a folder has a module or a package of this name.
fn is_module(workspace: &mut impl Workspace, name: &str, folder: &str) -> bool {
    let below = |file: &str| if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
    let file = format!("{name}.py");
    workspace.named(&file).contains(&below(&file)) || is_package(workspace, &below(name))
}

fn is_package(workspace: &mut impl Workspace, folder: &str) -> bool {
    workspace.named("__init__.py").contains(&marker(folder))
}

/// The file that makes a folder a package.
fn marker(folder: &str) -> String {
    if folder.is_empty() { "__init__.py".to_owned() } else { format!("{folder}/__init__.py") }
}

/// Another file of the workspace that defines the name that failed.
fn rival(repair: &Repair, path: &str, workspace: &mut impl Workspace) -> Option<String> {
    let paths = workspace.containing(repair.name()?, repair.globs());
    let others = paths.into_iter().filter(|other| other != path && !is_foreign(other)).take(MAX_SEARCHED);
    others.into_iter().find(|other| read(workspace, other).is_some_and(|source| repair.is_denied_by(&source)))
}

/// Repairs a fault that names no place: in the only file that has it, or in the one that the failing call ran. If the repair
/// only replaces a name by its successor, it is right in every file, and the first is taken.
fn unplaced(repair: Repair, failure: &Failure, workspace: &mut impl Workspace) -> Option<Site> {
    let ran = |path: &str| failure.input.split([' ', '"', '\'', '/']).any(|word| path.rsplit('/').next() == Some(word));
    let mut sites = Vec::new();
    for path in workspace.containing(repair.word()?, repair.globs()).into_iter().take(MAX_SEARCHED) {
        let source = if is_foreign(&path) { None } else { own(workspace, &path) };
        if let Some((source, repaired)) = source.and_then(|source| repair.apply(&source, None).map(|new| (source, new)))
        {
            sites.push((path, first_difference(&source, &repaired), source, repaired));
        }
    }
    let only = sites.len() == 1;
    let first = sites.first().filter(|_| repair.is_plain_rename()).map(|(path, ..)| path.clone());
    let called = sites.iter().any(|(path, ..)| ran(path));
    let (path, line, source, repaired) =
        sites.into_iter().find(|(path, ..)| only || ran(path) || (!called && first.as_ref() == Some(path)))?;
    let text = line_text(&source, line);
    Some(Site { repair, path, line: line + 1, text, root: None, before: source, repaired })
}

/// The first line, from 0, that differs.
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
        workspace.note(&format!("{}: it is not clear which file of the workspace this is", frame.path));
    }
    found
}

/// The folders in which the workspace has a module with the name of the one that failed. The tables do not apply to it.
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

/// Whether a file would import the workspace's own module: it is in the same folder, in the root or in `src`.
pub(crate) fn is_shadowed(path: &str, owners: &BTreeSet<String>) -> bool {
    ["", "src", folder(path)].iter().any(|place| owners.contains(*place))
}

/// The folder of a file; empty for the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file that may be repaired. The reason is logged if it may not.
pub(crate) fn own(workspace: &mut impl Workspace, path: &str) -> Option<Vec<u8>> {
    let source = read(workspace, path)?;
    let reason = handwritten::objection(path, &source)
        .or_else(|| workspace.is_marked(path).then_some(".gitattributes says that no person wrote it"));
    if let Some(reason) = reason {
        workspace.note(&format!("{path} is left alone: {reason}"));
    }
    reason.is_none().then_some(source)
}

fn read(workspace: &mut impl Workspace, path: &str) -> Option<Vec<u8>> {
    let source = workspace.read(path)?;
    if source.len() > handwritten::MAX_BYTES {
        workspace.note(&format!("{path} is left alone: it is larger than 1 MiB"));
        return None;
    }
    Some(source)
}
