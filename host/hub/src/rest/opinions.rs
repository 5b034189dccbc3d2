//! Votes and reviews: one of each for each node and asset, never on one's own.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use gephost_core::a2a::{Code, Problem};
use gephost_core::digest::read_object;
use serde_json::{Map, Value, json};

use super::{InPath, asked, cursor, id};
use crate::answer::{self, Outcome, Refusal};
use crate::app::Shared;
use crate::body::{collect, expect_json};
use crate::render;
use crate::store::{Explained, NodeRow, Opinion, Page};

/// Most bytes of a vote or a review. JSON may write each character as two escapes of six bytes.
const MAX_BYTES: usize = 12 * MAX_CONTENT + 1024;
/// Most characters of a review.
const MAX_CONTENT: usize = 4000;

/// `POST /a2a/assets/:id/vote`
pub(crate) async fn vote(
    State(shared): State<Arc<Shared>>,
    InPath(text): InPath,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    let (node, target, members) = voter(&shared, &text, &headers, body).await?;
    let word = members.get("vote").or_else(|| members.get("value")).or_else(|| members.get("direction"));
    let good = match word {
        Some(Value::String(word)) if word == "up" => true,
        Some(Value::String(word)) if word == "down" => false,
        Some(Value::Number(number)) if number.as_f64() == Some(1.0) => true,
        Some(Value::Number(number)) if number.as_f64() == Some(-1.0) => false,
        _ => return Err(wrong("vote", "is missing or unknown", "use \"up\" or \"down\"").into()),
    };
    let explained = opine(&shared, &node, target, Opinion::Vote(good)).await?;
    answer::json(&done(&text, &explained))
}

/// `POST /a2a/assets/:id/reviews`
pub(crate) async fn review(
    State(shared): State<Arc<Shared>>,
    InPath(text): InPath,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    let (node, target, members) = voter(&shared, &text, &headers, body).await?;
    let rating = members.get("rating").and_then(Value::as_i64).filter(|rating| (1..=5).contains(rating));
    let rating = rating
        .ok_or_else(|| wrong("rating", "is missing or no integer from 1 to 5", "use a number of stars from 1 to 5"))?;
    let content = match members.get("content").or_else(|| members.get("comment")) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if text.chars().count() <= MAX_CONTENT => text.clone(),
        Some(_) => {
            return Err(
                wrong("content", "is not a text of at most 4000 characters", "shorten it, or leave it out").into()
            );
        }
    };
    let explained = opine(&shared, &node, target, Opinion::Review { rating, content }).await?;
    answer::json(&done(&text, &explained))
}

/// `GET /a2a/assets/:id/reviews`
pub(crate) async fn reviews(
    State(shared): State<Arc<Shared>>,
    InPath(text): InPath,
    RawQuery(query): RawQuery,
) -> Outcome {
    let target = id(&text)?;
    let asked = asked(query.as_deref())?;
    let (limit, page) = (asked.limit()?, asked.page()?);
    let unknown = || {
        Problem::new(Code::NotFound, "there is no asset with this id here", "use the id of an asset that this hub has")
    };
    let subject = shared.store.subject(&target).await?.ok_or_else(unknown)?;
    let rows = shared.store.reviews(subject.capsule, page.n, limit).await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|last| cursor(Page { value: 0, n: last.n }));
    let reviews: Vec<Value> = rows
        .iter()
        .map(|row| json!({"node_id": row.node_id, "rating": row.rating, "content": row.content, "at": render::time(row.at)}))
        .collect();
    answer::json(&json!({"reviews": reviews, "count": reviews.len(), "next_cursor": next}))
}

async fn voter(
    shared: &Shared,
    text: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<(NodeRow, [u8; 32], Map<String, Value>), Refusal> {
    let target = id(text)?;
    expect_json(headers)?;
    let node = shared.holder(headers).await?;
    shared.rates.voter(&node.node_id)?;
    let bytes = collect(body, MAX_BYTES, shared.settings.limits.body_time).await?;
    let members = read_object(&bytes, MAX_BYTES)
        .map_err(|error| Problem::new(Code::ValidationError, error.to_string(), "send one JSON object"))?;
    let named = ["node_id", "sender_id"].iter().find_map(|name| members.get(*name)).and_then(Value::as_str);
    if named.is_some_and(|named| named != node.node_id) {
        let text = "the secret is that of another node";
        return Err(Problem::new(Code::NodeSecretInvalid, text, "name the node whose secret you send")
            .at("node_id")
            .into());
    }
    Ok((node, target, members))
}

async fn opine(shared: &Shared, node: &NodeRow, target: [u8; 32], opinion: Opinion) -> Result<Explained, Problem> {
    shared.store.opine(node.n, target, opinion, shared.now(), Arc::clone(&shared.scorer)).await
}

fn done(id: &str, explained: &Explained) -> Value {
    json!({
        "status": "acknowledged",
        "asset_id": id,
        "state": explained.state.as_str(),
        "gdi_score": render::rounded(explained.gdi.mean),
        "gdi_lower": render::rounded(explained.gdi.lower),
    })
}

fn wrong(name: &str, message: &str, correction: &str) -> Problem {
    Problem::new(Code::ValidationError, format!("`{name}` {message}"), correction).at(name)
}
