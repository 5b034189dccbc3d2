//! The files of a checkout that a landing changes: each is exchanged whole, and only where it is what it should be.
//!
//! Owns the writes into the checkout. Every step is taken from an open folder, by one name, following no link. A new
//! content is written beside its file under the operation's mark, synced, and takes the file's place in one step that
//! gives back what stood there; where that is not what was expected, as when somebody saved meanwhile, it is put back.
//! So nothing that a person wrote is lost, whenever it was written.

#![expect(
    clippy::disallowed_methods,
    reason = "the folder of the checkout is opened here, and everything else below its handle"
)]

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use git2::{Odb, Oid};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, Stat, fchmod, fsync, mkdirat, openat, readlinkat, renameat,
    renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::super::Mark;
use super::super::difference::Leaf;
use super::super::tree_object::{EntryKind, TreeEntry};

/// A folder that holds one of the files, open, and the file's name in it.
pub(super) struct Place<'a> {
    folder: OwnedFd,
    name: &'a [u8],
    /// What a new content is called before it takes the place, and an old one after.
    marked: Vec<u8>,
}

/// What a file should be, with its bytes: the content, or the target of a link.
#[derive(Debug)]
pub(super) struct Content {
    kind: EntryKind,
    bytes: Vec<u8>,
}

/// What stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// Exactly that file, or nothing where nothing should.
    AsExpected,
    Nothing,
    /// Something else.
    Other,
}

/// The checkout.
pub(super) struct Checkout<'a> {
    root: OwnedFd,
    mark: &'a Mark,
    /// Whether the file system keeps whether a file is executable (`core.fileMode`).
    keeps_modes: bool,
}

impl Content {
    /// Reads what a leaf of a tree names; nothing where there is none. Only files and links are contents.
    pub(super) fn read(odb: &Odb<'_>, leaf: Option<Leaf>) -> Result<Option<Self>, git2::Error> {
        let Some((mode, id)) = leaf else { return Ok(None) };
        Ok(Some(Self { kind: kind_of(mode, id), bytes: odb.read(id)?.data().to_vec() }))
    }

    pub(super) fn kind(&self) -> EntryKind {
        self.kind
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn kind_of(mode: u32, id: Oid) -> EntryKind {
    TreeEntry { mode, name: Vec::new(), id }.kind()
}

impl<'a> Checkout<'a> {
    pub(super) fn open(root: &Path, mark: &'a Mark, keeps_modes: bool) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { root: rustix::fs::open(root, flags, Mode::empty())?, mark, keeps_modes })
    }

    /// The place of a path; `None` where a folder on the way is not there. `NOTDIR` and `LOOP` where something else is.
    pub(super) fn place<'p>(&self, path: &'p [u8]) -> io::Result<Option<Place<'p>>> {
        match self.reach(path, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            reached => reached.map(Some),
        }
    }

    fn reach<'p>(&self, path: &'p [u8], make: bool) -> io::Result<Place<'p>> {
        let mut folder = self.start()?;
        for above in above(path) {
            folder = step(&folder, checked(above)?, make)?;
        }
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        Ok(Place { folder, name: checked(name)?, marked: self.mark.file_name(path).into_bytes() })
    }

    fn start(&self) -> io::Result<OwnedFd> {
        Ok(openat(&self.root, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Whether a folder on the way to the path is another repository's checkout.
    pub(super) fn is_in_another_repository(&self, path: &[u8]) -> io::Result<bool> {
        let mut folder = self.start()?;
        for above in above(path) {
            folder = match step(&folder, checked(above)?, false) {
                Err(error) if error.kind() == io::ErrorKind::NotFound || is_no_folder(&error) => return Ok(false),
                opened => opened?,
            };
            if stat(&folder, b".git")?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What stands at a path, compared with what should.
    pub(super) fn stands(&self, path: &[u8], expected: Option<&Content>) -> io::Result<Stands> {
        let place = match self.place(path) {
            Ok(Some(place)) => place,
            Ok(None) => return Ok(if expected.is_none() { Stands::AsExpected } else { Stands::Nothing }),
            // A file or a link in a folder's place.
            Err(error) if is_no_folder(&error) => return Ok(Stands::Other),
            Err(error) => return Err(error),
        };
        place.stands(place.name, expected, self.keeps_modes)
    }

    /// What the system says of the file at a path, for the index.
    pub(super) fn stat(&self, path: &[u8]) -> io::Result<Option<Stat>> {
        match self.place(path)? {
            Some(place) => stat(&place.folder, place.name),
            None => Ok(None),
        }
    }

    /// Puts `wanted` where `expected` is. [`Exchange::Refused`] where something else is: that stays.
    pub(super) fn exchange(
        &self,
        path: &[u8],
        expected: Option<&Content>,
        wanted: Option<&Content>,
    ) -> io::Result<Exchange> {
        let place = match self.reach(path, wanted.is_some()) {
            Err(error) if is_no_folder(&error) => return Ok(Exchange::Refused),
            // Nothing is to be removed, or something that is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound && wanted.is_none() => {
                return Ok(if expected.is_none() { Exchange::Done } else { Exchange::Refused });
            }
            reached => reached?,
        };
        let done = place.exchange(expected, wanted, self.keeps_modes)?;
        fsync(&place.folder)?;
        if wanted.is_none() && done == Exchange::Done {
            self.remove_empty_above(path)?;
        }
        Ok(done)
    }

    /// Cleans away what a killed [`Checkout::exchange`] left beside a path. What it took out of the place of another
    /// content than either is somebody's work, and is put back.
    pub(super) fn recover(&self, path: &[u8], known: [Option<&Content>; 2]) -> io::Result<()> {
        let place = match self.place(path) {
            Ok(Some(place)) => place,
            Ok(None) => return Ok(()),
            Err(error) if is_no_folder(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        remove(&place.folder, &half(&place.marked))?;
        if stat(&place.folder, &place.marked)?.is_none() {
            return Ok(());
        }
        for content in known.into_iter().flatten() {
            if place.stands(&place.marked, Some(content), self.keeps_modes)? == Stands::AsExpected {
                return remove(&place.folder, &place.marked);
            }
        }
        renameat(&place.folder, place.marked.as_slice(), &place.folder, place.name)?;
        Ok(fsync(&place.folder)?)
    }

    /// Removes the folders above a removed file that are empty now, as git does.
    fn remove_empty_above(&self, path: &[u8]) -> io::Result<()> {
        let mut path = path;
        while let Some(at) = path.iter().rposition(|&byte| byte == b'/') {
            path = path.get(..at).unwrap_or_default();
            let Some(place) = self.place(path)? else { continue };
            match unlinkat(&place.folder, place.name, AtFlags::REMOVEDIR) {
                Ok(()) => fsync(&place.folder)?,
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }
}

/// Whether a place was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exchange {
    /// It holds what was wanted.
    Done,
    /// Something else than expected stood there, and still does.
    Refused,
}

impl Place<'_> {
    fn stands(&self, name: &[u8], expected: Option<&Content>, keeps_modes: bool) -> io::Result<Stands> {
        let Some(found) = stat(&self.folder, name)? else {
            return Ok(if expected.is_none() { Stands::AsExpected } else { Stands::Nothing });
        };
        let Some(expected) = expected else { return Ok(Stands::Other) };
        let same = match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink if expected.kind == EntryKind::Symlink => {
                readlinkat(&self.folder, name, Vec::new())?.as_bytes() == expected.bytes
            }
            FileType::RegularFile if matches!(expected.kind, EntryKind::Regular | EntryKind::Executable) => {
                let executable = found.st_mode & 0o100 != 0;
                let mode_fits = !keeps_modes || executable == (expected.kind == EntryKind::Executable);
                mode_fits && self.holds(name, &found, &expected.bytes)?
            }
            _ => false,
        };
        Ok(if same { Stands::AsExpected } else { Stands::Other })
    }

    fn holds(&self, name: &[u8], found: &Stat, bytes: &[u8]) -> io::Result<bool> {
        if u64::try_from(found.st_size).ok() != u64::try_from(bytes.len()).ok() {
            return Ok(false);
        }
        // A pipe that took the file's place would be waited for otherwise.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mut content = Vec::with_capacity(bytes.len());
        let limit = u64::try_from(bytes.len()).unwrap_or(u64::MAX).saturating_add(1);
        File::from(openat(&self.folder, name, flags, Mode::empty())?).take(limit).read_to_end(&mut content)?;
        Ok(content == bytes)
    }

    fn exchange(
        &self,
        expected: Option<&Content>,
        wanted: Option<&Content>,
        keeps_modes: bool,
    ) -> io::Result<Exchange> {
        let found = stat(&self.folder, self.name)?;
        if self.stands(self.name, expected, keeps_modes)? != Stands::AsExpected {
            return Ok(Exchange::Refused);
        }
        match (found, wanted) {
            (None, None) => return Ok(Exchange::Done),
            (None, Some(wanted)) => {
                self.write_beside(wanted, None)?;
                return self.put_where_nothing_is();
            }
            (Some(found), Some(wanted)) => {
                let same_kind = expected.is_some_and(|expected| expected.kind == wanted.kind);
                self.write_beside(wanted, same_kind.then_some(found.st_mode))?;
                match renameat_with(
                    &self.folder,
                    self.marked.as_slice(),
                    &self.folder,
                    self.name,
                    RenameFlags::EXCHANGE,
                ) {
                    // A file system that knows no exchange: what stands there was compared a moment ago.
                    Err(Errno::INVAL | Errno::NOSYS) => {
                        renameat(&self.folder, self.marked.as_slice(), &self.folder, self.name)?;
                        return Ok(Exchange::Done);
                    }
                    exchanged => exchanged?,
                }
            }
            (Some(_), None) => renameat(&self.folder, self.name, &self.folder, self.marked.as_slice())?,
        }
        if self.stands(&self.marked, expected, keeps_modes)? == Stands::AsExpected {
            remove(&self.folder, &self.marked)?;
            return Ok(Exchange::Done);
        }
        // Somebody wrote between the look and the exchange.
        renameat(&self.folder, self.marked.as_slice(), &self.folder, self.name)?;
        Ok(Exchange::Refused)
    }

    fn put_where_nothing_is(&self) -> io::Result<Exchange> {
        let (from, to) = (self.marked.as_slice(), self.name);
        let done = match renameat_with(&self.folder, from, &self.folder, to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Exchange::Done),
            Err(Errno::INVAL | Errno::NOSYS) => {
                // A second name is refused where the first is taken, on every file system that has second names.
                rustix::fs::linkat(&self.folder, from, &self.folder, to, AtFlags::empty())
            }
            Err(errno) => Err(errno),
        };
        remove(&self.folder, &self.marked)?;
        match done {
            Ok(()) => Ok(Exchange::Done),
            Err(Errno::EXIST) => Ok(Exchange::Refused),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Writes a content beside its place, on disk. `keep` is the mode of the file that it replaces, where that stays.
    fn write_beside(&self, wanted: &Content, keep: Option<u32>) -> io::Result<()> {
        let half = half(&self.marked);
        if wanted.kind == EntryKind::Symlink {
            return Ok(symlinkat(wanted.bytes.as_slice(), &self.folder, self.marked.as_slice())?);
        }
        let mode = if wanted.kind == EntryKind::Executable { 0o777 } else { 0o666 };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.folder, half.as_slice(), flags, Mode::from_raw_mode(mode))?);
        let written = file.write_all(&wanted.bytes).and_then(|()| {
            if let Some(mode) = keep {
                fchmod(file.as_fd(), Mode::from_raw_mode(mode & 0o777))?;
            }
            file.sync_all()?;
            Ok(renameat(&self.folder, half.as_slice(), &self.folder, self.marked.as_slice())?)
        });
        if written.is_err() {
            // Where that fails too, the next start finds it by its mark.
            let _ = remove(&self.folder, &half);
        }
        written
    }
}

/// The names of the folders on the way to a path.
fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let folders = path.iter().rposition(|&byte| byte == b'/').and_then(|at| path.get(..at));
    folders.into_iter().flat_map(|folders| folders.split(|&byte| byte == b'/'))
}

/// What a marked file is called until it is whole.
fn half(marked: &[u8]) -> Vec<u8> {
    [marked, b".half"].concat()
}

fn step(folder: &OwnedFd, name: &[u8], make: bool) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) if make => {
            let created = mkdirat(folder, name, Mode::from_raw_mode(0o777));
            created.or_else(|errno| if errno == Errno::EXIST { Ok(()) } else { Err(errno) })?;
            fsync(folder)?;
            Ok(openat(folder, name, flags, Mode::empty())?)
        }
        opened => Ok(opened?),
    }
}

fn stat(folder: &OwnedFd, name: &[u8]) -> io::Result<Option<Stat>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(None),
        found => Ok(Some(found?)),
    }
}

fn remove(folder: &OwnedFd, name: &[u8]) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(()),
        removed => Ok(removed?),
    }
}

/// A name that leads one step down: no tree that the gate let through names another.
fn checked(name: &[u8]) -> io::Result<&[u8]> {
    let is_git = name.eq_ignore_ascii_case(b".git");
    if matches!(name, b"" | b"." | b"..") || is_git {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the commit names a path that no checkout may have"));
    }
    Ok(name)
}

/// Whether something else stands where a folder is needed.
pub(super) fn is_no_folder(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::NOTDIR, Errno::LOOP].iter().any(|errno| code == Some(errno.raw_os_error()))
}
