//! What is known of each kind of failure: its signal, and its usual cause.

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

/// The usual cause of an error that is known by its line only; empty if the kind says nothing about it.
pub(crate) fn hypothesis(kind: FailureKind, recurring: bool) -> &'static str {
    match kind {
        FailureKind::TestFailure => "a test run fails",
        FailureKind::CompileLint => "the code does not compile, or a check refuses it",
        FailureKind::Git => "the repository is not in the state that the command needs",
        FailureKind::MissingModule => "the installed version does not have this module or name",
        FailureKind::Traceback => "the code raises an exception that nothing catches",
        _ if recurring => "the same step fails with the same message",
        _ => "",
    }
}
