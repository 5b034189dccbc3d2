//! Finds the files that a path of the user means: a file, a folder or a pattern.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

use std::fs;
use std::path::{Path, PathBuf};

use gephost_core::observe::{HEAD_BYTES, database, may_be_database, recognise_conversation};
use gephost_core::pattern::{PathGlob, PatternError};

use super::error::{ObserveError, Unreadable, unreadable};
use super::reading::head;

/// Deepest nesting of folders.
const MAX_DEPTH: usize = 32;
/// Extensions of the files that are read in a folder. Reading determines their format.
const LOG_ENDINGS: [&str; 4] = ["jsonl", "json", "traj", "log"];
/// Extensions of the other files in a folder that are read if they start like a session.
const TEXT_ENDINGS: [&str; 2] = ["md", "txt"];
/// Bytes at the start of such a file that decide.
const TEXT_HEAD_BYTES: usize = 8 * 1024;
/// Characters that make a path a pattern.
const PATTERN_CHARS: [char; 3] = ['*', '?', '['];

/// Why nothing was read in a folder that has files.
const NO_LOG: &str = "no file in it ends in .jsonl, .json, .traj or .log, or starts like a session; to read one anyway, name \
     the file";

/// An entry found by a walk.
enum WalkEntry<'a> {
    Folder(&'a Path),
    File(&'a Path),
}

/// Whether a file in a folder is a log: by its name, or as a text that starts like a session of an agent.
pub(crate) fn is_log(file: &Path) -> bool {
    has_ending(file, &LOG_ENDINGS) || (has_ending(file, &TEXT_ENDINGS) && starts_like_a_session(file))
}

fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

fn starts_like_a_session(file: &Path) -> bool {
    matches!(head(file, &[TEXT_HEAD_BYTES], recognise_conversation), Ok(Some(_)))
}

/// A database, with what to do in place of reading it.
fn database_of_agent(file: &Path) -> Option<Unreadable> {
    let may_be = file.extension().and_then(|ending| ending.to_str()).is_some_and(may_be_database);
    let reason = if may_be { head(file, &[HEAD_BYTES], database).ok().flatten()? } else { return None };
    Some(Unreadable { path: file.to_string_lossy().into_owned(), reason })
}

/// The files that a path means. If it is `named`, a folder with files none of which is a log is listed in `failed`.
pub(super) fn expand(
    path: &Path,
    named: bool,
    files: &mut Vec<PathBuf>,
    failed: &mut Vec<Unreadable>,
) -> Result<(), ObserveError> {
    let shown = || path.to_string_lossy().into_owned();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            let before = files.len();
            let (mut others, mut databases) = (0_u64, Vec::new());
            walk(path, 0, failed, &mut |entry| match entry {
                WalkEntry::File(file) if is_log(file) => files.push(file.to_path_buf()),
                WalkEntry::File(file) => match database_of_agent(file) {
                    Some(found) => databases.push(found),
                    None => others += 1,
                },
                WalkEntry::Folder(_) => {}
            });
            failed.append(&mut databases);
            if named && files.len() == before && others > 0 {
                failed.push(Unreadable { path: shown(), reason: NO_LOG.to_owned() });
            }
            Ok(())
        }
        Ok(_) => {
            match database_of_agent(path) {
                Some(found) => failed.push(found),
                None => files.push(path.to_path_buf()),
            }
            Ok(())
        }
        Err(_) if is_pattern(path) => expand_pattern(&shown(), files, failed),
        Err(_) => Err(ObserveError::NotFound(shown())),
    }
}

/// Whether a path that does not exist may be a pattern.
pub(crate) fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(PATTERN_CHARS)
}

/// The folders to watch for changes to what a path means: a folder with all folders below it, or those below the start
/// of a pattern. For any other path: its nearest existing folder, and that of the target if it is a link. Folders below
/// `except` are left out.
pub(crate) fn folders_of(path: &Path, except: &Path) -> Vec<PathBuf> {
    let shown = path.to_string_lossy();
    let place = if !path.exists() && is_pattern(path) { Path::new(base_of(&shown)) } else { path };
    let mut folders = Vec::new();
    if place.is_dir() {
        walk(place, 0, &mut Vec::new(), &mut |entry| {
            if let WalkEntry::Folder(folder) = entry {
                folders.push(folder.to_path_buf());
            }
        });
    } else {
        let above = |path: PathBuf| path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf);
        folders.extend([Some(place.to_path_buf()), place.canonicalize().ok()].into_iter().flatten().filter_map(above));
    }
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let except = real(except);
    folders.retain(|folder| !real(folder).starts_with(&except));
    folders
}

/// The folder in which a pattern is searched.
fn base_of(pattern: &str) -> &str {
    let plain = pattern.find(PATTERN_CHARS).and_then(|at| pattern.get(..at)).unwrap_or_default();
    match plain.rfind('/') {
        Some(0) => "/",
        Some(end) => plain.get(..end).unwrap_or_default(),
        None => ".",
    }
}

fn expand_pattern(pattern: &str, files: &mut Vec<PathBuf>, failed: &mut Vec<Unreadable>) -> Result<(), ObserveError> {
    let bad = |error: PatternError| ObserveError::Pattern { pattern: pattern.to_owned(), reason: error.to_string() };
    let matcher = PathGlob::new(pattern).map_err(bad)?;
    let base = base_of(pattern);
    let before = files.len();
    walk(Path::new(base), 0, failed, &mut |entry| {
        let WalkEntry::File(file) = entry else { return };
        let named = if base == "." { file.strip_prefix(".").unwrap_or(file) } else { file };
        if matcher.is_match(&named.to_string_lossy()) {
            files.push(named.to_path_buf());
        }
    });
    if files.len() == before { Err(ObserveError::NotFound(pattern.to_owned())) } else { Ok(()) }
}

/// Visits a folder, and every folder and regular file below it. Links to folders are not followed, so that the walk
/// ends.
fn walk(folder: &Path, depth: usize, failed: &mut Vec<Unreadable>, found: &mut dyn FnMut(WalkEntry<'_>)) {
    found(WalkEntry::Folder(folder));
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return failed.push(unreadable(folder, &error)),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => walk(&path, depth + 1, failed, found),
            Ok(kind) if kind.is_file() => found(WalkEntry::File(&path)),
            Ok(kind) if kind.is_symlink() && path.is_file() => found(WalkEntry::File(&path)),
            _ => {}
        }
    }
}
