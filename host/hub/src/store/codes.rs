//! The numbers of states and kinds in the database. They never change their meaning.

use gephost_core::a2a::AssetState;

/// What an asset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Gene,
    Capsule,
    Event,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Gene, Self::Capsule, Self::Event];

    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Gene => 0,
            Self::Capsule => 1,
            Self::Event => 2,
        }
    }

    pub(crate) fn of_code(code: i64) -> Self {
        Self::ALL.into_iter().find(|kind| kind.code() == code).unwrap_or(Self::Event)
    }

    /// The member `type` of the asset.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gene => "Gene",
            Self::Capsule => "Capsule",
            Self::Event => "EvolutionEvent",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

pub(crate) fn state_code(state: AssetState) -> i64 {
    match state {
        AssetState::Candidate => 0,
        AssetState::Promoted => 1,
        AssetState::Rejected => 2,
        AssetState::Quarantined => 3,
        AssetState::Revoked => 4,
    }
}

/// A number that is none counts as withdrawn: what cannot be read is not offered.
pub(crate) fn state_of(code: i64) -> AssetState {
    AssetState::ALL.into_iter().find(|state| state_code(*state) == code).unwrap_or(AssetState::Revoked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_code(kind.code()), kind);
            assert_eq!(Kind::of(kind.as_str()), Some(kind));
        }
        for state in AssetState::ALL {
            assert_eq!(state_of(state_code(state)), state);
        }
        assert_eq!(state_of(99), AssetState::Revoked);
    }
}
