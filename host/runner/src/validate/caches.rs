//! Grants of caches: a command can read what was downloaded before, but never change it.
//!
//! A cache becomes a folder in the copy's own home whose entries are links to the operator's entries. Reads go through
//! the links; what a tool adds or replaces stays in the copy. Nothing is mounted, so no privileges are needed, and from
//! level L1 on the links cannot be written through. No cache contains credentials.

#![expect(clippy::disallowed_methods, reason = "the folders of toolchains have known paths")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use gephost_core::validation::{Cache, HomeCache, cargo_sources};

use super::machine::Machine;

/// Files in Maven's repository that Maven writes again when it reads what is beside them: they are copied.
const MAVEN_NOTES: &[&str] = &["_remote.repositories", "resolver-status.properties", ".lastUpdated", ".xml"];
/// Folders in folders of Maven's repository, at most.
const MAX_DEPTH: usize = 32;
/// Most entries of one folder that are linked.
const MAX_LINKS: usize = 100_000;

/// What the caches give to a command.
#[derive(Debug, Clone, Default)]
pub(super) struct Opened {
    /// Paths that must be readable.
    pub(super) readable: Vec<PathBuf>,
    /// Variables that tell tools where the caches are.
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// Where caches are opened.
pub(super) struct Place<'a> {
    /// The copy's home.
    pub(super) home: &'a Path,
    /// The caches that the project's tools need.
    pub(super) used: &'a BTreeSet<HomeCache>,
}

/// Opens in a copy the caches that the operator named, and those that the project's tools need. A cache that does not
/// exist is skipped. Folders of the project are not opened here.
pub(super) fn open(named: &[Cache], machine: &Machine, place: &Place<'_>) -> io::Result<Opened> {
    let mut opened = Opened::default();
    // Cargo always keeps a home; without one it would search for it.
    let cargo = place.home.join(".cargo");
    fs::create_dir_all(&cargo)?;
    opened.environment.push(("CARGO_HOME".into(), cargo.clone().into()));
    let uses = |cache: &Cache, used: HomeCache| named.contains(cache) || place.used.contains(&used);
    if uses(&Cache::Cargo, HomeCache::Cargo) {
        opened.cargo(&machine.cache("CARGO_HOME", ".cargo"), &cargo)?;
    }
    if uses(&Cache::Go, HomeCache::Go) {
        opened.go(machine, place.home)?;
    }
    if named.contains(&Cache::Npm) {
        opened.npm(&machine.cache("npm_config_cache", ".npm"), place.home)?;
    }
    if named.contains(&Cache::Pip) {
        opened.pip(&machine.cache("PIP_CACHE_DIR", ".cache/pip"), place.home)?;
    }
    if place.used.contains(&HomeCache::Gradle) {
        opened.gradle(&machine.cache("GRADLE_USER_HOME", ".gradle"), place.home)?;
    }
    if place.used.contains(&HomeCache::Maven) {
        opened.maven(&machine.home.join(".m2"), place.home)?;
    }
    Ok(opened)
}

impl Opened {
    /// Index and archives are only read. Sources are linked one by one, so that cargo can unpack those that are
    /// missing. Of the settings, only the package sources are copied.
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
        // Content is found by its digest, two folders deep. The index is written to on each lookup.
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

    /// Go only writes to its module cache when it downloads. Its build output goes into the copy, next to links to the
    /// operator's build output; without those, each run would compile the standard library.
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
            // Further entries are only built again.
            if room == 0 {
                break;
            }
            self.link_entries(&folder, &own.join(name))?;
        }
        self.environment.push(("GOCACHE".into(), own.into()));
        Ok(())
    }

    /// Gradle reads modules from a cache that it never writes, if a variable names it ("Sharing the dependency cache" in
    /// its manual). Its wrapper finds the versions that it fetched.
    fn gradle(&mut self, from: &Path, home: &Path) -> io::Result<()> {
        let (caches, own) = (from.join("caches"), home.join(".gradle"));
        fs::create_dir_all(&own)?;
        self.link_entries(&from.join("wrapper/dists"), &own.join("wrapper/dists"))?;
        self.environment.push(("GRADLE_USER_HOME".into(), own.into()));
        if caches.join("modules-2").is_dir() {
            self.readable.push(caches.join("modules-2"));
            self.environment.push(("GRADLE_RO_DEP_CACHE".into(), caches.into()));
        }
        Ok(())
    }

    /// Maven writes beside what it reads, so that its folders are made anew, with links to the files. Java takes the home
    /// from the system's list of users, unless it is told. Settings are not shown, because they can contain passwords.
    fn maven(&mut self, from: &Path, home: &Path) -> io::Result<()> {
        let (repository, own) = (from.join("repository"), home.join(".m2"));
        fs::create_dir_all(&own)?;
        self.link_entries(&from.join("wrapper/dists"), &own.join("wrapper/dists"))?;
        if repository.is_dir() {
            let mut room = MAX_LINKS;
            link_tree(&repository, &own.join("repository"), &mut room, MAX_DEPTH)?;
            self.readable.push(repository);
        }
        let mut options = OsString::from("-Duser.home=");
        options.push(home);
        self.environment.push(("MAVEN_OPTS".into(), options));
        Ok(())
    }

    /// Creates a folder whose entries are links to those of another.
    fn link_entries(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        if !from.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(to)?;
        for entry in entries(from)? {
            let name = entry.file_name().map(ToOwned::to_owned).unwrap_or_default();
            // A relative link points to a neighbour, which is here too.
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

/// Makes the folders of a tree anew, with links to its files. What exceeds `room` or `depth` is missing, as if it had not
/// been fetched.
fn link_tree(from: &Path, to: &Path, room: &mut usize, depth: usize) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in entries(from)? {
        let name = entry.file_name().map(ToOwned::to_owned).unwrap_or_default();
        let is_note = name.to_str().is_some_and(|name| MAVEN_NOTES.iter().any(|note| name.ends_with(note)));
        *room = room.saturating_sub(1);
        if *room == 0 {
            break;
        }
        let kind = fs::symlink_metadata(&entry)?.file_type();
        if kind.is_dir() && depth > 0 {
            link_tree(&entry, &to.join(name), room, depth - 1)?;
        } else if kind.is_file() && is_note {
            fs::copy(&entry, to.join(name))?;
        } else if kind.is_file() {
            symlink(&entry, to.join(name))?;
        }
    }
    Ok(())
}

/// The entries of a folder; empty if it does not exist.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder)?.take(MAX_LINKS);
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// The package sources in cargo's settings. Nothing else is copied, because the same file can contain tokens.
fn sources_of(home: &Path) -> Option<String> {
    let text = ["config.toml", "config"].iter().find_map(|name| fs::read_to_string(home.join(name)).ok())?;
    cargo_sources(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maven_reads_its_repository_and_writes_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let (operator, home) = (folder.path().join("operator"), folder.path().join("copy"));
        let library = operator.join(".m2/repository/org/x/1");
        fs::create_dir_all(&library).expect("a folder");
        for (name, text) in
            [("x-1.jar", "jar"), ("_remote.repositories", "x-1.jar>central="), ("x-1.jar.lastUpdated", "")]
        {
            fs::write(library.join(name), text).expect("a file");
        }
        fs::write(operator.join(".m2/settings.xml"), "<password/>").expect("a file");
        let machine = Machine { home: operator.clone(), ..Machine::default() };
        let used = BTreeSet::from([HomeCache::Maven]);
        let opened = open(&[], &machine, &Place { home: &home, used: &used }).expect("opened");
        let own = home.join(".m2/repository/org/x/1");
        assert_eq!(fs::read_to_string(own.join("x-1.jar")).expect("the archive"), "jar");
        assert!(fs::symlink_metadata(own.join("x-1.jar")).expect("a link").is_symlink());
        // What Maven writes stays in the copy.
        for name in ["_remote.repositories", "x-1.jar.lastUpdated", "y.jar"] {
            fs::write(own.join(name), "new").expect("a file of the copy");
        }
        assert_eq!(fs::read_to_string(library.join("_remote.repositories")).expect("a file"), "x-1.jar>central=");
        assert!(!library.join("y.jar").exists() && !home.join(".m2/settings.xml").exists());
        assert!(opened.readable.contains(&operator.join(".m2/repository")));
        let options = opened.environment.iter().find(|(name, _)| name == "MAVEN_OPTS").expect("the home is said");
        assert!(options.1.to_string_lossy().ends_with(&home.display().to_string()));
    }
}
