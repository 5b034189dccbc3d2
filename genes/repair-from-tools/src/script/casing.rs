//! A relative import whose letters are not those of the file: it works where the file system does not tell them apart.

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::paths::{folder, joined, relative};
use crate::shelf::Shelf;
use crate::text::between;

/// What may stand behind an import's path, as Node, TypeScript and bundlers complete it.
const ENDS: [&str; 14] = [
    "",
    ".js",
    ".cjs",
    ".mjs",
    ".json",
    ".ts",
    ".tsx",
    ".jsx",
    ".d.ts",
    ".vue",
    "/index.js",
    "/index.ts",
    "/index.tsx",
    "/index.jsx",
];
/// The files that an import can mean.
const FILES: &str = "**/*.{js,cjs,mjs,json,ts,tsx,jsx,vue}";
/// Most errors that are read from one output.
const MAX_ERRORS: usize = 32;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let lines: Vec<&str> = failure.output.lines().collect();
    let errors = lines.iter().enumerate().filter_map(|(at, line)| {
        let next = lines.get(at + 1..).unwrap_or_default().iter().take(2).find_map(|it| it.trim().strip_prefix("- "));
        error(line, next).map(|(path, file)| (path, file, *line))
    });
    let mut fixes: Vec<Fix> = Vec::new();
    for (import, file, line) in errors.take(MAX_ERRORS) {
        fixes.extend(fix(import, file, line.trim(), shelf));
    }
    fixes
}

/// The path that an error names, and the file that imports it. Node names the file in the list below the error.
fn error<'a>(line: &'a str, below: Option<&'a str>) -> Option<(&'a str, &'a str)> {
    if let Some(import) = between(line, "Cannot find module '", "'") {
        // Node's own loader of modules names both as absolute paths.
        let importing = line.split_once("' imported from ").map(|(_, file)| file.trim());
        let compiled = line.split_once("): error TS2307: ").or_else(|| line.split_once(" - error TS2307: "));
        let compiled = compiled.map(|(place, _)| place.split(['(', ':']).next().unwrap_or_default());
        return Some((import, importing.or(compiled).or(below)?));
    }
    // Rollup and Vite.
    let (_, rest) = line.split_once("Could not resolve \"")?;
    let (import, rest) = rest.split_once("\" from \"")?;
    Some((import, rest.split_once('"')?.0))
}

/// Writes the import as the only file is called that it can mean.
fn fix(import: &str, file: &str, message: &str, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = shelf.open(file)?;
    // An absolute path is what Node made of the one that is written in the file.
    let is_it = |written: &str| {
        written == import || import.starts_with('/') && import.ends_with(&format!("/{}", names(written)))
    };
    let mut places: Vec<(usize, &str)> = imports(&source.text).filter(|(_, written)| is_it(written)).collect();
    let (_, written) = *places.first()?;
    places.retain(|(_, other)| *other == written);
    let wanted = joined(folder(&source.path), written)?;
    let mut actual: Option<&str> = None;
    let files = shelf.matching(FILES);
    for name in files.iter().flat_map(|file| ENDS.iter().filter_map(|end| file.strip_suffix(end))) {
        if name == wanted || name.eq_ignore_ascii_case(&wanted) && actual.is_some_and(|known| known != name) {
            return None;
        }
        actual = Some(name).filter(|name| name.eq_ignore_ascii_case(&wanted)).or(actual);
    }
    let right = relative(&source.path, actual?);
    let edits = places.iter().map(|(at, _)| Edit::replace(*at..at + written.len(), right.clone())).collect();
    let line = source.number_at(places.first()?.0);
    let why = "the file is called like this, and capital letters in paths count here";
    Some(Fix::new(&source, line, edits, format!("import `{right}` instead of `{written}`")).because(why, message))
}

/// The paths that a file imports relative to its own, each with its first byte.
fn imports(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(['\'', '"']).filter_map(|(at, quote)| {
        let rest = text.get(at + 1..)?;
        let path = rest.get(..rest.find([quote.chars().next()?, '\n'])?)?;
        let line = text.get(..at)?.rsplit('\n').next()?.trim_end();
        let imports = ["from", "import", "import(", "require("].iter().any(|word| line.ends_with(word));
        let is_comment = ["//", "*", "/*"].iter().any(|start| line.trim_start().starts_with(start));
        let is_relative = path.starts_with("./") || path.starts_with("../");
        (imports && !is_comment && is_relative).then_some((at + 1, path))
    })
}

/// A relative path without the steps before its names.
fn names(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches("../")
}
