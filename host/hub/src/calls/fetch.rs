//! Gives promoted assets away: by signals, by id, or the best.

use gephost_core::a2a::{AssetState, Code, MessageType, Problem};
use serde_json::{Map, Value, json};

use super::received::Received;
use super::reply::reply;
use crate::answer::{self, Outcome};
use crate::app::Shared;
use crate::render;
use crate::store::{AssetRow, Kind, Listing, Order, Page, digest_bytes};

/// Most assets of one answer.
const MAX_RESULTS: usize = 50;
const RESULTS: usize = 20;
/// Most bytes of the documents of one answer. Further assets are only described.
const MAX_BYTES: usize = 4 << 20;
/// Most signals of one search.
const MAX_SIGNALS: usize = 16;

/// What is asked for.
struct Asked {
    kind: Option<Kind>,
    ids: Option<Vec<[u8; 32]>>,
    local_id: Option<String>,
    signals: Vec<String>,
    search_only: bool,
    /// Only tasks, of which this hub has none.
    tasks_only: bool,
    limit: usize,
}

/// Answers a fetch: only promoted assets, and of each what its publisher named by its id.
pub(super) async fn take(shared: &Shared, received: Received) -> Outcome {
    let asked = Asked::read(&received.envelope.payload)?;
    let mut rows = if asked.tasks_only { Vec::new() } else { find(shared, &asked).await? };
    rows.retain(|row| row.state() == AssetState::Promoted && asked.kind.is_none_or(|kind| row.kind() == kind));
    rows.truncate(asked.limit);
    let mut bytes = 0;
    let mut truncated = false;
    // A description, or the asset alone: clients in use compute the id of a result as it stands. Then what the hub says about
    // each asset is in `details`.
    let (mut results, mut details) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in &rows {
        let described = serde_json::to_value(render::asset(row, false)).map_err(|_| answer::unwritable())?;
        if asked.search_only {
            results.push(described);
            continue;
        }
        details.push(described);
        bytes += row.body.len();
        if bytes <= MAX_BYTES || results.is_empty() {
            results.push(serde_json::from_slice::<Value>(&row.body).map_err(|_| answer::unwritable())?);
        } else {
            truncated = true;
        }
    }
    if let Some(node) = received.caller.node.as_ref().filter(|_| received.caller.proven && !asked.search_only) {
        for row in rows.iter().filter(|row| row.node_id != node.node_id) {
            shared.fetches.count(row.capsule(), node.n);
        }
    }
    // Clients look for results in the payload; they are not sent twice.
    let count = results.len();
    let mut document =
        reply(MessageType::Fetch, json!({"status": "ok", "count": count, "truncated": truncated, "tasks": []}));
    if let Some(payload) = document.get_mut("payload").and_then(Value::as_object_mut) {
        payload.insert("results".to_owned(), results.into());
        payload.insert("details".to_owned(), details.into());
    }
    answer::json(&document)
}

async fn find(shared: &Shared, asked: &Asked) -> Result<Vec<AssetRow>, Problem> {
    let store = &shared.store;
    if let Some(ids) = &asked.ids {
        return store.assets_by_id(ids).await;
    }
    if let Some(local_id) = &asked.local_id {
        return store.assets_by_local_id(local_id, asked.kind, asked.limit.try_into().unwrap_or(0)).await;
    }
    if !asked.signals.is_empty() {
        let rows = store.search(&asked.signals, AssetState::Promoted, asked.kind, 0, asked.limit).await?;
        return store.assets_by_row(&rows).await;
    }
    let limit = asked.limit.try_into().unwrap_or(0);
    let listing =
        Listing { state: AssetState::Promoted, kind: asked.kind, order: Order::Ranked, after: Page::FIRST, limit };
    store.list(listing).await
}

impl Asked {
    fn read(payload: &Map<String, Value>) -> Result<Self, Problem> {
        let given = |name: &str| payload.get(name).filter(|value| !value.is_null());
        let text = |name: &'static str| -> Result<Option<&str>, Problem> {
            given(name)
                .map(|value| value.as_str().ok_or_else(|| wrong(name, "is not a string", "send a string or null")))
                .transpose()
        };
        let flag = |name: &'static str| -> Result<bool, Problem> {
            given(name).map_or(Ok(false), |value| {
                value.as_bool().ok_or_else(|| wrong(name, "is not true or false", "send true or false"))
            })
        };
        let kind = text("asset_type")?
            .map(|word| {
                Kind::of(word).ok_or_else(|| {
                    wrong("asset_type", "is no type of asset", "use Gene, Capsule, EvolutionEvent or null")
                })
            })
            .transpose()?;
        let mut ids = None;
        if let Some(value) = given("asset_ids") {
            let list =
                value.as_array().ok_or_else(|| wrong("asset_ids", "is not an array", "send an array of asset ids"))?;
            ids = Some(read_ids(list)?);
        } else if let Some(id) = text("content_hash")?.or(text("asset_id")?) {
            let id = digest_bytes(id)
                .ok_or_else(|| wrong("content_hash", "is not an asset id", "use sha256: and 64 hexadecimal digits"))?;
            ids = Some(vec![id]);
        }
        flag("include_tasks")?;
        let limit = match given("limit") {
            None => RESULTS,
            Some(value) => read_limit(value)
                .ok_or_else(|| wrong("limit", "is not a positive integer", "use a number from 1 to 50"))?,
        };
        Ok(Self {
            kind,
            limit: ids.as_ref().map_or(limit, Vec::len),
            ids,
            local_id: text("local_id")?.map(str::to_owned),
            signals: read_signals(given("signals"))?,
            search_only: flag("search_only")?,
            tasks_only: flag("tasks_only")?,
        })
    }
}

/// A whole number of at least 1. What is more than an answer holds, however large, counts as that.
fn read_limit(value: &Value) -> Option<usize> {
    if let Some(limit) = value.as_u64() {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        return (limit > 0).then_some(limit.min(MAX_RESULTS));
    }
    // JSON writes the integer 5 also as 5.0 or 5e0, and numbers beyond u64 are read as floats.
    let limit = value.as_f64().filter(|limit| *limit >= 1.0 && limit.fract() == 0.0)?;
    (1..=MAX_RESULTS).rev().find(|count| u32::try_from(*count).is_ok_and(|count| f64::from(count) <= limit))
}

fn read_ids(list: &[Value]) -> Result<Vec<[u8; 32]>, Problem> {
    if list.len() > MAX_RESULTS {
        return Err(wrong("asset_ids", "has too many members", "ask for at most 50 at a time"));
    }
    let mut ids = Vec::with_capacity(list.len());
    for (place, id) in list.iter().enumerate() {
        let id = id.as_str().and_then(digest_bytes).ok_or_else(|| {
            Problem::new(Code::ValidationError, "this is not an asset id", "use sha256: and 64 hexadecimal digits")
                .at(format!("payload.asset_ids[{place}]"))
        })?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn read_signals(value: Option<&Value>) -> Result<Vec<String>, Problem> {
    let refuse = || wrong("signals", "is neither a text nor an array of texts", "send an array of signals");
    let signals: Vec<String> = match value {
        None => Vec::new(),
        Some(Value::String(text)) => text.split(',').map(str::to_owned).collect(),
        Some(Value::Array(list)) => {
            list.iter().map(|signal| signal.as_str().map(str::to_owned).ok_or_else(refuse)).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(refuse()),
    };
    Ok(signals.into_iter().filter(|signal| !signal.trim().is_empty()).take(MAX_SIGNALS).collect())
}

fn wrong(name: &str, message: &str, correction: &str) -> Problem {
    let field = format!("payload.{name}");
    Problem::new(Code::ValidationError, format!("`{field}` {message}"), correction).at(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_any_positive_integer_and_bounded() {
        for (value, expected) in [
            (json!(1), Some(1)),
            (json!(50), Some(50)),
            (json!(51), Some(50)),
            (json!(u64::MAX), Some(50)),
            (json!(3.0), Some(3)),
            (json!(1e30), Some(50)),
            (json!(0), None),
            (json!(-1), None),
            (json!(2.5), None),
            (json!(0.5), None),
            (json!("5"), None),
        ] {
            assert_eq!(read_limit(&value), expected, "{value}");
        }
    }
}
