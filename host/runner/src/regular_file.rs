//! Opens a regular file by its path, and nothing else.
//!
//! A repository can hold a pipe under any name. Opening one waits for its other end, for ever if nobody comes. So a file
//! whose name a repository or a config decides is opened without waiting, and refused if it is no regular file.

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
        _ => Err(io::Error::other("it is no regular file")),
    }
}

/// Refuses a path that names a pipe, a socket or a device. A missing one is fine, and so is a link.
pub(crate) fn refuse_special(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() || found.is_dir() || found.is_symlink() => Ok(()),
        Ok(_) => Err(io::Error::other(format!("{} is no regular file", path.display()))),
        Err(_) => Ok(()),
    }
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
        assert!(open(&pipe).unwrap_err().to_string().contains("no regular file"));
        assert!(open(folder.path()).is_err() && open(&folder.path().join("absent")).is_err());
        assert!(refuse_special(&pipe).is_err() && refuse_special(&file).is_ok());
        assert_eq!(io::read_to_string(open(&file).unwrap()).unwrap(), "x");
    }
}
