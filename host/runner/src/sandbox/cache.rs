//! The compile cache: a component's machine code, kept under a key that only this user holds.
//!
//! Loading machine code is as good as running it, so an entry is used only if its MAC verifies over the very bytes that
//! are loaded. An entry that does not is moved aside and the component compiled again. Losing the whole cache costs time
//! and nothing else: no error here stops a run.

use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

const KEY_BYTES: usize = 32;
const MAC_BYTES: usize = 32;
/// The largest entry that is loaded, in bytes (a Python gene's has 35 MB).
const MAX_ENTRY: u64 = 512 << 20;

/// A directory of compiled components.
#[derive(Debug, Clone)]
pub struct CompileCache {
    directory: PathBuf,
    key: [u8; KEY_BYTES],
}

/// Where a loaded component came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheOutcome {
    /// From the cache.
    Hit,
    /// Compiled, and stored where that was possible.
    Miss,
    /// An entry was there and did not verify; it was moved aside and the component compiled.
    Quarantined,
    /// Compiled, without a cache.
    Off,
}

impl CompileCache {
    /// Opens the cache in `directory`, with the key in the file `key_file`; both are made where they are missing,
    /// readable by this user only.
    pub fn open(directory: &Path, key_file: &Path) -> std::io::Result<Self> {
        private_directory(directory)?;
        if let Some(parent) = key_file.parent() {
            private_directory(parent)?;
        }
        Ok(Self { directory: directory.to_owned(), key: read_or_make_key(key_file)? })
    }

    /// A component from the cache, or compiled and put there.
    pub(super) fn load(
        &self,
        engine: &Engine,
        digest: &str,
        bytes: &[u8],
    ) -> wasmtime::Result<(Component, CacheOutcome)> {
        let name = entry_name(engine, digest);
        let path = self.directory.join(&name);
        let outcome = match self.read_entry(&path, &name) {
            Entry::Verified(code) => match deserialize(engine, &code) {
                Ok(component) => return Ok((component, CacheOutcome::Hit)),
                Err(_) => quarantine(&path),
            },
            Entry::Refused => quarantine(&path),
            Entry::Absent => CacheOutcome::Miss,
        };
        let code = engine.precompile_component(bytes)?;
        // A full disk must not stop a run: without an entry the next run compiles again.
        let _ = self.write_entry(&path, &name, &code);
        Ok((deserialize(engine, &code)?, outcome))
    }

    fn read_entry(&self, path: &Path, name: &str) -> Entry {
        let Ok(file) = OpenOptions::new().read(true).custom_flags(no_follow()).open(path) else {
            return Entry::Absent;
        };
        let Ok(metadata) = file.metadata() else { return Entry::Refused };
        if !metadata.is_file() || metadata.len() > MAX_ENTRY {
            return Entry::Refused;
        }
        let mut bytes = Vec::new();
        if file.take(MAX_ENTRY).read_to_end(&mut bytes).is_err() || bytes.len() < MAC_BYTES {
            return Entry::Refused;
        }
        let code = bytes.split_off(MAC_BYTES);
        if self.mac(name, &code).verify_slice(&bytes).is_ok() { Entry::Verified(code) } else { Entry::Refused }
    }

    /// Afterwards the entry is whole or not there, whatever happens in between.
    fn write_entry(&self, path: &Path, name: &str, code: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(&self.directory)?;
        file.write_all(&self.mac(name, code).finalize().into_bytes())?;
        file.write_all(code)?;
        file.persist(path)?;
        Ok(())
    }

    fn mac(&self, name: &str, code: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes a key of any length");
        mac.update(name.as_bytes());
        mac.update(&[0]);
        mac.update(code);
        mac
    }
}

/// Moves an entry out of the way, so that somebody can look at it.
fn quarantine(path: &Path) -> CacheOutcome {
    let aside = path.with_extension("quarantined");
    if fs::rename(path, aside).is_err() {
        let _ = fs::remove_file(path);
    }
    CacheOutcome::Quarantined
}

enum Entry {
    Verified(Vec<u8>),
    Refused,
    Absent,
}

/// The entry's file name: the component's digest, and a hash of everything that shapes its machine code (wasmtime's
/// version, settings, processor features).
fn entry_name(engine: &Engine, digest: &str) -> String {
    struct Sha(Sha256);
    impl Hasher for Sha {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut hasher = Sha(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    let settings = hasher.0.finalize();
    let short = settings.iter().take(8).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    format!("{}-{short}.cwasm", digest.trim_start_matches("sha256:"))
}

#[expect(unsafe_code, reason = "the bytes come from this process's compiler, or carry this user's MAC")]
fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: `code` is the output of `precompile_component` of an engine with the same settings: either it was made a
    // moment ago, or its MAC was verified over exactly these bytes with a key that only this user can read.
    unsafe { Component::deserialize(engine, code) }
}

fn no_follow() -> i32 {
    i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default()
}

fn private_directory(path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn read_or_make_key(path: &Path) -> std::io::Result<[u8; KEY_BYTES]> {
    if let Some(key) = read_key(path)? {
        return Ok(key);
    }
    let mut key = [0; KEY_BYTES];
    rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())?;
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".key-").tempfile_in(directory)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(key),
        // Another process was first; its key is the key.
        Err(_) => read_key(path)?.ok_or_else(|| std::io::Error::other("the key file has the wrong length")),
    }
}

fn read_key(path: &Path) -> std::io::Result<Option<[u8; KEY_BYTES]>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    <[u8; KEY_BYTES]>::try_from(bytes)
        .map(Some)
        .map_err(|_| std::io::Error::other(format!("{} is no key: delete it", path.display())))
}
