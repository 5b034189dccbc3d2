//! `gephost policy promote`: the governance checklist of seed 004 section 10, and who decided on it, in the log.
//!
//! It records, and says which line of the config to change. The config itself is the operator's: no command of gephost
//! writes it.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::config::CONFIG_FILE;
use gephost_core::event_log::{EntryBody, Tally};
use gephost_core::policy::{Governance, GovernanceCheck, Phase, governance};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::PromoteArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, bold, good};

pub(super) fn run(environment: &Environment, arguments: &PromoteArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let (from, to) = step(&folder, arguments.to.as_deref())?;
    let by = folder.one_line("--by", &arguments.by)?;
    let why = folder.one_line("--why", &arguments.why)?;
    let checks = checklist(&folder, to)?;
    let holds = checks.iter().all(|check| check.holds);
    if holds {
        folder.create_state()?;
        let body = EntryBody::PolicyPromoted { from, to, by: by.clone(), why: why.clone() };
        folder.append(&body)?;
    }
    let edit = holds.then(|| ConfigEdit { file: CONFIG_FILE, table: "policy", line: format!("phase = \"{to}\"") });
    Ok(Report::of(&PromotionPage { promoted: holds, from, to, by, why, checks, edit }))
}

/// A policy that was moved to its next phase, or not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PromotionPage {
    /// Whether every check holds, and the promotion was recorded.
    promoted: bool,
    /// The phase now.
    from: Phase,
    /// The next one.
    to: Phase,
    /// Who decided it.
    by: String,
    /// Why.
    why: String,
    /// The governance checklist.
    checks: Vec<GovernanceCheck>,
    /// What to change in the config; null if not promoted.
    edit: Option<ConfigEdit>,
}

/// A line to write into the config.
#[derive(Debug, Serialize, JsonSchema)]
struct ConfigEdit {
    /// The config file.
    file: &'static str,
    /// The table in it.
    table: &'static str,
    /// The line.
    line: String,
}

impl Page for PromotionPage {
    const KIND: &'static str = "promotion";

    fn text(&self) -> String {
        let mut text = format!("{} {} -> {}\n", bold("Phase     "), self.from, self.to);
        for GovernanceCheck { name, holds, detail } in &self.checks {
            let word = if *holds { good("ok") } else { bad("no") };
            let _ = writeln!(text, "  {word}  {name}: {detail}");
        }
        let _ = match &self.edit {
            Some(ConfigEdit { line, .. }) => {
                writeln!(text, "Recorded. Now set `{line}` in `[policy]` of {CONFIG_FILE}.")
            }
            None => writeln!(text, "Not promoted; nothing was recorded."),
        };
        text
    }

    fn exit(&self) -> Exit {
        if self.promoted { Exit::Done } else { Exit::Refused }
    }
}

/// From where to where: one phase at a time, so that each is lived in.
fn step(folder: &Project, asked: Option<&str>) -> Result<(Phase, Phase), Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, "phase", message);
    let Some(from) = folder.config.policy.table().phase else {
        return Err(usage("the policy has no phase".to_owned())
            .hint(format!("write `phase = \"bootstrap\"` into `[policy]` of {CONFIG_FILE}, and its paths into `[policy.phases.bootstrap]`")));
    };
    let next = from.next().ok_or_else(|| usage(format!("the policy is in its last phase, {from}")))?;
    if folder.config.policy.table().phases.of(next).allow.is_empty() {
        return Err(usage(format!("the phase {next} has no paths")).hint(format!(
            "write `[policy.phases.{next}]` with `allow`, the paths that may change then, into {CONFIG_FILE}"
        )));
    }
    match asked.map(|name| (name, Phase::from_name(name))) {
        None => Ok((from, next)),
        Some((_, Some(to))) if to == next => Ok((from, next)),
        Some((_, Some(to))) => Err(usage(format!("from {from} the next phase is {next}, not {to}"))),
        Some((name, None)) => {
            Err(usage(format!("there is no phase {name:?}")).hint("phases are bootstrap, expanded and full"))
        }
    }
}

fn checklist(folder: &Project, to: Phase) -> Result<Vec<GovernanceCheck>, Failure> {
    let verification = folder.verify_log()?;
    let fault = verification.fault.as_ref().map(ToString::to_string);
    // A log with a fault vouches for nothing, so that nothing of it is counted.
    let (entries, state) = if fault.is_some() { Default::default() } else { (folder.entries()?, folder.log_state()?) };
    let tally = Tally::of(entries.iter().map(|entry| &entry.body));
    let warnings = folder.config.policy.warnings();
    let facts = Governance {
        succeeded: tally.succeeded,
        failed: tally.failed,
        rolled_back: tally.rolled_back,
        log_fault: fault.as_deref(),
        unfinished: state.unfinished().count(),
        warnings: &warnings,
    };
    Ok(governance(to, facts))
}
