//! The rule on small crates: what is a circle, what is none, and that neither test can pass by seeing nothing.

use std::path::PathBuf;

use crate::circles::circles;
use crate::imports::forbidden;
use crate::modules::{Crate, Sources};

fn krate(files: &[(&str, &str)]) -> Crate {
    Crate::of(&files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect::<Sources>())
}

/// The circles of a crate with `mod a; mod b;` and these two files.
fn of_two(a: &str, b: &str) -> Vec<String> {
    let krate = krate(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), ("b.rs", b)]);
    circles(&krate).iter().map(ToString::to_string).collect()
}

/// The circles of a crate whose one module `a` has this file and this child.
fn of_parent_and_child(parent: &str, child: &str) -> Vec<String> {
    let parent = format!("mod child; {parent}");
    let krate = krate(&[("lib.rs", "mod a;"), ("a/mod.rs", &parent), ("a/child.rs", child)]);
    circles(&krate).iter().map(ToString::to_string).collect()
}

#[test]
fn a_circle_is_printed_with_the_lines_that_close_it() {
    assert_eq!(of_two("use crate::b::B;", "\nfn f() -> crate::a::A {}"), ["a (a.rs:1) → b (b.rs:2) → a"]);
}

#[test]
fn every_way_to_name_an_item_is_an_import() {
    let ways = [
        "use super::a::A;",
        "pub use super::a::A;",
        "use crate::{a::{A as Other}};",
        "use crate::a; fn f() { a::g(); }",
        "use crate::a as other; fn f() -> other::A {}",
        "use crate::a::*;",
        "fn f() { assert!(crate::a::g()); }",
        "#[derive(Serialize)] struct S { #[serde(with = \"crate::a\")] s: u8 }",
        "mod inline { use super::super::a::A; }",
        "impl crate::a::T for u8 {}",
    ];
    for way in ways {
        let a = "use crate::b::B; pub struct A; pub trait T {} pub fn g() -> bool { true }";
        let found = of_two(a, way);
        assert_eq!(found.len(), 1, "{way}: {found:?}");
    }
}

#[test]
fn one_direction_is_no_circle() {
    assert!(of_two("use crate::b::B;", "pub struct B;").is_empty());
    assert!(of_two("use crate::b::B;", "#[cfg(test)] mod tests { use crate::a::A; }").is_empty());
}

#[test]
fn a_parent_uses_its_children_or_offers_them_items() {
    assert!(of_parent_and_child("pub struct P; pub use child::C;", "use super::P; pub struct C;").is_empty());
    assert!(of_parent_and_child("use child::C; fn f() -> C {}", "pub struct C;").is_empty());
    let both = of_parent_and_child("pub struct P; fn f() { child::g(); }", "use super::P; pub fn g() {}");
    assert_eq!(both, ["a (a/mod.rs:1) → a::child (a/child.rs:1) → a"]);
    let through_its_own_re_export = "pub struct P; pub use child::C; fn f() -> C {}";
    assert_eq!(of_parent_and_child(through_its_own_re_export, "use super::P; pub struct C;").len(), 1);
}

#[test]
fn a_facade_is_seen_through() {
    let files =
        [("lib.rs", "mod a;"), ("a/mod.rs", "mod x; mod y; pub use x::X;"), ("a/y.rs", "pub struct Y; use super::X;")];
    assert!(circles(&krate(&[&files[..], &[("a/x.rs", "pub struct X;")]].concat())).is_empty());
    let closed = circles(&krate(&[&files[..], &[("a/x.rs", "pub struct X; use super::y::Y;")]].concat()));
    assert_eq!(
        closed.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["a::x (a/x.rs:1) → a::y (a/y.rs:1) → a::x"]
    );
}

#[test]
fn files_of_two_folders_make_a_circle_of_the_folders() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod one; mod two;"),
        ("a/one.rs", "use crate::b::B;"),
        ("a/two.rs", "pub struct Two;"),
        ("b.rs", "pub struct B; use crate::a::two::Two;"),
    ];
    assert_eq!(circles(&krate(&files)).len(), 1);
}

#[test]
fn what_core_must_not_name_is_found_under_any_name() {
    let ways = [
        "use std::fs;",
        "use std::{collections, fs::File};",
        "fn f() { std::fs::read(p); }",
        "use std::time::Instant as Clock;",
        "use std::time; fn f() { time::Instant::now(); }",
        "fn f() { println!(\"{:?}\", std::env::args()); }",
    ];
    let banned: &[&[&str]] = &[&["std", "fs"], &["std", "env"], &["std", "time", "Instant"]];
    for way in ways {
        assert!(!forbidden(&krate(&[("lib.rs", way)]), banned).is_empty(), "{way}");
    }
    assert!(
        forbidden(&krate(&[("lib.rs", "use std::time::Duration; #[cfg(test)] mod t { use std::fs; }")]), banned)
            .is_empty()
    );
}
