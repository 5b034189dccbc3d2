//! Validation reports as they are listed.

use gephost_core::a2a::Problem;
use serde::Serialize;
use sqlx::FromRow;

use crate::store::Store;

/// A validation report, for lists.
#[derive(Debug, Serialize, FromRow)]
pub(crate) struct ReportRow {
    pub(crate) n: i64,
    pub(crate) asset_id: Vec<u8>,
    pub(crate) node_id: String,
    pub(crate) ok: bool,
    pub(crate) at: i64,
    pub(crate) body: Vec<u8>,
}

impl Store {
    /// Validation reports, newest first, older than row `before`.
    pub(crate) async fn reports(
        &self,
        target: Option<i64>,
        before: i64,
        limit: i64,
    ) -> Result<Vec<ReportRow>, Problem> {
        sqlx::query_as(
            "SELECT r.n, a.asset_id, d.node_id, r.ok, r.at, r.body FROM reports AS r JOIN assets AS a ON a.n = r.target
             JOIN nodes AS d ON d.n = r.node WHERE r.n < ?1 AND (?2 IS NULL OR r.target = ?2) ORDER BY r.n DESC LIMIT ?3",
        )
        .bind(before)
        .bind(target)
        .bind(limit)
        .fetch_all(&self.readers)
        .await
        .map_err(|error| self.failed(&error))
    }
}
