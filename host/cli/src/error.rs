//! What a person or a program learns when a command cannot do its work: what, where, what to do.

use std::borrow::Cow;

use gephost_app::{AppError, ErrorKind};
use gephost_core::text::clip_middle;
use rustix::io::Errno;
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
        let hint = hint.or_else(|| of_system(&message).map(str::to_owned));
        Self { exit: kind.into(), code, message, hint, detail }
    }
}

/// What to do about an error of the system that ends a message.
fn of_system(message: &str) -> Option<&'static str> {
    const READ_ONLY: &str = "that file system cannot be written to: work in a copy elsewhere; `--state DIR` and XDG_CACHE_HOME name \
                             other folders for what gephost keeps";
    const NO_SPACE: &str =
        "make room there (df -h, df -i); `--state DIR` and XDG_CACHE_HOME name other folders for what gephost keeps";
    const NO_FOLDER: &str = "something on this path is not a folder: move it away, or name another path";
    const GONE: &str = "the file system does not answer: mount it again";
    if message.contains("Permission denied") {
        return Some("this user may not read or write it: see its owner and mode with `ls -l`");
    }
    if message.contains("is not owned by current user") {
        return Some("to work in it all the same: git config --global --add safe.directory DIR");
    }
    let (_, number) = message.rsplit_once("(os error ")?;
    match Errno::from_raw_os_error(number.split_once(')')?.0.parse().ok()?) {
        Errno::ROFS => Some(READ_ONLY),
        Errno::NOSPC | Errno::DQUOT => Some(NO_SPACE),
        Errno::NOTDIR | Errno::EXIST => Some(NO_FOLDER),
        Errno::NOTCONN | Errno::STALE | Errno::IO => Some(GONE),
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_of(message: &str) -> Option<String> {
        Failure::from(AppError::new(ErrorKind::Failed, "io", message)).hint
    }

    #[test]
    fn an_error_of_the_system_says_what_to_do() {
        for (message, word) in [
            ("write the objects of branch b: /p/.git/objects/fb: Read-only file system (os error 30)", "copy"),
            ("failed to lock /s/lock: Read-only file system (os error 30)", "--state"),
            ("work folder /h/.cache/gephost/work/p: No space left on device (os error 28)", "df -i"),
            ("work folder /h/.cache/gephost/work/p: Disk quota exceeded (os error 122)", "room"),
            ("work folder /h/.cache/gephost/work/p: Not a directory (os error 20)", "not a folder"),
            ("failed to open the cache /c: File exists (os error 17)", "not a folder"),
            ("failed to read /p: Transport endpoint is not connected (os error 107)", "mount"),
            ("git: failed open - '/p/a.py' is locked: Permission denied", "ls -l"),
            ("failed to read /p/a: Permission denied (os error 13)", "ls -l"),
            ("open the repository of /p: git: repository path '/p' is not owned by current user", "safe.directory"),
        ] {
            assert!(hint_of(message).is_some_and(|hint| hint.contains(word)), "{message}");
        }
        for message in
            ["failed to read /p: No such file or directory (os error 2)", "it broke", "(os error ", "(os error x)"]
        {
            assert_eq!(hint_of(message), None, "{message}");
        }
        let own = AppError::new(ErrorKind::Failed, "io", "failed to write /p: (os error 28)").hint("wait");
        assert_eq!(Failure::from(own).hint.as_deref(), Some("wait"));
    }
}
