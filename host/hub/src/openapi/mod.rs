//! The `OpenAPI` document, from one table of operations.

use axum::extract::State;
use serde_json::{Value, json};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr, Required, ResponseBuilder,
};

use crate::answer::{self, Outcome};

/// What a request carries.
#[derive(Clone, Copy)]
enum Carries {
    Nothing,
    Envelope,
    Json(&'static str),
    Bytes(&'static str),
}

/// One operation.
struct Operation {
    method: HttpMethod,
    path: &'static str,
    summary: &'static str,
    /// Members of the query, and whether they are integers.
    query: &'static [(&'static str, bool)],
    carries: Carries,
    /// Whether it needs the secret of a node.
    secret: bool,
    /// The media type of a success.
    gives: &'static str,
}

const JSON: &str = "application/json";
const WASM: &str = gephost_core::a2a::COMPONENT_MEDIA_TYPE;
const RECORDING: &str = gephost_core::a2a::RECORDING_MEDIA_TYPE;
const LIST: &[(&str, bool)] = &[("status", false), ("type", false), ("limit", true), ("cursor", false)];
const PAGED: &[(&str, bool)] = &[("limit", true), ("cursor", false)];

const fn operation(method: HttpMethod, path: &'static str, summary: &'static str) -> Operation {
    Operation { method, path, summary, query: &[], carries: Carries::Nothing, secret: false, gives: JSON }
}

fn operations() -> Vec<Operation> {
    use HttpMethod::{Get, Head, Post, Put};
    let message = |path, summary| Operation { carries: Carries::Envelope, ..operation(Post, path, summary) };
    let list = |path, summary, query| Operation { query, ..operation(Get, path, summary) };
    vec![
        message("/a2a/hello", "Register a node"),
        message("/a2a/publish", "Publish a bundle of a gene, a capsule and an event"),
        message("/a2a/fetch", "Fetch promoted assets"),
        message("/a2a/report", "Report the result of a validation"),
        message("/a2a/decision", "Accept, reject or quarantine a bundle"),
        message("/a2a/revoke", "Withdraw an own bundle"),
        message("/a2a/heartbeat", "Say that the node is alive"),
        list(
            "/a2a/assets",
            "List assets",
            &[("status", false), ("type", false), ("sort", false), ("limit", true), ("cursor", false)],
        ),
        list(
            "/a2a/assets/search",
            "Search assets by signals",
            &[("signals", false), ("status", false), ("type", false), ("limit", true), ("cursor", false)],
        ),
        list("/a2a/assets/ranked", "List assets, the best first", LIST),
        list("/a2a/assets/{asset_id}", "Show one asset", &[("explain", false)]),
        Operation {
            carries: Carries::Json("Vote"),
            secret: true,
            ..operation(Post, "/a2a/assets/{asset_id}/vote", "Vote on an asset")
        },
        list("/a2a/assets/{asset_id}/reviews", "List the reviews of an asset", PAGED),
        Operation {
            carries: Carries::Json("Review"),
            secret: true,
            ..operation(Post, "/a2a/assets/{asset_id}/reviews", "Review an asset")
        },
        list("/a2a/nodes", "List nodes", &[("sort", false), ("limit", true), ("cursor", false)]),
        operation(Get, "/a2a/nodes/{node_id}", "Show a node and its reputation"),
        operation(Get, "/a2a/stats", "Show totals"),
        list("/a2a/trending", "List assets that many nodes fetched lately", &[("limit", true)]),
        list(
            "/a2a/validation-reports",
            "List validation reports",
            &[("asset_id", false), ("limit", true), ("cursor", false)],
        ),
        list("/a2a/evolution-events", "List evolution events", PAGED),
        Operation { gives: WASM, ..operation(Get, "/a2a/components/{digest}", "Download a component") },
        Operation { gives: WASM, ..operation(Head, "/a2a/components/{digest}", "Ask whether a component is here") },
        Operation { carries: Carries::Bytes(WASM), ..operation(Put, "/a2a/components/{digest}", "Upload a component") },
        operation(Get, "/a2a/components/{digest}/attestations", "List the signed statements about a component"),
        Operation {
            carries: Carries::Json("Attestation"),
            ..operation(Put, "/a2a/components/{digest}/attestations", "Add a signed statement about a component")
        },
        Operation { gives: RECORDING, ..operation(Get, "/a2a/recordings/{digest}", "Download the recording of a run") },
        Operation {
            gives: RECORDING,
            ..operation(Head, "/a2a/recordings/{digest}", "Ask whether a recording is here")
        },
        Operation {
            carries: Carries::Bytes(RECORDING),
            ..operation(Put, "/a2a/recordings/{digest}", "Upload the recording of a run")
        },
        operation(Get, "/a2a/genes/{gene_id}", "Show the newest promoted gene with an id"),
        operation(Get, "/claim/{code}", "Show the node with a claim code"),
        operation(Get, "/openapi.json", "Show this document"),
        operation(Get, "/healthz", "Say that the process answers"),
        operation(Get, "/readyz", "Say that the hub takes requests"),
        Operation { gives: "text/plain", ..operation(Get, "/metrics", "Show metrics in the format of Prometheus") },
    ]
}

/// `GET /openapi.json`
pub(crate) async fn document(State(_): State<std::sync::Arc<crate::app::Shared>>) -> Outcome {
    answer::json(&openapi())
}

fn openapi() -> OpenApi {
    let mut paths = PathsBuilder::new();
    for operation in operations() {
        paths = paths.path(operation.path, PathItem::new(operation.method.clone(), describe(&operation)));
    }
    let bearer =
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("The `node_secret` of a hello")).build();
    let components = ComponentsBuilder::new()
        .security_scheme("node_secret", SecurityScheme::Http(bearer))
        .schema("Envelope", envelope())
        .schema("Problem", problem())
        .schema("Vote", of(&json!({"type": "object", "required": ["vote"], "properties": {"vote": {"type": "string", "enum": ["up", "down"]}, "node_id": {"type": "string"}}})))
        .schema("Review", of(&json!({"type": "object", "required": ["rating"], "properties": {"rating": {"type": "integer", "minimum": 1, "maximum": 5}, "content": {"type": "string", "maxLength": 4000}, "node_id": {"type": "string"}}})))
        .schema("Attestation", of(&json!({"type": "object", "required": ["payloadType", "payload", "signatures"], "properties": {"payloadType": {"type": "string"}, "payload": {"type": "string"}, "signatures": {"type": "array", "minItems": 1, "items": {"type": "object"}}}})))
        .build();
    let info = InfoBuilder::new()
        .title("gephost hub")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Compatible with GEP-A2A 1.0.0. An independent implementation, not affiliated with the authors of the protocol."))
        .build();
    OpenApiBuilder::new().info(info).paths(paths.build()).components(Some(components)).build()
}

fn describe(operation: &Operation) -> utoipa::openapi::path::Operation {
    let mut built = OperationBuilder::new().summary(Some(operation.summary));
    for name in in_path(operation.path) {
        built = built.parameter(parameter(name, ParameterIn::Path, Required::True, false));
    }
    for (name, integer) in operation.query {
        built = built.parameter(parameter(
            name,
            ParameterIn::Query,
            if *name == "signals" { Required::True } else { Required::False },
            *integer,
        ));
    }
    let content = match operation.carries {
        Carries::Nothing => None,
        Carries::Envelope => Some((JSON, RefOr::Ref(Ref::from_schema_name("Envelope")))),
        Carries::Json(name) => Some((JSON, RefOr::Ref(Ref::from_schema_name(name)))),
        Carries::Bytes(media_type) => Some((media_type, RefOr::T(bytes()))),
    };
    if let Some((media_type, schema)) = content {
        let body = ContentBuilder::new().schema(Some(schema)).build();
        built = built.request_body(Some(
            RequestBodyBuilder::new().content(media_type, body).required(Some(Required::True)).build(),
        ));
    }
    if operation.secret {
        built = built.security(SecurityRequirement::new("node_secret", Vec::<String>::new()));
    }
    let success =
        ContentBuilder::new().schema(Some(RefOr::T(if operation.gives == JSON { object() } else { bytes() }))).build();
    let done = ResponseBuilder::new().description("Done").content(operation.gives, success).build();
    let refused = ContentBuilder::new().schema(Some(RefOr::<Schema>::Ref(Ref::from_schema_name("Problem")))).build();
    let refused = ResponseBuilder::new().description("Refused").content("application/problem+json", refused).build();
    built = built.response("200", done.clone());
    if operation.method == HttpMethod::Put {
        built = built.response("201", done);
    }
    built.response("default", refused).build()
}

fn in_path(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn parameter(name: &str, place: ParameterIn, required: Required, integer: bool) -> Parameter {
    let schema = if integer {
        ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).build()
    } else {
        ObjectBuilder::new().schema_type(Type::String).build()
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .schema(Some(Schema::Object(schema)))
        .build()
}

fn object() -> Schema {
    Schema::Object(ObjectBuilder::new().schema_type(Type::Object).build())
}

fn bytes() -> Schema {
    let format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
    Schema::Object(ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).format(format).build())
}

/// A schema that is written as JSON. The literals of this file are schemas.
fn of(schema: &Value) -> RefOr<Schema> {
    serde_json::from_value(schema.clone()).unwrap_or_else(|_| RefOr::T(object()))
}

fn envelope() -> RefOr<Schema> {
    of(&json!({
        "type": "object",
        "required": ["protocol", "protocol_version", "message_type", "message_id", "sender_id", "timestamp", "payload"],
        "properties": {
            "protocol": {"type": "string", "enum": ["gep-a2a"]},
            "protocol_version": {"type": "string", "enum": ["1.0.0"]},
            "message_type": {"type": "string", "enum": ["hello", "publish", "fetch", "report", "decision", "revoke", "heartbeat"]},
            "message_id": {"type": "string", "minLength": 1, "maxLength": 128},
            "sender_id": {"type": "string", "pattern": "^node_([0-9a-f]{12}|[0-9a-f]{16})$"},
            "timestamp": {"type": "string", "format": "date-time"},
            "payload": {"type": "object"},
        },
    }))
}

fn problem() -> RefOr<Schema> {
    of(&json!({
        "type": "object",
        "required": ["error", "code", "message", "correction", "type", "title", "status", "detail"],
        "properties": {
            "error": {"type": "string"},
            "code": {"type": "string"},
            "message": {"type": "string"},
            "correction": {"type": "string"},
            "field": {"type": "string"},
            "retry_after_ms": {"type": "integer"},
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_every_operation_and_its_parameters() {
        let document = serde_json::to_value(openapi()).expect("JSON");
        for operation in operations() {
            let method = match operation.method {
                HttpMethod::Get => "get",
                HttpMethod::Head => "head",
                HttpMethod::Put => "put",
                _ => "post",
            };
            let described = &document["paths"][operation.path][method];
            assert_eq!(described["summary"], operation.summary, "{} {method}", operation.path);
            let parameters = described["parameters"].as_array().map_or(0, Vec::len);
            assert_eq!(parameters, in_path(operation.path).count() + operation.query.len(), "{}", operation.path);
        }
        assert_eq!(document["components"]["schemas"]["Envelope"]["required"].as_array().map(Vec::len), Some(7));
        assert_eq!(document["components"]["schemas"]["Problem"]["properties"]["status"]["type"], "integer");
        assert_eq!(document["components"]["schemas"]["Review"]["properties"]["rating"]["maximum"], 5);
    }
}
