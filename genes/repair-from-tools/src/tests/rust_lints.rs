//! Lints of rustc 1.95 and its clippy whose edit the terminal shows only in part, and the edition.

use super::cases::repaired;

fn fixed(source: &str, output: &str) -> Option<String> {
    repaired("cargo clippy", output, &[("src/lib.rs", source)])
}

fn lint(name: &str) -> String {
    format!("   = help: for further information visit https://rust-lang.github.io/rust-clippy/index.html#{name}\n")
}

#[test]
fn a_derived_implementation_takes_the_place_of_the_written_one() {
    let written = "impl Default for Style {\n    fn default() -> Style {\n        Style { bold: false }\n    }\n}\n";
    let source = format!("pub struct Style {{\n    bold: bool,\n}}\n\n{written}\nfn other() {{}}\n");
    let output = format!(
        "error: this `impl` can be derived\n  --> src/lib.rs:5:1\n   |\n 5 | / impl Default for Style {{\n 6 | |     fn default() -> Style {{\n...  |\n 9 | | }}\n   | |_^\n   |\n{}help: replace the manual implementation with a derive attribute\n   |\n 1 + #[derive(Default)]\n 2 | pub struct Style {{\n   |\n\n",
        lint("derivable_impls")
    );
    let expected = "#[derive(Default)]\npub struct Style {\n    bold: bool,\n}\n\nfn other() {}\n";
    assert_eq!(fixed(&source, &output).as_deref(), Some(expected));
    // A comment or an attribute above it would be left for the next item.
    let commented = source.replace("\nimpl", "/// All off.\nimpl");
    assert_eq!(fixed(&commented, &output), None);
    let changed = source.replace("impl Default for Style", "impl Default for Other");
    assert_eq!(fixed(&changed, &output), None);
}

#[test]
fn a_loop_that_adds_one_value_becomes_one_call() {
    let source = |body: &str| {
        format!("fn f(n: usize) {{\n    let mut v = Vec::new();\n    for _ in 0..n {{\n        {body}\n    }}\n}}\n")
    };
    let output = |body: &str| {
        format!(
            "error: it looks like the same item is being pushed into this `Vec`\n --> src/lib.rs:4:9\n  |\n4 |         {body}\n  |         ^\n  |\n  = help: consider using `vec![false;SIZE]`\n  = help: or `v.extend(std::iter::repeat_n(false, SIZE))`\n{}\n",
            lint("same_item_push")
        )
    };
    let (plain, called) = ("v.push(false);", "v.push(next());");
    let expected = "fn f(n: usize) {\n    let mut v = Vec::new();\n    v.extend(std::iter::repeat_n(false, n));\n}\n";
    assert_eq!(fixed(&source(plain), &output(plain)).as_deref(), Some(expected));
    assert_eq!(fixed(&source(called), &output(called)), None, "each call may give another value");
    let more = source(plain).replace("    }\n}", "        n += 1;\n    }\n}");
    assert_eq!(fixed(&more, &output(plain)), None, "the loop does more");
}

#[test]
fn a_lint_that_is_gone_leaves_its_attribute() {
    let output = |line: &str| {
        format!(
            "error: lint `private_in_public` has been removed: replaced with another group of lints\n --> src/lib.rs:1:9\n  |\n1 | {line}\n  |         ^^^^^^^^^^^^^^^^^\n  |\n  = note: `-D renamed-and-removed-lints` implied by `-D warnings`\n\n"
        )
    };
    for (line, expected) in [
        ("#[allow(private_in_public)]", Some("fn f() {}\n")),
        ("#[allow(private_in_public, dead_code)]", Some("#[allow(dead_code)]\nfn f() {}\n")),
        ("#[cfg_attr(a, allow(private_in_public))]", None),
    ] {
        let source = format!("{line}\nfn f() {{}}\n");
        assert_eq!(fixed(&source, &output(line)).as_deref(), expected, "{line}");
    }
}

#[test]
fn an_import_that_is_named_like_a_type_goes() {
    let output = |line: &str, at: &str| {
        let column = line.find(at).expect("it is there");
        format!(
            "error: importing legacy numeric constants\n --> src/lib.rs:1:1\n  |\n1 | {line}\n  | {}{}\n  |\n  = help: remove this import\n{}\n",
            " ".repeat(column),
            "^".repeat(at.len()),
            lint("legacy_numeric_constants")
        )
    };
    let rest = "const A: usize = usize::MAX;\n";
    let source = format!("use std::{{fmt, usize}};\n{rest}");
    let expected = format!("use std::fmt;\n{rest}");
    assert_eq!(fixed(&source, &output("use std::{fmt, usize};", "usize")), Some(expected));
    let source = format!("use std::f64;\n{rest}const PI: f64 = f64::consts::PI;\n");
    assert_eq!(fixed(&source, &output("use std::f64;", "std::f64")), None, "only the module has it");
}

#[test]
fn a_bound_is_added_behind_another_one() {
    let source = "impl<'a, T: ?Sized> D for Cow<'a, T> {}\n";
    let output = "error[E0310]: the parameter type `T` may not live long enough\n --> src/lib.rs:1:1\n  |\n1 | impl<'a, T: ?Sized> D for Cow<'a, T> {}\n  | ^^^^\n  |\nhelp: consider adding an explicit lifetime bound\n  |\n1 | impl<'a, T: ?Sized + 'static> D for Cow<'a, T> {}\n  |                    +++++++++\n\n";
    assert_eq!(fixed(source, output), Some(source.replace("?Sized", "?Sized + 'static")));
}

#[test]
fn a_crate_with_newer_syntax_gets_the_edition_that_has_it() {
    let output = "error[E0670]: `async fn` is not permitted in Rust 2015\n --> sub/src/lib.rs:1:5\n  |\n1 | pub async fn f() {}\n  |     ^^^^^ to use `async fn`, switch to Rust 2018 or later\n  |\n  = help: set `edition = \"2024\"` in `Cargo.toml`\n";
    let repaired = |manifest: &str| {
        let files = [
            ("sub/Cargo.toml", manifest),
            ("Cargo.toml", "[workspace]\n"),
            ("sub/src/lib.rs", "pub async fn f() {}\n"),
        ];
        repaired("cargo check", output, &files)
    };
    let without = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n\n[dependencies]\n";
    let expected = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2018\"\n\n[dependencies]\n";
    assert_eq!(repaired(without).as_deref(), Some(expected));
    assert_eq!(repaired(&expected.replace("2018", "2015")).as_deref(), Some(expected));
    for other in ["edition = \"2021\"", "edition.workspace = true"] {
        assert_eq!(repaired(&expected.replace("edition = \"2018\"", other)), None, "{other}");
    }
}
