//! Under which conditions tests are compiled, and the modules that bring them in.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;
use sha2::{Digest as _, Sha256};

use super::expression::ascii;
use super::shape::Tongue;
use super::tree::Node;
use crate::digest::hex;

/// Whether this is a module that is compiled for tests only.
pub(super) fn is_test_module(text: &str) -> bool {
    text.contains("mod ") && (text.contains("cfg(test") || text.contains("cfg(all(test"))
}

/// The conditions under which Rust compiles the code below these attributes.
pub(super) fn compiled_under(tongue: Tongue, header: &str) -> Vec<String> {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| ascii(r"#\s*\[\s*cfg\s*\(([^\]]*)\)\s*\]"));
    if tongue != Tongue::Rust {
        return Vec::new();
    }
    let found = CONDITION.captures_iter(header.as_bytes()).filter_map(|found| found.get(1));
    let conditions = found.map(|condition| String::from_utf8_lossy(condition.as_bytes()).trim().to_owned());
    let conditions = conditions.filter(|condition| condition != "test");
    conditions.map(|condition| format!("#[cfg({})]", short(condition))).collect()
}

/// The modules in other files that a source of Rust brings in.
pub(super) fn modules(tongue: Tongue, nodes: &[Node]) -> BTreeSet<String> {
    let alone = nodes.iter().filter(|node| tongue == Tongue::Rust && node.blocks.is_empty());
    let named = alone.filter_map(|node| node.text.rsplit_once("mod "));
    named.map(|(_, name)| name.trim().to_owned()).filter(|name| !name.contains(' ')).collect()
}

/// The conditions of a whole file: build tags, `#![cfg(…)]`.
pub(super) fn conditions(tongue: Tongue, code: &str, text: &str) -> BTreeSet<String> {
    let lines = match tongue {
        Tongue::Go => text,
        Tongue::Rust => code,
        Tongue::Python | Tongue::JavaScript => return BTreeSet::new(),
    };
    let tags = lines
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("//go:build") || line.starts_with("// +build") || line.starts_with("#![cfg("));
    tags.map(str::to_owned).collect()
}

/// A text that each test of a group keeps: of a long one, its digest.
pub(super) fn short(text: String) -> String {
    const MAX_BYTES: usize = 256;
    if text.len() <= MAX_BYTES { text } else { hex(&Sha256::digest(text.as_bytes())) }
}
