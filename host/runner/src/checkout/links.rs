//! Hard links: one file under two names, of which the policy may deny the one and show the other.
//!
//! Nothing about an open file says which other names it has, so the project's folder is looked through, once, and only
//! when a file with more than one name is read. The rule:
//!
//! 1. a file that also has a name that genes are not shown is not shown under any;
//! 2. a file whose names are all below the project's folder, and all shown, is shown;
//! 3. of any other, some name is outside or was not found (a backup by hard links, a store of a package manager, a
//!    folder of too many files). It is shown only where its bytes are those that git holds for this very path, since
//!    they say nothing then that the repository does not.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use gephost_core::path::RepoPath;
use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};

use super::open::Root;

/// The most names that are looked at. What lies beyond counts as not found.
const MAX_NAMES: usize = 500_000;
/// The longest path that is gone into, in bytes.
const MAX_PATH_BYTES: usize = 4000;

/// Which file it is, whatever its name.
type Identity = (u64, u64);

/// What may be said of a file with several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// All its names are shown.
    Shown,
    /// One of them is not.
    Hidden,
    /// Not all are known.
    Unknown,
}

/// The names of files in a folder, looked through at most once.
#[derive(Debug, Default)]
pub(super) struct Links {
    found: OnceLock<Found>,
}

#[derive(Debug, Default)]
struct Found {
    hidden: HashSet<Identity>,
    /// How many shown names each file with several has.
    shown: HashMap<Identity, u64>,
    looked_at: usize,
}

impl Links {
    /// What is known of an open file with this `stat`. `is_shown` is the policy's word on a path.
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

    /// A hidden file is kept although it has one name only: it may get its second one after this.
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
