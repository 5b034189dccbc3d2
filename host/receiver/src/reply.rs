//! Responses as OTLP/HTTP defines them: an export response, empty or with a partial success, or a `google.rpc.Status`.
//! Each uses the encoding of the request.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, RETRY_AFTER};
use hyper::{Response, StatusCode};
use prost::Message;
use serde_json::json;

use crate::accepted::Accepted;
use crate::encoding::{Encoding, Signal};

/// Seconds after which a client may retry.
const RETRY_AFTER_S: &str = "1";

/// Why a request is refused: the HTTP status, which determines a code of `google.rpc.Code`, and a message that says
/// what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// The code of `google.rpc.Code` for the HTTP status.
    fn code(&self) -> i32 {
        match self.status {
            StatusCode::FORBIDDEN => 7,
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => 12,
            StatusCode::REQUEST_TIMEOUT => 4,
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => 8,
            StatusCode::SERVICE_UNAVAILABLE => 14,
            _ => 3,
        }
    }
}

#[derive(Clone, PartialEq, Message)]
struct ExportResponse {
    #[prost(message, optional, tag = "1")]
    partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
struct PartialSuccess {
    #[prost(int64, tag = "1")]
    rejected: i64,
    #[prost(string, tag = "2")]
    error_message: String,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// The response to a request whose events were stored. It has a partial success only if records were rejected.
pub(crate) fn accepted(signal: Signal, encoding: Encoding, accepted: &Accepted) -> Response<Full<Bytes>> {
    let reason = accepted.reason();
    let body = match (encoding, accepted.rejected) {
        (Encoding::Json, 0) => b"{}".to_vec(),
        (Encoding::Json, rejected) => {
            let partial = json!({ signal.rejected(): rejected.to_string(), "errorMessage": reason });
            json!({ "partialSuccess": partial }).to_string().into_bytes()
        }
        (Encoding::Protobuf, 0) => ExportResponse::default().encode_to_vec(),
        (Encoding::Protobuf, rejected) => {
            let rejected = i64::try_from(rejected).unwrap_or(i64::MAX);
            let partial_success = Some(PartialSuccess { rejected, error_message: reason });
            ExportResponse { partial_success }.encode_to_vec()
        }
    };
    response(StatusCode::OK, encoding, body)
}

/// The response to a request of which nothing was stored.
pub(crate) fn refused(encoding: Encoding, refusal: &Refusal) -> Response<Full<Bytes>> {
    let (code, message) = (refusal.code(), &refusal.message);
    let body = match encoding {
        Encoding::Json => json!({ "code": code, "message": message }).to_string().into_bytes(),
        Encoding::Protobuf => Status { code, message: message.clone() }.encode_to_vec(),
    };
    let mut response = response(refusal.status, encoding, body);
    let mut header = |name: HeaderName, value: &'static str| {
        response.headers_mut().insert(name, hyper::header::HeaderValue::from_static(value));
    };
    match refusal.status {
        StatusCode::METHOD_NOT_ALLOWED => header(ALLOW, "POST"),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => header(RETRY_AFTER, RETRY_AFTER_S),
        _ => {}
    }
    response
}

fn response(status: StatusCode, encoding: Encoding, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let content_type = hyper::header::HeaderValue::from_static(encoding.name());
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}
