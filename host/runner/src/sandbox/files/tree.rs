//! The names of a workspace, shown and hidden: directory by directory, sorted. The tree is built once and shared by all
//! calls.
//!
//! A directory is shown if something below it is. What must stay true: from a shown name, a walk reaches only shown names,
//! and a hidden name looks like a missing one.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use gephost_core::path::RepoPath;

use super::contents::{Contents, FileId, FileKind};
use super::walk::{Child, MAX_LINKS, Names, follow, walk};

/// A directory of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DirectoryId(u32);

/// The names of a workspace.
#[derive(Debug)]
pub(crate) struct Tree {
    directories: Vec<Directory>,
    links: Vec<Link>,
    /// Shown files and links, sorted by path.
    shown: Vec<FileId>,
}

#[derive(Debug, Default)]
struct Directory {
    parent: Option<DirectoryId>,
    entries: BTreeMap<Box<str>, Entry>,
    shown: bool,
}

#[derive(Debug, Clone, Copy)]
enum Entry {
    Directory(DirectoryId),
    File(FileId),
    Link(u32),
    Hidden,
}

#[derive(Debug)]
struct Link {
    id: FileId,
    directory: DirectoryId,
    target: Arc<str>,
    shown: bool,
}

impl Tree {
    /// The root directory.
    pub(crate) const ROOT: DirectoryId = DirectoryId(0);

    /// The tree of a listing. `is_visible` decides which files and links are shown.
    pub(crate) fn new(contents: &Contents, is_visible: impl Fn(&RepoPath) -> bool) -> Self {
        let root = Directory { shown: true, ..Directory::default() };
        let mut tree = Self { directories: vec![root], links: Vec::new(), shown: Vec::new() };
        for (id, path, kind) in contents.listing() {
            let (directories, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
            let Some(directory) = tree.make_directories(directories) else { continue };
            let entry = if is_visible(path) { tree.entry(contents, directory, id, kind) } else { Entry::Hidden };
            tree.insert(directory, name, entry);
        }
        tree.show_links();
        tree.shown = contents.listing().map(|(id, ..)| id).filter(|id| tree.shows(contents, *id)).collect();
        tree
    }

    fn entry(&mut self, contents: &Contents, directory: DirectoryId, id: FileId, kind: FileKind) -> Entry {
        match kind {
            FileKind::File | FileKind::Executable => Entry::File(id),
            FileKind::Other => Entry::Hidden,
            FileKind::Symlink => match (contents.link_target(id), u32::try_from(self.links.len())) {
                (Ok(target), Ok(link)) => {
                    self.links.push(Link { id, directory, target: target.into(), shown: false });
                    Entry::Link(link)
                }
                _ => Entry::Hidden,
            },
        }
    }

    fn insert(&mut self, directory: DirectoryId, name: &str, entry: Entry) {
        self.directory_mut(directory).entries.entry(name.into()).or_insert(entry);
        if matches!(entry, Entry::File(_)) {
            self.show(directory);
        }
    }

    /// The directory at a path of the listing. `None` if a file is in the way.
    fn make_directories(&mut self, path: &str) -> Option<DirectoryId> {
        let mut directory = Self::ROOT;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            directory = match self.directory(directory).entries.get(name) {
                Some(Entry::Directory(next)) => *next,
                Some(_) => return None,
                None => {
                    let next = DirectoryId(u32::try_from(self.directories.len()).ok()?);
                    self.directories.push(Directory { parent: Some(directory), ..Directory::default() });
                    self.directory_mut(directory).entries.insert(name.into(), Entry::Directory(next));
                    next
                }
            };
        }
        Some(directory)
    }

    /// Marks a directory and those above it as shown.
    fn show(&mut self, directory: DirectoryId) {
        let mut next = Some(directory);
        while let Some(directory) = next {
            let directory = self.directory_mut(directory);
            if std::mem::replace(&mut directory.shown, true) {
                break;
            }
            next = directory.parent;
        }
    }

    /// Marks every link as shown whose target is shown. That can make a directory shown, which may be the target of
    /// another link. So this is repeated until nothing changes, at most as often as a walk follows links.
    fn show_links(&mut self) {
        for _ in 0..MAX_LINKS {
            let hidden = self.links.iter().enumerate().filter(|(_, link)| !link.shown);
            let found: Vec<usize> = hidden.filter(|(_, link)| self.leads_somewhere(link)).map(|(at, _)| at).collect();
            if found.is_empty() {
                return;
            }
            for at in found {
                let link = &mut self.links[at];
                link.shown = true;
                let directory = link.directory;
                self.show(directory);
            }
        }
    }

    fn leads_somewhere(&self, link: &Link) -> bool {
        match follow(&mut &*self, link.directory, &link.target).map(|place| place.found) {
            Ok(Some(Child::Directory(directory))) => self.directory(directory).shown,
            Ok(Some(_)) => true,
            Ok(None) | Err(_) => false,
        }
    }

    fn shows(&self, contents: &Contents, id: FileId) -> bool {
        let place = walk(&mut &*self, Self::ROOT, contents.path(id).as_str(), false);
        place.is_ok_and(|place| matches!(place.found, Some(Child::File(found) | Child::Link(found, _)) if found == id))
    }

    fn directory(&self, id: DirectoryId) -> &Directory {
        &self.directories[id.0 as usize]
    }

    fn directory_mut(&mut self, id: DirectoryId) -> &mut Directory {
        &mut self.directories[id.0 as usize]
    }

    fn link(&self, at: u32) -> &Link {
        &self.links[at as usize]
    }

    /// What an entry looks like to a gene.
    fn child_of(&self, entry: Entry) -> Option<Child<DirectoryId, FileId>> {
        match entry {
            Entry::Directory(id) => self.directory(id).shown.then_some(Child::Directory(id)),
            Entry::File(id) => Some(Child::File(id)),
            Entry::Link(link) => {
                let link = self.link(link);
                link.shown.then(|| Child::Link(link.id, Arc::clone(&link.target)))
            }
            Entry::Hidden => None,
        }
    }

    /// What a directory shows under a name.
    pub(crate) fn child(&self, directory: DirectoryId, name: &str) -> Option<Child<DirectoryId, FileId>> {
        self.child_of(*self.directory(directory).entries.get(name)?)
    }

    /// The names that a directory shows after the name `after`, sorted.
    pub(crate) fn children_after<'a>(
        &'a self,
        directory: DirectoryId,
        after: Option<&str>,
    ) -> impl Iterator<Item = (&'a str, Child<DirectoryId, FileId>)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = self.directory(directory).entries.range::<str, _>((from, Bound::Unbounded));
        entries.filter_map(|(name, entry)| Some((&**name, self.child_of(*entry)?)))
    }

    /// Every file and link that is shown, sorted by path.
    pub(crate) fn shown(&self) -> &[FileId] {
        &self.shown
    }

    /// The target of a link. `None` if it is not a link.
    pub(crate) fn target(&self, id: FileId) -> Option<&str> {
        // Links come in the listing's order.
        let at = self.links.binary_search_by_key(&id, |link| link.id).ok()?;
        self.links.get(at).map(|link| &*link.target)
    }

    /// The position of a file among those that are shown. It reveals nothing about hidden files.
    pub(crate) fn rank(&self, id: FileId) -> Option<usize> {
        self.shown.binary_search(&id).ok()
    }
}

impl Names for &Tree {
    type Directory = DirectoryId;
    type File = FileId;

    fn child(&mut self, directory: DirectoryId, name: &str) -> Option<Child<DirectoryId, FileId>> {
        Tree::child(self, directory, name)
    }

    fn parent(&mut self, directory: DirectoryId) -> Option<DirectoryId> {
        self.directory(directory).parent
    }
}
