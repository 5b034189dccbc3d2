//! Numbers names.

use std::collections::HashMap;
use std::sync::Arc;

/// Names without duplicates.
#[derive(Default)]
pub(super) struct Interner {
    positions: HashMap<Arc<str>, u32>,
    pub(super) names: Vec<String>,
}

impl Interner {
    pub(super) fn position(&mut self, name: &Arc<str>) -> u32 {
        if let Some(position) = self.positions.get(name) {
            return *position;
        }
        let position = narrow(self.names.len());
        self.names.push(name.to_string());
        self.positions.insert(Arc::clone(name), position);
        position
    }
}

/// A number that fits into 32 bits: the bounds on batches and texts keep it far below.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
