//! Checks what `gephost` prints against its own JSON Schemas: every document that a test sees, whatever the test is about.
//!
//! The validator knows the keywords that `gephost schema` prints and fails on any other one. It is stricter than the
//! standard in one thing: a member that the schema does not name is a fault, because a reader would not know it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::{Arc, Mutex};

use regex::Regex;
use serde_json::{Map, Value};

use crate::program::gephost;

/// Keywords that say nothing about a value. The formats are those of numbers, which have their bounds too.
const ANNOTATIONS: &[&str] = &["$schema", "$defs", "title", "description", "format", "default"];

/// Fails if standard output is a document of gephost that its schema does not describe.
pub fn check_output(stdout: &str) {
    if !stdout.starts_with('{') {
        return;
    }
    // More than one document, or none: a stream, or the output of a recorded command.
    let Ok(document) = serde_json::from_str::<Value>(stdout) else { return };
    let Some(kind) = kind_of(&document) else { return };
    check(&kind, &document);
}

/// The kind of a document, from its member `schema`.
pub fn kind_of(document: &Value) -> Option<String> {
    let name = document["schema"].as_str()?;
    Some(name.strip_prefix("gephost.")?.strip_suffix("/1")?.to_owned())
}

/// Fails unless the schema of this kind describes the document.
pub fn check(kind: &str, document: &Value) {
    let faults = faults(&schema(kind), document);
    assert!(
        faults.is_empty(),
        "`gephost schema {kind}` does not describe what was printed:\n{}\n{document:#}",
        faults.join("\n")
    );
}

/// What a schema does not allow in a document, one line each.
pub fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let validator = Validator { root: schema };
    let mut faults = Vec::new();
    validator.whole(schema, document, "", &mut faults);
    faults
}

/// The schema of a kind. Each test process asks for it once.
fn schema(kind: &str) -> Arc<Value> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let schema = known.entry(kind.to_owned()).or_insert_with(|| {
        let mut command = Command::new(gephost());
        command.env_clear().env("HOME", std::env::temp_dir()).args(["schema", kind]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "gephost printed a document of the kind {kind}, for which it has no schema");
        Arc::new(serde_json::from_slice(&output.stdout).unwrap())
    });
    schema.clone()
}

/// The members of an object that a schema describes.
enum Described {
    All,
    These(BTreeSet<String>),
}

impl Described {
    fn add(&mut self, more: Self) {
        match (&mut *self, more) {
            (Self::These(known), Self::These(more)) => known.extend(more),
            _ => *self = Self::All,
        }
    }
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    /// A value with all that is said about it: what nothing describes is a fault.
    fn whole(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let described = self.part(schema, value, at, faults);
        if let (Described::These(names), Value::Object(members)) = (described, value) {
            let unknown = members.keys().filter(|name| !names.contains(*name));
            faults.extend(unknown.map(|name| format!("{at}/{name}: no schema describes this member")));
        }
    }

    /// A value with one schema of perhaps several.
    fn part(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) -> Described {
        let Some(keywords) = schema.as_object() else {
            if schema != &Value::Bool(true) {
                faults.push(format!("{at}: nothing is allowed here"));
            }
            return Described::All;
        };
        if keywords.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str())) {
            return Described::All;
        }
        let mut described = Described::These(BTreeSet::new());
        for (keyword, rule) in keywords {
            let mut fault = |what: String| faults.push(format!("{at}: {what}"));
            match keyword.as_str() {
                "$ref" => {
                    let pointer = rule.as_str().and_then(|target| target.strip_prefix('#')).unwrap();
                    described.add(self.part(self.root.pointer(pointer).unwrap(), value, at, faults));
                }
                "allOf" => {
                    for rule in rule.as_array().unwrap() {
                        described.add(self.part(rule, value, at, faults));
                    }
                }
                "anyOf" | "oneOf" => match self.branch(rule, value, at) {
                    Ok(more) => described.add(more),
                    Err(why) => fault(format!("fits no branch of {keyword}: {why}")),
                },
                "type" if !has_type(rule, value) => fault(format!("{value} is no {rule}")),
                "const" if rule != value => fault(format!("{value} is not {rule}")),
                "enum" if !rule.as_array().unwrap().contains(value) => fault(format!("{value} is none of {rule}")),
                "minimum" if value.as_f64().is_some_and(|number| Some(number) < rule.as_f64()) => {
                    fault(format!("{value} is less than {rule}"))
                }
                "maximum" if value.as_f64().is_some_and(|number| Some(number) > rule.as_f64()) => {
                    fault(format!("{value} is more than {rule}"))
                }
                "pattern" if !matches(rule, value.as_str()) => fault(format!("{value} does not match {rule}")),
                "minItems" if value.as_array().is_some_and(|items| Some(items.len() as u64) < rule.as_u64()) => {
                    fault(format!("fewer than {rule} items"));
                }
                "maxItems" if value.as_array().is_some_and(|items| Some(items.len() as u64) > rule.as_u64()) => {
                    fault(format!("more than {rule} items"));
                }
                "required" if value.is_object() => {
                    let missing =
                        rule.as_array().unwrap().iter().filter(|name| value.get(name.as_str().unwrap()).is_none());
                    faults.extend(missing.map(|name| format!("{at}: the member {name} is missing")));
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.whole(rule, item, &format!("{at}/{number}"), faults);
                    }
                }
                "properties" => described.add(self.properties(rule, value, at, faults)),
                "additionalProperties" => {
                    let named = keywords.get("properties").and_then(Value::as_object);
                    described.add(self.additional(rule, named, value, at, faults));
                }
                "propertyNames" => {
                    for name in value.as_object().into_iter().flat_map(Map::keys) {
                        self.whole(rule, &name.as_str().into(), &format!("{at}/{name}"), faults);
                    }
                }
                "type" | "const" | "enum" | "minimum" | "maximum" | "pattern" | "minItems" | "maxItems"
                | "uniqueItems" => {}
                known if ANNOTATIONS.contains(&known) => {}
                unknown => fault(format!("the validator does not know the keyword {unknown}")),
            }
        }
        described
    }

    /// What the branches that fit describe; why none fits.
    fn branch(&self, branches: &Value, value: &Value, at: &str) -> Result<Described, String> {
        let mut described = None;
        let mut reasons = Vec::new();
        for branch in branches.as_array().unwrap() {
            let mut faults = Vec::new();
            let more = self.part(branch, value, at, &mut faults);
            match (&mut described, faults.is_empty()) {
                (_, false) => reasons.extend(faults),
                (Some(described), true) => Described::add(described, more),
                (none, true) => *none = Some(more),
            }
        }
        described.ok_or_else(|| reasons.join("; "))
    }

    fn properties(&self, rules: &Value, value: &Value, at: &str, faults: &mut Vec<String>) -> Described {
        let rules = rules.as_object().unwrap();
        for (name, rule) in rules {
            if let Some(member) = value.get(name) {
                self.whole(rule, member, &format!("{at}/{name}"), faults);
            }
        }
        Described::These(rules.keys().cloned().collect())
    }

    fn additional(
        &self,
        rule: &Value,
        named: Option<&Map<String, Value>>,
        value: &Value,
        at: &str,
        faults: &mut Vec<String>,
    ) -> Described {
        let members = value.as_object().into_iter().flatten();
        for (name, member) in members.filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name))) {
            self.whole(rule, member, &format!("{at}/{name}"), faults);
        }
        Described::All
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no type of JSON: {other}"),
    };
    rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
}

fn matches(rule: &Value, text: Option<&str>) -> bool {
    text.is_none_or(|text| Regex::new(rule.as_str().unwrap()).unwrap().is_match(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_schema_does_not_describe_is_a_fault() {
        let schema = json!({
            "type": "object",
            "properties": { "kind": { "const": "a" }, "count": { "type": "integer", "minimum": 0 }, "more": { "$ref": "#/$defs/More" } },
            "required": ["kind", "count"],
            "$defs": { "More": { "anyOf": [{ "type": "null" }, { "type": "object", "properties": { "of": { "enum": ["x"] } } }] } },
        });
        let check = |document: Value| faults(&schema, &document);
        assert!(check(json!({ "kind": "a", "count": 1, "more": { "of": "x" } })).is_empty());
        assert!(check(json!({ "kind": "a", "count": 0, "more": null })).is_empty());
        let optional = json!({ "type": ["integer", "null"], "minimum": 0 });
        assert!(faults(&optional, &Value::Null).is_empty() && !faults(&optional, &json!(-1)).is_empty());
        for wrong in [
            json!({ "kind": "a" }),
            json!({ "kind": "b", "count": 1 }),
            json!({ "kind": "a", "count": -1 }),
            json!({ "kind": "a", "count": "1" }),
            json!({ "kind": "a", "count": 1, "other": true }),
            json!({ "kind": "a", "count": 1, "more": { "of": "y" } }),
            json!({ "kind": "a", "count": 1, "more": { "of": "x", "other": 1 } }),
            json!([]),
        ] {
            assert!(!check(wrong.clone()).is_empty(), "{wrong}");
        }
        let odd = json!({ "type": "string", "minLength": 2 });
        assert_eq!(faults(&odd, &json!("abc")), [": the validator does not know the keyword minLength"]);
    }
}
