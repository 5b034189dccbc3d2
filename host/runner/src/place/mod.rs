//! Places on disk: a folder that was handed over once, and a name below it.
//!
//! This is where the runner's authority over files begins: the command line names a folder, it is opened once, and
//! everything below it is reached from that handle. What must stay true: no symbolic link below the folder is followed,
//! no pipe or device is waited for, no huge file of holes is read, what another user owns is refused, and no file is written
//! to that has a second name. So a hostile repository can put what it likes into its folders, before or during a run, and
//! nothing outside them is read, written or removed. One read follows links that stay below the folder: a config may be
//! one.

#![expect(clippy::disallowed_methods, reason = "folders are handed over here")]

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use rustix::fs::{FileType, Mode, OFlags, SeekFrom, Stat, fstat, openat};
use rustix::io::Errno;

use crate::beneath;

/// Why a hard link is not written to.
const SECOND_NAME: &str = "it has a second name (a hard link), under which it would change too; \
                           to separate it, copy it and move the copy to its place";

/// A file above this size is refused if it is almost nothing but holes.
const LARGE_BYTES: u64 = 1 << 30;
/// A file is that if it says to have so many times more bytes than are stored.
const MOST_HOLES: u64 = 64;
/// The unit in which the system counts what is stored.
const BLOCK_BYTES: u64 = 512;

/// A file or folder below a folder that was handed over. Making one touches nothing.
#[derive(Clone)]
pub struct Place {
    root: Arc<Root>,
    /// From the root; empty for the root itself.
    below: PathBuf,
}

/// A folder that was handed over.
struct Root {
    /// As messages and the command lines of child processes name it.
    path: PathBuf,
    /// Whether it has to belong to this user.
    is_own: bool,
    opened: OnceLock<Opened>,
}

struct Opened {
    handle: Dir,
    owner: u32,
}

/// What a name in a folder stands for.
#[derive(Debug, Clone)]
pub(crate) struct FolderEntry {
    pub(crate) name: OsString,
    /// What it is; a link is a link, whatever it points to.
    pub(crate) kind: FileType,
}

impl Place {
    /// Hands over a folder of this user's: state or cache. It is opened when it is first needed, and refused if another
    /// user owns it.
    pub fn own(folder: &Path) -> Self {
        Self::hand_over(folder, true)
    }

    /// Hands over a folder whose owner may be anybody: a project, or an assets folder that the user named. What lies below
    /// it must belong to this user or to the folder's owner.
    pub fn shared(folder: &Path) -> Self {
        Self::hand_over(folder, false)
    }

    fn hand_over(folder: &Path, is_own: bool) -> Self {
        let root = Root { path: folder.to_owned(), is_own, opened: OnceLock::new() };
        Self { root: Arc::new(root), below: PathBuf::new() }
    }

    /// A name below this one. `..` and absolute names lead nowhere: what they name is not found.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        let name = name.as_ref();
        let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
        // No file can have this name: one that climbs is missing.
        let below = if plain { self.below.join(name) } else { self.below.join("\0") };
        Self { root: Arc::clone(&self.root), below }
    }

    /// The folder that this place lies in; the root's is itself.
    #[must_use]
    pub fn parent(&self) -> Self {
        let below = self.below.parent().unwrap_or(Path::new("")).to_owned();
        Self { root: Arc::clone(&self.root), below }
    }

    /// Its last name.
    pub fn name(&self) -> &OsStr {
        self.below.file_name().or_else(|| self.root.path.file_name()).unwrap_or_default()
    }

    /// The whole path, for messages and for child processes. Nothing in this program opens it.
    pub fn path(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() { self.root.path.clone() } else { self.root.path.join(&self.below) }
    }

    /// The whole path, to be shown.
    pub fn display(&self) -> impl fmt::Display {
        self.path().display().to_string()
    }

    /// Whether anything has this name. A name that cannot be looked at is an error.
    pub fn exists(&self) -> io::Result<bool> {
        match self.stat() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What the system says of it. A link is looked at itself.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        let root = self.root.opened()?;
        if self.below.as_os_str().is_empty() {
            return Ok(fstat(&root.handle)?);
        }
        self.bytes()?;
        let folder = self.parent().folder_handle()?;
        let name = openat(&folder, self.name(), OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
        Ok(fstat(name?)?)
    }

    /// Whether a regular file has this name.
    pub(crate) fn is_file(&self) -> io::Result<bool> {
        self.stat().map(|found| FileType::from_raw_mode(found.st_mode).is_file())
    }

    /// Gives it another name in its folder. What has that name is replaced.
    pub(crate) fn rename(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.bytes()?;
        let folder = self.parent().folder_handle()?;
        Ok(rustix::fs::renameat(&folder, self.name(), &folder, name.as_ref())?)
    }

    /// Opens a regular file. Refused: a link on the way or at its place, anything that is no file, another user's file, a huge
    /// file of holes; and to write, a file that has a second name, under which it would change too.
    pub(crate) fn open(&self, flags: OFlags, mode: Mode) -> io::Result<File> {
        let root = self.root.opened()?;
        // Without NONBLOCK, opening a pipe would wait for its other end.
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = beneath::open(root.handle.as_fd(), self.bytes()?, flags, mode).map_err(explain)?;
        let file = File::from(file);
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        root.check_owner(found.uid())?;
        if found.nlink() > 1 && flags.intersects(OFlags::WRONLY | OFlags::RDWR) {
            return Err(io::Error::other(SECOND_NAME));
        }
        refuse_holes(&file, &found)?;
        Ok(file)
    }

    /// Opens a regular file to read it, whoever owns it. A link is followed if it stays below the root.
    pub fn open_through_links(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let root = self.root.opened()?;
        let file = match beneath::open_through_links(root.handle.as_fd(), self.bytes()?, flags) {
            // The kernel takes no link that names a full path. If it leads to a place below the root, that is opened.
            Err(Errno::XDEV) => {
                let found = self.path().canonicalize()?;
                let top = self.root.path.canonicalize()?;
                let below = found.strip_prefix(top);
                let below = below.map_err(|_| io::Error::other("it is a link that leads out of the project"))?;
                beneath::open(root.handle.as_fd(), below.as_os_str().as_bytes(), flags, Mode::empty())
            }
            opened => opened,
        };
        let file = File::from(file.map_err(explain)?);
        let kind = file.metadata()?.file_type();
        match (kind.is_file(), kind.is_dir()) {
            (true, _) => Ok(file),
            (_, true) => Err(io::ErrorKind::IsADirectory.into()),
            _ => Err(io::Error::other("it is not a regular file")),
        }
    }

    /// Opens it as a folder.
    pub(crate) fn folder(&self) -> io::Result<Dir> {
        self.folder_handle().map(|handle| Dir::from_std_file(File::from(handle)))
    }

    fn folder_handle(&self) -> io::Result<OwnedFd> {
        let root = self.root.opened()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        if self.below.as_os_str().is_empty() {
            return Ok(openat(&root.handle, c".", flags | OFlags::CLOEXEC, Mode::empty())?);
        }
        let handle = beneath::open(root.handle.as_fd(), self.bytes()?, flags, Mode::empty()).map_err(explain)?;
        root.check_owner(fstat(&handle)?.st_uid)?;
        Ok(handle)
    }

    /// Makes the folder and those above it, up to the one that was handed over, and that one too. Afterwards each one that
    /// was made is on disk.
    pub(crate) fn create_folder(&self, mode: u32) -> io::Result<()> {
        if self.below.as_os_str().is_empty() {
            return self.root.create();
        }
        match self.folder_handle() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found.map(drop),
        }
        let parent = self.parent();
        parent.create_folder(mode)?;
        let above = parent.folder_handle()?;
        match rustix::fs::mkdirat(&above, self.name(), Mode::from_raw_mode(mode)) {
            // Another process was faster.
            Err(Errno::EXIST) => self.folder_handle().map(drop),
            result => Ok(result.and_then(|()| rustix::fs::fsync(&above))?),
        }
    }

    /// What the folder lists, sorted; nothing if it is missing.
    pub(crate) fn entries(&self) -> io::Result<Vec<FolderEntry>> {
        let handle = match self.folder_handle() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            handle => handle?,
        };
        // The handle is read itself. `Dir::entries` would open the folder a second time.
        let mut listed = Vec::new();
        for entry in rustix::fs::Dir::new(handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                listed.push((name.to_owned(), entry.file_type()));
            }
        }
        listed.sort_by(|a, b| a.0.cmp(&b.0));
        listed.into_iter().map(|(name, kind)| self.entry(name, kind)).collect()
    }

    /// A few file systems do not list what a name stands for.
    fn entry(&self, name: OsString, kind: FileType) -> io::Result<FolderEntry> {
        let kind = match kind {
            FileType::Unknown => FileType::from_raw_mode(self.join(&name).stat()?.st_mode),
            kind => kind,
        };
        Ok(FolderEntry { name, kind })
    }

    /// The regular files that the folder lists, sorted, each with what the system says of it; none if it is missing. A
    /// file that goes meanwhile is left out.
    pub(crate) fn files(&self) -> io::Result<Vec<(OsString, Metadata)>> {
        let folder = match self.folder() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut files = Vec::new();
        for entry in folder.entries()? {
            let name = entry?.file_name();
            files.extend(folder.symlink_metadata(&name).ok().filter(Metadata::is_file).map(|found| (name, found)));
        }
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(files)
    }

    fn bytes(&self) -> io::Result<&[u8]> {
        let bytes = self.below.as_os_str().as_bytes();
        if bytes.contains(&0) { Err(io::ErrorKind::NotFound.into()) } else { Ok(bytes) }
    }
}

impl Root {
    fn opened(&self) -> io::Result<&Opened> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let handle = Dir::open_ambient_dir(&self.path, ambient_authority())?;
        let owner = fstat(&handle)?.st_uid;
        if self.is_own {
            refuse_foreign(owner, None)?;
        }
        Ok(self.opened.get_or_init(|| Opened { handle, owner }))
    }

    /// Makes the folder, for this user alone, and those above it.
    fn create(&self) -> io::Result<()> {
        match self.opened() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => create_ambient(&self.path)?,
            found => return found.map(drop),
        }
        self.opened().map(drop)
    }
}

impl Opened {
    fn check_owner(&self, owner: u32) -> io::Result<()> {
        refuse_foreign(owner, Some(self.owner))
    }
}

fn create_ambient(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new(""));
    create_ambient(parent)?;
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => File::open(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?.sync_all(),
    }
}

fn refuse_foreign(owner: u32, also: Option<u32>) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    if owner == user || Some(owner) == also {
        return Ok(());
    }
    Err(io::Error::other(format!("it belongs to user {owner}, and this is user {user}")))
}

/// Refuses a file that is huge and almost nothing but holes. It costs nothing to make, and minutes to read to its end.
fn refuse_holes(file: &File, found: &std::fs::Metadata) -> io::Result<()> {
    let (size, stored) = (found.len(), found.blocks().saturating_mul(BLOCK_BYTES));
    if size <= LARGE_BYTES || stored >= size / MOST_HOLES {
        return Ok(());
    }
    // A file system may not count its blocks, or may compress a file well. Then it knows of no hole.
    let hole = rustix::fs::seek(file, SeekFrom::Hole(0));
    rustix::fs::seek(file, SeekFrom::Start(0))?;
    if hole.is_ok_and(|hole| hole < size) {
        return Err(io::Error::other(format!("it has {size} bytes, and all but {stored} of them are holes")));
    }
    Ok(())
}

fn explain(errno: Errno) -> io::Error {
    match errno {
        Errno::LOOP => io::Error::other("it is a symbolic link, or is behind one, which gephost does not follow here"),
        // A pipe or a socket that nobody reads.
        Errno::NXIO => io::Error::other("it is not a regular file"),
        errno => errno.into(),
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.path()).finish()
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        (&self.root.path, &self.below) == (&other.root.path, &other.below)
    }
}

impl Eq for Place {}

#[cfg(test)]
mod tests;
