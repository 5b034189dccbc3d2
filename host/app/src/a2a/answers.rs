//! What a hub's refusal means for the user.

use gephost_hub_client::ClientError;
use serde_json::json;

use crate::error::{AppError, ErrorKind, printable};

/// A call that failed.
pub(crate) fn failed(hub: &str, error: &ClientError) -> AppError {
    match error {
        ClientError::Network { .. } => AppError::new(ErrorKind::Failed, "hub_unreachable", format!("{hub}: {error}"))
            .hint("check the address and that the hub runs, and try again"),
        ClientError::Foreign { .. } | ClientError::TooLarge { .. } => {
            AppError::new(ErrorKind::Failed, "hub_answer", format!("{hub}: {error}"))
                .hint("is there a GEP-A2A hub at this address?")
        }
        ClientError::Refused { status, code, correction, field, retry_after, .. } => {
            let (kind, name) = match status {
                401 | 403 => (ErrorKind::Unauthenticated, "hub_unauthenticated"),
                409 => (ErrorKind::Conflict, "hub_conflict"),
                429 | 503 => (ErrorKind::Budget, "hub_busy"),
                _ => (ErrorKind::Failed, "hub_refused"),
            };
            let wait = retry_after.map(|wait| format!("try again in {} s", wait.as_secs().max(1)));
            let hint = correction.as_deref().map(printable).or(wait);
            let failure = AppError::new(kind, name, printable(&format!("{hub}: {error}"))).detail(json!({
                "status": status, "code": code, "field": field, "correction": correction,
                "retry_after_ms": retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
            }));
            match hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
    }
}
