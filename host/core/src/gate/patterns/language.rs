//! Which languages a file may be read as. A file that cannot be told is read as all that a shebang could name.

use serde::Deserialize;

use crate::path::RepoPath;

/// A language that rules are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    /// Every language but prose and data.
    Any,
    Python,
    JavaScript,
    Rust,
    Go,
    Shell,
    Yaml,
    Dockerfile,
}

use Language::{Any, Dockerfile, Go, JavaScript, Python, Rust, Shell, Yaml};

/// Extensions of text that nothing runs.
const INERT: &[&str] = &[
    "md",
    "markdown",
    "mdx",
    "rst",
    "txt",
    "text",
    "adoc",
    "org",
    "tex",
    "log",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "json5",
    "xml",
    "svg",
    "toml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "lock",
    "sum",
    "mod",
    "po",
    "pot",
    "css",
    "scss",
    "less",
    "patch",
    "diff",
    "license",
    "prompt",
];

/// The languages of a file; empty for prose and data.
pub(super) fn languages(path: &RepoPath, first_line: &str) -> &'static [Language] {
    let name = path.file_name().to_ascii_lowercase();
    if name == "dockerfile"
        || name == "containerfile"
        || name.starts_with("dockerfile.")
        || name.ends_with(".dockerfile")
    {
        return &[Any, Dockerfile, Shell];
    }
    // A list of what is packed, with words that are statements elsewhere.
    if name == "manifest.in" {
        return &[];
    }
    if name == "cmakelists.txt" {
        return &[Any];
    }
    if matches!(name.as_str(), "makefile" | "gnumakefile" | "justfile" | "procfile" | "jenkinsfile") {
        return &[Any, Shell];
    }
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    match extension {
        Some(extension) => by_extension(extension),
        None if is_prose_name(&name) => &[],
        None => by_shebang(first_line),
    }
}

fn by_extension(extension: &str) -> &'static [Language] {
    match extension {
        "py" | "pyi" | "pyw" | "pyx" | "ipynb" | "bzl" => &[Any, Python],
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte" | "html" | "htm" | "astro" => {
            &[Any, JavaScript]
        }
        "rs" => &[Any, Rust],
        "go" => &[Any, Go],
        "sh" | "bash" | "zsh" | "ksh" | "fish" | "bats" | "mk" => &[Any, Shell],
        "yml" | "yaml" => &[Any, Yaml],
        // Sources of languages without rules of their own.
        "rb" | "php" | "pl" | "lua" | "java" | "kt" | "kts" | "scala" | "groovy" | "gradle" | "c" | "h" | "cc"
        | "cpp" | "hpp" | "cs" | "fs" | "swift" | "dart" | "ex" | "exs" | "erl" | "hs" | "ml" | "clj" | "r" | "jl"
        | "sql" | "tf" | "nix" | "zig" | "nim" | "ps1" | "bat" | "cmd" => &[Any],
        extension if INERT.contains(&extension) => &[],
        _ => &[Any, Python, JavaScript, Shell],
    }
}

fn is_prose_name(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "license",
        "licence",
        "copying",
        "notice",
        "readme",
        "authors",
        "contributors",
        "changelog",
        "changes",
        "todo",
    ];
    NAMES.contains(&name) || matches!(name, ".gitignore" | ".dockerignore" | ".npmignore" | ".prettierignore")
}

fn by_shebang(first_line: &str) -> &'static [Language] {
    let Some(program) = first_line.strip_prefix("#!") else {
        return &[Any, Python, JavaScript, Shell];
    };
    if program.contains("python") {
        &[Any, Python]
    } else if program.contains("node") || program.contains("deno") || program.contains("bun") {
        &[Any, JavaScript]
    } else if program.contains("sh") {
        &[Any, Shell]
    } else {
        &[Any, Python, JavaScript, Shell]
    }
}

/// Whether a file holds tests, by the conventions of the common runners.
pub(super) fn is_test(path: &RepoPath) -> bool {
    let (directories, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    let named = is_test_name(name) || name.rsplit_once('.').is_some_and(|(_, extension)| extension == "t");
    let is_step = directories.ends_with("step_definitions") || directories.ends_with("features/steps");
    let holds = named || is_step || directories.split('/').any(is_test_folder);
    holds && !is_main_of_jvm(directories, name) && !languages(path, "").is_empty()
}

/// Whether a file is an output that tests compare with: a snapshot, a golden file.
pub(super) fn is_expected_output(path: &RepoPath) -> bool {
    const EXTENSIONS: &[&str] = &["ambr", "approved", "expect", "expected", "golden", "snap", "stdout"];
    const WORDS: &[&str] =
        &["approved", "baseline", "baselines", "expected", "golden", "goldens", "snapshot", "snapshots"];
    let lower = path.as_str().to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let mut parts = name.split('.').skip(1);
    let words = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word));
    let in_tests =
        || folders.split('/').any(|folder| is_test_folder(folder) || ["fixtures", "testdata"].contains(&folder));
    let named = words(name.split('.').next().unwrap_or_default()) || folders.split('/').any(words);
    parts.any(|part| EXTENSIONS.contains(&part)) || named && in_tests() && languages(path, "").is_empty()
}

/// Whether a file holds tests in a format that is no programming language which gephost knows by its extension: there, it cannot
/// say which lines check something. What such tests compare with is not among them.
pub(super) fn is_foreign_test(path: &RepoPath) -> bool {
    #[rustfmt::skip]
    const LANGUAGES: &[&str] = &[
        "adb", "coffee", "cr", "cu", "cxx", "d", "el", "elm", "f90", "feature", "fsi", "fsx", "gleam", "hh", "hrl", "hx", "hxx", "idr",
        "lean", "lisp", "luau", "m", "mli", "mm", "mojo", "odin", "pas", "pm", "purs", "raku", "re", "res", "resource", "rkt", "robot",
        "scm", "sol", "sv", "t", "tcl", "v", "vb", "vhd", "vhdl",
    ];
    const DATA: &[&str] =
        &["approved", "bin", "dat", "err", "expected", "golden", "html", "in", "input", "out", "output", "snap"];
    const FOLDERS: &[&str] = &["__snapshots__", "data", "fixtures", "golden", "resources", "snapshots", "testdata"];
    let lower = path.as_str().to_ascii_lowercase();
    let extension =
        lower.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension);
    let is_data = DATA.contains(&extension) || lower.split('/').any(|folder| FOLDERS.contains(&folder));
    let is_unknown = !extension.is_empty() && by_extension(extension).len() == by_extension("").len();
    is_test(path) && is_unknown && !LANGUAGES.contains(&extension) && !is_data
}

/// Whether Maven, Gradle and their kin look for no tests in a file's folder.
fn is_main_of_jvm(directories: &str, name: &str) -> bool {
    let is_main = directories.starts_with("src/main/") || directories.contains("/src/main/");
    is_main && [".java", ".kt", ".groovy", ".scala"].iter().any(|end| name.ends_with(end))
}

fn is_test_folder(name: &str) -> bool {
    const NAMES: &[&str] = &["t", "test", "tests", "__tests__", "spec", "specs", "e2e", "unittest", "unittests"];
    let lower = name.to_ascii_lowercase();
    let ends = [".test", ".tests", "-test", "-tests", "_test", "_tests"].iter().any(|end| lower.ends_with(end));
    NAMES.contains(&lower.as_str()) || ends || has_camel_end(name, &["Test", "Tests"])
}

fn is_test_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split_once('.').map_or(lower.as_str(), |(stem, _)| stem);
    let ends = ["_test", "_tests", "_spec", "-test", "-tests", "-spec", "_unittest"];
    let marks = [".test.", ".tests.", ".spec.", ".specs.", ".cy.", ".e2e.", "-spec."];
    stem.starts_with("test_")
        || stem == "tests"
        || ends.iter().any(|end| stem.ends_with(end))
        || marks.iter().any(|mark| lower.contains(mark))
        || has_camel_end(
            name.split_once('.').map_or(name, |(stem, _)| stem),
            &["Test", "Tests", "TestCase", "Spec", "Specs", "IT"],
        )
}

/// Whether a name in camel case ends with one of these words: `CartTest`, `commonTest`.
fn has_camel_end(name: &str, words: &[&str]) -> bool {
    let before = words.iter().find_map(|word| name.strip_suffix(word));
    // `AppUITests` and `ApiTest`, but not `AUDIT`.
    let is_apart = |before: &str| {
        before.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            || ["API", "UI"].iter().any(|short| before.ends_with(short)) && !name.ends_with("IT")
    };
    before.is_some_and(is_apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_place_or_name() {
        let holds = |path: &str| is_test(&RepoPath::new(path).expect("a path"));
        for path in [
            "tests/a.py",
            "src/commonTest/kotlin/A.kt",
            "src/androidTest/java/Login.java",
            "Shop.Tests/Basket.cs",
            "Basket/BasketTests.cs",
            "App/LoginTest.java",
            "App/LoginIT.java",
            "Sources/LoginTests.swift",
            "web/login.cy.ts",
            "web/login.e2e-spec.ts",
            "web/login-test.js",
            "net/url_unittest.cc",
            "t/basic.t",
            "e2e/login.ts",
        ] {
            assert!(holds(path), "{path}");
        }
        for path in [
            "src/latest.py",
            "src/contest.ts",
            "src/Latest.java",
            "docs/tests.md",
            "src/protest/a.js",
            "Inspect.cs",
            "AUDIT.java",
            "src/test.ts.txt",
            "src/manifest/a.rs",
            "src/main/java/a/FooTest.java",
        ] {
            assert!(!holds(path), "{path}");
        }
    }
}
