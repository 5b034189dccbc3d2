//! What a request is about, and the two forms that it and its answer come in.

use hyper::header::{CONTENT_TYPE, HeaderMap};

/// What is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// `POST /v1/traces`.
    Spans,
    /// `POST /v1/logs`.
    LogRecords,
}

impl Signal {
    /// The one that a path stands for.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/traces" => Some(Self::Spans),
            "/v1/logs" => Some(Self::LogRecords),
            _ => None,
        }
    }

    /// The member of a partial success that counts what was rejected.
    pub(crate) fn rejected(self) -> &'static str {
        match self {
            Self::Spans => "rejectedSpans",
            Self::LogRecords => "rejectedLogRecords",
        }
    }
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// `application/json`: protobuf's JSON mapping, with hexadecimal ids.
    Json,
    /// `application/x-protobuf`.
    Protobuf,
}

impl Encoding {
    /// What the content type says; its parameters (`; charset=utf-8`) change nothing.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let stated = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let name = stated.split(';').next().unwrap_or_default().trim();
        [Self::Json, Self::Protobuf].into_iter().find(|encoding| name.eq_ignore_ascii_case(encoding.name()))
    }

    /// As a content type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf",
        }
    }
}
