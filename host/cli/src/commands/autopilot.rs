//! `gephost autopilot`: cycle after cycle, one finding each, as far as the config lets it go without a person.
//!
//! What must stay true: every cycle goes the way of `run --apply`, with all its locks; what is taken in hand is in the
//! log before anything is done about it, so that a restart takes it no second time; it ends by itself.

use std::rc::Rc;
use std::time::{Duration, Instant};

use gephost_app::{Project, state_of};
use gephost_core::autopilot::{known, may_take, undoes};
use gephost_core::config::AutopilotTable;
use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::event_log::{Contents, CycleOutcome, EntryBody, State};
use gephost_core::impact::Effect;
use gephost_runner::cycle::{Diagnosed, Judged, Proposed};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::consult::{Consultant, Consulted};
use super::cycle::Cycle;
use super::publish::{self, Applying, Wish};
use super::{approvals, evaluation};
use crate::args::RunArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render;

/// How often the stop signs are looked at between two cycles.
const TICK: Duration = Duration::from_millis(100);

/// Why autopilot ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    NothingLeft,
    MaxCycles,
    WallTime,
    ModelBudget,
    Failed,
    Waits,
    Loop,
    Worse,
}

impl Stop {
    fn exit(self) -> Exit {
        match self {
            Self::NothingLeft | Self::MaxCycles => Exit::Done,
            Self::WallTime | Self::ModelBudget => Exit::Budget,
            Self::Failed => Exit::Invalid,
            Self::Waits => Exit::Waits,
            Self::Loop | Self::Worse => Exit::Failed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::NothingLeft => "nothing_left",
            Self::MaxCycles => "max_cycles",
            Self::WallTime => "max_wall_s",
            Self::ModelBudget => "model_budget",
            Self::Failed => "stop_on_failure",
            Self::Waits => "waits_for_approval",
            Self::Loop => "loop",
            Self::Worse => "worse",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::NothingLeft => "there is no finding left to take",
            Self::MaxCycles => "`[autopilot] max_cycles` is reached",
            Self::WallTime => "`[autopilot] max_wall_s` is over",
            Self::ModelBudget => "`[model] max_tokens` or `max_cost` allows no further request",
            Self::Failed => "a validation failed, and `[autopilot] stop_on_failure` is set",
            Self::Waits => "a proposal waits for a person",
            Self::Loop => "a proposal would undo what an earlier one did: it goes round in circles",
            Self::Worse => "a published change made its finding worse, and `[autopilot] stop_on_failure` is set",
        }
    }
}

/// What one cycle came to.
struct Left {
    outcome: CycleOutcome,
    reason: String,
    tried: Vec<Value>,
    page: String,
}

impl Left {
    fn new(outcome: CycleOutcome, reason: impl Into<String>) -> Self {
        Self { outcome, reason: reason.into(), tried: Vec::new(), page: String::new() }
    }
}

/// A session of autopilot.
struct Pilot<'a> {
    environment: &'a Environment,
    output: Output,
    arguments: &'a RunArguments,
    folder: Project,
    /// The model, where one is asked: its limits hold for the whole session.
    consultant: Option<Rc<Consultant>>,
    /// With what it applies; `None` for a dry run.
    applying: Option<Applying<'a>>,
    /// When it is to be over; what goes on then is ended.
    until: Instant,
    /// Findings that a dry run has looked at, which leaves nothing in the log.
    seen: Vec<(String, String)>,
    /// Changes that a dry run would have tried.
    dry: Vec<Vec<Contents>>,
    cycles: Vec<Value>,
    passed_over: Vec<Value>,
    text: String,
}

pub(super) fn run(environment: &Environment, output: Output, arguments: &RunArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    publish::check_stops(environment, &folder)?;
    let until = Instant::now() + Duration::from_secs(folder.config.file.autopilot.max_wall_s);
    let consultant = Consultant::of(environment, &folder, &arguments.cycle)?;
    let consultant = consultant.map(|consultant| Rc::new(consultant.until(until)));
    let applying = Applying::begin(&folder, Wish::of(arguments), "autopilot")?;
    let applying = applying.map(|applying| Applying { until: Some(until), ..applying });
    let mut pilot = Pilot {
        environment,
        output,
        arguments,
        folder,
        consultant,
        applying,
        until,
        seen: Vec::new(),
        dry: Vec::new(),
        cycles: Vec::new(),
        passed_over: Vec::new(),
        text: String::new(),
    };
    pilot.start()?;
    let result = pilot.fly();
    let reason = match &result {
        Ok(stop) => stop.reason().to_owned(),
        Err(failure) => failure.message.clone(),
    };
    pilot.stop(&reason)?;
    Ok(pilot.report(result?))
}

impl Pilot<'_> {
    fn table(&self) -> &AutopilotTable {
        &self.folder.config.file.autopilot
    }

    fn is_dry(&self) -> bool {
        self.applying.is_none()
    }

    fn append(&self, body: &EntryBody) -> Result<(), Failure> {
        if self.is_dry() {
            return Ok(());
        }
        Ok(self.folder.append(body)?)
    }

    /// Opens a session, or goes on with one that a crash broke off.
    fn start(&self) -> Result<(), Failure> {
        let resumed = self.folder.log_state()?.autopilot().session().is_some();
        if resumed {
            self.output.note("note: the last session was broken off; this one goes on with it");
        }
        let (max_cycles, max_risk) = (self.table().max_cycles, self.table().max_risk);
        self.append(&EntryBody::AutopilotStarted {
            operator: self.environment.operator.name.clone(),
            max_cycles,
            max_risk,
            resumed,
        })
    }

    fn stop(&self, reason: &str) -> Result<(), Failure> {
        let cycles = self.folder.log_state()?.autopilot().session().map_or(0, |session| session.cycles);
        let reason = self.folder.config.policy.redact(reason);
        self.append(&EntryBody::AutopilotStopped { reason, cycles })
    }

    /// Cycle after cycle, until there is a reason to stop.
    fn fly(&mut self) -> Result<Stop, Failure> {
        loop {
            publish::check_stops(self.environment, &self.folder)?;
            let state = self.folder.log_state()?;
            if state.queue().waiting().len() > 0 && !self.is_dry() {
                return Ok(Stop::Waits);
            }
            let done = match state.autopilot().session() {
                Some(session) if !self.is_dry() => session.cycles,
                _ => self.cycles.len() as u64,
            };
            if done >= self.table().max_cycles {
                return Ok(Stop::MaxCycles);
            }
            if self.is_over() {
                return Ok(Stop::WallTime);
            }
            let cycle = Cycle::prepare(self.environment, self.output, &self.arguments.cycle, self.consultant.clone())?;
            if self.made_worse(&cycle)? && self.table().stop_on_failure {
                return Ok(Stop::Worse);
            }
            let left = match self.cycle(&cycle, &state) {
                Err(failure) if self.ended(&failure) => return Ok(Stop::WallTime),
                left => left?,
            };
            // A gene that was ended found nothing, whatever there is.
            let Some(left) = left else { return Ok(if self.is_over() { Stop::WallTime } else { Stop::NothingLeft }) };
            match left {
                CycleOutcome::Waits if !self.is_dry() => return Ok(Stop::Waits),
                CycleOutcome::Loop => return Ok(Stop::Loop),
                CycleOutcome::OutOfBudget if self.is_over() => return Ok(Stop::WallTime),
                CycleOutcome::OutOfBudget => return Ok(Stop::ModelBudget),
                CycleOutcome::Failed if self.table().stop_on_failure => return Ok(Stop::Failed),
                CycleOutcome::Failed | CycleOutcome::Published if !self.is_dry() => self.pause()?,
                _ => {}
            }
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Whether something failed for want of time, of which the session has none left.
    fn ended(&self, failure: &Failure) -> bool {
        failure.exit == Exit::Budget && self.is_over()
    }

    /// Whether a published change made its finding worse. A dry run measures and writes nothing down.
    fn made_worse(&mut self, cycle: &Cycle) -> Result<bool, Failure> {
        let (project, events) = (&cycle.repository()?.project, &cycle.observation.events);
        let measured = if self.is_dry() {
            let entries = self.folder.entries()?;
            evaluation::measure(project, &entries, &state_of(&entries)?, events)?
        } else {
            evaluation::update(&self.folder, project, events)?
        };
        let worse: Vec<_> = measured.into_iter().filter(|one| one.impact.effect == Effect::Worse).collect();
        self.text.push_str(&evaluation::page(&worse));
        Ok(!worse.is_empty())
    }

    /// Takes the most important finding that may be taken. `None` where there is none.
    fn cycle(&mut self, cycle: &Cycle, state: &State) -> Result<Option<CycleOutcome>, Failure> {
        let stages = cycle.stage().until(self.until);
        let diagnosed = cycle.diagnosed(self.output, &stages)?;
        let base = cycle.repository()?.head.commit.clone();
        self.passed_over.clear();
        let mut chosen = None;
        for finding in &diagnosed.diagnosis.findings {
            let evidence = newest_evidence(cycle, finding);
            let key = (finding.gene.clone(), finding.id.clone());
            match may_take(state, finding, &base, evidence) {
                Ok(()) if self.seen.contains(&key) => {}
                Ok(()) => {
                    chosen = Some((finding.clone(), evidence));
                    break;
                }
                Err(passed) => self.passed_over.push(json!({ "finding": finding.id, "reason": passed.reason() })),
            }
        }
        let Some((finding, evidence)) = chosen else { return Ok(None) };
        self.seen.push((finding.gene.clone(), finding.id.clone()));
        let reference = publish::reference(&self.folder, &finding);
        self.output.note(&format!("cycle {}: {}", self.cycles.len() + 1, render::style::printable(&finding.title)));
        self.append(&EntryBody::AutopilotTook {
            finding: reference.clone(),
            base_commit: base.clone(),
            evidence_until: evidence.map(|time| time.to_string()),
        })?;
        let mut signals = finding.signals.clone();
        signals.sort();
        signals.dedup();
        let diagnosis = Diagnosis { findings: vec![finding], signals };
        let mut diagnosed = Diagnosed { diagnosis, ..diagnosed };
        let mut candidates = Vec::new();
        let mut model = Value::Null;
        let asked = cycle.proposed(self.environment, self.output, &stages, &mut diagnosed);
        let decided = asked.and_then(|(proposed, consulted)| {
            candidates = proposed.candidates.iter().map(candidate).collect();
            model = json!(consulted.as_ref().map(Consulted::document));
            if let Some(consulted) = consulted.filter(|consulted| consulted.exit() == Some(Exit::Budget)) {
                return Ok(Left::new(CycleOutcome::OutOfBudget, consulted.reason()));
            }
            self.decide(cycle, &diagnosed, &proposed, &base)
        });
        let left = match decided {
            Err(failure) if self.ended(&failure) => Left::new(CycleOutcome::OutOfBudget, failure.message),
            left => left?,
        };
        let (outcome, reason) = (left.outcome, left.reason.clone());
        self.append(&EntryBody::AutopilotLeft { finding: reference.clone(), outcome, reason: reason.clone() })?;
        self.text.push_str(&render::autopilot::cycle(self.cycles.len() + 1, &reference.title, outcome, &reason));
        self.text.push_str(&left.page);
        self.cycles.push(json!({
            "finding": reference,
            "outcome": outcome.as_str(),
            "reason": reason,
            "candidates": candidates,
            "tried": left.tried,
            "model": model,
        }));
        Ok(Some(outcome))
    }

    /// What is done with the candidates for one finding.
    fn decide(
        &mut self,
        cycle: &Cycle,
        diagnosed: &Diagnosed,
        proposed: &Proposed,
        base: &str,
    ) -> Result<Left, Failure> {
        if proposed.candidates.is_empty() {
            let reason = proposed.selection.reason.first().cloned();
            return Ok(Left::new(
                CycleOutcome::NoProposal,
                reason.unwrap_or_else(|| "no gene has an answer".to_owned()),
            ));
        }
        publish::remember(&self.folder, &diagnosed.diagnosis.signals, &proposed.candidates, proposed.isolation())?;
        let state = self.folder.log_state()?;
        let passed: Vec<&Judged> = proposed.candidates.iter().filter(|judged| Cycle::passes(judged)).collect();
        let Some(first) = passed.first() else {
            return Ok(Left::new(CycleOutcome::Refused, refusal(proposed)));
        };
        let mut reason = format!("{}: dealt with before", first.proposal.id);
        let mut fresh = Vec::new();
        for judged in passed {
            let id = &judged.proposal.id;
            let contents = state.proposal(id).map(|proposal| proposal.contents.clone()).unwrap_or_default();
            if let Some(known) = known(&state, id, &contents, base) {
                reason = format!("{id}: {}", known.reason());
                continue;
            }
            if self.dry.contains(&contents) {
                reason = format!("{id}: an earlier cycle has the same change");
                continue;
            }
            if let Some((other, path)) = undoes(&state, id, &contents) {
                let reason = format!("{id} would undo in {path} what {other} did");
                return Ok(Left::new(CycleOutcome::Loop, reason));
            }
            self.dry.extend(self.is_dry().then_some(contents));
            fresh.push(judged);
        }
        let max_risk = self.table().max_risk;
        let (low, high): (Vec<&Judged>, Vec<&Judged>) =
            fresh.into_iter().partition(|judged| judged.verdict.risk().score <= max_risk);
        let mut left = Left::new(CycleOutcome::Known, reason);
        if !low.is_empty() {
            left = self.try_out(cycle, diagnosed, &low)?;
        }
        match high.first() {
            Some(judged) if matches!(left.outcome, CycleOutcome::Known | CycleOutcome::Failed) => {
                self.queue(cycle, diagnosed, judged, left)
            }
            _ => Ok(left),
        }
    }

    /// Validates the candidates whose risk is low enough, and publishes the best that holds.
    fn try_out(&self, cycle: &Cycle, diagnosed: &Diagnosed, candidates: &[&Judged]) -> Result<Left, Failure> {
        let Some(applying) = &self.applying else {
            let first = candidates.first().map(|judged| judged.proposal.id.as_str()).unwrap_or_default();
            return Ok(Left::new(
                CycleOutcome::Published,
                format!("dry run: {first} would be validated and published"),
            ));
        };
        let ended = publish::try_candidates(self.environment, cycle, diagnosed, candidates, applying)?;
        let (outcome, reason) = match (&ended.published, ended.foremost()) {
            (Some(published), _) => (CycleOutcome::Published, published.branch.clone()),
            (None, Some(candidate)) => (CycleOutcome::Failed, candidate.tried.reason.clone()),
            (None, None) => (CycleOutcome::Failed, "nothing could be validated".to_owned()),
        };
        let (tried, page) = (publish::documents(&ended), publish::page(candidates, &ended));
        Ok(Left { outcome, reason, tried, page })
    }

    /// Lets the best-ranked candidate that is too risky wait for a person.
    fn queue(&self, cycle: &Cycle, diagnosed: &Diagnosed, judged: &Judged, left: Left) -> Result<Left, Failure> {
        let (risk_score, max_risk) = (judged.verdict.risk().score, self.table().max_risk);
        let finding = publish::finding_of(diagnosed, judged);
        self.append(&EntryBody::Queued {
            proposal: judged.proposal.id.clone(),
            risk_score,
            max_risk,
            finding: finding.map(|finding| publish::reference(&self.folder, finding)),
            calls: publish::calls_of(cycle, finding),
        })?;
        let would = if self.is_dry() { "dry run: it would wait: " } else { "" };
        let reason = format!("{would}{} has risk {risk_score}, and autopilot may apply {max_risk}", judged.proposal.id);
        Ok(Left { outcome: CycleOutcome::Waits, reason, ..left })
    }

    /// Waits for the next cycle, unless somebody stops it.
    fn pause(&self) -> Result<(), Failure> {
        let until = Instant::now() + Duration::from_secs(self.table().cycle_delay_s);
        while Instant::now() < until.min(self.until) {
            publish::check_stops(self.environment, &self.folder)?;
            std::thread::park_timeout(TICK);
        }
        Ok(())
    }

    fn report(mut self, stop: Stop) -> Report {
        if self.is_dry() {
            self.text.push_str("Dry run. Nothing was changed. To let it work: gephost autopilot --apply\n");
        }
        self.text.push_str(&format!("Stopped: {}\n", stop.reason()));
        let state = self.folder.log_state().unwrap_or_default();
        self.text.push_str(&approvals::waiting_lines(&state));
        for passed in &self.passed_over {
            let text = |key: &str| passed[key].as_str().map(render::style::printable).unwrap_or_default();
            self.text.push_str(&format!("  passed over {}: {}\n", text("finding"), text("reason")));
        }
        let document = json!({
            "schema": "gephost.autopilot/1",
            "dry_run": self.is_dry(),
            "cycles": self.cycles,
            "passed_over": self.passed_over,
            "waiting": approvals::queue(&state),
            "stopped": { "code": stop.name(), "reason": stop.reason() },
        });
        Report { exit: stop.exit(), document, text: self.text }
    }
}

/// The time of the newest event that a finding rests on.
fn newest_evidence(cycle: &Cycle, finding: &Finding) -> Option<Timestamp> {
    let events = finding.evidence.iter().filter_map(|evidence| usize::try_from(evidence.event).ok());
    events.filter_map(|index| cycle.observation.events.get(index)?.timestamp).max()
}

fn candidate(judged: &Judged) -> Value {
    json!({
        "proposal": judged.proposal.id,
        "title": judged.proposal.title,
        "gate": judged.verdict.decision(),
        "risk_score": judged.verdict.risk().score,
    })
}

/// Why the gate refused the best-ranked candidate.
fn refusal(proposed: &Proposed) -> String {
    let first = proposed.candidates.first();
    let reason = first.and_then(|judged| judged.verdict.reasons().next()).map(ToString::to_string);
    reason.unwrap_or_else(|| "the gate refused every candidate".to_owned())
}
