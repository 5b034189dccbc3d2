//! Why a use case could not do its work: one error type, with a kind and a code to branch on.

use std::io::ErrorKind as IoErrorKind;
use std::path::Path;

use gephost_core::text::without_controls;

/// What sort of failure it is. The command line maps each kind onto one exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something failed for a reason that is none of those below.
    Failed,
    /// A request, a config or a file that they name is wrong.
    Usage,
    /// The gate refused.
    Refused,
    /// A server rejected the credentials, or there was no key to send.
    Unauthenticated,
    /// The base moved, or another gephost is at work.
    Conflict,
    /// A budget or a time limit ran out.
    Budget,
    /// The operator interrupted.
    Interrupted,
    /// A bug in gephost.
    Bug,
}

/// The code of the error when compiling a gene took too much time or memory. Its kind is [`ErrorKind::Budget`], but it
/// is not a budget of a gene call.
pub const COMPILE_BUDGET: &str = "gene_budget_compile";

/// The failure of a use case.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct AppError {
    /// What sort of failure it is.
    pub kind: ErrorKind,
    /// A stable short name for programs, such as `kill_switch`.
    pub code: &'static str,
    /// What failed, on what, and why.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// More for programs, if there is more: a JSON object.
    pub detail: Option<Box<serde_json::Value>>,
}

impl AppError {
    /// An error without a hint.
    pub fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: None, detail: None }
    }

    /// The same error with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with more for programs.
    #[must_use]
    pub fn detail(mut self, detail: serde_json::Value) -> Self {
        self.detail = Some(Box::new(detail));
        self
    }

    /// A file that could not be read or written. A path that is missing or of the wrong type is an error of usage.
    pub fn io(path: &Path, doing: &str, error: &std::io::Error) -> Self {
        let kind = match error.kind() {
            IoErrorKind::NotFound | IoErrorKind::IsADirectory | IoErrorKind::NotADirectory => ErrorKind::Usage,
            _ => ErrorKind::Failed,
        };
        Self::new(kind, "io", format!("failed to {doing} {}: {error}", path.display()))
    }

    pub(crate) fn failed(code: &'static str, error: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Failed, code, error.to_string())
    }

    pub(crate) fn usage(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, code, message)
    }
}

/// Text from outside for a message, without characters that could drive a terminal or hide.
pub(crate) fn printable(text: &str) -> String {
    without_controls(text).into_owned()
}
