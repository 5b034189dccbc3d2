//! Portable archives of assets (`.gepx`): a gzip tar with `manifest.json`, the files of an assets folder in a folder for each
//! kind, and `checksum.sha256` (section 9 of the protocol's specification).
//!
//! Owns no file: an archive is written to what it is given and read from what it is given. What must stay true: the files in an
//! archive have the bytes that they have in the folder; and nothing of an archive is used before the checksums of all of it
//! were compared. Entries that are not plain files, and names that are not those of [`FILES`], are refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Error, Read, Seek, SeekFrom, Write, copy, sink};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use gephost_core::digest::hex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::{RegistryError, io};
use super::files::{AssetFile, EVENT_LINES, FILES, Stored};
use super::walk::walk;
use crate::durable::{self, Access};
use crate::place::Place;

const MANIFEST: &str = "manifest.json";
const CHECKSUMS: &str = "checksum.sha256";

/// Most bytes of an archive's content, unpacked.
const MAX_ARCHIVE_BYTES: u64 = 4 << 30;

/// Most bytes of the manifest and of the list of checksums.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Not a gzip tar, or cut off.
    #[error("it is not a whole gzip tar archive: {0}")]
    Damaged(#[from] Error),
    /// An entry that an archive of assets does not have.
    #[error("its entry {0:?} {1}")]
    Entry(String, &'static str),
    /// More than [`MAX_ARCHIVE_BYTES`].
    #[error("its content has more than {MAX_ARCHIVE_BYTES} bytes")]
    TooLarge,
    /// Without them nothing in it can be believed.
    #[error("it has no {CHECKSUMS}")]
    NoChecksums,
    /// A file that was changed.
    #[error("its file {0} does not have the checksum that the archive states")]
    Checksum(String),
    /// A file that cannot be read as what it is.
    #[error("its file {name}: {reason}")]
    File {
        /// Which.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// Writes an archive of all files that are there. `manifest` is its manifest.
pub(super) fn export(folder: &Place, manifest: &Value, output: impl Write) -> Result<(), RegistryError> {
    let failed = |source| RegistryError::Io { doing: "write", path: "the archive".to_owned(), source };
    // Whoever puts or appends waits, so the files belong together.
    let lock = folder.join(EVENT_LINES.name);
    let _lock = match durable::open_to_read(&lock).map_err(io("open", &lock))? {
        Some(_) => Some(durable::open_to_append(&lock, Access::Shared).map_err(io("lock", &lock))?),
        None => None,
    };
    let mut archive = tar::Builder::new(GzEncoder::new(output, Compression::default()));
    let manifest = format!("{manifest:#}\n");
    let mut sums = format!("{}  {MANIFEST}\n", hex(&Sha256::digest(manifest.as_bytes())));
    put(&mut archive, MANIFEST, manifest.len() as u64, manifest.as_bytes()).map_err(failed)?;
    for file in FILES {
        let path = folder.join(file.name);
        let Some(open) = durable::open_to_read(&path).map_err(io("open", &path))? else { continue };
        let length = open.metadata().map_err(io("read", &path))?.len();
        let name = format!("{}/{}", file.section, file.name);
        let mut hashed = Hashed { reader: open.take(length), hash: Sha256::new() };
        put(&mut archive, &name, length, &mut hashed).map_err(failed)?;
        let _ = writeln!(sums, "{}  {name}", hex(&hashed.hash.finalize()));
    }
    put(&mut archive, CHECKSUMS, sums.len() as u64, sums.as_bytes()).map_err(failed)?;
    let written = archive.into_inner().and_then(GzEncoder::finish).and_then(|mut output| output.flush());
    written.map_err(failed)
}

/// Why an archive cannot be put in place.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The folder.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// Adds a file. Its times and owners are left out, so that equal folders give equal archives.
fn put(archive: &mut tar::Builder<impl Write>, name: &str, length: u64, content: impl Read) -> std::io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o644);
    archive.append_data(&mut header, name, content)
}

/// A reader of which the hash is taken.
struct Hashed<R> {
    reader: R,
    hash: Sha256,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.hash.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// An archive whose checksums were compared.
#[derive(Debug)]
pub struct Archive {
    file: File,
    /// The manifest; null if there is none.
    pub manifest: Value,
}

impl Archive {
    /// Reads the whole archive once and compares all checksums.
    pub fn open(mut file: File) -> Result<Self, ArchiveError> {
        let (mut found, mut stated, mut manifest) = (BTreeMap::new(), None, Value::Null);
        each_entry(&mut file, &mut |name, content| {
            if name == CHECKSUMS {
                stated = Some(text_of(name, content)?);
                return Ok(());
            }
            if name != MANIFEST && file_named(name).is_none() {
                return Err(ArchiveError::Entry(name.to_owned(), "is not a file of assets"));
            }
            let mut hashed = Hashed { reader: content, hash: Sha256::new() };
            if name == MANIFEST {
                manifest = serde_json::from_str(&text_of(name, &mut hashed)?).unwrap_or_default();
            }
            copy(&mut hashed, &mut sink())?;
            if found.insert(name.to_owned(), hex(&hashed.hash.finalize())).is_some() {
                return Err(ArchiveError::Entry(name.to_owned(), "is there twice"));
            }
            Ok(())
        })?;
        let stated = stated.ok_or(ArchiveError::NoChecksums)?;
        // As sha256sum writes them: the digest, white space, an asterisk for binary files, the name.
        let stated: BTreeMap<&str, &str> = stated
            .lines()
            .filter_map(|line| line.split_once(char::is_whitespace))
            .map(|(sum, name)| (name.trim_start().trim_start_matches('*').trim_start_matches("./"), sum))
            .collect();
        match found.iter().find(|(name, sum)| stated.get(name.as_str()) != Some(&sum.as_str())) {
            Some((name, _)) => Err(ArchiveError::Checksum(name.clone())),
            None => Ok(Self { file, manifest }),
        }
    }

    /// Hands over everything that stands in its files.
    pub fn visit(&mut self, each: &mut dyn FnMut(&'static AssetFile, Stored<'_>)) -> Result<(), ArchiveError> {
        self.each_file(&mut |file, content| {
            walk(file.form, content, &mut |stored| each(file, stored))
                .map_err(|error| ArchiveError::File { name: file.name, reason: error.to_string() })
        })
    }

    /// Writes its files into a folder, as they are.
    pub(super) fn restore(&mut self, folder: &Place) -> Result<u64, ArchiveError> {
        let mut files = 0;
        self.each_file(&mut |file, content| {
            folder.join(file.name).create_new_from(content)?;
            files += 1;
            Ok(())
        })?;
        Ok(files)
    }

    fn each_file(
        &mut self,
        each: &mut dyn FnMut(&'static AssetFile, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        each_entry(&mut self.file, &mut |name, content| match file_named(name) {
            Some(file) => each(file, content),
            None => Ok(()),
        })
    }
}

fn file_named(name: &str) -> Option<&'static AssetFile> {
    let (section, name) = name.split_once('/')?;
    FILES.iter().find(|file| file.section == section && file.name == name)
}

/// Reads the entries from the beginning. A folder around all of them is left out of the names.
fn each_entry(
    file: &mut File,
    each: &mut dyn FnMut(&str, &mut dyn Read) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    file.seek(SeekFrom::Start(0))?;
    let mut left = MAX_ARCHIVE_BYTES;
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            tar::EntryType::Directory => continue,
            tar::EntryType::Regular => {}
            _ => return Err(ArchiveError::Entry(path, "is not a plain file")),
        }
        left = left.checked_sub(entry.size()).ok_or(ArchiveError::TooLarge)?;
        let path = path.strip_prefix("./").unwrap_or(&path);
        let name = match path.split_once('/') {
            Some((folder, rest)) if Path::new(folder).extension().is_some_and(|extension| extension == "gepx") => rest,
            _ => path,
        };
        each(name, &mut entry)?;
    }
    Ok(())
}

fn text_of(name: &str, content: &mut dyn Read) -> Result<String, ArchiveError> {
    let mut text = String::new();
    content.take(MAX_TEXT_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(ArchiveError::Entry(name.to_owned(), "has more than 1 MiB"));
    }
    Ok(text)
}
