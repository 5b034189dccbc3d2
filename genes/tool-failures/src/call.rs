//! One event that the analysis looks at: a call that succeeded or failed, or an exception outside of any call.

use gephost_gene::run_log::FailureKind;

/// A finished call, or an exception. Texts are borrowed from the batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// Number of the event in the run log.
    pub(crate) event: u64,
    /// Microseconds since the Unix epoch, or `i64::MIN` if the log has no time. Sessions are read one file after the other,
    /// so a later event may be older.
    pub(crate) time: i64,
    /// Whether this is an exception outside of any call.
    pub(crate) exception: bool,
    /// Position of the tool's name in the log's list of names. `None` for an exception, and for the end of a call whose
    /// start is not in the log.
    pub(crate) tool: Option<u32>,
    /// The tool's name, or an empty text.
    pub(crate) name: &'a str,
    /// Position of the session's name in the log's list of names.
    pub(crate) session: u32,
    /// Whether it failed.
    pub(crate) failed: bool,
    /// The kind of failure; `FailureKind::None` for a success.
    pub(crate) kind: FailureKind,
    /// Milliseconds from start to end, if known.
    pub(crate) duration_ms: Option<f64>,
    /// The tool's input.
    pub(crate) input: &'a str,
    /// The tool's output.
    pub(crate) output: &'a str,
}

impl Call<'_> {
    /// A hash of tool and input: two calls with the same identity are the same call, made twice. A call without input
    /// has no identity, because nothing shows that it is the same as another one.
    pub(crate) fn identity(&self) -> Option<u64> {
        let input = self.input.trim();
        (self.tool.is_some() && !input.is_empty()).then(|| hash(hash(0, self.name.as_bytes()), input.as_bytes()))
    }
}

/// A 64-bit hash that takes eight bytes at a time, because inputs are long and every call that may be a repetition is
/// hashed. It only decides which calls are grouped together, so a deliberate collision gains nothing.
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (words, rest) = bytes.as_chunks::<8>();
    let hashed = words.iter().fold(mix(seed, bytes.len() as u64), |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    mix(hashed, last)
}

/// Whether a tool edits files, judged by its name.
pub(crate) fn is_editor(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["edit", "replace", "patch", "write"].iter().any(|word| tool.contains(word))
}

#[cfg(test)]
impl Call<'_> {
    /// A command of a shell that failed, from which tests make others.
    pub(crate) const FAILED: Self = Self {
        event: 0,
        time: i64::MIN,
        exception: false,
        tool: Some(0),
        name: "Bash",
        session: 0,
        failed: true,
        kind: FailureKind::ExitNonzero,
        duration_ms: None,
        input: "",
        output: "",
    };
}
