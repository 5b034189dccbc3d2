#![doc = include_str!("../README.md")]
//!
//! # The parts
//!
//! [`gene!`] exports the world's functions, puts the manifest (a GEP Gene as JSON, with `world`, `capabilities` and,
//! optionally, `settings`) into the custom section `gephost:gene`, and writes the message of a panic to the host's log. The
//! crate type is `cdylib`; build with `cargo build --release --target wasm32-wasip2`.
//!
//! Everything that a gene can import is in this crate: [`run_log`], [`workspace`], [`history`], [`completion`], [`log`],
//! [`settings`], [`explain`], [`explained`] and [`coverage`]. `wit/gene.wit` documents each item. [`failures`],
//! [`handwritten`] and [`validation`] are what strategies that repair failing calls have in common. `testing` is a host for unit tests.

pub mod bindings;
mod candidate;
pub mod completion;
pub mod coverage;
pub mod failures;
pub mod handwritten;
pub mod history;
mod host;
pub mod log;
pub mod run_log;
pub mod settings;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
pub mod validation;
pub mod workspace;

pub use bindings::imports::gephost::gene::types::{
    Change, Diagnosis, Evidence, FileContent, Finding, GeneError, HostError, Proposal, RiskLevel, Severity,
};
pub use host::explanation::{Absorbed, Explanation, Facet, explain, explained};

/// What a gene does. Implement the functions that its world exports; the host never calls the others.
pub trait Gene {
    /// Returns the failure patterns in the run log (worlds `heuristic` and `gene`).
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        Err(unsupported("diagnose"))
    }

    /// Returns candidate repairs, best first (worlds `strategy` and `gene`). An empty list means that this gene has no
    /// repair for the diagnosis.
    fn propose(_diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        Err(unsupported("propose"))
    }
}

fn unsupported(function: &str) -> GeneError {
    GeneError { code: "unsupported".to_owned(), message: format!("this gene does not implement {function}") }
}

/// A host function's error becomes the gene's error, so that `?` works in the functions of [`Gene`].
impl From<HostError> for GeneError {
    fn from(error: HostError) -> Self {
        let (code, message) = match error {
            HostError::Denied(what) => ("denied", what),
            HostError::NotFound => ("not-found", "not found".to_owned()),
            HostError::Invalid(what) => ("invalid", what),
            HostError::Exhausted(what) => ("exhausted", what),
            HostError::Failed(what) => ("failed", what),
        };
        Self { code: code.to_owned(), message }
    }
}

/// Runs the body of an export and writes the message of a panic to the host's log. Only [`gene!`] calls it.
#[doc(hidden)]
pub fn run_export<T>(body: impl FnOnce() -> T) -> T {
    std::panic::set_hook(Box::new(|info| log::error(&info.to_string())));
    body()
}

/// Exports a type that implements [`Gene`] as the component's gene.
///
/// The manifest's path is relative to the crate's `Cargo.toml`.
#[macro_export]
macro_rules! gene {
    ($gene:ty, world: heuristic, manifest: $manifest:literal) => {
        struct __GephostGene;
        $crate::__gephost_export_diagnosis!($gene);
        $crate::__gephost_manifest!($manifest);
    };
    ($gene:ty, world: strategy, manifest: $manifest:literal) => {
        struct __GephostGene;
        $crate::__gephost_export_proposals!($gene);
        $crate::__gephost_manifest!($manifest);
    };
    ($gene:ty, world: gene, manifest: $manifest:literal) => {
        struct __GephostGene;
        $crate::__gephost_export_diagnosis!($gene);
        $crate::__gephost_export_proposals!($gene);
        $crate::__gephost_manifest!($manifest);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __gephost_export_diagnosis {
    ($gene:ty) => {
        impl $crate::bindings::heuristic::exports::gephost::gene::diagnosis::Guest for __GephostGene {
            fn diagnose() -> Result<Vec<$crate::Finding>, $crate::GeneError> {
                $crate::run_export(<$gene as $crate::Gene>::diagnose)
            }
        }
        $crate::bindings::heuristic::export_heuristic!(__GephostGene with_types_in $crate::bindings::heuristic);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __gephost_export_proposals {
    ($gene:ty) => {
        impl $crate::bindings::strategy::exports::gephost::gene::proposals::Guest for __GephostGene {
            fn propose(diagnosis: $crate::Diagnosis) -> Result<Vec<$crate::Proposal>, $crate::GeneError> {
                $crate::run_export(|| <$gene as $crate::Gene>::propose(diagnosis))
            }
        }
        $crate::bindings::strategy::export_strategy!(__GephostGene with_types_in $crate::bindings::strategy);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __gephost_manifest {
    ($manifest:literal) => {
        const __GEPHOST_MANIFEST: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $manifest));

        #[cfg(target_arch = "wasm32")]
        #[expect(unsafe_code, reason = "a link section is how a custom section is written; it holds plain bytes")]
        #[unsafe(link_section = "gephost:gene")]
        #[used]
        static __GEPHOST_MANIFEST_SECTION: [u8; __GEPHOST_MANIFEST.len()] = {
            let mut bytes = [0; __GEPHOST_MANIFEST.len()];
            bytes.copy_from_slice(__GEPHOST_MANIFEST);
            bytes
        };
    };
}
