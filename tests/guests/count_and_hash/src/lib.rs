//! The gene of the bench `run_log`: it counts failures by tool and hashes all texts of the run log, batch by batch.
//!
//! The title of the newest attempt says what to do: `count 4096` takes batches of that size and counts them, `skip 4096`
//! only takes them, which leaves the cost of handing them over.

pub mod totals;

use gephost_gene::run_log::{self, Batch};
use gephost_gene::{Finding, Gene, GeneError, Severity, history};

use totals::{Columns, Totals};

struct CountAndHash;

impl Gene for CountAndHash {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let order = history::attempts(&[])?.into_iter().next().map(|attempt| attempt.title).unwrap_or_default();
        let (how, size) = order.split_once(' ').unwrap_or(("count", "4096"));
        let size = size.parse().map_err(|_| bad_order(&order))?;
        let mut totals = Totals::new(run_log::tool_names()?.tools.len());
        let cursor = run_log::open(&run_log::everything())?;
        let mut events = 0;
        while let Some(batch) = cursor.next(size)? {
            events += batch.index.len();
            if how == "count" {
                totals.add(&columns(&batch));
            }
        }
        Ok(vec![finding(&totals, events)])
    }
}

gephost_gene::gene!(CountAndHash, world: heuristic, manifest: "gene.json");

fn columns(batch: &Batch) -> Columns<'_> {
    Columns { outcome: &batch.outcome, tool: &batch.tool, text_ends: &batch.text_ends, heap: &batch.heap }
}

fn bad_order(order: &str) -> GeneError {
    GeneError { code: "order".to_owned(), message: format!("{order:?} is not \"count N\" or \"skip N\"") }
}

fn finding(totals: &Totals, events: usize) -> Finding {
    Finding {
        id: "totals".to_owned(),
        kind: "totals".to_owned(),
        title: format!("{events} events, {:016x}, {:?}", totals.hash, totals.failures),
        severity: Severity::Info,
        confidence: 1.0,
        hypothesis: String::new(),
        evidence: Vec::new(),
        direction: String::new(),
        signals: Vec::new(),
        occurrences: 1,
    }
}
