//! The `OpenAPI` document, from one table of operations and one file of schemas.

mod operations;

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr, Required, ResponseBuilder,
};

use self::operations::{Carries, Gives, Operation};
use crate::answer::{self, Outcome};
use crate::app::Shared;

const JSON: &str = "application/json";
/// The schemas of what is sent and answered, by their names.
const SCHEMAS: &str = include_str!("schemas.json");

/// `GET /openapi.json`
pub(crate) async fn document(State(_): State<Arc<Shared>>) -> Outcome {
    static DOCUMENT: LazyLock<Option<Bytes>> = LazyLock::new(|| serde_json::to_vec(&whole()?).ok().map(Bytes::from));
    Ok(answer::json_bytes(DOCUMENT.clone().ok_or_else(answer::unwritable)?))
}

/// The paths with the schemas. The schemas are taken as they are written, because the types of the crate would drop keywords
/// that they do not know.
fn whole() -> Option<Value> {
    let mut document = serde_json::to_value(paths()).ok()?;
    document["components"]["schemas"] = Value::Object(schemas()?);
    Some(document)
}

/// The schemas of the file, and one for each type of message.
fn schemas() -> Option<Map<String, Value>> {
    let mut schemas: Map<String, Value> = serde_json::from_str(SCHEMAS).ok()?;
    for kind in gephost_core::a2a::MessageType::ALL {
        let mut message = schemas.get("Envelope")?.clone();
        let name = capitalised(kind.as_str());
        message["properties"]["message_type"] = json!({ "type": "string", "enum": [kind.as_str()] });
        message["properties"]["payload"] = json!({ "$ref": format!("#/components/schemas/{name}Payload") });
        schemas.insert(format!("{name}Message"), message);
    }
    Some(schemas)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

fn paths() -> OpenApi {
    let mut paths = PathsBuilder::new();
    for operation in operations::all() {
        paths = paths.path(operation.path, PathItem::new(operation.method.clone(), describe(&operation)));
    }
    let bearer =
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("The `node_secret` of a hello")).build();
    let components = ComponentsBuilder::new().security_scheme("node_secret", SecurityScheme::Http(bearer)).build();
    let info = InfoBuilder::new()
        .title("gephost hub")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Compatible with GEP-A2A 1.0.0. An independent implementation, not affiliated with the authors of the protocol."))
        .build();
    OpenApiBuilder::new().info(info).paths(paths.build()).components(Some(components)).build()
}

fn describe(operation: &Operation) -> utoipa::openapi::path::Operation {
    let mut built = OperationBuilder::new().summary(Some(operation.summary));
    for name in operation.in_path() {
        built = built.parameter(parameter(name, ParameterIn::Path, true, schema_of_name(name)));
    }
    for (name, schema) in operation.query {
        built = built.parameter(parameter(name, ParameterIn::Query, *name == "signals", schema));
    }
    let content = match operation.carries {
        Carries::Nothing => None,
        Carries::Json(name) => Some((JSON, named(name))),
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
    responses(operation, built).build()
}

fn responses(operation: &Operation, built: OperationBuilder) -> OperationBuilder {
    let is_head = operation.method == HttpMethod::Head;
    let (media_type, schema) = match operation.gives {
        Gives::Json(name) => (JSON, named(name)),
        Gives::Bytes(media_type) => (media_type, RefOr::T(bytes())),
        Gives::Text(media_type) => (media_type, RefOr::T(text())),
    };
    // The answer to a HEAD has no body, so there is nothing to describe.
    let with = |description: &str, media_type: &str, schema: RefOr<Schema>| {
        let response = ResponseBuilder::new().description(description);
        if is_head {
            response
        } else {
            response.content(media_type, ContentBuilder::new().schema(Some(schema)).build())
        }
        .build()
    };
    let done = with("Done", media_type, schema);
    let mut built = built.response("200", done.clone());
    if operation.method == HttpMethod::Put {
        built = built.response("201", done);
    }
    if operation.tagged {
        let unchanged = ResponseBuilder::new().description("The client has it, as `If-None-Match` says").build();
        built = built.response("304", unchanged);
    }
    for status in operation.refusals() {
        let refused = with("Refused", "application/problem+json", named("Problem"));
        built = built.response(status.to_string(), refused);
    }
    built
}

fn schema_of_name(name: &str) -> &'static str {
    match name {
        "node_id" => "NodeId",
        "gene_id" => "GeneId",
        "code" => "ClaimCode",
        _ => "AssetId",
    }
}

fn parameter(name: &str, place: ParameterIn, required: bool, schema: &str) -> Parameter {
    let required = if required { Required::True } else { Required::False };
    ParameterBuilder::new().name(name).parameter_in(place).required(required).schema(Some(named(schema))).build()
}

fn named(schema: &str) -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(schema))
}

fn text() -> Schema {
    Schema::Object(ObjectBuilder::new().schema_type(Type::String).build())
}

fn bytes() -> Schema {
    let format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
    Schema::Object(ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).format(format).build())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_document_has_every_operation_and_its_parameters() {
        let document = whole().expect("a document");
        for operation in operations::all() {
            let method = match operation.method {
                HttpMethod::Get => "get",
                HttpMethod::Head => "head",
                HttpMethod::Put => "put",
                _ => "post",
            };
            let described = &document["paths"][operation.path][method];
            assert_eq!(described["summary"], operation.summary, "{} {method}", operation.path);
            let parameters = described["parameters"].as_array().map_or(0, Vec::len);
            assert_eq!(parameters, operation.in_path().count() + operation.query.len(), "{}", operation.path);
            assert!(described["responses"]["429"].is_object() && described["responses"]["default"].is_null());
        }
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["HelloMessage"]["required"].as_array().map(Vec::len), Some(7));
        assert_eq!(schemas["HelloMessage"]["properties"]["message_type"]["enum"], json!(["hello"]));
        assert_eq!(schemas["Problem"]["properties"]["status"]["type"], "integer");
    }

    #[test]
    fn every_reference_leads_to_a_schema_and_every_schema_is_used() {
        let document = whole().expect("a document");
        let mut named = BTreeSet::new();
        collect_references(&document, &mut named);
        let known: BTreeSet<String> =
            document["components"]["schemas"].as_object().expect("schemas").keys().cloned().collect();
        // Messages are made from the envelope.
        named.insert("Envelope".to_owned());
        assert_eq!(named, known);
    }

    fn collect_references(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                let reference = members.get("$ref").and_then(Value::as_str);
                into.extend(reference.and_then(|to| to.strip_prefix("#/components/schemas/")).map(str::to_owned));
                members.values().for_each(|value| collect_references(value, into));
            }
            Value::Array(values) => values.iter().for_each(|value| collect_references(value, into)),
            _ => {}
        }
    }
}
