//! What reads as a patch is written in one form, which reads as the same patch and is written the same again.

#![no_main]

use gephost_core::patch::{Limits, emit, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(patch) = parse(text, &Limits::default()) {
        let written = emit(&patch);
        let again = parse(&written, &Limits::default()).expect("the canonical form reads");
        assert_eq!(again, patch, "{written}");
        assert_eq!(emit(&again), written);
    }
});
