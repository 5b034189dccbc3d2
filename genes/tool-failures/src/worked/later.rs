//! A failed command whose messages went into a file: the next call of the session may show them.

use gephost_gene::run_log::FailureKind as K;

use crate::call::Call;
use crate::causes::expected::Expected;
use crate::output::cause_line::{Weight, weight_of};
use crate::output::usual::kind_of_text;

/// Most bytes of a command and of an output that are kept.
const MAX_BYTES: usize = 16_384;

/// The failed command that waits for the next call.
#[derive(Debug)]
pub(crate) struct Later {
    event: u64,
    time: i64,
    tool: Option<u32>,
    name: String,
    session: u32,
    kind: K,
    duration_ms: Option<f64>,
    input: String,
    output: String,
    /// The file that has its messages.
    file: String,
    /// Whether it was meant to fail.
    pub(crate) expected: Option<Expected>,
}

impl Later {
    /// A failed command that says nothing and wrote into a file; `None` for all others.
    pub(crate) fn of(call: &Call<'_>, expected: Option<Expected>) -> Option<Self> {
        let says_nothing = call.output.lines().all(|line| weight_of(line) <= Weight::Footer);
        let file =
            written(call.input).filter(|_| says_nothing && call.input.len().max(call.output.len()) <= MAX_BYTES)?;
        Some(Self {
            event: call.event,
            time: call.time,
            tool: call.tool,
            name: call.name.to_owned(),
            session: call.session,
            kind: call.kind,
            duration_ms: call.duration_ms,
            input: call.input.to_owned(),
            output: call.output.to_owned(),
            file: file.to_owned(),
            expected,
        })
    }

    /// The command, with what the next call shows of the file if it does.
    pub(crate) fn call<'a>(&'a self, next: Option<&Call<'a>>) -> Call<'a> {
        let prints_file = |next: &&Call<'a>| {
            next.session == self.session && next.input.contains(&self.file) && !next.output.trim().is_empty()
        };
        let shown = next.filter(prints_file).map(|next| next.output);
        Call {
            event: self.event,
            time: self.time,
            exception: false,
            tool: self.tool,
            name: &self.name,
            session: self.session,
            failed: true,
            kind: shown.map_or(self.kind, kind_of_text),
            duration_ms: self.duration_ms,
            input: &self.input,
            output: shown.unwrap_or(&self.output),
        }
    }
}

/// The file into which a command writes its messages, too: `make > a.log 2>&1`, `make &> a.log`.
fn written(input: &str) -> Option<&str> {
    let both = |mark: &str| {
        let (_, rest) = input.split_once(mark)?;
        rest.split([' ', ';', '|', ')', '\n', '"', '\'']).find(|word| !word.is_empty())
    };
    let file = both("&>").or_else(|| input.contains("2>&1").then(|| both(">"))?)?;
    let is_file = !file.starts_with(['&', '$', '>']) && file != "/dev/null" && file.len() > 2;
    is_file.then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_a_command_stand_in_what_the_next_call_shows() {
        let call = Call { input: "make ci > /tmp/ci.log 2>&1", output: "Exit code 1", ..Call::FAILED };
        let later = Later::of(&call, None).unwrap();
        let next = |input, output| Call { event: 1, failed: false, input, output, ..Call::FAILED };
        let shown = next("tail -8 /tmp/ci.log", "error[E0507]: cannot move out");
        let with = later.call(Some(&shown));
        assert_eq!((with.event, with.output, with.kind), (0, "error[E0507]: cannot move out", K::CompileLint));
        for other in [next("ls", "a"), next("cat /tmp/other.log", "error: no"), next("cat /tmp/ci.log", " ")] {
            assert_eq!(later.call(Some(&other)).output, "Exit code 1", "{}", other.input);
        }
        let elsewhere = Call { session: 7, ..shown };
        assert_eq!(later.call(Some(&elsewhere)).output, "Exit code 1");
        assert_eq!(later.call(None).output, "Exit code 1");
    }

    #[test]
    fn only_silent_commands_that_write_their_messages_wait() {
        for (input, output, waits) in [
            ("make &> a.log", "", true),
            ("make > a.log 2>&1; exit 1", "Exit code 1", true),
            ("make > a.log 2>&1", "error: no such file", false),
            ("make > a.log", "", false),
            ("make > /dev/null 2>&1", "", false),
            ("make 2>&1 | tail", "", false),
            ("make", "", false),
        ] {
            assert_eq!(Later::of(&Call { input, output, ..Call::FAILED }, None).is_some(), waits, "{input}");
        }
    }
}
