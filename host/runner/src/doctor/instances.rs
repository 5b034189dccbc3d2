//! Tests whether genes that run in the host's own process get their instances from a pool.

use gephost_core::gene::Capability;

use super::check::{Check, Status};
use super::guests::{ASK_DENIED, inputs};
use crate::sandbox::{Budgets, Granted, Instances, Sandbox};

/// Reserves a pool if possible, and runs a gene.
pub(super) fn check() -> Check {
    let (id, tried) = ("instances", "reserve address space for a pool of instances, and run a gene in this process");
    let sandbox = match Sandbox::new(None) {
        Ok(sandbox) => sandbox,
        Err(error) => return Check::new(id, Status::Error, tried, error.to_string()),
    };
    let everything = Granted::new(&Capability::ALL, &Capability::ALL);
    let ran = sandbox
        .load(ASK_DENIED)
        .map_err(|error| error.to_string())
        .and_then(|gene| gene.diagnose(&inputs(), &everything, &Budgets::default()).result.map_err(|e| e.to_string()));
    let result = sandbox.instances().to_string();
    match (ran, sandbox.instances()) {
        (Err(error), _) => Check::new(id, Status::Error, tried, format!("{error} ({result})")),
        (Ok(_), Instances::Pooled { .. }) => Check::new(id, Status::Ok, tried, result),
        (Ok(_), Instances::OnDemand { .. }) => Check::new(id, Status::Warn, tried, result)
            .hint("genes still run, but more slowly in threads; `ulimit -v unlimited` removes a limit of the shell"),
    }
}
