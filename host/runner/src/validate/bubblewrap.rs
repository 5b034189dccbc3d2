//! The arguments with which bubblewrap starts a command in its own namespaces: users, processes, names and, unless it
//! is granted, the network. The file system there contains only what may be read and the command's own folder.

#![expect(clippy::disallowed_methods, reason = "programs are found by path")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use gephost_core::validation::Network;

/// Where distributions install it. The operator's search path is not used, because others may be able to write to its
/// folders.
const PLACES: &[&str] = &["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// The bubblewrap program, if it is installed.
pub fn find() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// The command line up to the program that runs inside.
pub(super) fn words(program: &Path, folder: &Path, readable: &[PathBuf], network: Network) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![program.into()];
    let mut say = |parts: &[&std::ffi::OsStr]| words.extend(parts.iter().map(|part| (*part).to_owned()));
    for word in [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
    ] {
        say(&[word.as_ref()]);
    }
    if network != Network::All {
        say(&["--unshare-net".as_ref()]);
    }
    say(&["--cap-drop".as_ref(), "ALL".as_ref()]);
    // The kernel's file systems come first, because later paths may be inside them. So does a folder for temporary
    // files under the usual name, on the disk that is watched.
    say(&["--proc".as_ref(), "/proc".as_ref(), "--dev".as_ref(), "/dev".as_ref()]);
    say(&["--bind".as_ref(), folder.join("tmp").as_os_str(), "/tmp".as_ref()]);
    for path in readable.iter().filter(|path| !path.starts_with("/proc") && !path.starts_with("/dev")) {
        match fs::read_link(path) {
            // `/bin` is a link on most systems, and programs are named through it.
            Ok(target) if path.parent() == Some(Path::new("/")) => {
                say(&["--symlink".as_ref(), target.as_os_str(), path.as_os_str()]);
            }
            _ => say(&["--ro-bind-try".as_ref(), path.as_os_str(), path.as_os_str()]),
        }
    }
    say(&["--bind".as_ref(), folder.as_os_str(), folder.as_os_str()]);
    say(&["--".as_ref()]);
    words
}
