//! `gephost run`, `diagnose`, `select` and `propose`: the stages of a cycle, as far as each goes.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::apply::{ApplyOptions, Ended};
use gephost_app::consult::Consulted;
use gephost_app::cycle::{CycleOptions, Findings, Proposals};
use gephost_app::gene_call::GeneCall;
use gephost_app::observe::LogOptions;
use gephost_app::run::RunEnding;
use gephost_app::stages::{Judged, Proposed};
use serde_json::{Value, json};

use super::observe;
use crate::args::{CycleArguments, Diagnose, RunArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render;
use crate::render::style::{bad, bold};

/// What a cycle reads and runs, as plain values.
pub(super) fn options(environment: &Environment, arguments: &CycleArguments) -> Result<CycleOptions, Failure> {
    let since = observe::since(environment, arguments.since.as_deref())?;
    Ok(CycleOptions {
        genes: arguments.gene.clone(),
        logs: LogOptions { logs: arguments.log.clone(), since, max_events: arguments.max_events },
        model: arguments.diagnose == Diagnose::Model,
        audit: arguments.audit.clone(),
    })
}

/// Whether and how to apply, as plain values.
pub(super) fn apply_options(arguments: &RunArguments) -> ApplyOptions {
    ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() }
}

pub(super) fn diagnose(
    environment: &Environment,
    output: Output,
    arguments: &CycleArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let found = project.diagnose(&options(environment, arguments)?)?;
    let Findings { diagnosed, consulted, .. } = &found;
    let mut text = render::cycle::header(&project, found.head.as_ref());
    text.push_str(&render::cycle::observed(&found.files));
    text.push_str(&render::cycle::findings(diagnosed));
    text.push_str(&consulted.as_ref().map(render::model::page).unwrap_or_default());
    text.push_str(&explained(arguments, &diagnosed.calls));
    if output.verbose() {
        text.push_str(&render::cycle::calls(&diagnosed.calls));
    }
    let mut document = json!({
        "schema": "gephost.diagnosis/1",
        "findings": render::cycle::ranked(&diagnosed.diagnosis.findings),
        "below_thresholds": diagnosed.left_out,
        "signals": diagnosed.diagnosis.signals,
        "calls": diagnosed.calls,
        "model": consulted.as_ref().map(render::model::document),
    });
    explain(arguments, &mut document, &diagnosed.calls);
    let exit = exit_of_model(consulted.as_ref()).unwrap_or(Exit::Done);
    Ok(Report { exit, document, text })
}

pub(super) fn select(environment: &Environment, arguments: &CycleArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let (found, selection) = project.select(&options(environment, arguments)?)?;
    let calls = &found.diagnosed.calls;
    let mut text = render::cycle::header(&project, found.head.as_ref());
    text.push_str(&render::cycle::findings(&found.diagnosed));
    text.push_str(&render::cycle::selection(&selection));
    text.push_str(&explained(arguments, calls));
    let mut document = serde_json::to_value(&selection).unwrap_or_default();
    if let Some(members) = document.as_object_mut() {
        members.insert("schema".to_owned(), "gephost.selection/1".into());
    }
    explain(arguments, &mut document, calls);
    Ok(Report { exit: Exit::Done, document, text })
}

pub(super) fn propose(
    environment: &Environment,
    output: Output,
    arguments: &CycleArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let proposals = project.propose(&options(environment, arguments)?)?;
    let Proposals { findings, proposed } = &proposals;
    let mut document = json!({
        "schema": "gephost.proposals/1",
        "selection": proposed.selection,
        "candidates": candidates(proposed),
        "model": findings.consulted.as_ref().map(render::model::document),
    });
    explain(arguments, &mut document, calls(&proposals));
    let all_refused = !proposed.candidates.is_empty() && proposed.passed().is_none();
    let exit = exit_of_model(findings.consulted.as_ref());
    let exit = exit.unwrap_or(if all_refused { Exit::Refused } else { Exit::Done });
    Ok(Report { exit, document, text: page(&project, output, arguments, &proposals) })
}

pub(super) fn run(environment: &Environment, output: Output, arguments: &RunArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let ran = project.run(&options(environment, &arguments.cycle)?, &apply_options(arguments))?;
    let Proposals { findings, proposed } = &ran.proposals;
    let mut text = page(&project, output, &arguments.cycle, &ran.proposals);
    text.push_str(&ending(&project, output, arguments.apply, &ran.proposals, &ran.ending));
    // `gephost report` says of the others why nothing is known yet.
    text.push_str(&render::impact::page(ran.impacts.iter().filter(|change| change.impact.effect.is_answer())));
    let mut document = json!({
        "schema": "gephost.run/1",
        "project": project.root,
        "base": findings.head.as_ref().map(|head| json!({ "commit": head.commit, "branch": head.branch })),
        "files": findings.files,
        "diagnosis": findings.diagnosed.diagnosis,
        "selection": proposed.selection,
        "candidates": candidates(proposed),
        "calls": calls(&ran.proposals).collect::<Vec<_>>(),
        "model": findings.consulted.as_ref().map(render::model::document),
        "applied": Value::Null,
    });
    explain(&arguments.cycle, &mut document, calls(&ran.proposals));
    document["evaluations"] = render::impact::documents(&ran.impacts).into();
    document["applied"] = applied(&ran.ending);
    let exit = exit_of_model(findings.consulted.as_ref()).unwrap_or_else(|| exit_of(&ran.ending));
    Ok(Report { exit, document, text })
}

/// How a command ends for what became of a cycle: what was to land and did not is a conflict.
pub(super) fn exit_of_ended(ended: &Ended) -> Exit {
    match (&ended.published, ended.landed.as_ref().and_then(|landed| landed.refusal())) {
        (None, _) => Exit::Invalid,
        (Some(_), Some(_)) => Exit::Conflict,
        (Some(_), None) => Exit::Done,
    }
}

fn exit_of(ending: &RunEnding) -> Exit {
    match ending {
        RunEnding::NoCandidate | RunEnding::DryRun(_) => Exit::Done,
        RunEnding::Refused => Exit::Refused,
        RunEnding::Applied(_) => ending.published().map_or(Exit::Invalid, exit_of_ended),
    }
}

fn exit_of_model(consulted: Option<&Consulted>) -> Option<Exit> {
    consulted.and_then(render::model::exit)
}

/// How a cycle ended, for a person.
fn ending(project: &Project, output: Output, applying: bool, proposals: &Proposals, ending: &RunEnding) -> String {
    match ending {
        RunEnding::NoCandidate if proposals.findings.diagnosed.diagnosis.findings.is_empty() => {
            "Nothing to do.\n".to_owned()
        }
        RunEnding::NoCandidate => {
            // With `-v` the page has what the genes logged already.
            let said = if output.verbose() { String::new() } else { render::cycle::said(&proposals.proposed.calls) };
            format!("There is no answer to this. Nothing was changed.\n{said}")
        }
        RunEnding::Refused if applying => {
            format!("\n{} Nothing was changed.\n", bad("The gate refused every candidate."))
        }
        RunEnding::Refused => {
            format!("\n{} The gate refused every candidate. Nothing was changed.\n", bold("Dry run."))
        }
        RunEnding::DryRun(file) => {
            let lock = if project.config.file.apply.enabled {
                ""
            } else {
                " (and `enabled = true` in `[apply]` of gephost.toml)"
            };
            let saved =
                format!("\n{} Nothing was changed. The proposal is saved as\n  {}\n", bold("Dry run."), file.display());
            format!("{saved}To validate it and publish a branch: gephost run --apply{lock}\n")
        }
        RunEnding::Applied(tried) => {
            let mut text: String = tried.iter().map(render::applied::page).collect();
            if ending.published().is_none() {
                let none = bad("No candidate held.");
                let _ = writeln!(text, "{none} Nothing was published; your checkout is as it was.");
            }
            text
        }
    }
}

/// The same for a program.
fn applied(ending: &RunEnding) -> Value {
    match ending {
        RunEnding::Applied(tried) => {
            let documents: Vec<Value> = tried.iter().flat_map(render::applied::documents).collect();
            json!({ "ok": ending.published().is_some(), "tried": documents })
        }
        RunEnding::NoCandidate | RunEnding::Refused | RunEnding::DryRun(_) => Value::Null,
    }
}

fn candidates(proposed: &Proposed) -> Vec<Value> {
    let document = |judged: &Judged| {
        json!({
            "proposal": serde_json::from_str::<Value>(&judged.saved()).unwrap_or_default(),
            "verdict": judged.verdict,
            "diff": judged.verdict.diff(),
        })
    };
    proposed.candidates.iter().map(document).collect()
}

fn calls(proposals: &Proposals) -> impl Iterator<Item = &GeneCall> {
    proposals.findings.diagnosed.calls.iter().chain(&proposals.proposed.calls)
}

/// What a cycle found and proposes, for a person.
fn page(project: &Project, output: Output, arguments: &CycleArguments, proposals: &Proposals) -> String {
    let Proposals { findings, proposed } = proposals;
    let mut text = render::cycle::header(project, findings.head.as_ref());
    text.push_str(&render::cycle::observed(&findings.files));
    text.push_str(&render::cycle::findings(&findings.diagnosed));
    match &findings.consulted {
        Some(consulted) => text.push_str(&render::model::page(consulted)),
        None if findings.diagnosed.diagnosis.findings.is_empty() => {}
        None => text.push_str(&render::cycle::selection(&proposed.selection)),
    }
    let shown = proposed.passed().map_or(proposed.candidates.as_slice(), std::slice::from_ref);
    for judged in shown {
        text.push_str(&render::cycle::candidate(judged));
    }
    text.push_str(&explained(arguments, calls(proposals)));
    if output.verbose() {
        text.push_str(&render::cycle::calls(&findings.diagnosed.calls));
        text.push_str(&render::cycle::calls(&proposed.calls));
    }
    text
}

/// What genes read and were refused, for a person, if that was asked for.
fn explained<'a>(arguments: &CycleArguments, calls: impl IntoIterator<Item = &'a GeneCall>) -> String {
    if arguments.explain { calls.into_iter().map(render::explain::call).collect() } else { String::new() }
}

/// The same in a document, as its member `explain`.
fn explain<'a>(arguments: &CycleArguments, document: &mut Value, calls: impl IntoIterator<Item = &'a GeneCall>) {
    if arguments.explain {
        document["explain"] = calls.into_iter().map(render::explain::document).collect();
    }
}
