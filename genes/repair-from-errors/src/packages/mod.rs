//! Repairs of the packages that a project asks for: one that is missing, and releases that do not work together. Only the
//! manifest changes. The package manager brings lock files and installed packages up to date.

mod npm;
mod pip;
mod table;

use crate::fault::{Fault, Language};

/// A change of what a project asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A package of `PyPI` that the code imports, by its module.
    Missing { module: &'static str, package: &'static str },
    /// A bound for a package of `PyPI`.
    Bound { package: &'static str, bound: &'static str },
    /// An older range for a package of npm.
    Range { package: &'static str, first: u64, range: &'static str },
}

impl Change {
    /// The change for a fault; `None` if the tables have none.
    pub(crate) fn for_fault(fault: &Fault) -> Option<Self> {
        match fault.language {
            Language::Python => bound(fault).or_else(|| missing(fault)),
            Language::Node => range(fault),
        }
    }

    /// Whether the file that failed must be one of the project, and must not expect the failure.
    pub(crate) fn is_missing(self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// The manifests that may ask for the package, by their names in the project's root.
    pub(crate) fn manifests(self) -> &'static [&'static str] {
        match self {
            Self::Missing { .. } | Self::Bound { .. } => &["requirements.txt", "pyproject.toml"],
            Self::Range { .. } => &["package.json"],
        }
    }

    /// The manifest with the change; `None` if it does not ask for packages, or asks for this one in another way.
    pub(crate) fn repair(self, source: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Missing { package, .. } => pip::added(source, package),
            Self::Bound { package, bound } => pip::bounded(source, package, bound),
            Self::Range { package, first, range } => npm::older(source, package, first, range),
        }
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(self) -> (String, String) {
        match self {
            Self::Missing { module, package } => (
                format!("require {package}"),
                format!("the module {module} is part of {package}, which nothing requires"),
            ),
            Self::Bound { package, bound } => {
                (format!("require {package}{bound}"), format!("another package needs names that {package} removed"))
            }
            Self::Range { package, first, range } => {
                let why = format!("{package} {first} and later can only be imported, and this project requires it");
                (format!("use {package} {range}"), why)
            }
        }
    }
}

/// The package whose code a path belongs to.
fn installed<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.rsplit_once(folder)?.1.split('/').find(|part| !part.is_empty())
}

fn bound(fault: &Fault) -> Option<Change> {
    let place = fault.frames.iter().find(|frame| !frame.path.starts_with('<'))?;
    let name = installed(&place.path, "/site-packages/")?;
    let fits = |entry: &&(&str, &str, &'static str, &'static str)| {
        let other = !entry.2.eq_ignore_ascii_case(name);
        (entry.0.is_empty() || entry.0 == name) && other && fault.message.contains(entry.1)
    };
    table::BOUNDS.iter().find(fits).map(|entry| Change::Bound { package: entry.2, bound: entry.3 })
}

fn missing(fault: &Fault) -> Option<Change> {
    if fault.kind != "ModuleNotFoundError" {
        return None;
    }
    let (name, _) = fault.message.strip_prefix("No module named '")?.split_once('\'')?;
    let entry = table::IMPORTS.iter().find(|entry| entry.0 == name.split('.').next().unwrap_or(name))?;
    Some(Change::Missing { module: entry.0, package: entry.1 })
}

/// `require() of ES Module /…/node_modules/chalk/source/index.js from /…/a.js not supported.`
fn range(fault: &Fault) -> Option<Change> {
    let rest = fault.message.strip_prefix("require() of ES Module ")?;
    let name = installed(rest.split(" from ").next()?, "/node_modules/")?;
    let entry = table::MODULES.iter().find(|entry| entry.0 == name)?;
    Some(Change::Range { package: entry.0, first: entry.1, range: entry.2 })
}
