//! The documents of a component and of its envelopes: pure readers and writers.

use gephost_core::digest::{FieldError, Fields, read_object};
use gephost_core::recording::Digest;
use serde_json::{Value, json};

use crate::error::OciError;

/// The type of a manifest.
pub(crate) const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
/// The type of a list of manifests.
pub(crate) const INDEX_TYPE: &str = "application/vnd.oci.image.index.v1+json";
/// The type of the config of a component.
const CONFIG_TYPE: &str = "application/vnd.wasm.config.v0+json";
/// The type of a component.
const WASM_TYPE: &str = "application/wasm";
/// The type of an envelope.
pub const ENVELOPE_MEDIA_TYPE: &str = "application/vnd.dsse.envelope.v1+json";
/// The config of a manifest that has none.
const EMPTY_TYPE: &str = "application/vnd.oci.empty.v1+json";
pub(crate) const EMPTY: &[u8] = b"{}";
/// The largest manifest or list, in bytes. The specification asks registries for at least that.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 4 << 20;
/// The most manifests of a list that are looked at.
const MAX_LISTED: usize = 1000;

/// A blob or manifest, as another document names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub(crate) digest: Digest,
    pub(crate) size: u64,
}

impl Descriptor {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { digest: Digest::of(bytes), size: bytes.len() as u64 }
    }

    fn document(self, media_type: &str) -> Value {
        json!({ "mediaType": media_type, "digest": self.digest.to_string(), "size": self.size })
    }
}

/// The config of a component. Its time is fixed, so that the same component is the same artifact whenever it is pushed.
pub(crate) fn config(component: Descriptor, imports: &[String], exports: &[String]) -> Vec<u8> {
    let document = json!({
        "created": "1970-01-01T00:00:00Z",
        "architecture": "wasm",
        "os": "wasip2",
        "layerDigests": [component.digest.to_string()],
        "component": { "exports": exports, "imports": imports },
    });
    document.to_string().into_bytes()
}

/// The manifest of a component.
pub(crate) fn manifest(config: Descriptor, component: Descriptor) -> Vec<u8> {
    let document = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": config.document(CONFIG_TYPE),
        "layers": [component.document(WASM_TYPE)],
    });
    document.to_string().into_bytes()
}

/// The manifest of an envelope that refers to the manifest of a component.
pub(crate) fn referrer(envelope: Descriptor, subject: Descriptor) -> Vec<u8> {
    let document = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "artifactType": ENVELOPE_MEDIA_TYPE,
        "config": Descriptor::of(EMPTY).document(EMPTY_TYPE),
        "layers": [envelope.document(ENVELOPE_MEDIA_TYPE)],
        "subject": subject.document(MANIFEST_TYPE),
    });
    document.to_string().into_bytes()
}

/// The list of an earlier list, if there is one, and one more referrer. `None` if it is listed already.
pub(crate) fn listed(earlier: Option<&[u8]>, referrer: Descriptor) -> Result<Option<Vec<u8>>, OciError> {
    let mut manifests = Vec::new();
    if let Some(bytes) = earlier {
        if referrers(bytes)?.contains(&referrer) {
            return Ok(None);
        }
        let mut members = object("the list of referrers", bytes)?;
        if let Some(Value::Array(known)) = members.remove("manifests") {
            manifests = known;
        }
    }
    let mut one = referrer.document(MANIFEST_TYPE);
    one["artifactType"] = ENVELOPE_MEDIA_TYPE.into();
    manifests.push(one);
    let document = json!({ "schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": manifests });
    Ok(Some(document.to_string().into_bytes()))
}

/// The component that a manifest names.
pub(crate) fn component_of(manifest: &[u8]) -> Result<Descriptor, OciError> {
    let members = object("the manifest", manifest)?;
    let fields = Fields::of(&members);
    let found = media_type(&fields.object("config").map_err(broken)?)?;
    if found != CONFIG_TYPE {
        return Err(OciError::Manifest(format!("it is not a component: its config is {found:?}, not {CONFIG_TYPE:?}")));
    }
    one_layer(&fields, WASM_TYPE)
}

/// The envelope in the manifest of a referrer; `None` if it refers to something else.
pub(crate) fn envelope_of(manifest: &[u8], subject: Digest) -> Result<Option<Descriptor>, OciError> {
    let members = object("the manifest of a referrer", manifest)?;
    let fields = Fields::of(&members);
    match fields.optional_object("subject").map_err(broken)? {
        Some(named) if descriptor(&named)?.digest == subject => one_layer(&fields, ENVELOPE_MEDIA_TYPE).map(Some),
        _ => Ok(None),
    }
}

/// The envelopes among the manifests of a list.
pub(crate) fn referrers(list: &[u8]) -> Result<Vec<Descriptor>, OciError> {
    let members = object("the list of referrers", list)?;
    let fields = Fields::of(&members);
    let listed = fields.optional_objects("manifests").map_err(broken)?.unwrap_or_default();
    let is_envelope =
        |fields: &&Fields<'_>| matches!(fields.optional_text("artifactType"), Ok(Some(ENVELOPE_MEDIA_TYPE)));
    listed.iter().take(MAX_LISTED).filter(is_envelope).map(descriptor).collect()
}

/// The only layer, which has this type.
fn one_layer(fields: &Fields<'_>, expected: &str) -> Result<Descriptor, OciError> {
    let layers = fields.optional_objects("layers").map_err(broken)?.unwrap_or_default();
    let [layer] = layers.as_slice() else {
        return Err(OciError::Manifest(format!("it has {} layers, not one", layers.len())));
    };
    let found = media_type(layer)?;
    if found != expected {
        return Err(OciError::Manifest(format!("its layer is {found:?}, not {expected:?}")));
    }
    descriptor(layer)
}

fn media_type(fields: &Fields<'_>) -> Result<String, OciError> {
    fields.text("mediaType").map(|found| found.chars().take(200).collect()).map_err(broken)
}

fn descriptor(fields: &Fields<'_>) -> Result<Descriptor, OciError> {
    let digest = fields.text("digest").map_err(broken)?;
    let read = digest.strip_prefix("sha256:").and_then(|hex| Digest::from_hex(hex).ok());
    let digest = read.ok_or_else(|| broken(fields.refused("digest", "is not a SHA-256 digest")))?;
    Ok(Descriptor { digest, size: fields.count("size").map_err(broken)? })
}

fn object(what: &str, bytes: &[u8]) -> Result<serde_json::Map<String, Value>, OciError> {
    let read = read_object(bytes, usize::try_from(MAX_MANIFEST_BYTES).unwrap_or(usize::MAX));
    read.map_err(|error| OciError::Manifest(format!("{what} cannot be read: {error}")))
}

fn broken(error: FieldError) -> OciError {
    OciError::Manifest(format!("the manifest cannot be used: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let (component, envelope) = (Descriptor::of(b"wasm"), Descriptor::of(b"envelope"));
        let config = config(component, &["a:b/c".to_owned()], &[]);
        let made = manifest(Descriptor::of(&config), component);
        assert_eq!(component_of(&made), Ok(component));
        let subject = Descriptor::of(&made);
        let signed = referrer(envelope, subject);
        assert_eq!(envelope_of(&signed, subject.digest), Ok(Some(envelope)));
        assert_eq!(envelope_of(&signed, envelope.digest), Ok(None), "it refers to something else");
        assert_eq!(envelope_of(&made, subject.digest), Ok(None), "it refers to nothing");
        let first = listed(None, Descriptor::of(&signed)).unwrap().unwrap();
        assert_eq!(listed(Some(&first), Descriptor::of(&signed)), Ok(None));
        let second = listed(Some(&first), component).unwrap().unwrap();
        assert_eq!(referrers(&second), Ok(vec![Descriptor::of(&signed), component]));
    }

    #[test]
    fn what_is_no_component_is_refused() {
        let config = Descriptor::of(b"{}");
        let good = String::from_utf8(manifest(config, Descriptor::of(b"wasm"))).unwrap();
        let check = |text: String, said: &str| {
            let error = component_of(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        };
        check(good.replace("wasm.config.v0", "oci.image.config.v1"), "is not a component");
        check(good.replace("application/wasm", "application/zip"), "its layer is");
        check(good.replace("sha256:", "sha512:"), "SHA-256");
        check(good.replace("\"size\":4", "\"size\":-4"), "size");
        check(good.replacen("\"layers\":[", "\"layers\":[{},", 1), "2 layers");
        check(good.replacen('{', "{\"layers\":[],", 1), "layers");
        check("[]".to_owned(), "cannot be read");
        check("{}".to_owned(), "config");
        let list = json!({ "manifests": [{ "artifactType": "x" }, { "artifactType": ENVELOPE_MEDIA_TYPE }] });
        assert!(referrers(list.to_string().as_bytes()).is_err(), "a listed envelope without a digest");
    }
}
