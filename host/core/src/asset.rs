//! Says what a text is that stands where an asset of the protocol should.

use serde_json::{Map, Value};

use crate::capsule::Capsule;
use crate::digest::{self, AssetError, MAX_ASSET_BYTES, Verification};
use crate::evolution_event::EvolutionEvent;
use crate::gene::Gene;
use crate::validation::ValidationReport;

/// What a text in a file of assets is.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// Its member `type`.
    pub kind: Option<String>,
    /// Its member `id`.
    pub id: Option<String>,
    /// Its member `summary`.
    pub summary: Option<String>,
    /// Whether it states the id of its content; `None` if it is not strict JSON.
    pub verification: Option<Verification>,
    /// Why gephost passes over it; `None` if it is an asset that gephost reads, or of a type that it does not know.
    pub problem: Option<String>,
}

/// Describes a text of which the file says that it has the type `expected`; empty if the file has assets of any type.
pub fn describe(text: &[u8], expected: &str) -> Described {
    let document = match digest::read_object(text, MAX_ASSET_BYTES) {
        Ok(document) => document,
        Err(error) => {
            let problem = Some(error.to_string());
            return Described { kind: None, id: None, summary: None, verification: None, problem };
        }
    };
    let member = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = member("type");
    let problem = match kind.as_deref() {
        Some(kind) if !expected.is_empty() && kind != expected => {
            Some(format!("its `type` is {kind:?}, and this file holds assets of the type {expected}"))
        }
        Some(kind) => read_as(kind, &document).err().map(|error| error.to_string()),
        None => Some("it has no member `type`".to_owned()),
    };
    let verification = digest::verify_members(&document).ok();
    Described { id: member("id"), summary: member("summary"), kind, verification, problem }
}

/// Reads a document as what its type says. A type that gephost does not know is not looked into.
fn read_as(kind: &str, document: &Map<String, Value>) -> Result<(), AssetError> {
    let document = document.clone();
    match kind {
        "Gene" => Gene::read(document).map(drop),
        "Capsule" => Capsule::read(document).map(drop),
        "EvolutionEvent" => EvolutionEvent::read(document).map(drop),
        "ValidationReport" => ValidationReport::read(document).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_there_is_said() {
        let check = |text: &str, expected: &str, problem: Option<&str>| {
            let described = describe(text.as_bytes(), expected);
            match (&described.problem, problem) {
                (Some(found), Some(problem)) => assert!(found.contains(problem), "{text}: {found}"),
                (found, problem) => assert_eq!(found.as_deref(), problem, "{text}"),
            }
            described
        };
        let gene = r#"{"type":"Gene","id":"g","category":"repair","signals_match":["error"],"summary":"s"}"#;
        let described = check(gene, "Gene", None);
        assert_eq!((described.id.as_deref(), described.summary.as_deref()), (Some("g"), Some("s")));
        assert!(matches!(described.verification, Some(Verification::Missing { .. })));
        check(gene, "", None);
        check(gene, "Capsule", Some("holds assets of the type Capsule"));
        check(r#"{"type":"Gene","id":"g"}"#, "Gene", Some("`category` is missing"));
        check(r#"{"type":"Mutation","id":"m"}"#, "", None);
        check(r#"{"id":"m"}"#, "", Some("no member `type`"));
        let broken = check("{", "Gene", Some("not JSON"));
        assert_eq!(broken.verification, None);
    }
}
