//! SWE-agent trajectories (`*.traj`, SWE-agent/SWE-agent `docs/usage/trajectories.md`): a document whose `trajectory`
//! lists steps, each an action with its observation.
//!
//! There are no times, ids, flags or exit codes. The order of steps stands for time, and only the observation shows
//! whether a step failed. A message of the environment about a step (a rejected edit, a time limit) counts as a flag,
//! as does a Python traceback.

use serde::Deserialize;

use super::content::{Text, lenient};
use super::document::Path;
use super::reported::{End, Origin, Start};
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};

pub(super) const FORMAT: Format = Format {
    name: "swe-agent",
    recognise: Recognise::Head(recognises),
    open: |_| Opened::Document(PATHS, Box::<SweAgent>::default()),
};

const PATHS: &[Path] = &[&["trajectory", "*"], &["info", "exit_status"], &["info", "model_stats"]];
const EXIT_STATUS: usize = 1;
const MODEL_STATS: usize = 2;

fn recognises(head: &[u8]) -> bool {
    peek::fields(head).any(|(key, value)| key == b"trajectory" && value.starts_with(b"["))
}

#[derive(Default)]
struct SweAgent {
    steps: u64,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow, default)]
    action: Text<'a>,
    #[serde(borrow, default)]
    observation: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    execution_time: Option<f64>,
}

impl LogReader for SweAgent {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let origin = Origin { time: None, session: out.file_session() };
        if path == EXIT_STATUS {
            return LineResult::of(parse::<Text<'_>>(bytes).map(|status| exit_status(&status.0, &origin, out)));
        }
        if path == MODEL_STATS {
            return LineResult::of(parse(bytes).map(|stats| {
                out.usage_for_newest(&origin, TokenCounts::read(Some(stats)).usage_excluding_cache(), "");
            }));
        }
        LineResult::of(self.step(bytes, &origin, out))
    }
}

/// Reports the end of a run that was not submitted: `exit_cost`, `exit_format`, `early_exit` …
fn exit_status(status: &str, origin: &Origin, out: &mut Transcript<'_>) {
    if status.contains("exit") && !status.starts_with("submitted") {
        out.exception(origin, &format!("run ended with {status}"));
    }
}

impl SweAgent {
    fn step(&mut self, bytes: &[u8], origin: &Origin, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let step: Step<'_> = parse(bytes)?;
        let action = step.action.0.trim();
        if action.is_empty() {
            return Ok(());
        }
        self.steps += 1;
        let id = format!("step-{}", self.steps);
        let call_id = Some(&*id);
        let tool = action.split_whitespace().next().unwrap_or_default();
        let is_command = !is_environment_command(tool);
        out.start(origin, &Start { call_id, tool, input: action.into(), is_command });
        let duration_ms = step.execution_time.filter(|s| s.is_finite() && *s >= 0.0).map(|s| s * 1000.0);
        let output = step.observation.0;
        let flagged = is_refused(&output) || output.starts_with("Traceback (most recent call last)");
        out.end(origin, &End { call_id, output, flagged, no_exit_codes: true, duration_ms, ..End::default() });
        Ok(())
    }
}

/// Commands of the agent's environment, which no shell runs.
fn is_environment_command(tool: &str) -> bool {
    const OWN: [&str; 16] = [
        "open",
        "goto",
        "scroll_up",
        "scroll_down",
        "create",
        "edit",
        "insert",
        "append",
        "search_dir",
        "search_file",
        "find_file",
        "submit",
        "str_replace_editor",
        "view_image",
        "exit_cost",
        "exit_forfeit",
    ];
    OWN.contains(&tool)
}

/// Whether the environment reports that it did not carry out an action.
fn is_refused(output: &str) -> bool {
    const STARTS: [&str; 7] = [
        "Your proposed edit has introduced new syntax error",
        "EXECUTION TIMED OUT",
        "The command '",
        "Your edit was not applied",
        "Text not found",
        "Usage: ",
        "No replacement was performed",
    ];
    let cancelled = output.starts_with("The command '") && output.contains("was cancelled because it took more than");
    let plain = STARTS.iter().any(|start| *start != "The command '" && output.starts_with(start));
    plain || cancelled || output.contains("EXECUTION TIMED OUT")
}
