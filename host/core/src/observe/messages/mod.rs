//! Conversations as lists of messages, as most programs hand them to a model and store them: `OpenAI`'s chat messages, items
//! of its Responses API, Anthropic's messages (which Cline, Roo Code and Kilo Code
//! store too), and what Goose, `LangChain`, `AutoGen` and smolagents make of them. The list is a file
//! of lines, a document, or a member of one ([`layout`]).
//!
//! Few of them record times, exit codes or error flags; results say in words how a call ended ([`super::stated`]). Logs of
//! requests repeat the conversation so far, so a message counts once behind the same messages of the same session.

mod blocks;
mod calls;
mod cline;
mod ended;
mod form;
mod gemini;
mod goose;
mod hosted;
mod layout;
mod message;
mod numbers;
mod recognise;
mod smolagents;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::codex::Items;
use super::content::Text;
use super::reported::Origin;
use super::seen::identity;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse};
use calls::Calls;
use form::Dialect;
use layout::{Layout, Member};
use recognise::dialect;

macro_rules! formats {
    ($($constant:ident $name:literal $kind:ident)+) => {$(
        pub(super) const $constant: Format = Format {
            name: $name,
            recognise: Recognise::Head(|head| dialect(head) == Some(Dialect::$kind)),
            open,
        };
    )+};
}

formats! {
    AUTOGEN "autogen" AutoGen
    LANGCHAIN "langchain" LangChain
    SMOLAGENTS "smolagents" Smolagents
    GOOSE "goose" Goose
    ANTHROPIC "anthropic-messages" Anthropic
    OPENAI_RESPONSES "openai-responses" Responses
    OPENAI_CHAT "openai-chat" Chat
}

/// Names of files that say nothing about the session: its folder does.
const COMMON_NAMES: [&str; 10] = [
    "api_conversation_history",
    "chat",
    "conversation",
    "history",
    "messages",
    "output",
    "session",
    "steps",
    "trajectory",
    "transcript",
];

/// Reads messages in every form, whatever the first ones look like.
struct Messages {
    /// `None` for lines.
    layout: Option<&'static Layout>,
    /// Number of the document that is read.
    document: u64,
    session: Option<Arc<str>>,
    /// The rank of the member that named the session.
    rank: usize,
    time: Option<Timestamp>,
    /// Whether a message of the session was read.
    has_begun: bool,
    /// Identity of the messages of the session so far.
    behind: u64,
    calls: Calls,
    items: Items,
}

fn open(head: &[u8]) -> Opened {
    let layout = layout::find(head);
    let reader = Box::new(Messages {
        layout,
        document: 0,
        session: None,
        rank: usize::MAX,
        time: None,
        has_begun: false,
        behind: 0,
        calls: Calls::default(),
        items: Items::default(),
    });
    match layout {
        Some(layout) => Opened::Document(layout.paths, reader),
        None => Opened::Lines(reader),
    }
}

impl LogReader for Messages {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        if out.document != self.document {
            self.document = out.document;
            self.begin();
        }
        LineResult::of(match self.layout.map_or(Member::Message, |layout| layout.member(path)) {
            Member::Message => self.message(bytes, out),
            Member::Id(rank) => self.name_session(rank, bytes, out),
            Member::Time => parse::<&RawValue>(bytes).map(|raw| self.time = numbers::time_of(raw)),
        })
    }
}

impl Messages {
    fn begin(&mut self) {
        self.session = None;
        self.rank = usize::MAX;
        self.time = None;
        self.has_begun = false;
        self.behind = 0;
        self.calls = Calls::default();
    }

    fn name_session(&mut self, rank: usize, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let name: Text<'_> = parse(bytes)?;
        if self.has_begun && self.layout.is_some_and(|layout| layout.holds_sessions) {
            self.begin();
        }
        if !name.0.is_empty() && !self.has_begun && rank < self.rank {
            self.rank = rank;
            self.session = Some(out.session(&name.0));
        }
        Ok(())
    }

    fn message(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        self.has_begun = true;
        if !bytes.starts_with(b"{") {
            return Err(SkipReason::UnknownType);
        }
        let session = match &self.session {
            Some(session) => session.clone(),
            None => self.unnamed_session(out),
        };
        // Lines and plain lists hold each message once.
        if self.layout.is_some_and(|layout| layout.repeats) {
            self.behind = identity(&[&self.behind.to_le_bytes(), bytes]);
            let path = out.state.summary.path.clone();
            // Other files can hold a session of the same name if nobody named it.
            let place = if self.session.is_some() { session.as_bytes() } else { path.as_bytes() };
            if !out.shared.first_time(&[b"messages", place, &self.behind.to_le_bytes()]) {
                return Err(SkipReason::Duplicate);
            }
        }
        message::take(bytes, &Origin { time: self.time, session }, &mut self.calls, &mut self.items, out)
    }

    /// The session of messages that no member names: the file, or its folder if the file has a common name.
    fn unnamed_session(&self, out: &mut Transcript<'_>) -> Arc<str> {
        let file = out.file_session();
        let path = out.state.summary.path.clone();
        let folder = path.rsplit(['/', '\\']).nth(1).filter(|name| !name.is_empty());
        let name = match folder {
            Some(folder) if COMMON_NAMES.contains(&&*file) => folder,
            _ => &*file,
        };
        if self.document > 1 { out.session(&format!("{name}#{}", self.document)) } else { out.session(name) }
    }
}
