//! Lists the files of a folder: those that git tracks or, outside a repository, those that may be shown.
//!
//! Invariants: no link is followed, the result is sorted, and the work is bounded.

use std::os::fd::OwnedFd;

use gephost_core::path::RepoPath;
use rustix::fs::{AtFlags, Dir, FileType, statat};

use super::error::CheckoutError;
use super::links::below;
use super::open::Root;
use crate::beneath::split;
use crate::sandbox::FileKind;

/// The tracked paths that exist now, with their present kinds. `tracked` is sorted.
pub(super) fn present<'a>(root: &Root, tracked: impl Iterator<Item = &'a RepoPath>) -> Vec<(RepoPath, FileKind)> {
    let mut present = Vec::new();
    // Sorted paths are mostly grouped by directory, so the previous directory is usually needed again.
    let mut open: Option<(&[u8], Option<OwnedFd>)> = None;
    for path in tracked {
        let (above, name) = split(path.as_str().as_bytes());
        if open.as_ref().is_none_or(|(directory, _)| *directory != above) {
            open = Some((above, root.directory(above).ok()));
        }
        let Some((_, Some(directory))) = &open else { continue };
        let Ok(stat) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        if let Some(kind) = kind(stat.st_mode) {
            present.push((path.clone(), kind));
        }
    }
    present
}

/// Every file below a folder for which `is_shown` holds. More than `most` names, shown or not, are an error.
pub(super) fn everything(
    root: &Root,
    is_shown: &dyn Fn(&RepoPath) -> bool,
    most: usize,
) -> Result<Vec<(RepoPath, FileKind)>, CheckoutError> {
    let mut found = Vec::new();
    let mut waiting = vec![Vec::new()];
    let mut looked_at = 0;
    while let Some(path) = waiting.pop() {
        // A folder that cannot be listed (removed, or of another user) has nothing to show.
        let Ok(directory) = root.directory(&path) else { continue };
        let Ok(entries) = Dir::read_from(&directory) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            looked_at += 1;
            if looked_at > most {
                return Err(CheckoutError::TooManyFiles);
            }
            let Some((path, repo_path)) = nameable(&path, name).filter(|(_, path)| is_shown(path)) else { continue };
            let Ok(stat) = statat(&directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => waiting.push(path),
                _ => found.extend(kind(stat.st_mode).map(|kind| (repo_path, kind))),
            }
        }
    }
    found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

fn nameable(above: &[u8], name: &[u8]) -> Option<(Vec<u8>, RepoPath)> {
    let path = below(above, name);
    let repo_path = RepoPath::new(std::str::from_utf8(&path).ok()?).ok()?;
    Some((path, repo_path))
}

fn kind(mode: u32) -> Option<FileKind> {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile if mode & 0o100 != 0 => Some(FileKind::Executable),
        FileType::RegularFile => Some(FileKind::File),
        FileType::Symlink => Some(FileKind::Symlink),
        FileType::Directory => None,
        // A pipe, socket or device cannot be read.
        _ => Some(FileKind::Other),
    }
}
