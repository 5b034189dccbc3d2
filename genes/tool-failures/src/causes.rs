//! What failures of a kind mostly come from, and which way to look.

use gephost_gene::run_log::FailureKind;

use crate::report::Importance;

/// Why it probably fails.
pub(crate) fn hypothesis(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::TestFailure => "the code does not do what its tests ask for",
        FailureKind::CompileLint => "the code does not compile or breaks a lint rule",
        FailureKind::FileNotFound => "a path is wrong or a file is missing",
        FailureKind::EditMismatch => "the edit was made against a text that the file does not hold",
        FailureKind::Timeout => "the work takes longer than its time limit, or waits for something that never comes",
        FailureKind::Permission => "the system, or the agent's own rules, deny access",
        FailureKind::MissingModule => "a module is not installed, or was renamed or removed",
        FailureKind::MissingCommand => "a program is not installed or not on the path",
        FailureKind::Git => "the repository is not in the state that the command needs",
        FailureKind::Network => "a service cannot be reached, or turns the request away",
        FailureKind::Traceback => "the code raises an exception that nothing catches",
        FailureKind::ExitNonzero | FailureKind::None | FailureKind::Other => "the same step fails for the same reason",
    }
}

/// Which way to look for a repair.
pub(crate) fn direction(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Timeout => "make the step faster or split it, before raising its limit",
        FailureKind::FileNotFound => "list the directory before using a path in it",
        FailureKind::EditMismatch => "read the file again before editing it, and match less text",
        FailureKind::Permission | FailureKind::MissingCommand => {
            "mend the environment, or say in the instructions what to use"
        }
        FailureKind::Network => "wait and ask less often, or check the connection before the step",
        FailureKind::Git => "look at the state of the repository before the command",
        _ => "follow the error to the source line it names and repair that line",
    }
}

/// Whether failures of this kind are mostly the agent's way of working, which goes on after them, and not something that
/// stands in its way.
pub(crate) fn is_habit(kind: FailureKind) -> bool {
    use FailureKind as K;
    matches!(kind, K::EditMismatch | K::FileNotFound | K::ExitNonzero | K::Other | K::None)
}

/// How much an error matters that is still there: one that stands in the way three times or more stops work.
pub(crate) fn importance(kind: FailureKind, recurring: bool) -> Importance {
    match (is_habit(kind), recurring) {
        (false, true) => Importance::High,
        (false, false) | (true, true) => Importance::Medium,
        (true, false) => Importance::Low,
    }
}
