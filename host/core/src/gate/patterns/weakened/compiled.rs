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
    match tongue {
        Tongue::Go => build_tags(text).into_iter().collect(),
        Tongue::Rust => {
            // Both texts are as long, and one has no strings.
            let both = code.lines().zip(text.lines());
            let found = both.filter(|(code, _)| code.trim_start().starts_with("#![cfg("));
            found.map(|(_, line)| without_all(line.trim())).collect()
        }
        Tongue::Python | Tongue::JavaScript => BTreeSet::new(),
    }
}

/// A condition without `all(…)` around a single one.
fn without_all(line: &str) -> String {
    let inner = line.strip_prefix("#![cfg(all(").and_then(|rest| rest.split_once(")]"));
    let alone = inner.and_then(|(all, _)| all.strip_suffix(')')).map(|all| all.trim_end_matches([' ', ',']));
    alone.filter(|one| !one.contains(',')).map_or_else(|| line.to_owned(), |one| format!("#![cfg({one})]"))
}

/// The condition of the build tags of Go. Where both spellings stand, the compiler reads `//go:build` alone.
fn build_tags(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim);
    let flat = |tags: &str| tags.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(tags) = lines().find_map(|line| line.strip_prefix("//go:build ")) {
        return Some(format!("//go:build {}", flat(tags)));
    }
    let is_word = |rest: &&str| rest.starts_with(char::is_whitespace);
    let old = lines().filter_map(|line| line.strip_prefix("//")?.trim_start().strip_prefix("+build").filter(is_word));
    let all: Vec<String> = old.map(either).collect();
    let several = all.len() > 1;
    let within = |one: &String| if several && one.contains(" || ") { format!("({one})") } else { one.clone() };
    (!all.is_empty()).then(|| format!("//go:build {}", all.iter().map(within).collect::<Vec<_>>().join(" && ")))
}

/// A line of the old spelling in the new one: a blank says "or", and a comma says "and".
fn either(tags: &str) -> String {
    let all: Vec<&str> = tags.split_whitespace().collect();
    let is_alone = all.len() == 1;
    let both = |tag: &&str| match tag.replace(',', " && ") {
        tag if is_alone || !tag.contains(' ') => tag,
        tag => format!("({tag})"),
    };
    all.iter().map(both).collect::<Vec<_>>().join(" || ")
}

/// A text that each test of a group keeps: of a long one, its digest.
pub(super) fn short(text: String) -> String {
    const MAX_BYTES: usize = 256;
    if text.len() <= MAX_BYTES { text } else { hex(&Sha256::digest(text.as_bytes())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_may_be_spelled_in_two_ways() {
        let go = |text: &str| conditions(Tongue::Go, text, text);
        for (old, new) in [
            ("// +build go1.9", "//go:build go1.9\n// +build go1.9"),
            ("//+build linux darwin", "//go:build linux || darwin"),
            ("// +build !race,cgo linux", "//go:build (!race && cgo) || linux"),
            ("// +build a b\n// +build c", "//go:build (a || b) && c"),
            ("//go:build  a", "//go:build a\n// +build b"),
        ] {
            assert_eq!(go(old), go(new), "{old}");
        }
        for (old, new) in [("// +build a", "//go:build b"), ("// +build a", ""), ("// +build a b", "// +build a,b")] {
            assert_ne!(go(old), go(new), "{old}");
        }
        let rust = |text: &str| conditions(Tongue::Rust, text, text);
        assert_eq!(rust("#![cfg(all(feature = \"a\"))]"), rust("#![cfg(feature = \"a\")]"));
        assert_ne!(rust("#![cfg(all(unix, test))]"), rust("#![cfg(unix)]"));
        assert_eq!(
            conditions(Tongue::Rust, "#![cfg(x = \" \")]", "#![cfg(x = \"a\")]").first().map(String::as_str),
            Some("#![cfg(x = \"a\")]")
        );
    }
}
