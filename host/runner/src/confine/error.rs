//! Why a process could not be confined.

/// Why a process could not be confined.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The kernel has no Landlock, or it is disabled.
    #[error("this kernel has no Landlock (Linux 5.13 or newer, `lsm=landlock`)")]
    NoLandlock,
    /// Landlock rejected a rule.
    #[error("Landlock: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// A listed file could not be opened.
    #[error("Landlock: {0}")]
    Path(#[from] landlock::PathFdError),
    /// The filter could not be built for this processor.
    #[error("seccomp: {0}")]
    Filter(#[from] seccompiler::BackendError),
    /// The kernel rejected the filter.
    #[error("seccomp: {0}")]
    Seccomp(#[from] seccompiler::Error),
    /// Privileges could not be given up.
    #[error("cannot give up privileges: {0}")]
    Privileges(std::io::Error),
    /// A resource limit was rejected.
    #[error("resource limit {name}: {source}")]
    Limit {
        /// The level.
        name: &'static str,
        /// The kernel's error.
        source: std::io::Error,
    },
}
