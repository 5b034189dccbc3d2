//! The import `workspace`: the files of the base commit that the policy shows.
//!
//! A path that a guest spells goes through the resolver of [`vfs`](super::vfs), as it does behind `wasi:filesystem`; it
//! never reaches git or the operating system (invariant 7). A denied file and one that does not exist look the same.
//! A link that leads to something shown is listed as a link, and read as what it leads to.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_core::pattern::PathGlob;
use gephost_core::recording::{Blob, Decision, Digest, Hasher};
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use super::audit::{Audit, Handed};
use super::bindings::gephost::gene::types::HostError;
use super::bindings::gephost::gene::workspace::{Entry, EntryKind, Found, Host};
use super::search::{MAX_ANSWERS, Search, compile_glob};
use super::state::GeneState;
use super::vfs::{Child, Contents, FileId, FileKind, Files, Names, Taken, Tree, Witnessed, walk};

/// The most paths of one `read`.
const MAX_PATHS: usize = 10_000;
/// The most bytes that one `read` answers, so that the host never holds more for one call. Paths beyond it answer
/// `invalid`.
const MAX_READ_BYTES: u64 = 64 << 20;

/// What a listing answers.
type Listed = Result<Vec<Entry>, HostError>;

/// Decides where a gene may make something, for a workspace that is told only what it shows.
pub(super) trait Room: Send + Sync {
    /// As [`Workspace::has_room`].
    fn has_room(&self, path: &RepoPath, is_directory: bool) -> bool;
}

/// The files that genes see.
pub struct Workspace {
    tree: Tree,
    contents: Arc<Contents>,
    is_visible: Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>,
    /// Who decides where something can be made, if it is not decided here.
    elsewhere: Option<Arc<dyn Room>>,
    /// Where a gene wanted to write and was not let: its own words, which a recording needs to refuse them again.
    refused: Mutex<BTreeSet<RepoPath>>,
    /// The written form of the names.
    written_names: OnceLock<Blob>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("contents", &self.contents).finish_non_exhaustive()
    }
}

impl Workspace {
    /// A workspace of the files that `is_visible` lets through, which also decides where new ones may be.
    pub fn new(
        files: Arc<dyn Files>,
        list: impl IntoIterator<Item = (RepoPath, FileKind)>,
        is_visible: impl Fn(&RepoPath) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::over(Arc::new(Contents::new(files, list)), Arc::new(is_visible))
    }

    /// The same files and the bytes read so far, less what `is_visible` hides.
    #[must_use]
    pub fn narrowed(&self, is_visible: impl Fn(&RepoPath) -> bool + Send + Sync + 'static) -> Self {
        let wider = Arc::clone(&self.is_visible);
        Self::over(Arc::clone(&self.contents), Arc::new(move |path| wider(path) && is_visible(path)))
    }

    fn over(contents: Arc<Contents>, is_visible: Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>) -> Self {
        let tree = Tree::new(&contents, &*is_visible);
        let (refused, written_names) = Default::default();
        Self { tree, contents, is_visible, elsewhere: None, refused, written_names }
    }

    /// A copy of another process's workspace: all of the listing is shown, and `room` knows what else there is.
    pub(super) fn copy_of(
        files: Arc<dyn Files>,
        list: impl IntoIterator<Item = (RepoPath, FileKind)>,
        room: Arc<dyn Room>,
    ) -> Self {
        Self { elsewhere: Some(room), ..Self::new(files, list, |_| true) }
    }

    /// Every file and link that is shown, and where a link leads: what a copy is made of.
    pub(super) fn listing(&self) -> impl Iterator<Item = (&str, FileKind, Option<&str>)> {
        self.shown().map(|(path, id)| (path.as_str(), self.contents.kind(id), self.tree.target(id)))
    }

    /// A file or a link that is shown, by the name that [`Workspace::listing`] gave it.
    pub(super) fn listed(&self, path: &str) -> Option<FileId> {
        let shown = self.tree.shown();
        let at = shown.binary_search_by(|id| self.contents.path(*id).as_str().cmp(path)).ok()?;
        shown.get(at).copied()
    }

    /// The names, shown and hidden.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The listing and its bytes.
    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Whether a gene may make something at a path: not where it would not see it, nor over what it does not see.
    pub(super) fn has_room(&self, path: &RepoPath, is_directory: bool) -> bool {
        if let Some(room) = &self.elsewhere {
            return room.has_room(path, is_directory);
        }
        let room = (self.is_visible)(path)
            && match self.tree.taken(path.as_str()) {
                Taken::Hidden => false,
                Taken::HidingDirectory => is_directory,
                Taken::Shown | Taken::Free => true,
            };
        if !room {
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        }
        room
    }

    /// Every file and link that is shown, sorted by path.
    pub fn names(&self) -> impl Iterator<Item = (&RepoPath, FileKind)> {
        self.shown().map(|(path, id)| (path, self.contents.kind(id)))
    }

    /// What `write` makes of the names, made once.
    pub(crate) fn written_names<E>(&self, write: impl FnOnce(&Self) -> Result<Vec<u8>, E>) -> Result<Blob, E> {
        if let Some(written) = self.written_names.get() {
            return Ok(written.clone());
        }
        let written = Blob::from(write(self)?);
        Ok(self.written_names.get_or_init(|| written).clone())
    }

    /// The files and links of which something is known because a gene asked, and what that is.
    pub fn witnessed(&self) -> impl Iterator<Item = (&RepoPath, Witnessed)> {
        self.shown().filter_map(|(path, id)| Some((path, self.contents.witnessed(id)?)))
    }

    /// The paths where a gene wanted to make something and there was no room.
    pub fn refused(&self) -> Vec<RepoPath> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// What a path leads to, links followed; where it leads nowhere, that is all it tells.
    fn resolve(&self, path: &str) -> Result<Child<<&Tree as Names>::Directory, FileId>, HostError> {
        let place = walk(&mut &self.tree, Tree::ROOT, path, true).map_err(|_| HostError::NotFound)?;
        place.found.ok_or(HostError::NotFound)
    }

    /// The whole content of a shown file. Read once; all genes of a cycle see the same bytes.
    fn content(&self, path: &str) -> Result<Blob, HostError> {
        match self.resolve(path)? {
            Child::File(file) => self.bytes(file),
            // A link at the end was followed.
            Child::Directory(_) | Child::Link(..) => Err(HostError::NotFound),
        }
    }

    fn bytes(&self, file: FileId) -> Result<Blob, HostError> {
        self.contents.bytes(file).map_err(HostError::from)
    }

    /// What lies directly in a directory. Paths begin as the guest spelled the directory. `in_time` ends it.
    fn list(&self, directory: &str, mut in_time: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<Listed> {
        let id = match self.resolve(if directory.is_empty() { "." } else { directory }) {
            Ok(Child::Directory(id)) => id,
            Ok(_) => return Ok(Err(HostError::NotFound)),
            Err(error) => return Ok(Err(error)),
        };
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let entries = self.tree.children_after(id, None).map(|(name, child)| {
            in_time()?;
            let (kind, size) = match child {
                Child::Directory(_) => (EntryKind::Directory, 0),
                Child::File(file) => (EntryKind::File, self.size(file)),
                Child::Link(..) => (EntryKind::Symlink, 0),
            };
            Ok(Entry { path: format!("{prefix}{name}"), kind, size })
        });
        entries.collect::<wasmtime::Result<_>>().map(Ok)
    }

    fn glob(
        &self,
        matcher: &PathGlob,
        limit: u32,
        mut in_time: impl FnMut() -> wasmtime::Result<()>,
    ) -> wasmtime::Result<Vec<Entry>> {
        let limit = limit.min(MAX_ANSWERS) as usize;
        let mut entries = Vec::new();
        for (path, file) in self.shown() {
            if entries.len() == limit {
                break;
            }
            in_time()?;
            if matcher.is_match(path.as_str()) {
                let (kind, size) = match self.contents.kind(file) {
                    FileKind::Symlink => (EntryKind::Symlink, 0),
                    _ => (EntryKind::File, self.size(file)),
                };
                entries.push(Entry { path: path.as_str().to_owned(), kind, size });
            }
        }
        Ok(entries)
    }

    /// Every file and link that is shown, sorted by path.
    fn shown(&self) -> impl Iterator<Item = (&RepoPath, FileId)> {
        self.tree.shown().iter().map(|&file| (self.contents.path(file), file))
    }

    /// The size of a file. One that its source cannot give has no bytes; reading it says why.
    fn size(&self, file: FileId) -> u64 {
        self.contents.size(file).unwrap_or_default()
    }
}

/// The directory that a guest spelled, without `./` and trailing slashes; the root is empty.
fn directory(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    if path == "." { "" } else { path.strip_prefix("./").unwrap_or(path) }
}

/// Links `read` so that the bytes go into the guest's memory from where the host keeps them, without a copy in between.
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
            answers.push(answer.map(|blob| Arc::clone(blob.bytes())));
        }
        Ok(answers)
    }
}

impl Host for GeneState {
    /// The form that the contract's Rust types have. [`link_read`] takes its place.
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
        for (path, _) in workspace.shown().filter(|(path, _)| matcher.is_match(path.as_str())) {
            if search.is_full() {
                break;
            }
            self.meter.in_time()?;
            // A file that cannot be read (too large, a link) holds nothing to find.
            let Ok(blob) = workspace.content(path.as_str()) else { continue };
            let bytes = blob.bytes();
            // Searching costs time outside the guest, so it is charged like handing the file over.
            self.meter.hand_over(bytes.len() as u64)?;
            search.file(path.as_str(), bytes, || self.meter.in_time())?;
        }
        let found = search.into_found();
        let handed = found_digest(&found);
        self.audit.record(Capability::Workspace, "search", &target, Decision::Granted, handed);
        Ok(Ok(found))
    }
}

/// What a search was for, for the audit.
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
