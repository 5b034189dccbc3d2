//! From which point on a pattern is reported. build.rs generates the struct from the table `settings` in gene.json.
#![expect(clippy::unreadable_literal, clippy::doc_markdown, reason = "numbers and texts are those of gene.json")]

include!(concat!(env!("OUT_DIR"), "/thresholds.rs"));
