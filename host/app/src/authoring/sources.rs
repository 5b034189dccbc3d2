//! The sources of a project whose code is data for an interpreter.

use std::path::Path;

use gephost_author::interpreter::{Interpreter, Sources};
use gephost_core::gene::{MAX_INPUT_BYTES, World};
use gephost_core::recording::Digest;

use super::folder::Folder;
use crate::error::{AppError, printable};

/// Folders at the top of a project that hold no part of the gene.
const APART: &[&str] = &["build", "fixtures", "tests", "node_modules", "wit"];
/// The file that marks a virtual environment of Python.
const VIRTUAL_ENVIRONMENT: &str = "pyvenv.cfg";
const MAX_FILES: usize = 1000;
const MAX_DEPTH: usize = 16;

/// Every source of a project.
pub(super) fn sources(project: &Folder, interpreter: &Interpreter) -> Result<Sources, AppError> {
    let mut walk = Walk { project, ending: format!(".{}", interpreter.extension), found: Sources::new(), bytes: 0 };
    walk.read("", 0)?;
    Ok(walk.found)
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

struct Walk<'a> {
    project: &'a Folder,
    ending: String,
    found: Sources,
    bytes: usize,
}

impl Walk<'_> {
    /// Reads the sources of a folder. `below` is empty or ends with `/`.
    fn read(&mut self, below: &str, depth: usize) -> Result<(), AppError> {
        let refused = |why: String| AppError::usage("sources", why);
        if depth > MAX_DEPTH {
            return Err(refused(format!("{below}: the folders are nested more than {MAX_DEPTH} deep")));
        }
        for name in self.project.files(below)?.into_iter().filter(|name| name.ends_with(&self.ending)) {
            let path = format!("{below}{name}");
            let left = MAX_INPUT_BYTES.saturating_sub(self.bytes);
            let text = String::from_utf8(self.project.read(&path, left as u64)?)
                .map_err(|_| refused(format!("{}: the source is not UTF-8", printable(&path))))?;
            self.bytes += text.len();
            self.found.insert(path, text);
            if self.found.len() > MAX_FILES {
                return Err(refused(format!("the project has more than {MAX_FILES} sources")));
            }
        }
        for name in self.project.folders(below)? {
            let is_apart = below.is_empty() && APART.contains(&name.as_str());
            let path = format!("{below}{name}/");
            let is_environment = self.project.has(&format!("{path}{VIRTUAL_ENVIRONMENT}"));
            if !is_apart && !name.starts_with('.') && name != "__pycache__" && !is_environment {
                self.read(&path, depth + 1)?;
            }
        }
        Ok(())
    }
}

/// The file that holds the gene, without which the interpreter has nothing to run.
pub(super) fn check(sources: &Sources, source: &str) -> Result<(), AppError> {
    if sources.contains_key(source) {
        return Ok(());
    }
    let message = format!("there is no {}", Path::new(source).display());
    Err(AppError::usage("sources", message).hint(format!("the gene is the file {source} of the project")))
}
