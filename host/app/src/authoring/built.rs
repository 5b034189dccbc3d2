//! The gene that a project was built to, and what to do if it is missing or old.

use std::path::{Path, PathBuf};

use gephost_author::language::Language;
use gephost_author::recipe::GENE;
use gephost_core::command::quote;

use super::folder::{Folder, depth, seen};
use crate::environment::Environment;
use crate::error::{AppError, printable};
use crate::sink::Note;

/// Folders that tools write to.
pub(super) const WRITTEN: &[&str] = &["build", "node_modules", "target", "__pycache__"];
/// Folders of a project of which nothing is built.
const NOT_BUILT: &[&str] = &["fixtures", "tests", "typings"];
/// Deepest folder that is looked into.
const MAX_DEPTH: usize = 16;

/// A folder as words of a command: nothing for the one in which the author stands.
pub(super) fn in_words(folder: &Path) -> String {
    if folder == Path::new(".") || folder.as_os_str().is_empty() {
        return String::new();
    }
    quote(&[folder.display().to_string()])
}

/// The error for a folder that holds no project.
pub(super) fn no_project(folder: &Path) -> AppError {
    let words = Language::ALL.map(Language::word).join(", ");
    AppError::usage("no_project", format!("{} is no project of a gene", folder.display()))
        .hint(format!("`gephost gene new NAME --lang LANGUAGE` makes one in {words}"))
}

/// The gene that was built last in a project.
pub(super) fn built(project: &Folder, named: &Path) -> Result<PathBuf, AppError> {
    if project.has(GENE) {
        return Ok(project.join(GENE));
    }
    if !project.has("gene.json") && Language::of_files(|file| project.has(file)).is_none() {
        return Err(no_project(named));
    }
    Err(AppError::usage("not_built", format!("{} has no {GENE}: it is not built yet", named.display()))
        .hint(format!("build it first: {}", build_command(named))))
}

/// The command that builds a project.
fn build_command(named: &Path) -> String {
    format!("gephost gene build {}", in_words(named)).trim_end().to_owned()
}

/// Warns if the gene that was built last is not what the author wrote since.
pub(super) fn note_newer(environment: &Environment, project: &Folder, named: &Path) -> Result<(), AppError> {
    if let Some(file) = newer_than_build(project)? {
        let how = build_command(named);
        environment.sink.note(Note::Warning(&format!(
            "{} is newer than {GENE}, which is used: `{how}` builds it",
            printable(&file)
        )));
    }
    Ok(())
}

/// A source that was saved after the last build, if there is one. Copies and checkouts give files new times too.
fn newer_than_build(project: &Folder) -> Result<Option<String>, AppError> {
    let Some(source) = Language::of_files(|file| project.has(file)).map(Language::source) else { return Ok(None) };
    let saved = |file: &str| seen(&project.join(file)).and_then(|(_, time)| time);
    let Some(built) = saved(GENE) else { return Ok(None) };
    let end = Path::new(source).extension();
    let mut newer = None;
    let enters = |below: &str, name: &str| {
        depth(below) < MAX_DEPTH && !name.starts_with('.') && !NOT_BUILT.contains(&name) && !WRITTEN.contains(&name)
    };
    project.walk(&enters, &mut |file| {
        let is_source = file == "gene.json" || Path::new(&file).extension() == end;
        if newer.is_none() && is_source && saved(&file).is_some_and(|time| time > built) {
            newer = Some(file);
        }
        Ok(())
    })?;
    Ok(newer)
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::{Duration, SystemTime};

    use super::super::folder::temporary;
    use super::*;

    #[test]
    fn only_a_source_that_was_saved_after_the_build_is_newer() {
        let place = temporary().unwrap();
        let project = Folder::open(place.path()).unwrap();
        let at = |file: &str, seconds: u64| {
            let path = project.write(file, b"x").unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            File::options().write(true).open(path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
        };
        let newer = || newer_than_build(&project).unwrap();
        at("gene.py", 10);
        assert_eq!(newer(), None, "nothing was built yet");
        at(GENE, 20);
        for file in ["README.md", "fixtures/first/workspace/a.py", ".venv/b.py", "build/python/c.py", "typings/d.py"] {
            at(file, 30);
        }
        assert_eq!(newer(), None);
        at("helpers/words.py", 30);
        assert_eq!(newer().as_deref(), Some("helpers/words.py"));
        at("helpers/words.py", 20);
        at("gene.json", 30);
        assert_eq!(newer().as_deref(), Some("gene.json"));
    }

    #[test]
    fn a_hint_names_the_folder_as_the_author_wrote_it() {
        assert_eq!(build_command(Path::new(".")), "gephost gene build");
        assert_eq!(build_command(Path::new("my genes/one")), "gephost gene build 'my genes/one'");
    }
}
