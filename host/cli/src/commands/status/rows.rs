//! The parts of the page of `gephost status`.

use gephost_app::Project;
use gephost_app::autopilot::Stop;
use gephost_app::rollback::WaitingRevert;
use gephost_app::status::Status;
use gephost_core::command::ValidationCommand;
use gephost_core::diagnosis::FindingRef;
use gephost_core::event_log::{Cycle, State, Tried};
use gephost_core::impact::Effect;
use gephost_core::policy::Phase;
use gephost_runner::worktree::Head;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::own_sessions::said;
use crate::render::reading::Unread;
use crate::render::style::{bold, note, printable};
use crate::render::verdict::plural;

/// Which logs gephost reads.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LogsRow<'a> {
    /// Those that the config names.
    pub(super) named: &'a [String],
    /// Files of the project's own sessions in the agents' folders.
    pub(super) session_files: u64,
    /// Their total size.
    pub(super) session_bytes: u64,
    /// Whether the user lets gephost read them; null if the user did not say.
    pub(super) consent: Option<bool>,
    /// Sessions that a diagnosis reads; null if nothing is read, or if there is too much to count.
    pub(super) read_sessions: Option<u64>,
    /// Run events that a diagnosis reads; null as above.
    pub(super) read_events: Option<u64>,
    /// Sessions in the run store; null if it cannot be read.
    pub(super) stored_sessions: Option<u64>,
    /// Run events in the run store; null if it cannot be read.
    pub(super) stored_events: Option<u64>,
    #[serde(skip)]
    pub(super) sessions: Option<Unread>,
}

/// What the policy allows, in short; `gephost policy check` has all of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PolicyRow<'a> {
    /// Patterns of what may change.
    pub(super) allow: &'a [String],
    /// The phase; null without one.
    pub(super) phase: Option<&'static str>,
    /// The commands that must pass.
    pub(super) commands: Vec<&'a str>,
}

impl<'a> LogsRow<'a> {
    pub(super) fn of(project: &'a Project, status: &Status) -> Self {
        let sessions = Unread::of(&status.sessions, "gephost diagnose --yes");
        Self {
            named: &project.config.file.observe.logs,
            session_files: sessions.as_ref().map_or(0, |sessions| sessions.files),
            session_bytes: sessions.as_ref().map_or(0, |sessions| sessions.bytes),
            consent: said(status.consent),
            read_sessions: status.reading.as_ref().map(|reading| reading.sessions),
            read_events: status.reading.as_ref().map(|reading| reading.events),
            stored_sessions: status.stored.map(|stored| stored.sessions),
            stored_events: status.stored.map(|stored| stored.events),
            sessions,
        }
    }

    pub(super) fn text(&self) -> String {
        let read = match (&self.sessions, self.consent) {
            _ if !self.named.is_empty() => format!("{} (gephost.toml)", printable(&self.named.join(", "))),
            (Some(sessions), Some(true)) => sessions.what(),
            (Some(sessions), _) => {
                format!("none are read\n              {}: {}", sessions.what(), sessions.command)
            }
            (None, _) => "no sessions of agents in this project".to_owned(),
        };
        let both = |sessions: Option<u64>, events: Option<u64>| {
            let (sessions, events) = (sessions?, events?);
            Some(format!("{sessions} {}, {events} {}", plural(sessions, "session"), plural(events, "event")))
        };
        let stored = both(self.stored_sessions, self.stored_events).unwrap_or_else(|| note("cannot be read"));
        let counted = both(self.read_sessions, self.read_events);
        let counted = counted.map(|counted| format!("\n              a diagnosis reads {counted}")).unwrap_or_default();
        format!("{}  {read}{counted}\n{}  {stored}\n", bold("Logs      "), bold("Stored    "))
    }
}

impl<'a> PolicyRow<'a> {
    pub(super) fn of(project: &'a Project) -> Self {
        let policy = &project.config.policy;
        let table = policy.table();
        Self {
            allow: &table.allow,
            phase: table.phase.map(Phase::as_str),
            commands: policy.commands().iter().map(ValidationCommand::text).collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        let allow = match (self.allow, self.phase) {
            ([], None) => note("nothing may change"),
            ([], Some(phase)) => format!("what phase {phase} allows may change"),
            (allow, _) => format!("{} may change", printable(&allow.join(", "))),
        };
        let commands = match self.commands.as_slice() {
            [] => String::new(),
            commands => format!("; must pass: {}", printable(&commands.join(", "))),
        };
        format!("{}  {allow}{commands}\n", bold("Policy    "))
    }
}

/// A state folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatePlace {
    /// Its name.
    pub(super) id: String,
    /// Its path.
    pub(super) folder: String,
}

/// A commit that cycles start from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BaseCommit<'a> {
    /// Full hexadecimal id.
    pub(super) commit: &'a str,
    /// The branch; null if none is checked out.
    pub(super) branch: Option<&'a str>,
}

impl<'a> BaseCommit<'a> {
    pub(in crate::commands) fn of(head: &'a Head) -> Self {
        Self { commit: &head.commit, branch: head.branch.as_deref() }
    }
}

/// One cycle, as the log has it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CycleDocument<'a> {
    /// Its id.
    pub(in crate::commands) cycle: &'a str,
    /// Full hexadecimal id of the base commit.
    pub(super) base_commit: &'a str,
    /// The finding to fix; null for a person's own proposal.
    pub(in crate::commands) finding: Option<&'a FindingRef>,
    /// The proposal that was published.
    pub(super) winner: Option<&'a str>,
    /// Ids of the proposals, best first.
    pub(super) candidates: &'a [String],
    /// The outcome of each candidate; null while the cycle runs, and if a crash ended it.
    pub(super) tried: Option<&'a [Tried]>,
}

impl<'a> CycleDocument<'a> {
    pub(in crate::commands) fn of(cycle: &'a Cycle) -> Self {
        Self {
            cycle: &cycle.id,
            base_commit: &cycle.base_commit,
            finding: cycle.finding.as_ref(),
            winner: cycle.winner.as_deref(),
            candidates: &cycle.candidates,
            tried: cycle.tried.as_deref(),
        }
    }
}

/// What autopilot does, or did last.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AutopilotRow<'a> {
    /// The open session.
    pub(super) session: Option<SessionRow>,
    /// Why the last session ended.
    pub(super) stopped: Option<&'a str>,
}

/// An open session of autopilot.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionRow {
    /// Findings that it took.
    pub(super) cycles: u64,
    /// The most that it may take.
    pub(super) max_cycles: u64,
}

/// A published branch that stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BranchRow<'a> {
    /// Id of the proposal.
    pub(super) proposal: &'a str,
    /// Its name.
    pub(super) branch: &'a str,
    /// Full hexadecimal id of its commit.
    pub(super) commit: &'a str,
    /// The branch that was moved forward to it.
    pub(super) landed: Option<&'a str>,
    /// What it did to its finding; null if that was not measured yet.
    pub(super) effect: Option<Effect>,
}

/// A commit that undoes a landed change and waits to be landed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RevertRow<'a> {
    /// Its branch.
    pub(super) branch: &'a str,
    /// Full hexadecimal id of the commit.
    pub(super) commit: &'a str,
    /// The branch of the change that it undoes.
    pub(super) undoes: &'a str,
}

impl AutopilotRow<'_> {
    pub(super) fn text(&self, waits: bool) -> String {
        match (&self.session, self.stopped) {
            (Some(session), _) => format!("a session is open: {} of {} cycles", session.cycles, session.max_cycles),
            (None, Some(reason)) if reason == Stop::Waits.reason() && !waits => {
                "stopped at a proposal that was decided since; to go on: gephost autopilot".to_owned()
            }
            (None, Some(reason)) => format!("stopped: {}", printable(reason)),
            (None, None) => "never ran".to_owned(),
        }
    }
}

impl<'a> RevertRow<'a> {
    pub(super) fn of(revert: &'a WaitingRevert) -> Self {
        Self { branch: &revert.branch, commit: &revert.commit, undoes: &revert.undoes }
    }
}

/// The published branches that stand, newest first.
pub(super) fn standing(state: &State) -> Vec<BranchRow<'_>> {
    let mut rows = Vec::new();
    for (proposal, applied) in state.standing().into_iter().rev() {
        rows.push(BranchRow {
            proposal,
            branch: &applied.branch,
            commit: &applied.commit,
            landed: applied.landed.as_deref(),
            effect: state.impact(&applied.branch).map(|impact| impact.effect),
        });
    }
    rows
}
