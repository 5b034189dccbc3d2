//! What the files of one observation share: which lines were read before, the numbers of secrets, and calls that end in
//! another file. Also allows a file to be read out of order, while the files before it are still being read.
//!
//! Invariant: the events, their order and their numbers do not depend on whether a file was read out of order.

use std::collections::HashMap;
use std::sync::Arc;

use super::open_call::{MAX_OPEN_CALLS, OpenCall};
use super::seen::{Seen, identity};
use crate::redact::{Redactor, Slot, Unnumbered};
use crate::run_event::RunEvent;

/// What the files of one observation share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Its numbers are the same in all files.
    pub redactor: Redactor,
    seen: Seen,
    /// Calls, by session and id, of files that hold one event each. They end in another file.
    pending: HashMap<(Arc<str>, Arc<str>), OpenCall>,
    /// Only set while a file is read out of order.
    deferred: Option<Deferred>,
}

/// What can only be settled when it is the file's turn.
#[derive(Debug, Default)]
struct Deferred {
    events: usize,
    /// Identities of lines that occurred for the first time in this file.
    identities: Vec<u64>,
    /// The secrets in each event that have no number yet.
    slots: Vec<EventSlots>,
    /// Whether a call was looked up that may have started in an earlier file.
    asked_for_pending: bool,
}

#[derive(Debug)]
struct EventSlots {
    event: usize,
    input: Vec<Slot>,
    output: Vec<Slot>,
}

impl Shared {
    /// Redacts every field with `redactor`.
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, ..Self::default() }
    }

    /// For one file that is read out of order: it has the same rules and knows nothing of the earlier files. The
    /// placeholders in its events have no numbers until [`Shared::merge`].
    #[must_use]
    pub fn detached(&self) -> Self {
        let redactor = self.redactor.with_same_rules();
        Self { redactor, deferred: Some(Deferred::default()), ..Self::default() }
    }

    /// Merges what was read out of order, now that it is the file's turn. The file may have been read in part; the rest
    /// can be read with `self`. `events` are all events that the file has reported so far, in order; their placeholders
    /// get their numbers.
    ///
    /// Returns `false` if the earlier files affect this one. In that case nothing is merged, `events` are invalid, and
    /// the file must be read again from its beginning.
    pub fn merge(&mut self, detached: Self, events: &mut [RunEvent]) -> bool {
        let Some(read) = detached.deferred else { return false };
        let differs = read.identities.iter().any(|identity| self.seen.contains(*identity))
            || (read.asked_for_pending && !self.pending.is_empty())
            || detached.pending.len() > self.room_for_pending();
        if differs {
            return false;
        }
        for identity in read.identities {
            self.seen.insert(identity);
        }
        self.pending.extend(detached.pending);
        for EventSlots { event, input, output } in read.slots {
            let Some(event) = events.get_mut(event) else { return false };
            for (text, slots) in [(&mut event.input, input), (&mut event.output, output)] {
                if let Some(text) = text {
                    self.redactor.number(text, &slots);
                }
            }
        }
        true
    }

    /// Whether an identity occurs for the first time. Only its hash is compared.
    pub(super) fn first_time(&mut self, parts: &[&[u8]]) -> bool {
        let identity = identity(parts);
        let first = self.seen.insert(identity);
        if let Some(deferred) = self.deferred.as_mut().filter(|_| first) {
            deferred.identities.push(identity);
        }
        first
    }

    /// The event with its texts. Their placeholders get numbers unless the file is read out of order.
    pub(super) fn with_numbers(
        &mut self,
        event: RunEvent,
        input: Option<Unnumbered>,
        output: Option<Unnumbered>,
    ) -> RunEvent {
        let mut numbered = |redacted: Option<Unnumbered>| {
            let Unnumbered { mut text, slots } = redacted?;
            if self.deferred.is_none() {
                self.redactor.number(&mut text, &slots);
            }
            Some((text, slots))
        };
        let (input, input_slots) = numbered(input).unzip();
        let (output, output_slots) = numbered(output).unzip();
        if let Some(deferred) = &mut self.deferred {
            let (input, output) = (input_slots.unwrap_or_default(), output_slots.unwrap_or_default());
            if !(input.is_empty() && output.is_empty()) {
                deferred.slots.push(EventSlots { event: deferred.events, input, output });
            }
            deferred.events += 1;
        }
        RunEvent { input, output, ..event }
    }

    /// How many more calls can be kept until their end is read in another file.
    pub(super) fn room_for_pending(&self) -> usize {
        MAX_OPEN_CALLS.saturating_sub(self.pending.len())
    }

    /// Keeps a call that ends in another file.
    pub(super) fn add_pending(&mut self, session: &Arc<str>, id: Arc<str>, call: OpenCall) {
        self.pending.insert((session.clone(), id), call);
    }

    /// Whether a call of another file has no end yet.
    pub(super) fn is_pending(&mut self, session: &Arc<str>, id: &str) -> bool {
        self.has_pending() && self.pending.contains_key(&(session.clone(), Arc::from(id)))
    }

    /// Removes and returns the call of another file that ends here.
    pub(super) fn take_pending(&mut self, session: &Arc<str>, id: &str) -> Option<OpenCall> {
        if self.has_pending() { self.pending.remove(&(session.clone(), Arc::from(id))) } else { None }
    }

    /// Whether any call of another file has no end yet. Records that this was asked.
    fn has_pending(&mut self) -> bool {
        if let Some(deferred) = &mut self.deferred {
            deferred.asked_for_pending = true;
        }
        !self.pending.is_empty()
    }
}
