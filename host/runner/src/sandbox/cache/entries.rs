//! Loads and stores an entry.

use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::Path;

use gephost_core::recording::{Blob, Digest};
use rustix::fs::{Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use wasmtime::Engine;

use super::super::code::{Draft, MAX_CODE, MachineCode};
use super::super::error::LoadError;
use super::private;
use crate::place::Place;

const SEAL_BYTES: usize = 32;
const DIGEST_BYTES: usize = 32;
/// Bytes before the machine code: the seal and the SHA-256 of the component.
const HEADER_BYTES: usize = SEAL_BYTES + DIGEST_BYTES;
/// Bytes that are hashed and copied at a time. They fit into the processor's cache, and into memory that was already
/// used.
const PIECE: usize = 64 << 10;
/// The extension of an entry's file name.
pub(super) const EXTENSION: &str = "cwasm";
/// The prefix of a file that is being written.
pub(super) const WRITING: &str = ".writing-";
/// Hexadecimal digits of the settings' digest in an entry's name.
pub(super) const SETTINGS_DIGITS: usize = 16;

/// A directory of compiled components.
#[derive(Clone)]
pub struct CompileCache {
    pub(super) folder: Place,
    key: [u8; private::KEY_BYTES],
}

/// Where the machine code of a component came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheOutcome {
    /// From the cache.
    Hit,
    /// Compiled, and stored if that was possible.
    Miss,
    /// There was an entry, but its seal did not verify. It was moved aside and the component was compiled.
    Quarantined,
    /// Compiled, without a cache.
    Off,
}

/// The key is not shown.
impl std::fmt::Debug for CompileCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompileCache").field("directory", &self.folder.path()).finish_non_exhaustive()
    }
}

impl CompileCache {
    /// Opens the cache in `directory`, with the key in the file `key_file`. A missing one is created for this user
    /// only. It is an error if another user owns one of them or could change it.
    pub fn open(directory: &Path, key_file: &Path) -> std::io::Result<Self> {
        let folder = private::entries(directory)?;
        let key_folder = private::key_folder(key_file.parent().unwrap_or(Path::new(".")))?;
        let key = private::key(&key_folder.join(key_file.file_name().unwrap_or_default()))?;
        Ok(Self { folder, key })
    }

    /// A component's machine code, from the cache or newly compiled and stored. Afterwards the component's digest is
    /// known.
    pub(in crate::sandbox) fn load(
        &self,
        engine: &Engine,
        component: &Blob,
        compile: impl FnOnce() -> Result<MachineCode, LoadError>,
    ) -> Result<(MachineCode, CacheOutcome), LoadError> {
        let name = entry_name(engine, component.bytes());
        let outcome = match self.read(&name) {
            Entry::Verified(code, digest) => {
                component.learn(digest);
                return Ok((code, CacheOutcome::Hit));
            }
            Entry::Refused => {
                self.put_aside(&name);
                CacheOutcome::Quarantined
            }
            Entry::Absent => CacheOutcome::Miss,
        };
        let code = compile()?;
        // A full disk must not stop a run. Without an entry, the next run compiles again.
        let _ = self.write(&name, component.digest(), &code);
        Ok((code, outcome))
    }

    /// Reads an entry into sealed memory, and verifies those bytes.
    pub(super) fn read(&self, name: &str) -> Entry {
        let place = self.folder.join(name);
        let file = match place.open(OFlags::RDONLY, Mode::empty()) {
            Ok(file) => file,
            // What cannot be opened for a while is no reason to remove it.
            Err(_) if place.is_file().unwrap_or(true) => return Entry::Absent,
            Err(_) => return Entry::Refused,
        };
        let fits = file.metadata().is_ok_and(|found| found.len() <= MAX_CODE + HEADER_BYTES as u64);
        match fits.then(|| self.verified(name, &file)) {
            Some(Ok(Some((code, digest)))) => {
                // The time of its last use, for `cache prune`.
                let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
                let _ = rustix::fs::futimens(&file, &Timestamps { last_access: now, last_modification: now });
                Entry::Verified(code, digest)
            }
            _ => Entry::Refused,
        }
    }

    fn verified(&self, name: &str, mut file: &File) -> std::io::Result<Option<(MachineCode, Digest)>> {
        let (mut seal, mut digest) = ([0; SEAL_BYTES], [0; DIGEST_BYTES]);
        file.read_exact(&mut seal)?;
        file.read_exact(&mut digest)?;
        let mut hasher = self.hasher(name);
        hasher.update(&digest);
        let mut draft = Draft::new()?;
        let mut piece = vec![0; PIECE];
        let mut left = file.take(MAX_CODE);
        loop {
            let length = left.read(&mut piece)?;
            let Some(bytes) = piece.get(..length).filter(|bytes| !bytes.is_empty()) else { break };
            hasher.update(bytes);
            draft.write(bytes)?;
        }
        let code = draft.seal()?;
        // Comparing two of these hashes takes the same time wherever they differ.
        Ok((hasher.finalize() == blake3::Hash::from_bytes(seal)).then_some((code, Digest::from(digest))))
    }

    /// Stores an entry. After a crash it is complete or missing.
    fn write(&self, name: &str, component: Digest, code: &MachineCode) -> std::io::Result<()> {
        let mut bytes = vec![0; SEAL_BYTES];
        bytes.extend(component.as_bytes());
        code.reader()?.read_to_end(&mut bytes)?;
        let (seal, sealed) = bytes.split_at_mut(SEAL_BYTES);
        seal.copy_from_slice(self.hasher(name).update(sealed).finalize().as_bytes());
        self.folder.join(name).write(&bytes)
    }

    fn hasher(&self, name: &str) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes()).update(&[0]);
        hasher
    }
}

/// What is found under an entry's name.
pub(super) enum Entry {
    Verified(MachineCode, Digest),
    Refused,
    Absent,
}

/// The file name of an entry. It contains a hash of the component, and a hash of everything that determines its machine
/// code: wasmtime's version and settings, the processor's features, and the version of this host, whose contract it was
/// linked with.
fn entry_name(engine: &Engine, component: &[u8]) -> String {
    struct Blake(blake3::Hasher);
    impl Hasher for Blake {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut settings = Blake(blake3::Hasher::new());
    engine.precompile_compatibility_hash().hash(&mut settings);
    settings.write(env!("CARGO_PKG_VERSION").as_bytes());
    let settings = settings.0.finalize().to_hex();
    let settings = settings.get(..SETTINGS_DIGITS).unwrap_or_default();
    format!("{}-{settings}.{EXTENSION}", blake3::hash(component).to_hex())
}
