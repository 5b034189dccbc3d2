//! The envelope of every message (seed 002, "Protocol Envelope"): seven members, all required.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::bundle::MAX_BUNDLE_BYTES;
use super::message_type::MessageType;
use super::node_id::NodeId;
use super::problem::{Code, Problem};
use super::signature::{NodeKey, Signed};
use crate::digest::{self, DigestError, Fields};

/// The member `protocol`.
pub const PROTOCOL: &str = "gep-a2a";
/// The member `protocol_version`.
pub const PROTOCOL_VERSION: &str = "1.0.0";
/// How far the timestamp of a message may be from the reader's clock.
pub const MAX_SKEW: SignedDuration = SignedDuration::from_mins(5);
/// Most bytes of a message: a bundle and what is around it.
const MAX_MESSAGE_BYTES: usize = MAX_BUNDLE_BYTES + 16 * 1024;
/// Most characters of a `message_id`.
const MAX_ID_CHARS: usize = 128;

/// The id of a new message: `msg_`, milliseconds since the Unix epoch, and eight random hexadecimal digits.
pub fn message_id(at: Timestamp, random: [u8; 4]) -> String {
    format!("msg_{}_{}", at.as_millisecond(), digest::hex(&random))
}

/// A message that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// What it is for.
    pub message_type: MessageType,
    /// Its name, unique for its sender.
    pub message_id: String,
    /// The node that it speaks for.
    pub sender_id: NodeId,
    /// When it was made.
    pub timestamp: Timestamp,
    /// What is said.
    pub payload: Map<String, Value>,
    /// Every member, in the order in which it came.
    document: Map<String, Value>,
}

impl Envelope {
    /// Reads a message of at most 528 KiB. Duplicate keys, lone surrogates, numbers that no f64 holds and deep nesting are
    /// refused. Unknown members are kept.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let document = digest::read_object(bytes, MAX_MESSAGE_BYTES).map_err(|error| Problem::json(&error))?;
        Self::of(document)
    }

    /// Reads a message that is an object already.
    pub fn of(document: Map<String, Value>) -> Result<Self, Problem> {
        check_presence(&document)?;
        let fields = Fields::of(&document);
        let text =
            |name: &str| fields.text(name).map_err(|error| Problem::field(Code::InvalidProtocolMessage, "", &error));
        expect("protocol", text("protocol")?, PROTOCOL)?;
        expect("protocol_version", text("protocol_version")?, PROTOCOL_VERSION)?;
        let word = text("message_type")?;
        let message_type = MessageType::of(word).ok_or_else(|| {
            wrong("message_type", &format!("is {word:?}"), &format!("use one of {}", MessageType::words()))
        })?;
        let message_id = text("message_id")?;
        if !is_message_id(message_id) {
            let correction = "use \"msg_\", the time in milliseconds, \"_\" and random hexadecimal digits";
            return Err(wrong(
                "message_id",
                "is not 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `.`, `:` and `-`",
                correction,
            ));
        }
        let sender = text("sender_id")?;
        let sender_id = NodeId::read(sender).ok_or_else(|| {
            let correction = "use \"node_\" and 12 or 16 lower-case hexadecimal digits, the same in every message";
            wrong("sender_id", &format!("is {:?}", shortened(sender)), correction)
        })?;
        let stamp = text("timestamp")?;
        let timestamp = stamp.parse().map_err(|_| {
            wrong(
                "timestamp",
                &format!("is {:?}", shortened(stamp)),
                "use RFC 3339 in UTC, such as 2025-01-15T08:30:00Z",
            )
        })?;
        let payload = document
            .get("payload")
            .and_then(Value::as_object)
            .cloned()
            .ok_or_else(|| wrong("payload", "is not an object", "put what the message says into `payload`"))?;
        let message_id = message_id.to_owned();
        Ok(Self { message_type, message_id, sender_id, timestamp, payload, document })
    }

    /// Refuses a message of another type than that of the path it was sent to.
    pub fn expect_type(&self, expected: MessageType) -> Result<(), Problem> {
        if self.message_type == expected {
            return Ok(());
        }
        let message = format!("`message_type` is \"{}\", and this endpoint takes \"{expected}\"", self.message_type);
        let correction = format!("send it to /a2a/{}, or set `message_type` to \"{expected}\"", self.message_type);
        Err(Problem::new(Code::MessageTypeMismatch, message, correction).at("message_type"))
    }

    /// Refuses a message whose timestamp is further from `now` than `skew`.
    pub fn check_time(&self, now: Timestamp, skew: SignedDuration) -> Result<(), Problem> {
        if now.duration_since(self.timestamp).abs() <= skew {
            return Ok(());
        }
        let message = format!("`timestamp` is {}, and here it is {now}", self.timestamp);
        let correction = format!(
            "set the clock, and make a new message: at most {} minutes of difference are accepted",
            skew.as_mins()
        );
        Err(Problem::new(Code::TimestampSkew, message, correction).at("timestamp"))
    }

    /// Who signed it.
    pub fn signed(&self) -> Result<Signed, Problem> {
        Signed::check(&self.document, "")
    }

    /// Every member, in the order in which it came.
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}

/// A message that is to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What it is for.
    pub message_type: MessageType,
    /// Its name ([`message_id`]).
    pub message_id: String,
    /// The node that it speaks for.
    pub sender_id: NodeId,
    /// When it is made.
    pub timestamp: Timestamp,
    /// What it says.
    pub payload: Map<String, Value>,
}

impl Draft {
    /// The signed envelope.
    pub fn sealed(self, key: &NodeKey) -> Result<Map<String, Value>, DigestError> {
        let document = json!({
            "protocol": PROTOCOL,
            "protocol_version": PROTOCOL_VERSION,
            "message_type": self.message_type.as_str(),
            "message_id": self.message_id,
            "sender_id": self.sender_id.as_str(),
            "timestamp": self.timestamp.to_string(),
            "payload": self.payload,
        });
        let Value::Object(mut document) = document else { unreachable!("an object literal is an object") };
        key.sign(&mut document)?;
        Ok(document)
    }
}

/// Sending only the payload is the most common mistake (seed 002, "Common Failures"), so all that is missing is named.
fn check_presence(document: &Map<String, Value>) -> Result<(), Problem> {
    const REQUIRED: [&str; 7] =
        ["protocol", "protocol_version", "message_type", "message_id", "sender_id", "timestamp", "payload"];
    let missing: Vec<&str> =
        REQUIRED.into_iter().filter(|name| document.get(*name).is_none_or(Value::is_null)).collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let message = format!("the envelope has no {}", quoted(&missing));
    let correction = format!("send all seven members ({}), not the payload alone", quoted(&REQUIRED));
    Err(Problem::new(Code::InvalidProtocolMessage, message, correction).at(*first))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn expect(field: &str, found: &str, expected: &str) -> Result<(), Problem> {
    if found == expected {
        return Ok(());
    }
    Err(wrong(field, &format!("is {:?}", shortened(found)), &format!("use \"{expected}\"")))
}

fn wrong(field: &str, problem: &str, correction: &str) -> Problem {
    Problem::new(Code::InvalidProtocolMessage, format!("`{field}` {problem}"), correction).at(field)
}

fn is_message_id(text: &str) -> bool {
    (1..=MAX_ID_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte))
}

/// The beginning of a text from outside, for an error.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of seed 002.
    const HELLO: &str = r#"{"protocol":"gep-a2a","protocol_version":"1.0.0","message_type":"hello",
        "message_id":"msg_1736934600_a1b2c3d4","sender_id":"node_e5f6a7b8c9d0e1f2","timestamp":"2025-01-15T08:30:00Z",
        "payload":{"capabilities":{},"gene_count":0,"capsule_count":0,
        "env_fingerprint":{"platform":"linux","arch":"x64"}},"theirs":[1]}"#;

    #[test]
    fn the_seed_s_example_is_read_and_unknown_members_are_kept() {
        let envelope = Envelope::read(HELLO.as_bytes()).expect("an envelope");
        assert_eq!(envelope.message_type, MessageType::Hello);
        assert_eq!(envelope.sender_id.as_str(), "node_e5f6a7b8c9d0e1f2");
        assert_eq!(envelope.payload["env_fingerprint"]["arch"], "x64");
        assert_eq!(envelope.document()["theirs"], json!([1]));
        assert_eq!(envelope.signed().expect("unsigned"), Signed::No);
    }

    #[test]
    fn each_fault_has_its_code_its_field_and_a_correction() {
        let check = |from: &str, to: &str, code: Code, field: &str| {
            assert!(HELLO.contains(from), "{from}");
            let problem = Envelope::read(HELLO.replacen(from, to, 1).as_bytes()).expect_err(to);
            assert_eq!((problem.code, problem.field.as_deref().unwrap_or("")), (code, field), "{problem:?}");
            assert!(!problem.correction.is_empty());
        };
        let invalid = Code::InvalidProtocolMessage;
        check("\"protocol\":\"gep-a2a\",", "", invalid, "protocol");
        check("\"payload\":{", "\"payload\":null,\"x\":{", invalid, "payload");
        check("\"payload\":{", "\"payload\":[],\"x\":{", invalid, "payload");
        check("gep-a2a", "gep", invalid, "protocol");
        check("1.0.0", "1.0", invalid, "protocol_version");
        check("\"hello\"", "\"hi\"", invalid, "message_type");
        check("\"hello\"", "7", invalid, "message_type");
        check("msg_1736934600_a1b2c3d4", "", invalid, "message_id");
        check("msg_1736934600_a1b2c3d4", "a b", invalid, "message_id");
        check("msg_1736934600_a1b2c3d4", &"m".repeat(129), invalid, "message_id");
        check("node_e5f6", "node_E5F6", invalid, "sender_id");
        check("2025-01-15T08:30:00Z", "yesterday", invalid, "timestamp");
        check("2025-01-15T08:30:00Z", "2025-01-15T08:30:00", invalid, "timestamp");
        check("\"theirs\"", "\"protocol\"", invalid, "");
        check("[1]", &format!("{}1{}", "[".repeat(70), "]".repeat(70)), invalid, "");
        check("[1]", "[1e999]", invalid, "");
        check("[1]", &format!("\"{}\"", "x".repeat(MAX_MESSAGE_BYTES)), Code::PayloadTooLarge, "");
        let payload_alone = Envelope::read(br#"{"capabilities":{}}"#).expect_err("a payload");
        assert!(payload_alone.message.contains("`protocol`, `protocol_version`"), "{payload_alone}");
        assert!(Envelope::read(b"[]").is_err() && Envelope::read(b"").is_err() && Envelope::read(b"\xff").is_err());
    }

    #[test]
    fn the_type_is_that_of_the_path_and_the_time_is_near() {
        let envelope = Envelope::read(HELLO.as_bytes()).expect("an envelope");
        assert!(envelope.expect_type(MessageType::Hello).is_ok());
        let problem = envelope.expect_type(MessageType::Publish).expect_err("another path");
        assert_eq!(problem.code, Code::MessageTypeMismatch);
        let near = |text: &str| envelope.check_time(text.parse().expect("a time"), MAX_SKEW);
        assert!(near("2025-01-15T08:34:59Z").is_ok() && near("2025-01-15T08:25:01Z").is_ok());
        assert_eq!(near("2025-01-15T08:35:01Z").expect_err("late").code, Code::TimestampSkew);
        assert!(near("2025-01-15T08:24:59Z").is_err());
        assert!(near("-009999-01-02T01:59:59Z").is_err() && near("9999-12-30T22:00:00Z").is_err());
    }

    #[test]
    fn what_is_sealed_is_read_and_is_signed() {
        let key = NodeKey::new(&[1; 32]);
        let at = "2026-02-07T15:20:54.155Z".parse().expect("a time");
        let draft = Draft {
            message_type: MessageType::Fetch,
            message_id: message_id(at, [0xa1, 0xb2, 0xc3, 0xd4]),
            sender_id: NodeId::of_key(&key.public()),
            timestamp: at,
            payload: json!({"asset_type": "Capsule"}).as_object().cloned().expect("an object"),
        };
        let text = serde_json::to_vec(&draft.clone().sealed(&key).expect("sealed")).expect("JSON");
        let envelope = Envelope::read(&text).expect("an envelope");
        assert_eq!(envelope.message_id, "msg_1770477654155_a1b2c3d4");
        assert_eq!((envelope.payload.clone(), envelope.timestamp), (draft.payload, at));
        assert_eq!(envelope.signed().expect("signed"), Signed::By(key.public()));
        let forged = String::from_utf8(text).expect("UTF-8").replace("\"Capsule\"", "\"Gene\"");
        let forged = Envelope::read(forged.as_bytes()).expect("an envelope");
        assert_eq!(forged.signed().expect_err("forged").code, Code::SignatureInvalid);
    }
}
