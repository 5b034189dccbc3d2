//! A shell that runs nothing any more: every command of it fails and says nothing, also those that cannot fail.
//!
//! Memory is bounded: [`MAX_SESSIONS`] sessions at a time with [`MAX_EVENTS`] failures each, and [`MAX_FOUND`] failures in
//! all that are known to be those of a dead shell.

use crate::call::Call;
use crate::order;

const MAX_SESSIONS: usize = 64;
const MAX_EVENTS: usize = 1024;
const MAX_FOUND: usize = 16_384;
/// Failures in a row that make a dead shell, of which one at least is of a command that cannot fail.
const LEAST: usize = 3;
/// Commands that fail in no shell that works.
const INFALLIBLE: [&str; 5] = ["true", "pwd", "exit 0", "whoami", "echo"];

/// The newest silent failures of a session, with no command in between that worked or said something.
#[derive(Debug, Default)]
struct Run {
    session: u32,
    events: Vec<u64>,
    /// The commands among them that cannot fail, one bit for each.
    infallible: u8,
    /// Whether the command before them removed something.
    follows_removal: bool,
}

/// What is known of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Silence {
    runs: Vec<Run>,
    /// The failures of dead shells, ascending after [`Silence::finish`].
    dead: Vec<u64>,
    infallible: u8,
    /// Whether a shell died after a command that removed something.
    pub(crate) follows_removal: bool,
}

impl Silence {
    /// Adds a command that failed and printed nothing.
    pub(crate) fn fail(&mut self, call: &Call<'_>) {
        if !is_command(call.input) {
            return;
        }
        let run = self.run(call.session);
        if run.events.len() < MAX_EVENTS {
            run.events.push(call.event);
        }
        run.infallible |= infallible(call.input);
    }

    /// Adds a command that worked, or that printed something.
    pub(crate) fn speak(&mut self, call: &Call<'_>) {
        // A code alone may be a result, or that of a dead shell.
        let is_code_alone = call.output.starts_with("Exit code ") && call.output.trim().lines().count() == 1;
        if !is_command(call.input) || is_code_alone {
            return;
        }
        if let Some(at) = self.runs.iter().position(|run| run.session == call.session) {
            let run = self.runs.swap_remove(at);
            self.end(&run);
        }
        if !call.failed && (call.input.contains("rm -r") || call.input.contains("worktree remove")) {
            self.run(call.session).follows_removal = true;
        }
    }

    /// Completes it at the end of the log.
    pub(crate) fn finish(&mut self) {
        while let Some(run) = self.runs.pop() {
            self.end(&run);
        }
        order::sort(&mut self.dead);
    }

    /// Whether a failure is that of a dead shell.
    pub(crate) fn is_dead(&self, event: u64) -> bool {
        self.dead.binary_search(&event).is_ok()
    }

    /// The commands that cannot fail and did.
    pub(crate) fn infallible(&self) -> impl Iterator<Item = &'static str> {
        INFALLIBLE.into_iter().enumerate().filter(|(at, _)| self.infallible >> at & 1 == 1).map(|(_, command)| command)
    }

    /// The run of a session; the one that was begun first makes room.
    fn run(&mut self, session: u32) -> &mut Run {
        let at = self.runs.iter().position(|run| run.session == session).unwrap_or_else(|| {
            if self.runs.len() >= MAX_SESSIONS {
                let run = self.runs.remove(0);
                self.end(&run);
            }
            self.runs.push(Run { session, ..Run::default() });
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    fn end(&mut self, run: &Run) {
        if run.events.len() >= LEAST && run.infallible != 0 && self.dead.len() + run.events.len() <= MAX_FOUND {
            self.dead.extend_from_slice(&run.events);
            self.infallible |= run.infallible;
            self.follows_removal |= run.follows_removal;
        }
    }
}

/// Whether an input is a command line. Those of other tools are JSON.
fn is_command(input: &str) -> bool {
    !input.trim_start().starts_with('{')
}

/// The bit of a command that cannot fail, or 0.
fn infallible(input: &str) -> u8 {
    let command = input.trim();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-');
    let name = if command.starts_with("echo ") && command.bytes().all(is_plain) { "echo" } else { command };
    INFALLIBLE.iter().position(|known| *known == name).map_or(0, |at| 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gephost_gene::run_log::FailureKind;

    fn call(event: u64, session: u32, input: &str, failed: bool) -> Call<'_> {
        let kind = if failed { FailureKind::ExitNonzero } else { FailureKind::None };
        Call { event, session, failed, kind, input, ..Call::FAILED }
    }

    #[test]
    fn a_shell_is_dead_if_a_command_fails_that_cannot() {
        let mut silence = Silence::default();
        silence.speak(&call(0, 0, "rm -rf frames", false));
        // A comparison that finds a difference, and another tool, say nothing of the shell.
        silence.speak(&Call { output: "Exit code 1", ..call(9, 0, "git diff --name-only", false) });
        silence.speak(&call(9, 0, r#"{"shell_id":"b1"}"#, true));
        for (event, input) in ["git status", "ls", "echo test"].into_iter().enumerate() {
            silence.fail(&call(event as u64 + 1, 0, input, true));
        }
        silence.finish();
        assert!((1..4).all(|event| silence.is_dead(event)) && silence.follows_removal);
        assert_eq!(silence.infallible().collect::<Vec<_>>(), ["echo"]);
    }

    #[test]
    fn other_silent_failures_are_no_sign_of_it() {
        let inputs: [&[&str]; 4] = [
            &["git diff --quiet", "ls x", "grep a b"],
            &["true", "ls"],
            &["a", "echo $X", "b"],
            &["a", "echo a > b", "c"],
        ];
        for inputs in inputs {
            let mut silence = Silence::default();
            for (event, input) in inputs.iter().enumerate() {
                silence.fail(&call(event as u64, 0, input, true));
            }
            silence.finish();
            assert!((0..3).all(|event| !silence.is_dead(event)), "{inputs:?}");
        }
        // A command that works in between shows that the shell lives.
        let mut silence = Silence::default();
        for (event, input) in ["a", "b", "true", "c"].into_iter().enumerate() {
            silence.fail(&call(event as u64, 0, input, true));
            silence.speak(&call(9, 0, "ls", false));
        }
        silence.finish();
        assert!(!silence.is_dead(2));
    }

    #[test]
    fn sessions_are_kept_apart_and_few() {
        let mut silence = Silence::default();
        for session in (0_u32..).take(MAX_SESSIONS + 9) {
            silence.fail(&call(u64::from(session), session, "true", true));
        }
        assert_eq!(silence.runs.len(), MAX_SESSIONS);
        silence.finish();
        assert!(!silence.is_dead(0));
    }
}
