//! Grants of caches: what was fetched before is read again in a work copy, and never changed.
//!
//! A cache becomes a folder of the copy's own home whose entries are links to those of the operator: reading goes through,
//! what a tool adds or replaces stays in the copy. Nothing is mounted, so it needs no right; and a link is no way to write,
//! from level L1 on. Credentials are no part of any cache.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use gephost_core::validation::{Cache, cargo_sources};

use super::machine::Machine;

/// Entries of one folder that are linked, at most.
const MAX_LINKS: usize = 100_000;
/// What tools write into a folder of dependencies: theirs to make anew.
const SCRATCH: &[&str] = &[".cache", ".vite", ".vitest", ".package-lock.json.lock"];

/// What caches bring to a command.
#[derive(Debug, Clone, Default)]
pub(super) struct Opened {
    /// What must be readable.
    pub(super) readable: Vec<PathBuf>,
    /// What tells tools where it is.
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// Where caches are opened.
pub(super) struct Place<'a> {
    /// The copy's home.
    pub(super) home: &'a Path,
    /// The project's folder in the copy.
    pub(super) project: &'a Path,
    /// The project's folder as the operator has it.
    pub(super) checkout: &'a Path,
}

/// Opens the granted caches in a copy. One that is not there is left out: there is nothing to read.
pub(super) fn open(caches: &[Cache], machine: &Machine, place: &Place<'_>) -> io::Result<Opened> {
    let mut opened = Opened::default();
    // Cargo keeps a home in any case, or it would look for one.
    let cargo = place.home.join(".cargo");
    fs::create_dir_all(&cargo)?;
    opened.environment.push(("CARGO_HOME".into(), cargo.clone().into()));
    for cache in caches {
        match cache {
            Cache::Cargo => opened.cargo(&machine.cache("CARGO_HOME", ".cargo"), &cargo)?,
            Cache::Npm => opened.npm(&machine.cache("npm_config_cache", ".npm"), place.home)?,
            Cache::Pip => opened.pip(&machine.cache("PIP_CACHE_DIR", ".cache/pip"), place.home)?,
            Cache::Go => opened.go(machine, place.home)?,
            Cache::Folder(path) => {
                opened.folder(&place.checkout.join(path.as_str()), &place.project.join(path.as_str()))?;
            }
        }
    }
    Ok(opened)
}

impl Opened {
    /// Index and archives are read as they are; sources are linked one by one, so that cargo can unpack those that are
    /// missing. Of the settings only where packages come from is taken over.
    fn cargo(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let (registry, own) = (from.join("registry"), to.join("registry"));
        fs::create_dir_all(&own)?;
        for part in ["index", "cache"] {
            self.link(&registry.join(part), &own.join(part))?;
        }
        let sources = registry.join("src");
        for source in entries(&sources)? {
            let name = source.file_name().map(ToOwned::to_owned).unwrap_or_default();
            self.link_entries(&source, &own.join("src").join(name))?;
        }
        let git = from.join("git");
        fs::create_dir_all(to.join("git"))?;
        self.link(&git.join("db"), &to.join("git/db"))?;
        for repository in entries(&git.join("checkouts"))? {
            let name = repository.file_name().map(ToOwned::to_owned).unwrap_or_default();
            self.link_entries(&repository, &to.join("git/checkouts").join(name))?;
        }
        match sources_of(from) {
            Some(text) => fs::write(to.join("config.toml"), text),
            None => Ok(()),
        }
    }

    fn npm(&mut self, from: &Path, home: &Path) -> io::Result<()> {
        let to = home.join(".npm");
        // Content is looked up by its digest below two folders; the index is written to at each look.
        fs::create_dir_all(to.join("_cacache"))?;
        for part in entries(&from.join("_cacache"))? {
            let name = part.file_name().map(ToOwned::to_owned).unwrap_or_default();
            if name != "tmp" {
                self.link(&part, &to.join("_cacache").join(name))?;
            }
        }
        self.environment.push(("npm_config_cache".into(), to.into()));
        Ok(())
    }

    fn pip(&mut self, from: &Path, home: &Path) -> io::Result<()> {
        let to = home.join(".cache/pip");
        self.link_entries(from, &to)?;
        self.environment.push(("PIP_CACHE_DIR".into(), to.into()));
        Ok(())
    }

    /// Go writes to its module cache only when it fetches. What it built goes into the copy, beside links to what the
    /// operator's builds left: without those, the standard library is compiled anew for each run.
    fn go(&mut self, machine: &Machine, home: &Path) -> io::Result<()> {
        let modules = machine.module_cache();
        if modules.is_dir() {
            self.environment.push(("GOMODCACHE".into(), modules.clone().into()));
            self.readable.push(modules);
        }
        let (built, own) = (machine.cache("GOCACHE", ".cache/go-build"), home.join(".cache/go-build"));
        let mut room = MAX_LINKS;
        for folder in entries(&built)?.into_iter().filter(|folder| folder.is_dir()) {
            room = room.saturating_sub(entries(&folder)?.len());
            let name = folder.file_name().map(ToOwned::to_owned).unwrap_or_default();
            // Further ones are only built again.
            if room == 0 {
                break;
            }
            self.link_entries(&folder, &own.join(name))?;
        }
        self.environment.push(("GOCACHE".into(), own.into()));
        Ok(())
    }

    /// A folder that git does not track. One that the commit has stays as the commit has it.
    fn folder(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        if fs::symlink_metadata(to).is_ok() || !fs::symlink_metadata(from).is_ok_and(|it| it.is_dir()) {
            return Ok(());
        }
        self.link_entries(from, to)
    }

    /// Makes a folder whose entries are links to those of another.
    fn link_entries(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        if !from.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(to)?;
        for entry in entries(from)? {
            let name = entry.file_name().map(ToOwned::to_owned).unwrap_or_default();
            if SCRATCH.iter().any(|scratch| name == *scratch) {
                continue;
            }
            // A relative link leads to a neighbour, which is here too: a package of the project to that of the copy.
            let target = fs::read_link(&entry).ok().filter(|target| target.is_relative());
            symlink(target.unwrap_or(entry), to.join(name))?;
        }
        self.readable.push(from.to_owned());
        Ok(())
    }

    fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        if from.exists() {
            symlink(from, to)?;
            self.readable.push(from.to_owned());
        }
        Ok(())
    }
}

/// The entries of a folder; none where there is no such folder.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder)?.take(MAX_LINKS);
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// What cargo's settings say of where packages come from, and nothing else: tokens stand in the same file.
fn sources_of(home: &Path) -> Option<String> {
    let text = ["config.toml", "config"].iter().find_map(|name| fs::read_to_string(home.join(name)).ok())?;
    cargo_sources(&text)
}
