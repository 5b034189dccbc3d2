//! Files that survive a crash: locked appends and atomic replacement; and reading line by line in bounded memory.
//!
//! Owns the ways in which stores touch their files, each given as a [`Place`]. What must stay true: a link or a pipe that
//! somebody left in a file's place is refused, never followed or waited for; when a write returns, it is on disk.
//! Whoever appends holds the file's own lock until the file is dropped, so there are no lock files to be left behind.

mod lines;

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags, openat};

use crate::place::Place;
pub(crate) use lines::{Line, lines_of, read_lines, read_lines_at};

/// Random bytes in the name of a temporary file.
const NAME_BYTES: usize = 8;

/// Who may read what is created; the umask takes more away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// The user alone: logs of what an agent did.
    Private,
    /// As any file that the user makes: assets, which other tools read.
    Shared,
}

impl Access {
    fn file_mode(self) -> Mode {
        Mode::from_raw_mode(match self {
            Self::Private => 0o600,
            Self::Shared => 0o666,
        })
    }

    fn folder_mode(self) -> u32 {
        match self {
            Self::Private => 0o700,
            Self::Shared => 0o777,
        }
    }
}

impl Place {
    /// Makes the folder, for this user alone, and those above it.
    pub fn create(&self) -> io::Result<()> {
        create_folder(self, Access::Private)
    }

    /// The whole content of a file of at most `limit` bytes; `None` if there is none.
    pub fn read(&self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = open_to_read(self)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::other(format!("it has more than {limit} bytes")));
        }
        Ok(Some(bytes))
    }

    /// Writes a new file, as any file that the user makes. An error if anything has its name. When this returns, it is on
    /// disk.
    pub fn create_new(&self, content: &[u8]) -> io::Result<()> {
        self.create_new_from(&mut { content })
    }

    /// The same, with content that is read piece by piece.
    pub(crate) fn create_new_from(&self, content: &mut dyn Read) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mut file = self.open(flags, Access::Shared.file_mode())?;
        io::copy(content, &mut file)?;
        file.sync_all()?;
        sync_folder(&self.parent())
    }

    /// Removes a file, and says whether there was one. A link is removed itself.
    pub fn remove(&self) -> io::Result<bool> {
        remove(self)
    }

    /// Puts a file of the project in its place, whole and on disk. The permissions of a file that is there are kept.
    pub fn replace(&self, content: &[u8]) -> io::Result<()> {
        replace(self, content, Access::Shared)
    }

    /// Puts a file in its place, whole, for this user alone. Does not wait for the disk.
    pub fn write(&self, content: &[u8]) -> io::Result<()> {
        put(self, content)
    }
}

/// Makes a folder and those above it. Afterwards each one that was made is on disk.
pub(crate) fn create_folder(folder: &Place, access: Access) -> io::Result<()> {
    folder.create_folder(access.folder_mode())
}

/// Opens a file for reading and appending, makes it if it is missing, and waits for its lock.
pub(crate) fn open_to_append(place: &Place, access: Access) -> io::Result<File> {
    let file = place.open(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE, access.file_mode())?;
    file.lock()?;
    Ok(file)
}

/// Whether [`open_to_append`] would open the file that is there, if any. Makes nothing.
pub(crate) fn check_append(place: &Place) -> io::Result<()> {
    match place.open(OFlags::RDWR | OFlags::APPEND, Mode::empty()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens a file for reading; `None` if there is none.
pub(crate) fn open_to_read(place: &Place) -> io::Result<Option<File>> {
    match place.open(OFlags::RDONLY, Mode::empty()) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The whole text of a file of at most `limit` bytes; `None` if there is none.
pub(crate) fn read_text(place: &Place, limit: u64) -> io::Result<Option<String>> {
    let Some(file) = open_to_read(place)? else { return Ok(None) };
    let mut text = String::new();
    file.take(limit.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(text.len()).is_ok_and(|length| length > limit) {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    Ok(Some(text))
}

/// Takes the last `bytes` off a file of [`open_to_append`].
pub(crate) fn cut_end(file: &File, bytes: usize) -> io::Result<()> {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    file.set_len(file.metadata()?.len().saturating_sub(bytes))
}

/// Appends whole lines, each with its end, to a file of [`open_to_append`]. A last line that a crash cut, or that
/// another tool left without an end, is ended first: it stays as it is. A crash in between leaves a torn last line.
pub(crate) fn append(file: &mut File, place: &Place, lines: &[u8]) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != [b'\n'] {
        file.write_all(b"\n")?;
    }
    file.write_all(lines)?;
    file.sync_all()?;
    if length == 0 { sync_folder(&place.parent()) } else { Ok(()) }
}

/// Replaces a file's whole content. After a crash it has the old content or the new, never a part of one. The
/// permissions of a file that is there are kept.
pub(crate) fn replace(place: &Place, content: &[u8], access: Access) -> io::Result<()> {
    replace_with(place, access, |to| to.write_all(content))
}

/// The same, with content that is written piece by piece.
pub(crate) fn replace_with(
    place: &Place,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let earlier = open_to_read(place)?.map(|file| file.metadata()).transpose()?.map(|metadata| metadata.permissions());
    let folder = place.parent().folder()?;
    let temporary = Temporary::new(&folder, ".gephost-", access)?;
    let mut buffered = BufWriter::new(&temporary.file);
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    if let Some(permissions) = earlier {
        temporary.file.set_permissions(permissions)?;
    }
    temporary.file.sync_all()?;
    temporary.put(place)?;
    Ok(rustix::fs::fsync(&folder)?)
}

/// Replaces some bytes of a file that is open, in its place: the rest is copied as it is. `range` may end behind the file's end.
/// A file that somebody else writes to meanwhile stays as it is, and that is an error.
pub(crate) fn splice(
    place: &Place,
    file: &mut File,
    range: Range<u64>,
    content: &[u8],
    access: Access,
) -> io::Result<()> {
    let state = |file: &File| {
        let found = file.metadata()?;
        io::Result::Ok((found.len(), found.modified()?))
    };
    let before = state(file)?;
    replace_with(place, access, |to| {
        let mut to = BufWriter::with_capacity(1 << 18, to);
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut Read::by_ref(file).take(range.start), &mut to)?;
        to.write_all(content)?;
        file.seek(SeekFrom::Start(range.end.min(before.0)))?;
        io::copy(file, &mut to)?;
        to.flush()?;
        if state(file)? == before { Ok(()) } else { Err(io::Error::other("another program writes to it: try again")) }
    })
}

/// Puts a file in its place, whole: for every other process it has its whole content or is not there. Does not wait for
/// the disk.
pub(crate) fn put(place: &Place, content: &[u8]) -> io::Result<()> {
    let folder = place.parent().folder()?;
    let temporary = Temporary::new(&folder, ".writing-", Access::Private)?;
    (&temporary.file).write_all(content)?;
    temporary.put(place)
}

/// Puts a new file in its place, whole and on disk, for this user alone. One that is there already stays.
pub(crate) fn put_new(place: &Place, content: &[u8]) -> io::Result<()> {
    let folder = place.parent().folder()?;
    let temporary = Temporary::new(&folder, ".gephost-", Access::Private)?;
    (&temporary.file).write_all(content)?;
    temporary.file.sync_all()?;
    let Some(name) = &temporary.name else { return Ok(()) };
    match folder.hard_link(name, &folder, place.name()) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result.and_then(|()| Ok(rustix::fs::fsync(&folder)?)),
    }
}

/// A file that gets its name when it is whole, and is removed otherwise.
struct Temporary<'a> {
    folder: &'a Dir,
    name: Option<String>,
    file: File,
}

impl<'a> Temporary<'a> {
    fn new(folder: &'a Dir, prefix: &str, access: Access) -> io::Result<Self> {
        let mut random = [0; NAME_BYTES];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        let name = format!("{prefix}{:016x}", u64::from_ne_bytes(random));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(folder, name.as_str(), flags, access.file_mode())?);
        Ok(Self { folder, name: Some(name), file })
    }

    fn put(mut self, place: &Place) -> io::Result<()> {
        let Some(name) = &self.name else { return Ok(()) };
        self.folder.rename(name, self.folder, place.name())?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // What cannot be removed now is in nobody's way: no reader knows its name.
            let _ = self.folder.remove_file(name);
        }
    }
}

/// Removes a file, and says whether there was one. A link is removed itself.
pub(crate) fn remove(place: &Place) -> io::Result<bool> {
    let folder = match place.parent().folder() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        folder => folder?,
    };
    match folder.remove_file(place.name()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Afterwards what a folder lists is on disk.
pub(crate) fn sync_folder(folder: &Place) -> io::Result<()> {
    Ok(rustix::fs::fsync(folder.folder()?)?)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;

    #[test]
    fn an_append_ends_the_line_that_a_crash_cut() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::own(folder.path()).join("log");
        fs::write(place.path(), "one\ntw").unwrap();
        append(&mut open_to_append(&place, Access::Private).unwrap(), &place, b"three\n").unwrap();
        assert_eq!(fs::read_to_string(place.path()).unwrap(), "one\ntw\nthree\n");
    }

    #[test]
    fn a_text_has_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::own(folder.path()).join("a");
        assert_eq!(read_text(&place, 3).unwrap(), None);
        fs::write(place.path(), "abc").unwrap();
        assert_eq!(read_text(&place, 3).unwrap().as_deref(), Some("abc"));
        assert!(read_text(&place, 2).unwrap_err().to_string().contains("more than 2 bytes"));
    }

    #[test]
    fn links_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "mine").unwrap();
        symlink(&target, &link).unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        let root = Place::own(folder.path());
        let link = root.join("link");
        let refused = open_to_append(&link, Access::Private).unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        assert!(open_to_read(&link).is_err());
        assert!(replace(&link, b"theirs", Access::Shared).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
        assert!(open_to_read(&root.join("folder")).unwrap_err().to_string().contains("not a regular file"));
    }

    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let pipe = Place::own(folder.path()).join("pipe");
        assert!(open_to_read(&pipe).is_err());
        assert!(open_to_append(&pipe, Access::Private).is_err());
    }

    #[test]
    fn a_replacement_keeps_the_permissions_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let place = Place::own(folder.path()).join("a");
        replace(&place, b"one", Access::Private).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        replace(&place, b"two", Access::Private).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap().as_slice()), (0o640, b"two".as_slice()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_is_made_with_those_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = Place::own(folder.path());
        let deep = root.join("a/b/c");
        create_folder(&deep, Access::Private).unwrap();
        create_folder(&deep, Access::Private).unwrap();
        assert_eq!(fs::metadata(deep.path()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(create_folder(&root.join("file/x"), Access::Private).is_err());
    }
}
