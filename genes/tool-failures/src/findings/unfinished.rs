//! Runs that did not end: the agent stopped them, or they went on in the background. They are neither failures nor successes, but a
//! program that does so again and again costs time.
//!
//! Memory is bounded: [`MAX_PROGRAMS`] programs with [`MAX_RUNS`] runs each.

use gephost_gene::Severity;

use crate::call::{Call, hash};
use crate::causes::refine::is_server;
use crate::command::shell::{acts, steps};
use crate::findings::report::{Report, clipped, confidence, first_line, rounded};

const MAX_PROGRAMS: usize = 128;
const MAX_RUNS: usize = 256;
/// The fewest runs that are worth a finding of their own.
const MIN_RUNS: usize = 3;
/// Most runs that a finding shows, and most characters of a command.
const MAX_SHOWN: usize = 8;
const COMMAND_CHARS: usize = 120;
/// A run that took so long is told with its minutes.
const LONG_MS: f64 = 120_000.0;

/// Programs that run until they are stopped, or that only wait.
const ENDLESS: [&str; 10] = [
    "sleep",
    "tail",
    "watch",
    "wait",
    "top",
    "htop",
    "journalctl",
    "docker logs",
    "kubectl logs",
    "docker compose logs",
];

const ADVICE: &str =
    "tell the agent to start it in the background at once and to read its output later, or to run a smaller part";

/// The runs of one program that did not end.
#[derive(Debug)]
struct Streak {
    program: String,
    /// The events of the runs, with their sessions and commands; the newest last.
    runs: Vec<(u64, u32, String)>,
    /// Whether nothing has worked since the newest of them.
    is_open: bool,
    /// How often the program worked next in the session, and the newest command that did so, with its duration.
    worked: u32,
    next: Option<(String, Option<f64>)>,
}

/// All programs whose runs did not end.
#[derive(Debug, Default)]
pub(crate) struct Unfinished(Vec<Streak>);

impl Unfinished {
    /// Adds a run that did not end.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        let Some(step) = acts(call.input).last().map(|act| act.step) else { return };
        let program = step.name();
        let is_endless = ENDLESS.iter().any(|name| program == *name || step.program == *name);
        if is_endless || is_server(call.input) || call.input.trim_end().ends_with('&') {
            return;
        }
        if !self.0.iter().any(|streak| streak.program == program) && self.0.len() < MAX_PROGRAMS {
            let program = program.clone();
            self.0.push(Streak { program, runs: Vec::new(), is_open: true, worked: 0, next: None });
        }
        let is_own = |streak: &&mut Streak| streak.program == program && streak.runs.len() < MAX_RUNS;
        let Some(streak) = self.0.iter_mut().find(is_own) else { return };
        streak.runs.push((call.event, call.session, clipped(&first_line(call.input), COMMAND_CHARS)));
        streak.is_open = true;
    }

    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        let goes_on =
            || call.input.trim_end().ends_with('&') || call.output.starts_with("Command running in background");
        if !self.0.iter().any(|streak| streak.is_open) || goes_on() {
            return;
        }
        for step in steps(call.input) {
            let name = step.name();
            let is_own = |streak: &&mut Streak| {
                streak.is_open
                    && streak.program == name
                    && streak.runs.last().is_some_and(|(_, session, _)| *session == call.session)
            };
            let Some(streak) = self.0.iter_mut().find(is_own) else { continue };
            streak.is_open = false;
            streak.worked = streak.worked.saturating_add(1);
            streak.next = Some((clipped(&first_line(call.input), COMMAND_CHARS), call.duration_ms));
        }
    }

    /// Adds the runs to the findings: to that about the time limit of the same program, or as findings of their own.
    pub(crate) fn add_to(&self, reports: &mut Vec<Report>) {
        for streak in &self.0 {
            let own = streak.report();
            let named = format!("`{}`", streak.program);
            match reports.iter_mut().find(|report| report.kind == "timeout" && report.title.contains(&named)) {
                // They are no failures, so that the finding about these only names them.
                Some(report) => report.absorbed.push((own.title, own.occurrences)),
                None if streak.runs.len() >= MIN_RUNS => reports.push(own),
                None => {}
            }
        }
    }
}

impl Streak {
    fn report(&self) -> Report {
        let count = u32::try_from(self.runs.len()).unwrap_or(u32::MAX);
        let runs = if count == 1 { "one run".to_owned() } else { format!("{count} runs") };
        let shown = self.runs.iter().rev().take(MAX_SHOWN);
        Report {
            id: format!("unfinished-runs:{:016x}", hash(0, self.program.as_bytes())),
            kind: "unfinished_runs",
            title: format!(
                "`{}` did not end in {runs}: the agent stopped waiting, or stopped it",
                clipped(&self.program, COMMAND_CHARS)
            ),
            severity: Severity::Low,
            confidence: confidence(count) * 0.5,
            evidence: shown.map(|(event, _, input)| (*event, input.clone())).collect(),
            direction: self.direction(),
            signals: vec!["unfinished_runs".to_owned()],
            occurrences: count,
            events: self.runs.iter().map(|(event, _, _)| *event).collect(),
            ..Report::default()
        }
    }

    /// What to do: what worked next, if something did.
    fn direction(&self) -> String {
        let Some((command, duration)) = &self.next else { return ADVICE.to_owned() };
        let took = duration.filter(|ms| *ms >= LONG_MS).map(|ms| format!(" after {} minutes", rounded(ms / 60_000.0)));
        let took = took.unwrap_or_default();
        if self.runs.iter().any(|(_, _, input)| input == command) {
            return format!("let it run longer: the same command `{command}` ended later{took}");
        }
        let often = format!("{} of {} times", self.worked, self.runs.len());
        format!("{ADVICE}; {often} it worked next in the session, such as `{command}`, which ended{took}")
    }
}
