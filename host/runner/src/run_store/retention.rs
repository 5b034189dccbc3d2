//! How long events are kept.

use std::io;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Serialize;

use super::{RunStore, RunStoreError, list};
use crate::durable;
use crate::place::Place;

/// A file of events that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Removed {
    /// Its session's folder.
    pub session: String,
    /// Its day, as `YYYYMMDD`.
    pub day: String,
    /// How long it was.
    pub bytes: u64,
}

/// The first day that is kept, as `YYYYMMDD`, where `days` days are: today and those before it.
pub fn first_day(now: Timestamp, days: u32) -> String {
    let back = SignedDuration::from_hours(24 * (i64::from(days.max(1)) - 1));
    let first = now.checked_sub(back).unwrap_or(Timestamp::MIN);
    first.to_zoned(TimeZone::UTC).strftime("%Y%m%d").to_string()
}

impl RunStore {
    /// Removes the files of days before `first` (`YYYYMMDD`) and the folders of sessions that are empty then. A file
    /// whose name is no day stays, whatever it is, and so does what a link points to. Returns what was removed, sorted.
    pub fn remove_before(&self, first: &str) -> Result<Vec<Removed>, RunStoreError> {
        let mut removed = Vec::new();
        for session in list(self.root(), FileType::is_dir)? {
            let before = removed.len();
            for file in list(&session, FileType::is_file)? {
                if let Some(day) = day_of(&file).filter(|day| *day < first) {
                    let bytes = remove(&file).map_err(RunStoreError::at(&file))?;
                    removed.push(Removed { session: name(&session), day: day.to_owned(), bytes });
                }
            }
            if removed.len() > before {
                remove_if_empty(&session).map_err(RunStoreError::at(&session))?;
            }
        }
        removed.sort_by(|a, b| (&a.session, &a.day).cmp(&(&b.session, &b.day)));
        Ok(removed)
    }
}

/// The day that a file of the store is named after.
fn day_of(file: &Place) -> Option<&str> {
    let day = file.name().to_str()?.strip_suffix(".jsonl")?;
    (day.len() == 8 && day.bytes().all(|byte| byte.is_ascii_digit())).then_some(day)
}

fn remove(file: &Place) -> io::Result<u64> {
    let bytes = file.stat()?.st_size;
    durable::remove(file)?;
    Ok(u64::try_from(bytes).unwrap_or_default())
}

fn remove_if_empty(session: &Place) -> io::Result<()> {
    let above = session.parent();
    match above.folder()?.remove_dir(session.name()) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => durable::sync_folder(session),
        Err(error) => Err(error),
        Ok(()) => durable::sync_folder(&above),
    }
}

fn name(session: &Place) -> String {
    session.name().to_string_lossy().into_owned()
}
