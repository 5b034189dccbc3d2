//! Files that the operator names on the command line, and the program itself.

#![expect(clippy::disallowed_methods, reason = "the operator names input files")]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use gephost_app::files::read_bounded;
use gephost_runner::place::Place;
use gephost_runner::sandbox::Worker;
use gephost_runner::validate::Launcher;

use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;

/// A file that the operator named, or standard input for `-`, to be read in pieces.
pub(crate) fn open_input(environment: &Environment, path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(environment.resolve(path)).map_err(|error| io(path, "open", &error))?;
    Ok(Box::new(file))
}

/// The same as a whole, of at most `limit` bytes.
pub(crate) fn read_input(environment: &Environment, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let name = if path == Path::new("-") { Path::new("standard input") } else { path };
    Ok(read_bounded(name, open_input(environment, path)?, limit)?)
}

/// Writes a new file that the operator names, and returns its name.
pub(crate) fn write_new(environment: &Environment, file: &Path, text: &str) -> Result<String, Failure> {
    let path = environment.resolve(file);
    let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
    let written = Place::shared(folder).join(name).create_new(text.as_bytes());
    written
        .map_err(|error| io(file, "create", &error).hint("name a file that does not exist, in a folder that does"))?;
    Ok(file.display().to_string())
}

/// Writes a file that the operator names, in the place of one that may be there.
pub(crate) fn replace(environment: &Environment, file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(environment.resolve(file), text).map_err(|error| io(file, "write", &error))
}

/// How gephost starts itself as a worker.
pub(crate) fn worker(environment: &Environment) -> Result<Worker, Failure> {
    environment.worker(false).ok_or_else(no_program)
}

/// How gephost starts itself to launch a validation command.
pub(crate) fn launcher(environment: &Environment) -> Result<Launcher, Failure> {
    environment.launcher().ok_or_else(no_program)
}

fn no_program() -> Failure {
    Failure::new(Exit::Bug, "bug", "the environment names no program")
}
