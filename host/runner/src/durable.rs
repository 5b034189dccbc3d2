//! Files that survive a crash: locked appends, atomic replacement, and reading line by line in bounded memory.
//!
//! Owns: creating folders and the three ways in which stores touch their files. What must stay true: a link or a pipe
//! that somebody left in a file's place is refused, never followed or waited for; when a write returns, it is on disk.
//! Whoever appends holds the file's own lock until the file is dropped, so there are no lock files to be left behind.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Who may read what is created; the umask takes more away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// The person alone: logs of what an agent did.
    Private,
    /// As any file that the person makes: assets, which other tools read.
    Shared,
}

impl Access {
    fn file_mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o666,
        }
    }

    fn folder_mode(self) -> u32 {
        match self {
            Self::Private => 0o700,
            Self::Shared => 0o777,
        }
    }
}

/// One line of a file, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line with its end.
    Whole(&'a [u8]),
    /// What follows the last line end: never empty.
    Torn(&'a [u8]),
    /// A line over the limit.
    TooLong,
}

/// Makes a folder and those above it. Afterwards each one that was made is on disk.
pub(crate) fn create_folder(folder: &Path, access: Access) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new(""));
    create_folder(parent, access)?;
    match DirBuilder::new().mode(access.folder_mode()).create(folder) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_folder(parent),
    }
}

/// Opens a file for reading and appending, makes it where it is not there, and waits for its lock.
pub(crate) fn open_to_append(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).mode(access.file_mode());
    let file = open(path, &mut options)?;
    file.lock()?;
    Ok(file)
}

/// Opens a file for reading; `None` where there is none.
pub(crate) fn open_to_read(path: &Path) -> io::Result<Option<File>> {
    match open(path, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The whole text of a file of at most `limit` bytes; `None` where there is none.
pub(crate) fn read_text(path: &Path, limit: u64) -> io::Result<Option<String>> {
    let Some(file) = open_to_read(path)? else { return Ok(None) };
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

/// Refuses a folder that is a link, as a hostile repository may bring one. What is not there yet is none.
pub(crate) fn refuse_link(folder: &Path) -> io::Result<()> {
    if fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
        let problem = format!("{} is a symbolic link, which gephost does not follow here", folder.display());
        return Err(io::Error::other(problem));
    }
    Ok(())
}

/// Appends whole lines, each with its end, to a file of [`open_to_append`]. A last line that a crash cut, or that
/// another tool left without an end, is ended first: it stays as it is. A crash in between leaves a torn last line.
pub(crate) fn append(file: &mut File, path: &Path, lines: &[u8]) -> io::Result<()> {
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
    if length == 0 { sync_folder_of(path) } else { Ok(()) }
}

/// Replaces a file's whole content. After a crash it has the old content or the new, never a part of one. The
/// permissions of a file that is there are kept.
pub(crate) fn replace(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    replace_with(path, access, |to| to.write_all(content))
}

/// The same, with content that is written piece by piece.
pub(crate) fn replace_with(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = folder_of(path);
    let kept = open_to_read(path)?.map(|file| file.metadata()).transpose()?.map(|metadata| metadata.permissions());
    let mut temporary = tempfile::Builder::new()
        .prefix(".gephost-")
        .permissions(Permissions::from_mode(access.file_mode()))
        .tempfile_in(folder)?;
    let mut buffered = BufWriter::new(temporary.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    if let Some(kept) = kept {
        temporary.as_file().set_permissions(kept)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Hands over a file's lines from its beginning on. A line of more than `limit` bytes is passed over.
pub(crate) fn read_lines(file: &mut File, limit: usize, mut each: impl FnMut(Line<'_>)) -> io::Result<()> {
    read_lines_at(file, limit, |_, line| each(line))
}

/// The same, with the byte that each line begins with.
pub(crate) fn read_lines_at(file: &mut File, limit: usize, mut each: impl FnMut(u64, Line<'_>)) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file);
    // One byte more for the line end, and one to tell a line at the limit from a longer one.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(2);
    let (mut bytes, mut next) = (Vec::new(), 0);
    loop {
        bytes.clear();
        if reader.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        let start = next;
        next += bytes.len() as u64;
        match bytes.strip_suffix(b"\n") {
            Some(line) if line.len() <= limit => each(start, Line::Whole(line)),
            None if bytes.len() <= limit => each(start, Line::Torn(&bytes)),
            ended => {
                if ended.is_none() {
                    next += reader.skip_until(b'\n')? as u64;
                }
                each(start, Line::TooLong);
            }
        }
    }
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Without NONBLOCK, opening a pipe would wait for its other end.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = options.custom_flags(flags).open(path).map_err(explain)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

fn explain(error: io::Error) -> io::Error {
    if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        return io::Error::other("it is a symbolic link, which gephost does not follow here: put a file in its place");
    }
    error
}

/// Removes a file, and says whether there was one.
pub(crate) fn remove_file(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Afterwards what a folder lists is on disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// [`sync_folder`] of the folder that a file lies in.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    sync_folder(folder_of(path))
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn lines_of(content: &[u8], limit: usize) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let mut seen = Vec::new();
        read_lines(&mut file, limit, |line| {
            seen.push(match line {
                Line::Whole(bytes) => format!("whole {}", bytes.escape_ascii()),
                Line::Torn(bytes) => format!("torn {}", bytes.escape_ascii()),
                Line::TooLong => "too long".to_owned(),
            });
        })
        .unwrap();
        seen
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(lines_of(b"", 4), [""; 0]);
        assert_eq!(lines_of(b"abcd\n\nab", 4), ["whole abcd", "whole ", "torn ab"]);
        assert_eq!(lines_of(b"abcde\nab\n", 4), ["too long", "whole ab"]);
        assert_eq!(lines_of(b"abcdef\nab\n", 4), ["too long", "whole ab"]);
        assert_eq!(lines_of(b"abcdefghijkl\nab", 4), ["too long", "torn ab"]);
        assert_eq!(lines_of(b"ab\nabcd", 4), ["whole ab", "torn abcd"]);
        assert_eq!(lines_of(b"ab\nabcdefgh", 4), ["whole ab", "too long"]);
        assert_eq!(lines_of(b"ab\nabcde", 4), ["whole ab", "too long"]);
    }

    #[test]
    fn an_append_ends_the_line_that_a_crash_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\ntw").unwrap();
        append(&mut open_to_append(&path, Access::Private).unwrap(), &path, b"three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw\nthree\n");
    }

    #[test]
    fn a_text_has_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(read_text(&path, 3).unwrap(), None);
        fs::write(&path, "abc").unwrap();
        assert_eq!(read_text(&path, 3).unwrap().as_deref(), Some("abc"));
        assert!(read_text(&path, 2).unwrap_err().to_string().contains("more than 2 bytes"));
    }

    #[test]
    fn links_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "mine").unwrap();
        symlink(&target, &link).unwrap();
        let refused = open_to_append(&link, Access::Private).unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        assert!(open_to_read(&link).is_err());
        assert!(replace(&link, b"theirs", Access::Shared).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
        assert!(open_to_read(folder.path()).unwrap_err().to_string().contains("no regular file"));
    }

    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(open_to_read(&pipe).is_err());
        assert!(open_to_append(&pipe, Access::Private).is_err());
    }

    #[test]
    fn a_replacement_keeps_the_permissions_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        replace(&path, b"one", Access::Private).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"two", Access::Private).unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap().as_slice()), (0o640, b"two".as_slice()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_is_made_with_those_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        create_folder(&deep, Access::Private).unwrap();
        create_folder(&deep, Access::Private).unwrap();
        assert_eq!(fs::metadata(&deep).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(create_folder(&folder.path().join("file/x"), Access::Private).is_err());
    }
}
