//! Tests what the compile cache does with an entry that was changed.

#![expect(clippy::disallowed_methods, reason = "it changes an entry of a cache in a temporary folder")]

use std::fs;
use std::io;
use std::path::Path;

use super::check::{Check, Status};
use crate::sandbox::{CacheOutcome, CompileCache, Sandbox};

const COMPONENT: &[u8] = include_bytes!("endless_loop.wasm");

/// Changes an entry of a cache in `folder`, and loads it.
pub(super) fn check(folder: &Path) -> Check {
    let (id, tried) = ("cache.poison", "load cached machine code of which one byte was changed");
    match poison(folder) {
        Ok(CacheOutcome::Quarantined) => {
            Check::new(id, Status::Ok, tried, "refused: its seal is invalid; the entry was quarantined")
        }
        Ok(other) => Check::new(id, Status::Error, tried, format!("not refused: {other:?}"))
            .hint("report this as a bug: a changed entry must never run"),
        Err(error) => Check::new(id, Status::Unavailable, tried, error.to_string()),
    }
}

fn poison(folder: &Path) -> io::Result<CacheOutcome> {
    let directory = folder.join("cache");
    load(folder, &directory)?;
    for entry in fs::read_dir(&directory)? {
        let path = entry?.path();
        let mut bytes = fs::read(&path)?;
        if let Some(last) = bytes.last_mut() {
            *last ^= 1;
        }
        fs::write(&path, bytes)?;
    }
    load(folder, &directory)
}

fn load(folder: &Path, directory: &Path) -> io::Result<CacheOutcome> {
    let cache = CompileCache::open(directory, &folder.join("key/key"))?;
    let sandbox = Sandbox::new(Some(cache)).map_err(io::Error::other)?;
    let loaded = sandbox.load(COMPONENT).map_err(io::Error::other)?;
    Ok(loaded.cache().unwrap_or(CacheOutcome::Off))
}
