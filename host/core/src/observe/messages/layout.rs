//! Where the messages are in a file.

use super::form::{is_conversation, is_message};
use crate::observe::document::Path;
use crate::observe::peek;

/// The members of a document that are read.
#[derive(Debug)]
pub(super) struct Layout {
    /// First those of messages, then those that name the session, the best one first, and at last that of its time.
    pub(super) paths: &'static [Path],
    messages: usize,
    /// Whether a document holds several sessions.
    pub(super) holds_sessions: bool,
    /// Whether several documents can hold the same messages.
    pub(super) repeats: bool,
}

/// What a piece of a document is.
pub(super) enum Member {
    Message,
    /// Names the session. The lowest number counts.
    Id(usize),
    Time,
}

impl Layout {
    pub(super) fn member(&self, path: usize) -> Member {
        match path {
            path if path < self.messages => Member::Message,
            path if path + 1 == self.paths.len() => Member::Time,
            path => Member::Id(path - self.messages),
        }
    }
}

/// A list of messages.
static LIST: Layout =
    Layout { paths: &[&["*"], &["session_id"], &["created_at"]], messages: 1, holds_sessions: false, repeats: false };
/// A list of such lists.
static LISTS: Layout = Layout {
    paths: &[&["*", "*"], &["session_id"], &["created_at"]],
    messages: 1,
    holds_sessions: false,
    repeats: true,
};
/// A list of objects with messages.
static SESSIONS: Layout = Layout {
    paths: &[
        &["*", "messages", "*"],
        &["*", "conversation", "*"],
        &["*", "session_id"],
        &["*", "sessionId"],
        &["*", "id"],
        &["*", "created_at"],
    ],
    messages: 2,
    holds_sessions: true,
    repeats: true,
};
/// An object with messages, or several in a row.
static OBJECT: Layout = Layout {
    paths: &[
        &["messages", "*"],
        &["conversation", "*"],
        &["history", "*"],
        &["chat_history", "*"],
        &["items", "*"],
        &["input", "*"],
        &["output", "*"],
        &["steps", "*"],
        &["values", "messages", "*"],
        &["request", "messages", "*"],
        &["request", "input", "*"],
        &["responses_create_params", "input", "*"],
        &["response", "output", "*"],
        &["session_id"],
        &["sessionId"],
        &["thread_id"],
        &["conversation_id"],
        &["response", "id"],
        &["id"],
        &["created_at"],
    ],
    messages: 13,
    holds_sessions: false,
    repeats: true,
};

/// Members of an object that hold messages, and members that hold such an object.
const LISTS_OF_MESSAGES: [&[u8]; 8] =
    [b"messages", b"conversation", b"history", b"chat_history", b"items", b"input", b"output", b"steps"];
const OBJECTS: [&[u8]; 4] = [b"values", b"request", b"responses_create_params", b"response"];

/// The layout of a file with this start; `None` if its messages are lines.
pub(super) fn find(head: &[u8]) -> Option<&'static Layout> {
    let head = head.trim_ascii_start();
    let Some(list) = head.strip_prefix(b"[") else { return first_message(head).is_some().then_some(&OBJECT) };
    let list = list.trim_ascii_start();
    Some(match list.first() {
        Some(b'[') => &LISTS,
        _ if first_message(list).is_some() => &SESSIONS,
        _ => &LIST,
    })
}

/// The first message in a file with this start.
pub(super) fn first(head: &[u8]) -> Option<&[u8]> {
    let head = head.trim_ascii_start();
    let Some(list) = head.strip_prefix(b"[") else {
        return first_message(head).or_else(|| first_line(head));
    };
    let list = list.trim_ascii_start();
    let list = list.strip_prefix(b"[").unwrap_or(list).trim_ascii_start();
    first_message(list).or_else(|| is_message(list).then_some(list))
}

/// The most lines at the start of a file of which one is a message.
const MAX_LINES: usize = 20;

fn first_line(head: &[u8]) -> Option<&[u8]> {
    let lines = head.split(|byte| *byte == b'\n').take(MAX_LINES);
    lines.take_while(|line| line.trim_ascii().is_empty() || line.starts_with(b"{")).find(|line| is_message(line))
}

/// The first message in one of an object's members.
fn first_message(object: &[u8]) -> Option<&[u8]> {
    peek::fields(object).find_map(|(key, value)| {
        if OBJECTS.contains(&key) {
            return peek::fields(value).find_map(|(key, value)| in_list(key, value));
        }
        in_list(key, value)
    })
}

fn in_list<'a>(key: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    let list = value.strip_prefix(b"[").filter(|_| LISTS_OF_MESSAGES.contains(&key))?.trim_ascii_start();
    // An object with an empty list can be followed by others with messages.
    (is_message(list) && is_conversation(key, list)).then_some(list)
}
