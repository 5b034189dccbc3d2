//! The open connections, and which of them keeps the receiver waiting longest.
//!
//! Everything but waiting for clients is done at once, so every connection that is open while another one is served
//! waits for its client. What must stay true: a client that sends slowly, or not at all, is the first to be closed, so
//! that it delays nobody else.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;
use tokio::time::Instant;

/// The open connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    open: BTreeMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    /// When it was opened, or its last request was answered.
    waits_since: Instant,
    task: AbortHandle,
}

impl Connections {
    /// A number for the next connection.
    pub(crate) fn next_id(&self) -> u64 {
        let mut list = self.list();
        list.next += 1;
        list.next
    }

    /// A connection was opened.
    pub(crate) fn add(&self, id: u64, task: AbortHandle) {
        self.list().open.insert(id, Connection { waits_since: now(), task });
    }

    /// A request of a connection was answered.
    pub(crate) fn answered(&self, id: u64) {
        if let Some(connection) = self.list().open.get_mut(&id) {
            connection.waits_since = now();
        }
    }

    /// Closes connections until there is room for one more.
    pub(crate) fn make_room(&self, most: usize) {
        self.list().open.retain(|_, connection| !connection.task.is_finished());
        while self.list().open.len() >= most.max(1) {
            self.close_slowest(None);
        }
    }

    /// Closes the connection that has kept the receiver waiting longest, and longer than `than`. Returns whether there was
    /// one.
    pub(crate) fn close_slowest(&self, than: Option<u64>) -> bool {
        let mut list = self.list();
        list.open.retain(|_, connection| !connection.task.is_finished());
        let slowest = list.open.iter().min_by_key(|(_, connection)| connection.waits_since).map(|(id, _)| *id);
        let Some(slowest) = slowest.filter(|slowest| Some(*slowest) != than) else { return false };
        if let Some(connection) = list.open.remove(&slowest) {
            connection.task.abort();
        }
        true
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// This moment.
#[expect(clippy::disallowed_methods, reason = "the slowest connection is closed, so its silence is measured")]
fn now() -> Instant {
    Instant::now()
}
