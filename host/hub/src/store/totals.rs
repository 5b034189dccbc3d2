//! Totals, what is much used at present, and claim codes.

use gephost_core::a2a::{AssetState, Problem};

use super::nodes::nodes_where;
use super::score::FETCH_DAYS;
use super::{AssetRow, Kind, NodeRow, Store, state_code};

/// Days that count as the present.
const TRENDING_DAYS: i64 = 7;
const DAY: i64 = 86_400_000;

/// How many there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Totals {
    pub(crate) nodes: i64,
    /// Capsules by state, in the order of `AssetState::ALL`.
    pub(crate) capsules: [i64; 5],
}

impl Store {
    /// Counts what is here, from the counts that each node has.
    pub(crate) async fn counts(&self) -> Result<Totals, Problem> {
        let (nodes, published, promoted, revoked): (i64, i64, i64, i64) = sqlx::query_as(
            "SELECT count(*), coalesce(sum(published), 0), coalesce(sum(promoted), 0), coalesce(sum(revoked), 0) FROM nodes",
        )
        .fetch_one(&self.readers)
        .await
        .map_err(|error| self.failed(&error))?;
        let mut capsules = [0; 5];
        for (slot, state) in capsules.iter_mut().zip(AssetState::ALL) {
            *slot = match state {
                AssetState::Promoted => promoted,
                AssetState::Revoked => revoked,
                // What is left is few or the rest.
                AssetState::Candidate => 0,
                AssetState::Rejected | AssetState::Quarantined => self.count_state(state).await?,
            };
        }
        let others: i64 = capsules.iter().sum();
        if let Some(candidates) = capsules.first_mut() {
            *candidates = (published - others).max(0);
        }
        Ok(Totals { nodes, capsules })
    }

    async fn count_state(&self, state: AssetState) -> Result<i64, Problem> {
        sqlx::query_scalar("SELECT count(*) FROM assets WHERE state = ? AND kind = ?")
            .bind(state_code(state))
            .bind(Kind::Capsule.code())
            .fetch_one(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// The promoted bundles that most different nodes fetched in the last days.
    pub(crate) async fn trending(&self, limit: i64, now: i64) -> Result<Vec<AssetRow>, Problem> {
        let rows: Vec<i64> = sqlx::query_scalar(
            "SELECT f.target FROM fetches AS f JOIN assets AS a ON a.n = f.target WHERE f.day > ? AND a.state = 1
             GROUP BY f.target ORDER BY count(DISTINCT f.node) DESC, sum(f.count) DESC, f.target DESC LIMIT ?",
        )
        .bind(now / DAY - TRENDING_DAYS.min(FETCH_DAYS))
        .bind(limit)
        .fetch_all(&self.readers)
        .await
        .map_err(|error| self.failed(&error))?;
        self.assets_by_row(&rows).await
    }

    /// The node with a claim code that is valid now.
    pub(crate) async fn claimed(&self, code: &str, now: i64) -> Result<Option<NodeRow>, Problem> {
        sqlx::query_as(nodes_where("WHERE claim_code = ? AND claim_until > ?"))
            .bind(code)
            .bind(now)
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.failed(&error))
    }
}
