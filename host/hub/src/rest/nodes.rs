//! Nodes and their reputation.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use gephost_core::a2a::{Code, NodeId, Problem};
use serde_json::{Value, json};

use super::{InPath, asked, cursor, wrong};
use crate::answer::{self, Outcome};
use crate::app::Shared;
use crate::render;
use crate::store::{NodeRow, Page};

/// Furthest that the list of nodes may be paged.
const MAX_OFFSET: i64 = 10_000;

fn shown(node: &NodeRow) -> Value {
    json!({
        "node_id": node.node_id,
        "registered": node.is_registered(),
        "key_pinned": node.key.is_some(),
        "reputation_score": render::rounded(node.reputation),
        "total_published": node.published,
        "total_promoted": node.promoted,
        "total_rejected": node.rejected,
        "total_revoked": node.revoked,
        "platform": node.platform,
        "arch": node.arch,
        "first_seen": render::time(node.first_seen),
        "last_seen": render::time(node.last_seen),
    })
}

/// `GET /a2a/nodes`
pub(crate) async fn all(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    let asked = asked(query.as_deref())?;
    let by_reputation = match asked.sort.as_deref().unwrap_or("reputation") {
        "reputation" | "" => true,
        "newest" => false,
        _ => return Err(wrong("sort", "is unknown", "use reputation or newest").into()),
    };
    let limit = asked.limit()?;
    let page = asked.page()?;
    let offset = if page == Page::FIRST { 0 } else { page.n.min(MAX_OFFSET) };
    let nodes = shared.store.nodes(by_reputation, limit, offset).await?;
    let more = i64::try_from(nodes.len()).is_ok_and(|count| count == limit) && offset + limit < MAX_OFFSET;
    let next = more.then(|| cursor(Page { value: 0, n: offset + limit }));
    let nodes: Vec<Value> = nodes.iter().map(shown).collect();
    answer::json(&json!({"nodes": nodes, "count": nodes.len(), "next_cursor": next}))
}

/// `GET /a2a/nodes/:node_id`
pub(crate) async fn one(State(shared): State<Arc<Shared>>, InPath(id): InPath) -> Outcome {
    let known = match NodeId::read(&id) {
        Some(id) => shared.store.node(id.as_str()).await?,
        None => None,
    };
    let unknown = || Problem::new(Code::NotFound, "there is no node with this id here", "say hello with it first");
    answer::json(&shown(&known.ok_or_else(unknown)?))
}

/// `GET /claim/:code`
pub(crate) async fn claim(State(shared): State<Arc<Shared>>, InPath(code): InPath) -> Outcome {
    let known = shared.store.claimed(&code, shared.now()).await?;
    let unknown =
        || Problem::new(Code::NotFound, "there is no such claim code, or it is too old", "send another hello");
    let node = known.ok_or_else(unknown)?;
    let hint = "this hub has no accounts: the code only shows that the node said hello here";
    answer::json(
        &json!({"node_id": node.node_id, "claim_expires_at": render::time(node.claim_until.unwrap_or_default()), "note": hint}),
    )
}
