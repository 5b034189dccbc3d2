//! What a bundle says of bytes that travel apart from it: a component, or the recording of a run. gephost's own addition
//! (`GEP.md`, section 7).

use serde_json::{Map, Value};

use super::problem::{Code, Problem};
use crate::digest::Fields;
use crate::gene::World;
use crate::recording::Digest;

/// The media type of a component.
pub const COMPONENT_MEDIA_TYPE: &str = "application/wasm";
/// The media type of a recording.
pub const RECORDING_MEDIA_TYPE: &str = "application/vnd.gephost.recording";

/// Bytes that are named by their SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobRef {
    /// `sha256:` and 64 lower-case hexadecimal digits.
    pub digest: String,
    /// How many bytes.
    pub size: u64,
    /// What they are.
    pub media_type: String,
}

/// The member `component` of a gene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentRef {
    /// Its bytes.
    pub blob: BlobRef,
    /// The world that it targets.
    pub world: World,
}

impl ComponentRef {
    /// Reads the member `component` of a gene, if there is one. `prefix` is where the gene is, with a dot at the end.
    pub fn read(gene: &Map<String, Value>, prefix: &str) -> Result<Option<Self>, Problem> {
        let Some(blob) = BlobRef::read(gene, "component", COMPONENT_MEDIA_TYPE, prefix)? else { return Ok(None) };
        let field = |error| Problem::field(Code::ValidationError, prefix, &error);
        let fields = Fields::of(gene).object("component").map_err(field)?;
        let stated = fields.text("world").map_err(field)?;
        let world = World::ALL.into_iter().find(|world| world.as_str() == stated).ok_or_else(|| {
            let message = format!("`component.world` is {stated:?}");
            Problem::new(Code::ValidationError, message, "use heuristic, strategy or gene")
                .at(format!("{prefix}component.world"))
        })?;
        Ok(Some(Self { blob, world }))
    }
}

impl BlobRef {
    /// Reads a member that names bytes of one media type, if it is there.
    pub(super) fn read(
        members: &Map<String, Value>,
        member: &str,
        media_type: &str,
        prefix: &str,
    ) -> Result<Option<Self>, Problem> {
        let field = |error| Problem::field(Code::ValidationError, prefix, &error);
        let Some(fields) = Fields::of(members).optional_object(member).map_err(field)? else { return Ok(None) };
        let wrong = |name: &str, correction: String| {
            let path = format!("{prefix}{member}.{name}");
            Problem::new(Code::ValidationError, format!("`{path}` is not what it should be"), correction).at(path)
        };
        let digest = fields.text("digest").map_err(field)?;
        if !is_digest(digest) {
            return Err(wrong("digest", "use \"sha256:\" and 64 lower-case hexadecimal digits".to_owned()));
        }
        let found = fields.text("media_type").map_err(field)?;
        if found != media_type {
            return Err(wrong("media_type", format!("use \"{media_type}\"")));
        }
        let size = fields.count("size").map_err(field)?;
        Ok(Some(Self { digest: digest.to_owned(), size, media_type: found.to_owned() }))
    }
}

/// Whether a text is `sha256:` and 64 lower-case hexadecimal digits.
pub fn is_digest(text: &str) -> bool {
    text.parse::<Digest>().is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gene(component: Value) -> Map<String, Value> {
        json!({"type": "Gene", "component": component}).as_object().cloned().expect("an object")
    }

    #[test]
    fn a_component_is_named_by_digest_size_type_and_world() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        let good = json!({"digest": digest, "size": 12, "media_type": "application/wasm", "world": "strategy"});
        let read = ComponentRef::read(&gene(good.clone()), "g.").expect("read").expect("a component");
        assert_eq!((read.blob.size, read.world, read.blob.digest.as_str()), (12, World::Strategy, digest.as_str()));
        assert_eq!(ComponentRef::read(&gene(Value::Null), "g."), Ok(None));
        let check = |name: &str, value: Value| {
            let mut wrong = good.clone();
            wrong[name] = value;
            let problem = ComponentRef::read(&gene(wrong), "payload.assets[0].").expect_err(name);
            assert_eq!(problem.field.as_deref(), Some(&*format!("payload.assets[0].component.{name}")));
        };
        for digest in ["sha256:", "0a", &format!("sha256:{}", "0A".repeat(32)), &format!("sha512:{}", "0a".repeat(32))]
        {
            check("digest", json!(digest));
        }
        check("digest", Value::Null);
        check("size", json!(-1));
        check("size", json!("12"));
        check("media_type", json!("text/html"));
        check("world", json!("hub"));
        assert!(ComponentRef::read(&gene(json!("x")), "g.").is_err());
    }
}
