//! Opens a regular file by its path, and nothing else.
//!
//! A repository can hold a pipe under any name. Opening one waits for its other end, for ever if nobody comes. So a file
//! whose name a repository or a config decides is opened without waiting, and refused if it is not a regular file.

#![expect(clippy::disallowed_methods, reason = "a file that the operator or a config names is opened here")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file to read it. A link is followed. Anything but a regular file is an error.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(file),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other("it is not a regular file")),
    }
}

/// Refuses a path that leads to a pipe, a socket or a device, by links too. A missing one is fine.
pub(crate) fn refuse_special(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(found) if found.is_file() || found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::other(format!("{} is not a regular file", path.display()))),
        Err(_) => Ok(()),
    }
}

/// The same for everything below a folder, at most so many names deep and in all. Only what is no plain file or folder is
/// looked at.
pub(crate) fn refuse_special_below(folder: &Path, depth: usize, most: &mut usize) -> io::Result<()> {
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries.flatten() {
        *most = most.saturating_sub(1);
        if *most == 0 {
            return Ok(());
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => refuse_special_below(&entry.path(), depth - 1, most)?,
            Ok(kind) if kind.is_file() || kind.is_dir() => {}
            _ => refuse_special(&entry.path())?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, file) = (folder.path().join("pipe"), folder.path().join("file"));
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        std::fs::write(&file, "x").unwrap();
        assert!(open(&pipe).unwrap_err().to_string().contains("not a regular file"));
        assert!(open(folder.path()).is_err() && open(&folder.path().join("absent")).is_err());
        assert!(refuse_special(&pipe).is_err() && refuse_special(&file).is_ok());
        let links = [("to-pipe", &pipe), ("to-file", &file), ("to-nothing", &folder.path().join("absent"))];
        for (name, target) in links {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        }
        assert!(refuse_special(&folder.path().join("to-pipe")).is_err());
        assert!(refuse_special(&folder.path().join("to-file")).is_ok());
        assert!(refuse_special(&folder.path().join("to-nothing")).is_ok());
        assert!(refuse_special(Path::new("/dev/zero")).is_err());
        assert_eq!(io::read_to_string(open(&file).unwrap()).unwrap(), "x");
    }

    #[test]
    fn a_pipe_below_a_folder_is_found_within_the_bounds() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        std::fs::write(folder.path().join("a/file"), "x").unwrap();
        let refused = |depth, mut most| refuse_special_below(folder.path(), depth, &mut most).is_err();
        assert!(!refused(5, 100));
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let pipe = folder.path().join("a/b/pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(refused(2, 100) && !refused(1, 100) && !refused(2, 1));
    }
}
