//! Error messages that stand in the outputs of calls that worked, too. Such a line explains no failure.
//!
//! Memory is bounded: [`MAX_LINES`] messages of the newest session are counted.

use std::borrow::Cow;

use crate::call::{Call, hash};
use crate::sentences;

const MAX_LINES: usize = 32;
/// Lines at the start and at the end of an output that are looked at, and the longest one.
const EDGE: usize = 4;
const MAX_LINE_BYTES: usize = 300;

/// The messages of the calls of one session that worked.
#[derive(Debug, Default)]
pub(crate) struct Usual {
    session: u32,
    /// Calls that worked and printed something.
    calls: u32,
    lines: Vec<(u64, u32)>,
}

impl Usual {
    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if self.session != call.session {
            *self = Self { session: call.session, ..Self::default() };
        }
        if call.output.trim().is_empty() {
            return;
        }
        self.calls = self.calls.saturating_add(1);
        let mut keys: Vec<u64> = Vec::new();
        for line in call.output.lines().take(EDGE).chain(call.output.lines().rev().take(EDGE)) {
            keys.extend(key(line).filter(|key| !keys.contains(key)));
        }
        for key in keys {
            match self.lines.iter().position(|(known, _)| *known == key) {
                Some(at) => self.lines[at].1 = self.lines[at].1.saturating_add(1),
                None if self.lines.len() < MAX_LINES => self.lines.push((key, 1)),
                None => {}
            }
        }
    }

    /// The output of a call of the same session, without the messages that are printed anyhow.
    pub(crate) fn without<'a>(&self, session: u32, output: &'a str) -> Cow<'a, str> {
        let is_usual = |line: &str| {
            let of = |key| self.lines.iter().find(|(known, _)| *known == key).map_or(0, |(_, count)| *count);
            let count = key(line).map_or(0, of);
            count.saturating_mul(2) > self.calls
        };
        if session != self.session || self.lines.is_empty() || !output.lines().any(is_usual) {
            return Cow::Borrowed(output);
        }
        let rest: Vec<&str> = output.lines().filter(|line| !is_usual(line)).collect();
        // What says nothing else is explained by it all the same.
        let says_more = rest.iter().any(|line| !line.trim().is_empty() && !line.starts_with("Exit code"));
        if says_more { Cow::Owned(rest.join("\n")) } else { Cow::Borrowed(output) }
    }
}

/// The hash of a line that is a known message.
fn key(line: &str) -> Option<u64> {
    let line = line.trim();
    let is_message = (4..=MAX_LINE_BYTES).contains(&line.len()) && sentences::find(line).is_some();
    is_message.then(|| hash(0, line.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_calls_that_worked_explains_nothing() {
        let usual_line = "/opt/x/shellenv.sh: line 18: /bin/ps: Operation not permitted";
        let mut usual = Usual::default();
        let worked = |output| Call { failed: false, output, ..Call::FAILED };
        let both = format!("{usual_line}\nfine");
        usual.work(&worked(&both));
        let failed = format!("{usual_line}\nboom");
        assert_eq!(usual.without(0, usual_line), usual_line, "nothing else is said");
        assert_eq!(usual.without(0, &failed), "boom");
        assert_eq!(usual.without(1, &failed), failed, "of another session");
        for _ in 0..4 {
            usual.work(&worked("fine"));
        }
        assert_eq!(usual.without(0, &failed), failed, "most calls do not print it");
    }
}
