//! The JSON Schema of a manifest, `gene.json`. gephost reads manifests by hand, so that its errors name the member; this type
//! says the same to editors. A test compares its members with the ones that gephost knows.

#![expect(dead_code, reason = "only its schema is used")]

use gephost_core::gene::{Capability, World};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A gene's manifest: a GEP Gene, and what gephost needs to run it. Members that begin with `x_` are free.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneManifest {
    /// `Gene`.
    #[serde(rename = "type")]
    kind: GeneWord,
    /// The GEP schema, 1.x.
    #[schemars(regex(pattern = r"^1\."))]
    schema_version: String,
    /// The gene's id.
    #[schemars(regex(pattern = r"^[a-z0-9_][a-z0-9_.-]{0,127}$"))]
    id: String,
    /// What its changes are for.
    category: CategoryWord,
    /// One sentence: what the gene does.
    summary: String,
    /// Patterns of the signals that the gene answers: `/regular expression/flags`, `a|b|c`, or a text that the signal
    /// contains.
    signals_match: Vec<String>,
    /// When it applies, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    preconditions: Option<Vec<String>>,
    /// What the gene does, step by step.
    strategy: Vec<String>,
    /// Limits that the gene sets for its own changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<ConstraintsObject>,
    /// Commands that must pass after a change. No shell reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<Vec<String>>,
    /// What the component exports.
    world: World,
    /// What it may ask the host for.
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Vec<Capability>>,
    /// The settings that an operator may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Vec<SettingObject>>,
    /// `sha256:` and the hash of the canonical JSON; better left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    asset_id: Option<String>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    epigenetic_marks: Option<Vec<String>>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    learning_history: Option<Vec<Value>>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    anti_patterns: Option<Vec<Value>>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    routing_hint: Option<Value>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_policy: Option<Value>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<Value>>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<Value>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime_profile: Option<Value>,
    /// Of the protocol; gephost keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    verifier_profile: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
enum GeneWord {
    Gene,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CategoryWord {
    Repair,
    Optimize,
    Innovate,
}

/// Limits of the gene's own changes. A policy can only be stricter.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConstraintsObject {
    /// Most files that a change may touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_files: Option<u64>,
    /// Paths that a change must not touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    forbidden_paths: Option<Vec<String>>,
}

/// A setting of the gene.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettingObject {
    /// Its name.
    #[schemars(regex(pattern = r"^[a-z0-9_-]+$"))]
    name: String,
    /// A text, a number, or true or false. It also says which of these the setting is.
    default: Value,
    /// What it does, in a sentence for the operator.
    description: String,
    /// What a number counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// The least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    /// The greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
}

#[cfg(test)]
mod tests {
    use gephost_core::gene::unknown_members;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::page::schema_of;

    fn members(schema: &Value) -> Map<String, Value> {
        schema["properties"].as_object().unwrap().iter().map(|(name, _)| (name.clone(), json!(null))).collect()
    }

    #[test]
    fn the_schema_has_no_member_that_a_manifest_may_not_have() {
        let schema = schema_of::<GeneManifest>().to_value();
        let mut manifest = members(&schema);
        assert_eq!(manifest.len(), 23);
        manifest.insert("constraints".into(), members(&schema["$defs"]["ConstraintsObject"]).into());
        manifest.insert("settings".into(), json!([members(&schema["$defs"]["SettingObject"])]));
        assert_eq!(unknown_members(&manifest), []);
    }
}
