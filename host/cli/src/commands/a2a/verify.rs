//! `gephost a2a verify FILE`: a message of the protocol, checked without sending it.

use std::fmt::Write as _;
use std::path::Path;

use gephost_core::a2a::quality::shortfalls;
use gephost_core::a2a::{Bundle, Envelope, MAX_SKEW, MessageType, NodeId, Problem, Signed};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, bold, good, note, printable};

/// Most bytes of a message that are read, so that a larger one gets the protocol's own error.
const MAX_BYTES: u64 = 4 << 20;

pub(super) fn run(environment: &Environment, file: &Path) -> Result<Report, Failure> {
    let bytes = read_input(environment, file, MAX_BYTES)?;
    let mut page = MessageCheckPage { path: file.display().to_string(), ..MessageCheckPage::default() };
    page.look(&bytes, environment);
    Ok(Report::of(&page))
}

/// A message that was checked.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct MessageCheckPage {
    /// The file.
    path: String,
    /// Its type.
    message_type: Option<&'static str>,
    /// The node that it speaks for.
    sender_id: Option<String>,
    /// Who signed it: `nobody`, `node` for the key that the node is named after, or `other_key`.
    signed: Option<SignedBy>,
    /// Whether a hub would take its timestamp now.
    is_recent: bool,
    /// Id of the bundle of a publish message.
    bundle: Option<String>,
    /// Asset ids of the bundle, recomputed.
    asset_ids: Vec<String>,
    /// What is wrong. A message without problems is one that every hub of the protocol reads.
    problems: Vec<ProblemRow>,
    /// Rules of the quality gate that the capsule does not meet: a hub takes it and rejects it.
    shortfalls: Vec<String>,
}

/// Who signed a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SignedBy {
    /// It has no signature.
    Nobody,
    /// The key that the node is named after.
    Node,
    /// A key that the node's name does not come from; a hub knows whether it is the node's.
    OtherKey,
}

/// Something that is wrong with a message.
#[derive(Debug, Serialize, JsonSchema)]
struct ProblemRow {
    /// The protocol's code.
    code: &'static str,
    /// The member that is wrong.
    field: Option<String>,
    /// What is wrong.
    message: String,
    /// What to send instead.
    correction: String,
}

impl MessageCheckPage {
    fn look(&mut self, bytes: &[u8], environment: &Environment) {
        let envelope = match Envelope::read(bytes) {
            Ok(envelope) => envelope,
            Err(problem) => return self.add(problem),
        };
        self.message_type = Some(envelope.message_type.as_str());
        self.sender_id = Some(envelope.sender_id.as_str().to_owned());
        self.is_recent = envelope.check_time(environment.now(), MAX_SKEW).is_ok();
        match envelope.signed() {
            Ok(Signed::No) => self.signed = Some(SignedBy::Nobody),
            Ok(Signed::By(key)) if NodeId::of_key(&key) == envelope.sender_id => self.signed = Some(SignedBy::Node),
            Ok(Signed::By(_)) => self.signed = Some(SignedBy::OtherKey),
            Err(problem) => self.add(problem),
        }
        if envelope.message_type != MessageType::Publish {
            return;
        }
        match Bundle::read(&envelope.payload) {
            Ok(bundle) => {
                self.bundle = Some(bundle.id());
                self.asset_ids = vec![bundle.gene.asset_id.clone(), bundle.capsule.asset_id.clone()];
                self.asset_ids.extend(bundle.event.map(|event| event.asset_id));
                self.shortfalls = shortfalls(&bundle.capsule.asset).into_iter().map(|missed| missed.message).collect();
            }
            Err(problem) => self.add(problem),
        }
    }

    fn add(&mut self, problem: Problem) {
        let Problem { code, field, message, correction } = problem;
        self.problems.push(ProblemRow { code: code.as_str(), field, message, correction });
    }
}

impl Page for MessageCheckPage {
    const KIND: &'static str = "a2a-verify";

    fn text(&self) -> String {
        let mut text = String::new();
        for problem in &self.problems {
            let field = problem.field.as_deref().map(|field| format!(" at {}", printable(field))).unwrap_or_default();
            let _ = writeln!(text, "{}{field}: {}", bad(problem.code), printable(&problem.message));
            let _ = writeln!(text, "  {}", printable(&problem.correction));
        }
        let Some(kind) = self.message_type else { return text };
        let sender = self.sender_id.as_deref().unwrap_or_default();
        if self.problems.is_empty() {
            let _ = writeln!(text, "{} message of {sender}: {}", bold(kind), good("well-formed"));
        }
        match self.signed {
            Some(SignedBy::Nobody) => text.push_str("It is not signed.\n"),
            Some(SignedBy::Node) => text.push_str("It is signed with the key that the node is named after.\n"),
            Some(SignedBy::OtherKey) => {
                text.push_str("Its signature verifies, by a key that the node's name does not come from.\n");
            }
            None => {}
        }
        if let Some(bundle) = &self.bundle {
            let _ = writeln!(text, "{bundle}: every asset id is that of its content");
        }
        for shortfall in &self.shortfalls {
            let _ = writeln!(text, "{} {shortfall}", note("a hub rejects it:"));
        }
        if !self.is_recent {
            text.push_str("Its timestamp is more than 5 minutes away: a hub takes no message as old as this one.\n");
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.problems.is_empty() { Exit::Done } else { Exit::Failed }
    }
}
