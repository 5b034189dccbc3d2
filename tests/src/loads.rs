//! How long a component takes to compile, and to load from the compile cache.

use std::time::Duration;

use gephost_runner::sandbox::{CacheOutcome, CompileCache, Gene, Sandbox};

use crate::measure::{median, time};

/// The figures of one component, and the gene.
#[derive(Debug)]
pub struct Loads {
    /// The first load, which compiles.
    pub compile: Duration,
    /// The median of nine loads from the cache.
    pub load: Duration,
    /// The gene of the first load.
    pub gene: Gene,
}

impl Loads {
    /// Loads a component with an empty compile cache, and then with a full one.
    pub fn of(component: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = CompileCache::open(&folder.path().join("cache"), &folder.path().join("key")).unwrap();
        let sandbox = Sandbox::new(Some(cache)).unwrap();
        let (compile, gene) = time(|| sandbox.load(component).unwrap());
        assert_eq!(gene.cache(), Some(CacheOutcome::Miss));
        let load = median(9, || {
            let (took, gene) = time(|| sandbox.load(component).unwrap());
            assert_eq!(gene.cache(), Some(CacheOutcome::Hit));
            took
        });
        Self { compile, load, gene }
    }
}
