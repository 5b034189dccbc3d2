//! One thing that ended: a call that passed or failed, or an exception outside of a call.

use gephost_gene::run_log::FailureKind;

/// One finished call, or an exception (no tool). Texts are borrowed from the batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// Number of the event in the run log.
    pub(crate) event: u64,
    /// Whether it is an exception outside of a call.
    pub(crate) exception: bool,
    /// Position of the tool's name among the log's; `None` for an exception, and for the end of a call whose start is not
    /// in the log.
    pub(crate) tool: Option<u32>,
    /// The tool's name; empty where there is none.
    pub(crate) name: &'a str,
    /// Position of the session's name among the log's.
    pub(crate) session: u32,
    /// Whether it failed.
    pub(crate) failed: bool,
    /// What kind of failure; `None` where nothing failed.
    pub(crate) kind: FailureKind,
    /// Milliseconds from start to end, where known.
    pub(crate) duration_ms: Option<f64>,
    /// What was asked.
    pub(crate) input: &'a str,
    /// What came back.
    pub(crate) output: &'a str,
}

impl Call<'_> {
    /// What makes two calls the same: tool and input. A call without input has no identity, since nothing says that it
    /// is the same.
    pub(crate) fn identity(&self) -> Option<u64> {
        let input = self.input.trim();
        (self.tool.is_some() && !input.is_empty()).then(|| hash(hash(0, self.name.as_bytes()), input.as_bytes()))
    }
}

/// A hash of 64 bits, eight bytes a step: inputs are long, and every call that may be a repetition is hashed. It decides
/// only which calls are grouped, so that a made collision gains nothing.
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (words, rest) = bytes.as_chunks::<8>();
    let hashed = words.iter().fold(mix(seed, bytes.len() as u64), |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    mix(hashed, last)
}

/// The words of a kind that are its signal, for strategies to match on; `None` where the kind says nothing.
pub(crate) fn kind_signal(kind: FailureKind) -> Option<&'static str> {
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
