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
    let lower = path.as_str().to_ascii_lowercase();
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let in_tests = directories.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec" | "specs"));
    let is_code = !languages(path, "").is_empty();
    let named = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem == "tests"
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.ends_with("_spec");
    is_code && (in_tests || named)
}
