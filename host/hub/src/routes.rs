//! Which path leads where.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use gephost_core::a2a::{Code, MessageType, Problem};

use crate::answer::{Outcome, Refusal};
use crate::app::{Peer, Shared};
use crate::rest::{assets, blobs, lists, nodes, opinions, status};
use crate::{calls, openapi};

/// All paths of the hub.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let mut router = Router::new();
    for kind in MessageType::ALL {
        router = router.route(
            &format!("/a2a/{kind}"),
            post(move |state, peer, headers, body| message(kind, state, peer, headers, body)),
        );
    }
    router
        .route("/a2a/assets", get(assets::all))
        .route("/a2a/assets/search", get(assets::search))
        .route("/a2a/assets/ranked", get(assets::ranked))
        .route("/a2a/assets/{asset_id}", get(assets::one))
        .route("/a2a/assets/{asset_id}/vote", post(opinions::vote))
        .route("/a2a/assets/{asset_id}/reviews", get(opinions::reviews).post(opinions::review))
        .route("/a2a/nodes", get(nodes::all))
        .route("/a2a/nodes/{node_id}", get(nodes::one))
        .route("/a2a/stats", get(status::stats))
        .route("/a2a/trending", get(assets::trending))
        .route("/a2a/validation-reports", get(lists::reports))
        .route("/a2a/evolution-events", get(assets::events))
        .route("/a2a/components/{digest}", get(blobs::component).put(blobs::put_component))
        .route("/a2a/components/{digest}/attestations", get(blobs::attestations).put(blobs::attest))
        .route("/a2a/recordings/{digest}", get(blobs::recording).put(blobs::put_recording))
        .route("/a2a/genes/{gene_id}", get(assets::gene))
        .route("/claim/{code}", get(nodes::claim))
        .route("/openapi.json", get(openapi::document))
        .route("/healthz", get(status::healthz))
        .route("/readyz", get(status::readyz))
        .route("/metrics", get(status::metrics))
        .fallback(unknown)
        .method_not_allowed_fallback(other_method)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), limit))
        .with_state(shared)
}

async fn message(
    kind: MessageType,
    State(shared): State<Arc<Shared>>,
    axum::Extension(peer): axum::Extension<Peer>,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    calls::take(kind, shared, peer, headers, body).await
}

/// Every request counts for its address, also those that are refused.
async fn limit(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let free = matches!(request.uri().path(), "/healthz" | "/readyz");
    let peer = request.extensions().get::<Peer>().copied();
    match peer.filter(|_| !free).map_or(Ok(()), |peer| shared.rates.address(peer.0)) {
        Ok(()) => next.run(request).await,
        Err(limited) => Refusal::from(limited).into_response(),
    }
}

async fn unknown(uri: Uri) -> Outcome {
    let path = uri.path();
    let shown: String = path.chars().take(80).collect();
    let correction = match path.strip_prefix("/a2a/a2a") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let rest: String = rest.chars().take(80).collect();
            format!("write `/a2a` once: /a2a{rest}. The address of a hub ends before `/a2a`")
        }
        _ if path.starts_with("/task")
            || path.starts_with("/a2a/task")
            || path.starts_with("/bounty")
            || path.starts_with("/kg") =>
        {
            "this hub has no tasks, bounties or knowledge graph yet".to_owned()
        }
        _ if path.strip_prefix("/a2a/").is_some_and(|rest| MessageType::of(rest.trim_end_matches('/')).is_some()) => {
            "write the path without a slash at its end".to_owned()
        }
        _ => "GET /openapi.json lists all paths".to_owned(),
    };
    Err(Problem::new(Code::NotFound, format!("there is no {shown:?} here"), correction).into())
}

async fn other_method(method: Method, uri: Uri) -> Outcome {
    let path = uri.path();
    let kind = path.strip_prefix("/a2a/").and_then(MessageType::of);
    let (allow, correction) = match kind {
        Some(kind) => ("POST", format!("send a POST with the envelope of a {kind} message")),
        None if path.ends_with("/vote") => ("POST", "send a POST".to_owned()),
        None if path.ends_with("/reviews") => ("GET, HEAD, POST", "use GET or POST".to_owned()),
        None if path.starts_with("/a2a/components/") || path.starts_with("/a2a/recordings/") => {
            ("GET, HEAD, PUT", "use GET, HEAD or PUT".to_owned())
        }
        None => ("GET, HEAD", "send a GET".to_owned()),
    };
    let problem = Problem::new(Code::MethodNotAllowed, format!("{method} is not a method of this path"), correction);
    Err(Refusal::from(problem).allowing(allow))
}
