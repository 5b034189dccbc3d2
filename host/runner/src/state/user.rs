//! The folders of one user.

use std::path::Path;

use crate::place::Place;

/// The folders of one user, which the command line hands over.
#[derive(Debug, Clone)]
pub struct UserFolders {
    /// State: it must last.
    pub state: Place,
    /// Cache: all of it can be deleted.
    pub cache: Place,
}

impl UserFolders {
    /// Hands over both. Touches nothing.
    pub fn new(state: &Path, cache: &Path) -> Self {
        Self { state: Place::own(state), cache: Place::own(cache) }
    }
}
