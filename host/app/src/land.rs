//! Stage land: the branch that is checked out moves forward to what was published, or it stays, with the reason.
//!
//! Called by apply and rollback, which own the journal and the log: [`plan`] changes nothing, and what [`carry_out`]
//! cannot finish it undoes, so that there are two outcomes.

use gephost_runner::journal::Landing;
use gephost_runner::worktree::{
    Identity, LandError, Mark, Project, check_landable, land, landing_branch, settle_landed,
};

/// Whether the checked-out branch has moved forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landed {
    /// This branch has moved.
    Into(String),
    /// No branch has moved; the published one stays.
    Not {
        /// Why, for a person.
        reason: String,
    },
}

impl Landed {
    /// The branch that moved.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Into(branch) => Some(branch),
            Self::Not { .. } => None,
        }
    }

    /// Why no branch has moved.
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Into(_) => None,
            Self::Not { reason } => Some(reason),
        }
    }
}

/// How a published commit would land now, or why it cannot.
pub(crate) fn plan(project: &Project, to: &str, mark: &Mark) -> Result<Landing, LandError> {
    let into = landing_branch(project)?;
    let from = project.head()?.commit;
    let landing = Landing { into, from, to: to.to_owned() };
    check_landable(project, landing.forward(), mark)?;
    Ok(landing)
}

/// Lands. The error is for what could neither be finished nor undone now; the next start does that.
pub(crate) fn carry_out(project: &Project, landing: &Landing, by: &Identity, mark: &Mark) -> Result<Landed, LandError> {
    let into = || Landed::Into(landing.into.clone());
    let error = match land(project, landing.forward(), by, mark) {
        Ok(()) => return Ok(into()),
        Err(error) => error,
    };
    let half_way = matches!(error, LandError::HalfWay(_));
    if half_way && settle_landed(project, landing.forward(), by, mark)? {
        return Ok(into());
    }
    Ok(Landed::Not { reason: error.to_string() })
}
