//! Shows a folder of the checkout in the work copy.
//!
//! Where Landlock protects the originals, the folder is made of links to them; else it is copied. Programs that look at
//! their own place are copied in any case, with the work copy's folder in the place of the checkout's: a script names its
//! interpreter, and an editable installation names the sources. A folder with links in it is made anew, since its links
//! may lead to packages of the project.

#![expect(clippy::disallowed_methods, reason = "the folders of the checkout and of the work copy are named by path")]

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;

use super::rewrite::Moves;
use super::venv::{is_conda, is_pointer, is_venv};

/// Most entries that are made.
const MAX_ENTRIES: usize = 400_000;
/// Most bytes that are copied where links would not be protected.
const MAX_COPIED: u64 = 4 << 30;
/// Most bytes of a text that is rewritten.
const MAX_TEXT: u64 = 512 << 10;
/// Folders in folders, at most.
const MAX_DEPTH: usize = 64;
/// Entries that tools write into a folder of dependencies. They create them anew.
const SCRATCH: &[&str] = &[".cache", ".vite", ".vitest", ".package-lock.json.lock", "__pycache__", ".git", ".env"];
/// Folders whose entries are shown one by one, because some say where they are or where others are.
const OPENED: &[&str] = &["bin", ".bin", "Scripts", "lib", "lib64", "site-packages", "dist-packages", "composer"];
/// Folders of programs, whose texts are copied: a program may ask for its own place.
const PROGRAMS: &[&str] = &["bin", ".bin", "Scripts", "composer", "vendor"];

/// How originals are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validate) enum How {
    /// As links, which commands cannot write through.
    Links,
    Copies,
}

/// A file outside of the checkout that something in a shown folder leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::validate) struct Outside {
    /// What leads to it.
    pub(in crate::validate) from: PathBuf,
    /// The file or folder.
    pub(in crate::validate) to: PathBuf,
}

/// Shows folders.
#[derive(Debug)]
pub(in crate::validate) struct Mirror<'a> {
    how: How,
    policy: &'a Policy,
    checkout: &'a Path,
    moves: Moves,
    entries: usize,
    bytes: u64,
    /// The originals that commands must be able to read.
    pub(in crate::validate) readable: Vec<PathBuf>,
    /// What lies elsewhere.
    pub(in crate::validate) outside: Vec<Outside>,
    /// Whether the policy counts in the folder.
    is_policed: bool,
    /// Whether something of the folder is hidden.
    hides_some: bool,
}

impl<'a> Mirror<'a> {
    /// `moves` are folders of the operator, and the replacement of each in the work copy.
    pub(in crate::validate) fn new(
        how: How,
        policy: &'a Policy,
        checkout: &'a Path,
        moves: Vec<(PathBuf, PathBuf)>,
    ) -> Self {
        let moves = Moves::new(moves);
        let (readable, outside) = (Vec::new(), Vec::new());
        Self {
            how,
            policy,
            checkout,
            moves,
            entries: 0,
            bytes: 0,
            readable,
            outside,
            is_policed: false,
            hides_some: false,
        }
    }

    /// A word of a command line, with the work copy's folders in the place of the operator's.
    pub(in crate::validate) fn word(&self, word: &str) -> String {
        self.moves.word(word)
    }

    /// Shows a folder or a file. Nothing may be in its new place; the folders above it are made. If the operator named the
    /// folder, all of it is shown, whatever the policy denies.
    pub(in crate::validate) fn show(&mut self, from: &Path, to: &Path, is_named: bool) -> io::Result<()> {
        if let Some(above) = to.parent() {
            fs::create_dir_all(above)?;
        }
        (self.is_policed, self.hides_some) = (!is_named && self.policy.hides_something(), false);
        let before = self.readable.len();
        self.entry(from, to, 0)?;
        // One rule for a whole folder, if nothing of it is hidden: each rule costs the start of every command.
        if !self.hides_some && self.readable.len() > before {
            self.readable.truncate(before);
            self.readable.push(from.to_owned());
        }
        Ok(())
    }

    fn entry(&mut self, from: &Path, to: &Path, depth: usize) -> io::Result<()> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES || depth > MAX_DEPTH {
            return Err(io::Error::other("it has too many entries to be shown"));
        }
        let kind = fs::symlink_metadata(from)?.file_type();
        let opens = depth == 0 || self.how == How::Copies || self.is_opened(from);
        if kind.is_symlink() {
            self.link(from, to)
        } else if kind.is_dir() && opens {
            fs::create_dir(to)?;
            self.entries_of(from, to, depth)
        } else if kind.is_dir() || (kind.is_file() && !self.rewrite(from, to)?) {
            self.original(from, to)
        } else {
            // A text that was copied; or a socket, pipe or device, which no command needs.
            Ok(())
        }
    }

    fn entries_of(&mut self, from: &Path, to: &Path, depth: usize) -> io::Result<()> {
        for entry in fs::read_dir(from)? {
            let path = entry?.path();
            let Some(name) = path.file_name() else { continue };
            if SCRATCH.iter().any(|scratch| name == *scratch) {
                continue;
            }
            if self.hides(&path) {
                self.hides_some = true;
                continue;
            }
            self.entry(&path, &to.join(name), depth + 1)?;
        }
        Ok(())
    }

    /// Whether the entries of a folder are shown one by one.
    fn is_opened(&self, folder: &Path) -> bool {
        let name = name_of(folder);
        let is_link = |entry: fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        OPENED.contains(&name)
            || name.starts_with("python3")
            || is_venv(folder)
            || is_conda(folder)
            || fs::read_dir(folder).into_iter().flatten().flatten().any(is_link)
            || (self.is_policed && self.hides_below(folder, 0))
    }

    fn hides(&self, path: &Path) -> bool {
        let within = path.strip_prefix(self.checkout).ok().and_then(Path::to_str);
        self.is_policed && within.is_some_and(|within| RepoPath::new(within).is_ok_and(|path| self.policy.hides(&path)))
    }

    fn hides_below(&self, folder: &Path, depth: usize) -> bool {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| (entry.file_type(), entry.path())).any(|(kind, path)| {
            let is_folder = kind.is_ok_and(|kind| kind.is_dir());
            self.hides(&path) || (is_folder && depth < MAX_DEPTH && self.hides_below(&path, depth + 1))
        })
    }

    /// A link with the same meaning: to a neighbour, to the work copy's own sources, or to where it leads.
    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let target = fs::read_link(from)?;
        let above = from.parent().unwrap_or(from);
        let whole = plain(&above.join(&target));
        let is_inside = whole.starts_with(self.checkout);
        if target.is_relative() && (is_inside || self.is_neighbour(&whole, from)) {
            return symlink(target, to);
        }
        if let Some(moved) = self.moves.path(&whole) {
            return symlink(moved, to);
        }
        self.outside.push(Outside { from: from.to_owned(), to: whole.clone() });
        symlink(whole, to)
    }

    /// Whether a link of a folder outside of the checkout stays in that folder.
    fn is_neighbour(&self, whole: &Path, from: &Path) -> bool {
        !from.starts_with(self.checkout) && self.moves.path(whole).is_some()
    }

    /// The original itself.
    fn original(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        match self.how {
            How::Links => {
                self.readable.push(from.to_owned());
                symlink(from, to)
            }
            How::Copies => {
                self.bytes = self.bytes.saturating_add(fs::metadata(from)?.len());
                if self.bytes > MAX_COPIED {
                    return Err(io::Error::other("it is larger than 4 GiB, and level L0 would need a copy of it"));
                }
                fs::copy(from, to).map(drop)
            }
        }
    }

    /// Copies a text that names its place or the checkout's. Returns whether it did.
    fn rewrite(&self, from: &Path, to: &Path) -> io::Result<bool> {
        let (name, folder) = (name_of(from), from.parent().map(name_of).unwrap_or_default());
        let points = folder.ends_with("-packages") && is_pointer(name);
        if !points && !PROGRAMS.contains(&folder) {
            return Ok(false);
        }
        let found = fs::metadata(from)?;
        if found.len() > MAX_TEXT {
            return Ok(false);
        }
        let mut text = Vec::new();
        fs::File::open(from)?.take(MAX_TEXT).read_to_end(&mut text)?;
        if text.contains(&0) {
            return Ok(false);
        }
        let moved = self.moves.text(&text).unwrap_or(text);
        let mode = 0o600 | (found.permissions().mode() & 0o111);
        fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(to)?.write_all(&with_interpreter(moved))?;
        Ok(true)
    }
}

/// The longest first line of a script that every kernel reads whole.
const MAX_FIRST_LINE: usize = 127;

/// A script whose first line is too long for the kernel, or whose interpreter has a space in its path, is started through
/// the shell, as pip does it: the second line is a string for Python and a command for the shell.
fn with_interpreter(text: Vec<u8>) -> Vec<u8> {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let line = text.get(2..end).unwrap_or_default();
    let Some(name) = memchr::memmem::rfind(line, b"/bin/python").filter(|_| text.starts_with(b"#!/")) else {
        return text;
    };
    let options = line.get(name..).and_then(|tail| tail.iter().position(|byte| *byte == b' '));
    let (program, options) = line.split_at(options.map_or(line.len(), |at| name + at));
    if end <= MAX_FIRST_LINE && !program.contains(&b' ') {
        return text;
    }
    let rest = text.get(end..).unwrap_or_default();
    [b"#!/bin/sh\n'''exec' \"", program, b"\"", options, b" \"$0\" \"$@\"\n' '''", rest].concat()
}

/// A path without `.` and `..`, as it is written: links are not followed.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
