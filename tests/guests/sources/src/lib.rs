//! The gene of the test `determinism`: looks at everything by which two runs of a program commonly differ, and gives one
//! finding for each, whose title is what it saw.

mod machine;
mod wasi;

use std::fmt::Debug;

use gephost_gene::{Finding, Gene, GeneError, Severity};

struct Sources;

impl Gene for Sources {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let seen = [
            ("random", wasi::random()),
            ("clocks", machine::clocks()),
            ("hash-map-order", machine::hash_map_order()),
            ("surroundings", machine::surroundings()),
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

gephost_gene::gene!(Sources, world: heuristic, manifest: "gene.json");

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

/// FNV-1a over a value as Rust writes it, where that is too long for a title.
fn digest(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x} over {} bytes", text.len())
}
