//! Words that name something: paths, test ids, packages, scripts. None may lead outside the work copy.

use super::CommandError;
use super::standard_library::STANDARD_LIBRARY;
use crate::path::RepoPath;

/// A path inside the work copy; the work copy itself is `.`. Refuses characters that programs expand themselves: pytest
/// expands `$HOME` and `~` in options, Node expands braces in patterns, and argparse reads `@file`.
pub(super) fn inside(word: &str) -> Result<(), CommandError> {
    let expands = |character| CommandError::Expands { word: word.to_owned(), character };
    if let Some(character) = word.chars().next().filter(|c| matches!(c, '@' | '~')) {
        return Err(expands(character));
    }
    if let Some(character) = word.chars().find(|c| matches!(c, '$' | '%' | '{' | '}')) {
        return Err(expands(character));
    }
    let path = word.strip_prefix("./").unwrap_or(word);
    let path = path.strip_suffix('/').unwrap_or(path);
    if path == "." || (path.is_empty() && word == "./") {
        return Ok(());
    }
    RepoPath::new(path).map(|_| ()).map_err(|reason| CommandError::Outside { word: word.to_owned(), reason })
}

/// Folders of code that others wrote. Their tests are no evidence about the change.
const OF_OTHERS: &[&str] = &[
    "node_modules",
    "bower_components",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".virtualenv",
    ".tox",
    ".nox",
    ".eggs",
    ".pnpm",
    ".yarn",
    "__pypackages__",
];

/// A path inside the work copy, and not in a folder of dependencies.
pub(super) fn own(word: &str) -> Result<(), CommandError> {
    inside(word)?;
    let of_others = word.split('/').any(|name| OF_OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other)));
    if of_others { Err(CommandError::OfOthers(word.to_owned())) } else { Ok(()) }
}

/// A path, or a pytest test: `path::Class::test[id]`. pytest never reads what follows `::` as a path.
pub(super) fn test_id(word: &str) -> Result<(), CommandError> {
    own(word.split_once("::").map_or(word, |(path, _)| path))
}

/// A path, or a module of Python that is not one of the standard library, whose tests would count as executed.
pub(super) fn test_module(word: &str) -> Result<(), CommandError> {
    own(word)?;
    let mut names = word.split('.');
    let (top, second) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    // A project may have its own `test`, whose modules are mostly not named after Python's.
    let of_python = if top == "test" {
        ["support", "regrtest", "libregrtest"].contains(&second)
            || second.strip_prefix("test_").is_some_and(|name| STANDARD_LIBRARY.contains(&name))
    } else {
        STANDARD_LIBRARY.contains(&top)
    };
    if of_python { Err(CommandError::OfOthers(word.to_owned())) } else { Ok(()) }
}

/// Packages of `node_modules` whose scripts check code and run nothing else that their arguments name.
#[rustfmt::skip]
const CHECKERS: &[&str] = &[
    "@angular/cli", "@biomejs/biome", "@hapi/lab", "@playwright/test", "@web/test-runner", "ava", "borp", "eslint",
    "jasmine", "jest", "jest-cli", "karma", "mocha", "playwright", "prettier", "qunit", "react-scripts", "standard",
    "stylelint", "svelte-check", "tap", "tape", "testem", "tsd", "typescript", "uvu", "vitest", "vue-tsc", "xo",
];

/// A script of a package that is known to check code. npm, its own packages and other runners are not.
pub(super) fn known_dependency(script: &str) -> Result<(), CommandError> {
    let lower = script.to_ascii_lowercase();
    let below = lower.rsplit_once("node_modules/").map_or("", |(_, below)| below);
    let mut names = below.split('/');
    let (first, second) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let package = if first.starts_with('@') { format!("{first}/{second}") } else { first.to_owned() };
    if CHECKERS.contains(&package.as_str()) { Ok(()) } else { Err(CommandError::Installs(script.to_owned())) }
}

/// Parts of the names of folders that tools write to.
const OUTPUTS: &[&str] = &[
    "artifact", "build", "cache", "coverage", "dist", "junit", "log", "out", "report", "result", "target", "temp",
    "tmp",
];

/// Folders of sources whose names have such a part.
const NO_OUTPUTS: &[&str] =
    &[".git", ".github", "layout", "layouts", "checkout", "blog", "builder", "template", "templates"];

/// A folder that a tool may empty or fill: `build`, `target/check`, `.tmp`.
pub(super) fn output(word: &str) -> Result<(), CommandError> {
    own(word)?;
    let refused = || Err(CommandError::NotAnOutput(word.to_owned()));
    let path = word.strip_prefix("./").unwrap_or(word).to_ascii_lowercase();
    let first = path.split('/').next().unwrap_or_default();
    let is_output = OUTPUTS.iter().any(|part| first.contains(part)) && !NO_OUTPUTS.contains(&first);
    if is_output { Ok(()) } else { refused() }
}

/// Files in the root that have the extension of a report and are none.
#[rustfmt::skip]
const NO_REPORTS: &[&str] = &[
    "pom.xml", "build.xml", "ivy.xml", "phpunit.xml", "phpcs.xml", "psalm.xml", "web.xml", "testng.xml",
    "checkstyle.xml", "pmd.xml", "package.xml", "androidmanifest.xml", "settings.xml", "requirements.txt",
    "constraints.txt", "cmakelists.txt", "license.txt", "readme.txt", "robots.txt", "runtime.txt",
    "meson_options.txt", "compile_flags.txt", "manifest.xml",
];

/// A report that a tool may write: in such a folder, or in the root under a name of its own.
pub(super) fn report(word: &str, extensions: &[&str]) -> Result<(), CommandError> {
    own(word)?;
    let refused = || Err(CommandError::NotAnOutput(word.to_owned()));
    let path = word.strip_prefix("./").unwrap_or(word).to_ascii_lowercase();
    let is_report = path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension));
    match path.split_once('/') {
        _ if !is_report => refused(),
        Some((folder, _)) => output(folder).or_else(|_| refused()),
        None if NO_REPORTS.contains(&path.as_str()) || path.starts_with("requirements") => refused(),
        None => Ok(()),
    }
}

/// A Go package: a path, or a path with everything below it, `./...`. A name without a dot before the first slash is a
/// package of Go itself, and `...` alone means these and all dependencies too.
pub(super) fn go_package(word: &str) -> Result<(), CommandError> {
    let named = match word.strip_suffix("...") {
        Some("") => Ok(()),
        Some(below) => below.strip_suffix('/').map_or_else(|| inside(word), inside),
        None => inside(word),
    };
    named?;
    let first = word.split('/').next().unwrap_or_default();
    let is_vendored = word.split('/').any(|name| name == "vendor");
    if word.starts_with("...") || is_vendored || !first.contains('.') && !word.is_empty() {
        return Err(CommandError::OfOthers(word.to_owned()));
    }
    Ok(())
}

/// An npm workspace: a path, or a package's name, which may have a scope.
pub(super) fn npm_package(word: &str) -> Result<(), CommandError> {
    inside(word.strip_prefix('@').unwrap_or(word))
}

/// A source file with one of these extensions.
pub(super) fn source(word: &str, extensions: &[&str]) -> Result<(), CommandError> {
    inside(word)?;
    let name = word.rsplit_once('/').map_or(word, |(_, name)| name);
    let known =
        name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && extensions.contains(&extension));
    if !known {
        return Err(CommandError::NotASource { word: word.to_owned(), extensions: extensions.join(", ") });
    }
    if installs(name) { Err(CommandError::Installs(word.to_owned())) } else { Ok(()) }
}

/// Scripts that are package managers or start one.
fn installs(name: &str) -> bool {
    const SCRIPTS: &[&str] = &[
        "setup.py",
        "ez_setup.py",
        "get-pip.py",
        "npm-cli.js",
        "npx-cli.js",
        "yarn.js",
        "yarn.cjs",
        "pnpm.cjs",
        "pnpx.cjs",
        "corepack.js",
    ];
    let lower = name.to_ascii_lowercase();
    SCRIPTS.contains(&lower.as_str()) || lower.strip_suffix(".cjs").is_some_and(|stem| stem.starts_with("yarn-"))
}

/// Whether a script belongs to a dependency: a test runner or similar, whose options are known.
pub(super) fn is_dependency(script: &str) -> bool {
    script.split('/').any(|segment| segment.eq_ignore_ascii_case("node_modules"))
}

/// The name of a script in `package.json`. `env` is npm's own and prints the environment.
pub(super) fn script_name(word: &str) -> Result<(), CommandError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_:.-/".contains(c);
    if word != "env" && word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(plain) {
        Ok(())
    } else {
        Err(CommandError::Name(word.to_owned()))
    }
}

/// The name of a Rust test, or a part of it.
pub(super) fn test_name(word: &str) -> Result<(), CommandError> {
    if !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_:".contains(c)) {
        Ok(())
    } else {
        Err(CommandError::Name(word.to_owned()))
    }
}

/// An argument of a script in the work copy. Only the script knows its meaning, so every option is allowed, but no part
/// that could be a path may lead outside the work copy.
pub(super) fn script_argument(word: &str) -> Result<(), CommandError> {
    let value = if word.starts_with('-') {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        // `-o/x`: where the name ends and the value starts only the script knows.
        if could_be_path(name) {
            return Err(CommandError::Option(word.to_owned()));
        }
        value
    } else {
        word
    };
    value.split(['=', ',']).filter(|part| could_be_path(part)).try_for_each(inside)
}

fn could_be_path(text: &str) -> bool {
    text.contains(['/', '\\', '~', ':']) || text.contains("..") || text == "."
}
