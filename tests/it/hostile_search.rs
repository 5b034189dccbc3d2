//! Genes that search and mean harm: too many edits, edits of what they may not touch, edits that lie about what they are, and
//! a call that never ends. A search ends in its time, tries nothing that the gate refuses, and leaves the checkout alone.

use std::fs;
use std::time::{Duration, Instant};

use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::guests::{search_edits, searching};
use crate::scene::{published, python};

const GENE: &str = "hostile.wasm";
const CONFIG: &str = "[policy]\nallow = [\"*.py\"]\n[apply]\nenabled = true\n[search]\nmax_wall_s = 4\n";
const PROGRAM: &str = "LOW = 1\n\n\ndef spread(numbers):\n    return max(numbers) - min(numbers) + LOW\n";
const TEST: &str = "import unittest\n\nimport program\n\n\nclass Tests(unittest.TestCase):\n    def test_spread(self):\n        \
                    self.assertEqual(program.spread([3, 9, 4]), 6)\n";

/// What a search came to.
struct Searched {
    document: Value,
    ran: Ran,
    branches: Vec<String>,
    took: Duration,
}

impl Searched {
    /// The record of the search.
    fn record(&self) -> &Value {
        let calls = self.document["calls"].as_array().into_iter().flatten();
        calls
            .map(|call| &call["search"])
            .find(|record| record.is_object())
            .unwrap_or_else(|| panic!("{}", self.document))
    }
}

/// Applies the gene in a project with a failing test. The checkout stays as it is.
fn search(gene: &[u8], config: &str) -> Searched {
    let env = TestEnv::new();
    let files = [("program.py", PROGRAM), ("test_program.py", TEST), ("notes.md", "x\n"), ("gephost.toml", config)];
    let project = TestProject::new(&env, &files);
    env.run(project.root(), &["record", "--", "python3", "-B", "-m", "unittest", "-q"]).expect_code(1);
    fs::write(project.root().join(GENE), gene).unwrap();
    let before = project.fingerprint();
    let began = Instant::now();
    let ran = env.run(project.root(), &["run", "--apply", "--json", "--gene", GENE]);
    let took = began.elapsed();
    assert_eq!(project.fingerprint(), before);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    let document = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    Searched { document, branches: published(&env, &project), ran, took }
}

#[test]
fn edits_of_what_a_gene_may_not_touch_are_not_tried() {
    if !python() {
        return;
    }
    let weaker = TEST.replace(", 6)", ", 7)");
    let constant = "LOW = 1\n\n\ndef spread(numbers):\n    return 6\n";
    let edits = [
        // The test itself, another file, a new one that Python runs, git's own, one outside, and what only silences.
        ("test_program.py", weaker.as_str()),
        ("notes.md", "y\n"),
        ("sitecustomize.py", "LOW = 0\n"),
        (".git/hooks/post-checkout", "#!/bin/sh\n"),
        ("../program.py", "x\n"),
        ("program.py", constant),
    ];
    for edit in edits {
        let searched = search(&search_edits(&[edit], 1), CONFIG);
        let record = searched.record();
        let counts = (&record["edits"], &record["refused"], &record["tried"]);
        assert_eq!(counts, (&1.into(), &1.into(), &0.into()), "{edit:?}: {record}");
        assert!(record["refusal"].is_string() && searched.branches.is_empty(), "{edit:?}: {record}");
    }
}

#[test]
fn a_flood_of_edits_ends_in_its_time() {
    if !python() {
        return;
    }
    let useless: Vec<String> = (0..40).map(|number| format!("{PROGRAM}# {number}\n")).collect();
    let edits: Vec<(&str, &str)> = useless.iter().map(|content| ("program.py", content.as_str())).collect();
    let searched = search(&search_edits(&edits, 1000), CONFIG);
    let record = searched.record();
    assert_eq!(record["edits"], 1000, "{record}");
    assert!(record["tried"].as_u64().unwrap() < 1000 && searched.branches.is_empty(), "{record}");
    assert!(searched.took < Duration::from_secs(60), "{:?}", searched.took);
    assert!(searched.ran.stdout.len() < 64 << 10, "the record does not grow with the edits");
    // More than the contract allows are no answer.
    let searched = search(&search_edits(&edits, 1001), CONFIG);
    assert!(searched.document.to_string().contains("1,000") || searched.ran.code != 0, "{}", searched.document);
    assert!(searched.branches.is_empty());
}

#[test]
fn a_search_whose_gene_never_answers_is_cut_off() {
    if !python() {
        return;
    }
    let config = format!("{CONFIG}[budgets]\nwall_ms = 1500\n");
    let searched = search(&searching("propose_loop"), &config);
    assert!(searched.document.to_string().contains("wall time budget"), "{}", searched.document);
    assert!(searched.branches.is_empty() && searched.took < Duration::from_secs(60));
}

/// Two different edits pass, and the gene gives both the same title.
#[test]
fn edits_of_one_title_in_two_places_are_ambiguous() {
    if !python() {
        return;
    }
    let one = PROGRAM.replace("LOW = 1", "LOW = 0");
    let other = PROGRAM.replace(" + LOW", "");
    let edits = [("program.py", one.as_str()), ("program.py", other.as_str())];
    let searched = search(&search_edits(&edits, 2), CONFIG);
    let record = searched.record();
    assert_eq!(record["ambiguous"].as_array().map(Vec::len), Some(2), "{record}");
    assert!(searched.branches.is_empty());
    // Alone, each of them holds.
    let searched = search(&search_edits(&edits[..1], 1), CONFIG);
    assert_eq!((searched.branches.len(), searched.ran.code), (1, 0), "{}", searched.document);
}
