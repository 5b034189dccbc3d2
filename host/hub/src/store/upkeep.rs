//! What is done from time to time: counts of fetches are stored, old messages forgotten, scores and reputations refreshed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gephost_core::a2a::Problem;

use super::score::{FETCH_DAYS, Scorer, stale};
use super::{Store, nodes};

const DAY: i64 = 86_400_000;
/// Most pairs of asset and node that are counted between two stores. Further ones are not counted.
const MAX_COUNTED: usize = 10_000;
/// Scores and reputations that are refreshed at a time.
const AT_A_TIME: i64 = 200;
/// A score is refreshed after a day, because freshness fades.
const SCORE_AGE: i64 = DAY;

/// Fetches since the last store. A crash loses at most those of one interval.
#[derive(Debug, Default)]
pub(crate) struct Fetches(Mutex<HashMap<(i64, i64), i64>>);

impl Fetches {
    /// Counts that a node fetched a bundle.
    pub(crate) fn count(&self, capsule: i64, node: i64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = counts.len() >= MAX_COUNTED;
        match counts.get_mut(&(capsule, node)) {
            Some(count) => *count += 1,
            None if full => {}
            None => {
                counts.insert((capsule, node), 1);
            }
        }
    }

    fn take(&self) -> HashMap<(i64, i64), i64> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store {
    /// Does one round.
    pub(crate) async fn upkeep(
        &self,
        fetches: &Fetches,
        scorer: std::sync::Arc<Scorer>,
        now: i64,
        message_age: i64,
    ) -> Result<(), Problem> {
        let counts: Vec<_> =
            fetches.take().into_iter().map(|((capsule, node), count)| [capsule, node, count]).collect();
        self.writer
            .write(move |c| {
                Box::pin(async move {
                    let mut changed = Vec::new();
                    if !counts.is_empty() {
                        let counts = serde_json::json!(counts).to_string();
                        sqlx::query(
                            "INSERT INTO fetches (target, node, day, count)
                             SELECT value ->> 0, value ->> 1, ?2, value ->> 2 FROM json_each(?1) WHERE true
                             ON CONFLICT (target, day, node) DO UPDATE SET count = count + excluded.count",
                        )
                        .bind(&counts)
                        .bind(now / DAY)
                        .execute(&mut *c)
                        .await?;
                        // A fetched bundle counts as used, and is scored again at the next round.
                        let ids: Vec<Vec<u8>> = sqlx::query_scalar(
                            "UPDATE assets SET uses = uses + f.used, scored_at = 0 FROM
                             (SELECT value ->> 0 AS target, sum(value ->> 2) AS used FROM json_each(?) GROUP BY 1) AS f
                             WHERE assets.n = f.target RETURNING asset_id",
                        )
                        .bind(&counts)
                        .fetch_all(&mut *c)
                        .await?;
                        changed.extend(ids.iter().filter_map(|id| <[u8; 32]>::try_from(id.as_slice()).ok()));
                    }
                    sqlx::query("DELETE FROM fetches WHERE day <= ?")
                        .bind(now / DAY - FETCH_DAYS)
                        .execute(&mut *c)
                        .await?;
                    sqlx::query("DELETE FROM messages WHERE at < ?").bind(now - message_age).execute(&mut *c).await?;
                    for capsule in stale(c, now - SCORE_AGE, AT_A_TIME).await? {
                        changed.extend(scorer.rescore(c, capsule, now).await?.1);
                    }
                    let dirty: Vec<i64> = sqlx::query_scalar("SELECT n FROM nodes WHERE dirty = 1 LIMIT ?")
                        .bind(AT_A_TIME)
                        .fetch_all(&mut *c)
                        .await?;
                    for node in dirty {
                        nodes::refresh(c, node).await?;
                    }
                    Ok(((), changed))
                })
            })
            .await
    }
}
