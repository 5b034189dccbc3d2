//! Reads many logs on all cores. Logs are passed on in order, one after the other. Meanwhile other threads read later
//! logs, as far as that is possible without the earlier ones ([`Shared::merge`]).
//!
//! Invariants: the result does not depend on the number of threads, and what is held in memory is bounded.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use gephost_core::observe::{FileSummary, Shared};
use gephost_core::run_event::RunEvent;

use super::item::LogItem;
use super::reading::{Ended, Log, Reading};
use super::retained::text_bytes;

/// For each log that is read early: most events that are held, most bytes of their texts, and most bytes of the log.
const MAX_EVENTS: usize = 16_384;
const MAX_TEXT_BYTES: usize = 4 << 20;
const MAX_BYTES: u64 = 64 << 20;
/// Logs that are read early, per thread.
const LOGS_PER_THREAD: usize = 2;

/// What reading a log passes on.
pub(super) enum Step<'a> {
    Item(LogItem<'a>),
    /// Comes last: the numbers of the log, or why it could not be read completely.
    Finished(io::Result<FileSummary>),
}

/// Reads the logs and passes on their contents. Files are numbered from `first`.
pub(super) fn read_all(logs: &[Log<'_>], first: usize, shared: &mut Shared, take: &mut dyn FnMut(&Path, Step<'_>)) {
    let threads = if logs.len() > 1 { thread::available_parallelism().map_or(1, usize::from) } else { 0 };
    read_with_threads(threads, logs, first, shared, take);
}

/// Reads with this many additional threads.
fn read_with_threads(
    threads: usize,
    logs: &[Log<'_>],
    first: usize,
    shared: &mut Shared,
    take: &mut dyn FnMut(&Path, Step<'_>),
) {
    let window = Window::new(logs, threads);
    let detached = shared.detached();
    thread::scope(|scope| {
        // The threads end however this function returns.
        let _closed = Closed(&window);
        for _ in 0..threads {
            let work = || window.work(&detached);
            // If a thread cannot be started, this thread reads its logs.
            let _ = thread::Builder::new().name("reading".to_owned()).spawn_scoped(scope, work);
        }
        for (index, log) in logs.iter().enumerate() {
            let (path, file, mut sequence) = (log.path, first + index, 0);
            let ended = pass_on(&window, index, *log, shared, &mut |event| {
                take(path, Step::Item(LogItem::Event { path, file, sequence, event }));
                sequence += 1;
            });
            take(path, Step::Item(LogItem::Ended { file, unfinished: &ended.unfinished }));
            take(path, Step::Finished(ended.result));
        }
    });
}

/// Passes on one log when it is its turn.
fn pass_on<'a>(
    window: &Window<'a>,
    index: usize,
    log: Log<'a>,
    shared: &mut Shared,
    sink: &mut dyn FnMut(RunEvent),
) -> Ended {
    let (opened, ended) = match window.turn_of(index) {
        None => (log.open(), None),
        Some(EarlyRead { opened, ended, mut events, shared: early }) => {
            if shared.merge(early, &mut events) {
                events.into_iter().for_each(&mut *sink);
                (opened, ended)
            } else {
                // The bytes of this log have been counted already.
                (Log { meter: None, ..log }.open(), None)
            }
        }
    };
    let mut reading = match (opened, ended) {
        (_, Some(ended)) => return ended,
        (Err(error), None) => return Ended::at_once(error),
        (Ok(reading), None) => reading,
    };
    loop {
        if let Some(ended) = reading.step(shared, sink) {
            return ended;
        }
    }
}

/// A log that was read early, to its end or until too much was held.
struct EarlyRead<'a> {
    opened: io::Result<Reading<'a>>,
    ended: Option<Ended>,
    events: Vec<RunEvent>,
    shared: Shared,
}

impl<'a> EarlyRead<'a> {
    fn of(log: Log<'a>, mut shared: Shared) -> Self {
        let (mut events, mut held, mut ended) = (Vec::new(), 0, None);
        let opened = log.open().map(|mut reading| {
            while ended.is_none() && events.len() < MAX_EVENTS && held < MAX_TEXT_BYTES && reading.bytes() < MAX_BYTES {
                ended = reading.step(&mut shared, &mut |event| {
                    held += text_bytes(&event);
                    events.push(event);
                });
            }
            reading
        });
        Self { opened, ended, events, shared }
    }
}

/// Which logs have been read early, and which are next.
struct Window<'a> {
    logs: &'a [Log<'a>],
    width: usize,
    state: Mutex<State<'a>>,
    changed: Condvar,
}

#[derive(Default)]
struct State<'a> {
    /// How many logs have been started, by a thread or in their turn.
    started: usize,
    /// How many logs have had their turn.
    turns: usize,
    /// Logs that were read early and have not had their turn; `None` if the thread failed.
    read: BTreeMap<usize, Option<EarlyRead<'a>>>,
    closed: bool,
}

impl<'a> Window<'a> {
    fn new(logs: &'a [Log<'a>], threads: usize) -> Self {
        Self { logs, width: threads * LOGS_PER_THREAD, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        // The state is consistent whenever the lock is free.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads logs early until all of them have been started.
    fn work(&self, detached: &Shared) {
        while let Some((index, log)) = self.next() {
            let mut claim = Claim { window: self, index, read: None };
            claim.read = Some(EarlyRead::of(log, detached.detached()));
        }
    }

    /// The next log to read early. Waits until it is close enough to the current one.
    fn next(&self) -> Option<(usize, Log<'a>)> {
        let far = |state: &mut State<'_>| !state.closed && state.started >= state.turns + self.width;
        let mut state = self.changed.wait_while(self.lock(), far).unwrap_or_else(PoisonError::into_inner);
        let index = state.started;
        let log = self.logs.get(index).filter(|_| !state.closed)?;
        state.started += 1;
        Some((index, *log))
    }

    /// Starts the turn of a log. Returns what was read of it, or `None` if no thread has started it.
    fn turn_of(&self, index: usize) -> Option<EarlyRead<'a>> {
        let mut state = self.lock();
        if state.started <= index {
            state.started = index + 1;
        } else {
            let absent = |state: &mut State<'_>| !state.read.contains_key(&index);
            state = self.changed.wait_while(state, absent).unwrap_or_else(PoisonError::into_inner);
        }
        state.turns = index + 1;
        let read = state.read.remove(&index).flatten();
        drop(state);
        self.changed.notify_all();
        read
    }
}

/// A log that a thread has started. Dropping it reports the result, even if the thread panicked.
struct Claim<'w, 'a> {
    window: &'w Window<'a>,
    index: usize,
    read: Option<EarlyRead<'a>>,
}

impl Drop for Claim<'_, '_> {
    fn drop(&mut self) {
        self.window.lock().read.insert(self.index, self.read.take());
        self.window.changed.notify_all();
    }
}

/// Closes the window when dropped.
struct Closed<'w, 'a>(&'w Window<'a>);

impl Drop for Closed<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use gephost_core::redact::Redactor;
    use proptest::prelude::*;

    use super::*;

    /// A Claude Code session. Each pair is the id of a line and its content.
    fn session(lines: &[(u8, u8)]) -> String {
        let text = |what: u8| match what % 5 {
            0 => "nothing to hide".to_owned(),
            who => format!("write to {}{}.example, or to person{}@acme.example", "ann@acme", who, what % 7),
        };
        let line = |(id, what): &(u8, u8)| match what % 3 {
            0 => format!(
                "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u{id}\",\"parentUuid\":null,\"message\":{{\"role\":\
                 \"user\",\"content\":\"{}\"}}}}\n",
                text(*what)
            ),
            1 => format!(
                "{{\"type\":\"assistant\",\"sessionId\":\"s\",\"uuid\":\"u{id}\",\"parentUuid\":null,\"message\":{{\"role\":\
                 \"assistant\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{}\",\"name\":\"Bash\",\"input\":{{\"command\":\
                 \"{}\"}}}}]}}}}\n",
                what % 4,
                text(*what)
            ),
            _ => format!(
                "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u{id}\",\"parentUuid\":null,\"message\":{{\"role\":\
                 \"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t{}\",\"content\":\"{}\"}}]}}}}\n",
                what % 4,
                text(*what)
            ),
        };
        lines.iter().map(line).collect()
    }

    /// An event of `OpenHands`: an action, or its observation, which is in another file.
    fn event(id: u8, is_action: bool) -> String {
        let (kind, cause) =
            if is_action { ("action", String::new()) } else { ("observation", format!("\"cause\":{id},")) };
        format!(
            "{{\"id\":{},{cause}\"timestamp\":\"2026-01-01T00:00:{:02}\",\"source\":\"agent\",\"{kind}\":\"run\",\"message\":\
             \"for person{id}@acme.example\",\"content\":\"said person{id}@acme.example\",\"args\":{{\"command\":\"mail \
             person{id}@acme.example\"}},\"extras\":{{\"metadata\":{{\"exit_code\":1}}}}}}",
            if is_action { id } else { id.saturating_add(100) },
            id % 60
        )
    }

    fn read(threads: usize, files: &[PathBuf]) -> Vec<String> {
        let logs: Vec<_> = files.iter().map(|path| Log { path, place: None, format: None, meter: None }).collect();
        let (mut shared, mut seen) = (Shared::new(Redactor::default()), Vec::new());
        read_with_threads(threads, &logs, 0, &mut shared, &mut |path, step| {
            seen.push(match step {
                Step::Item(LogItem::Event { file, sequence, event, .. }) => format!("{file} {sequence} {event:?}"),
                Step::Item(LogItem::Ended { file, unfinished }) => format!("{file} ended {unfinished:?}"),
                Step::Finished(result) => format!("{} {:?}", path.display(), result.map_err(|error| error.to_string())),
            });
        });
        seen
    }

    fn assert_same(files: &[PathBuf]) -> Vec<String> {
        let one = read(0, files);
        for threads in [1, 2, 5] {
            for (number, (one, many)) in one.iter().zip(read(threads, files)).enumerate() {
                assert_eq!(*one, many, "{threads} threads, step {number}");
            }
        }
        one
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_number_of_threads_reads_the_same(
            sessions in proptest::collection::vec(proptest::collection::vec((any::<u8>(), any::<u8>()), 0..12), 1..12),
            events in proptest::collection::vec((0u8..6, any::<bool>()), 0..10),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let write = |name: String, text: &str| {
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, text).unwrap();
                path
            };
            let mut files = vec![folder.path().join("absent.jsonl"), write("b/notes.log".to_owned(), "hello\nyou\n")];
            for (number, lines) in sessions.iter().enumerate() {
                files.push(write(format!("c/{number}.jsonl"), &session(lines)));
            }
            for (number, (id, is_action)) in events.iter().enumerate() {
                files.push(write(format!("d/sessions/x/events/{number}.json"), &event(*id, *is_action)));
            }
            assert_same(&files);
        }
    }

    #[test]
    fn what_is_more_than_may_be_held_is_read_in_its_turn() {
        let folder = tempfile::tempdir().unwrap();
        let lines = |from: u32, to: u32| -> String {
            let one = |id: u32| {
                format!(
                    "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"{id}\",\"parentUuid\":null,\"message\":\
                     {{\"role\":\"user\",\"content\":\"person{id}@acme.example\"}}}}\n"
                )
            };
            (from..to).map(one).collect()
        };
        let most = u32::try_from(MAX_EVENTS).unwrap();
        // New lines; new lines after old ones; old lines after new ones, further back than what is held.
        let ranges = [(0, 3 * most), (3 * most, 5 * most), (5 * most - 10, 5 * most + 10), (5 * most, 7 * most)];
        let mut files = Vec::new();
        for (number, (from, to)) in ranges.into_iter().enumerate() {
            let mut text = lines(from, to);
            if number == 1 {
                text.push_str(&lines(7, 9));
            }
            files.push(folder.path().join(format!("{number}.jsonl")));
            fs::write(&files[number], text).unwrap();
        }
        let steps = assert_same(&files);
        assert_eq!(steps.len(), usize::try_from(7 * most).unwrap() + 2 * files.len());
    }
}
