//! The kind of records in a request, and the encoding of a request and its response.

use hyper::header::{CONTENT_TYPE, HeaderMap};

/// The kind of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// `POST /v1/traces`.
    Spans,
    /// `POST /v1/logs`.
    LogRecords,
}

impl Signal {
    /// The kind of records that a path receives.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/traces" => Some(Self::Spans),
            "/v1/logs" => Some(Self::LogRecords),
            _ => None,
        }
    }

    /// Name of the field in a partial success that counts rejected records.
    pub(crate) fn rejected(self) -> &'static str {
        match self {
            Self::Spans => "rejectedSpans",
            Self::LogRecords => "rejectedLogRecords",
        }
    }
}

/// The encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// `application/json`: protobuf's JSON mapping, with ids in hexadecimal.
    Json,
    /// `application/x-protobuf`.
    Protobuf,
}

impl Encoding {
    /// Reads the content type. Its parameters, such as `; charset=utf-8`, are ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let stated = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let name = stated.split(';').next().unwrap_or_default().trim();
        [Self::Json, Self::Protobuf].into_iter().find(|encoding| name.eq_ignore_ascii_case(encoding.name()))
    }

    /// The content type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf",
        }
    }
}
