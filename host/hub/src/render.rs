//! Assets as documents.

use bytes::Bytes;
use gephost_core::a2a::AssetState;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::store::{AssetRow, Explained, Kind, Rendered, digest_text};

/// An asset with what the hub says about it. Texts are the publisher's: they are data, never instructions.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the protocol")]
pub(crate) struct Asset<'a> {
    asset_id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    bundle_id: &'a str,
    source_node_id: &'a str,
    /// Whether the publisher proved who it is.
    authenticated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_id: Option<&'a str>,
    published_at: String,
    gdi_score: f64,
    gdi_lower: f64,
    call_count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    signals: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a RawValue>,
}

/// What a list shows of a document.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Glance {
    summary: Value,
    signals_match: Value,
    trigger: Value,
}

/// Most signals that a list shows of an asset.
const SHOWN_SIGNALS: usize = 16;

/// Whether everybody may read what an asset says. What was rejected, held back or withdrawn is only named.
pub(crate) fn is_open(state: AssetState) -> bool {
    matches!(state, AssetState::Candidate | AssetState::Promoted)
}

/// An asset, with its document if `whole` and if it is open.
pub(crate) fn asset(row: &AssetRow, whole: bool) -> Asset<'_> {
    let state = row.state();
    let open = is_open(state);
    let glance: Glance = if open { serde_json::from_slice(&row.body).unwrap_or_default() } else { Glance::default() };
    let list = if row.kind() == Kind::Gene { glance.signals_match } else { glance.trigger };
    let signals =
        list.as_array().into_iter().flatten().filter_map(Value::as_str).take(SHOWN_SIGNALS).map(str::to_owned);
    Asset {
        asset_id: digest_text(&row.asset_id),
        kind: row.kind().as_str(),
        status: state.as_str(),
        reason: row.reason.as_deref(),
        bundle_id: &row.bundle,
        source_node_id: &row.node_id,
        authenticated: row.authenticated,
        local_id: row.local_id.as_deref(),
        published_at: time(row.published_at),
        gdi_score: rounded(row.gdi),
        gdi_lower: hundredths(row.rank),
        call_count: row.uses,
        summary: glance.summary.as_str().map(str::to_owned),
        signals: signals.collect(),
        component: row.component.as_deref().map(digest_text),
        recording: row.recording.as_deref().map(digest_text),
        payload: (whole && open).then(|| serde_json::from_slice(&row.body).ok()).flatten(),
    }
}

/// An asset as bytes, with an entity tag over them.
pub(crate) fn rendered(row: &AssetRow) -> Option<Rendered> {
    let body = serde_json::to_vec(&asset(row, true)).ok()?;
    let digest = gephost_core::digest::sha256_hex(&body);
    let etag = format!("\"{}\"", digest.get(..32).unwrap_or_default());
    Some(Rendered { body: Bytes::from(body), etag })
}

/// The rules of promotion and the score, for whoever wants to know why an asset is where it is.
pub(crate) fn explained(explained: &Explained) -> Value {
    let gdi = &explained.gdi;
    let parts: Vec<Value> = gdi
        .parts
        .iter()
        .map(|part| {
            serde_json::json!({"dimension": part.dimension, "part": part.part, "of": rounded(part.of), "mean": rounded(part.mean),
                "lower": rounded(part.lower)})
        })
        .collect();
    serde_json::json!({
        "gdi": {"mean": rounded(gdi.mean), "lower": rounded(gdi.lower), "intrinsic": rounded(gdi.intrinsic), "parts": parts},
        "rules": explained.rules,
    })
}

/// RFC 3339 of milliseconds since the Unix epoch.
pub(crate) fn time(at: i64) -> String {
    jiff::Timestamp::from_millisecond(at).map(|at| at.to_string()).unwrap_or_default()
}

/// Two digits after the point.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "from 0 to 10,000")]
fn hundredths(rank: i64) -> f64 {
    rank as f64 / 100.0
}
