//! The operator's machine as validation commands see it: its programs, the folders that those need, and the environment
//! that names them. Commands get nothing else of the operator's environment.

#![expect(clippy::disallowed_methods, reason = "the folders of toolchains have known paths")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The parts of the operator's environment that concern programs. The command line reads them.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The search path.
    pub path: OsString,
    /// The operator's home.
    pub home: PathBuf,
    /// Those of [`VARIABLES`] that are set.
    pub variables: BTreeMap<String, OsString>,
}

/// Variables that say where a toolchain is, or which version to use.
pub const VARIABLES: &[&str] = &[
    "ASDF_DATA_DIR",
    "BUN_INSTALL",
    "CARGO_HOME",
    "DENO_DIR",
    "FNM_DIR",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_USER_HOME",
    "JAVA_HOME",
    "LD_LIBRARY_PATH",
    "MISE_DATA_DIR",
    "NVM_DIR",
    "PNPM_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "UV_PYTHON_INSTALL_DIR",
    "VOLTA_HOME",
    "npm_config_cache",
    "PIP_CACHE_DIR",
];

/// Where a toolchain keeps its programs, relative to the home or the variable's folder, and what of it may be read. If
/// a folder also contains credentials, the readable parts are listed.
struct Toolchain {
    variable: &'static str,
    /// Default folder, relative to the home.
    default: &'static str,
    /// Readable parts, relative to that folder; the empty path means all of it.
    parts: &'static [&'static str],
    /// Whether commands get the variable.
    told: bool,
}

const fn whole(variable: &'static str, default: &'static str) -> Toolchain {
    Toolchain { variable, default, parts: &[""], told: true }
}

const fn parts(variable: &'static str, default: &'static str, parts: &'static [&'static str]) -> Toolchain {
    Toolchain { variable, default, parts, told: true }
}

const TOOLCHAINS: &[Toolchain] = &[
    parts("RUSTUP_HOME", ".rustup", &["toolchains", "settings.toml", "update-hashes"]),
    Toolchain { variable: "CARGO_HOME", default: ".cargo", parts: &["bin"], told: false },
    whole("PYENV_ROOT", ".pyenv"),
    whole("RBENV_ROOT", ".rbenv"),
    parts("NVM_DIR", ".nvm", &["versions", "nvm.sh", "alias"]),
    parts("FNM_DIR", ".local/share/fnm", &["node-versions", "aliases"]),
    parts("VOLTA_HOME", ".volta", &["bin", "tools", "hooks.json"]),
    parts("BUN_INSTALL", ".bun", &["bin"]),
    parts("PNPM_HOME", ".local/share/pnpm", &[""]),
    parts("ASDF_DATA_DIR", ".asdf", &["installs", "shims", "plugins", "bin", "lib", "libexec"]),
    parts("MISE_DATA_DIR", ".local/share/mise", &["installs", "shims"]),
    parts("SDKMAN_DIR", ".sdkman", &["candidates"]),
    parts("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", &[""]),
    parts("GOROOT", "sdk/go", &[""]),
    parts("JAVA_HOME", ".local/share/java", &[""]),
];

/// What belongs to programs in a folder `bin`, beside it.
const BESIDE_PROGRAMS: &[&str] = &["lib", "lib64", "libexec", "include", "share", "pyvenv.cfg"];

/// The same for Go, which compiles its standard library from source.
const GO_ROOT: &[&str] = &["VERSION", "go.env", "pkg", "src"];

impl Machine {
    /// The search path of commands: those entries of the operator's path that are absolute and exist.
    pub fn search_path(&self) -> OsString {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(&self.path).filter(|folder| folder.is_absolute() && folder.is_dir()) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        std::env::join_paths(folders).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
    }

    /// The variables that commands get in addition to the search path.
    pub fn told(&self) -> Vec<(OsString, OsString)> {
        let mut told = Vec::new();
        for toolchain in TOOLCHAINS.iter().filter(|toolchain| toolchain.told) {
            let folder = self.folder(toolchain);
            if folder.is_dir() {
                told.push((toolchain.variable.into(), folder.into_os_string()));
            }
        }
        for name in ["RUSTUP_TOOLCHAIN", "PYENV_VERSION", "LD_LIBRARY_PATH"] {
            told.extend(self.variables.get(name).map(|value| (name.into(), value.clone())));
        }
        told
    }

    /// Files and folders that programs on the search path need in addition to the system's.
    pub fn readable(&self) -> Vec<PathBuf> {
        let mut readable: Vec<PathBuf> = Vec::new();
        for toolchain in TOOLCHAINS {
            let folder = self.folder(toolchain);
            readable.extend(toolchain.parts.iter().map(|part| folder.join(part)));
        }
        for folder in std::env::split_paths(&self.search_path()) {
            if folder.starts_with("/usr") || is_too_wide(&folder, &self.home) {
                continue;
            }
            let above = folder.parent().filter(|_| folder.file_name() == Some(OsStr::new("bin")));
            if let Some(above) = above.filter(|above| *above != self.home) {
                // In `~/.local`, the shared data includes keys and the state of programs.
                let shares = *above != self.home.join(".local");
                let beside = BESIDE_PROGRAMS.iter().filter(|name| shares || **name != "share");
                readable.extend(beside.map(|name| above.join(name)));
                if folder.join("go").is_file() && above.join("VERSION").is_file() {
                    readable.extend(GO_ROOT.iter().map(|name| above.join(name)));
                }
            }
            readable.push(folder);
        }
        readable.retain(|path| path.exists());
        readable.sort();
        readable.dedup();
        readable
    }

    /// The location of a cache: the variable's value, or its default in the home.
    pub(super) fn cache(&self, variable: &str, default: &str) -> PathBuf {
        let said = self.variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        said.unwrap_or_else(|| self.home.join(default))
    }

    /// Where Go keeps downloaded modules.
    pub(super) fn module_cache(&self) -> PathBuf {
        let paths = self.variables.get("GOPATH");
        let first = paths.and_then(|paths| std::env::split_paths(paths).find(|path| path.is_absolute()));
        let below = first.map_or_else(|| self.home.join("go/pkg/mod"), |path| path.join("pkg/mod"));
        self.variables.get("GOMODCACHE").map(PathBuf::from).filter(|path| path.is_absolute()).unwrap_or(below)
    }

    fn folder(&self, toolchain: &Toolchain) -> PathBuf {
        self.cache(toolchain.variable, toolchain.default)
    }
}

/// Whether a folder of the search path is the home itself or the root, which must not become readable.
fn is_too_wide(folder: &Path, home: &Path) -> bool {
    home.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_go_are_where_its_variables_say() {
        let at = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
            Machine { home: "/home/a".into(), variables, ..Machine::default() }.module_cache()
        };
        assert_eq!(at(&[]), Path::new("/home/a/go/pkg/mod"));
        assert_eq!(at(&[("GOPATH", "/one:/two")]), Path::new("/one/pkg/mod"));
        assert_eq!(at(&[("GOPATH", "relative"), ("GOMODCACHE", "/cache")]), Path::new("/cache"));
        assert_eq!(at(&[("GOMODCACHE", "relative")]), Path::new("/home/a/go/pkg/mod"));
    }

    #[test]
    fn programs_bring_what_is_beside_them_and_no_more() {
        let home = tempfile::tempdir().expect("a folder");
        for folder in [
            ".local/bin",
            ".local/lib",
            ".local/share",
            ".cargo/bin",
            ".cargo/registry",
            "tool/bin",
            "tool/share",
            "go/bin",
            "go/src",
            "go/other",
            ".ssh",
            "bin",
            "lib",
        ] {
            std::fs::create_dir_all(home.path().join(folder)).expect("a folder");
        }
        for file in ["go/bin/go", "go/VERSION"] {
            std::fs::write(home.path().join(file), "").expect("a file");
        }
        let named =
            [".local/bin", ".cargo/bin", "tool/bin", "go/bin", "bin", ""].map(|folder| home.path().join(folder));
        let path = std::env::join_paths(named.iter().chain([&PathBuf::from("relative")])).expect("a path");
        let machine = Machine { path, home: home.path().to_owned(), variables: BTreeMap::new() };
        let readable = machine.readable();
        let shown: Vec<&str> =
            readable.iter().filter_map(|path| path.strip_prefix(home.path()).ok()?.to_str()).collect();
        let expected = [
            ".cargo/bin",
            ".local/bin",
            ".local/lib",
            "bin",
            "go/VERSION",
            "go/bin",
            "go/src",
            "tool/bin",
            "tool/share",
        ];
        assert_eq!(shown, expected);
        assert!(!machine.search_path().to_string_lossy().contains("relative"));
    }
}
