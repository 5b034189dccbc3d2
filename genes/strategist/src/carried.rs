//! The text-only gene that is carried out.

use serde_json::Value;

/// What of a GEP Gene becomes instructions. The host has checked the document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Carried {
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) preconditions: Vec<String>,
    pub(crate) strategy: Vec<String>,
    pub(crate) max_files: Option<u64>,
    pub(crate) forbidden_paths: Vec<String>,
    pub(crate) validation: Vec<String>,
}

impl Carried {
    /// Reads a Gene document; `None` if it is none, or has no steps.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let gene: Value = serde_json::from_str(text).ok()?;
        let one = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let constraints = &gene["constraints"];
        let carried = Self {
            id: one(&gene["id"]),
            summary: one(&gene["summary"]),
            preconditions: texts(&gene["preconditions"]),
            strategy: texts(&gene["strategy"]),
            max_files: constraints["max_files"].as_u64(),
            forbidden_paths: texts(&constraints["forbidden_paths"]),
            validation: texts(&gene["validation"]),
        };
        (!carried.strategy.is_empty()).then_some(carried)
    }

    /// The texts in which it may name files.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.strategy.iter().chain(&self.preconditions).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gene_is_read_and_anything_else_is_not() {
        let text = r#"{"id":"gene_x","strategy":["a"],"constraints":{"max_files":2,"forbidden_paths":[".git"]}}"#;
        let read = Carried::read(text).unwrap();
        assert_eq!((read.id.as_str(), read.max_files), ("gene_x", Some(2)));
        assert_eq!(read.texts().collect::<Vec<_>>(), ["a"]);
        for text in ["", "[]", "{}", r#"{"strategy":[]}"#, r#"{"strategy":"x"}"#] {
            assert_eq!(Carried::read(text), None, "{text}");
        }
    }
}
