//! The gate: reads a proposal against a base and a policy, and passes or rejects it, layer by layer ([`LAYERS`]).
//!
//! The gate is pure and has no effects. What must stay true: only [`review`] makes an [`Approved`] (invariant 2), and
//! the approved bytes are the bytes that the layers looked at (invariant 3).

mod added;
mod approved;
mod assumed;
mod base;
mod edited;
mod fit;
mod judge;
mod layer;
mod layers;
mod measured;
mod misfit;
mod parsed_change;
mod paths;
mod patterns;
mod renames;
mod resolve;
mod review;
mod risk;
mod secrets;
mod size;
mod structure;
mod verdict;
mod violation;

pub use approved::{Approved, ApprovedChange};
pub use base::{Base, BaseEntry};
pub use judge::review;
pub use layer::{Layer, LayerReport};
pub use layers::LAYERS;
pub use measured::{GeneHistory, Risk, RiskPart};
pub use parsed_change::ParsedChange;
pub use paths::PATH_NOT_ALLOWED;
pub use patterns::{LoaderSearch, is_test_path, scan as scan_patterns, silences};
pub use renames::{Rename, WithRenames};
pub use secrets::{ScanMatch, scan as scan_secrets};
pub use verdict::{Decision, Verdict};
pub use violation::{Severity, Violation};

pub use crate::blast_radius::BlastRadius;
pub use crate::tree::{BlobState, FileMode};
