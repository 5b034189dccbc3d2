//! What nodes say about the assets of others: reports, decisions, votes, reviews, revocations; and what the hub's own
//! replays say.

use gephost_core::a2a::{AssetState, Code, Problem};
use serde::Serialize;
use sqlx::{FromRow, SqliteConnection};

use super::messages::{self, Message, Seen};
use super::score::{Explained, Scorer};
use super::state::{self, Decided, Move};
use super::writer::{Changed, Refused};
use super::{Store, digest_text, failed, nodes, state_of};

/// The bundle that an asset id stands for.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Subject {
    /// The row of its capsule.
    pub(crate) capsule: i64,
    /// The row of its publisher.
    pub(crate) owner: i64,
    pub(crate) owner_id: String,
    state: i64,
}

impl Subject {
    pub(crate) fn state(&self) -> AssetState {
        state_of(self.state)
    }
}

/// A vote or a review.
#[derive(Debug, Clone)]
pub(crate) enum Opinion {
    /// For or against.
    Vote(bool),
    /// One to five stars, and a text.
    Review { rating: i64, content: String },
}

/// What a node says about a bundle in a message.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// A validation.
    Report { ok: bool, body: Vec<u8> },
    /// A decision of a node that may decide. `finally`: of an operator, whose word is done at once.
    Decision { to: AssetState, reason: Option<String>, finally: bool },
    /// The publisher withdraws it.
    Revoke { reason: Option<String> },
}

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

/// A review, for lists.
#[derive(Debug, Serialize, FromRow)]
pub(crate) struct ReviewRow {
    pub(crate) n: i64,
    pub(crate) node_id: String,
    pub(crate) rating: i64,
    pub(crate) content: String,
    pub(crate) at: i64,
}

const SUBJECT: &str = "SELECT c.n AS capsule, c.node AS owner, d.node_id AS owner_id, c.state AS state FROM assets AS a
     JOIN assets AS c ON c.n = iif(a.kind = 1, a.n, a.partner) JOIN nodes AS d ON d.n = c.node WHERE a.asset_id = ?";

async fn subject(c: &mut SqliteConnection, id: &[u8; 32]) -> Result<Option<Subject>, sqlx::Error> {
    sqlx::query_as(SUBJECT).bind(&id[..]).fetch_optional(c).await
}

fn unknown(id: &[u8; 32], field: &str) -> Problem {
    let message = format!("there is no asset {} here", digest_text(id));
    Problem::new(Code::NotFound, message, "use the `asset_id` of an asset that this hub has").at(field)
}

impl Store {
    /// Stores what a node says, with all that follows. Gives the state after it.
    pub(crate) async fn state_something(
        &self,
        message: Message,
        target: [u8; 32],
        statement: Statement,
        scorer: std::sync::Arc<Scorer>,
    ) -> Result<(Decided, Option<Explained>), Problem> {
        self.writer.write(move |c| Box::pin(async move { say(c, message, target, statement, &scorer).await })).await
    }

    /// Stores a vote or a review: one for each node and asset, and the last one counts.
    pub(crate) async fn opine(
        &self,
        node: i64,
        target: [u8; 32],
        opinion: Opinion,
        at: i64,
        scorer: std::sync::Arc<Scorer>,
    ) -> Result<Explained, Problem> {
        self.writer.write(move |c| Box::pin(async move { opine(c, node, target, opinion, at, &scorer).await })).await
    }

    /// Stores how a replay ended.
    pub(crate) async fn replayed(
        &self,
        capsule: i64,
        outcome: &'static str,
        reason: Option<String>,
        at: i64,
        scorer: std::sync::Arc<Scorer>,
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
            .map_err(failed)
    }

    /// The bundle of an asset.
    pub(crate) async fn subject(&self, id: &[u8; 32]) -> Result<Option<Subject>, Problem> {
        sqlx::query_as(SUBJECT).bind(&id[..]).fetch_optional(&self.readers).await.map_err(failed)
    }

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
        .map_err(failed)
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
        .map_err(failed)
    }
}

async fn say(
    c: &mut SqliteConnection,
    message: Message,
    target: [u8; 32],
    statement: Statement,
    scorer: &Scorer,
) -> Result<Changed<(Decided, Option<Explained>)>, Refused> {
    let seen = messages::look(c, &message).await?;
    let subject = subject(c, &target).await?.ok_or_else(|| unknown(&target, "payload.target_asset_id"))?;
    let node = nodes::node_by_id(c, &message.sender).await?.ok_or_else(|| unknown(&target, "sender_id"))?;
    let now = message.at;
    let mut changed = Vec::new();
    let before = subject.state();
    let mut explained = None;
    if matches!(seen, Seen::Before(_)) {
        // The identical message: it acted, and acts no more.
        return Ok(((Decided { state: before, changed: false }, None), changed));
    }
    let own = subject.owner == node.n;
    if before == AssetState::Revoked && !matches!(statement, Statement::Revoke { .. }) {
        let text = format!("the asset {} was revoked, which is final", digest_text(&target));
        return Err(Refused::Rule(
            Problem::new(Code::Conflict, text, "choose another asset").at("payload.target_asset_id"),
        ));
    }
    match statement {
        Statement::Report { ok, body } => {
            sqlx::query(
                "INSERT INTO reports (target, node, ok, at, body) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (target, node) DO UPDATE SET ok = ?3, at = ?4, body = ?5",
            )
            .bind(subject.capsule)
            .bind(node.n)
            .bind(ok)
            .bind(now)
            .bind(body)
            .execute(&mut *c)
            .await?;
            // Somebody's use of an asset is to the credit of its publisher.
            sqlx::query("UPDATE nodes SET dirty = 1 WHERE n = ?").bind(subject.owner).execute(&mut *c).await?;
        }
        Statement::Decision { to, reason, finally } => {
            if own && !finally {
                let text = "a node does not decide about its own asset";
                return Err(Refused::Rule(
                    Problem::new(Code::Forbidden, text, "let another node decide").at("payload.target_asset_id"),
                ));
            }
            let word = match to {
                AssetState::Promoted => "accept",
                AssetState::Rejected => "reject",
                _ => "quarantine",
            };
            sqlx::query("INSERT OR REPLACE INTO decisions (target, node, decision, reason, at) VALUES (?, ?, ?, ?, ?)")
                .bind(subject.capsule)
                .bind(node.n)
                .bind(word)
                .bind(&reason)
                .bind(now)
                .execute(&mut *c)
                .await?;
            if finally || to != AssetState::Promoted {
                // Of others than operators, a rejection too only holds an asset back.
                let to = if finally || to == AssetState::Promoted { to } else { AssetState::Quarantined };
                changed.extend(state::apply(c, &Move { capsule: subject.capsule, to, reason, by: None }).await?);
            }
        }
        Statement::Revoke { reason } => {
            if !own {
                let text = format!("the asset was published by {}", subject.owner_id);
                let correction =
                    "only its publisher can revoke it; use `decision` or `report` to say what is wrong with it";
                return Err(Refused::Rule(
                    Problem::new(Code::Forbidden, text, correction).at("payload.target_asset_id"),
                ));
            }
            let step = Move { capsule: subject.capsule, to: AssetState::Revoked, reason, by: Some(node.n) };
            changed.extend(state::apply(c, &step).await?);
        }
    }
    messages::note(c, &message, None).await?;
    let mut state = self::subject(c, &target).await?.map_or(before, |subject| subject.state());
    if state != AssetState::Revoked {
        let (fresh, more) = scorer.rescore(c, subject.capsule, now).await?;
        state = fresh.state;
        changed.extend(more);
        explained = Some(fresh);
    }
    Ok(((Decided { state, changed: state != before }, explained), changed))
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
