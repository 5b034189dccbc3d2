//! The signal of each kind of failure.

use gephost_gene::run_log::FailureKind;

/// The signal that strategies match on; `None` for kinds that say nothing about the failure.
pub(crate) fn signal(kind: FailureKind) -> Option<&'static str> {
    Some(match kind {
        FailureKind::TestFailure => "test_failed",
        FailureKind::CompileLint => "compile_failed",
        FailureKind::ExitNonzero => "exit_nonzero",
        FailureKind::FileNotFound => "file_not_found",
        FailureKind::EditMismatch => "edit_mismatch",
        FailureKind::Timeout => "timeout",
        FailureKind::Permission => "permission",
        FailureKind::MissingModule => "missing_module",
        FailureKind::MissingCommand => "missing_command",
        FailureKind::Git => "git_failed",
        FailureKind::Network => "network",
        FailureKind::Traceback => "exception",
        FailureKind::None | FailureKind::Other => return None,
    })
}
