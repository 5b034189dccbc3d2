//! The import `workspace`: decides, charges and records what a gene asks about its files.

use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::{Blob, Decision, Digest, Hasher};
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use super::audit::{Audit, Handed};
use super::bindings::gephost::gene::types::HostError;
use super::bindings::gephost::gene::workspace::{Entry, Found, Host};
use super::files::Ahead;
use super::search::{Search, compile_glob};
use super::state::GeneState;
use super::workspace::Listed;

/// Most paths of one `read`.
pub(super) const MAX_PATHS: usize = 10_000;
/// Most bytes that one `read` returns, so that the host never holds more for one call. Further paths get `invalid`.
pub(super) const MAX_READ_BYTES: u64 = 64 << 20;

/// A directory as the guest spelled it, without `./` and trailing slashes. The root is empty.
fn directory(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    if path == "." { "" } else { path.strip_prefix("./").unwrap_or(path) }
}

/// Links `read` so that the bytes are copied once, from the host's memory into the guest's.
pub(super) fn link_read(linker: &mut Linker<GeneState>) -> wasmtime::Result<()> {
    let mut interface = linker.instance("gephost:gene/workspace@0.1.2")?;
    interface.func_wrap("read", |mut store: StoreContextMut<'_, GeneState>, (paths,): (Vec<String>,)| {
        Ok((store.data_mut().read_shared(&paths)?,))
    })
}

impl GeneState {
    fn read_shared(&mut self, paths: &[String]) -> wasmtime::Result<Vec<Result<Arc<[u8]>, HostError>>> {
        let target = if let [path] = paths { path.clone() } else { format!("{} paths", paths.len()) };
        if let Err(denied) = self.enter(Capability::Workspace, "read", &target)? {
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
                workspace.content(path)
            };
            self.meter.in_time()?;
            let bytes = answer.as_ref().map_or(16, |blob| blob.bytes().len() as u64);
            total += bytes;
            self.meter.hand_over(bytes)?;
            record_read(&mut self.audit, path, &answer);
            answers.push(answer.map(|blob| blob.shared()));
        }
        Ok(answers)
    }
}

impl Host for GeneState {
    /// Required by the generated trait. [`link_read`] replaces it.
    fn read(&mut self, paths: Vec<String>) -> wasmtime::Result<Vec<Result<Vec<u8>, HostError>>> {
        let answers = self.read_shared(&paths)?;
        Ok(answers.into_iter().map(|answer| answer.map(|bytes| bytes.to_vec())).collect())
    }

    fn list_directory(&mut self, path: String) -> wasmtime::Result<Result<Vec<Entry>, HostError>> {
        if let Err(denied) = self.enter(Capability::Workspace, "list-directory", &path)? {
            return Ok(Err(denied));
        }
        let workspace = Arc::clone(&self.inputs.workspace);
        let answer = workspace.list(directory(&path), || self.meter.in_time())?;
        self.hand_over_entries("list-directory", &path, answer)
    }

    fn glob(&mut self, pattern: String, limit: u32) -> wasmtime::Result<Result<Vec<Entry>, HostError>> {
        if let Err(denied) = self.enter(Capability::Workspace, "glob", &pattern)? {
            return Ok(Err(denied));
        }
        let workspace = Arc::clone(&self.inputs.workspace);
        let answer = match compile_glob(&pattern) {
            Ok(matcher) => Ok(workspace.glob(&matcher, limit, || self.meter.in_time())?),
            Err(error) => Err(error),
        };
        self.hand_over_entries("glob", &pattern, answer)
    }

    fn search(&mut self, pattern: String, glob: String, limit: u32) -> wasmtime::Result<Result<Vec<Found>, HostError>> {
        let target = shown_search(&pattern, &glob);
        if let Err(denied) = self.enter(Capability::Workspace, "search", &target)? {
            return Ok(Err(denied));
        }
        let (mut search, matcher) = match (Search::new(&pattern, limit), compile_glob(&glob)) {
            (Ok(search), Ok(matcher)) => (search, matcher),
            (Err(error), _) | (_, Err(error)) => {
                self.audit.refuse(Capability::Workspace, "search", &target, &error);
                return Ok(Err(error));
            }
        };
        let workspace = Arc::clone(&self.inputs.workspace);
        let files = workspace.matching(&matcher, usize::MAX, || self.meter.in_time())?;
        let mut ahead = Ahead::default();
        for (at, &file) in files.iter().enumerate() {
            if search.is_full() {
                break;
            }
            self.meter.in_time()?;
            ahead.read(workspace.contents(), files.get(at..).unwrap_or_default());
            let path = workspace.contents().path(file);
            // A file that cannot be read (too large, a link) has no matches.
            let Ok(blob) = workspace.content(path.as_str()) else { continue };
            let bytes = blob.bytes();
            // Searching takes time outside of the guest, so it costs as much as returning the file.
            self.meter.hand_over(bytes.len() as u64)?;
            search.file(path.as_str(), bytes, || self.meter.in_time())?;
        }
        let found = search.into_found();
        let handed = found_digest(&found);
        self.audit.record(Capability::Workspace, "search", &target, Decision::Granted, handed);
        Ok(Ok(found))
    }
}

/// A search as the audit shows it.
fn shown_search(pattern: &str, glob: &str) -> String {
    let clip = |text: &str| text.chars().take(200).collect::<String>();
    format!("{} in {}", clip(pattern), clip(glob))
}

fn record_read(audit: &mut Audit, path: &str, answer: &Result<Blob, HostError>) {
    match answer {
        Ok(blob) => audit.record(Capability::Workspace, "read", path, Decision::Granted, Handed::Blob(blob)),
        Err(error) => audit.refuse(Capability::Workspace, "read", path, error),
    }
}

fn entries_digest(entries: &[Entry]) -> Digest {
    let mut hasher = Hasher::default();
    for entry in entries {
        hasher.field(entry.path.as_bytes());
        hasher.number(entry.kind as u64);
        hasher.number(entry.size);
    }
    hasher.digest()
}

fn found_digest(found: &[Found]) -> Handed<'static> {
    let mut hasher = Hasher::default();
    for line in found {
        hasher.field(line.path.as_bytes());
        hasher.number(line.line.into());
        hasher.field(line.text.as_bytes());
    }
    let bytes = found.iter().map(|line| (line.path.len() + line.text.len()) as u64).sum();
    Handed::Digest(bytes, hasher.digest())
}

impl GeneState {
    fn hand_over_entries(&mut self, function: &'static str, target: &str, answer: Listed) -> wasmtime::Result<Listed> {
        let bytes = answer.iter().flatten().map(|entry| entry.path.len() as u64 + 16).sum();
        self.meter.hand_over(bytes)?;
        match &answer {
            Ok(entries) => {
                let handed = Handed::Digest(bytes, entries_digest(entries));
                self.audit.record(Capability::Workspace, function, target, Decision::Granted, handed);
            }
            Err(error) => self.audit.refuse(Capability::Workspace, function, target, error),
        }
        Ok(answer)
    }
}
