//! Where an asset is in its life on a hub (seed 002, "Asset Lifecycle").

use std::fmt;

/// The state of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssetState {
    /// Just published. Only its publisher and those who name it see it.
    Candidate,
    /// Offered to every node.
    Promoted,
    /// It failed the quality gate, a validation or a decision.
    Rejected,
    /// Held back by a decision, until another one.
    Quarantined,
    /// Withdrawn by its publisher, for good.
    Revoked,
}

impl AssetState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Candidate, Self::Promoted, Self::Rejected, Self::Quarantined, Self::Revoked];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Promoted => "promoted",
            Self::Rejected => "rejected",
            Self::Quarantined => "quarantined",
            Self::Revoked => "revoked",
        }
    }

    /// Reads the word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether an asset may go from this state to another one. Nothing leaves [`Self::Revoked`], and nothing becomes a
    /// candidate again.
    pub fn may_become(self, next: Self) -> bool {
        self != Self::Revoked && next != Self::Candidate && self != next
    }
}

impl fmt::Display for AssetState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revoked_is_final_and_nothing_becomes_a_candidate() {
        for state in AssetState::ALL {
            assert_eq!(AssetState::of(state.as_str()), Some(state));
            assert!(!AssetState::Revoked.may_become(state), "{state}");
            assert!(!state.may_become(AssetState::Candidate), "{state}");
            assert_eq!(state.may_become(AssetState::Revoked), state != AssetState::Revoked, "{state}");
        }
        assert!(AssetState::Quarantined.may_become(AssetState::Promoted));
    }
}
