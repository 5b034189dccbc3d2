//! `gephost status`: what is going on in a project, on one screen.

mod rows;

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::status::{Missing, Status};
use gephost_core::impact::Effect;
use gephost_core::trust::Widening;
use gephost_runner::instance::Holder;
use schemars::JsonSchema;
use serde::Serialize;

use rows::{AutopilotRow, BranchRow, LogsRow, PolicyRow, RevertRow, SessionRow, StatePlace, standing};
pub(super) use rows::{BaseCommit, CycleDocument};

use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::queue::{self, WaitingRow};
use crate::render::style::{bad, bold, dim, good, note, printable};

/// The most branches that are shown.
const SHOWN_BRANCHES: usize = 5;

/// What is going on in a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusPage<'a> {
    /// The project's folder.
    project: String,
    /// Where gephost keeps what it knows of it.
    state: StatePlace,
    /// The commit that is checked out; null without git, and before the first commit.
    head: Option<BaseCommit<'a>>,
    /// Whether `--apply` can publish now.
    may_apply: bool,
    /// Whether the config sets `dry_run`.
    dry_run: bool,
    /// Keys of gephost.toml that count only once the user trusts the file.
    waits_for_trust: &'a [Widening],
    /// Whether the config lets gephost apply.
    apply_enabled: bool,
    /// Whether the kill switch is set.
    kill_switch: bool,
    /// The gephost that works in this project now.
    at_work: Option<&'a Holder>,
    /// Operations that were begun and not ended.
    journal: Vec<String>,
    /// The newest cycle that tried candidates.
    last_cycle: Option<CycleDocument<'a>>,
    autopilot: AutopilotRow<'a>,
    /// Published branches that stand, newest first.
    branches: Vec<BranchRow<'a>>,
    /// Commits that undo landed changes and wait to be landed, newest first.
    reverts: Vec<RevertRow<'a>>,
    /// Proposals that await approval.
    waiting: Vec<WaitingRow<'a>>,
    logs: LogsRow<'a>,
    policy: PolicyRow<'a>,
    /// What is missing before `--apply` can work, in the order in which to do it.
    missing: &'a [Missing],
    #[serde(skip)]
    stopped_by: Option<String>,
    #[serde(skip)]
    apply_waits: bool,
    #[serde(skip)]
    in_repository: bool,
}

pub(super) fn run(environment: &Environment) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    Ok(Report::of(&StatusPage::of(&project, &project.status()?)))
}

impl<'a> StatusPage<'a> {
    fn of(project: &'a Project, status: &'a Status) -> Self {
        let state = &status.state;
        let session = state.autopilot().session();
        Self {
            project: project.root.display().to_string(),
            state: StatePlace {
                id: project.state.id().to_owned(),
                folder: project.state.root().path().display().to_string(),
            },
            head: status.head.as_ref().map(BaseCommit::of),
            may_apply: status.may_apply(),
            dry_run: status.dry_run,
            waits_for_trust: &project.waiting,
            apply_enabled: status.apply_enabled,
            kill_switch: status.kill_switch.is_some(),
            at_work: status.at_work.as_ref(),
            journal: status.left.iter().map(|record| printable(&record.describe())).collect(),
            last_cycle: state.cycles().last().map(CycleDocument::of),
            autopilot: AutopilotRow {
                session: session.map(|session| SessionRow { cycles: session.cycles, max_cycles: session.max_cycles }),
                stopped: state.autopilot().stopped(),
            },
            branches: standing(state),
            reverts: status.reverts.iter().map(RevertRow::of).collect(),
            waiting: queue::rows(state),
            logs: LogsRow::of(project, status),
            policy: PolicyRow::of(project),
            missing: &status.missing,
            stopped_by: status.kill_switch.as_ref().map(|switch| switch.path.display().to_string()),
            apply_waits: project.apply_waits_for_trust(),
            in_repository: project.is_in_repository(),
        }
    }

    fn apply(&self) -> String {
        match (&self.stopped_by, self.dry_run, self.apply_enabled) {
            (Some(path), ..) => bad(format!("stopped by {path}")),
            (_, true, _) => note("locked: `dry_run = true`"),
            (.., false) if self.apply_waits => {
                note("locked: `[apply] enabled` takes effect only after `gephost trust`")
            }
            (.., false) => note("locked: `[apply] enabled` is not set"),
            (.., true) => good("possible with --apply"),
        }
    }

    fn last_cycle(&self) -> String {
        let Some(cycle) = &self.last_cycle else { return "none yet".to_owned() };
        let about = cycle.finding.map_or("a person's proposal", |finding| finding.title.as_str());
        let stands = |winner: &str| self.branches.iter().any(|branch| branch.proposal == winner);
        let came = match (cycle.winner, cycle.tried) {
            (Some(winner), _) if stands(winner) => good(format!("published {winner}")),
            (Some(winner), _) => note(format!("published {winner}, taken back since")),
            (None, Some(_)) => bad("nothing held"),
            (None, None) => note("not ended"),
        };
        format!("{}  {}: {came}", dim(cycle.cycle), printable(about))
    }

    fn branches(&self) -> String {
        let mut text = String::new();
        for branch in self.branches.iter().take(SHOWN_BRANCHES) {
            let effect = branch.effect.map_or("not evaluated yet", Effect::as_str);
            let landed = branch.landed.map(|into| format!(", landed on {into}")).unwrap_or_default();
            let more = dim(format!("{}, {effect}{landed}", branch.proposal));
            let _ = writeln!(text, "{}  {}  {more}", bold("Branch    "), branch.branch);
        }
        if self.branches.len() > SHOWN_BRANCHES {
            let more = self.branches.len() - SHOWN_BRANCHES;
            let _ = writeln!(text, "            {}", dim(format!("and {more} more; `gephost report` has all")));
        }
        for revert in &self.reverts {
            let _ = writeln!(
                text,
                "{}  {}  {}",
                bold("Revert    "),
                revert.branch,
                dim(format!("undoes {}", revert.undoes))
            );
            let _ = writeln!(text, "            to land it: git merge --ff-only {}", revert.branch);
        }
        text
    }
}

impl Page for StatusPage<'_> {
    const KIND: &'static str = "status";

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, what: String| {
            let _ = writeln!(text, "{}  {what}", bold(format!("{name:<10}")));
        };
        let commit = match &self.head {
            Some(head) => {
                let branch = head.branch.unwrap_or("detached HEAD");
                format!("{branch} {}", head.commit.get(..12).unwrap_or_default())
            }
            None if self.in_repository => "no commit yet".to_owned(),
            None => "in no git repository".to_owned(),
        };
        line("Project", format!("{}  {}", self.project, dim(commit)));
        line("State", printable(&self.state.folder));
        text.push_str(&self.logs.text());
        text.push_str(&self.policy.text());
        let mut line = |name: &str, what: String| {
            let _ = writeln!(text, "{}  {what}", bold(format!("{name:<10}")));
        };
        line("Apply", self.apply());
        if !self.waits_for_trust.is_empty() {
            let keys: Vec<&str> = self.waits_for_trust.iter().map(|key| key.key).collect();
            line("Untrusted", note(format!("{} of gephost.toml: gephost trust", keys.join(", "))));
        }
        if let Some(holder) = self.at_work {
            let what = format!("process {} runs `gephost {}` since {}", holder.pid, holder.command, holder.since);
            line("At work", note(printable(&what)));
        }
        for record in &self.journal {
            line("Cut short", bad(record));
        }
        line("Cycle", self.last_cycle());
        line("Autopilot", self.autopilot.text(!self.waiting.is_empty()));
        text.push_str(&self.branches());
        text.push_str(&queue::page(&self.waiting));
        let mut head = bold("Missing   ");
        for Missing { what, next } in self.missing {
            let _ = writeln!(text, "{head}  {}\n              {}", printable(what), dim(printable(next)));
            head = " ".repeat(10);
        }
        text
    }
}
