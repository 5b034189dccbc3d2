//! Suggestions of several lines, and items that a lint asks for, as rustc 1.95 and its clippy show them.

use super::cases::{candidates, repaired};

fn fixed(source: &str, output: &str) -> Option<String> {
    repaired("cargo clippy", output, &[("src/lib.rs", source)])
}

#[test]
fn marks_of_a_part_and_of_the_whole_may_touch() {
    let source = "const A: &'static str = \"a\";\n";
    let output = "error: constants have by default a `'static` lifetime\n --> src/lib.rs:1:11\n  |\n1 | const A: &'static str = \"a\";\n  |          -^^^^^^^---- help: consider removing `'static`: `&str`\n  |\n  = help: see https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#redundant_static_lifetimes\n";
    assert_eq!(fixed(source, output).as_deref(), Some("const A: &str = \"a\";\n"));
}

#[test]
fn of_several_suggestions_the_one_with_the_same_meaning_is_made() {
    let source = "fn f() -> u8 {\n    08\n}\n";
    let output = "error: this is a decimal constant\n --> src/lib.rs:2:5\n  |\n2 |     08\n  |     ^^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#zero_prefixed_literal\nhelp: if you mean to use a decimal constant, remove the `0` to avoid confusion\n  |\n2 -     08\n2 +     8\n  |\nhelp: if you mean to use an octal constant, use `0o`\n  |\n2 |     0o8\n  |      +\n";
    assert_eq!(fixed(source, output).as_deref(), Some("fn f() -> u8 {\n    8\n}\n"));
}

#[test]
fn a_block_of_removed_lines_is_replaced() {
    let source = "fn f(x: &Option<u8>) -> Option<&u8> {\n    match *x {\n        Some(ref y) => Some(y),\n        None => None,\n    }\n}\n";
    let rows = "help: use `Option::as_ref()` directly\n  |\n2 -     match *x {\n3 -         Some(ref y) => Some(y),\n4 -         None => None,\n5 -     }\n2 +     x.as_ref()\n  |\n";
    let output = format!(
        "error: manual implementation of `Option::as_ref`\n --> src/lib.rs:2:5\n  |\n2 | /     match *x {{\n3 | |         Some(ref y) => Some(y),\n4 | |         None => None,\n5 | |     }}\n  | |_____^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#manual_map\n{rows}"
    );
    let expected = "fn f(x: &Option<u8>) -> Option<&u8> {\n    x.as_ref()\n}\n";
    assert_eq!(fixed(source, &output).as_deref(), Some(expected));
    // The file has changed since.
    assert_eq!(fixed(&source.replace("Some(y)", "Some(z)"), &output), None);
}

#[test]
fn lines_in_their_new_form_take_the_place_of_the_marked_ones() {
    let source = "fn f(c: u8) -> bool {\n    match c {\n        1 | 2 => true,\n        _ => false,\n    }\n}\n";
    let output = "error: match expression looks like `matches!` macro\n --> src/lib.rs:2:5\n  |\n2 | /     match c {\n3 | |         1 | 2 => true,\n4 | |         _ => false,\n5 | |     }\n  | |_____^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#match_like_matches_macro\nhelp: use `matches!` directly\n  |\n2 ~     matches!(c,\n3 ~         1 | 2)\n  |\n";
    let expected = "fn f(c: u8) -> bool {\n    matches!(c,\n        1 | 2)\n}\n";
    assert_eq!(fixed(source, output).as_deref(), Some(expected));

    let source = "struct A(u8);\nimpl Into<u8> for A {\n    fn into(self) -> u8 { self.0 }\n}\n";
    let output = "error: an implementation of `From` is preferred since it gives you `Into<_>` for free where the reverse isn't true\n --> src/lib.rs:2:1\n  |\n2 | impl Into<u8> for A {\n  | ^^^^^^^^^^^^^^^^^^^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#from_over_into\nhelp: replace the `Into` implementation with `From<A>`\n  |\n2 ~ impl From<A> for u8 {\n3 ~     fn from(val: A) -> Self { val.0 }\n  |\n";
    let expected = "struct A(u8);\nimpl From<A> for u8 {\n    fn from(val: A) -> Self { val.0 }\n}\n";
    assert_eq!(fixed(source, output).as_deref(), Some(expected));
}

#[test]
fn the_end_of_a_long_line_is_enough() {
    let source = "fn f(b: &mut Vec<u8>) {                                         b.push('a' as u8);\n}\n";
    let output = "error: casting a character literal to `u8` truncates\n --> src/lib.rs:1:60\n  |\n1 | ...      b.push('a' as u8);\n  |                 ^^^^^^^^^ help: use a byte literal instead: `b'a'`\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#char_lit_as_u8\n";
    assert_eq!(fixed(source, output), Some(source.replace("'a' as u8", "b'a'")));
}

#[test]
fn items_that_a_lint_asks_for_are_made() {
    let source = "impl A {\n    /// How many.\n    pub fn len(&self) -> usize {\n        self.0.len()\n    }\n}\n";
    let output = "error: struct `A` has a public `len` method, but no `is_empty` method\n --> src/lib.rs:3:5\n  |\n3 |     pub fn len(&self) -> usize {\n  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#len_without_is_empty\n";
    let expected = "impl A {\n    /// Whether the length is 0.\n    pub fn is_empty(&self) -> bool {\n        self.len() == 0\n    }\n\n    /// How many.\n    pub fn len(&self) -> usize {\n        self.0.len()\n    }\n}\n";
    assert_eq!(fixed(source, output).as_deref(), Some(expected));

    let source = "fn f() {\n    let a: [u8; 4] = unsafe { mem::uninitialized() };\n}\n";
    let error = |source: &str| {
        let line = source.lines().nth(1).expect("a line");
        format!(
            "error: use of deprecated function `std::mem::uninitialized`: use `mem::MaybeUninit` instead\n --> src/lib.rs:2:36\n  |\n2 | {line}\n  |                                    ^^^^^^^^^^^^^\n"
        )
    };
    let expected = "fn f() {\n    let a: [u8; 4] = [0; 4];\n}\n";
    assert_eq!(fixed(source, &error(source)).as_deref(), Some(expected));
    // Another type may have no value of zeros.
    let other = source.replace("[u8; 4]", "[&T; 4]");
    assert_eq!(fixed(&other, &error(&other)), None);

    let source = "trait T {\n    fn f(&self, &name: &str);\n}\n";
    let output = "error[E0642]: patterns aren't allowed in functions without bodies\n --> src/lib.rs:2:17\n  |\n2 |     fn f(&self, &name: &str);\n  |                 ^^^^^ pattern not allowed in function without body\n";
    assert_eq!(fixed(source, output).as_deref(), Some("trait T {\n    fn f(&self, name: &str);\n}\n"));
}

#[test]
fn an_unused_import_of_all_names_goes() {
    let source = "use std::io::prelude::*;\nfn f() {}\n";
    let output = "error: unused import: `std::io::prelude`\n --> src/lib.rs:1:5\n  |\n1 | use std::io::prelude::*;\n  |     ^^^^^^^^^^^^^^^^\n";
    // The marks may also cover the star.
    for output in [output.to_owned(), output.replace("prelude`", "prelude::*`").replace("^\n", "^^^^\n")] {
        let first =
            candidates("cargo clippy", &output, &[("src/lib.rs", source)]).into_iter().next().expect("it is made");
        assert_eq!(first.files, [("src/lib.rs".to_owned(), "fn f() {}\n".to_owned())], "{output}");
    }
}
