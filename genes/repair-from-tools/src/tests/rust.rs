//! Errors as rustc 1.95 shows them on a terminal.

use super::cases::{candidates, repaired};

/// An error at the first line of `source` that contains `marked`, with marks below it and the rows of its help.
fn error(source: &str, header: &str, marked: &str, help: &str) -> String {
    let (number, line) = source.lines().enumerate().find(|(_, line)| line.contains(marked)).expect("it is there");
    let shown = line.replace('\t', "    ");
    let column = shown.find(marked).expect("it is there");
    let marks = format!("{}{}", " ".repeat(column), "^".repeat(marked.len()));
    let at = number + 1;
    format!(
        "   Compiling t v0.1.0 (/r)\nerror{header}\n  --> src/main.rs:{at}:{}\n   |\n{at:2} | {shown}\n   | {marks}\n{help}\n\nerror: could not compile `t` (bin \"t\") due to 1 previous error\n",
        column + 1
    )
}

fn fixed(source: &str, output: &str) -> Option<String> {
    repaired("cargo check", output, &[("src/main.rs", source)])
}

/// Checks that the error is repaired by replacing `old` with `new`.
fn check(source: &str, output: &str, old: &str, new: &str) {
    assert_eq!(fixed(source, output).as_deref(), Some(source.replacen(old, new, 1).as_str()), "{output}");
}

#[test]
fn a_missing_import_is_added() {
    let source = "fn main() {\n    let m = HashMap::new();\n}\n";
    let header = "[E0433]: cannot find type `HashMap` in this scope";
    let help = "   |\nhelp: consider importing this struct\n   |\n 1 + use std::collections::HashMap;\n   |";
    check(source, &error(source, header, "HashMap", help), "fn main", "use std::collections::HashMap;\nfn main");
    let several = "   |\nhelp: consider importing one of these structs\n   |\n 1 + use std::collections::HashMap;\n   |\n 1 + use hashbrown::HashMap;\n   |";
    assert_eq!(fixed(source, &error(source, header, "HashMap", several)), None);
    let planted = "   |\nhelp: consider importing this struct\n   |\n 1 + use evil::HashMap;\n   |";
    assert_eq!(fixed(source, &error(source, header, "HashMap", planted)), None);
}

#[test]
fn a_similar_name_is_used() {
    let source = "fn main() {\n\tlet total_count = 1;\n\tprintln!(\"{}\", total_cont);\n}\n";
    let header = "[E0425]: cannot find value `total_cont` in this scope";
    let help = "   |\nhelp: a local variable with a similar name exists\n   |\n 3 |     println!(\"{}\", total_count);\n   |                            +";
    check(source, &error(source, header, "total_cont)", help), "total_cont)", "total_count)");
    let changed = source.replace("total_cont)", "other)");
    assert_eq!(fixed(&changed, &error(source, header, "total_cont)", help)), None, "the line has changed since");
    let invented = help.replace("total_count", "total_xyz");
    assert_eq!(fixed(source, &error(source, header, "total_cont)", &invented)), None, "no such name anywhere");
}

#[test]
fn parts_that_are_added_are_found_by_their_marks() {
    for (source, header, marked, help, old, new) in [
        (
            "fn take(s: &str) {}\nfn main() {\n    let s = String::new();\n    take(s);\n}\n",
            "[E0308]: mismatched types",
            "s);",
            "   |\nhelp: consider borrowing here\n   |\n 4 |     take(&s);\n   |          +",
            "take(s);",
            "take(&s);",
        ),
        (
            "trait Shape {}\nfn boxed(x: Box<Shape>) {}\n",
            "[E0782]: expected a type, found a trait",
            "Shape>",
            "  |\nhelp: you can add the `dyn` keyword if you want a trait object\n  |\n2 | fn boxed(x: Box<dyn Shape>) {}\n  |                 +++",
            "Box<Shape>",
            "Box<dyn Shape>",
        ),
        (
            "struct P { name: String }\nfn p() -> P { P { name: \"x\" } }\n",
            "[E0308]: mismatched types",
            "\"x\"",
            "  |\nhelp: try using a conversion method\n  |\n2 | fn p() -> P { P { name: \"x\".to_string() } }\n  |                            ++++++++++++",
            "\"x\"",
            "\"x\".to_string()",
        ),
        (
            "fn main() {\n    let v = Vec::<u8>::new();\n    v.push(1);\n}\n",
            "[E0596]: cannot borrow `v` as mutable, as it is not declared as mutable",
            "v.push",
            "   |\nhelp: consider changing this to be mutable\n   |\n 2 |     let mut v = Vec::<u8>::new();\n   |         +++",
            "let v",
            "let mut v",
        ),
        (
            "struct P { a: u8 }\nfn main() {\n    println!(\"{:?}\", P { a: 1 });\n}\n",
            "[E0277]: `P` doesn't implement `Debug`",
            "P { a: 1 }",
            "   |\nhelp: consider annotating `P` with `#[derive(Debug)]`\n   |\n 1 + #[derive(Debug)]\n 2 | struct P { a: u8 }\n   |",
            "struct P",
            "#[derive(Debug)]\nstruct P",
        ),
    ] {
        check(source, &error(source, header, marked, help), old, new);
    }
}

#[test]
fn lines_that_are_replaced_are_found_by_their_signs() {
    let source = "#![deny(warnings)]\nfn main() {\n    let mut y = 5;\n    println!(\"{y}\");\n}\n";
    let help = "   |\nhelp: remove this `mut`\n   |\n 3 -     let mut y = 5;\n 3 +     let y = 5;\n   |";
    check(source, &error(source, ": variable does not need to be mutable", "mut y", help), "mut y", "y");
    let source = "#![deny(warnings)]\nfn f(x: u8) -> u8 {\n    if (x == 5) { 1 } else { 2 }\n}\n";
    let help = "   |\nhelp: remove these parentheses\n   |\n 3 -     if (x == 5) { 1 } else { 2 }\n 3 +     if x == 5 { 1 } else { 2 }\n   |";
    check(
        source,
        &error(source, ": unnecessary parentheses around `if` condition", "(x == 5)", help),
        "(x == 5)",
        "x == 5",
    );
}

#[test]
fn labels_hold_suggestions() {
    let source = "fn main() {\n    let q = 5\n    let r = 3;\n}\n";
    let output = "error: expected `;`, found keyword `let`\n --> src/main.rs:2:14\n  |\n2 |     let q = 5\n  |              ^ help: add `;` here\n3 |     let r = 3;\n  |     --- unexpected token\n";
    check(source, output, "5\n", "5;\n");
    let source = "fn ret(x: u32) -> u32 { x + 1; }\n";
    let output = "error[E0308]: mismatched types\n --> src/main.rs:1:19\n  |\n1 | fn ret(x: u32) -> u32 { x + 1; }\n  |    ---            ^^^        - help: remove this semicolon to return this value\n  |    |              |\n  |    |              expected `u32`, found `()`\n";
    check(source, output, "1;", "1");
    let source = "fn f(x: u8) { match x { 0...5 => {}, _ => {} } }\n";
    let output = "error[E0783]: `...` range patterns are deprecated\n --> src/main.rs:1:26\n  |\n1 | fn f(x: u8) { match x { 0...5 => {}, _ => {} } }\n  |                         ^---^\n  |                          |\n  |                          help: use `..=` for an inclusive range\n";
    check(source, output, "...", "..=");
    let source = "#![deny(warnings)]\nfn main() {\n    let r = 3;\n}\n";
    let output = "error: unused variable: `r`\n --> src/main.rs:3:9\n  |\n3 |     let r = 3;\n  |         ^ help: if this is intentional, prefix it with an underscore: `_r`\n  |\n";
    check(source, output, "r =", "_r =");
}

#[test]
fn unused_imports_are_removed() {
    let source = "#![deny(warnings)]\nuse std::fs;\nuse std::io::{Read, Write, BufRead};\nfn main() {}\n";
    let one = "error: unused import: `std::fs`\n --> src/main.rs:2:5\n  |\n2 | use std::fs;\n  |     ^^^^^^^\n  |\n";
    check(source, one, "use std::fs;\n", "");
    let all = "error: unused imports: `BufRead`, `Read`, and `Write`\n --> src/main.rs:3:15\n  |\n3 | use std::io::{Read, Write, BufRead};\n  |               ^^^^  ^^^^^  ^^^^^^^\n\n";
    check(source, all, "use std::io::{Read, Write, BufRead};\n", "");
    let two = "error: unused imports: `BufRead` and `Read`\n --> src/main.rs:3:15\n  |\n3 | use std::io::{Read, Write, BufRead};\n  |               ^^^^         ^^^^^^^\n\n";
    check(source, two, "{Read, Write, BufRead}", "Write");
    let export = source.replace("use std::fs", "pub use std::fs");
    assert_eq!(fixed(&export, one), None, "another line");
    let guarded = "#![deny(warnings)]\n#[cfg(unix)]\nuse std::fs;\nfn main() {}\n";
    let output = "error: unused import: `std::fs`\n --> src/main.rs:3:5\n  |\n3 | use std::fs;\n  |     ^^^^^^^\n";
    assert_eq!(fixed(guarded, output), None, "the attribute would belong to the next item");
}

#[test]
fn all_errors_of_a_run_are_repaired_together_first() {
    let source = "#![deny(warnings)]\nuse std::fs;\nfn main() {\n    let r = 3;\n}\n";
    let output = "error: unused import: `std::fs`\n --> src/main.rs:2:5\n  |\n2 | use std::fs;\n  |     ^^^^^^^\n\nerror: unused variable: `r`\n --> src/main.rs:4:9\n  |\n4 |     let r = 3;\n  |         ^ help: if this is intentional, prefix it with an underscore: `_r`\n\n";
    let found = candidates("cargo check", output, &[("src/main.rs", source)]);
    assert_eq!(found.len(), 3);
    let contents: Vec<&str> = found.iter().flat_map(|draft| &draft.files).map(|(_, text)| text.as_str()).collect();
    assert_eq!(contents.first().copied(), Some("#![deny(warnings)]\nfn main() {\n    let _r = 3;\n}\n"));
}

#[test]
fn what_is_not_sure_is_left_alone() {
    let source =
        "#![deny(warnings)]\nfn main() {\n    let s = String::new();\n    s.len();\n    f(s);\n}\nfn f(_: &str) {}\n";
    for (header, marked, help) in [
        // It would hide an error.
        (
            ": unused return value of `String::len` that must be used",
            "s.len()",
            "   |\nhelp: use `let _ = ...` to ignore the resulting value\n   |\n 4 |     let _ = s.len();\n   |     +++++++",
        ),
        // It changes what the program costs, and perhaps what it means.
        (
            "[E0382]: use of moved value",
            "f(s)",
            "   |\nhelp: consider cloning the value if the performance cost is acceptable\n   |\n 5 |     f(s.clone());\n   |        ++++++++",
        ),
        // Two of them.
        (
            "[E0308]: mismatched types",
            "f(s)",
            "   |\nhelp: consider borrowing here\n   |\n 5 |     f(&s);\n   |       +\nhelp: try using a conversion method\n   |\n 5 |     f(s.as_str());\n   |        +++++++++",
        ),
    ] {
        assert_eq!(fixed(source, &error(source, header, marked, help)), None, "{header}");
    }
    let warning = "warning: unused variable: `s`\n --> src/main.rs:3:9\n  |\n3 |     let s = String::new();\n  |         ^ help: if this is intentional, prefix it with an underscore: `_s`\n";
    assert_eq!(fixed(source, warning), None, "a warning fails no command");
}

#[test]
fn clippy_is_followed_where_its_list_says_so() {
    let source = "fn f(v: &[u8]) -> bool {\n    return v.len() == 0;\n}\n";
    let output = "error: unneeded `return` statement\n --> src/main.rs:2:5\n  |\n2 |     return v.len() == 0;\n  |     ^^^^^^^^^^^^^^^^^^^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#needless_return\n  = note: `-D clippy::needless-return` implied by `-D warnings`\nhelp: remove `return`\n  |\n2 -     return v.len() == 0;\n2 +     v.len() == 0\n  |\n\nerror: length comparison to zero\n --> src/main.rs:2:12\n  |\n2 |     return v.len() == 0;\n  |            ^^^^^^^^^^^^ help: using `is_empty` is clearer and more explicit: `v.is_empty()`\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#len_zero\n\n";
    let found = candidates("cargo clippy", output, &[("src/main.rs", source)]);
    let contents: Vec<&str> = found.iter().flat_map(|draft| &draft.files).map(|(_, text)| text.as_str()).collect();
    assert!(contents.contains(&"fn f(v: &[u8]) -> bool {\n    v.len() == 0\n}\n"), "{contents:?}");
    assert!(contents.contains(&"fn f(v: &[u8]) -> bool {\n    return v.is_empty();\n}\n"), "{contents:?}");
    let other =
        output.replace("needless_return", "needless_range_loop").replace("needless-return", "needless-range-loop");
    assert_eq!(
        candidates("cargo clippy", &other, &[("src/main.rs", source)]).len(),
        1,
        "its suggestion has placeholders"
    );
    let other =
        output.replace("needless_return", "cognitive_complexity").replace("needless-return", "cognitive-complexity");
    let found = candidates("cargo clippy", &other, &[("src/main.rs", source)]);
    assert_eq!(found.len(), 1, "a lint whose suggestion is not machine-applicable");
}

#[test]
fn the_macro_try_becomes_an_operator() {
    let source = "fn f(w: &mut W) -> R {\n\ttry!(write!(w, \"({}\", 1));\n    Ok(())\n}\n";
    let output = error(source, ": use of deprecated macro `try`: use the `?` operator instead", "try", "   |");
    check(source, &output, "try!(write!(w, \"({}\", 1));", "write!(w, \"({}\", 1)?;");
    let changed = source.replace("write!", "print!");
    assert_eq!(fixed(&changed, &output), None);
    for (call, now) in [
        ("try!(a\n        .b(\"x)\", 'y'))", "a\n        .b(\"x)\", 'y')?"),
        ("try!(a - b)", "(a - b)?"),
        ("try!(f::<'a>(x),)", "(f::<'a>(x))?"),
        ("try!(f(try!(g())))", "f(try!(g()))?"),
    ] {
        let source = source.replace("try!(write!(w, \"({}\", 1))", call);
        let output = error(&source, ": use of deprecated macro `try`: use the `?` operator instead", "try", "   |");
        check(&source, &output, call, now);
    }
}

#[test]
fn suggestions_of_several_lines_are_left_alone() {
    let source = "fn f(a: bool, b: bool) {\n    if a {\n        if b {\n            g();\n        }\n    }\n}\n";
    let output = "error: this `if` statement can be collapsed\n --> src/main.rs:2:5\n  |\n2 | /     if a {\n3 | |         if b {\n4 | |             g();\n5 | |         }\n6 | |     }\n  | |_____^\n  |\n  = note: `-D clippy::collapsible-if` implied by `-D warnings`\nhelp: collapse nested if block\n  |\n2 ~     if a\n3 ~         && b {\n4 |             g();\n5 ~         }\n  |\n";
    assert_eq!(fixed(source, output), None);
    let shorter = output.replace("3 ~         && b {\n4 |             g();\n5 ~         }\n", "");
    assert_eq!(fixed(source, &shorter), None);
}

#[test]
fn a_label_may_end_several_lines_below() {
    let source = "impl Clone for V {\n    fn clone(&self) -> V {\n        never(*self)\n    }\n}\n";
    let output = "error: non-canonical implementation of `clone` on a `Copy` type\n --> src/main.rs:2:26\n  |\n2 |       fn clone(&self) -> V {\n  |  __________________________^\n3 | |         never(*self)\n4 | |     }\n  | |_____^ help: change this to: `{ *self }`\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#non_canonical_clone_impl\n\n";
    let expected = "impl Clone for V {\n    fn clone(&self) -> V { *self }\n}\n";
    assert_eq!(fixed(source, output).as_deref(), Some(expected));
    assert_eq!(fixed(&source.replace("never", "other"), output), None, "the file has other lines now");
    let elided = output.replace("3 | |         never(*self)\n", "... |\n");
    assert_eq!(fixed(source, &elided), None);
    let begins =
        "fn f(x: O) -> O {\n    if let Some(y) = x {\n        Some(y + 1)\n    } else {\n        None\n    }\n}\n";
    let output = "error: manual implementation of `Option::map`\n --> src/main.rs:2:5\n  |\n2 | /     if let Some(y) = x {\n3 | |         Some(y + 1)\n4 | |     } else {\n5 | |         None\n6 | |     }\n  | |_____^ help: try: `x.map(|y| y + 1)`\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#manual_map\n\n";
    assert_eq!(fixed(begins, output).as_deref(), Some("fn f(x: O) -> O {\n    x.map(|y| y + 1)\n}\n"));
}

#[test]
fn digits_may_be_grouped_and_never_changed() {
    let source = "fn f(n: u64) -> u64 {\n    n * 1000_000\n}\n";
    let output = |new: &str| {
        format!(
            "error: digits grouped inconsistently by underscores\n --> src/main.rs:2:9\n  |\n2 |     n * 1000_000\n  |         ^^^^^^^^ help: consider: `{new}`\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#inconsistent_digit_grouping\n\n"
        )
    };
    check(source, &output("1_000_000"), "1000_000", "1_000_000");
    assert_eq!(fixed(source, &output("1_000_001")), None);
}

#[test]
fn a_type_with_new_gets_a_default() {
    let source = "/// A sum.\npub struct S;\n\n/// Does it.\nimpl S {\n    /// Makes one.\n    pub fn new() -> S {\n        S\n    }\n}\n";
    let output = "error: you should consider adding a `Default` implementation for `S`\n --> src/main.rs:7:5\n  |\n7 | /     pub fn new() -> S {\n8 | |         S\n9 | |     }\n  | |_____^\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#new_without_default\nhelp: try adding this\n  |\n5 + impl Default for S {\n6 +     fn default() -> Self {\n7 +         Self::new()\n8 +     }\n9 + }\n  |\n\n";
    let added = "impl Default for S {\n    fn default() -> Self {\n        Self::new()\n    }\n}\n\n";
    check(source, output, "/// Does it.\n", &format!("{added}/// Does it.\n"));
    assert_eq!(fixed(&source.replace("impl S", "impl<T> S<T>"), output), None);
    assert_eq!(fixed(&source.replace("pub fn new() -> S", "pub fn new(a: u8) -> S"), output), None);
    let has = format!("impl Default for S {{}}\n{source}");
    assert_eq!(fixed(&has, output), None);
}

#[test]
fn a_trait_whose_methods_are_inherent_is_not_imported() {
    let source = "use std::ascii::AsciiExt;\nfn f(a: &str) -> String {\n    a.to_ascii_lowercase()\n}\n";
    let output = "error: use of deprecated trait `std::ascii::AsciiExt`: use inherent methods instead\n --> src/main.rs:1:17\n  |\n1 | use std::ascii::AsciiExt;\n  |                 ^^^^^^^^\n  |\n  = note: `-D deprecated` implied by `-D warnings`\n\n";
    check(source, output, "use std::ascii::AsciiExt;\n", "");
    assert_eq!(fixed(&source.replace("&str", "&impl AsciiExt"), output), None);
}

#[test]
fn the_text_of_an_error_is_what_it_displays() {
    let output = |line: &str| {
        let at = line.find("description").expect("it is there");
        let marks = format!("{}^^^^^^^^^^^", " ".repeat(at));
        format!(
            "error: use of deprecated method `std::error::Error::description`: use the Display impl or to_string()\n --> src/main.rs:2:{}\n  |\n2 | {line}\n  | {marks}\n  |\n  = note: `-D deprecated` implied by `-D warnings`\n\n",
            at + 1
        )
    };
    for (line, expected) in [
        ("    e.description().to_string()", Some("    e.to_string()")),
        ("    println!(\"bad: {}\", e.description());", Some("    println!(\"bad: {}\", e);")),
        ("    format!(\"{}\", self.description())", None),
        ("    let x: &str = e.description();", None),
    ] {
        let file = |line: &str| format!("fn f(e: &dyn Error) {{\n{line}\n}}\n");
        assert_eq!(fixed(&file(line), &output(line)), expected.map(file), "{line}");
    }
}

#[test]
fn edition_2024_asks_for_unsafe() {
    let source = "#[no_mangle]\npub extern \"C\" fn f() {}\nextern \"C\" { fn g(); }\n";
    let attribute = "error: unsafe attribute used without unsafe\n --> src/main.rs:1:3\n  |\n1 | #[no_mangle]\n  |   ^^^^^^^^^ usage of unsafe attribute\n  |\nhelp: wrap the attribute in `unsafe(...)`\n  |\n1 | #[unsafe(no_mangle)]\n  |   +++++++         +\n\n";
    check(source, attribute, "#[no_mangle]", "#[unsafe(no_mangle)]");
    let block = "error: extern blocks must be unsafe\n --> src/main.rs:3:1\n  |\n3 | extern \"C\" { fn g(); }\n  | ^^^^^^^^^^^^^^^^^^^^^^\n\n";
    check(source, block, "\nextern", "\nunsafe extern");
}

#[test]
fn of_two_suggestions_the_one_for_this_meaning_is_made() {
    let source = "trait T { fn f(&self, i32); }\n";
    let output = "error: expected one of `:`, `@`, or `|`, found `)`\n --> src/main.rs:1:26\n  |\n1 | trait T { fn f(&self, i32); }\n  |                          ^ expected one of `:`, `@`, or `|`\n  |\n  = note: anonymous parameters are removed in the 2018 edition (see RFC 1685)\nhelp: if this is a parameter name, give it a type\n  |\n1 | trait T { fn f(&self, i32: TypeName); }\n  |                          ++++++++++\nhelp: if this is a type, explicitly ignore the parameter name\n  |\n1 | trait T { fn f(&self, _: i32); }\n  |                       ++\n\n";
    check(source, output, "i32)", "_: i32)");
    let source = "fn f() -> R {\n    let x = try!(g());\n}\n";
    let output = "error: use of deprecated `try` macro\n --> src/main.rs:2:13\n  |\n2 |     let x = try!(g());\n  |             ^^^^^^^^^\n  |\n  = note: in the 2018 edition `try` is a reserved keyword, and the `try!()` macro is deprecated\nhelp: you can use the `?` operator instead\n  |\n2 -     let x = try!(g());\n2 +     let x = g()?;\n  |\nhelp: alternatively, you can still access the deprecated `try!()` macro using the \"raw identifier\" syntax\n  |\n2 |     let x = r#try!(g());\n  |             ++\n\n";
    check(source, output, "try!(g())", "g()?");
}
