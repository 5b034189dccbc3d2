//! `gephost observe` over a folder of real sessions, against counts that were made by other means.
//!
//! The folder is not part of this repository: `GEPHOST_CORPUS` names it, or it stands beside it. It holds
//! `expected-counts.json` (`files`: path → `events`, `failures`, …) and the files.

use std::path::PathBuf;

use gephost_tests::environment::TestEnv;
use gephost_tests::{repository, skipped};
use serde_json::Value;

const KINDS: [&str; 5] = ["inbound_msg", "outbound_msg", "tool_start", "tool_end", "exception"];

#[test]
fn every_session_of_the_corpus_is_counted_as_expected() {
    let corpus =
        std::env::var_os("GEPHOST_CORPUS").map_or_else(|| repository().join("../shared/corpus"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(corpus.join("expected-counts.json")) else {
        skipped(&format!("no corpus of real logs at {} (`GEPHOST_CORPUS` names one)", corpus.display()));
        return;
    };
    let expected: Value = serde_json::from_str(&text).unwrap();
    let expected: Vec<(&String, &Value)> = expected["files"].as_object().unwrap().iter().collect();
    assert!(!expected.is_empty());
    let mut arguments = vec!["observe", "--calls"];
    arguments.extend(expected.iter().map(|(path, _)| path.as_str()));
    let (document, code) = TestEnv::new().json(&corpus, &arguments);
    assert_eq!(code, 0);
    let files = document["files"].as_array().unwrap();
    assert_eq!(files.len(), expected.len());
    // The file says so too, call by call.
    let calls = document["calls"].as_array().unwrap();
    let sum = |name: &str| files.iter().map(|file| file["outcomes"][name].as_u64().unwrap()).sum::<u64>();
    for outcome in ["success", "failure", "rejected", "cascade", "unfinished"] {
        assert_eq!(calls.iter().filter(|call| call["outcome"] == outcome).count() as u64, sum(outcome), "{outcome}");
    }
    let mut wrong = Vec::new();
    for (path, expected) in expected {
        let file = files.iter().find(|file| file["path"] == path.as_str()).expect("paths are as spelled");
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        for kind in KINDS {
            let (got, want) = (count(&file["events"][kind]), count(&expected["events"][kind]));
            if got != want {
                wrong.push(format!("{path}: {got} {kind}, expected {want}"));
            }
        }
        let (got, want) = (count(&file["flagged"]), count(&expected["failures"]));
        if got != want {
            wrong.push(format!("{path}: {got} flagged, expected {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
