//! What a confined command may read of the system: programs, libraries, and the settings that every program uses.
//!
//! Each entry was chosen deliberately. Homes, `/var`, `/run`, `/srv`, `/mnt` and the parts of `/etc` that hold secrets
//! (`shadow`, host keys, private certificates) are not listed, because a command started as root without capabilities
//! still owns them.

#![expect(clippy::disallowed_methods, reason = "a command is confined to paths")]

use std::path::{Path, PathBuf};

/// Programs, libraries, and information from the kernel about the machine.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr",
    "/nix/store",
    "/run/current-system/sw",
    "/gnu/store",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Settings in `/etc` that contain no secrets.
const SETTINGS: &[&str] = &[
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "gitconfig",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "java",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "magic",
    "magic.mime",
    "mailcap",
    "mime.types",
    "nsswitch.conf",
    "openssl",
    "os-release",
    "passwd",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "profile",
    "protocols",
    "pyenv.d",
    "python3",
    "resolv.conf",
    "rpc",
    "services",
    "shells",
    "ssl/certs",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "xdg",
];

/// All of these that exist.
pub(super) fn system() -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let settings = SETTINGS.iter().map(|name| etc.join(name));
    SYSTEM.iter().map(PathBuf::from).chain(settings).filter(|path| path.exists()).collect()
}
