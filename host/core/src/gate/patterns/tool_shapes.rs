//! Files that the table of tool files does not know, but whose names have a shape that is kept for tools. No table is complete,
//! so such a file counts as a setting of an unknown tool.

use std::sync::LazyLock;

use crate::path::RepoPath;
use crate::pattern::{Case, PatternSet, fold_case};
use crate::policy::BUILT_IN_DENY;

/// Hidden files that no tool runs, and names that they end with. Lists of what to ignore are among them, since the tool that
/// reads one does nothing because of it.
#[rustfmt::skip]
const INERT: &[&str] = &[
    "ignore", "rules", ".gitkeep", ".keep", ".empty", ".placeholder", ".clang-format", ".perltidyrc", ".rustfmt.toml", ".stylua.toml",
    ".taplo.toml", ".ocamlformat", ".swiftformat", ".indent.pro", ".codespellrc", ".typos.toml", "/stale.yml", ".editorconfig", ".mailmap", ".gitattributes", ".git-blame-ignore-revs", ".nojekyll",
    ".goosehints", ".openhands_instructions", ".ds_store", ".all-contributorsrc", "/funding.yml", "/labels.yml", ".example",
    ".sample", ".template", ".dist", ".md", ".mdc", ".mdx", ".txt", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg",
    ".webp", ".ico",
];

/// Folders below hidden ones whose files a forge shows to people.
const SHOWN: &[&str] = &["issue_template", "discussion_template", "pull_request_template"];

/// Folders of sources and data, in which names are the project's own.
#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "__fixtures__", "app", "assets", "data", "doc", "docs", "example", "examples", "fixtures", "include", "internal", "lib", "pkg",
    "public", "resources", "src", "static", "templates", "test", "testdata", "tests",
];

/// Formats in which tools keep their settings. JSON is left out: it is as often data.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "cfg", "conf", "cue", "dhall", "hcl", "ini", "json5", "jsonc", "jsonnet", "kdl", "nickel", "pkl", "properties", "ron", "star",
    "toml", "yaml", "yml",
];

/// Names of files of settings in the root that belong to the program or describe it, or that have rules of their own.
#[rustfmt::skip]
const OWN_SETTINGS: &[&str] = &[
    "api", "application", "asyncapi", "authors", "cargo", "changelog", "changes", "citation", "codemeta", "config", "data", "default", "defaults",
    "development", "example", "gephost", "glossary", "languages", "locale", "log4j", "log4j2", "logback", "logging", "manifest",
    "messages", "meta", "metadata", "model", "openapi", "openrpc", "params", "production", "pyproject", "rustfmt", "schema", "setup", "settings",
    "strings", "stylua", "swagger", "taplo", "test", "users", "values", "words",
];

/// Scripts, and names of those in the root that are programs.
const SCRIPTS: &[&str] = &["cjs", "cts", "mjs", "mts"];
const PROGRAMS: &[&str] = &["app", "bin", "cli", "client", "index", "lib", "main", "mod", "server", "worker"];

/// What no config can open; the layer `paths` rejects it.
static DENIED: LazyLock<PatternSet> = LazyLock::new(|| {
    PatternSet::new(BUILT_IN_DENY.iter().copied(), Case::Folded).expect("the policy reads the same patterns")
});

/// What a name that the table does not know has in common with those of tools.
pub(super) fn of_tool(path: &RepoPath) -> Option<&'static str> {
    let folded = fold_case(path.as_str());
    let why = hidden(&folded).or_else(|| named(path.file_name(), &folded))?;
    DENIED.find_rule(path.as_str()).is_none().then_some(why)
}

/// By convention a hidden file, or one in a hidden folder, belongs to a tool.
fn hidden(folded: &str) -> Option<&'static str> {
    let is_hidden = folded.split('/').any(|name| name.starts_with('.'));
    let is_inert =
        || INERT.iter().any(|end| folded.ends_with(end)) || folded.split('/').any(|name| SHOWN.contains(&name));
    (is_hidden && !is_inert()).then_some("the name begins with a dot, or its folder's does")
}

/// A file outside the folders of sources, with a name as configs have it.
fn named(name: &str, folded: &str) -> Option<&'static str> {
    let (folders, lower) = folded.rsplit_once('/').unwrap_or(("", folded));
    if folders.split('/').any(|folder| SOURCES.contains(&folder)) {
        return None;
    }
    let (stem, extension) = lower.rsplit_once('.').unwrap_or((lower, ""));
    let is_root = folders.is_empty();
    let is_capital = name.starts_with(|c: char| c.is_ascii_uppercase());
    let ends = |ends: &[&str]| ends.iter().any(|end| stem.len() > end.len() && stem.ends_with(end));
    if !is_prose(extension) && ends(&[".config", ".conf", ".cli", ".preset", ".workspace"]) {
        return Some("the name ends like a tool's config");
    }
    // `Newfile`, but not a class such as `UploadedFile`.
    let is_file = || name.get(..stem.len()).is_some_and(|stem| stem.ends_with("file"));
    if is_capital && is_file() && stem.len() > 4 && extension.len() < 5 && !is_prose(extension) {
        return Some("the name ends in `file`, as those of task runners do");
    }
    if stem.ends_with("rc") && stem.len() > 4 && (extension.is_empty() || is_root && SETTINGS.contains(&extension)) {
        return Some("the name ends in `rc`, as those of configs do");
    }
    if is_root && SETTINGS.contains(&extension) && !OWN_SETTINGS.contains(&stem) {
        return Some("it is a file of settings in the root");
    }
    let is_program = || {
        stem.rsplit('.').next() == Some("d")
            || PROGRAMS.contains(&stem)
            || ["test", "spec"].iter().any(|word| stem.contains(word))
    };
    (is_root && SCRIPTS.contains(&extension) && !is_program()).then_some("it is a script in the root")
}

fn is_prose(extension: &str) -> bool {
    ["adoc", "css", "html", "md", "mdx", "rst", "svg", "txt"].contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_of_tool(path: &str) -> bool {
        of_tool(&RepoPath::new(path).expect("a path")).is_some()
    }

    #[test]
    fn names_with_the_shape_of_a_config_belong_to_a_tool() {
        for path in [
            "newtool.config.ts",
            "packages/ui/newtool.config.mjs",
            "newtool.conf.js",
            "Newfile",
            "sub/Newfile.rb",
            "newtoolrc",
            "newtoolrc.yaml",
            "newtool.toml",
            "newtool.yml",
            "newtool.hcl",
            "newbuild.mjs",
            ".newtool/start",
            ".newtoolrc",
        ] {
            assert!(is_of_tool(path), "{path}");
        }
        for path in [
            "src/app/app.config.ts",
            "docs/newtool.toml",
            "tests/fixtures/input.toml",
            "pkg/newtool.toml",
            "config.yaml",
            "openapi.yaml",
            "values.yml",
            "gephost.toml",
            "index.mjs",
            "a.test.mjs",
            "index.d.mts",
            "profile.py",
            "src/Profile.tsx",
            "src/server.rc",
            "src",
            "README",
            "words.txt",
            "main.js",
            "Profile.md",
            "data.json",
            "META.yml",
            "Slim/Http/UploadedFile.php",
            "changelog.ini",
            "rustfmt.toml",
            "sub/.clang-format",
            "docs/_static/.empty",
            ".github/stale.yml",
        ] {
            assert!(!is_of_tool(path), "{path}");
        }
    }
}
