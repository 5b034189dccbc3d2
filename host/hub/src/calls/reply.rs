//! The form of an answer.

use gephost_core::a2a::MessageType;
use serde_json::{Map, Value};

/// An answer: the members at the top, where most clients look, and the same in `payload`.
pub(super) fn reply(kind: MessageType, members: Value) -> Value {
    let mut document = Map::new();
    document.insert("protocol".to_owned(), gephost_core::a2a::PROTOCOL.into());
    document.insert("protocol_version".to_owned(), gephost_core::a2a::PROTOCOL_VERSION.into());
    document.insert("message_type".to_owned(), kind.as_str().into());
    if let Value::Object(members) = &members {
        document.extend(members.clone());
    }
    document.insert("payload".to_owned(), members);
    Value::Object(document)
}
