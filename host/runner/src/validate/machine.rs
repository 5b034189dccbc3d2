//! The operator's machine, as validation commands see it: which programs there are, which folders those need, and the
//! environment that names them. Nothing else of the operator's environment reaches a command.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the operator's environment says of programs. The command line reads it.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The search path.
    pub path: OsString,
    /// The operator's home.
    pub home: PathBuf,
    /// The variables of [`VARIABLES`] that are set.
    pub variables: BTreeMap<String, OsString>,
}

/// Names of the variables that say where a toolchain is, or which one.
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

/// Where a toolchain keeps its programs, from the home or the variable's folder, and what of it is read. Folders that
/// hold credentials too are named by their parts.
struct Toolchain {
    variable: &'static str,
    /// From the home.
    default: &'static str,
    /// From that folder; empty for all of it.
    parts: &'static [&'static str],
    /// Whether commands are told the variable.
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

/// The same of Go, which compiles its library from source.
const GO_ROOT: &[&str] = &["VERSION", "go.env", "pkg", "src"];

impl Machine {
    /// The search path of commands: the operator's, of which only full paths of folders that are there.
    pub fn search_path(&self) -> OsString {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(&self.path).filter(|folder| folder.is_absolute() && folder.is_dir()) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        std::env::join_paths(folders).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
    }

    /// The variables that commands are told of, beside the search path.
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

    /// Folders and files that programs of the search path need, beside those of the system.
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
                // In `~/.local`, what is shared holds keys and states of programs.
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

    /// Where a cache is: what the variable says, or its place in the home.
    pub(super) fn cache(&self, variable: &str, default: &str) -> PathBuf {
        let said = self.variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        said.unwrap_or_else(|| self.home.join(default))
    }

    /// Where Go keeps modules that it fetched.
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

/// A search path with the home itself in it, or the root, must not open those.
fn is_too_wide(folder: &Path, home: &Path) -> bool {
    home.starts_with(folder)
}

/// Bytes of memory that can be had without swapping, if the system says.
pub fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
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
