//! What the pages of a cycle share.

use std::path::PathBuf;

use gephost_app::Project;
use gephost_app::cycle::{Findings, Proposals};
use gephost_app::gene_call::GeneCall;
use gephost_app::observe::ReadingState;

use super::again::{self, command};
use crate::args::CycleArguments;
use crate::output::Output;
use crate::render;
use crate::render::explain::CallAudit;
use crate::render::findings;
use crate::render::reading::{ObservedRow, Unread, counted};
use crate::render::style::dim;
use crate::render::unanswered::{Lock, UnansweredRow};

/// What the text of a page needs beside the page's own values.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) project: &'a Project,
    /// Whether to show what genes wrote and used.
    pub(super) is_verbose: bool,
    /// Whether to show what genes asked of the host.
    explains: bool,
    /// The project's own sessions that the user did not let gephost read.
    unread: Option<&'a Unread>,
    arguments: &'a CycleArguments,
    /// The logs that the user named.
    logs: &'a [PathBuf],
}

impl<'a> View<'a> {
    pub(super) fn new(
        project: &'a Project,
        output: Option<Output>,
        arguments: &'a CycleArguments,
        unread: Option<&'a Unread>,
    ) -> Self {
        let is_verbose = output.is_some_and(Output::verbose);
        Self { project, is_verbose, explains: arguments.explain, unread, arguments, logs: &arguments.log }
    }

    /// The same, with these logs named.
    pub(super) fn reading(self, logs: &'a [PathBuf]) -> Self {
        Self { logs, ..self }
    }

    /// A command that a hint names, with the options that say what this one read and ran.
    pub(super) fn command(&self, name: &str) -> String {
        command(name, self.arguments, self.logs)
    }

    /// If there are findings and nothing is proposed: who was asked, and where to begin.
    pub(super) fn unanswered(&self, proposals: &'a Proposals) -> Option<UnansweredRow<'a>> {
        let policy = self.project.config.policy.table();
        UnansweredRow::of(proposals, policy, self.lock(), |name| self.command(name))
    }

    /// Whether there is no config that says what may change.
    pub(super) fn lacks_config(&self) -> bool {
        self.project.config_text.is_empty()
    }

    /// What keeps `--apply` locked, if it is.
    pub(super) fn lock(&self) -> Option<Lock> {
        match (self.project.config.file.apply.enabled, self.project.apply_waits_for_trust()) {
            (true, _) => None,
            (false, true) => Some(Lock::Trust),
            (false, false) => Some(Lock::Enabled),
        }
    }

    /// What was observed, for a program.
    pub(super) fn observed(&self, found: &'a Findings) -> ObservedRow<'a> {
        ObservedRow::of(&found.reading, self.unread)
    }

    /// The same as text, with the findings. If nothing could be diagnosed, why, and what to do.
    pub(super) fn findings(&self, found: &Findings, shown: usize) -> String {
        let Findings { diagnosed, files, reading, .. } = found;
        if diagnosed.diagnosis.findings.is_empty() && reading.state != ReadingState::Read {
            let anytime = |name: &str| again::anytime(name, self.arguments, self.logs);
            return render::reading::nothing(reading, files, self.unread, &anytime);
        }
        let ranked = findings::ranked(&diagnosed.diagnosis.findings, &found.evidenced);
        let mut text = render::cycle::observed(files);
        if let Some(counted) = counted(reading) {
            text.push_str(&format!("            {}\n", dim(counted)));
        }
        text + &findings::list(&ranked, shown, diagnosed.left_out, &|name| self.command(name))
    }

    /// The member `explain`, if it was asked for.
    pub(super) fn audits<'c>(&self, calls: impl IntoIterator<Item = &'c GeneCall>) -> Option<Vec<CallAudit<'c>>> {
        self.explains.then(|| calls.into_iter().map(render::explain::document).collect())
    }

    /// The same as text.
    pub(super) fn explained<'c>(&self, calls: impl IntoIterator<Item = &'c GeneCall>) -> String {
        if self.explains { calls.into_iter().map(render::explain::call).collect() } else { String::new() }
    }
}
