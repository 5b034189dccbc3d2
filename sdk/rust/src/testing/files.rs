//! The scripted files, as the import `workspace` shows them.

use std::collections::{BTreeMap, BTreeSet};

use regex::bytes::Regex;

use super::glob::matcher;
use crate::HostError;
use crate::workspace::{Entry, EntryKind, Found};

/// Most results of `glob` and `search`.
const MAX_ANSWERS: u32 = 10_000;
/// Longest line that `search` shows, in bytes.
const MAX_LINE: usize = 500;

type Files = BTreeMap<String, Vec<u8>>;

/// A path without `.`, `..` and doubled slashes; `None` if it leads out of the workspace. The root is empty.
pub(super) fn normal(path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('/') || path.contains('\0') {
        return None;
    }
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            name => steps.push(name),
        }
    }
    Some(steps.join("/"))
}

pub(super) fn read(files: &Files, path: &str) -> Result<Vec<u8>, HostError> {
    normal(path).and_then(|path| files.get(&path).cloned()).ok_or(HostError::NotFound)
}

pub(super) fn list(files: &Files, path: &str) -> Result<Vec<Entry>, HostError> {
    let folder = normal(path).ok_or(HostError::NotFound)?;
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let below: Vec<(&str, u64)> =
        files.iter().filter_map(|(path, content)| Some((path.strip_prefix(&prefix)?, content.len() as u64))).collect();
    if below.is_empty() && !folder.is_empty() {
        return Err(HostError::NotFound);
    }
    let mut seen = BTreeSet::new();
    let entry = |(rest, size): (&str, u64)| {
        let (name, kind, size) = match rest.split_once('/') {
            Some((name, _)) => (name, EntryKind::Directory, 0),
            None => (rest, EntryKind::File, size),
        };
        seen.insert(name.to_owned()).then(|| Entry { path: format!("{prefix}{name}"), kind, size })
    };
    let mut entries: Vec<Entry> = below.into_iter().filter_map(entry).collect();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

pub(super) fn glob(files: &Files, pattern: &str, limit: u32) -> Result<Vec<Entry>, HostError> {
    let matcher = matcher(pattern)?;
    let found = files.iter().filter(|(path, _)| matcher.is_match(path));
    let entry = |(path, content): (&String, &Vec<u8>)| Entry {
        path: path.clone(),
        kind: EntryKind::File,
        size: content.len() as u64,
    };
    Ok(found.take(limit.min(MAX_ANSWERS) as usize).map(entry).collect())
}

pub(super) fn search(files: &Files, regex: &str, glob: &str, limit: u32) -> Result<Vec<Found>, HostError> {
    let regex = Regex::new(regex).map_err(|error| HostError::Invalid(error.to_string()))?;
    let matcher = matcher(glob)?;
    let mut found = Vec::new();
    // A file with a NUL byte is binary.
    for (path, content) in files.iter().filter(|(path, bytes)| matcher.is_match(path) && !bytes.contains(&0)) {
        let text = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        if content.is_empty() {
            continue;
        }
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if regex.is_match(line) {
                let text = String::from_utf8_lossy(line);
                let text = text[..text.floor_char_boundary(MAX_LINE)].to_owned();
                found.push(Found { path: path.clone(), line: number, text });
            }
        }
    }
    found.truncate(limit.min(MAX_ANSWERS) as usize);
    Ok(found)
}
