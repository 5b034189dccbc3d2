//! Lists of assets, one asset, and the newest gene of a name.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use gephost_core::a2a::{AssetState, Code, Problem};
use serde_json::{Value, json};

use super::{Asked, InPath, asked, cursor, id, wrong};
use crate::answer::{self, Outcome};
use crate::app::Shared;
use crate::render;
use crate::store::{AssetRow, Listing, Order, Page};

/// Furthest that a search may be paged.
const MAX_FOUND: usize = 1000;
/// Most signals of one search.
const MAX_SIGNALS: usize = 16;

fn listed(rows: &[AssetRow], next: Option<String>) -> Outcome {
    let assets = rows
        .iter()
        .map(|row| serde_json::to_value(render::asset(row, false)).map_err(|_| answer::unwritable()))
        .collect::<Result<Vec<Value>, _>>()?;
    answer::json(&json!({"assets": assets, "count": assets.len(), "next_cursor": next}))
}

async fn list(shared: &Shared, asked: &Asked, order: Order) -> Outcome {
    let limit = asked.limit()?;
    let listing = Listing { state: asked.state()?, kind: asked.kind()?, order, after: asked.page()?, limit };
    let rows = shared.store.list(listing).await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|last| cursor(Page { value: order.value(last), n: last.n }));
    listed(&rows, next)
}

/// `GET /a2a/assets`
pub(crate) async fn all(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    let asked = asked(query.as_deref())?;
    let order = match asked.sort.as_deref().unwrap_or("newest") {
        "newest" | "" => Order::Newest,
        "ranked" => Order::Ranked,
        "most_used" => Order::MostUsed,
        _ => return Err(wrong("sort", "is unknown", "use newest, ranked or most_used").into()),
    };
    list(&shared, &asked, order).await
}

/// `GET /a2a/assets/ranked`
pub(crate) async fn ranked(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    list(&shared, &asked(query.as_deref())?, Order::Ranked).await
}

/// `GET /a2a/trending`
pub(crate) async fn trending(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    let asked = asked(query.as_deref())?;
    let limit = asked.limit()?;
    let rows = shared.store.trending(limit, shared.now()).await?;
    listed(&rows, None)
}

/// `GET /a2a/assets/search`
pub(crate) async fn search(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    let asked = asked(query.as_deref())?;
    let signals: Vec<String> = asked
        .signals
        .as_deref()
        .unwrap_or("")
        .split(',')
        .filter(|signal| !signal.trim().is_empty())
        .take(MAX_SIGNALS)
        .map(str::to_owned)
        .collect();
    if signals.is_empty() {
        return Err(wrong("signals", "is missing or empty", "name one or more signals, separated by commas").into());
    }
    let limit = usize::try_from(asked.limit()?).unwrap_or(0);
    let page = asked.page()?;
    let skip = if page == Page::FIRST { 0 } else { usize::try_from(page.n).unwrap_or(MAX_FOUND).min(MAX_FOUND) };
    let found = shared.store.search(&signals, asked.state()?, asked.kind()?, skip, limit).await?;
    let rows = shared.store.assets_by_row(&found).await?;
    let more = found.len() == limit && skip + limit < MAX_FOUND;
    let next = more.then(|| cursor(Page { value: 0, n: i64::try_from(skip + limit).unwrap_or(0) }));
    listed(&rows, next)
}

/// `GET /a2a/assets/:id`
pub(crate) async fn one(
    State(shared): State<Arc<Shared>>,
    InPath(text): InPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Outcome {
    let id = id(&text)?;
    let explain = match query.as_deref() {
        None => false,
        Some(query) => matches!(asked(Some(query))?.explain.as_deref(), Some("1" | "true")),
    };
    if !explain {
        if let Some(cached) = shared.store.cache.get(&id) {
            return Ok(answer::tagged(&headers, cached.body, &cached.etag));
        }
        let generation = shared.store.cache.generation();
        let row = found(shared.store.asset(&id).await?)?;
        let rendered = render::rendered(&row).ok_or_else(answer::unwritable)?;
        shared.store.cache.put(id, rendered.clone(), generation);
        return Ok(answer::tagged(&headers, rendered.body, &rendered.etag));
    }
    let row = found(shared.store.asset(&id).await?)?;
    let explained = shared.store.explain(row.capsule(), &shared.scorer, shared.now()).await?;
    let mut document = serde_json::to_value(render::asset(&row, true)).map_err(|_| answer::unwritable())?;
    if let (Some(members), Value::Object(why)) = (document.as_object_mut(), render::explained(&explained)) {
        members.extend(why);
        let replay = shared.store.replay_of(row.capsule()).await?;
        members.insert(
            "replay".to_owned(),
            replay.map_or(Value::Null, |(outcome, reason)| json!({"outcome": outcome, "reason": reason})),
        );
    }
    answer::json(&document)
}

/// `GET /a2a/genes/:gene_id`
pub(crate) async fn gene(State(shared): State<Arc<Shared>>, InPath(name): InPath) -> Outcome {
    let row = shared.store.gene(&name).await?.ok_or_else(|| {
        let correction = "search by signals, or name the gene by its asset id";
        Problem::new(Code::NotFound, "no promoted gene has this id", correction)
    })?;
    answer::json(&render::asset(&row, true))
}

/// `GET /a2a/evolution-events`
pub(crate) async fn events(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Outcome {
    let mut asked = asked(query.as_deref())?;
    asked.kind = Some("EvolutionEvent".to_owned());
    let limit = asked.limit()?;
    let state = if asked.status.is_some() { asked.state()? } else { AssetState::Promoted };
    let listing = Listing { state, kind: asked.kind()?, order: Order::Newest, after: asked.page()?, limit };
    let rows = shared.store.list(listing).await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|last| cursor(Page { value: 0, n: last.n }));
    let events = rows
        .iter()
        .map(|row| serde_json::to_value(render::asset(row, true)).map_err(|_| answer::unwritable()))
        .collect::<Result<Vec<Value>, _>>()?;
    answer::json(&json!({"events": events, "count": events.len(), "next_cursor": next}))
}

fn found(row: Option<AssetRow>) -> Result<AssetRow, Problem> {
    row.ok_or_else(|| {
        let correction = "search by signals with GET /a2a/assets/search, or publish it";
        Problem::new(Code::NotFound, "there is no asset with this id here", correction)
    })
}
