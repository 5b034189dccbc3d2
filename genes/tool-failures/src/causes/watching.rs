//! Sessions whose shell a run in watch mode occupies: what is sent to it then is refused, whatever it is.
//!
//! Memory is bounded: [`MAX_SESSIONS`] sessions.

use crate::call::Call;
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::command::shell::last;
use crate::output::watch::waits_for_changes;

const MAX_SESSIONS: usize = 64;

/// The sessions with the programs that wait for changes in them.
#[derive(Debug, Default)]
pub(crate) struct Watching(Vec<(u32, String)>);

impl Watching {
    /// Adds a command that did not end.
    pub(crate) fn hang(&mut self, call: &Call<'_>) {
        if !waits_for_changes(call.output) || self.0.len() >= MAX_SESSIONS {
            return;
        }
        if let Some(step) = last(call.input) {
            self.0.retain(|(session, _)| *session != call.session);
            self.0.push((call.session, step.name()));
        }
    }

    /// Adds a command that worked: the shell is free again.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if !self.0.is_empty() {
            self.0.retain(|(session, _)| *session != call.session);
        }
    }

    /// Gives a call that was refused because another one still runs the cause of that one, if it is known.
    pub(crate) fn explain(&mut self, call: &Call<'_>, failure: &mut Classified<'_>) {
        match failure.cause {
            Cause::Watches => self.hang(call),
            Cause::Busy => {
                if let Some((_, program)) = self.0.iter().find(|(session, _)| *session == call.session) {
                    failure.cause = Cause::Watches;
                    failure.program.clone_from(program);
                }
            }
            _ => {}
        }
    }
}
