//! Runs that did not end: the agent stopped them, or they went on in the background. They are neither failures nor successes, but a
//! program that does so again and again costs time.
//!
//! Memory is bounded: [`MAX_PROGRAMS`] programs with [`MAX_RUNS`] runs each.

use gephost_gene::Severity;

use crate::call::{Call, hash};
use crate::command::server::is_server;
use crate::command::shell::{acts, steps};
use crate::report::{Report, clipped, confidence, first_line, rounded, times, titled};

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

/// What is said of a run that was stopped, or that the agent's tool did not wait for. Other runs go on, and the agent asks for them.
const SAYS: [&str; 8] = [
    "to the background",
    "no new output after",
    "timed out after",
    "xit code 143",
    "xit code 130",
    "SIGINT",
    "^C",
    "KeyboardInterrupt",
];

/// The runs of one program that did not end.
#[derive(Debug)]
struct Streak {
    program: String,
    /// The events of the runs, with their commands; the newest last.
    runs: Vec<(u64, String)>,
    /// The session of the newest of them, until something worked there.
    open: Option<u32>,
    /// The newest command that worked next in the session, with its duration.
    next: Option<(String, f64)>,
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
        let is_stopped = SAYS.iter().any(|words| call.output.contains(words));
        if !is_stopped || is_endless || goes_on(call) || is_server(call.input) {
            return;
        }
        let at = self.0.iter().position(|streak| streak.program == program).unwrap_or(self.0.len());
        if at == self.0.len() && at < MAX_PROGRAMS {
            self.0.push(Streak { program, runs: Vec::new(), open: None, next: None });
        }
        if let Some(streak) = self.0.get_mut(at).filter(|streak| streak.runs.len() < MAX_RUNS) {
            streak.runs.push((call.event, command(call)));
            streak.open = Some(call.session);
        }
    }

    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        let is_own = |streak: &Streak| streak.open == Some(call.session);
        if !self.0.iter().any(is_own) || goes_on(call) {
            return;
        }
        for step in steps(call.input) {
            let name = step.name();
            if let Some(streak) = self.0.iter_mut().find(|streak| is_own(streak) && streak.program == name) {
                streak.open = None;
                streak.next = Some((command(call), call.duration_ms.unwrap_or_default()));
            }
        }
    }

    /// Adds the runs to the findings: to that about the time limit of the same program, or as findings of their own.
    pub(crate) fn add_to(&self, reports: &mut Vec<Report>) {
        for streak in &self.0 {
            let own = streak.report();
            let named = ["`", &streak.program, "`"].concat();
            match reports.iter_mut().find(|report| report.kind == "timeout" && report.title.contains(&named)) {
                // They are no failures, so that the finding about these only names them.
                Some(report) => report.absorbed.push((own.title, own.occurrences)),
                None if streak.runs.len() >= MIN_RUNS => reports.push(own),
                None => {}
            }
        }
    }
}

/// Whether a command goes on in the background on purpose.
fn goes_on(call: &Call<'_>) -> bool {
    call.input.trim_end().ends_with('&') || call.output.starts_with("Command running in background")
}

fn command(call: &Call<'_>) -> String {
    clipped(&first_line(call.input), COMMAND_CHARS)
}

impl Streak {
    fn report(&self) -> Report {
        let count = u32::try_from(self.runs.len()).unwrap_or(u32::MAX);
        Report {
            id: format!("unfinished-runs:{:016x}", hash(0, self.program.as_bytes())),
            kind: "unfinished_runs",
            title: titled(
                &["`", &self.program, "` did not end: the agent stopped it, or no longer waited"].concat(),
                &times(count),
            ),
            severity: Severity::Low,
            confidence: confidence(count) * 0.5,
            evidence: self.runs.iter().rev().take(MAX_SHOWN).cloned().collect(),
            direction: self.direction(),
            signals: vec!["unfinished_runs".to_owned()],
            occurrences: count,
            events: self.runs.iter().map(|(event, _)| *event).collect(),
            ..Report::default()
        }
    }

    /// What to do: what worked next, if something did.
    fn direction(&self) -> String {
        let Some((command, ms)) = &self.next else { return ADVICE.to_owned() };
        let took = if *ms < LONG_MS { String::new() } else { format!(" after {} minutes", rounded(ms / 60_000.0)) };
        if self.runs.iter().any(|(_, input)| input == command) {
            return ["let it run longer: `", command, "` ended later", &took].concat();
        }
        [ADVICE, "; the agent then ran `", command, "`, which ended", &took].concat()
    }
}
