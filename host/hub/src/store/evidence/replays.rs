//! How the hub's own replays ended.

use std::sync::Arc;

use gephost_core::a2a::Problem;

use crate::store::Store;
use crate::store::score::Scorer;

impl Store {
    /// Stores how a replay ended.
    pub(crate) async fn replayed(
        &self,
        capsule: i64,
        outcome: &'static str,
        reason: Option<String>,
        at: i64,
        scorer: Arc<Scorer>,
    ) -> Result<(), Problem> {
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    sqlx::query("INSERT OR REPLACE INTO replays (target, outcome, reason, at) VALUES (?, ?, ?, ?)")
                        .bind(capsule)
                        .bind(outcome)
                        .bind(reason)
                        .bind(at)
                        .execute(&mut *c)
                        .await?;
                    let (_, changed) = scorer.rescore(c, capsule, at).await?;
                    Ok(((), changed))
                })
            })
            .await
    }

    /// How the replay of a capsule ended, and why.
    pub(crate) async fn replay_of(&self, capsule: i64) -> Result<Option<(String, Option<String>)>, Problem> {
        sqlx::query_as("SELECT outcome, reason FROM replays WHERE target = ?")
            .bind(capsule)
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }
}
