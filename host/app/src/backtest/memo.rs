//! Outcomes that are known already, in the user's cache folder: one file for each cell, named by its key.

use gephost_core::backtest::CellEnd;
use gephost_runner::place::Place;
use gephost_runner::remembered::{BACKTEST, keep_newest};

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;
/// Most outcomes that are remembered.
const MAX_OUTCOMES: usize = 20_000;

/// The known outcomes. Nothing depends on them but time: one that cannot be read or written is none.
pub(super) struct Memo {
    cache: Place,
    folder: Place,
}

impl Memo {
    /// Those in the user's cache folder, which may not exist yet.
    pub(super) fn new(cache: &Place) -> Self {
        Self { cache: cache.clone(), folder: cache.join(BACKTEST) }
    }

    /// How the cell with this key ended.
    pub(super) fn known(&self, key: &str) -> Option<CellEnd> {
        let text = self.place(key)?.read(MAX_BYTES).ok()??;
        serde_json::from_slice(&text).ok()
    }

    /// Remembers how a cell ended.
    pub(super) fn keep(&self, key: &str, end: &CellEnd) {
        let (Some(place), Ok(text)) = (self.place(key), serde_json::to_vec(end)) else { return };
        // What is not kept is computed again.
        let _ = self.folder.create().and_then(|()| place.write(&text));
    }

    /// Removes the oldest outcomes if there are too many.
    pub(super) fn prune(&self) {
        // What is not removed is removed the next time.
        let _ = keep_newest(&self.cache, BACKTEST, MAX_OUTCOMES);
    }

    /// A key is a digest, so it is a file's name without its kind.
    fn place(&self, key: &str) -> Option<Place> {
        let name = key.strip_prefix("sha256:")?;
        let is_digest = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest.then(|| self.folder.join(format!("{name}.json")))
    }
}
