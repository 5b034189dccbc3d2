//! Opens a path below an open folder and nothing outside it.
//!
//! What must stay true: no symbolic link is followed, neither on the way nor at the end, unless the caller asks for links
//! that stay below. The kernel's `openat2` decides
//! that in one step; without it the same is done component by component.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat, openat2, readlinkat};
use rustix::io::Errno;

/// How often an open is tried again that the kernel gave up because something was being moved.
const TRIES: usize = 8;

/// Opens `path`, which is relative and has no `..`, with these flags. `mode` is for a file that is created, and is
/// ignored otherwise, as `openat` does; `openat2` would refuse it.
pub(crate) fn open(root: BorrowedFd<'_>, path: &[u8], flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    let creates = flags.intersects(OFlags::CREATE | OFlags::TMPFILE);
    let mode = if creates { mode } else { Mode::empty() };
    resolved(root, path, flags, mode, ResolveFlags::NO_SYMLINKS)
}

/// Opens `path` to read it. A link is followed if what it leads to lies below the root as well; where the kernel cannot say
/// so, no link is followed.
pub(crate) fn open_through_links(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    resolved(root, path, flags | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::empty())
}

fn resolved(
    root: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    mode: Mode,
    links: ResolveFlags,
) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | links;
    for _ in 0..TRIES {
        // Without NOFOLLOW: with it, a link in place of a folder would be `ENOTDIR`, and not `ELOOP` as every other one.
        match openat2(root, path, flags - OFlags::NOFOLLOW, mode, resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An older kernel does not know the call; a container's filter may refuse it.
            Err(Errno::NOSYS | Errno::PERM) => break,
            result => return result,
        }
    }
    by_component(root, path, flags, mode)
}

/// The same by `openat`, one name after another.
pub(crate) fn by_component(
    root: BorrowedFd<'_>,
    path: &[u8],
    last_flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let (above, last) = split(path);
    let folder_flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here: Option<OwnedFd> = None;
    for name in above.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        let next = openat(here.as_ref().map_or(root, AsFd::as_fd), checked(name)?, folder_flags, Mode::empty());
        here = Some(next.map_err(as_link)?);
    }
    let folder = here.as_ref().map_or(root, AsFd::as_fd);
    let opened = openat(folder, checked(last)?, last_flags | OFlags::NOFOLLOW, mode);
    match opened {
        Err(Errno::NOTDIR) if readlinkat(folder, last, Vec::new()).is_ok() => Err(Errno::LOOP),
        opened => opened,
    }
}

/// `openat` says `ENOTDIR` of a link that should be a folder; `openat2` says `ELOOP`, which is what callers look for.
fn as_link(errno: Errno) -> Errno {
    if errno == Errno::NOTDIR { Errno::LOOP } else { errno }
}

/// A name that leads one step down. Callers pass no others; this makes sure.
fn checked(name: &[u8]) -> rustix::io::Result<&[u8]> {
    if matches!(name, b"" | b"." | b"..") { Err(Errno::NOENT) } else { Ok(name) }
}

/// The folder above, and the last name.
pub(crate) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(at) => (path.get(..at).unwrap_or_default(), path.get(at + 1..).unwrap_or_default()),
        None => (b"", path),
    }
}
