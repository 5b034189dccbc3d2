//! The gene of the bench `run_log`: folds the whole run log, batch by batch, without looking at a row.
//!
//! The bench tells it how in the title of the newest attempt: `fold 4096` folds batches of that size, `cross 4096` takes
//! them and looks at nothing, which leaves the cost of the crossing.

pub mod tally;

use gephost_gene::run_log::{self, Batch};
use gephost_gene::{Finding, Gene, GeneError, Severity, history};

use tally::{Columns, Tally};

struct Fold;

impl Gene for Fold {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let order = history::attempts(&[])?.into_iter().next().map(|attempt| attempt.title).unwrap_or_default();
        let (how, size) = order.split_once(' ').unwrap_or(("fold", "4096"));
        let size = size.parse().map_err(|_| bad_order(&order))?;
        let mut tally = Tally::new(run_log::tool_names()?.tools.len());
        let cursor = run_log::open(&run_log::everything())?;
        let mut events = 0;
        while let Some(batch) = cursor.next(size)? {
            events += batch.index.len();
            if how == "fold" {
                tally.add(&columns(&batch));
            }
        }
        Ok(vec![finding(&tally, events)])
    }
}

gephost_gene::gene!(Fold, world: heuristic, manifest: "gene.json");

fn columns(batch: &Batch) -> Columns<'_> {
    Columns { outcome: &batch.outcome, tool: &batch.tool, text_ends: &batch.text_ends, heap: &batch.heap }
}

fn bad_order(order: &str) -> GeneError {
    GeneError { code: "order".to_owned(), message: format!("{order:?} is no order") }
}

fn finding(tally: &Tally, events: usize) -> Finding {
    Finding {
        id: "fold".to_owned(),
        kind: "fold".to_owned(),
        title: format!("{events} events, {:016x}, {:?}", tally.hash, tally.failures),
        severity: Severity::Info,
        confidence: 1.0,
        hypothesis: String::new(),
        evidence: Vec::new(),
        direction: String::new(),
        signals: Vec::new(),
        occurrences: 1,
    }
}
