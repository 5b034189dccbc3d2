//! Which files hold tests, by their name or by what stands in them, and which of their lines.

use super::super::super::{ApprovedChange, BlobState};
use super::super::language::is_test;
use super::balance::Place;
use crate::path::RepoPath;

/// Which lines of a file belong to tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Nothing,
    /// Tests stand beside the code. In Rust, they begin at a line; elsewhere, each test is a statement of the file.
    Beside,
    /// The whole file is made of tests, or helps them.
    All,
}

/// Extensions, and what stands in such a file only if it holds tests or helps them. Each list of words has to be there
/// together.
const BY_CONTENT: &[(&[&str], &[&[&str]])] = &[
    (&["go"], &[&["*testing.T"], &["testing.TB"], &["*testing.B"]]),
    (&["py"], &[&["import pytest"], &["from pytest"], &["import unittest"], &["from unittest import TestCase"]]),
    (
        &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"],
        &[
            &["'vitest'"],
            &["\"vitest\""],
            &["import.meta.vitest"],
            &["@jest/globals"],
            &["@playwright/test"],
            &["node:test"],
            &["describe(", "it(", "expect("],
            &["describe(", "it(", "assert"],
            &["Cypress.Commands.add("],
        ],
    ),
    (
        &["java", "kt", "groovy", "scala"],
        &[
            &["import org.junit"],
            &["import org.testng"],
            &["import kotlin.test"],
            &["import io.kotest"],
            &["import spock."],
        ],
    ),
    (&["cs", "fs", "vb"], &[&["using Xunit"], &["using NUnit"], &["UnitTesting;"], &["open Xunit"], &["open NUnit"]]),
    (&["php"], &[&["PHPUnit\\Framework"]]),
    (&["swift"], &[&["import XCTest"], &["import Testing"]]),
    (&["rb"], &[&["RSpec."], &["Minitest::"]]),
    (&["cc", "cpp", "cxx", "h", "hpp"], &[&["<gtest/"], &["<gmock/"], &["<catch2/"], &["doctest.h"]]),
    // Postman; Venom and Tavern.
    (&["json"], &[&["pm.test("], &["pm.expect("]]),
    (&["yml", "yaml"], &[&["testcases:", "assertions:"], &["test_name:", "stages:"]]),
    (&["feature"], &[&["Scenario"]]),
    (&["robot"], &[&["*** Test Cases ***"]]),
];

/// Languages in which tests may stand among the code, with the line that begins one.
const AMONG_CODE: &[(&str, &[&str])] =
    &[("zig", &["test \"", "test {"]), ("mbt", &["test \"", "test {"]), ("d", &["unittest"])];

/// Which lines of a changed file belong to tests.
pub(super) fn of(change: &ApprovedChange) -> Holds {
    if is_test(&change.path) {
        return Holds::All;
    }
    let extension = change.path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension);
    let has = |word: &str| {
        let found = |state: &Option<BlobState>| {
            state.as_ref().is_some_and(|state| memchr::memmem::find(&state.content, word.as_bytes()).is_some())
        };
        found(&change.before) || found(&change.after)
    };
    let among = AMONG_CODE.iter().find(|(own, _)| *own == extension);
    if extension == "rs" && (has("test]") || has("cfg(test)"))
        || among.is_some_and(|(_, words)| words.iter().any(|word| has(word)))
    {
        return Holds::Beside;
    }
    let mut of_extension = BY_CONTENT.iter().filter(|(extensions, _)| extensions.contains(&extension));
    let all = of_extension.any(|(_, lists)| lists.iter().any(|words| words.iter().all(|word| has(word))));
    if all { Holds::All } else { Holds::Nothing }
}

/// Whether a line stands in a test, in a text where tests stand beside the code.
pub(super) fn in_tests(path: &RepoPath, text: &str) -> impl Fn(&Place) -> bool {
    let begins_rust =
        |line: &str| line.trim_start().starts_with("#[") && (line.contains("cfg(test)") || line.contains("test]"));
    let is_rust = path.file_name().rsplit_once('.').is_some_and(|(_, extension)| extension == "rs");
    let among = AMONG_CODE.iter().find(|(extension, _)| path.file_name().ends_with(&format!(".{extension}")));
    let mut is_in = false;
    let lines: Vec<bool> = text
        .lines()
        .map(|line| {
            if is_rust {
                is_in |= begins_rust(line);
            } else if line.starts_with(|c: char| c.is_alphanumeric() || "@/".contains(c)) {
                is_in = among.is_some_and(|(_, words)| words.iter().any(|word| line.contains(word)));
            }
            is_in
        })
        .collect();
    move |place| {
        usize::try_from(place.line).ok().and_then(|line| lines.get(line.wrapping_sub(1))).copied().unwrap_or(false)
    }
}

/// Whether the common runners look for tests in a file of this name.
pub(super) fn is_discovered(path: &RepoPath) -> bool {
    let lower = path.as_str().to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let passed_over = |folder: &str| {
        folder.starts_with('.')
            || matches!(folder, "node_modules" | "build" | "dist" | "venv" | "vendor" | "testdata")
            || folder.starts_with('_') && folder != "__tests__"
    };
    if folders.split('/').any(passed_over) {
        return false;
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "py" => stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests"),
        "go" => stem.ends_with("_test") && !stem.starts_with(['_', '.']) && !is_of_one_system(stem),
        "java" | "kt" | "kts" | "groovy" | "scala" => {
            ["test", "tests", "testcase", "spec", "specs", "suite"].iter().any(|end| stem.ends_with(end))
                || stem.starts_with("test")
                || path.file_name().contains("IT.")
        }
        "rb" => stem.ends_with("_spec") || stem.ends_with("_test") || stem.starts_with("test_"),
        "php" => stem.ends_with("test") || stem.ends_with("spec") || stem.ends_with("cest"),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => {
            let named = [".test", ".spec", "-test", "_test", "-spec", "_spec"].iter().any(|end| stem.ends_with(end));
            let placed =
                folders.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec" | "specs"));
            named || placed && !stem.contains(".d") || stem.starts_with("test-") || stem == "test"
        }
        "rs" => true,
        _ => is_test(path),
    }
}

/// Whether Go compiles a test only for one system, because of its file's name.
fn is_of_one_system(stem: &str) -> bool {
    const SYSTEMS: &[&str] = &[
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "illumos",
        "ios",
        "js",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
        "386",
        "arm",
        "arm64",
        "loong64",
        "mips",
        "mips64",
        "ppc64",
        "ppc64le",
        "riscv64",
        "s390x",
        "wasm",
    ];
    let end = stem.trim_end_matches("_test").rsplit_once('_');
    end.is_some_and(|(_, end)| SYSTEMS.contains(&end))
}
