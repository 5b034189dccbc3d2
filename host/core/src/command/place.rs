//! Words that name something: paths, test ids, packages, scripts. None may lead outside the work copy.

use super::CommandError;
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

/// A path, or a pytest test: `path::Class::test[id]`. pytest never reads what follows `::` as a path.
pub(super) fn test_id(word: &str) -> Result<(), CommandError> {
    inside(word.split_once("::").map_or(word, |(path, _)| path))
}

/// A Go package: a path, or a path with everything below it, `./...`.
pub(super) fn go_package(word: &str) -> Result<(), CommandError> {
    match word.strip_suffix("...") {
        Some("") => Ok(()),
        Some(below) => below.strip_suffix('/').map_or_else(|| inside(word), inside),
        None => inside(word),
    }
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
