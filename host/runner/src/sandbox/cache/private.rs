//! The directory of the cache and its key. Both must belong to this user alone, because whoever can write there decides
//! what this host executes. Otherwise they are refused, with the reason.

#![expect(clippy::disallowed_methods, reason = "the folder of the cache is made and checked here")]

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// Bytes of the key.
pub(super) const KEY_BYTES: usize = 32;
/// Mode bits with which other users may change the entries of a directory.
const OTHERS_WRITE: u32 = 0o022;
/// Mode bits that give other users any right.
const OTHERS: u32 = 0o077;

/// Creates the directory with mode 0700, or checks the existing one.
pub(super) fn directory(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    owned(path, &fs::metadata(path)?, OTHERS_WRITE, "go-w")
}

/// Reads the key, or creates one.
pub(super) fn key(path: &Path) -> io::Result<[u8; KEY_BYTES]> {
    if let Some(key) = read_key(path)? {
        return Ok(key);
    }
    let mut key = [0; KEY_BYTES];
    rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())?;
    let directory = path.parent().unwrap_or(Path::new("."));
    // A temporary file has mode 0600.
    let mut file = tempfile::Builder::new().prefix(".key-").tempfile_in(directory)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(key),
        // Another process created a key first, so that key is used.
        Err(_) => read_key(path)?.ok_or_else(|| io::Error::other("the key file has the wrong length")),
    }
}

fn read_key(path: &Path) -> io::Result<Option<[u8; KEY_BYTES]>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    owned(path, &file.metadata()?, OTHERS, "go-rwx")?;
    let mut bytes = Vec::new();
    file.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    <[u8; KEY_BYTES]>::try_from(bytes)
        .map(Some)
        .map_err(|_| io::Error::other(format!("{} is not a key: delete it", path.display())))
}

fn owned(path: &Path, found: &fs::Metadata, refused: u32, remedy: &str) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    let shown = path.display();
    if found.uid() != user {
        return Err(io::Error::other(format!("{shown} belongs to user {}, and this is user {user}", found.uid())));
    }
    if found.mode() & refused != 0 {
        let mode = found.mode() & 0o777;
        return Err(io::Error::other(format!("{shown} is open to others (mode {mode:03o}): chmod {remedy} {shown}")));
    }
    Ok(())
}
