//! The import `workspace`: the files of the base commit that the policy shows.
//!
//! A path that a guest spells is only ever compared with the names in [`Workspace`]; it never reaches git or the
//! operating system (invariant 7). A denied file and one that does not exist look the same.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use globset::{Glob, GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};

use super::bindings::gephost::gene::types::HostError;
use super::bindings::gephost::gene::workspace::{Entry, EntryKind, Found, Host};
use super::budget::Meter;
use super::state::GeneState;

/// The largest file that a gene may read, in bytes. A larger one answers `failed`.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// The most paths of one `read`.
const MAX_PATHS: usize = 10_000;
/// The most bytes that one `read` answers, so that the host never holds more for one call. Paths beyond it answer
/// `invalid`.
const MAX_READ_BYTES: u64 = 64 << 20;
/// The most answers of `glob` and `search`.
const MAX_ANSWERS: u32 = 10_000;
/// The longest line that `search` shows, in bytes.
const MAX_LINE: usize = 500;
/// The longest glob or regular expression, in bytes.
const MAX_PATTERN: usize = 4096;
/// The largest compiled regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Where the bytes of a workspace come from.
pub trait Files: fmt::Debug + Send + Sync {
    /// The size in bytes of a file that [`Workspace::new`] was told of, before it is read.
    fn size(&self, path: &RepoPath) -> Result<u64, String>;

    /// The bytes of such a file.
    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, String>;
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A symbolic link. Its content, the target, is not shown and it is not followed.
    Symlink,
}

/// The files that genes see, by path.
#[derive(Debug)]
pub struct Workspace {
    shown: BTreeMap<String, (RepoPath, FileKind)>,
    files: Arc<dyn Files>,
    read: Mutex<BTreeMap<String, Arc<[u8]>>>,
}

impl Workspace {
    /// A workspace of the files that `is_visible` lets through.
    pub fn new(
        files: Arc<dyn Files>,
        list: impl IntoIterator<Item = (RepoPath, FileKind)>,
        is_visible: impl Fn(&RepoPath) -> bool,
    ) -> Self {
        let visible = list.into_iter().filter(|(path, _)| is_visible(path));
        let shown = visible.map(|(path, kind)| (path.as_str().to_owned(), (path, kind))).collect();
        Self { shown, files, read: Mutex::default() }
    }

    /// The whole content of a shown file. Read once; all genes of a cycle see the same bytes.
    fn content(&self, path: &str) -> Result<Arc<[u8]>, HostError> {
        let (repo_path, kind) = self.shown.get(path).ok_or(HostError::NotFound)?;
        if *kind == FileKind::Symlink {
            return Err(HostError::Failed("a symbolic link: its target is not followed".to_owned()));
        }
        let known = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some(bytes) = known {
            return Ok(bytes);
        }
        let size = self.files.size(repo_path).map_err(HostError::Failed)?;
        if size > MAX_FILE_BYTES {
            return Err(HostError::Failed(format!("{size} bytes, and the limit is {MAX_FILE_BYTES}")));
        }
        let bytes = self.files.read(repo_path).map_err(HostError::Failed)?;
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// What lies directly in a directory: files and, once each, directories that hold something shown.
    fn list(&self, directory: &str) -> Result<Vec<Entry>, HostError> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let mut entries: Vec<Entry> = Vec::new();
        for (path, (repo_path, kind)) in self.under(&prefix) {
            let Some(rest) = path.strip_prefix(&prefix) else { break };
            let entry = match rest.split_once('/') {
                None => self.file_entry(repo_path, *kind),
                Some((child, _)) => Entry { path: format!("{prefix}{child}"), kind: EntryKind::Directory, size: 0 },
            };
            if entries.last().is_none_or(|last| last.path != entry.path) {
                entries.push(entry);
            }
        }
        if entries.is_empty() && !directory.is_empty() {
            return Err(HostError::NotFound);
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(entries)
    }

    fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a String, &'a (RepoPath, FileKind))> {
        self.shown
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(move |(p, _)| p.starts_with(prefix))
    }

    fn glob(&self, matcher: &GlobMatcher, limit: u32) -> Vec<Entry> {
        let matching = self.shown.iter().filter(|(path, _)| matcher.is_match(path));
        matching.take(limit.min(MAX_ANSWERS) as usize).map(|(_, (path, kind))| self.file_entry(path, *kind)).collect()
    }

    fn file_entry(&self, path: &RepoPath, kind: FileKind) -> Entry {
        let (kind, size) = match kind {
            // A file that git cannot give has no bytes; reading it says why.
            FileKind::File => (EntryKind::File, self.files.size(path).unwrap_or_default()),
            FileKind::Symlink => (EntryKind::Symlink, 0),
        };
        Entry { path: path.as_str().to_owned(), kind, size }
    }
}

/// A glob in which `*` stays within a segment.
fn compile_glob(pattern: &str) -> Result<GlobMatcher, HostError> {
    if pattern.len() > MAX_PATTERN {
        return Err(HostError::Invalid(format!("a glob of more than {MAX_PATTERN} bytes")));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob: Glob| glob.compile_matcher()).map_err(|error| HostError::Invalid(error.to_string()))
}

fn compile_regex(pattern: &str) -> Result<Regex, HostError> {
    if pattern.len() > MAX_PATTERN {
        return Err(HostError::Invalid(format!("a regular expression of more than {MAX_PATTERN} bytes")));
    }
    let regex = RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).dfa_size_limit(MAX_REGEX_BYTES).build();
    regex.map_err(|error| HostError::Invalid(error.to_string()))
}

/// The directory that a guest spelled, without `./` and trailing slashes; the root is empty.
fn directory(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    if path == "." { "" } else { path.strip_prefix("./").unwrap_or(path) }
}

impl Host for GeneState {
    fn read(&mut self, paths: Vec<String>) -> wasmtime::Result<Vec<Result<Vec<u8>, HostError>>> {
        if let Err(denied) = self.enter(Capability::Workspace)? {
            return Ok(vec![Err(denied); paths.len().min(MAX_PATHS)]);
        }
        let workspace = Arc::clone(&self.inputs.workspace);
        let mut answers = Vec::with_capacity(paths.len().min(MAX_PATHS));
        let mut total = 0;
        for (position, path) in paths.iter().enumerate() {
            let answer = if position >= MAX_PATHS {
                Err(HostError::Invalid(format!("more than {MAX_PATHS} paths in one call")))
            } else if total >= MAX_READ_BYTES {
                Err(HostError::Invalid(format!("more than {MAX_READ_BYTES} bytes in one call: read fewer paths")))
            } else {
                workspace.content(path.strip_prefix("./").unwrap_or(path))
            };
            let bytes = answer.as_ref().map_or(16, |bytes| bytes.len() as u64);
            total += bytes;
            self.meter.hand_over(bytes)?;
            answers.push(answer.map(|bytes| bytes.to_vec()));
        }
        Ok(answers)
    }

    fn list_directory(&mut self, path: String) -> wasmtime::Result<Result<Vec<Entry>, HostError>> {
        if let Err(denied) = self.enter(Capability::Workspace)? {
            return Ok(Err(denied));
        }
        let answer = self.inputs.workspace.list(directory(&path));
        self.hand_over_entries(answer)
    }

    fn glob(&mut self, pattern: String, limit: u32) -> wasmtime::Result<Result<Vec<Entry>, HostError>> {
        if let Err(denied) = self.enter(Capability::Workspace)? {
            return Ok(Err(denied));
        }
        let answer = compile_glob(&pattern).map(|matcher| self.inputs.workspace.glob(&matcher, limit));
        self.hand_over_entries(answer)
    }

    fn search(&mut self, pattern: String, glob: String, limit: u32) -> wasmtime::Result<Result<Vec<Found>, HostError>> {
        if let Err(denied) = self.enter(Capability::Workspace)? {
            return Ok(Err(denied));
        }
        let (regex, matcher) = match (compile_regex(&pattern), compile_glob(&glob)) {
            (Ok(regex), Ok(matcher)) => (regex, matcher),
            (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        };
        let workspace = Arc::clone(&self.inputs.workspace);
        let limit = limit.min(MAX_ANSWERS) as usize;
        let mut found = Vec::new();
        for (path, _) in workspace.shown.iter().filter(|(path, _)| matcher.is_match(path)) {
            if found.len() >= limit {
                break;
            }
            // A file that cannot be read (too large, a link) holds nothing to find.
            let Ok(bytes) = workspace.content(path) else { continue };
            // Searching costs time outside the guest, so it is charged like handing the file over.
            self.meter.hand_over(bytes.len() as u64)?;
            search_file(&regex, path, &bytes, limit, &mut found, &mut self.meter)?;
        }
        Ok(Ok(found))
    }
}

impl GeneState {
    fn hand_over_entries(
        &mut self,
        answer: Result<Vec<Entry>, HostError>,
    ) -> wasmtime::Result<Result<Vec<Entry>, HostError>> {
        let bytes = answer.iter().flatten().map(|entry| entry.path.len() as u64 + 16).sum();
        self.meter.hand_over(bytes)?;
        Ok(answer)
    }
}

fn search_file(
    regex: &Regex,
    path: &str,
    bytes: &[u8],
    limit: usize,
    found: &mut Vec<Found>,
    meter: &mut Meter,
) -> wasmtime::Result<()> {
    if bytes.contains(&0) {
        return Ok(());
    }
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if found.len() >= limit {
            break;
        }
        meter.in_time()?;
        if regex.is_match(line) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let text = String::from_utf8_lossy(line.get(..MAX_LINE).unwrap_or(line)).into_owned();
            found.push(Found { path: path.to_owned(), line: u32::try_from(number + 1).unwrap_or(u32::MAX), text });
        }
    }
    Ok(())
}
