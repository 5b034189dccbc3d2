//! Gene components from elsewhere: `gephost gene add`, `remove`, `pull` and `push`.
//!
//! A component that the user adds lies in the state of this clone (`installed.rs`), and `gephost.lock` in the repository pins
//! it. Both must agree before it runs: a repository brings pins and no yes, the state has the user's yes. Adding grants
//! nothing; what a gene may do is decided by the config, as for every other gene.

mod add;
mod exchange;
mod hub;
mod installed;
mod offer;
mod source;

pub use add::{Added, Earlier};
pub use exchange::{PulledGene, PushedGene};
pub(crate) use installed::not_added;
pub use installed::{Installed, InstalledGene};
pub use offer::{ComponentSource, Found, Offered};

use gephost_core::component::reference::Reference;

use crate::error::AppError;

/// Reads a reference that the operator spelled.
pub fn reference(text: &str) -> Result<Reference, AppError> {
    Reference::read(text).map_err(|error| AppError::usage("reference", error.to_string()))
}
