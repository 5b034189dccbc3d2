//! No text makes the reader or the gate panic, and each text gets a verdict.

#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use gephost_core::gate::{Base, BaseEntry, BlobState, ParsedChange, FileMode, GeneHistory, review};
use gephost_core::policy::{Policy, PolicyTable, ValidationTable};
use gephost_core::proposal::Proposal;
use libfuzzer_sys::fuzz_target;

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let table = PolicyTable { allow: vec!["**".to_owned()], ..PolicyTable::default() };
    Policy::from_tables(table, &ValidationTable::default(), &[]).expect("a valid policy")
});

fuzz_target!(|text: &str| {
    let candidate = ParsedChange::read(Proposal::from_diff(text));
    // Every other path is there, with lines that small hunks may match.
    let content: Arc<[u8]> = Arc::from(&b"a\nb\nc\n"[..]);
    let entries: BTreeMap<_, _> = candidate
        .base_paths()
        .into_iter()
        .filter(|path| path.as_str().len() % 2 == 1)
        .map(|path| (path, BaseEntry::Blob(BlobState { mode: FileMode::Regular, content: Arc::clone(&content) })))
        .collect();
    let base = Base { commit: "0".repeat(40), entries, case_collisions: Vec::new(), unsearched: 0 };
    let verdict = review(&candidate, &base, &POLICY, GeneHistory::default());
    assert_eq!(verdict.layers().len(), 6);
});
