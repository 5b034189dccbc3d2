//! What rustc 1.95 and its clippy say about crates of earlier years.

use super::cases::repaired;

fn fixed(source: &str, output: &str) -> Option<String> {
    repaired("cargo clippy", output, &[("src/lib.rs", source)])
}

/// An error that marks `word` in a line of the source.
fn error(message: &str, source: &str, number: usize, word: &str) -> String {
    let line = source.lines().nth(number - 1).expect("there is such a line");
    let column = line.find(word).expect("the word is there");
    let marks = format!("{}{}", " ".repeat(column), "^".repeat(word.len()));
    format!("error{message}\n --> src/lib.rs:{number}:{}\n  |\n{number} | {line}\n  | {marks}\n  |\n\n", column + 1)
}

#[test]
fn a_deprecated_method_that_passes_on_is_allowed() {
    const MESSAGE: &str =
        ": use of deprecated method `std::error::Error::description`: use the Display impl or to_string()";
    let of = |header: &str, method: &str, body: &str| {
        format!("{header}\n{{\n    fn {method}(&self) -> &str {{\n        {body}\n    }}\n}}\n")
    };
    let source = of("impl Error for Wrong", "description", "self.inner.description()");
    let expected = source.replace("    fn ", "    #[allow(deprecated)]\n    fn ");
    assert_eq!(fixed(&source, &error(MESSAGE, &source, 4, "description")), Some(expected));
    for other in [
        of("impl Wrong", "description", "self.inner.description()"),
        of("impl Error for Wrong", "text", "self.inner.description()"),
        of("impl Display for Wrong", "fmt", "self.inner.description()"),
    ] {
        assert_eq!(fixed(&other, &error(MESSAGE, &other, 4, "description")), None, "{other}");
    }
}

#[test]
fn a_crate_is_exported_by_its_declaration() {
    let case = |line: &str, name: &str| {
        let source = format!("{line}\n");
        let message = format!("[E0365]: extern crate `{name}` is private and cannot be re-exported");
        fixed(&source, &error(&message, &source, 1, name))
    };
    assert_eq!(case("pub use core as __core;", "core").as_deref(), Some("pub extern crate core as __core;\n"));
    // A crate that the file declares itself would be declared twice.
    assert_eq!(case("pub use other as __other;", "other"), None);
    assert_eq!(case("pub use core::fmt as core_fmt;", "core"), None);
}

#[test]
fn an_attribute_for_unstable_features_goes() {
    const MESSAGE: &str = "[E0554]: `#![feature]` may not be used on the stable release channel";
    let case = |line: &str| {
        let source = format!("{line}\nfn f() {{}}\n");
        fixed(&source, &error(MESSAGE, &source, 1, line))
    };
    assert_eq!(case("#![feature(set_recovery, core)]").as_deref(), Some("fn f() {}\n"));
    assert_eq!(case("#![cfg_attr(nightly, feature(core))]"), None);
    assert_eq!(case("#![feature(core)] #![no_std]"), None);
}

#[test]
fn the_bounds_of_a_parameter_come_together() {
    let case = |head: &str, rest: &str| {
        let source = format!("{head}\n    where K: Borrow<Q>,\n{rest}\n{{\n}}\n");
        let (first, last) = (head.find("Q:")? + 1, rest.find("Q:")? + 1);
        let marks = |column: usize| format!("  | {}^\n", " ".repeat(column - 1));
        let output = format!(
            "error: bound is defined in more than one place\n --> src/lib.rs:1:{first}\n  |\n1 | {head}\n{}2 |     where K: Borrow<Q>,\n3 | {rest}\n{}  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#multiple_bound_locations\n\n",
            marks(first),
            marks(last)
        );
        let text = fixed(&source, &output)?;
        let mut lines = text.lines();
        Some((lines.next()?.to_owned(), lines.nth(1)?.to_owned()))
    };
    let pair = |first: &str, last: &str| Some((first.to_owned(), last.to_owned()));
    assert_eq!(
        case("fn get<Q: ?Sized>(q: &Q)", "    Q: Hash + Eq"),
        pair("fn get<Q>(q: &Q)", "    Q: Hash + Eq + ?Sized")
    );
    assert_eq!(case("fn get<Q: ?Sized, T>(q: &Q)", "    Q: Eq,"), pair("fn get<Q, T>(q: &Q)", "    Q: Eq + ?Sized,"));
    assert_eq!(case("fn get<Q: Into<T>, T>(q: Q)", "    Q: Eq"), None, "a bound with parameters of its own");
    assert_eq!(case("fn get<Q: Eq>(q: Q)", "    Q: Hash, T: Eq"), None, "two predicates in a line");
}

#[test]
fn documentation_has_spaces_for_tabs() {
    let case = |line: &str| {
        let source = format!("{line}\nfn f() {{}}\n");
        let shown = source.lines().next().unwrap_or_default().replace('\t', "    ");
        let output = format!(
            "error: using tabs in doc comments is not recommended\n --> src/lib.rs:1:5\n  |\n1 | {shown}\n  |     ^^^^ help: consider using four spaces per tab\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#tabs_in_doc_comments\n\n"
        );
        fixed(&source, &output)
    };
    assert_eq!(case("\t/// a\tb\tc").as_deref(), Some("\t/// a    b    c\nfn f() {}\n"));
    assert_eq!(case("\tlet x = \"//\t\";"), None);
}

#[test]
fn a_default_has_the_bounds_of_its_type() {
    let case = |header: &str| {
        let source = format!("{header}\n    pub fn new() -> Self {{\n    }}\n}}\n");
        let output = "error: you should consider adding a `Default` implementation for `Set<T, N>`\n --> src/lib.rs:2:5\n  |\n2 | /     pub fn new() -> Self {\n3 | |     }\n  | |_____^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#new_without_default\n\n";
        Some(fixed(&source, output)?.lines().next().unwrap_or_default().to_owned())
    };
    let made = |header: &str| Some(header.to_owned());
    assert_eq!(case("impl<T: Fn() -> u8, N> Set<T, N> {"), made("impl<T: Fn() -> u8, N> Default for Set<T, N> {"));
    assert_eq!(case("impl<T, N> Set<T, N> where T: Eq {"), made("impl<T, N> Default for Set<T, N> where T: Eq {"));
    assert_eq!(case("impl<T> Set<T, u8> {"), None);
    assert_eq!(case("impl<T, N> Set<T, N>"), None);
}
