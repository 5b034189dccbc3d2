//! The list of validation reports.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use gephost_core::a2a::Problem;
use serde_json::{Value, json};

use super::{asked, cursor, wrong};
use crate::answer::{self, Outcome};
use crate::app::Shared;
use crate::render;
use crate::store::{Page, digest_bytes, digest_text};

/// `GET /a2a/validation-reports`
pub(crate) async fn reports(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    let asked = asked(query.as_deref())?;
    let (limit, page) = (asked.limit()?, asked.page()?);
    let target = match &asked.asset_id {
        None => None,
        // An asset that is not here has no reports.
        Some(text) => Some(shared.store.subject(&named(text)?).await?.map_or(-1, |subject| subject.capsule)),
    };
    let rows = shared.store.reports(target, page.n, limit).await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|last| cursor(Page { value: 0, n: last.n }));
    let reports: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "target_asset_id": digest_text(&row.asset_id),
                "node_id": row.node_id,
                "overall_ok": row.ok,
                "at": render::time(row.at),
                "validation_report": serde_json::from_slice::<Value>(&row.body).unwrap_or_default(),
            })
        })
        .collect();
    answer::json(&json!({"reports": reports, "count": reports.len(), "next_cursor": next}))
}

/// The asset that the query names.
fn named(text: &str) -> Result<[u8; 32], Problem> {
    digest_bytes(text)
        .ok_or_else(|| wrong("asset_id", "is not an asset id", "use sha256: and 64 lower-case hexadecimal digits"))
}
