//! What a person or a program learns when a command cannot do its work: what, where, what to do.

use std::borrow::Cow;

use gephost_app::{AppError, ErrorKind};
use gephost_core::text::clip_middle;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::exit_code::Exit;
use crate::page::Page;

/// Most bytes of a message in a document. A program gets long words whole; a person gets them shortened.
const MAX_MESSAGE: usize = 16 << 10;

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
    pub(crate) detail: Option<Box<Value>>,
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

    /// What `--json` prints.
    pub(crate) fn page(&self) -> ErrorPage<'_> {
        let Self { exit, code, message, hint, detail } = self;
        let message = clip_middle(message, MAX_MESSAGE);
        let hint = hint.as_deref().map(|hint| clip_middle(hint, MAX_MESSAGE));
        ErrorPage { error: ErrorMembers { code, message, hint, exit: exit.code(), detail: detail.as_deref() } }
    }
}

/// Why a command failed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorPage<'a> {
    error: ErrorMembers<'a>,
}

/// The failure of a command.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorMembers<'a> {
    /// A short name for programs.
    code: &'a str,
    /// What went wrong, and where.
    message: Cow<'a, str>,
    /// What to do about it.
    hint: Option<Cow<'a, str>>,
    /// The exit code.
    exit: u8,
    /// More for programs, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a Value>,
}

impl Page for ErrorPage<'_> {
    const KIND: &'static str = "error";

    fn text(&self) -> String {
        self.error.message.clone().into_owned()
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
