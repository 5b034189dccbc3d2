//! `gephost policy promote`: the governance checklist of seed 004 section 10, and who decided on it, in the log.
//!
//! It records, and says which line of the config to change. The config itself is the operator's: no command of gephost
//! writes it.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::config::CONFIG_FILE;
use gephost_core::event_log::{EntryBody, Tally};
use gephost_core::policy::{Governance, GovernanceCheck, Phase, governance};
use serde_json::json;

use crate::args::PromoteArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
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
    let line = format!("phase = \"{to}\"");
    let document = json!({
        "schema": "gephost.promotion/1",
        "promoted": holds, "from": from, "to": to, "by": by, "why": why,
        "checks": checks,
        "edit": holds.then(|| json!({ "file": CONFIG_FILE, "table": "policy", "line": line })),
    });
    let exit = if holds { Exit::Done } else { Exit::Refused };
    Ok(Report { exit, document, text: render(from, to, &checks, holds.then_some(line.as_str())) })
}

/// From where to where: one phase at a time, so that each is lived in.
fn step(folder: &Project, asked: Option<&str>) -> Result<(Phase, Phase), Failure> {
    let usage = |message: String| Failure::new(Exit::Usage, "phase", message);
    let Some(from) = folder.config.policy.table().phase else {
        return Err(usage("the policy has no phase".to_owned())
            .hint(format!("write `phase = \"bootstrap\"` into `[policy]` of {CONFIG_FILE} to begin with the first")));
    };
    let next = from.next().ok_or_else(|| usage(format!("the policy is in its last phase, {from}")))?;
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

fn render(from: Phase, to: Phase, checks: &[GovernanceCheck], line: Option<&str>) -> String {
    let mut text = format!("{} {from} -> {to}\n", bold("Phase     "));
    for GovernanceCheck { name, holds, detail } in checks {
        let word = if *holds { good("ok") } else { bad("no") };
        let _ = writeln!(text, "  {word}  {name}: {detail}");
    }
    let _ = match line {
        Some(line) => writeln!(text, "Recorded. Now set `{line}` in `[policy]` of {CONFIG_FILE}."),
        None => writeln!(text, "Not promoted; nothing was recorded."),
    };
    text
}
