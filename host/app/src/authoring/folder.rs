//! The author's files: those of a project, and those that a command names.

#![expect(clippy::disallowed_methods, reason = "the author names the folder of a project, and what is in it is theirs")]

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gephost_runner::regular_file;
use gephost_runner::worktree::FixtureFile;

use crate::error::AppError;
use crate::files::read_bounded;

/// Most files of a fixture's workspace.
const MAX_FILES: usize = 2000;
/// Most bytes of all of them.
const MAX_BYTES: u64 = 64 << 20;
/// Deepest folder of a workspace.
const MAX_DEPTH: usize = 32;

/// A folder of the author's.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// An existing folder.
    pub(super) fn open(path: &Path) -> Result<Self, AppError> {
        let whole = path.canonicalize().map_err(|error| AppError::io(path, "open", &error))?;
        if whole.is_dir() {
            return Ok(Self(whole));
        }
        Err(AppError::usage("not_a_directory", format!("{} is not a directory", path.display())))
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of something below it.
    pub(super) fn join(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }

    /// Whether there is a file of this name.
    pub(super) fn has(&self, below: &str) -> bool {
        self.join(below).is_file()
    }

    /// Whether there is a folder of this name.
    pub(super) fn has_folder(&self, below: &str) -> bool {
        self.join(below).is_dir()
    }

    /// A file of at most `limit` bytes.
    pub(super) fn read(&self, below: &str, limit: u64) -> Result<Vec<u8>, AppError> {
        let path = self.join(below);
        let file = regular_file::open(&path).map_err(|error| AppError::io(&path, "open", &error))?;
        read_bounded(&path, file, limit)
    }

    /// Writes a file, with its folders. Another file of this name is replaced as a whole.
    pub(super) fn write(&self, below: &str, content: &[u8]) -> Result<PathBuf, AppError> {
        let path = self.join(below);
        write_whole(&path, content).map_err(|error| AppError::io(&path, "write", &error))?;
        Ok(path)
    }

    /// Makes a folder.
    pub(super) fn create_folder(&self, below: &str) -> Result<(), AppError> {
        let path = self.join(below);
        fs::create_dir_all(&path).map_err(|error| AppError::io(&path, "create", &error))
    }

    /// The names of the folders in a folder, sorted. Empty if there is no such folder.
    pub(super) fn folders(&self, below: &str) -> Result<Vec<String>, AppError> {
        self.names(below, Path::is_dir)
    }

    /// The names of the files in a folder, sorted.
    pub(super) fn files(&self, below: &str) -> Result<Vec<String>, AppError> {
        self.names(below, Path::is_file)
    }

    fn names(&self, below: &str, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<String>, AppError> {
        let path = self.join(below);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| AppError::io(&path, "read", &error))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| AppError::io(&path, "read", &error))?;
            if is_wanted(&entry.path())
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Calls `visit` with the path of each file, at any depth. Of each folder, files come before folders, by name. `enters`
    /// decides on each folder, by the path of the folder that it is in (empty, or with `/` at its end) and its name. It must
    /// refuse some depth: links are followed, and may lead in a circle.
    pub(super) fn walk(
        &self,
        enters: &impl Fn(&str, &str) -> bool,
        visit: &mut impl FnMut(String) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        self.walk_below("", enters, visit)
    }

    fn walk_below(
        &self,
        below: &str,
        enters: &impl Fn(&str, &str) -> bool,
        visit: &mut impl FnMut(String) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        for name in self.files(below)? {
            visit(format!("{below}{name}"))?;
        }
        for name in self.folders(below)?.into_iter().filter(|name| enters(below, name)) {
            self.walk_below(&format!("{below}{name}/"), enters, visit)?;
        }
        Ok(())
    }

    /// Every file below a folder, by path. Links are refused: a fixture is the same wherever it lies.
    pub(super) fn tree(&self, below: &str) -> Result<Vec<FixtureFile>, AppError> {
        let mut found = Tree { files: Vec::new(), bytes: 0 };
        found.read(&self.join(below), "", 0)?;
        found.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found.files)
    }
}

struct Tree {
    files: Vec<FixtureFile>,
    bytes: u64,
}

impl Tree {
    fn read(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), AppError> {
        let refused = |path: &Path, why: &str| AppError::usage("fixture", format!("{}: {why}", path.display()));
        if depth > MAX_DEPTH {
            return Err(refused(folder, "the folders of a fixture are nested too deeply"));
        }
        let failed = |error: &io::Error| AppError::io(folder, "read", error);
        for entry in fs::read_dir(folder).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(|error| failed(&error))?);
            let name = entry.file_name().into_string().map_err(|_| refused(&path, "the name is not UTF-8"))?;
            let below = format!("{prefix}{name}");
            // A workspace that is a repository: its own folder is none of its files.
            if prefix.is_empty() && name == ".git" {
                continue;
            }
            if kind.is_dir() {
                self.read(&path, &format!("{below}/"), depth + 1)?;
            } else if kind.is_file() {
                self.add(&path, below)?;
            } else {
                return Err(refused(&path, "a fixture has files and folders only"));
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, below: String) -> Result<(), AppError> {
        let file = regular_file::open(path).map_err(|error| AppError::io(path, "open", &error))?;
        let mode = file.metadata().map_err(|error| AppError::io(path, "read", &error))?.permissions().mode();
        let content = read_bounded(path, file, MAX_BYTES.saturating_sub(self.bytes))?;
        self.bytes += content.len() as u64;
        self.files.push(FixtureFile { path: below, content, is_executable: mode & 0o100 != 0 });
        if self.files.len() > MAX_FILES {
            let message = format!("{}: a fixture has at most {MAX_FILES} files", path.display());
            return Err(AppError::usage("fixture", message));
        }
        Ok(())
    }
}

/// Writes a file so that it is there as a whole or not at all.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut unfinished, content)?;
    let readable = fs::Permissions::from_mode(0o644);
    unfinished.as_file().set_permissions(readable)?;
    unfinished.persist(path)?;
    Ok(())
}

/// Makes a new folder with these files, or nothing: it is made beside its place, and renamed when it is whole. A folder that
/// is there must be empty.
pub(super) fn create_whole(path: &Path, files: &[(String, Vec<u8>)]) -> Result<(), AppError> {
    let taken = |what: &str| {
        AppError::usage("not_empty", format!("{} {what}", path.display())).hint("name a folder that does not exist yet")
    };
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(false) => return Err(taken("is not empty")),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory && path.exists() => return Err(taken("is a file")),
        Ok(true) | Err(_) => {}
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        let why = if parent.exists() { "is no folder" } else { "does not exist" };
        return Err(AppError::usage("no_parent", format!("{} {why}", parent.display()))
            .hint("make the folder first, or name a new folder in one that exists"));
    }
    let failed = |error: &io::Error| AppError::io(path, "create", error);
    let unfinished =
        tempfile::Builder::new().prefix(".gephost-new-").tempdir_in(parent).map_err(|error| failed(&error))?;
    for (below, content) in files {
        let file = unfinished.path().join(below);
        write_whole(&file, content).map_err(|error| failed(&error))?;
        if content.starts_with(b"#!") {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).map_err(|error| failed(&error))?;
        }
    }
    fs::set_permissions(unfinished.path(), fs::Permissions::from_mode(0o755)).map_err(|error| failed(&error))?;
    fs::rename(unfinished.path(), path).map_err(|error| failed(&error))
}

/// A copy of a file.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(|_| ())
}

/// A folder that is removed at the end.
pub(super) fn temporary() -> Result<tempfile::TempDir, AppError> {
    tempfile::tempdir().map_err(|error| AppError::io(Path::new("the folder of temporary files"), "use", &error))
}

/// Whether there is a file that may be executed.
pub(super) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// What differs if a file, or what a link leads to, was written again: device, number, size and time of the last change of its
/// record. The time of writing would not do, because npm sets it back to a date of its own.
pub(super) fn mark(path: &Path) -> Option<[i64; 5]> {
    let found = fs::metadata(path).ok()?;
    let number = |number: u64| i64::try_from(number).ok();
    Some([number(found.dev())?, number(found.ino())?, number(found.len())?, found.ctime(), found.ctime_nsec()])
}

/// How deep a path is, from 0.
pub(super) fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// Whether a path names a folder.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Size and time of the last change of a file; `None` if it is gone.
pub(super) fn seen(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}
