//! What is known about a file between its lines: its open calls, its newest event and its numbers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::FileSummary;
use super::open_call::{MAX_OPEN_CALLS, OpenCall};
use super::reported::short;
use super::resume::{MAX_CONTEXT, Mark};
use super::shared::Shared;
use super::span::Span;
use super::tasks::Task;
use super::usage::Spending;
use crate::redact::Unnumbered;
use crate::run_event::{RunEvent, Spent};

/// What is known about a file between its lines.
#[derive(Debug, Default)]
pub(super) struct FileState {
    pub summary: FileSummary,
    pub(super) open: HashMap<Arc<str>, OpenCall>,
    pub(super) unfinished: Vec<u64>,
    pub(super) next_index: u64,
    names: HashSet<Arc<str>>,
    pub(super) kept: Vec<Span>,
    pub(super) spending: Spending,
    /// The newest event is held back until the next one, because its usage may follow it.
    pub(super) newest: Option<Newest>,
    pub(super) tasks: HashMap<Arc<str>, Task>,
    /// The failure of a task that a notice told. It is held back until the next call, which may report on the task and says
    /// more.
    pub(super) told: Option<(Arc<str>, Newest)>,
}

/// An event whose placeholders have no numbers yet.
#[derive(Debug)]
pub(super) struct Newest {
    pub(super) event: RunEvent,
    pub(super) input: Option<Unnumbered>,
    pub(super) output: Option<Unnumbered>,
}

impl Newest {
    pub(super) fn numbered(self, shared: &mut Shared) -> RunEvent {
        shared.with_numbers(self.event, self.input, self.output)
    }
}

impl FileState {
    pub(super) fn new(path: &str, format: &'static str) -> Self {
        let summary = FileSummary { path: path.to_owned(), format, ..FileSummary::default() };
        Self { summary, ..Self::default() }
    }

    /// Reports the last event. Returns the summary and the sorted indexes of the starts without an end.
    pub(super) fn finish(mut self, shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) -> (FileSummary, Vec<u64>) {
        self.charge_newest();
        if let Some(newest) = self.newest.take() {
            sink(newest.numbered(shared));
        }
        self.summary.outcomes.unfinished += (self.unfinished.len() + self.open.len()) as u64;
        self.unfinished.extend(self.open.values().filter_map(|call| call.index));
        self.unfinished.sort_unstable();
        (self.summary, self.unfinished)
    }

    /// The lines that the rest of the file may need, in order; `None` if there are too many.
    pub(super) fn context(&self) -> Option<Vec<Span>> {
        let of_tasks = self.tasks.values().flat_map(|task| task.spans);
        let of_calls = self.open.values().map(|call| call.span);
        let mut lines: Vec<Span> = self.kept.iter().copied().chain(of_calls).chain(of_tasks).collect();
        lines.sort_unstable();
        lines.dedup();
        (lines.len() <= MAX_CONTEXT && self.unfinished.is_empty() && self.told.is_none()).then_some(lines)
    }

    /// Ids of the calls without an end, sorted.
    pub(super) fn open_calls(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.open.keys().map(ToString::to_string).collect();
        ids.sort_unstable();
        ids
    }

    /// Adds the usage that is due for the newest event's session to that event.
    pub(super) fn charge_newest(&mut self) {
        if let Some(Newest { event, .. }) = &mut self.newest
            && let Some(due) = self.spending.due(&event.session_key)
        {
            self.summary.usage.add(&due.usage);
            charge(event, due);
        }
    }

    /// What a later reading must know about usage, and the numbers so far. The summary includes what is due for the
    /// newest event's session, because that event gets it if the file ends here.
    pub(super) fn at_mark(&self) -> (Spending, FileSummary) {
        let (mut spending, mut summary) = (self.spending.clone(), self.summary.clone());
        if let Some(due) = self.newest.as_ref().and_then(|newest| spending.due(&newest.event.session_key)) {
            summary.usage.add(&due.usage);
        }
        (spending, summary)
    }

    /// Continues with the numbers of an earlier reading after its context was read again. Calls that had ended by then
    /// are removed from the open calls, because a context line may hold several calls.
    pub(super) fn resume(&mut self, summary: FileSummary, mark: &Mark) {
        self.open.retain(|id, call| {
            call.index = None;
            mark.open.binary_search_by(|known| known.as_str().cmp(id)).is_ok()
        });
        self.unfinished.clear();
        (self.newest, self.told) = (None, None);
        self.spending = mark.spending.clone();
        self.summary = summary;
        self.next_index = 0;
    }

    /// Returns one `Arc` per name, because a file has few tools and sessions but many events.
    pub(super) fn name(&mut self, text: &str) -> Arc<str> {
        let text = short(text);
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name: Arc<str> = Arc::from(text);
        if self.names.len() < MAX_OPEN_CALLS {
            self.names.insert(name.clone());
        }
        name
    }
}

/// Adds usage to what an event has used.
pub(super) fn charge(event: &mut RunEvent, more: Spent) {
    match &mut event.spent {
        Some(spent) => spent.add(more),
        none => *none = Some(Box::new(more)),
    }
}
