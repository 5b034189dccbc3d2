//! How the operating system confines validation commands: the level, the network that they may reach, and the caches
//! that they may read. The operator sets all three in `[validation]`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::RepoPath;

/// How far validation commands are confined. A higher level includes the lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Level {
    /// A process of its own: no shell, no inherited environment, descriptor or terminal, no new privileges, and
    /// resource limits. The whole process tree is killed at the end.
    L0,
    /// Also confines files, system calls and capabilities, with Landlock and seccomp.
    L1,
    /// Also has its own namespaces for users, processes, files and the network.
    L2,
}

impl Level {
    /// All of them, lowest first.
    pub const ALL: [Self; 3] = [Self::L0, Self::L1, Self::L2];

    /// Its name in configs and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
            Self::L2 => "L2",
        }
    }
}

/// What bounds the memory that the processes of a validation command use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryBound {
    /// The kernel, in a control group of the command's own.
    Kernel,
    /// gephost, which measures it ten times a second.
    Measured,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `[validation] sandbox`: the level that the operator demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Demand {
    /// The highest level that works on this machine.
    #[default]
    Auto,
    /// This level, or the highest below it that works on this machine.
    AtMost(Level),
    /// This level; without it, nothing is validated.
    Required(Level),
}

impl Demand {
    /// The highest level that may be used.
    pub fn most(self) -> Level {
        match self {
            Self::Auto => Level::L2,
            Self::AtMost(level) | Self::Required(level) => level,
        }
    }

    /// The lowest level that will do.
    pub fn least(self) -> Level {
        match self {
            Self::Auto | Self::AtMost(_) => Level::L0,
            Self::Required(level) => level,
        }
    }
}

impl FromStr for Demand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let level = |name: &str| Level::ALL.into_iter().find(|level| level.as_str() == name);
        let read = match text.strip_prefix("required:") {
            Some(name) => level(name).map(Self::Required),
            None if text == "auto" => Some(Self::Auto),
            None => level(text).map(Self::AtMost),
        };
        read.ok_or_else(|| {
            format!(
                "{text:?} is not a sandbox level; write \"auto\", \"L0\", \"L1\", \"L2\" or \"required:L1\" and so on"
            )
        })
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::AtMost(level) => level.fmt(f),
            Self::Required(level) => write!(f, "required:{level}"),
        }
    }
}

/// `[validation] network`: what commands may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Nothing. It needs L1, because lower levels cannot block the network.
    None,
    /// Servers that the commands start themselves. It needs L2, because only a network namespace has no other
    /// addresses.
    Loopback,
    /// Everything that the operator can reach.
    All,
}

impl Network {
    /// The lowest level that can enforce it.
    pub fn least_level(self) -> Level {
        match self {
            Self::None => Level::L1,
            Self::Loopback => Level::L2,
            Self::All => Level::L0,
        }
    }

    /// Its name in a config.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Loopback => "loopback",
            Self::All => "all",
        }
    }
}

/// One of `[validation] caches`: packages that were fetched before, for use without a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Cache {
    /// Cargo's registry: index, archives and sources.
    Cargo,
    /// npm's cache.
    Npm,
    /// pip's cache.
    Pip,
    /// Go's module cache and build cache.
    Go,
    /// A folder of the project that git does not track, such as `node_modules`.
    Folder(RepoPath),
}

impl FromStr for Cache {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "cargo" => Self::Cargo,
            "npm" => Self::Npm,
            "pip" => Self::Pip,
            "go" => Self::Go,
            folder => {
                let wrong = |error| format!("cache {folder:?} is neither cargo, npm, pip or go nor a folder: {error}");
                Self::Folder(RepoPath::new(folder.trim_end_matches('/')).map_err(wrong)?)
            }
        })
    }
}

impl fmt::Display for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cargo => "cargo",
            Self::Npm => "npm",
            Self::Pip => "pip",
            Self::Go => "go",
            Self::Folder(path) => path.as_str(),
        })
    }
}

impl TryFrom<String> for Demand {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Demand> for String {
    fn from(demand: Demand) -> Self {
        demand.to_string()
    }
}

impl TryFrom<String> for Cache {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Cache> for String {
    fn from(cache: Cache) -> Self {
        cache.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demand_reads_back() {
        for (text, least, most) in [
            ("auto", Level::L0, Level::L2),
            ("L0", Level::L0, Level::L0),
            ("L1", Level::L0, Level::L1),
            ("required:L0", Level::L0, Level::L0),
            ("required:L1", Level::L1, Level::L1),
            ("required:L2", Level::L2, Level::L2),
        ] {
            let demand: Demand = text.parse().expect("a demand");
            assert_eq!((demand.to_string().as_str(), demand.least(), demand.most()), (text, least, most));
        }
        for text in ["", "L3", "l1", "required:", "required:auto", "required: L1", "none"] {
            assert!(text.parse::<Demand>().is_err(), "{text}");
        }
    }

    #[test]
    fn caches_are_names_or_folders_of_the_project() {
        assert_eq!("cargo".parse(), Ok(Cache::Cargo));
        assert_eq!("web/node_modules/".parse::<Cache>().expect("a folder").to_string(), "web/node_modules");
        for text in ["", "../x", "/etc", "a/../b", ".git"] {
            assert!(text.parse::<Cache>().is_err(), "{text}");
        }
    }
}
