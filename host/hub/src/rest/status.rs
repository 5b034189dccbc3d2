//! How the hub is.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::IntoResponse as _;
use gephost_core::a2a::{AssetState, Code, Problem};
use serde_json::json;

use crate::answer::{self, Outcome};
use crate::app::Shared;

/// `GET /healthz`: the process answers.
pub(crate) async fn healthz() -> Outcome {
    answer::json(&json!({"status": "ok"}))
}

/// `GET /readyz`: the database answers, and the hub is not stopping.
pub(crate) async fn readyz(State(shared): State<Arc<Shared>>) -> Outcome {
    if shared.draining.load(Ordering::Relaxed) {
        return Err(Problem::new(
            Code::ServerBusy,
            "the hub is stopping",
            "use another hub, or wait for the next start",
        )
        .into());
    }
    shared.store.counts().await?;
    answer::json(&json!({"status": "ready"}))
}

/// `GET /a2a/stats`
pub(crate) async fn stats(State(shared): State<Arc<Shared>>) -> Outcome {
    let counts = shared.store.counts().await?;
    let mut states = serde_json::Map::new();
    for (state, count) in AssetState::ALL.into_iter().zip(counts.capsules) {
        states.insert(state.as_str().to_owned(), count.into());
    }
    answer::json(&json!({
        "status": "ok",
        "protocol": gephost_core::a2a::PROTOCOL,
        "protocol_version": gephost_core::a2a::PROTOCOL_VERSION,
        "total_nodes": counts.nodes,
        "total_bundles": counts.capsules.iter().sum::<i64>(),
        "bundles_by_status": states,
        "promoted": counts.capsules.get(1),
        "server_time": (shared.clock)().to_string(),
    }))
}

/// `GET /metrics`, in the text format of Prometheus.
pub(crate) async fn metrics(State(shared): State<Arc<Shared>>) -> Outcome {
    let counts = shared.store.counts().await?;
    let written = shared.store.writer.counts();
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, help: &str, values: &[(String, i64)]| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(text, "{name}{labels} {value}");
        }
    };
    let one = |value: &std::sync::atomic::AtomicU64| {
        vec![(String::new(), i64::try_from(value.load(Ordering::Relaxed)).unwrap_or(i64::MAX))]
    };
    let states: Vec<_> = AssetState::ALL
        .into_iter()
        .zip(counts.capsules)
        .map(|(state, count)| (format!("{{status=\"{state}\"}}"), count))
        .collect();
    add("gephost_hub_bundles", "gauge", "Bundles by status.", &states);
    add("gephost_hub_nodes", "gauge", "Nodes.", &[(String::new(), counts.nodes)]);
    add("gephost_hub_writes_total", "counter", "Writes that were committed.", &one(&written.writes));
    add("gephost_hub_commits_total", "counter", "Transactions.", &one(&written.commits));
    add("gephost_hub_failed_commits_total", "counter", "Transactions that failed.", &one(&written.failed));
    add("gephost_hub_busy_total", "counter", "Writes that found the queue full.", &one(&written.busy));
    let mut response = text.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    answer::harden(response.headers_mut());
    Ok(response)
}
