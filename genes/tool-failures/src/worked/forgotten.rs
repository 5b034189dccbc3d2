//! What a call set or loaded in its shell, and a later call of the session does not have: most agents start a shell for each call.
//!
//! Memory is bounded: [`MAX_SET`] variables, [`MAX_SESSIONS`] sessions and [`MAX_MISSED`] failures.

use crate::by_number::Numbers;
use crate::call::{Call, hash};
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::command::variables::variables;

const MAX_SET: usize = 16_384;
const MAX_SESSIONS: usize = 4096;
const MAX_MISSED: usize = 4096;
/// Only this many bytes of a command are read.
const READ_BYTES: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    /// The variables that the calls of a session have set.
    set: Numbers,
    /// The sessions in which a call loaded a file into its shell.
    loaded: Numbers,
    /// The failures that miss what an earlier call set or loaded.
    missed: Numbers,
}

impl Forgotten {
    /// Adds a call, before what is said of its failure.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        let input = call.input.get(..call.input.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        // Most commands set none, which is quickly seen.
        let is_variable = |at: usize| {
            input.get(..at).is_some_and(|name| name.ends_with(|c: char| c.is_ascii_uppercase() || c == '_'))
        };
        if input.match_indices('=').any(|(at, _)| is_variable(at)) {
            for (name, _) in variables(input) {
                self.set.insert(variable(call.session, name), MAX_SET);
            }
        }
        if loads(input) {
            self.loaded.insert(u64::from(call.session), MAX_SESSIONS);
        }
    }

    /// Adds a failure, with what the calls before it have set.
    pub(crate) fn fail(&mut self, call: &Call<'_>, failure: &Classified<'_>) {
        let has = |name: &str| self.set.has(variable(call.session, name));
        let sets = |name: &str| variables(call.input).iter().any(|(own, _)| *own == name);
        let names = failure.names.iter().map(String::as_str);
        let is_named = !failure.names.is_empty();
        let misses = match failure.cause {
            Cause::Variable | Cause::Program if !is_named => false,
            Cause::Variable => names.clone().all(has) && !names.clone().any(sets),
            Cause::Program => {
                let is_loaded = self.loaded.has(u64::from(call.session)) || loads(call.input);
                is_loaded && failure.names.iter().all(|name| is_function(name))
            }
            _ => unbound(failure.line).is_some_and(|name| has(name) && !sets(name)),
        };
        if misses {
            self.missed.insert(call.event, MAX_MISSED);
        }
    }

    /// Whether a failed call missed what an earlier one had set or loaded, or a function of a file that it loads itself.
    pub(crate) fn is_missed(&self, event: u64) -> bool {
        self.missed.has(event)
    }
}

/// The variable that a shell says is not set: `bash: line 5: NAME: unbound variable`.
pub(crate) fn unbound(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(": unbound variable")?;
    before.rsplit([' ', ':']).next().filter(|name| !name.is_empty())
}

/// Whether a name is that of a function of a shell: `init_state`. Few programs have a `_` in theirs.
pub(crate) fn is_function(name: &str) -> bool {
    name.contains('_') && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether a command loads a file into its shell, other than that of an environment.
fn loads(input: &str) -> bool {
    let is_load = |part: &str| {
        let mut words = part.split_whitespace();
        match words.next() {
            Some("source") => true,
            Some(".") => words.next().is_some_and(|file| file.len() > 1),
            _ => false,
        }
    };
    // Most commands have neither word, which is quickly seen.
    let may_load = input.contains("source ") || input.contains(". ");
    may_load && !input.contains("activate") && input.split(['\n', ';', '&', '|', '(', '"']).any(is_load)
}

fn variable(session: u32, name: &str) -> u64 {
    hash(u64::from(session), name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_loaded_into_the_shell_is_known() {
        for (input, expected) in [
            ("source lib/state.sh && init_state a", true),
            (". ./lib.sh; init_state", true),
            ("bash -c \"source $DIR/lib.sh\"", true),
            ("cd a; source \"$DIR/lib.sh\"", true),
            ("source .venv/bin/activate && pytest", false),
            ("grep -r source .", false),
            ("cp a .", false),
            ("cd a && ls .", false),
            ("find . -name a", false),
            ("", false),
        ] {
            assert_eq!(loads(input), expected, "{input}");
        }
    }

    #[test]
    fn the_unset_variable_is_named() {
        for (line, name) in [
            ("bash: line 5: PLAN_PATH: unbound variable", Some("PLAN_PATH")),
            ("./a.sh: line 1: 1: unbound variable", Some("1")),
            (": unbound variable", None),
            ("x", None),
        ] {
            assert_eq!(unbound(line), name, "{line}");
        }
    }
}
