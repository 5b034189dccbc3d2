//! Where a gene ran.

use serde::{Deserialize, Serialize};

use crate::confine::InForce;

/// Where a gene ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RanIn {
    /// In the host's process.
    Thread,
    /// In its own process, confined by these kernel features.
    Process(InForce),
}

impl std::fmt::Display for RanIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Process(in_force) = self else { return f.write_str("thread") };
        f.write_str("process")?;
        if let Some(version) = in_force.landlock {
            write!(f, "+landlock{version}")?;
        }
        if in_force.seccomp { f.write_str("+seccomp") } else { Ok(()) }
    }
}
