//! Writes a new project, and the contract.

use std::path::{Path, PathBuf};

use gephost_author::contract;
use gephost_author::language::Language;
use gephost_author::project::{self, BadProject};
use gephost_core::gene::World;

use super::folder::{create_whole, write_whole};
use crate::environment::Environment;
use crate::error::AppError;

/// The project of a gene that was just written.
#[derive(Debug)]
pub struct Begun {
    /// Its folder, as the author named it.
    pub folder: PathBuf,
    /// Its files, by path.
    pub files: Vec<String>,
    /// The file that the author edits.
    pub source: &'static str,
}

/// Writes a new project into a new or empty folder. The name of the folder is the name of the project. If anything fails,
/// nothing is written.
pub fn begin(environment: &Environment, folder: &Path, language: Language, world: World) -> Result<Begun, AppError> {
    let path = environment.resolve(folder);
    let own = path.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let name: &str = &own;
    let files = project::files(name, language, world).map_err(|error| {
        let code = if matches!(error, BadProject::Name(_)) { "bad_name" } else { "no_template" };
        AppError::usage(code, error.to_string())
    })?;
    let names = files.iter().map(|file| file.path.clone()).collect();
    let contents: Vec<_> = files.into_iter().map(|file| (file.path, file.text.into_bytes())).collect();
    create_whole(&path, &contents)?;
    Ok(Begun { folder: folder.to_owned(), files: names, source: language.source() })
}

/// Writes the contract into a folder, and returns the file's path.
pub fn write_contract(environment: &Environment, folder: &Path) -> Result<PathBuf, AppError> {
    let file = folder.join(contract::FILE);
    write_whole(&environment.resolve(&file), contract::TEXT.as_bytes())
        .map_err(|error| AppError::io(&file, "write", &error))?;
    Ok(file)
}
