//! The directory of the cache and its key. Both must belong to this user alone, because whoever can write there decides
//! what this host executes. Otherwise they are refused, with the reason.

use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags, Stat, fstat};

use crate::durable::put_new;
use crate::place::Place;

/// Bytes of the key.
pub(super) const KEY_BYTES: usize = 32;
/// Mode bits with which other users may change the entries of a directory.
const OTHERS_WRITE: u32 = 0o022;
/// Mode bits that give other users any right.
const OTHERS: u32 = 0o077;

/// Opens the folder of the entries, which must not be a link: it lies in the user's cache folder. A missing one is created
/// with mode 0700.
pub(super) fn entries(path: &Path) -> io::Result<Place> {
    let place = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Place::own(parent).join(name),
        _ => Place::own(path),
    };
    folder(place)
}

/// Opens the folder of the key, which the user names, and which may be a link. A missing one is created with mode 0700.
pub(super) fn key_folder(path: &Path) -> io::Result<Place> {
    folder(Place::own(path))
}

fn folder(folder: Place) -> io::Result<Place> {
    folder.create()?;
    owned(&folder, &folder.stat()?, OTHERS_WRITE, "go-w")?;
    Ok(folder)
}

/// Reads the key, or creates one.
pub(super) fn key(place: &Place) -> io::Result<[u8; KEY_BYTES]> {
    if let Some(key) = read_key(place)? {
        return Ok(key);
    }
    let mut key = [0; KEY_BYTES];
    rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())?;
    // If another process creates a key first, that key is used.
    put_new(place, &key)?;
    read_key(place)?.ok_or_else(|| io::Error::other("the key was removed"))
}

fn read_key(place: &Place) -> io::Result<Option<[u8; KEY_BYTES]>> {
    let file = match place.open(OFlags::RDONLY, Mode::empty()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io::Error::new(error.kind(), format!("{}: {error}", place.display()))),
    };
    owned(place, &fstat(&file)?, OTHERS, "go-rwx")?;
    let mut bytes = Vec::new();
    file.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    <[u8; KEY_BYTES]>::try_from(bytes)
        .map(Some)
        .map_err(|_| io::Error::other(format!("{} is not a key: delete it", place.display())))
}

fn owned(place: &Place, found: &Stat, refused: u32, remedy: &str) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    let shown = place.display();
    if found.st_uid != user {
        return Err(io::Error::other(format!("{shown} belongs to user {}, and this is user {user}", found.st_uid)));
    }
    if found.st_mode & refused != 0 {
        let mode = found.st_mode & 0o777;
        return Err(io::Error::other(format!("{shown} is open to others (mode {mode:03o}): chmod {remedy} {shown}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{DirBuilderExt as _, symlink};

    use super::*;

    #[test]
    fn the_folder_of_the_entries_is_no_link_and_that_of_the_key_may_be_one() {
        let outer = tempfile::tempdir().unwrap();
        let (elsewhere, link) = (outer.path().join("elsewhere"), outer.path().join("link"));
        fs::DirBuilder::new().mode(0o700).create(&elsewhere).unwrap();
        symlink(&elsewhere, &link).unwrap();
        let refused = entries(&link).unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        let opened = key_folder(&link).unwrap();
        let made = key(&opened.join("key")).unwrap();
        assert_eq!(key(&key_folder(&elsewhere).unwrap().join("key")).unwrap(), made);
        // A folder of its own is made, and found again.
        let own = outer.path().join("own");
        entries(&own).unwrap().join("entry").write(b"code").unwrap();
        assert_eq!(entries(&own).unwrap().join("entry").read(9).unwrap().as_deref(), Some(b"code".as_slice()));
        // A link in its place later is followed no more.
        fs::remove_dir_all(&own).unwrap();
        symlink(&elsewhere, &own).unwrap();
        assert!(entries(&own).is_err());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "the key alone");
    }
}
