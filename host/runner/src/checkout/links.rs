//! Hard links: two names of one file, of which the policy may deny one and show the other.
//!
//! An open file does not say which other names it has. The project's folder is therefore searched, once, and only when
//! a file with several names is read. The rule:
//!
//! 1. A file with a name that genes must not see is not shown under any name.
//! 2. A file is shown if all its names are in the project's folder and all may be shown.
//! 3. Any other file has a name that is outside or was not found (a backup with hard links, the store of a package
//!    manager, a folder with too many files). It is shown only if git holds the same bytes for this path, because then
//!    it reveals nothing beyond the repository.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use gephost_core::path::RepoPath;
use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};

use super::open::Root;

/// Most names that are searched. Further names count as not found.
const MAX_NAMES: usize = 500_000;
/// Longest path that is searched, in bytes.
const MAX_PATH_BYTES: usize = 4000;

/// Identifies a file regardless of its names.
type Identity = (u64, u64);

/// What is known about the names of a file with several of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// All names may be shown.
    Shown,
    /// One of the names must not be shown.
    Hidden,
    /// Some names are unknown.
    Unknown,
}

/// The names of the files in a folder, which is searched at most once.
#[derive(Debug, Default)]
pub(super) struct Links {
    found: OnceLock<Found>,
}

#[derive(Debug, Default)]
struct Found {
    hidden: HashSet<Identity>,
    /// For each file with several names, how many of them may be shown.
    shown: HashMap<Identity, u64>,
    looked_at: usize,
}

impl Links {
    /// What is known about an open file with this `stat`. `is_shown` is the policy's decision on a path.
    pub(super) fn standing(&self, root: &Root, is_shown: &dyn Fn(&RepoPath) -> bool, stat: &Stat) -> Standing {
        let found = self.found.get_or_init(|| {
            let mut found = Found::default();
            found.look_through(root, is_shown);
            found
        });
        let identity = identity(stat);
        let known = found.shown.get(&identity).copied().unwrap_or_default();
        if found.hidden.contains(&identity) {
            Standing::Hidden
        } else if known == links(stat) {
            Standing::Shown
        } else {
            Standing::Unknown
        }
    }
}

impl Found {
    fn look_through(&mut self, root: &Root, is_shown: &dyn Fn(&RepoPath) -> bool) {
        let mut waiting: Vec<(Vec<u8>, bool)> = vec![(Vec::new(), true)];
        while let Some((path, above_is_shown)) = waiting.pop() {
            let Ok(handle) = root.directory(&path) else { continue };
            let look = |name: &[u8]| {
                let path = below(&path, name);
                let shown = above_is_shown
                    && std::str::from_utf8(&path)
                        .is_ok_and(|text| RepoPath::new(text).is_ok_and(|path| is_shown(&path)));
                (path, shown)
            };
            self.directory(&handle, look, &mut waiting);
            if self.looked_at > MAX_NAMES {
                return;
            }
        }
    }

    fn directory(
        &mut self,
        handle: &OwnedFd,
        look: impl Fn(&[u8]) -> (Vec<u8>, bool),
        waiting: &mut Vec<(Vec<u8>, bool)>,
    ) {
        let Ok(entries) = Dir::read_from(handle) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.looked_at += 1;
            if self.looked_at > MAX_NAMES {
                return;
            }
            let (path, shown) = look(name.to_bytes());
            let Ok(stat) = statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory if path.len() <= MAX_PATH_BYTES => waiting.push((path, shown)),
                FileType::RegularFile => self.file(&stat, shown),
                _ => {}
            }
        }
    }

    /// A hidden file is recorded even if it has only one name, because it may get a second one later.
    fn file(&mut self, stat: &Stat, shown: bool) {
        if !shown {
            self.hidden.insert(identity(stat));
        } else if links(stat) > 1 {
            *self.shown.entry(identity(stat)).or_default() += 1;
        }
    }
}

fn identity(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

/// How many names a file has.
#[expect(clippy::unnecessary_cast, reason = "the field is 32 bits wide on some systems")]
pub(super) fn links(stat: &Stat) -> u64 {
    stat.st_nlink as u64
}

/// The path of a name in a directory.
pub(super) fn below(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}
