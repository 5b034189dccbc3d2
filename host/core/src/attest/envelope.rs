//! DSSE envelopes: bytes with a type, and signatures over both.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::{Value, json};

use super::key::{PublicKey, Signer};
use crate::digest::{FieldError, Fields, read_object};

/// The largest envelope that is read, in bytes.
pub const MAX_ENVELOPE_BYTES: usize = 256 * 1024;
/// The most signatures of one envelope.
pub const MAX_SIGNATURES: usize = 16;
/// The payload's type of an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The most characters of a payload's type or a key id.
const MAX_TEXT: usize = 1024;

/// Why bytes are no envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// Too large, or not strict JSON.
    #[error("{0}")]
    Json(String),
    /// A member is missing or has the wrong form.
    #[error("{0}")]
    Field(#[from] FieldError),
    /// No signature, or too many.
    #[error("it has {0} signatures; an envelope has 1 to {MAX_SIGNATURES}")]
    Signatures(usize),
}

/// An envelope that was read. Its signatures are not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The type of the payload.
    pub payload_type: String,
    /// What is signed, together with its type.
    pub payload: Vec<u8>,
    signatures: Vec<EnvelopeSignature>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct EnvelopeSignature {
    /// A hint of the signer, which nothing vouches for.
    key_id: Option<String>,
    signature: Vec<u8>,
}

/// The bytes that are signed: the pre-authentication encoding of a type and a payload.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

impl Envelope {
    /// Signs a payload with one key. The key id is the public key itself.
    pub fn sign(payload_type: &str, payload: Vec<u8>, signer: &Signer) -> Self {
        let signature = signer.sign(&pae(payload_type, &payload)).to_vec();
        let signature = EnvelopeSignature { key_id: Some(signer.public().to_string()), signature };
        Self { payload_type: payload_type.to_owned(), payload, signatures: vec![signature] }
    }

    /// Reads an envelope. Members that it does not know are passed over, as the DSSE protocol asks.
    pub fn read(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let members = read_object(bytes, MAX_ENVELOPE_BYTES).map_err(|error| EnvelopeError::Json(error.to_string()))?;
        let fields = Fields::of(&members);
        let payload_type = short(&fields, "payloadType")?;
        let payload = base64(&fields, "payload")?;
        let signatures = fields.optional_objects("signatures")?.unwrap_or_default();
        if signatures.is_empty() || signatures.len() > MAX_SIGNATURES {
            return Err(EnvelopeError::Signatures(signatures.len()));
        }
        let signatures = signatures.iter().map(EnvelopeSignature::read).collect::<Result<_, _>>()?;
        Ok(Self { payload_type, payload, signatures })
    }

    /// The envelope as JSON, with a line end.
    pub fn to_json(&self) -> String {
        let signatures: Vec<Value> = self.signatures.iter().map(EnvelopeSignature::document).collect();
        let document = json!({
            "payloadType": self.payload_type,
            "payload": STANDARD.encode(&self.payload),
            "signatures": signatures,
        });
        format!("{document:#}\n")
    }

    /// Whether one of the signatures is by this key. Key ids are not looked at.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let message = pae(&self.payload_type, &self.payload);
        self.signatures.iter().any(|one| key.verifies(&message, &one.signature))
    }

    /// The keys that signed it, if every signature is by the key that its key id spells. Nobody vouches for them.
    pub fn signers(&self) -> Option<Vec<PublicKey>> {
        let message = pae(&self.payload_type, &self.payload);
        let mut keys: Vec<PublicKey> = Vec::new();
        for one in &self.signatures {
            let key = PublicKey::read(one.key_id.as_deref()?).ok()?;
            if !key.verifies(&message, &one.signature) {
                return None;
            }
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Some(keys)
    }
}

impl EnvelopeSignature {
    fn read(fields: &Fields<'_>) -> Result<Self, EnvelopeError> {
        let key_id = match fields.optional_text("keyid")? {
            Some(_) => Some(short(fields, "keyid")?),
            None => None,
        };
        Ok(Self { key_id, signature: base64(fields, "sig")? })
    }

    fn document(&self) -> Value {
        let signature = STANDARD.encode(&self.signature);
        match &self.key_id {
            Some(key_id) => json!({ "keyid": key_id, "sig": signature }),
            None => json!({ "sig": signature }),
        }
    }
}

fn short(fields: &Fields<'_>, field: &str) -> Result<String, FieldError> {
    let text = fields.text(field)?;
    if text.chars().count() > MAX_TEXT || text.contains(char::is_control) {
        return Err(fields.refused(field, format!("has more than {MAX_TEXT} characters, or control characters")));
    }
    Ok(text.to_owned())
}

/// DSSE allows both alphabets of base64.
fn base64(fields: &Fields<'_>, field: &str) -> Result<Vec<u8>, FieldError> {
    let text = fields.text(field)?;
    let engine = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    engine.decode(text).map_err(|_| fields.refused(field, "is not base64"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signed_bytes_are_those_of_the_dsse_protocol() {
        // The example of `protocol.md`.
        let signed = pae("http://example.com/HelloWorld", b"hello world");
        assert_eq!(signed, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
        // Lengths are of bytes, and an empty payload has one.
        assert_eq!(pae("\u{e9}", b""), "DSSEv1 2 \u{e9} 0 ".as_bytes());
        assert_ne!(pae("a 1 b", b"c"), pae("a", b"b 1 c"));
    }

    #[test]
    fn what_is_signed_is_read_back_and_verifies() {
        let signer = Signer::new(&[1; 32]);
        let made = Envelope::sign(PAYLOAD_TYPE, b"{}".to_vec(), &signer);
        let read = Envelope::read(made.to_json().as_bytes()).unwrap();
        assert_eq!(read, made);
        assert!(read.is_signed_by(&signer.public()));
        assert!(!read.is_signed_by(&Signer::new(&[2; 32]).public()));
        assert_eq!(read.signers(), Some(vec![signer.public()]));
        let retyped = Envelope { payload_type: "text/plain".to_owned(), ..read };
        assert!(!retyped.is_signed_by(&signer.public()), "the type is signed too");
    }

    #[test]
    fn a_key_id_decides_nothing() {
        let (signer, other) = (Signer::new(&[1; 32]), Signer::new(&[2; 32]).public());
        let text = Envelope::sign(PAYLOAD_TYPE, b"{}".to_vec(), &signer).to_json();
        let renamed = text.replace(&signer.public().to_string(), &other.to_string());
        let read = Envelope::read(renamed.as_bytes()).unwrap();
        assert!(read.is_signed_by(&signer.public()), "whatever the key id says");
        assert!(!read.is_signed_by(&other));
        assert_eq!(read.signers(), None, "the named key did not sign it");
        let mut without: Value = serde_json::from_str(&text).unwrap();
        without["signatures"][0].as_object_mut().unwrap().remove("keyid");
        assert!(Envelope::read(without.to_string().as_bytes()).unwrap().is_signed_by(&signer.public()));
    }

    #[test]
    fn both_alphabets_are_read_and_nothing_else_is() {
        let envelope = |payload: &str, sig: &str| {
            let text = json!({ "payloadType": "t", "payload": payload, "signatures": [{ "sig": sig }], "more": 1 });
            Envelope::read(text.to_string().as_bytes()).map(|read| read.payload)
        };
        assert_eq!(envelope("+/8=", "AA=="), envelope("-_8=", "AA=="));
        for (payload, sig) in [("+_8=", "AA=="), ("+/8", "AA=="), ("+/9=", "AA=="), (" AA==", "AA=="), ("AA==", "A")] {
            assert!(matches!(envelope(payload, sig), Err(EnvelopeError::Field(_))), "{payload} {sig}");
        }
    }

    #[test]
    fn what_is_no_envelope_is_refused() {
        let sig = |count: usize| vec![json!({ "sig": "AA==" }); count];
        let text =
            |signatures: Vec<Value>| json!({ "payloadType": "t", "payload": "", "signatures": signatures }).to_string();
        assert!(Envelope::read(text(sig(MAX_SIGNATURES)).as_bytes()).is_ok());
        assert_eq!(Envelope::read(text(sig(0)).as_bytes()), Err(EnvelopeError::Signatures(0)));
        assert_eq!(Envelope::read(text(sig(17)).as_bytes()), Err(EnvelopeError::Signatures(17)));
        let twice = r#"{"payloadType":"t","payload":"","payload":"AA==","signatures":[{"sig":"AA=="}]}"#;
        let refused = Envelope::read(twice.as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("duplicate key \"payload\""), "{refused}");
        let large = " ".repeat(MAX_ENVELOPE_BYTES + 1);
        assert!(matches!(Envelope::read(large.as_bytes()), Err(EnvelopeError::Json(_))));
        let long = "k".repeat(MAX_TEXT + 1);
        for text in [
            "[]".to_owned(),
            r#"{"payload":"","signatures":[{"sig":"AA=="}]}"#.to_owned(),
            r#"{"payloadType":"t","payload":"","signatures":{"sig":"AA=="}}"#.to_owned(),
            r#"{"payloadType":"t","payload":"","signatures":["AA=="]}"#.to_owned(),
            r#"{"payloadType":"t","payload":"","signatures":[{"keyid":"k"}]}"#.to_owned(),
            r#"{"payloadType":"t","payload":"","signatures":[{"keyid":7,"sig":"AA=="}]}"#.to_owned(),
            r#"{"payloadType":"t\u001b","payload":"","signatures":[{"sig":"AA=="}]}"#.to_owned(),
            format!(r#"{{"payloadType":"t","payload":"","signatures":[{{"keyid":"{long}","sig":"AA=="}}]}}"#),
        ] {
            assert!(Envelope::read(text.as_bytes()).is_err(), "{text:.80}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic_the_reader(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), text in ".{0,80}") {
            let _ = Envelope::read(&bytes);
            let _ = PublicKey::read(&text);
        }
    }
}
