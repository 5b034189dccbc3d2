//! Reads and writes the files of a control group from the handle of its folder.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat};

/// The longest file that is read, in bytes. `cgroup.procs` has one line for each process.
const MAX_BYTES: u64 = 4 << 20;

pub(super) fn read(folder: BorrowedFd<'_>, name: &str) -> io::Result<String> {
    let file = openat(folder, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let mut text = String::new();
    File::from(file).take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Writes in one call, as the kernel expects it. The file must exist.
pub(super) fn write(folder: BorrowedFd<'_>, name: &str, text: &str) -> io::Result<()> {
    let file = openat(folder, name, OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    File::from(file).write_all(text.as_bytes())
}

/// The numbers in a file that lists processes. A process of another namespace is listed as 0.
pub(super) fn processes(folder: BorrowedFd<'_>) -> io::Result<Vec<i32>> {
    Ok(read(folder, "cgroup.procs")?.lines().filter_map(|line| line.parse().ok()).collect())
}

/// The value of a key in a file with one key and number per line; 0 if it is missing.
pub(super) fn counter(text: &str, key: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or_default()
}

pub(super) fn make(folder: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    mkdirat(folder, name, Mode::from_raw_mode(0o755))?;
    open(folder, name)
}

pub(super) fn open(folder: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

/// The kernel removes a group only if neither processes nor groups are in it.
pub(super) fn remove(folder: BorrowedFd<'_>, name: &str) -> io::Result<()> {
    Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_by_their_whole_key() {
        let text = "low 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 1\n";
        assert_eq!((counter(text, "oom_kill"), counter(text, "oom"), counter(text, "max")), (2, 3, 7));
        assert_eq!((counter(text, "kill"), counter("oom_kill x\n", "oom_kill")), (0, 0));
    }
}
