//! The repairs: which one an error calls for, and what it changes in a file. Each language has its own.

use crate::fault::{Fault, Frame, Language};
use crate::packages::Change;
use crate::{node, python};

/// A repair. The same value repairs every file that has the same fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// In a Python file.
    Python(python::Repair),
    /// In a JavaScript file.
    Node(node::Repair),
    /// What a manifest of Python or npm asks for.
    Package(Change),
}

/// The repair for a fault; `None` if no single repair is known to be right.
pub(crate) fn repair_for(fault: &Fault) -> Option<Repair> {
    match fault.language {
        Language::Python => python::Repair::for_fault(fault).map(Repair::Python),
        Language::Node => node::Repair::for_fault(fault).map(Repair::Node),
    }
}

impl Repair {
    /// The file's new content; `None` if this repair does not apply to it. `place` is the physical line (from 0) that failed
    /// and the frame that names it; without a place the whole file is repaired.
    pub(crate) fn apply(&self, source: &[u8], place: Option<(usize, &Frame)>) -> Option<Vec<u8>> {
        match self {
            Self::Python(repair) => repair.apply(source, place),
            Self::Node(repair) => repair.apply(source, place.map(|(line, _)| line)),
            Self::Package(change) => change.repair(source),
        }
    }

    /// A word that every other file with the same fault contains; `None` if the repair is for one place only.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Python(repair) => repair.word(),
            Self::Node(repair) => repair.word(),
            Self::Package(_) => None,
        }
    }

    /// The Python module whose name failed. If the workspace has a module of that name, the tables do not apply.
    pub(crate) fn module(&self) -> Option<&str> {
        match self {
            Self::Python(repair) => repair.module(),
            _ => None,
        }
    }

    /// The name whose definition in the workspace would be another explanation of the fault.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Python(repair) => repair.name(),
            _ => None,
        }
    }

    /// Whether another file than the one that failed may have to change.
    pub(crate) fn is_unplaced(&self) -> bool {
        match self {
            Self::Python(repair) => repair.is_unplaced(),
            Self::Node(repair) => repair.is_unplaced(),
            Self::Package(_) => false,
        }
    }

    /// The only folder whose files may have the same fault.
    pub(crate) fn folder(&self) -> Option<&str> {
        match self {
            Self::Python(python::Repair::Siblings(siblings)) => Some(&siblings.folder),
            _ => None,
        }
    }

    /// Whether this file gives the name that failed another meaning than the repair does.
    pub(crate) fn is_denied_by(&self, source: &[u8]) -> bool {
        self.name().is_some_and(|name| python::defines(source, name, self.module()))
    }

    /// The files that may have the same fault.
    pub(crate) fn globs(&self) -> &'static [&'static str] {
        match self {
            Self::Python(_) => &["**/*.py"],
            Self::Node(_) => &["**/*.js", "**/*.cjs", "**/*.mjs"],
            Self::Package(change) => change.manifests(),
        }
    }

    /// What a port of the whole project replaces beside this, for its title.
    pub(crate) fn rest(&self) -> &'static str {
        match self {
            Self::Node(_) => ", and replace the rest of Node's old names,",
            _ => ", and replace the rest of what Python 3 removed,",
        }
    }

    /// Whether the fault shows that the project is written for Python 2, or for an old version of Node. `source` is the
    /// failing file as it is.
    pub(crate) fn is_old(&self, source: &[u8]) -> bool {
        match self {
            Self::Python(repair) => repair.is_of_two(source),
            Self::Node(repair) => repair.is_old(),
            Self::Package(_) => false,
        }
    }

    /// Whether it only replaces a name by its successor, so that the code behaves as it did before.
    pub(crate) fn is_plain_rename(&self) -> bool {
        match self {
            Self::Python(repair) => repair.is_plain_rename(),
            Self::Node(repair) => repair.is_plain_rename(),
            Self::Package(_) => false,
        }
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        match self {
            Self::Python(repair) => repair.describe(),
            Self::Node(repair) => repair.describe(),
            Self::Package(change) => change.describe(),
        }
    }
}
