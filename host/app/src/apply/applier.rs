//! What applying works with.

use gephost_core::event_log::EntryBody;
use gephost_runner::event_log::LogError;
use gephost_runner::journal::Journal;
use gephost_runner::validate::{Chosen, Launcher};
use gephost_runner::worktree::{self, Identity, IdentityError};

use super::trial::Outfit;
use crate::deadline::Deadline;
use crate::project::Project;
use crate::stops::StopSign;

/// What applying works with. The locks have been looked at.
pub struct Applier<'a> {
    /// The open project whose log, assets and state take part.
    pub project: &'a Project,
    /// The repository that gets the branch.
    pub repository: &'a worktree::Project,
    /// The journal, with the project's lock.
    pub journal: &'a Journal,
    /// Who approved it, if it had to wait for approval.
    pub approver: Option<&'a str>,
    /// Why, in the operator's words.
    pub why: Option<&'a str>,
    /// Whether the checked-out branch moves forward to what is published.
    pub land: bool,
    /// What validation commands run with.
    pub tools: Tools<'a>,
    /// When it is to be over, if that is bounded: what runs then is ended, and nothing is published.
    pub(crate) until: Option<Deadline>,
}

/// What validation commands run with, as this machine has it.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// The program that starts each command, confined.
    pub launcher: &'a Launcher,
    /// How far they are confined.
    pub chosen: &'a Chosen,
}

impl<'a> Applier<'a> {
    /// An applier that nobody approved, that gives no reason, and that lands nothing.
    pub fn new(
        project: &'a Project,
        repository: &'a worktree::Project,
        journal: &'a Journal,
        tools: Tools<'a>,
    ) -> Self {
        Self { project, repository, journal, approver: None, why: None, land: false, tools, until: None }
    }

    /// Fails if there is a reason to stop.
    pub(super) fn check_stops(&self) -> Result<(), StopSign> {
        self.project.check_stops(self.until)
    }

    /// What commands run with.
    pub(super) fn outfit(&self) -> Outfit<'_> {
        Outfit { project: self.project, launcher: self.tools.launcher, chosen: self.tools.chosen }
    }

    /// A text for the log and for assets, without secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        self.project.config.policy.redact(text)
    }

    pub(super) fn append(&self, body: &EntryBody) -> Result<(), LogError> {
        self.project.log.append(self.project.environment.now(), body)
    }

    /// Who commits now.
    pub(super) fn identity(&self, at: jiff::Timestamp) -> Result<Identity, IdentityError> {
        Identity::of(&self.project.config.file.apply, &self.project.environment.signing, at)
    }
}
