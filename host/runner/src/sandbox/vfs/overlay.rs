//! The files as one call sees them: the tree, and what the call has read and written.
//!
//! A directory holds only entries that differ from the tree or were looked at. What must stay true: a directory with a
//! `base` is at the place of that directory of the tree. A directory that is moved takes its entries with it and loses
//! its base.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;

use super::node::{File, Times};
use crate::sandbox::Workspace;
use crate::sandbox::files::FileId;
use crate::sandbox::files::{Child, Names};
use crate::sandbox::files::{DirectoryId, Tree};

/// A directory of one call, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// An entry of a directory.
#[derive(Debug, Clone)]
pub(crate) enum Slot {
    /// Removed: it hides the entry of the tree.
    Gone,
    Directory(Place),
    File(Arc<File>),
}

/// A file: untouched in the tree, or of this call.
#[derive(Debug, Clone)]
pub(crate) enum FileRef {
    /// Not opened yet.
    Base(FileId),
    /// Opened, created or moved.
    Own(Arc<File>),
}

/// A directory of one call.
#[derive(Debug)]
pub(crate) struct Directory {
    /// Its parent. `None` for the two roots.
    pub(crate) parent: Option<Place>,
    /// Its name in the parent.
    pub(crate) name: Box<str>,
    /// The directory of the tree below it, whose entries are visible.
    pub(crate) base: Option<DirectoryId>,
    /// Entries that differ from the tree or were looked at.
    pub(crate) own: BTreeMap<Box<str>, Slot>,
    /// Whether it was removed while it was open.
    pub(crate) removed: bool,
    /// Its times of reading and change.
    pub(crate) times: Times,
}

/// The files of one call.
#[derive(Debug)]
pub(crate) struct Overlay {
    workspace: Arc<Workspace>,
    directories: Vec<Directory>,
    /// The number of files that this call created.
    made: u64,
    born: Times,
    unpaid: Arc<AtomicU64>,
}

impl Overlay {
    /// The root of `/workspace`.
    pub(crate) const WORKSPACE: Place = Place(0);
    /// The root of `/tmp`.
    pub(crate) const TMP: Place = Place(1);

    /// An overlay over a workspace. Every file has the time of the gene's clock.
    pub(crate) fn new(workspace: Arc<Workspace>, now: Datetime, unpaid: Arc<AtomicU64>) -> Self {
        let born = Times { accessed: now, modified: now };
        let root = |name: &str, base| Directory {
            parent: None,
            name: name.into(),
            base,
            own: BTreeMap::new(),
            removed: false,
            times: born,
        };
        let directories = vec![root("/workspace", Some(Tree::ROOT)), root("/tmp", None)];
        Self { workspace, directories, made: 0, born, unpaid }
    }

    /// The workspace below it.
    pub(crate) fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// A directory.
    pub(crate) fn directory(&self, place: Place) -> &Directory {
        &self.directories[place.0 as usize]
    }

    /// A directory.
    pub(crate) fn directory_mut(&mut self, place: Place) -> &mut Directory {
        &mut self.directories[place.0 as usize]
    }

    /// The names from a root to a directory, and the root.
    pub(crate) fn way(&self, place: Place) -> (Place, Vec<&str>) {
        let (mut at, mut names) = (place, Vec::new());
        while let Some(parent) = self.directory(at).parent {
            names.push(&*self.directory(at).name);
            at = parent;
        }
        names.reverse();
        (at, names)
    }

    /// The times of untouched files.
    pub(crate) fn born(&self) -> Times {
        self.born
    }

    /// A number for a file that this call creates. It is even, and those of the base are odd.
    fn next_number(&mut self) -> u64 {
        self.made += 1;
        self.made * 2
    }

    /// The number of an untouched file.
    pub(crate) fn base_number(&self, file: FileId) -> u64 {
        self.workspace.tree().rank(file).map_or(0, |rank| rank as u64) * 2 + 1
    }

    /// The number of a directory. Directories are numbered in the order in which they are reached.
    pub(crate) fn directory_number(place: Place) -> u64 {
        1 << 62 | u64::from(place.0)
    }

    /// A new, empty file that is in no directory yet.
    pub(crate) fn make_file(&mut self, now: Datetime) -> Arc<File> {
        let number = self.next_number();
        Arc::new(File::empty(number, Times { accessed: now, modified: now }, &self.unpaid))
    }

    /// A new directory in `parent`.
    pub(crate) fn add_directory(
        &mut self,
        parent: Place,
        name: &str,
        base: Option<DirectoryId>,
        times: Times,
    ) -> Place {
        let place = Place(u32::try_from(self.directories.len()).expect("budgets end a call long before"));
        let own = BTreeMap::new();
        self.directories.push(Directory { parent: Some(parent), name: name.into(), base, own, removed: false, times });
        self.directory_mut(parent).own.insert(name.into(), Slot::Directory(place));
        place
    }

    /// The file under a name of a directory, as a file of this call. It can then be opened, moved and written.
    pub(crate) fn take_file(&mut self, directory: Place, name: &str, file: FileRef) -> Result<Arc<File>, String> {
        match file {
            FileRef::Own(file) => Ok(file),
            FileRef::Base(id) => {
                let size = self.workspace.contents().size(id).map_err(|unread| unread.to_string())?;
                let file = Arc::new(File::of_base(self.base_number(id), id, size, self.born, &self.unpaid));
                self.directory_mut(directory).own.insert(name.into(), Slot::File(Arc::clone(&file)));
                Ok(file)
            }
        }
    }

    /// The entry of the tree under a name of a directory, if it is visible.
    pub(crate) fn base_child(&self, directory: Place, name: &str) -> Option<Child<DirectoryId, FileId>> {
        self.workspace.tree().child(self.directory(directory).base?, name)
    }

    /// The entry that a directory shows under a name.
    pub(crate) fn look(&mut self, directory: Place, name: &str) -> Option<Child<Place, FileRef>> {
        match self.directory(directory).own.get(name) {
            Some(Slot::Gone) => return None,
            Some(Slot::Directory(place)) => return Some(Child::Directory(*place)),
            Some(Slot::File(file)) => return Some(Child::File(FileRef::Own(Arc::clone(file)))),
            None => {}
        }
        Some(match self.base_child(directory, name)? {
            Child::Directory(base) => Child::Directory(self.add_directory(directory, name, Some(base), self.born)),
            Child::File(file) => Child::File(FileRef::Base(file)),
            Child::Link(file, target) => Child::Link(FileRef::Base(file), target),
        })
    }

    /// The first name after `after` that a directory shows, and its entry.
    pub(crate) fn next_name(&self, directory: Place, after: Option<&str>) -> Option<(&str, Kind)> {
        let directory = self.directory(directory);
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let own = directory.own.range::<str, _>((from, Bound::Unbounded)).find_map(|(name, slot)| {
            let kind = match slot {
                Slot::Gone => return None,
                Slot::Directory(_) => Kind::Directory,
                Slot::File(_) => Kind::File,
            };
            Some((&**name, kind))
        });
        let base = directory.base.and_then(|base| {
            let mut children = self.workspace.tree().children_after(base, after);
            let (name, child) = children.find(|(name, _)| !directory.own.contains_key(*name))?;
            let kind = match child {
                Child::Directory(_) => Kind::Directory,
                Child::File(_) => Kind::File,
                Child::Link(..) => Kind::Link,
            };
            Some((name, kind))
        });
        match (own, base) {
            (Some(own), Some(base)) => Some(if own.0 < base.0 { own } else { base }),
            (own, base) => own.or(base),
        }
    }
}

/// The kind of an entry in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    File,
    /// A symbolic link.
    Link,
}

impl Names for Overlay {
    type Directory = Place;
    type File = FileRef;

    fn child(&mut self, directory: Place, name: &str) -> Option<Child<Place, FileRef>> {
        self.look(directory, name)
    }

    fn parent(&mut self, directory: Place) -> Option<Place> {
        self.directory(directory).parent
    }
}
