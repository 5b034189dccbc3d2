//! `gephost doctor`: every enforcement, tried. A check never says that something is configured; it does what must be
//! refused, on this machine, and says by what it was.
//!
//! Owns no effect of its own: it has workers and genes try things in a folder that the caller makes and throws away.
//!
//! | file | what |
//! |---|---|
//! | `kernel` | what a worker under Landlock and seccomp cannot do |
//! | `guests` | what a gene cannot do: budgets, denied files, what was not granted; caps on components and compiling |
//! | `validation` | what a validation command cannot do, at each level |
//! | `instances` | whether genes in the host's process get their instances from a pool |
//! | `cache` | what the compile cache does with a poisoned entry |

mod cache;
mod guests;
mod instances;
mod kernel;
mod system_v;
mod validation;

use std::path::Path;

use serde::Serialize;

use crate::sandbox::Worker;
use crate::validate::Launcher;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Refused, as it must be.
    Ok,
    /// Works, and could be tighter.
    Warn,
    /// Not refused, or broken.
    Error,
    /// Cannot be tried here.
    Unavailable,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name, for programs.
    pub id: String,
    /// What came of it.
    pub status: Status,
    /// What was tried.
    pub tried: String,
    /// What happened.
    pub result: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Check {
    /// A check without a hint.
    pub fn new(id: impl Into<String>, status: Status, tried: impl Into<String>, result: impl Into<String>) -> Self {
        Self { id: id.into(), status, tried: tried.into(), result: result.into(), hint: None }
    }

    /// The same, with what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Every check of the sandbox. `folder` is empty, and the caller's to throw away.
pub fn sandbox(worker: &Worker, folder: &Path) -> Vec<Check> {
    let mut checks = kernel::checks(worker, folder);
    checks.extend(guests::checks(worker));
    checks.push(instances::check());
    checks.push(cache::check(folder));
    checks
}

/// Every check of the sandbox that validation commands run in. `folder` is empty, and the caller's to throw away.
pub fn validation(launcher: &Launcher, folder: &Path) -> Vec<Check> {
    validation::checks(launcher, folder)
}
