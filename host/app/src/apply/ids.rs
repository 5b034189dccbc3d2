//! The ids of a cycle and of what it leaves in the assets.

use jiff::Timestamp;

/// The ids of one cycle, from its time in milliseconds as the protocol's tools write them.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    at: i64,
    /// The rank in the cycle of the candidate that is ranked 0 here.
    first: usize,
}

impl Ids {
    pub(super) fn new(at: Timestamp) -> Self {
        Self { at: at.as_millisecond(), first: 0 }
    }

    /// The same, for candidates whose ranks in the cycle begin with `first`.
    pub(super) fn at_rank(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// Of the cycle's event.
    pub(super) fn event(&self) -> String {
        format!("evt_{}", self.at)
    }

    /// Of the report of the candidate with this rank.
    pub(super) fn report(&self, rank: usize) -> String {
        format!("vr_{}", self.of(rank))
    }

    pub(super) fn capsule(&self, rank: usize) -> String {
        format!("capsule_{}", self.of(rank))
    }

    /// The best-ranked candidate has the cycle's own number, the others one of their own behind it.
    fn of(&self, rank: usize) -> String {
        let rank = self.first + rank;
        if rank == 0 { self.at.to_string() } else { format!("{}_{rank}", self.at) }
    }
}
