//! What the user's cache folder remembers besides compiled components: indexes, summaries and results that take long to
//! compute.
//!
//! Owns the removal of those files, and says when one was used. What must stay true: only files in folders that gephost
//! fills by itself are removed, and each of them can be made again.

use std::io;
use std::time::SystemTime;

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
use schemars::JsonSchema;
use serde::Serialize;

use crate::place::Place;
use crate::sandbox::Keep;

/// The folder of outcomes of backtests.
pub const BACKTEST: &str = "backtest";
/// The folder of summaries of events.
pub(crate) const EXPERIENCE: &str = "experience";
/// The folder of ids in files of lines.
pub(crate) const IDS: &str = "ids";
/// The folder of indexes for selection.
pub(crate) const SELECTION: &str = "selection";

/// A file that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedFile {
    /// Its folder and its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A file that is there.
struct Found {
    folder: &'static str,
    name: String,
    bytes: u64,
    used: SystemTime,
}

/// Removes what is not to be kept, and says what that was. Of [`Keep::Bytes`], the most recently used files are kept.
pub fn prune(cache: &Place, keep: Keep) -> io::Result<Vec<RemovedFile>> {
    let mut found = Vec::new();
    for folder in [BACKTEST, EXPERIENCE, IDS, SELECTION] {
        found.extend(files(cache, folder)?);
    }
    found.sort_by(|one, other| other.used.cmp(&one.used).then_with(|| one.name.cmp(&other.name)));
    let (mut kept_bytes, mut removed) = (0_u64, Vec::new());
    for file in found {
        let stays = match keep {
            Keep::Nothing => false,
            Keep::UsedWithin { time, now } => now.duration_since(file.used).map_or(true, |age| age <= time),
            Keep::Bytes(most) => {
                kept_bytes = kept_bytes.saturating_add(file.bytes);
                kept_bytes <= most
            }
        };
        if !stays && cache.join(file.folder).join(&file.name).remove()? {
            removed.push(RemovedFile { name: format!("{}/{}", file.folder, file.name), bytes: file.bytes });
        }
    }
    removed.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(removed)
}

/// Removes all but the `most` files of a folder that were used last.
pub fn keep_newest(cache: &Place, folder: &'static str, most: usize) -> io::Result<()> {
    let mut found = files(cache, folder)?;
    if found.len() > most {
        found.sort_by(|one, other| other.used.cmp(&one.used).then_with(|| one.name.cmp(&other.name)));
        for file in found.into_iter().skip(most) {
            cache.join(folder).join(&file.name).remove()?;
        }
    }
    Ok(())
}

/// Notes that a file of the cache was used now. One of which that cannot be noted is removed sooner.
pub(crate) fn used(file: &std::fs::File) {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let _ = futimens(file, &Timestamps { last_access: now, last_modification: now });
}

/// The plain files of a folder; none if there is no folder.
fn files(cache: &Place, folder: &'static str) -> io::Result<Vec<Found>> {
    let opened = match cache.join(folder).folder() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut found = Vec::new();
    for entry in opened.entries()? {
        let name = entry?.file_name();
        // A file that was removed meanwhile is skipped, and so is a name that gephost does not give.
        let (Ok(metadata), Some(name)) = (opened.symlink_metadata(&name), name.to_str()) else { continue };
        if metadata.is_file() {
            let used = metadata.modified().map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std);
            found.push(Found { folder, name: name.to_owned(), bytes: metadata.len(), used });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::Duration;

    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    /// A cache with a file of each folder, `days` old and 10 bytes large, and a component.
    fn cache(now: SystemTime) -> tempfile::TempDir {
        let cache = tempfile::tempdir().unwrap();
        for (days, folder) in (1..).zip([SELECTION, IDS, EXPERIENCE, BACKTEST, "components"]) {
            fs::create_dir(cache.path().join(folder)).unwrap();
            let path = cache.path().join(folder).join("file");
            fs::write(&path, "0123456789").unwrap();
            File::options().append(true).open(path).unwrap().set_modified(now - days * DAY).unwrap();
        }
        cache
    }

    #[test]
    fn old_and_large_files_are_removed_and_nothing_else() {
        let now = SystemTime::now();
        for (keep, expect) in [
            (Keep::UsedWithin { time: 9 * DAY, now }, vec![]),
            (Keep::UsedWithin { time: 2 * DAY, now }, vec!["backtest/file", "experience/file"]),
            (Keep::Bytes(35), vec!["backtest/file"]),
            (Keep::Bytes(0), vec!["backtest/file", "experience/file", "ids/file", "selection/file"]),
            (Keep::Nothing, vec!["backtest/file", "experience/file", "ids/file", "selection/file"]),
        ] {
            let cache = cache(now);
            let removed = prune(&Place::own(cache.path()), keep).unwrap();
            assert_eq!(removed.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), expect, "{keep:?}");
            assert!(removed.iter().all(|file| file.bytes == 10 && !cache.path().join(&file.name).exists()));
            assert!(cache.path().join("components/file").exists());
        }
    }

    #[test]
    fn a_cache_that_is_not_there_has_nothing_to_remove() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(prune(&Place::own(folder.path()).join("none"), Keep::Nothing).unwrap(), []);
        keep_newest(&Place::own(folder.path()), BACKTEST, 1).unwrap();
    }

    #[test]
    fn the_newest_files_of_a_folder_are_kept() {
        let (folder, now) = (tempfile::tempdir().unwrap(), SystemTime::now());
        fs::create_dir(folder.path().join(BACKTEST)).unwrap();
        for days in 1..=5 {
            let path = folder.path().join(BACKTEST).join(days.to_string());
            fs::write(&path, "x").unwrap();
            File::options().append(true).open(path).unwrap().set_modified(now - days * DAY).unwrap();
        }
        keep_newest(&Place::own(folder.path()), BACKTEST, 2).unwrap();
        let left = |days: u32| folder.path().join(BACKTEST).join(days.to_string()).exists();
        assert_eq!([1, 2, 3, 4, 5].map(left), [true, true, false, false, false]);
        // One that was used is as good as new.
        used(&File::open(folder.path().join(BACKTEST).join("2")).unwrap());
        keep_newest(&Place::own(folder.path()), BACKTEST, 1).unwrap();
        assert!(left(2) && !left(1));
    }
}
