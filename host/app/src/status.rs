//! What is going on in a project. Reads the log, the heads of agents' sessions, the run store and, if they are small, the
//! project's own sessions; no gene is loaded and nothing is written.

use std::sync::Arc;

use gephost_core::event_log::{EntryBody, State};
use gephost_runner::instance::{Holder, Instance};
use gephost_runner::journal::{self, OperationFile};
use gephost_runner::observe::Discovered;
use gephost_runner::run_store::{RunStore, StoreTotals};
use gephost_runner::worktree::Head;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::AppError;
use crate::observe::{LogOptions, Reading};
use crate::project::{FIRST_COMMIT, Project, head};
use crate::rollback::WaitingRevert;
use crate::sessions::Consent;
use crate::stops::KillSwitch;

/// The most bytes of sessions that a status reads.
const MAX_COUNTED_BYTES: u64 = 16 << 20;

/// What is going on in a project.
#[derive(Debug)]
pub struct Status {
    /// Where `HEAD` is; `None` outside a git repository.
    pub head: Option<Head>,
    /// The kill switch, if it is on or counts as on.
    pub kill_switch: Option<KillSwitch>,
    /// Whether the config says `dry_run = true`.
    pub dry_run: bool,
    /// Whether the config enables applying.
    pub apply_enabled: bool,
    /// Who holds the project's lock.
    pub at_work: Option<Holder>,
    /// Operations that were begun and not ended.
    pub left: Vec<OperationFile>,
    /// Commits that undo landed changes and wait to be landed, newest first.
    pub reverts: Vec<WaitingRevert>,
    /// What the log adds up to.
    pub state: Arc<State>,
    /// The project's own sessions in the agents' folders, place by place; empty if the config names logs.
    pub sessions: Vec<Discovered>,
    /// Whether they are read.
    pub consent: Consent,
    /// What a diagnosis reads, if these sessions are read and are small enough to count what is in them.
    pub reading: Option<Reading>,
    /// How much the run store holds; `None` if it cannot be read.
    pub stored: Option<StoreTotals>,
    /// What is missing before an apply can work.
    pub missing: Vec<Missing>,
}

/// Something that is missing before an apply can work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missing {
    /// What is missing, as a sentence.
    pub what: String,
    /// What to do about it: a command, or an edit.
    pub next: String,
}

impl Missing {
    fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: next.into() }
    }
}

impl Status {
    /// Whether an apply would be possible now.
    pub fn may_apply(&self) -> bool {
        self.apply_enabled && !self.dry_run && self.kill_switch.is_none()
    }
}

impl Project {
    /// What is going on.
    pub fn status(&self) -> Result<Status, AppError> {
        let state = self.log_state()?;
        let repository = if self.has_commits() { Some(self.repository()?) } else { None };
        let head = repository.as_ref().map(head).transpose()?;
        let reverts = repository.as_ref().map(|repository| self.waiting_reverts(repository)).transpose()?;
        let lock = self.state.lock();
        let at_work = Instance::holder(&lock).map_err(|error| AppError::io(&lock.path(), "look at", &error))?;
        let left = journal::look(&self.state).map_err(|error| AppError::failed("journal", error))?;
        let (dry_run, apply_enabled) = (self.config.file.dry_run, self.config.file.apply.enabled);
        let kill_switch = self.kill_switch();
        let sessions = if self.takes_own_sessions(&[]) { self.discover() } else { Vec::new() };
        Ok(Status {
            missing: self.missing(kill_switch.as_ref())?,
            stored: RunStore::new(self.state.root()).totals().ok(),
            consent: self.consent(),
            reading: self.counted(&sessions),
            sessions,
            reverts: reverts.unwrap_or_default(),
            head,
            kill_switch,
            dry_run,
            apply_enabled,
            at_work,
            left,
            state,
        })
    }

    /// What a diagnosis reads, if it is quick to say.
    fn counted(&self, sessions: &[Discovered]) -> Option<Reading> {
        let bytes: u64 = sessions.iter().map(|place| place.own.bytes).sum();
        if bytes == 0 || bytes > MAX_COUNTED_BYTES || self.consent() != Consent::Given {
            return None;
        }
        let options = LogOptions::default();
        self.observe(&options).ok().map(|observation| Reading::of(&observation, &options))
    }

    /// What is missing before an apply can work, in the order in which a user would do it.
    fn missing(&self, kill_switch: Option<&KillSwitch>) -> Result<Vec<Missing>, AppError> {
        let file = &self.config.file;
        let (waits, table) =
            (|key: &str| self.waiting.iter().any(|waiting| waiting.key == key), self.config.policy.table());
        // A file without a line says as much as none.
        let has_config = !self.config_text.is_empty();
        let mut missing = Vec::new();
        let mut add = |is_missing: bool, what: &str, next: &str| {
            if is_missing {
                missing.push(Missing::new(what, next));
            }
        };
        if let Some(former) = self.former_state() {
            let own = self.state.id();
            let has_own = self.state.root().exists().unwrap_or(false);
            let first = if has_own { format!("gephost state remove {own} && ") } else { String::new() };
            let what = format!("this clone was moved here, and its log and runs are in the state {former}");
            add(true, &what, &format!("{first}gephost state adopt"));
        }
        add(!self.is_in_repository(), "gephost publishes branches, and this is not a git repository", "git init");
        let is_unborn = self.is_in_repository() && !self.has_commits();
        add(is_unborn, "the repository has no commit to work from", FIRST_COMMIT);
        add(!has_config, "no gephost.toml says what may change", "gephost init");
        let allows_nothing = table.allow.is_empty() && table.phase.is_none();
        add(has_config && allows_nothing, "nothing may change", "name paths in `allow` of `[policy]` in gephost.toml");
        add(file.dry_run, "`dry_run = true` forbids every apply", "take the key out of gephost.toml");
        let (enabled, untrusted) = (file.apply.enabled, waits("apply.enabled"));
        add(
            has_config && !enabled && !untrusted,
            "applying is not enabled",
            "set `enabled = true` in `[apply]` of gephost.toml",
        );
        add(untrusted, "`[apply] enabled` counts only once you trust gephost.toml", "gephost trust");
        let is_recorded = || -> Result<bool, AppError> {
            Ok(self.entries()?.iter().any(|entry| matches!(&entry.body, EntryBody::Recorded { argv: Some(_), .. })))
        };
        let validates = !self.config.policy.commands().is_empty() || is_recorded()?;
        add(!validates, "no command would show that a change repairs anything", "gephost record -- COMMAND");
        if let Some(KillSwitch { path, unseen }) = kill_switch {
            missing.push(match unseen {
                None => Missing::new("the kill switch is on", format!("rm {}", path.display())),
                Some(error) => Missing::new(
                    "the kill switch counts as on, because it cannot be looked at",
                    format!("make {} readable: {error}", path.display()),
                ),
            });
        }
        Ok(missing)
    }
}
