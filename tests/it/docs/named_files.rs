//! The files and symbols that the documents for developers name exist. `path::name` names what a file defines.

use std::fs;

use gephost_tests::repository;

use super::{document, documents};

/// Documents in which a path means a file of this repository.
const CHECKED: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "BENCHMARKS.md", "genes/README.md"];
/// What a path from the root begins with.
const FOLDERS: &[&str] = &["host/", "tests/", "genes/", "sdk/", "wit/", "docs/", "examples/", ".ci/"];
/// What defines a name.
const DEFINES: &[&str] = &["fn ", "struct ", "enum ", "trait ", "const ", "static ", "type ", "mod ", "macro_rules! "];

#[test]
fn every_file_and_symbol_that_is_named_exists() {
    let mut checked = 0;
    for path in CHECKED {
        for span in document(path).code_spans() {
            let Some(named) = as_path(&span) else { continue };
            for one in alternatives(named) {
                check(path, &one);
                checked += 1;
            }
        }
    }
    assert!(checked >= 60, "only {checked} names were found");
}

/// The quiz for newcomers: ten questions, each answered by a file and what it defines.
#[test]
fn the_quiz_has_ten_answers() {
    let text = document("CONTRIBUTING.md").text;
    let quiz = text.split("## Quiz").nth(1).expect("a quiz").split("\n## ").next().unwrap();
    let answers = quiz.lines().filter(|line| line.starts_with("| ") && line.contains("::")).count();
    assert_eq!(answers, 10);
}

/// Decisions, protocol notes and references name files too.
#[test]
fn the_book_names_files_that_exist() {
    for page in documents().iter().filter(|page| page.path.starts_with("docs/src/")) {
        for span in page.code_spans().iter().filter(|span| span.starts_with("host/") || span.starts_with("genes/")) {
            check(&page.path, span);
        }
    }
}

fn as_path(span: &str) -> Option<&str> {
    let from_root = FOLDERS.iter().any(|folder| span.starts_with(folder));
    (from_root && !span.contains("NAME") && !span.contains([' ', '*', '<', '…'])).then_some(span)
}

/// `a/{b,c}.rs` is two files.
fn alternatives(named: &str) -> Vec<String> {
    match (named.find('{'), named.find('}')) {
        (Some(open), Some(close)) => {
            let one = |part: &str| format!("{}{part}{}", &named[..open], &named[close + 1..]);
            named[open + 1..close].split(',').map(one).collect()
        }
        _ => vec![named.to_owned()],
    }
}

fn check(document: &str, named: &str) {
    let (path, symbol) = named.split_once("::").unwrap_or((named, ""));
    let file = repository().join(path);
    assert!(file.exists(), "{document} names `{named}`: no such file");
    if symbol.is_empty() {
        return;
    }
    let text = fs::read_to_string(&file).unwrap();
    let name = symbol.rsplit("::").next().unwrap();
    let defined = DEFINES.iter().any(|word| {
        let sought = format!("{word}{name}");
        text.match_indices(&sought)
            .any(|(at, _)| !text[at + sought.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    assert!(defined, "{document} names `{named}`: {path} does not define `{name}`");
}
