//! `gephost doctor`: tries every enforcement. A check does not look up whether something is configured. It does what
//! must be refused, on this machine, and reports what refused it.
//!
//! Workers and genes try things in a folder that the caller creates and deletes.
//!
//! | file | what |
//! |---|---|
//! | `kernel` | what a worker under Landlock and seccomp cannot do |
//! | `guests` | what a gene cannot do: budgets, denied files, missing grants; limits on components and compiling |
//! | `validation` | what a validation command cannot do, at each level |
//! | `instances` | whether genes in the host's process get their instances from a pool |
//! | `cache` | what the compile cache does with a changed entry |

mod cache;
mod check;
mod guests;
mod instances;
mod kernel;
mod system_v;
mod validation;

use std::path::Path;

use crate::sandbox::Worker;
use crate::validate::Launcher;

pub use check::{Check, Status};

/// Every check of the sandbox for genes. `folder` is empty, and the caller deletes it.
pub fn sandbox(worker: &Worker, folder: &Path) -> Vec<Check> {
    let mut checks = kernel::checks(worker, folder);
    checks.extend(guests::checks(worker));
    checks.push(instances::check());
    checks.push(cache::check(folder));
    checks
}

/// Every check of the sandbox for validation commands. `folder` is empty, and the caller deletes it.
pub fn validation(launcher: &Launcher, folder: &Path) -> Vec<Check> {
    validation::checks(launcher, folder)
}
