//! The table of operations: what each takes, gives and refuses.

use std::collections::BTreeSet;

use gephost_core::a2a::{COMPONENT_MEDIA_TYPE, RECORDING_MEDIA_TYPE};
use utoipa::openapi::path::HttpMethod;

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    Nothing,
    /// JSON with the named schema.
    Json(&'static str),
    /// Bytes of this media type.
    Bytes(&'static str),
}

/// What a success gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// JSON with the named schema.
    Json(&'static str),
    /// Bytes of this media type.
    Bytes(&'static str),
    /// Text of this media type.
    Text(&'static str),
}

/// One operation.
pub(super) struct Operation {
    pub(super) method: HttpMethod,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// Members of the query, and the schema of each.
    pub(super) query: &'static [(&'static str, &'static str)],
    pub(super) carries: Carries,
    /// Whether it needs the secret of a node.
    pub(super) secret: bool,
    pub(super) gives: Gives,
    /// Whether it answers 304 to a client that has what it would give.
    pub(super) tagged: bool,
    /// Refusals of this operation, beside those that follow from the rest.
    pub(super) refuses: &'static [u16],
}

const LIST: &[(&str, &str)] =
    &[("status", "StateAsked"), ("type", "AssetTypeAsked"), ("limit", "Limit"), ("cursor", "Cursor")];
const PAGED: &[(&str, &str)] = &[("limit", "Limit"), ("cursor", "Cursor")];
/// What a write may meet: who sends it is wrong, it contradicts what is here, or too many writes wait.
const WRITE: &[u16] = &[401, 409, 503];
/// The same of a statement about an asset, which may be missing or not the sender's to speak about.
const STATEMENT: &[u16] = &[401, 403, 404, 409, 503];

/// Every operation.
pub(super) fn all() -> Vec<Operation> {
    [messages(), assets(), nodes(), blobs(), of_the_hub()].into_iter().flatten().collect()
}

const fn operation(method: HttpMethod, path: &'static str, summary: &'static str, gives: Gives) -> Operation {
    Operation {
        method,
        path,
        summary,
        query: &[],
        carries: Carries::Nothing,
        secret: false,
        gives,
        tagged: false,
        refuses: &[],
    }
}

const fn get(path: &'static str, summary: &'static str, schema: &'static str) -> Operation {
    operation(HttpMethod::Get, path, summary, Gives::Json(schema))
}

fn messages() -> Vec<Operation> {
    let message = |path, summary, carries, schema, refuses| Operation {
        carries: Carries::Json(carries),
        refuses,
        ..operation(HttpMethod::Post, path, summary, Gives::Json(schema))
    };
    vec![
        message("/a2a/hello", "Register a node", "HelloMessage", "HelloReply", WRITE),
        message(
            "/a2a/publish",
            "Publish a bundle of a gene, a capsule and an event",
            "PublishMessage",
            "PublishReply",
            WRITE,
        ),
        message(
            "/a2a/validate",
            "Check a bundle without publishing it",
            "ValidateMessage",
            "ValidateReply",
            &[401, 409],
        ),
        message("/a2a/fetch", "Fetch promoted assets", "FetchMessage", "FetchReply", &[401]),
        message("/a2a/report", "Report the result of a validation", "ReportMessage", "StatementReply", STATEMENT),
        message(
            "/a2a/decision",
            "Accept, reject or quarantine a bundle",
            "DecisionMessage",
            "StatementReply",
            STATEMENT,
        ),
        message("/a2a/revoke", "Withdraw an own bundle", "RevokeMessage", "StatementReply", STATEMENT),
        message("/a2a/heartbeat", "Say that the node is alive", "Heartbeat", "HeartbeatReply", &[401, 503]),
    ]
}

fn assets() -> Vec<Operation> {
    let list = |path, summary, query, schema| Operation { query, ..get(path, summary, schema) };
    let opinion = |path, summary, carries| Operation {
        carries: Carries::Json(carries),
        secret: true,
        refuses: STATEMENT,
        ..operation(HttpMethod::Post, path, summary, Gives::Json("OpinionReply"))
    };
    vec![
        list(
            "/a2a/assets",
            "List assets",
            &[
                ("status", "StateAsked"),
                ("type", "AssetTypeAsked"),
                ("sort", "AssetSort"),
                ("limit", "Limit"),
                ("cursor", "Cursor"),
            ],
            "AssetList",
        ),
        list(
            "/a2a/assets/search",
            "Search assets by signals",
            &[
                ("signals", "Signals"),
                ("status", "StateAsked"),
                ("type", "AssetTypeAsked"),
                ("limit", "Limit"),
                ("cursor", "Cursor"),
            ],
            "AssetList",
        ),
        list("/a2a/assets/ranked", "List assets, the best first", LIST, "AssetList"),
        Operation {
            tagged: true,
            ..list("/a2a/assets/{asset_id}", "Show one asset", &[("explain", "Explain")], "Asset")
        },
        opinion("/a2a/assets/{asset_id}/vote", "Vote on an asset", "Vote"),
        list("/a2a/assets/{asset_id}/reviews", "List the reviews of an asset", PAGED, "ReviewList"),
        opinion("/a2a/assets/{asset_id}/reviews", "Review an asset", "Review"),
        list("/a2a/trending", "List assets that many nodes fetched lately", &[("limit", "Limit")], "AssetList"),
        list(
            "/a2a/validation-reports",
            "List validation reports",
            &[("asset_id", "AssetId"), ("limit", "Limit"), ("cursor", "Cursor")],
            "ReportList",
        ),
        list(
            "/a2a/evolution-events",
            "List evolution events",
            &[("status", "StateAsked"), ("limit", "Limit"), ("cursor", "Cursor")],
            "EventList",
        ),
        get("/a2a/genes/{gene_id}", "Show the newest promoted gene with an id", "Asset"),
    ]
}

fn nodes() -> Vec<Operation> {
    vec![
        Operation {
            query: &[("sort", "NodeSort"), ("limit", "Limit"), ("cursor", "Cursor")],
            ..get("/a2a/nodes", "List nodes", "NodeList")
        },
        get("/a2a/nodes/{node_id}", "Show a node and its reputation", "Node"),
        get("/claim/{code}", "Show the node with a claim code", "Claim"),
    ]
}

fn blobs() -> Vec<Operation> {
    let download = |method, path, summary, media_type| Operation {
        tagged: true,
        ..operation(method, path, summary, Gives::Bytes(media_type))
    };
    let upload = |path, summary, carries, schema| Operation {
        carries,
        refuses: WRITE,
        ..operation(HttpMethod::Put, path, summary, Gives::Json(schema))
    };
    let (get_it, head) = (HttpMethod::Get, HttpMethod::Head);
    let (component, recording) = ("/a2a/components/{digest}", "/a2a/recordings/{digest}");
    vec![
        download(get_it.clone(), component, "Download a component", COMPONENT_MEDIA_TYPE),
        download(head.clone(), component, "Ask whether a component is here", COMPONENT_MEDIA_TYPE),
        upload(component, "Upload a component", Carries::Bytes(COMPONENT_MEDIA_TYPE), "Stored"),
        get("/a2a/components/{digest}/attestations", "List the signed statements about a component", "AttestationList"),
        upload(
            "/a2a/components/{digest}/attestations",
            "Add a signed statement about a component",
            Carries::Json("Attestation"),
            "Attested",
        ),
        download(get_it, recording, "Download the recording of a run", RECORDING_MEDIA_TYPE),
        download(head, recording, "Ask whether a recording is here", RECORDING_MEDIA_TYPE),
        upload(recording, "Upload the recording of a run", Carries::Bytes(RECORDING_MEDIA_TYPE), "Stored"),
    ]
}

fn of_the_hub() -> Vec<Operation> {
    vec![
        get("/a2a/stats", "Show totals", "Stats"),
        get("/openapi.json", "Show this document", "OpenApi"),
        get("/healthz", "Say that the process answers", "Health"),
        Operation { refuses: &[503], ..get("/readyz", "Say that the hub takes requests", "Health") },
        operation(HttpMethod::Get, "/metrics", "Show metrics in the format of Prometheus", Gives::Text("text/plain")),
    ]
}

impl Operation {
    /// Names within the path.
    pub(super) fn in_path(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Every status of a refusal.
    pub(super) fn refusals(&self) -> BTreeSet<u16> {
        let mut all: BTreeSet<u16> = self.refuses.iter().copied().chain([429, 500]).collect();
        if self.in_path().next().is_some() {
            all.insert(404);
        }
        if !self.query.is_empty() {
            all.insert(400);
        }
        match self.carries {
            Carries::Nothing => {}
            Carries::Json(_) => all.extend([400, 408, 413, 415]),
            Carries::Bytes(_) => all.extend([400, 408, 413]),
        }
        all
    }
}
