//! Values of a configuration that an error rejects, if it names the key and the bound.
//!
//! The value is set to the bound only if the key stands once in the configuration files of the workspace, and its value
//! is a whole number beyond that bound. So a log can only move a number that is there, and only for a key that is there.

use std::ops::Range;

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::text::is_name;

/// Configuration files.
const GLOBS: [&str; 7] = ["**/*.json", "**/*.toml", "**/*.yaml", "**/*.yml", "**/*.ini", "**/*.cfg", "**/*.properties"];
/// Most files that are read.
const MAX_FILES: usize = 200;

/// How a message names an upper or a lower bound, with the number right after it. Sources: ajv, Joi, zod, pydantic, serde-style
/// validators, `argparse`-like messages.
const PHRASES: &[(&str, bool)] = &[
    (" must be at most ", true),
    (" must be no more than ", true),
    (" must not be more than ", true),
    (" must not exceed ", true),
    (" cannot exceed ", true),
    (" must be less than or equal to ", true),
    (" should be less than or equal to ", true),
    (" must be <= ", true),
    (" must be at least ", false),
    (" must be no less than ", false),
    (" must not be less than ", false),
    (" must be greater than or equal to ", false),
    (" should be greater than or equal to ", false),
    (" must be >= ", false),
];

/// The repairs for the messages in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    failure.output.lines().filter_map(|line| fix(line, shelf)).take(4).collect()
}

fn fix(line: &str, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let (key, is_most, bound) = bound(line)?;
    let mut places: Vec<(String, Range<usize>, i64)> = Vec::new();
    let paths: Vec<String> = GLOBS.iter().flat_map(|glob| shelf.matching(glob)).collect();
    if paths.len() > MAX_FILES {
        return None;
    }
    let mut sources = Vec::new();
    for path in paths {
        let Some(source) = shelf.read(&path) else { continue };
        for number in 1..=source.count() {
            let (Some(text), Some(range)) = (source.line(number), source.range(number)) else { continue };
            if let Some((at, value)) = value(text, key) {
                places.push((path.clone(), range.start + at.start..range.start + at.end, value));
            }
        }
        sources.push(source);
    }
    let [(path, range, value)] = places.as_slice() else {
        if places.len() > 1 {
            shelf.note(&format!("the key {key} stands more than once in the configuration"));
        }
        return None;
    };
    let source = sources.into_iter().find(|source| source.path == *path)?;
    let beyond = if is_most { *value > bound } else { *value < bound };
    let what = format!("set {key} to {bound}");
    let edits = vec![Edit::replace(range.clone(), bound.to_string())];
    let why = "the error names the key and the bound, and the key stands once in the configuration";
    beyond.then(|| Fix::new(&source, source.number_at(range.start), edits, what).because(why, line.trim()))
}

/// The key of a message, whether it names an upper bound, and the bound.
fn bound(line: &str) -> Option<(&str, bool, i64)> {
    let lower = line.to_ascii_lowercase();
    let (at, phrase, is_most) =
        PHRASES.iter().find_map(|(phrase, is_most)| lower.find(phrase).map(|at| (at, *phrase, *is_most)))?;
    if lower.len() != line.len() || line.len() > 1000 {
        return None;
    }
    let key = line.get(..at)?.rsplit([' ', '/', '.', '`', '"', '\'', ':']).find(|part| !part.is_empty())?;
    let rest = line.get(at + phrase.len()..)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let after = rest.get(digits..)?;
    // `10%`, `1.5`, `10kb` and `10 characters` are no numbers of the configuration's kind.
    let ends =
        after.is_empty() || after.starts_with([',', ';', ')', '"', '\'']) || after == "." || after.starts_with(". ");
    let plain = is_name(key) && key.len() >= 3;
    (ends && plain).then_some((key, is_most, rest.get(..digits)?.parse().ok()?))
}

/// The whole number that a line gives a key: its place and value.
fn value(line: &str, key: &str) -> Option<(Range<usize>, i64)> {
    let body = line.trim_start().trim_start_matches(['{', ' ']);
    let rest = body.strip_prefix('"').unwrap_or(body).strip_prefix(key)?;
    let rest = rest.strip_prefix('"').unwrap_or(rest).trim_start().strip_prefix([':', '='])?;
    let number = rest.trim_start();
    let start = line.len() - number.len();
    let digits = number.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(number.len());
    let after = number.get(digits..)?.trim_start();
    let ends = after.is_empty() || after.starts_with([',', '}', '#', ';']);
    let value = number.get(..digits)?.parse().ok()?;
    ends.then_some((start..start + digits, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_bound_are_read() {
        for (line, expected) in [
            ("Error: `maxWorkers` must be at most 8", Some(("maxWorkers", true, 8))),
            ("config/pool/size must be <= 64", Some(("size", true, 64))),
            ("\"port\" must be less than or equal to 65535", Some(("port", true, 65535))),
            ("ValueError: timeout must be at least 10.", Some(("timeout", false, 10))),
            ("name must be at most 10 characters", None),
            ("ratio must be at most 0.5", None),
            ("size must be at most 10kb", None),
            ("it must be at most 3", None),
        ] {
            assert_eq!(bound(line), expected, "{line}");
        }
    }
}
