//! Finds the control group of this process in the hierarchy of cgroup v2, and opens it.

#![expect(clippy::disallowed_methods, reason = "the kernel says in files of /proc where the hierarchy is")]

use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fstatfs, open};

use super::files;
use crate::beneath;

/// `CGROUP2_SUPER_MAGIC`.
const CGROUP2: u64 = 0x6367_7270;

/// The folder of this process's group. The error says why it cannot be had.
pub(super) fn folder() -> Result<OwnedFd, String> {
    let read = |path: &str| fs::read(path).map_err(|error| format!("read {path}: {error}"));
    let groups = read("/proc/self/cgroup")?;
    let path = group_path(&groups).ok_or("this machine has no cgroup v2")?;
    let mounts = mounts(&read("/proc/self/mountinfo")?);
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    // Only a folder that lists this process is its group, whatever the text of the mount says.
    let candidates = mounts.iter().filter_map(|mount| open_group(mount, &path).ok());
    let mut found = candidates.filter(|folder| files::processes(folder.as_fd()).is_ok_and(|all| all.contains(&own)));
    found.next_back().ok_or_else(|| "cgroup v2 is not mounted where gephost can see its own group".to_owned())
}

/// A mounted hierarchy: which group is at its top, and where it is.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    top: PathBuf,
    place: PathBuf,
}

fn open_group(mount: &Mount, path: &Path) -> Result<OwnedFd, String> {
    let below = path.strip_prefix(&mount.top).map_err(|_| "the mount shows other groups")?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = open(&mount.place, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| error.to_string())?;
    let found = fstatfs(&top).map_err(|error| error.to_string())?;
    if u64::try_from(found.f_type).ok() != Some(CGROUP2) {
        return Err("it is not a cgroup v2 hierarchy".to_owned());
    }
    if below.as_os_str().is_empty() {
        return Ok(top);
    }
    beneath::open(top.as_fd(), below.as_os_str().as_bytes(), flags, Mode::empty()).map_err(|error| error.to_string())
}

/// The group of this process: the line `0::PATH`.
fn group_path(text: &[u8]) -> Option<PathBuf> {
    let line = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"0::"))?;
    // The kernel adds this to the name of a group that was removed.
    let is_there = !line.ends_with(b" (deleted)");
    is_there.then(|| PathBuf::from(OsString::from_vec(line.to_vec())))
}

/// The mounted hierarchies of cgroup v2, in the order in which they were mounted.
fn mounts(text: &[u8]) -> Vec<Mount> {
    let lines = text.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| {
            let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
            let end = fields.iter().position(|field| *field == b"-")?;
            let is_cgroup2 = *fields.get(end + 1)? == b"cgroup2";
            is_cgroup2.then_some(Mount { top: unescaped(fields.get(3)?), place: unescaped(fields.get(4)?) })
        })
        .collect()
}

/// The kernel writes a space, a tab, a line feed and a backslash as three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..3).filter(|_| *first == b'\\').and_then(octal);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn octal(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_that_of_the_second_version() {
        let text = b"4:memory:/other\n0::/user.slice/a b.scope\n";
        assert_eq!(group_path(text), Some(PathBuf::from("/user.slice/a b.scope")));
        assert_eq!(group_path(b"4:memory:/other\n"), None);
        assert_eq!(group_path(b"0::/gone (deleted)\n"), None);
    }

    #[test]
    fn mounts_are_told_from_others_and_their_names_are_decoded() {
        let text = b"30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
            31 30 0:27 / /sys/fs/cgroup/unified rw,relatime shared:9 master:2 - cgroup2 cgroup2 rw\n\
            32 30 0:27 /a\\040b /mnt/with\\134one rw - cgroup2 none rw\n\
            33 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\nnonsense\n";
        let mount = |top: &str, place: &str| Mount { top: top.into(), place: place.into() };
        assert_eq!(mounts(text), [mount("/", "/sys/fs/cgroup/unified"), mount("/a b", "/mnt/with\\one")]);
    }

    #[test]
    fn a_link_on_the_way_and_a_folder_of_another_kind_are_no_group() {
        let outer = tempfile::tempdir().expect("a folder");
        let link = outer.path().join("link");
        std::os::unix::fs::symlink("/sys/fs/cgroup", &link).expect("a link");
        for place in [link, outer.path().to_owned()] {
            let mount = Mount { top: "/".into(), place };
            assert!(open_group(&mount, Path::new("/")).is_err(), "{mount:?}");
        }
    }
}
