//! The sources of a project whose code is data for an interpreter.

use std::path::Path;

use gephost_author::interpreter::{Interpreter, Sources};
use gephost_core::gene::{MAX_INPUT_BYTES, World};
use gephost_core::recording::Digest;

use super::folder::{Folder, depth};
use crate::error::{AppError, printable};

/// Folders at the top of a project that hold no part of the gene.
const APART: &[&str] = &["build", "fixtures", "tests", "node_modules", "wit"];
/// The file that marks a virtual environment of Python.
const VIRTUAL_ENVIRONMENT: &str = "pyvenv.cfg";
const MAX_FILES: usize = 1000;
const MAX_DEPTH: usize = 16;

/// Every source of a project.
pub(super) fn sources(project: &Folder, interpreter: &Interpreter) -> Result<Sources, AppError> {
    let ending = format!(".{}", interpreter.extension);
    let (mut found, mut bytes) = (Sources::new(), 0);
    let enters = |below: &str, name: &str| {
        let is_apart = below.is_empty() && APART.contains(&name);
        let is_environment = || project.has(&format!("{below}{name}/{VIRTUAL_ENVIRONMENT}"));
        depth(below) <= MAX_DEPTH && !is_apart && !name.starts_with('.') && name != "__pycache__" && !is_environment()
    };
    project.walk(&enters, &mut |path| {
        if !path.ends_with(&ending) {
            return Ok(());
        }
        let refused = |why: String| AppError::usage("sources", why);
        if depth(&path) > MAX_DEPTH {
            return Err(refused(format!("{path}: the folders are nested more than {MAX_DEPTH} deep")));
        }
        let left = MAX_INPUT_BYTES.saturating_sub(bytes);
        let text = String::from_utf8(project.read(&path, left as u64)?)
            .map_err(|_| refused(format!("{}: the source is not UTF-8", printable(&path))))?;
        bytes += text.len();
        found.insert(path, text);
        if found.len() > MAX_FILES {
            return Err(refused(format!("the project has more than {MAX_FILES} sources")));
        }
        Ok(())
    })?;
    Ok(found)
}

/// What the interpreter of a project is built from, as the stamp beside it says: whoever finds the same need not build it.
pub(super) fn stamp(
    project: &Folder,
    interpreter: &Interpreter,
    world: World,
    tool: &str,
    loader: &str,
) -> Result<String, AppError> {
    let loader = Digest::of(loader.as_bytes());
    let mut lines = vec![format!("tool {tool}"), format!("world {world}"), format!("loader {loader}")];
    let contract = project.files("wit")?.into_iter().map(|name| format!("wit/{name}"));
    for file in contract.chain(interpreter.inputs.iter().map(|file| (*file).to_owned())) {
        if project.has(&file) {
            let content = project.read(&file, MAX_INPUT_BYTES as u64)?;
            lines.push(format!("{} {}", printable(&file), Digest::of(&content)));
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// The file that holds the gene, without which the interpreter has nothing to run.
pub(super) fn check(sources: &Sources, source: &str) -> Result<(), AppError> {
    if sources.contains_key(source) {
        return Ok(());
    }
    let message = format!("there is no {}", Path::new(source).display());
    Err(AppError::usage("sources", message).hint(format!("the gene is the file {source} of the project")))
}
