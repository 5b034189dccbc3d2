//! A gene's walk over the run log, as data: the bindings name it.

/// A walk in progress.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Cursor {
    pub(super) filter: Sieve,
    pub(super) next: usize,
}

/// A filter, turned into what the columns hold.
#[derive(Debug)]
pub(super) struct Sieve {
    /// Whether nothing is filtered, so that no event need be looked at.
    pub(super) everything: bool,
    /// Bit `k` is set if kind `k` passes.
    pub(super) kinds: u32,
    pub(super) outcomes: u32,
    /// Whether the tool at this position passes.
    pub(super) tools: Option<Vec<bool>>,
    pub(super) since_us: i64,
}
