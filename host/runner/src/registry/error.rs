//! Why assets cannot be read or written.

use crate::place::Place;

/// Why assets cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The system.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that holds no assets.
    #[error("{path}: {reason}; gephost changes no file that it cannot read")]
    Shape {
        /// Which file.
        path: String,
        /// What is wrong.
        reason: String,
    },
}

pub(super) fn io<'a>(doing: &'static str, place: &'a Place) -> impl Fn(std::io::Error) -> RegistryError + 'a {
    move |source| RegistryError::Io { doing, path: place.display().to_string(), source }
}

pub(super) fn shape<E: ToString>(place: &Place) -> impl Fn(E) -> RegistryError + '_ {
    move |reason| RegistryError::Shape { path: place.display().to_string(), reason: reason.to_string() }
}
