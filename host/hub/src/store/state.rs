//! Moves bundles from state to state, and keeps ranks, words and counts in step.
//!
//! A capsule stands for its bundle: its event goes with it, and so does the gene that came with it. A gene is promoted as
//! soon as one of its capsules is. What must stay true: nothing leaves the state `revoked`.

use gephost_core::a2a::AssetState;
use sqlx::{FromRow, SqliteConnection};

use super::{Kind, nodes, state_code, state_of, terms};

/// Most capsules of a withdrawn gene that are withdrawn with it in one write.
const FOLLOWERS: i64 = 1000;

/// A change of state.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) capsule: i64,
    pub(crate) to: AssetState,
    pub(crate) reason: Option<String>,
    /// Who revokes: only what is theirs is revoked.
    pub(crate) by: Option<i64>,
}

/// How a decision or a revocation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) state: AssetState,
    /// Whether it changed something.
    pub(crate) changed: bool,
}

#[derive(Debug, Clone, FromRow)]
struct Row {
    n: i64,
    asset_id: Vec<u8>,
    kind: i64,
    node: i64,
    partner: i64,
    state: i64,
    rank: i64,
    body: Vec<u8>,
}

async fn row(c: &mut SqliteConnection, n: i64) -> Result<Option<Row>, sqlx::Error> {
    sqlx::query_as("SELECT n, asset_id, kind, node, partner, state, rank, body FROM assets WHERE n = ?")
        .bind(n)
        .fetch_optional(c)
        .await
}

/// Stores a new score of a capsule, and the best score of its gene.
pub(super) async fn rank(
    c: &mut SqliteConnection,
    capsule: i64,
    rank: i64,
    mean: f64,
    now: i64,
) -> Result<Vec<[u8; 32]>, sqlx::Error> {
    let Some(capsule) = row(c, capsule).await? else { return Ok(Vec::new()) };
    set(c, &capsule, state_of(capsule.state), rank).await?;
    sqlx::query("UPDATE assets SET gdi = ?, scored_at = ? WHERE n = ?")
        .bind(mean)
        .bind(now)
        .bind(capsule.n)
        .execute(&mut *c)
        .await?;
    let mut changed = vec![id(&capsule)];
    if let Some(gene) = row(c, capsule.partner).await? {
        let best: i64 = sqlx::query_scalar("SELECT coalesce(max(rank), 0) FROM assets WHERE partner = ? AND kind = 1")
            .bind(gene.n)
            .fetch_one(&mut *c)
            .await?;
        set(c, &gene, state_of(gene.state), best).await?;
        sqlx::query("UPDATE assets SET gdi = ? WHERE n = ? AND partner = ?")
            .bind(mean)
            .bind(gene.n)
            .bind(capsule.n)
            .execute(c)
            .await?;
        changed.push(id(&gene));
    }
    Ok(changed)
}

/// Carries a move out, as far as it is allowed. Gives the assets that look different.
pub(crate) async fn apply(c: &mut SqliteConnection, step: &Move) -> Result<Vec<[u8; 32]>, sqlx::Error> {
    let mut changed = Vec::new();
    let Some(capsule) = row(c, step.capsule).await? else { return Ok(changed) };
    let from = state_of(capsule.state);
    if !from.may_become(step.to) {
        return Ok(changed);
    }
    changed.push(id(&capsule));
    set(c, &capsule, step.to, capsule.rank).await?;
    explain(c, capsule.n, step.reason.as_deref()).await?;
    recount(c, capsule.node, from, step.to).await?;
    let events: Vec<Row> = sqlx::query_as(
        "SELECT n, asset_id, kind, node, partner, state, rank, body FROM assets WHERE partner = ? AND kind = 2",
    )
    .bind(capsule.n)
    .fetch_all(&mut *c)
    .await?;
    for event in events {
        if state_of(event.state).may_become(step.to) {
            set(c, &event, step.to, event.rank).await?;
            changed.push(id(&event));
        }
    }
    let Some(gene) = row(c, capsule.partner).await? else { return Ok(changed) };
    changed.push(id(&gene));
    let came_with = gene.partner == capsule.n;
    match step.to {
        // A gene is as good as its best capsule.
        AssetState::Promoted if state_of(gene.state).may_become(AssetState::Promoted) => {
            set(c, &gene, AssetState::Promoted, gene.rank).await?;
        }
        AssetState::Revoked if came_with && step.by == Some(gene.node) => {
            revoke_gene(c, &gene, step, &mut changed).await?;
        }
        AssetState::Rejected | AssetState::Quarantined if state_of(gene.state).may_become(step.to) => {
            let has_other = other_promoted(c, gene.n).await?;
            if !has_other {
                set(c, &gene, step.to, gene.rank).await?;
            }
        }
        _ => {}
    }
    nodes::refresh(c, capsule.node).await?;
    Ok(changed)
}

/// Withdraws a gene. Capsules of others lose their ground and are held back; the publisher's own are withdrawn.
async fn revoke_gene(
    c: &mut SqliteConnection,
    gene: &Row,
    step: &Move,
    changed: &mut Vec<[u8; 32]>,
) -> Result<(), sqlx::Error> {
    set(c, gene, AssetState::Revoked, gene.rank).await?;
    explain(c, gene.n, step.reason.as_deref()).await?;
    let followers: Vec<Row> = sqlx::query_as(
        "SELECT n, asset_id, kind, node, partner, state, rank, body FROM assets WHERE partner = ? AND kind = 1 AND state <> ? LIMIT ?",
    )
    .bind(gene.n)
    .bind(state_code(AssetState::Revoked))
    .bind(FOLLOWERS)
    .fetch_all(&mut *c)
    .await?;
    for follower in followers {
        let to = if follower.node == gene.node { AssetState::Revoked } else { AssetState::Quarantined };
        let from = state_of(follower.state);
        if from.may_become(to) {
            set(c, &follower, to, follower.rank).await?;
            explain(c, follower.n, Some("its gene was revoked")).await?;
            recount(c, follower.node, from, to).await?;
            changed.push(id(&follower));
        }
    }
    Ok(())
}

async fn other_promoted(c: &mut SqliteConnection, gene: i64) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM assets WHERE partner = ? AND kind = 1 AND state = ?)")
        .bind(gene)
        .bind(state_code(AssetState::Promoted))
        .fetch_one(c)
        .await
}

/// Sets state and rank of one asset, and moves its words.
async fn set(c: &mut SqliteConnection, row: &Row, state: AssetState, rank: i64) -> Result<(), sqlx::Error> {
    let code = state_code(state);
    if code == row.state && rank == row.rank {
        return Ok(());
    }
    sqlx::query("UPDATE assets SET state = ?1, rank = ?2, was_promoted = was_promoted OR ?1 = ?4 WHERE n = ?3")
        .bind(code)
        .bind(rank)
        .bind(row.n)
        .bind(state_code(AssetState::Promoted))
        .execute(&mut *c)
        .await?;
    if row.kind == Kind::Event.code() {
        return Ok(());
    }
    let words = serde_json::from_slice(&row.body).map(|document| terms::of_asset(&document)).unwrap_or_default();
    let words = serde_json::Value::from(words).to_string();
    sqlx::query(
        "DELETE FROM postings WHERE state = ? AND kind = ? AND rank = ? AND asset = ?
         AND term IN (SELECT t.n FROM json_each(?) AS j JOIN terms AS t ON t.term = j.value)",
    )
    .bind(row.state)
    .bind(row.kind)
    .bind(row.rank)
    .bind(row.n)
    .bind(&words)
    .execute(&mut *c)
    .await?;
    sqlx::query(
        "INSERT OR IGNORE INTO postings (term, state, kind, rank, asset)
         SELECT t.n, ?, ?, ?, ? FROM json_each(?) AS j JOIN terms AS t ON t.term = j.value",
    )
    .bind(code)
    .bind(row.kind)
    .bind(rank)
    .bind(row.n)
    .bind(&words)
    .execute(c)
    .await?;
    Ok(())
}

async fn explain(c: &mut SqliteConnection, n: i64, reason: Option<&str>) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE assets SET reason = ? WHERE n = ?").bind(reason).bind(n).execute(c).await?;
    Ok(())
}

/// Counts a capsule of a node under its new state.
async fn recount(c: &mut SqliteConnection, node: i64, from: AssetState, to: AssetState) -> Result<(), sqlx::Error> {
    let counts = |state| match state {
        AssetState::Candidate => [0, 0, 0],
        AssetState::Promoted => [1, 0, 0],
        AssetState::Rejected | AssetState::Quarantined => [0, 1, 0],
        AssetState::Revoked => [0, 0, 1],
    };
    let [before, after] = [counts(from), counts(to)];
    let [promoted, rejected, revoked]: [i64; 3] =
        std::array::from_fn(|index| after.get(index).copied().unwrap_or(0) - before.get(index).copied().unwrap_or(0));
    sqlx::query("UPDATE nodes SET promoted = promoted + ?, rejected = rejected + ?, revoked = revoked + ?, dirty = 1 WHERE n = ?")
        .bind(promoted)
        .bind(rejected)
        .bind(revoked)
        .bind(node)
        .execute(c)
        .await?;
    Ok(())
}

fn id(row: &Row) -> [u8; 32] {
    row.asset_id.as_slice().try_into().unwrap_or_default()
}
