//! Why a message is refused, in the protocol's own codes (`GEP.md`, section 7).

use serde_json::{Value, json};

use crate::digest::{AssetError, FieldError, StrictError};

/// What sort of refusal it is. Clients branch on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// It is not an envelope of the protocol.
    InvalidProtocolMessage,
    /// The `message_type` is not that of the endpoint.
    MessageTypeMismatch,
    /// A member of the payload is missing or wrong.
    ValidationError,
    /// A gene and a capsule travel together.
    BundleRequired,
    /// An asset's id is not that of its content.
    AssetIdMismatch,
    /// The clock of the sender and that of the hub differ too much, or the message is old.
    TimestampSkew,
    /// The signature of the envelope does not verify, or is by another key than the node's.
    SignatureInvalid,
    /// The call needs the secret or the signature of the node that it speaks for.
    NodeSecretInvalid,
    /// The node may not do this.
    Forbidden,
    /// There is no such thing here.
    NotFound,
    /// The path exists, and the method is another one.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// It contradicts what the hub has.
    Conflict,
    /// A message with this id was taken already.
    ReplayedMessage,
    /// The bundle names a component that the hub does not have.
    ComponentMissing,
    /// More bytes than are taken.
    PayloadTooLarge,
    /// The body is of another media type.
    UnsupportedMediaType,
    /// Too many requests.
    RateLimited,
    /// The hub failed.
    Internal,
    /// The hub cannot take more at the moment.
    ServerBusy,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 20] = [
        Self::InvalidProtocolMessage,
        Self::MessageTypeMismatch,
        Self::ValidationError,
        Self::BundleRequired,
        Self::AssetIdMismatch,
        Self::TimestampSkew,
        Self::SignatureInvalid,
        Self::NodeSecretInvalid,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::Conflict,
        Self::ReplayedMessage,
        Self::ComponentMissing,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::RateLimited,
        Self::Internal,
        Self::ServerBusy,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidProtocolMessage => "invalid_protocol_message",
            Self::MessageTypeMismatch => "message_type_mismatch",
            Self::ValidationError => "validation_error",
            Self::BundleRequired => "bundle_required",
            Self::AssetIdMismatch => "asset_id_mismatch",
            Self::TimestampSkew => "timestamp_skew",
            Self::SignatureInvalid => "signature_invalid",
            Self::NodeSecretInvalid => "node_secret_invalid",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::RequestTimeout => "request_timeout",
            Self::Conflict => "conflict",
            Self::ReplayedMessage => "replayed_message",
            Self::ComponentMissing => "component_missing",
            Self::PayloadTooLarge => "payload_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::RateLimited => "rate_limited",
            Self::Internal => "internal_error",
            Self::ServerBusy => "server_busy",
        }
    }

    /// The status of the HTTP answer.
    pub fn http_status(self) -> u16 {
        match self {
            Self::InvalidProtocolMessage
            | Self::MessageTypeMismatch
            | Self::ValidationError
            | Self::BundleRequired
            | Self::AssetIdMismatch
            | Self::TimestampSkew => 400,
            Self::SignatureInvalid | Self::NodeSecretInvalid => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::Conflict | Self::ReplayedMessage | Self::ComponentMissing => 409,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::RateLimited => 429,
            Self::Internal => 500,
            Self::ServerBusy => 503,
        }
    }
}

/// Why a message is refused, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// What sort of refusal it is.
    pub code: Code,
    /// The member that is wrong, with dots and brackets for members of members: `payload.assets[1].confidence`.
    pub field: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to send instead.
    pub correction: String,
}

impl Problem {
    /// A problem of no member.
    pub fn new(code: Code, message: impl Into<String>, correction: impl Into<String>) -> Self {
        Self { code, field: None, message: message.into(), correction: correction.into() }
    }

    /// The same problem, of a member.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// A member that is missing or has the wrong form. `prefix` is where its object is, with a dot at the end, or empty.
    pub(crate) fn field(code: Code, prefix: &str, error: &FieldError) -> Self {
        let (field, correction) = match error {
            FieldError::Missing { field } => (field, format!("add `{prefix}{field}`")),
            FieldError::Type { field, expected, .. } => (field, format!("make `{prefix}{field}` {expected}")),
            FieldError::Value { field, .. } => (field, format!("correct `{prefix}{field}`")),
        };
        Self::new(code, error.to_string(), correction).at(format!("{prefix}{field}"))
    }

    /// A text that is not the strict JSON it should be.
    pub(crate) fn json(error: &StrictError) -> Self {
        let code = match error {
            StrictError::TooLarge { .. } => Code::PayloadTooLarge,
            _ => Code::InvalidProtocolMessage,
        };
        Self::new(code, error.to_string(), "send one JSON object with the seven members of the envelope")
    }

    /// An asset at `prefix` that cannot be read.
    pub(crate) fn asset(prefix: &str, error: &AssetError) -> Self {
        match error {
            AssetError::Field(error) => Self::field(Code::ValidationError, prefix, error),
            AssetError::Json(error) => Self::json(error),
            AssetError::Digest(error) => {
                Self::new(Code::ValidationError, error.to_string(), "send an asset that is a JSON object")
                    .at(prefix.trim_end_matches('.'))
            }
        }
    }

    /// The members of the answer that all refusals share: those of the protocol, and those of RFC 9457 beside them.
    pub fn body(&self) -> Value {
        let status = self.code.http_status();
        let mut body = json!({
            "error": self.code.as_str(),
            "code": self.code.as_str(),
            "message": self.message,
            "correction": self.correction,
            "type": format!("urn:gephost:problem:{}", self.code.as_str()),
            "title": self.code.as_str().replace('_', " "),
            "status": status,
            "detail": self.message,
        });
        if let (Some(field), Some(members)) = (&self.field, body.as_object_mut()) {
            members.insert("field".to_owned(), field.as_str().into());
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_has_a_word_of_its_own_and_an_error_status() {
        let words: BTreeSet<_> = Code::ALL.map(Code::as_str).into();
        assert_eq!(words.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!((400..600).contains(&code.http_status()), "{code:?}");
        }
    }

    #[test]
    fn a_body_has_the_members_of_the_protocol_and_of_rfc_9457() {
        let problem = Problem::new(Code::ValidationError, "`x` is 3", "make it 4").at("payload.x");
        let body = problem.body();
        assert_eq!((&body["error"], &body["field"]), (&json!("validation_error"), &json!("payload.x")));
        assert_eq!((&body["status"], &body["detail"]), (&json!(400), &json!("`x` is 3")));
        assert_eq!(body["correction"], "make it 4");
        assert!(Problem::new(Code::NotFound, "m", "c").body().get("field").is_none());
    }
}
