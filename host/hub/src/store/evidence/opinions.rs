//! Votes and reviews: one of each node for each asset, and the last one counts.

use std::sync::Arc;

use gephost_core::a2a::{AssetState, Code, Problem};
use serde::Serialize;
use sqlx::{FromRow, SqliteConnection};

use super::{subject, unknown};
use crate::store::Store;
use crate::store::score::{Explained, Scorer};
use crate::store::writer::{Changed, Refused};

/// A vote or a review.
#[derive(Debug, Clone)]
pub(crate) enum Opinion {
    /// For or against.
    Vote(bool),
    /// One to five stars, and a text.
    Review { rating: i64, content: String },
}

/// A review, for lists.
#[derive(Debug, Serialize, FromRow)]
pub(crate) struct ReviewRow {
    pub(crate) n: i64,
    pub(crate) node_id: String,
    pub(crate) rating: i64,
    pub(crate) content: String,
    pub(crate) at: i64,
}

impl Store {
    /// Stores a vote or a review: one for each node and asset, and the last one counts.
    pub(crate) async fn opine(
        &self,
        node: i64,
        target: [u8; 32],
        opinion: Opinion,
        at: i64,
        scorer: Arc<Scorer>,
    ) -> Result<Explained, Problem> {
        self.writer.write(move |c| Box::pin(async move { opine(c, node, target, opinion, at, &scorer).await })).await
    }

    /// Reviews of a bundle, newest first, older than row `before`.
    pub(crate) async fn reviews(&self, capsule: i64, before: i64, limit: i64) -> Result<Vec<ReviewRow>, Problem> {
        sqlx::query_as(
            "SELECT v.n, d.node_id, v.rating, v.content, v.at FROM reviews AS v JOIN nodes AS d ON d.n = v.node
             WHERE v.target = ? AND v.n < ? ORDER BY v.n DESC LIMIT ?",
        )
        .bind(capsule)
        .bind(before)
        .bind(limit)
        .fetch_all(&self.readers)
        .await
        .map_err(|error| self.failed(&error))
    }
}

async fn opine(
    c: &mut SqliteConnection,
    node: i64,
    target: [u8; 32],
    opinion: Opinion,
    at: i64,
    scorer: &Scorer,
) -> Result<Changed<Explained>, Refused> {
    let subject = subject(c, &target).await?.ok_or_else(|| unknown(&target, "asset_id"))?;
    if subject.owner == node {
        let text = "a node neither votes on its own asset nor reviews it";
        return Err(Refused::Rule(Problem::new(Code::Forbidden, text, "choose an asset of another node")));
    }
    if subject.state() == AssetState::Revoked {
        let text = "the asset was revoked, which is final";
        return Err(Refused::Rule(Problem::new(Code::Conflict, text, "choose another asset")));
    }
    match opinion {
        Opinion::Vote(good) => {
            sqlx::query("INSERT OR REPLACE INTO votes (target, node, good, at) VALUES (?, ?, ?, ?)")
                .bind(subject.capsule)
                .bind(node)
                .bind(good)
                .bind(at)
                .execute(&mut *c)
                .await?;
        }
        Opinion::Review { rating, content } => {
            sqlx::query(
                "INSERT INTO reviews (target, node, rating, content, at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (target, node) DO UPDATE SET rating = ?3, content = ?4, at = ?5",
            )
            .bind(subject.capsule)
            .bind(node)
            .bind(rating)
            .bind(content)
            .bind(at)
            .execute(&mut *c)
            .await?;
        }
    }
    let (explained, changed) = scorer.rescore(c, subject.capsule, at).await?;
    Ok((explained, changed))
}
