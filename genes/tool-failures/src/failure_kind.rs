//! What is known of each kind of failure: its signal, its usual cause, the way to a fix, and how severe it is.

use gephost_gene::Severity;
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

/// The usual cause.
pub(crate) fn hypothesis(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::TestFailure => "the code does not do what its tests expect",
        FailureKind::CompileLint => "the code does not compile, or it violates a lint rule",
        FailureKind::FileNotFound => "a path is wrong, or a file is missing",
        FailureKind::EditMismatch => "the edit expects text that the file does not contain",
        FailureKind::Timeout => {
            "the work takes longer than its time limit, or it waits for something that never happens"
        }
        FailureKind::Permission => "the operating system or the agent's own rules deny access",
        FailureKind::MissingModule => "a module is not installed, or it was renamed or removed",
        FailureKind::MissingCommand => "a program is not installed, or it is not on the PATH",
        FailureKind::Git => "the repository is not in the state that the command needs",
        FailureKind::Network => "a service cannot be reached, or it rejects the request",
        FailureKind::Traceback => "the code raises an exception that nothing catches",
        FailureKind::ExitNonzero | FailureKind::None | FailureKind::Other => "the same step fails for the same reason",
    }
}

/// What to do about it.
pub(crate) fn direction(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Timeout => "make the step faster or split it before raising its limit",
        FailureKind::FileNotFound => "list the directory before using a path in it",
        FailureKind::EditMismatch => "read the file again before editing it, and match less text",
        FailureKind::Permission | FailureKind::MissingCommand => {
            "fix the environment, or say in the agent's instructions what to use instead"
        }
        FailureKind::Network => "retry later and less often, or check the connection before the step",
        FailureKind::Git => "check the state of the repository before running the command",
        _ => "follow the error to the source line it names and fix that line",
    }
}

/// How severe an unresolved error is. Failures that agents routinely recover from, such as an edit that does not match,
/// rank one step lower.
pub(crate) fn severity(kind: FailureKind, recurring: bool) -> Severity {
    match (is_routine(kind), recurring) {
        (false, true) => Severity::High,
        (false, false) | (true, true) => Severity::Medium,
        (true, false) => Severity::Low,
    }
}

fn is_routine(kind: FailureKind) -> bool {
    use FailureKind as K;
    matches!(kind, K::EditMismatch | K::FileNotFound | K::ExitNonzero | K::Other | K::None)
}
