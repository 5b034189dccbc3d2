//! Maintains the cache: `cache verify`, `cache prune`, and the entries that were moved aside.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Serialize;

use super::entries::{CompileCache, EXTENSION, Entry, SETTINGS_DIGITS, WRITING};

/// The extension of an entry that was moved aside because its seal did not verify.
const ASIDE: &str = "quarantined";
/// Most such entries that are kept for inspection: the newest.
const MAX_ASIDE: usize = 8;
/// Hexadecimal digits of the component's digest in an entry's name.
const DIGEST_DIGITS: usize = 64;

/// A file in the directory of the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryReport {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What it is.
    pub state: EntryState,
}

/// The kind of a file in the directory of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// An entry whose seal verifies.
    Ok,
    /// An entry whose seal did not verify. It was moved aside and will not be used.
    Quarantined,
    /// An entry that was moved aside before.
    Aside,
    /// Not a file of the cache. It is never used, and not touched.
    Foreign,
}

/// Which entries are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// None.
    Nothing,
    /// Those that were used in this period before now.
    UsedWithin {
        /// The length of the period.
        time: Duration,
        /// Now.
        now: SystemTime,
    },
    /// The most recently used ones, up to this many bytes in total.
    Bytes(u64),
}

struct Found {
    report: EntryReport,
    used: SystemTime,
}

impl CompileCache {
    /// Verifies every entry, and moves aside those whose seal does not verify. Sorted by name.
    pub fn verify(&self) -> io::Result<Vec<EntryReport>> {
        let mut reports = Vec::new();
        for Found { mut report, .. } in self.files()? {
            if report.state == EntryState::Ok && !matches!(self.read(&report.name), Entry::Verified(..)) {
                self.put_aside(&report.name);
                report.state = EntryState::Quarantined;
            }
            reports.push(report);
        }
        Ok(reports)
    }

    /// Removes entries, and all files that were moved aside or only partly written. Returns what was removed.
    pub fn prune(&self, keep: Keep) -> io::Result<Vec<EntryReport>> {
        let mut files = self.files()?;
        files.sort_by_key(|file| std::cmp::Reverse(file.used));
        let mut kept_bytes = 0_u64;
        let mut removed = Vec::new();
        for Found { report, used } in files {
            let stays = match (report.state, keep) {
                (EntryState::Foreign, _) => !report.name.starts_with(WRITING),
                (EntryState::Aside | EntryState::Quarantined, _) | (_, Keep::Nothing) => false,
                (_, Keep::UsedWithin { time, now }) => now.duration_since(used).map_or(true, |age| age <= time),
                (_, Keep::Bytes(most)) => {
                    kept_bytes = kept_bytes.saturating_add(report.bytes);
                    kept_bytes <= most
                }
            };
            if !stays {
                self.folder.join(&report.name).remove()?;
                removed.push(report);
            }
        }
        removed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(removed)
    }

    /// Moves an entry aside, so that it can be inspected. The oldest of those are removed.
    pub(super) fn put_aside(&self, name: &str) {
        let entry = self.folder.join(name);
        if entry.rename(Path::new(name).with_extension(ASIDE)).is_err() {
            let _ = entry.remove();
        }
        let mut aside = self.files().unwrap_or_default();
        aside.retain(|file| file.report.state == EntryState::Aside);
        aside.sort_by_key(|file| std::cmp::Reverse(file.used));
        for old in aside.iter().skip(MAX_ASIDE) {
            let _ = self.folder.join(&old.report.name).remove();
        }
    }

    /// Every file in the directory, sorted by name. Entries are not verified here.
    fn files(&self) -> io::Result<Vec<Found>> {
        let folder = self.folder.folder()?;
        let mut files = Vec::new();
        for entry in folder.entries()? {
            let name = entry?.file_name();
            // A file that was removed meanwhile is skipped.
            let Ok(metadata) = folder.symlink_metadata(&name) else { continue };
            let used = metadata.modified().map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std);
            let name = name.to_string_lossy().into_owned();
            let state = state_of(&name);
            files.push(Found { report: EntryReport { name, bytes: metadata.len(), state }, used });
        }
        files.sort_by(|a, b| a.report.name.cmp(&b.report.name));
        Ok(files)
    }
}

fn state_of(name: &str) -> EntryState {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let is_hex = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
    let ours = stem
        .split_once('-')
        .is_some_and(|(digest, settings)| is_hex(digest, DIGEST_DIGITS) && is_hex(settings, SETTINGS_DIGITS));
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(EXTENSION) if ours => EntryState::Ok,
        Some(ASIDE) if ours => EntryState::Aside,
        _ => EntryState::Foreign,
    }
}
