//! Failed calls before which the session had looked at what they are about: an advice to look first does not help them.
//!
//! Memory is bounded: the newest [`MAX_RECENT`] calls are known, with [`MAX_BYTES`] bytes each.

use crate::by_number::Numbers;
use crate::call::{Call, is_editor};
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::command::paths::base;
use crate::order::push_newest;
use crate::output::names::file;
use crate::output::vocabulary::Words;

const MAX_RECENT: usize = 3;
const MAX_BYTES: usize = 512;
const MAX_FAILURES: usize = 65_536;
/// Calls before a failure that are right before it.
const NEAR: u32 = 3;
/// What the names of tools that look have in common, and the commands that do.
static LOOKS: Words = Words::of(&[
    "ead", "iew", "cat ", "sed -n", "head ", "tail ", "nl ", "ls", "ist", "tat", "how", "earch", "find ", "grep ",
    "rg ", "help", "get",
]);

/// What was looked at, and before which failures.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// The session, the number of the call, and its tool and input.
    recent: Vec<(u32, u32, String)>,
    calls: u32,
    before: Numbers,
}

impl Looked {
    /// Adds a call that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        self.calls = self.calls.wrapping_add(1);
        let input = call.input.get(..call.input.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        let is_edit = is_editor(call.name) && !input.contains(r#""view""#);
        if is_edit || input.starts_with('{') && input.contains(r#""old_str"#) {
            // What was read before is another text now.
            if let Some(name) = file(call.input).map(base) {
                self.recent.retain(|(_, _, seen)| !seen.contains(name));
            }
            return;
        }
        push_newest(&mut self.recent, (call.session, self.calls, format!("{} {input}", call.name)), MAX_RECENT);
    }

    /// Adds a call that failed. `missing` is the path that was not found.
    pub(crate) fn fail(&mut self, call: &Call<'_>, failure: &Classified<'_>, missing: &str) {
        self.calls = self.calls.wrapping_add(1);
        let is_near = |session: u32, at: u32| session == call.session && self.calls.wrapping_sub(at) <= NEAR;
        let looks = |seen: &str| LOOKS.are_in(seen) && is_about(failure, call.input, missing, seen);
        if self.recent.iter().any(|(session, at, seen)| is_near(*session, *at) && looks(seen)) {
            self.before.insert(call.event, MAX_FAILURES);
        }
    }

    /// How many of these failures the session had looked before.
    pub(crate) fn before(&self, events: &[u64]) -> u32 {
        u32::try_from(events.iter().filter(|event| self.before.has(**event)).count()).unwrap_or(u32::MAX)
    }
}

/// Whether a call looked at what another one fails for.
fn is_about(failure: &Classified<'_>, input: &str, missing: &str, seen: &str) -> bool {
    let has = |name: &str| name.len() > 2 && seen.contains(name);
    match failure.cause {
        cause if cause.is_about_edits() => file(input).is_some_and(|path| has(base(path))),
        Cause::Path => has(base(missing)),
        Cause::Exists => failure.names.iter().any(|name| has(base(name))),
        Cause::Uncommitted | Cause::NothingToCommit => has("git status"),
        Cause::GitName => has("git branch") || has("git ls-") || has("git log") || has("git tag"),
        Cause::Package => has("search"),
        Cause::Subcommand | Cause::OptionRefused | Cause::Argument => {
            has("help") && has(failure.program.split(' ').next().unwrap_or_default())
        }
        _ => false,
    }
}
