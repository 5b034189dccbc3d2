//! What a person or a program is told when a command cannot do its work: what, where, what to do.

use gephost_app::{AppError, ErrorKind};
use serde_json::json;

use crate::exit_code::Exit;

/// A command's failure.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How the process ends.
    pub(crate) exit: Exit,
    /// A short name for programs.
    pub(crate) code: &'static str,
    /// What went wrong, and where.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// More for programs, where there is more.
    pub(crate) detail: Option<Box<serde_json::Value>>,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into(), hint: None, detail: None }
    }

    /// The same, with what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The document of `--json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let mut error =
            json!({ "code": self.code, "message": self.message, "hint": self.hint, "exit": self.exit.code() });
        if let Some(detail) = &self.detail {
            error["detail"] = (**detail).clone();
        }
        json!({ "schema": "gephost.error/1", "error": error })
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let AppError { kind, code, message, hint, detail } = error;
        Self { exit: kind.into(), code, message, hint, detail }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Failed => Self::Failed,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Unauthenticated => Self::Unauthenticated,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::Budget => Self::Budget,
            ErrorKind::Interrupted => Self::Interrupted,
            ErrorKind::Bug => Self::Bug,
        }
    }
}

/// A file that could not be read or written.
pub(crate) fn io(path: &std::path::Path, doing: &str, error: &std::io::Error) -> Failure {
    AppError::io(path, doing, error).into()
}
