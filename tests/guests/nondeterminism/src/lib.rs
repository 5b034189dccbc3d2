//! The gene of the test `determinism`: it reads everything by which two runs of a program commonly differ, and returns one
//! finding for each, with the value as its title.

mod machine;
mod wasi;

use std::fmt::Debug;

use gephost_gene::{Finding, Gene, GeneError, Severity};

struct Nondeterminism;

impl Gene for Nondeterminism {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let seen = [
            ("random", wasi::random()),
            ("clocks", machine::clocks()),
            ("hash-map-order", machine::hash_map_order()),
            ("environment", machine::environment()),
            ("files", machine::files()),
            ("listing", machine::listing()),
            ("nan-bits", machine::nan_bits()),
            ("floating-point", machine::floating_point()),
            ("addresses", machine::addresses()),
            ("threads", machine::threads()),
        ];
        Ok(seen.into_iter().map(|(id, title)| finding(id, title)).collect())
    }
}

gephost_gene::gene!(Nondeterminism, world: heuristic, manifest: "gene.json");

fn finding(id: &str, title: String) -> Finding {
    Finding {
        id: id.to_owned(),
        kind: "source".to_owned(),
        title,
        severity: Severity::Info,
        confidence: 1.0,
        hypothesis: String::new(),
        evidence: Vec::new(),
        direction: String::new(),
        signals: Vec::new(),
        occurrences: 1,
    }
}

/// An FNV-1a hash of a value's debug text, for values that are too long for a title.
fn digest(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x} over {} bytes", text.len())
}
