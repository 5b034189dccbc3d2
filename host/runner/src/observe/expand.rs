//! From what the user named to the files it means: files, folders, patterns.

use std::fs;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;

use super::{ObserveError, Unreadable, unreadable};

/// How deep folders are walked.
const MAX_DEPTH: usize = 32;
/// Endings of the files that are taken from a folder; what they hold is found out by reading.
const LOG_ENDINGS: [&str; 4] = ["jsonl", "json", "traj", "log"];
/// Names of logs that have none of these.
const LOG_NAMES: [&str; 1] = [".aider.chat.history.md"];

fn has_log_name(file: &Path) -> bool {
    let ends = |ending: &std::ffi::OsStr| LOG_ENDINGS.iter().any(|known| ending == *known);
    file.extension().is_some_and(ends)
        || file.file_name().is_some_and(|name| LOG_NAMES.iter().any(|known| name == *known))
}

/// The files that a path names.
pub(super) fn expand(path: &Path, files: &mut Vec<PathBuf>, failed: &mut Vec<Unreadable>) -> Result<(), ObserveError> {
    let shown = || path.to_string_lossy().into_owned();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            walk(path, 0, failed, &mut |file| {
                if has_log_name(file) {
                    files.push(file.to_path_buf());
                }
            });
            Ok(())
        }
        Ok(_) => {
            files.push(path.to_path_buf());
            Ok(())
        }
        Err(_) if shown().contains(['*', '?', '[']) => expand_pattern(&shown(), files, failed),
        Err(_) => Err(ObserveError::NotFound(shown())),
    }
}

fn expand_pattern(pattern: &str, files: &mut Vec<PathBuf>, failed: &mut Vec<Unreadable>) -> Result<(), ObserveError> {
    let bad = |error: globset::Error| ObserveError::Pattern { pattern: pattern.to_owned(), reason: error.to_string() };
    let matcher = GlobBuilder::new(pattern).literal_separator(true).build().map_err(bad)?.compile_matcher();
    let plain = pattern.find(['*', '?', '[']).and_then(|at| pattern.get(..at)).unwrap_or_default();
    let base = match plain.rfind('/') {
        Some(0) => "/",
        Some(end) => plain.get(..end).unwrap_or_default(),
        None => ".",
    };
    let before = files.len();
    walk(Path::new(base), 0, failed, &mut |file| {
        let named = if base == "." { file.strip_prefix(".").unwrap_or(file) } else { file };
        if matcher.is_match(named) {
            files.push(named.to_path_buf());
        }
    });
    if files.len() == before { Err(ObserveError::NotFound(pattern.to_owned())) } else { Ok(()) }
}

/// Every regular file under a folder. Links to folders are not followed, so that the walk ends.
fn walk(folder: &Path, depth: usize, failed: &mut Vec<Unreadable>, found: &mut dyn FnMut(&Path)) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return failed.push(unreadable(folder, &error)),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => walk(&path, depth + 1, failed, found),
            Ok(kind) if kind.is_file() => found(&path),
            Ok(kind) if kind.is_symlink() && path.is_file() => found(&path),
            _ => {}
        }
    }
}
