//! The files that a call wrote below `/workspace`, as changes of a proposal. `/tmp` does not count.
//!
//! Files are compared by their bytes: rewriting a file with the same bytes is not a change. A move is a deletion and a
//! new file. Directories do not count, as in git. What must stay true: every path is one that the tree shows, or was
//! checked when it was created. The content of the changes was charged to the output budget, and the old content as
//! returned bytes. So a call that moves a whole repository pays for what the host has to keep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use gephost_core::gate::{BlobState, FileMode};
use gephost_core::patch::{Patch, emit, make};
use gephost_core::path::RepoPath;
use gephost_core::proposal::Change;

use super::node::File;
use super::overlay::{Overlay, Slot};
use crate::sandbox::budget::Meter;
use crate::sandbox::files::{Child, walk};
use crate::sandbox::files::{DirectoryId, Tree};
use crate::sandbox::files::{FileId, FileKind};

#[derive(Default)]
struct Touched {
    removed: BTreeSet<FileId>,
    put: BTreeMap<String, Arc<File>>,
}

impl Overlay {
    /// The changes, sorted by path. An error is an exceeded budget, or a file of the base that cannot be read.
    pub(crate) fn difference(&self, meter: &mut Meter) -> wasmtime::Result<Vec<Change>> {
        let Touched { mut removed, put } = self.touched();
        let mut changes = BTreeMap::new();
        for (path, file) in put {
            let before = self.shown_file(&path);
            if let Some(before) = before {
                removed.remove(&before);
            }
            if let Some(change) = self.change(&path, &file, before, meter)? {
                changes.insert(path, change);
            }
        }
        for id in removed {
            let path = self.workspace().contents().path(id).as_str().to_owned();
            changes.insert(path.clone(), Change::Delete { path });
        }
        Ok(changes.into_values().collect())
    }

    fn touched(&self) -> Touched {
        let mut touched = Touched::default();
        let mut left = vec![(Self::WORKSPACE, String::new())];
        while let Some((place, prefix)) = left.pop() {
            for (name, slot) in &self.directory(place).own {
                let path = format!("{prefix}{name}");
                let base = self.base_child(place, name);
                match slot {
                    Slot::Directory(below) => {
                        let shines_through = self.directory(*below).base.is_some();
                        self.remove(base.filter(|_| !shines_through), &mut touched.removed);
                        left.push((*below, format!("{path}/")));
                    }
                    Slot::Gone => self.remove(base, &mut touched.removed),
                    Slot::File(file) => {
                        let as_it_was = matches!(base, Some(Child::File(id)) if file.origin == Some(id));
                        if !as_it_was || file.is_written() {
                            self.remove(base, &mut touched.removed);
                            touched.put.insert(path, Arc::clone(file));
                        }
                    }
                }
            }
        }
        touched
    }

    /// All files that the tree shows at or below an entry.
    fn remove(&self, entry: Option<Child<DirectoryId, FileId>>, removed: &mut BTreeSet<FileId>) {
        let mut left: Vec<_> = entry.into_iter().collect();
        while let Some(entry) = left.pop() {
            match entry {
                Child::Directory(id) => {
                    left.extend(self.workspace().tree().children_after(id, None).map(|(_, child)| child));
                }
                Child::File(id) | Child::Link(id, _) => {
                    removed.insert(id);
                }
            }
        }
    }

    fn shown_file(&self, path: &str) -> Option<FileId> {
        match walk(&mut self.workspace().tree(), Tree::ROOT, path, false).ok()?.found? {
            Child::File(id) | Child::Link(id, _) => Some(id),
            Child::Directory(_) => None,
        }
    }

    fn change(
        &self,
        path: &str,
        file: &File,
        before: Option<FileId>,
        meter: &mut Meter,
    ) -> wasmtime::Result<Option<Change>> {
        if before.is_none() && is_by_product(path) {
            return Ok(None);
        }
        let contents = self.workspace().contents();
        let read = |id| contents.bytes(id).map_err(|error| wasmtime::Error::msg(format!("{path}: {error}")));
        meter.in_time()?;
        let content = match file.unread_id() {
            Some(id) => {
                meter.take(contents.size(id).unwrap_or_default())?;
                read(id)?.bytes().to_vec()
            }
            // It was charged when it was written.
            None => file.to_vec(),
        };
        if let Some(before) = before {
            meter.hand_over(contents.size(before).unwrap_or_default())?;
            let same = *read(before)?.bytes() == *content;
            return Ok((!same).then(|| Change::NewContent { path: path.to_owned(), content }));
        }
        let was_executable = file.origin.is_some_and(|id| contents.kind(id) == FileKind::Executable);
        let diff = was_executable.then(|| new_executable(path, &content)).flatten();
        Ok(Some(diff.unwrap_or_else(|| Change::NewContent { path: path.to_owned(), content })))
    }
}

/// Files that an interpreter creates beside the sources that it runs.
fn is_by_product(path: &str) -> bool {
    path.split('/').any(|name| name == "__pycache__") || Path::new(path).extension().is_some_and(|end| end == "pyc")
}

/// A moved executable as a diff, because whole content cannot carry a mode. `None` if the content has no lines. Then
/// the gate refuses the change as it is.
fn new_executable(path: &str, content: &[u8]) -> Option<Change> {
    let path = RepoPath::new(path).ok()?;
    let after = BlobState { mode: FileMode::Executable, content: Arc::from(content) };
    let file = make(None, Some(&after), &path).ok()?;
    Some(Change::UnifiedDiff(emit(&Patch { files: vec![file] })))
}
