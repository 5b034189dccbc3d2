//! A session: cycle after cycle, until there is a reason to stop.

use std::time::Duration;

use gephost_core::autopilot::may_take;
use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::event_log::{CycleOutcome, EntryBody, State};
use gephost_core::impact::Effect;
use gephost_core::model::NoOpKind;
use jiff::Timestamp;

use super::report::{AutopilotReport, CandidateSummary, CycleReport, PassedOver, SessionEvent, Stop};
use super::session::{AutopilotSession, Decided};
use crate::apply::{ApplyOptions, ApplySession, Searcher};
use crate::consult::Consulted;
use crate::cycle::{Cycle, CycleOptions};
use crate::deadline::Deadline;
use crate::error::{AppError, ErrorKind};
use crate::project::Project;
use crate::sink::Note;
use crate::stages::{Diagnosed, Search, Stage};

/// How often the stop signs are looked at between two cycles.
const TICK: Duration = Duration::from_millis(100);

impl Project {
    /// Runs cycles until there is a reason to stop.
    pub fn autopilot(&self, options: &CycleOptions, apply: &ApplyOptions) -> Result<AutopilotReport, AppError> {
        self.check_stops(None)?;
        let until = Deadline::after(Duration::from_secs(self.config.file.autopilot.max_wall_s));
        self.model.wait_until(until);
        let consultant = self.consultant(options)?;
        let applying = ApplySession::begin(self, &self.repository()?, apply, "autopilot")?;
        let mut session = AutopilotSession {
            project: self,
            options,
            consultant,
            applying: applying.map(|session| ApplySession { until: Some(until), ..session }),
            until,
            seen: Vec::new(),
            would_try: Vec::new(),
            events: Vec::new(),
            passed_over: Vec::new(),
        };
        session.start()?;
        let result = session.run();
        session.stop(match &result {
            Ok(stop) => stop.reason(),
            Err(error) => &error.message,
        })?;
        session.report(result?)
    }
}

impl AutopilotSession<'_> {
    /// Opens a session, or goes on with one that a crash broke off.
    fn start(&self) -> Result<(), AppError> {
        let resumed = self.project.log_state()?.autopilot().session().is_some();
        if resumed {
            let text = "the last session was broken off; this one goes on with it";
            self.project.environment.sink.note(Note::Info(text));
        }
        let (max_cycles, max_risk) = (self.table().max_cycles, self.table().max_risk);
        let operator = self.project.environment.operator.name.clone();
        self.append(&EntryBody::AutopilotStarted { operator, max_cycles, max_risk, resumed })
    }

    fn stop(&self, reason: &str) -> Result<(), AppError> {
        let cycles = self.project.log_state()?.autopilot().session().map_or(0, |session| session.cycles);
        let reason = self.project.config.policy.redact(reason);
        self.append(&EntryBody::AutopilotStopped { reason, cycles })
    }

    /// Cycle after cycle, until there is a reason to stop.
    fn run(&mut self) -> Result<Stop, AppError> {
        loop {
            self.project.check_stops(None)?;
            let state = self.project.log_state()?;
            if state.queue().waiting().len() > 0 && !self.is_dry() {
                return Ok(Stop::Waits);
            }
            if self.cycles_done(&state) >= self.table().max_cycles {
                return Ok(Stop::MaxCycles);
            }
            if self.until.is_over() {
                return Ok(Stop::WallTime);
            }
            let cycle = Cycle::open(self.project, self.options, self.consultant.clone())?;
            if self.made_worse(&cycle)? && self.table().stop_on_failure {
                return Ok(Stop::Worse);
            }
            let outcome = match self.cycle(&cycle, &state) {
                Err(error) if self.ran_out(&error) => return Ok(Stop::WallTime),
                outcome => outcome?,
            };
            if let Some(stop) = self.stop_after(outcome) {
                return Ok(stop);
            }
            if matches!(outcome, Some(CycleOutcome::Failed | CycleOutcome::Published)) && !self.is_dry() {
                self.pause()?;
            }
        }
    }

    fn cycles_done(&self, state: &State) -> u64 {
        match state.autopilot().session() {
            Some(session) if !self.is_dry() => session.cycles,
            _ => self.number() as u64,
        }
    }

    /// How many cycles this process has done.
    fn number(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, SessionEvent::Cycle(_))).count()
    }

    /// Whether what a cycle came to ends the session; `None` is a cycle that found nothing to take.
    fn stop_after(&self, outcome: Option<CycleOutcome>) -> Option<Stop> {
        match outcome {
            // A gene that was ended found nothing, whatever there is.
            None | Some(CycleOutcome::OutOfBudget) if self.until.is_over() => Some(Stop::WallTime),
            None => Some(Stop::NothingLeft),
            Some(CycleOutcome::Waits) if !self.is_dry() => Some(Stop::Waits),
            Some(CycleOutcome::Loop) => Some(Stop::Loop),
            Some(CycleOutcome::OutOfBudget) => Some(Stop::ModelBudget),
            Some(CycleOutcome::Failed) if self.table().stop_on_failure => Some(Stop::Failed),
            Some(_) => None,
        }
    }

    /// Whether something failed for want of time, of which the session has none left.
    fn ran_out(&self, error: &AppError) -> bool {
        error.kind == ErrorKind::Budget && self.until.is_over()
    }

    /// Whether a published change made its finding worse. A dry run measures and logs nothing.
    fn made_worse(&mut self, cycle: &Cycle<'_>) -> Result<bool, AppError> {
        let (repository, events) = (&cycle.repository()?.git, &cycle.observation.events);
        let mut worse = self.project.measure(repository, events, self.is_dry())?;
        worse.retain(|change| change.impact.effect == Effect::Worse);
        let is_worse = !worse.is_empty();
        if is_worse {
            self.events.push(SessionEvent::Worse(worse));
        }
        Ok(is_worse)
    }

    /// Takes the most important finding that may be taken. `None` if there is none.
    fn cycle(&mut self, cycle: &Cycle<'_>, state: &State) -> Result<Option<CycleOutcome>, AppError> {
        let stages = cycle.stage().until(self.until.instant());
        let diagnosed = cycle.diagnosed(&stages)?;
        let base = cycle.repository()?.head.commit.clone();
        let Some((finding, evidence)) = self.choose(cycle, state, &diagnosed, &base) else { return Ok(None) };
        self.seen.push((finding.gene.clone(), finding.id.clone()));
        let reference = self.project.reference(&finding);
        let text = format!("cycle {}: {}", self.number() + 1, finding.title);
        self.project.environment.sink.note(Note::Step(&text));
        self.append(&EntryBody::AutopilotTook {
            finding: reference.clone(),
            base_commit: base.clone(),
            evidence_until: evidence.map(|time| time.to_string()),
        })?;
        let mut report = CycleReport {
            finding: reference.clone(),
            outcome: CycleOutcome::OutOfBudget,
            reason: String::new(),
            candidates: Vec::new(),
            applied: None,
            consulted: None,
        };
        let decided = match self.take(cycle, &stages, only(finding, diagnosed), &base, &mut report) {
            Err(error) if self.ran_out(&error) => Decided::new(CycleOutcome::OutOfBudget, error.message),
            decided => decided?,
        };
        let Decided { outcome, reason, applied } = decided;
        self.append(&EntryBody::AutopilotLeft { finding: reference, outcome, reason: reason.clone() })?;
        self.events.push(SessionEvent::Cycle(Box::new(CycleReport { outcome, reason, applied, ..report })));
        Ok(Some(outcome))
    }

    /// The most important finding that may be taken, with the time of the newest event that it rests on.
    fn choose(
        &mut self,
        cycle: &Cycle<'_>,
        state: &State,
        diagnosed: &Diagnosed,
        base: &str,
    ) -> Option<(Finding, Option<Timestamp>)> {
        self.passed_over.clear();
        for finding in &diagnosed.diagnosis.findings {
            let evidence = newest_evidence(cycle, finding);
            let key = (finding.gene.clone(), finding.id.clone());
            match may_take(state, finding, base, evidence) {
                Ok(()) if self.seen.contains(&key) => {}
                Ok(()) => return Some((finding.clone(), evidence)),
                Err(passed) => {
                    let reason = passed.reason().to_owned();
                    self.passed_over.push(PassedOver { finding: finding.id.clone(), reason });
                }
            }
        }
        None
    }

    /// Asks for candidates for one finding, and decides about them.
    fn take(
        &mut self,
        cycle: &Cycle<'_>,
        stage: &Stage<'_>,
        mut diagnosed: Diagnosed,
        base: &str,
        report: &mut CycleReport,
    ) -> Result<Decided, AppError> {
        let searcher = self.applying.as_ref().map(|session| Searcher::new(cycle, session));
        let search = searcher.as_ref().map(|searcher| searcher as &dyn Search);
        let (proposed, consulted) = cycle.proposed(stage, &mut diagnosed, search)?;
        report.candidates = proposed.candidates.iter().map(CandidateSummary::of).collect();
        report.consulted = consulted;
        let no_op = report.consulted.as_ref().and_then(Consulted::no_op);
        if let Some(no_op) = no_op.filter(|no_op| no_op.kind == NoOpKind::Budget) {
            return Ok(Decided::new(CycleOutcome::OutOfBudget, no_op.reason.clone()));
        }
        self.decide(cycle, &diagnosed, &proposed, base)
    }

    /// Waits for the next cycle, unless somebody stops it.
    fn pause(&self) -> Result<(), AppError> {
        let until = Deadline::after(Duration::from_secs(self.table().cycle_delay_s)).min(self.until);
        while !until.is_over() {
            self.project.check_stops(None)?;
            std::thread::park_timeout(TICK);
        }
        Ok(())
    }

    fn report(self, stop: Stop) -> Result<AutopilotReport, AppError> {
        let (dry_run, state) = (self.is_dry(), self.project.log_state()?);
        Ok(AutopilotReport { dry_run, events: self.events, passed_over: self.passed_over, state, stop })
    }
}

/// A diagnosis of one finding, for which a gene or a model is asked.
fn only(finding: Finding, diagnosed: Diagnosed) -> Diagnosed {
    let mut signals = finding.signals.clone();
    signals.sort();
    signals.dedup();
    Diagnosed { diagnosis: Diagnosis { findings: vec![finding], signals }, ..diagnosed }
}

/// The time of the newest event that a finding rests on.
fn newest_evidence(cycle: &Cycle<'_>, finding: &Finding) -> Option<Timestamp> {
    let events = finding.evidence.iter().filter_map(|evidence| usize::try_from(evidence.event).ok());
    events.filter_map(|index| cycle.observation.events.get(index)?.timestamp).max()
}
