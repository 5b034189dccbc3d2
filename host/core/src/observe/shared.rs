//! What the files of one observation share: which lines were met before, the numbers of secrets, calls that end in
//! another file. And how a file is read before its turn, while those before it are still being read.
//!
//! What must stay true: whether a file was read ahead or in its turn makes no difference to what is reported, in what
//! order, and under which numbers.

use std::collections::HashMap;
use std::sync::Arc;

use super::open_call::{MAX_OPEN_CALLS, OpenCall};
use super::seen::{Seen, identity};
use crate::redact::{Hidden, Redactor, Slot};
use crate::run_event::RunEvent;

/// What is shared by the files of one observation.
#[derive(Debug, Default)]
pub struct Shared {
    /// Placeholders stay stable over all files.
    pub redactor: Redactor,
    seen: Seen,
    /// Calls, by session and id, of files that hold one event each: their end is in another file.
    elsewhere: HashMap<(Arc<str>, Arc<str>), OpenCall>,
    /// Of a file that is read before its turn.
    ahead: Option<Ahead>,
}

/// What has to wait for the turn of a file.
#[derive(Debug, Default)]
struct Ahead {
    events: usize,
    /// Lines that were met for the first time in this file.
    identities: Vec<u64>,
    /// Values without a number, by the event.
    unnumbered: Vec<Unnumbered>,
    /// A call was looked for that may have begun in a file before.
    looked_elsewhere: bool,
}

#[derive(Debug)]
struct Unnumbered {
    event: usize,
    input: Vec<Slot>,
    output: Vec<Slot>,
}

impl Shared {
    /// With what takes secrets out of every field.
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, ..Self::default() }
    }

    /// For one file that is read before its turn: the same rules, and nothing known of the files before. Its events have
    /// no numbers in their placeholders until [`Shared::take_over`].
    #[must_use]
    pub fn ahead(&self) -> Self {
        let redactor = self.redactor.with_same_rules();
        Self { redactor, ahead: Some(Ahead::default()), ..Self::default() }
    }

    /// The turn of a file has come that was read with `ahead`, as a whole or in part; what is left of it can be read with
    /// `self`. `events` are all those that it reported, in their order: they get their numbers. `false` where the files
    /// before make a difference to what this one says: then nothing is taken over, `events` are void, and the file has to
    /// be read again from its beginning.
    pub fn take_over(&mut self, ahead: Self, events: &mut [RunEvent]) -> bool {
        let Some(read) = ahead.ahead else { return false };
        let differs = read.identities.iter().any(|identity| self.seen.knows(*identity))
            || (read.looked_elsewhere && !self.elsewhere.is_empty())
            || ahead.elsewhere.len() > self.room_elsewhere();
        if differs {
            return false;
        }
        for identity in read.identities {
            self.seen.insert(identity);
        }
        self.elsewhere.extend(ahead.elsewhere);
        for Unnumbered { event, input, output } in read.unnumbered {
            let Some(event) = events.get_mut(event) else { return false };
            for (text, slots) in [(&mut event.input, input), (&mut event.output, output)] {
                if let Some(text) = text {
                    self.redactor.number(text, &slots);
                }
            }
        }
        true
    }

    /// Whether an identity (a hash of it) is met for the first time.
    pub(super) fn first_time(&mut self, parts: &[&[u8]]) -> bool {
        let identity = identity(parts);
        let first = self.seen.insert(identity);
        if let Some(ahead) = self.ahead.as_mut().filter(|_| first) {
            ahead.identities.push(identity);
        }
        first
    }

    /// The event with its texts, which have their numbers if it is their turn.
    pub(super) fn with_texts(&mut self, event: RunEvent, input: Option<Hidden>, output: Option<Hidden>) -> RunEvent {
        let mut apart = |hidden: Option<Hidden>| {
            let Hidden { mut text, slots } = hidden?;
            if self.ahead.is_none() {
                self.redactor.number(&mut text, &slots);
            }
            Some((text, slots))
        };
        let (input, input_slots) = apart(input).unzip();
        let (output, output_slots) = apart(output).unzip();
        if let Some(ahead) = &mut self.ahead {
            let (input, output) = (input_slots.unwrap_or_default(), output_slots.unwrap_or_default());
            if !(input.is_empty() && output.is_empty()) {
                ahead.unnumbered.push(Unnumbered { event: ahead.events, input, output });
            }
            ahead.events += 1;
        }
        RunEvent { input, output, ..event }
    }

    /// How many more calls can wait for their end in another file.
    pub(super) fn room_elsewhere(&self) -> usize {
        MAX_OPEN_CALLS.saturating_sub(self.elsewhere.len())
    }

    /// The end of a call comes in another file.
    pub(super) fn leave_elsewhere(&mut self, session: &Arc<str>, id: Arc<str>, call: OpenCall) {
        self.elsewhere.insert((session.clone(), id), call);
    }

    /// Whether a call of another file waits for its end.
    pub(super) fn is_elsewhere(&mut self, session: &Arc<str>, id: &str) -> bool {
        self.looks_elsewhere() && self.elsewhere.contains_key(&(session.clone(), Arc::from(id)))
    }

    /// The call of another file that ends here.
    pub(super) fn take_elsewhere(&mut self, session: &Arc<str>, id: &str) -> Option<OpenCall> {
        if self.looks_elsewhere() { self.elsewhere.remove(&(session.clone(), Arc::from(id))) } else { None }
    }

    /// Notes that a call of another file is looked for. Whether any is there.
    fn looks_elsewhere(&mut self) -> bool {
        if let Some(ahead) = &mut self.ahead {
            ahead.looked_elsewhere = true;
        }
        !self.elsewhere.is_empty()
    }
}
