//! The position of a gene in the run log. The bindings name this type.

/// A walk through the run log, and its position.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Cursor {
    pub(super) filter: RowFilter,
    pub(super) next: usize,
}

/// A filter, in the form in which the columns hold their values.
#[derive(Debug)]
pub(super) struct RowFilter {
    /// Whether every event passes, so that none has to be compared.
    pub(super) everything: bool,
    /// Bit `k` is set if kind `k` passes.
    pub(super) kinds: u32,
    pub(super) outcomes: u32,
    /// Whether the tool at this position passes.
    pub(super) tools: Option<Vec<bool>>,
    pub(super) since_us: i64,
}
