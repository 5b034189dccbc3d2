//! The files that may call what `clippy.toml` bans: files by path, the environment, clocks, processes, connections.
//!
//! Such a file says why with `#![expect(clippy::disallowed_methods, reason = "…")]`. It also needs a line in `homes.txt`, so
//! that a new one is seen in a review. Code under `#[cfg(test)]` may do what it likes.

use std::collections::BTreeSet;

use syn::visit::{Visit, visit_item};
use syn::{Attribute, Item, Meta};

use crate::imports::attributes;
use crate::modules::{Sources, is_test};

/// The files of a crate that allow themselves a banned call, by their paths below `src`.
pub(crate) fn homes(sources: &Sources) -> BTreeSet<String> {
    let is_home = |text: &String| {
        let mut found = Found(false);
        found.visit_file(&syn::parse_file(text).expect("a source file"));
        found.0
    };
    let files = sources.iter().filter(|(file, _)| !is_test_file(&file.to_string_lossy()));
    files.filter(|(_, text)| is_home(text)).map(|(file, _)| file.to_string_lossy().into_owned()).collect()
}

fn is_test_file(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
}

struct Found(bool);

impl<'ast> Visit<'ast> for Found {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit_item(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let is_lint = attribute.path().is_ident("expect") || attribute.path().is_ident("allow");
        if let (true, Meta::List(list)) = (is_lint, &attribute.meta) {
            self.0 |= list.tokens.to_string().replace(' ', "").contains("clippy::disallowed_methods");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_home(text: &str) -> bool {
        !homes(&Sources::from([("a.rs".into(), text.to_owned())])).is_empty()
    }

    #[test]
    fn a_file_or_an_item_that_lifts_the_ban_is_a_home() {
        for text in [
            "#![expect(clippy::disallowed_methods, reason = \"r\")]",
            "#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = \"r\")]",
            "#[allow(clippy::disallowed_methods)] fn f() {}",
            "fn f() { #[expect(clippy::disallowed_methods)] let a = g(); }",
            "struct A; impl A { #[expect(clippy::disallowed_methods)] fn f() {} }",
        ] {
            assert!(is_home(text), "{text}");
        }
        for text in [
            "#![cfg_attr(test, allow(clippy::disallowed_methods, reason = \"r\"))]",
            "#[cfg(test)] mod tests { #![allow(clippy::disallowed_methods)] }",
            "#![expect(clippy::disallowed_types)] fn f() {}",
        ] {
            assert!(!is_home(text), "{text}");
        }
    }
}
