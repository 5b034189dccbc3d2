//! Simulates a power cut: it replays the writes and syncs of a traced program on a model of a disk that keeps nothing that was
//! not synced.
//!
//! The model is the worst case that POSIX allows: the bytes of a file are kept once the file was synced, a name once its
//! folder was. Every state of the disk is a prefix of the synced writes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The system calls that the model knows. Names that a machine does not have are ignored.
pub(crate) const CALLS: &str = "trace=?open,openat,?openat2,?creat,write,pwrite64,lseek,ftruncate,?rename,renameat,renameat2,?link,\
                                linkat,?unlink,unlinkat,?mkdir,mkdirat,?rmdir,?symlink,symlinkat,fsync,fdatasync";

type Id = usize;

/// A file, folder or link, as programs see it and as it is on disk.
#[derive(Debug, Clone)]
enum Node {
    File { seen: Vec<u8>, kept: Vec<u8>, mode: u32 },
    Folder { seen: BTreeMap<Vec<u8>, Id>, kept: BTreeMap<Vec<u8>, Id> },
    Link(Vec<u8>),
}

/// The disk below a few folders.
#[derive(Debug)]
pub(crate) struct Disk {
    nodes: Vec<Node>,
    roots: Vec<(PathBuf, Id)>,
    /// The position of the next write, by descriptor and path, because child processes have descriptors with equal numbers.
    offsets: BTreeMap<String, usize>,
    appending: BTreeMap<String, bool>,
}

/// A system call: its name, its arguments and its result.
struct Call<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    result: &'a str,
}

impl Disk {
    /// The folders as they are now; everything is on disk.
    pub(crate) fn of(folders: &[&Path]) -> Self {
        let mut disk =
            Self { nodes: Vec::new(), roots: Vec::new(), offsets: BTreeMap::new(), appending: BTreeMap::new() };
        for folder in folders {
            let id = disk.load(folder);
            disk.roots.push((folder.to_path_buf(), id));
        }
        disk
    }

    fn load(&mut self, path: &Path) -> Id {
        let found = fs::symlink_metadata(path).unwrap();
        let node = if found.is_symlink() {
            Node::Link(fs::read_link(path).unwrap().into_os_string().into_encoded_bytes())
        } else if found.is_file() {
            let bytes = fs::read(path).unwrap();
            Node::File { seen: bytes.clone(), kept: bytes, mode: found.permissions().mode() & 0o777 }
        } else {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
            let names: BTreeMap<Vec<u8>, Id> =
                entries.map(|path| (path.file_name().unwrap().as_bytes().to_vec(), self.load(&path))).collect();
            Node::Folder { seen: names.clone(), kept: names }
        };
        self.add(node)
    }

    fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Replays a trace, and calls `at_sync` after each sync that changed the disk.
    pub(crate) fn replay(&mut self, trace: &str, mut at_sync: impl FnMut(&Self)) {
        let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
        for line in trace.lines() {
            let Some((thread, rest)) = line.split_once(' ') else { continue };
            let rest = rest.trim_start();
            if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
                begun.insert(thread, start);
                continue;
            }
            let joined = rest
                .strip_prefix("<... ")
                .and_then(|rest| rest.split_once(" resumed>"))
                .map(|(_, end)| format!("{}{end}", begun.remove(thread).unwrap_or_default()));
            let Some(call) = parse(joined.as_deref().unwrap_or(rest)) else { continue };
            if self.carry_out(&call) {
                at_sync(self);
            }
        }
    }

    /// Writes what the model's disk kept to the real folders.
    pub(crate) fn write_out(&self) {
        let mut written = BTreeMap::new();
        for (root, id) in &self.roots {
            for entry in fs::read_dir(root).unwrap() {
                let path = entry.unwrap().path();
                let removed = if path.is_dir() && !path.is_symlink() {
                    fs::remove_dir_all(&path)
                } else {
                    fs::remove_file(&path)
                };
                removed.unwrap();
            }
            self.write_below(root, *id, &mut written);
        }
    }

    /// `written` has the first name of each file; its other names become hard links.
    fn write_below(&self, path: &Path, id: Id, written: &mut BTreeMap<Id, PathBuf>) {
        let Node::Folder { kept, .. } = &self.nodes[id] else { panic!("{} is no folder", path.display()) };
        for (name, id) in kept {
            let path = path.join(OsStr::from_bytes(name));
            match &self.nodes[*id] {
                Node::File { kept, mode, .. } => match written.get(id) {
                    Some(first) => fs::hard_link(first, &path).unwrap(),
                    None => {
                        fs::write(&path, kept).unwrap();
                        fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
                        written.insert(*id, path);
                    }
                },
                Node::Link(target) => std::os::unix::fs::symlink(OsStr::from_bytes(target), &path).unwrap(),
                Node::Folder { .. } => {
                    fs::create_dir(&path).unwrap();
                    self.write_below(&path, *id, written);
                }
            }
        }
    }

    /// Applies a call that succeeded, and returns whether it changed the disk.
    fn carry_out(&mut self, call: &Call<'_>) -> bool {
        let argument = |at: usize| call.arguments.get(at).copied().unwrap_or_default();
        match call.name {
            "open" | "openat" | "openat2" | "creat" => self.open(call),
            "write" => {
                let descriptor = argument(0);
                let bytes = unescaped(argument(1));
                let count = call.result.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
                if let Some(Node::File { seen, .. }) = self.at(&path_of(descriptor)) {
                    let end = seen.len();
                    let key = descriptor.to_owned();
                    let append = self.appending.get(&key).copied().unwrap_or(false);
                    let at = if append { end } else { self.offsets.get(&key).copied().unwrap_or(0) };
                    self.put(&path_of(descriptor), at, bytes.get(..count).unwrap_or(&bytes));
                    self.offsets.insert(key, at + count);
                }
            }
            "pwrite64" => {
                let at = argument(3).parse().unwrap_or(0);
                self.put(&path_of(argument(0)), at, &unescaped(argument(1)));
            }
            "lseek" => {
                let at = call.result.parse().unwrap_or(0);
                self.offsets.insert(argument(0).to_owned(), at);
            }
            "ftruncate" => {
                let length = argument(1).parse().unwrap_or(0);
                if let Some(Node::File { seen, .. }) = self.at(&path_of(argument(0))) {
                    seen.resize(length, 0);
                }
            }
            "rename" => self.rename(&plain(argument(0)), &plain(argument(1)), false),
            "renameat" | "renameat2" => {
                let exchange = argument(4).contains("EXCHANGE");
                self.rename(&below(argument(0), argument(1)), &below(argument(2), argument(3)), exchange);
            }
            "link" => self.link(&plain(argument(0)), &plain(argument(1))),
            "linkat" => self.link(&below(argument(0), argument(1)), &below(argument(2), argument(3))),
            "unlink" | "rmdir" => drop(self.take(&plain(argument(0)))),
            "unlinkat" => drop(self.take(&below(argument(0), argument(1)))),
            "mkdir" => self.make(&plain(argument(0)), Node::Folder { seen: BTreeMap::new(), kept: BTreeMap::new() }),
            "mkdirat" => self
                .make(&below(argument(0), argument(1)), Node::Folder { seen: BTreeMap::new(), kept: BTreeMap::new() }),
            "symlink" => self.make(&plain(argument(1)), Node::Link(unescaped(argument(0)))),
            "symlinkat" => self.make(&below(argument(1), argument(2)), Node::Link(unescaped(argument(0)))),
            "fsync" | "fdatasync" => return self.sync(&path_of(argument(0))),
            _ => {}
        }
        false
    }

    fn open(&mut self, call: &Call<'_>) {
        let path = path_of(call.result);
        let flags = call.arguments.iter().find(|argument| argument.contains("O_")).copied().unwrap_or("O_CREAT");
        let key = call.result.to_owned();
        self.offsets.insert(key.clone(), 0);
        self.appending.insert(key, flags.contains("O_APPEND"));
        if flags.contains("O_CREAT") && self.at(&path).is_none() {
            self.make(&path, Node::File { seen: Vec::new(), kept: Vec::new(), mode: 0o644 });
        }
        if flags.contains("O_TRUNC")
            && let Some(Node::File { seen, .. }) = self.at(&path)
        {
            seen.clear();
        }
    }

    fn put(&mut self, path: &Path, at: usize, bytes: &[u8]) {
        if let Some(Node::File { seen, .. }) = self.at(path) {
            let end = at + bytes.len();
            seen.resize(seen.len().max(end), 0);
            seen[at..end].copy_from_slice(bytes);
        }
    }

    fn sync(&mut self, path: &Path) -> bool {
        match self.at(path) {
            Some(Node::File { seen, kept, .. }) if seen != kept => kept.clone_from(seen),
            Some(Node::Folder { seen, kept }) if seen != kept => kept.clone_from(seen),
            _ => return false,
        }
        true
    }

    fn rename(&mut self, from: &Path, to: &Path, exchange: bool) {
        let (moved, replaced) = (self.take(from), self.take(to));
        if let Some(id) = moved {
            self.name(to, id);
        }
        if let (true, Some(id)) = (exchange, replaced) {
            self.name(from, id);
        }
    }

    fn link(&mut self, from: &Path, to: &Path) {
        if let Some(id) = self.find(from) {
            self.name(to, id);
        }
    }

    fn make(&mut self, path: &Path, node: Node) {
        if self.roots.iter().any(|(root, _)| path.starts_with(root)) {
            let id = self.add(node);
            self.name(path, id);
        }
    }

    fn name(&mut self, path: &Path, id: Id) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
        if let Some(Node::Folder { seen, .. }) = self.at(folder) {
            seen.insert(name.as_bytes().to_vec(), id);
        }
    }

    fn take(&mut self, path: &Path) -> Option<Id> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        match self.at(folder)? {
            Node::Folder { seen, .. } => seen.remove(name.as_bytes()),
            _ => None,
        }
    }

    fn at(&mut self, path: &Path) -> Option<&mut Node> {
        let id = self.find(path)?;
        self.nodes.get_mut(id)
    }

    fn find(&self, path: &Path) -> Option<Id> {
        let (root, mut id) =
            self.roots.iter().find(|(root, _)| path.starts_with(root)).map(|(root, id)| (root, *id))?;
        for name in path.strip_prefix(root).ok()? {
            let Node::Folder { seen, .. } = &self.nodes[id] else { return None };
            id = *seen.get(name.as_bytes())?;
        }
        Some(id)
    }
}

/// Parses a call that succeeded. All strings are hexadecimal, so commas and brackets belong to the call.
fn parse(text: &str) -> Option<Call<'_>> {
    let (call, result) = text.rsplit_once(" = ")?;
    let (name, arguments) = call.trim_end().strip_suffix(')')?.split_once('(')?;
    let failed = result.starts_with('-') || result.starts_with('?');
    (!failed).then(|| Call { name, arguments: arguments.split(", ").collect(), result })
}

/// The path of a descriptor: `5</a/path>`.
fn path_of(descriptor: &str) -> PathBuf {
    let path = descriptor.split_once('<').map(|(_, path)| path.trim_end().trim_end_matches('>')).unwrap_or_default();
    PathBuf::from(OsStr::from_bytes(&unescaped(path)))
}

fn plain(path: &str) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(&unescaped(path)))
}

/// The path relative to a folder's descriptor, or an absolute path.
fn below(folder: &str, path: &str) -> PathBuf {
    path_of(folder).join(plain(path))
}

/// The bytes of a string in which strace may have written every byte as `\xNN`.
fn unescaped(text: &str) -> Vec<u8> {
    let text = text.trim_matches('"').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let digits = text.get(at + 2..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(found) if text.get(at..at + 2) == Some(b"\\x") => {
                bytes.push(found);
                at += 4;
            }
            _ => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    bytes
}
