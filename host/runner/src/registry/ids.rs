//! Where the ids are in a file of lines, so that putting an asset does not read all of them.
//!
//! Owns the files of the folder `ids` in the user's cache, one for each large file of lines. They can be deleted: then the
//! lines are read again. What must stay true: a line is looked at before it counts, so a wrong entry costs time.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use gephost_core::capsule::Capsule;
use gephost_core::digest::MAX_ASSET_BYTES;
use gephost_core::gene::Gene;
use serde::{Deserialize, Serialize};

use super::error::io;
use super::files::{AssetFile, CAPSULE_LINES, CAPSULES, GENE_LINES, GENES};
use super::grown::{Beginning, read_cached, write_cached};
use super::{Registry, RegistryError};
use crate::durable::{self, Line};
use crate::place::Place;
use crate::remembered::{IDS, keep_newest};

/// What a file has grown by before its new lines are put into the cache. Less is read each time.
const WORTH_KEEPING: u64 = 1 << 20;
/// The largest file of the cache that is read: 500 million ids.
const MAX_CACHED_BYTES: u64 = 8 << 30;
/// Most files in the cache: those of each assets folder, and of folders that are gone.
const MAX_FILES: usize = 256;
/// Bytes of an entry: the hash of an id, and the byte that its line begins with.
const ENTRY: usize = 16;

/// The ids of a file's whole lines, in their order.
#[derive(Debug, Default)]
struct Ids {
    /// The bytes of the file that these are of.
    bytes: u64,
    entries: Vec<(u64, u64)>,
}

/// What precedes the entries in the cache, as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    of: Beginning,
}

impl Registry {
    /// What `read` makes of the newest line of a file that states this id, and of which it makes something.
    pub(super) fn newest_line<T>(
        &self,
        file: &AssetFile,
        id: &str,
        read: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, RegistryError> {
        let path = self.folder.join(file.name);
        let Some(mut open) = durable::open_to_read(&path).map_err(io("open", &path))? else { return Ok(None) };
        let cached =
            self.cache.as_ref().map(|cache| cache.join(IDS).join(format!("{}-{}", self.cache_name(), file.name)));
        newest(&mut open, cached.as_ref(), id, read).map_err(io("read", &path))
    }

    /// How many genes and how many capsules can be read. Of one id, one counts.
    pub fn counts(&self) -> Result<(usize, usize), RegistryError> {
        let genes = self.count(&[GENES, GENE_LINES], |text| Some(Gene::from_json(text).ok()?.id))?;
        let capsules = self.count(&[CAPSULES, CAPSULE_LINES], |text| Some(Capsule::from_json(text).ok()?.id))?;
        Ok((genes, capsules))
    }

    fn count(&self, files: &[AssetFile], id: impl Fn(&[u8]) -> Option<String>) -> Result<usize, RegistryError> {
        let mut ids = BTreeSet::new();
        for file in files {
            self.each(file, &mut |text| ids.extend(id(text).map(|id| hash(&id))))?;
        }
        Ok(ids.len())
    }
}

fn newest<T>(
    file: &mut File,
    cached: Option<&Place>,
    id: &str,
    mut read: impl FnMut(&[u8]) -> Option<T>,
) -> io::Result<Option<T>> {
    // What cannot be read from the cache is read from the file.
    let mut ids = cached.and_then(|place| Ids::cached(place, file).ok().flatten()).unwrap_or_default();
    let known = ids.bytes;
    let torn = ids.read_on(file)?;
    if let Some(place) = cached.filter(|_| ids.bytes - known >= WORTH_KEEPING) {
        // What cannot be kept is read again.
        let _ = ids.keep(place, file).and_then(|()| keep_newest(&place.parent().parent(), IDS, MAX_FILES));
    }
    let wanted = hash(id);
    let own = ids.entries.iter().rev().filter(|(hash, _)| *hash == wanted).map(|(_, start)| *start);
    for start in torn.into_iter().chain(own) {
        let line = line_at(file, start)?;
        if id_of(&line).is_some_and(|stated| stated == id)
            && let Some(found) = read(&line)
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl Ids {
    fn cached(place: &Place, file: &File) -> io::Result<Option<Self>> {
        let Some(bytes) = read_cached(place, MAX_CACHED_BYTES)? else { return Ok(None) };
        let end = memchr::memchr(b'\n', &bytes).unwrap_or(bytes.len());
        let (header, entries) = bytes.split_at(end);
        let Ok(Header { of }) = serde_json::from_slice(header) else { return Ok(None) };
        if !of.is_of(file)? {
            return Ok(None);
        }
        let (pairs, _) = entries.get(1..).unwrap_or_default().as_chunks::<ENTRY>();
        let number = |half: &[u8]| half.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let entries = pairs.iter().map(|pair| {
            let (hash, start) = pair.split_at(ENTRY / 2);
            (number(hash), number(start))
        });
        Ok(Some(Self { bytes: of.bytes, entries: entries.collect() }))
    }

    fn keep(&self, place: &Place, file: &File) -> io::Result<()> {
        let header = Header { of: Beginning::of(file, self.bytes)? };
        let mut bytes = serde_json::to_vec(&header)?;
        bytes.push(b'\n');
        for (hash, start) in &self.entries {
            bytes.extend_from_slice(&hash.to_le_bytes());
            bytes.extend_from_slice(&start.to_le_bytes());
        }
        write_cached(place, &bytes)
    }

    /// Reads the lines that are not known yet. Returns where the last one begins, if it has no end.
    fn read_on(&mut self, file: &mut File) -> io::Result<Option<u64>> {
        let from = self.bytes;
        file.seek(SeekFrom::Start(from))?;
        let (mut torn, mut end) = (None, from);
        durable::lines_of(&mut *file, MAX_ASSET_BYTES, |at, line| {
            let start = from + at;
            match line {
                Line::Whole(text) => {
                    self.entries.extend(id_of(text).map(|id| (hash(&id), start)));
                    end = start + text.len() as u64 + 1;
                }
                Line::Torn(_) => torn = Some(start),
                // The next whole line says where it ends.
                Line::TooLong => {}
            }
        })?;
        self.bytes = end;
        Ok(torn)
    }
}

/// The line that begins at this byte, without its end. What is longer than an asset is cut.
fn line_at(file: &mut File, start: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut line = Vec::new();
    BufReader::new(file.take(MAX_ASSET_BYTES as u64 + 1)).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(line)
}

/// The id that a line states, if it is an object.
fn id_of(line: &[u8]) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        id: Cow<'a, str>,
    }
    // A list of one text would be read as a `Named` too.
    let named: Named<'_> = line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(line).ok())??;
    Some(named.id)
}

pub(super) fn hash(id: &str) -> u64 {
    blake3::hash(id.as_bytes()).as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::Write as _;

    use super::*;

    fn lines(from: usize, to: usize) -> String {
        (from..to).fold(String::new(), |mut text, number| {
            writeln!(text, r#"{{"n":{number},"id":"id_{number}","x":"{}"}}"#, "y".repeat(200)).unwrap();
            text
        })
    }

    struct Case {
        folder: tempfile::TempDir,
        file: File,
    }

    impl Case {
        fn of(text: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("lines");
            std::fs::write(&path, text).unwrap();
            let file = File::options().read(true).append(true).open(path).unwrap();
            Self { folder, file }
        }

        fn place(&self) -> Place {
            Place::own(self.folder.path()).join("ids/x")
        }

        /// The number in the line with this id, which is the same with and without the cache.
        fn find(&mut self, id: &str) -> Option<u64> {
            let place = self.place();
            let whole = |line: &[u8]| Some(line.to_vec());
            let found = newest(&mut self.file, Some(&place), id, whole).unwrap();
            assert_eq!(newest(&mut self.file, None, id, whole).unwrap(), found, "{id}");
            let read: serde_json::Value = serde_json::from_slice(&found?).unwrap();
            read["n"].as_u64()
        }

        fn append(&mut self, text: &str) {
            self.file.write_all(text.as_bytes()).unwrap();
        }
    }

    #[test]
    fn the_newest_line_counts_however_the_file_grew() {
        let mut case = Case::of(&lines(0, 6000));
        assert!(!case.place().exists().unwrap());
        for id in [0, 17, 5999] {
            assert_eq!(case.find(&format!("id_{id}")), Some(id));
        }
        assert!(case.place().exists().unwrap(), "more than a MiB was read");
        assert_eq!(case.find("id_6000"), None);
        case.append(&lines(6000, 6010));
        case.append("{\"id\":\"id_17\",\"n\":1700}\n");
        assert_eq!((case.find("id_6009"), case.find("id_17")), (Some(6009), Some(1700)));
        case.append(&lines(6010, 12_000));
        assert_eq!((case.find("id_11999"), case.find("id_17")), (Some(11_999), Some(1700)));
        // A line without an end, and what it becomes.
        case.append("{\"id\":\"id_5\",\"n\":50");
        assert_eq!(case.find("id_5"), Some(5));
        case.append("}");
        assert_eq!(case.find("id_5"), Some(50));
        case.append("\n");
        assert_eq!(case.find("id_5"), Some(50));
    }

    #[test]
    fn what_is_no_line_with_an_id_is_passed_over() {
        let long = format!("{{\"id\":\"long\",\"x\":\"{}\"}}", "x".repeat(MAX_ASSET_BYTES));
        let mut case =
            Case::of(&format!("{long}\n\n[\"id_1\"]\n{{\"id\":7}}\nx\n{{\"id\":\"a\",\"id\":\"a\"}}\n \\xff\n"));
        case.append(&lines(1, 3));
        case.append("  {\"n\":9,\"id\":\"\\u0069d_\\u0039\"}\n");
        assert_eq!(
            (case.find("long"), case.find("a"), case.find("id_1"), case.find("id_9")),
            (None, None, Some(1), Some(9))
        );
    }

    #[test]
    fn another_file_in_its_place_is_read_anew_and_damage_is_no_danger() {
        let mut case = Case::of(&lines(0, 6000));
        assert_eq!(case.find("id_5"), Some(5));
        let stored = case.place();
        let whole = std::fs::read(stored.path()).unwrap();
        for damage in [Vec::new(), whole[..40].to_vec(), [&whole[..], b"x"].concat()] {
            std::fs::write(stored.path(), damage).unwrap();
            assert_eq!(case.find("id_5999"), Some(5999));
        }
        case.file.set_len(0).unwrap();
        case.append(&lines(100, 9000));
        assert_eq!((case.find("id_5"), case.find("id_8999")), (None, Some(8999)));
    }
}
