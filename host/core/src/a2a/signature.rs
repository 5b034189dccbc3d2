//! Signed envelopes: gephost's own addition, which other readers pass over as an unknown member (`GEP.md`, section 7).
//!
//! The member `signature` is `{"alg": "ed25519", "public_key": BASE64, "value": BASE64}`. It signs the RFC 8785 text of the
//! envelope without this member.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde_json::{Map, Value, json};

use super::problem::{Code, Problem};
use crate::digest::{self, Fields};

/// The member of an envelope that holds the signature.
pub(super) const MEMBER: &str = "signature";

/// The public key of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads a key in standard base64; `None` if it is none.
    pub fn read(text: &str) -> Option<Self> {
        let bytes: [u8; 32] = STANDARD.decode(text).ok()?.try_into().ok()?;
        let key = VerifyingKey::from_bytes(&bytes).ok()?;
        // A weak key verifies signatures that nobody made.
        (!key.is_weak()).then_some(Self(key))
    }

    /// Its 32 bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Standard base64.
    pub fn text(&self) -> String {
        STANDARD.encode(self.bytes())
    }
}

/// The secret key of a node.
pub struct NodeKey(SigningKey);

/// The secret is nobody's to see.
impl std::fmt::Debug for NodeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeKey").finish_non_exhaustive()
    }
}

impl NodeKey {
    /// The key of a secret seed.
    pub fn new(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// What others check its signatures with.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs an object: adds the member `signature`, in place of one that is there.
    pub fn sign(&self, members: &mut Map<String, Value>) -> Result<(), digest::DigestError> {
        members.shift_remove(MEMBER);
        let text = digest::canonical_text(&Value::Object(members.clone()))?;
        let value = STANDARD.encode(self.0.sign(text.as_bytes()).to_bytes());
        let signature = json!({ "alg": "ed25519", "public_key": self.public().text(), "value": value });
        members.insert(MEMBER.to_owned(), signature);
        Ok(())
    }
}

/// Who signed an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// Nobody.
    No,
    /// The holder of this key.
    By(PublicKey),
}

impl Signed {
    /// Verifies the member `signature` of an object, if there is one. `prefix` names the object in errors: it is empty, or
    /// ends with a dot.
    pub fn check(members: &Map<String, Value>, prefix: &str) -> Result<Self, Problem> {
        let Some(stated) = members.get(MEMBER) else { return Ok(Self::No) };
        let field = |name: &str| format!("{prefix}{MEMBER}{name}");
        let wrong = |name: &str, message: &str| {
            let correction =
                "sign the RFC 8785 text of the object without `signature` with the Ed25519 key of the node";
            Problem::new(Code::SignatureInvalid, message, correction).at(field(name))
        };
        let Value::Object(stated) = stated else { return Err(wrong("", "`signature` must be an object")) };
        let fields = Fields::of(stated);
        let text = |name: &str| fields.text(name).map_err(|error| wrong(&format!(".{name}"), &error.to_string()));
        if text("alg")? != "ed25519" {
            return Err(wrong(".alg", "`signature.alg` must be \"ed25519\""));
        }
        let key = PublicKey::read(text("public_key")?)
            .ok_or_else(|| wrong(".public_key", "`signature.public_key` is not an Ed25519 key in base64"))?;
        let value = STANDARD.decode(text("value")?).ok().and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        let value = value.ok_or_else(|| wrong(".value", "`signature.value` is not an Ed25519 signature in base64"))?;
        let mut unsigned = members.clone();
        unsigned.shift_remove(MEMBER);
        let text = digest::canonical_text(&Value::Object(unsigned)).map_err(|error| wrong("", &error.to_string()))?;
        key.0
            .verify_strict(text.as_bytes(), &Signature::from_bytes(&value))
            .map_err(|_| wrong(".value", "the signature is not by this key over this message"))?;
        Ok(Self::By(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed() -> Map<String, Value> {
        let mut members = json!({"b": 1.0, "a": {"z": null}}).as_object().cloned().expect("an object");
        NodeKey::new(&[7; 32]).sign(&mut members).expect("signed");
        members
    }

    #[test]
    fn what_was_signed_verifies_in_any_order_of_members_and_nothing_else() {
        let members = signed();
        let key = NodeKey::new(&[7; 32]).public();
        assert_eq!(Signed::check(&members, "").expect("verifies"), Signed::By(key));
        let reordered: Map<String, Value> = members.iter().rev().map(|(k, v)| (k.clone(), v.clone())).collect();
        assert_eq!(Signed::check(&reordered, "").expect("verifies"), Signed::By(key));
        let mut changed = members.clone();
        changed.insert("b".to_owned(), json!(2));
        assert_eq!(Signed::check(&changed, "").expect_err("changed").code, Code::SignatureInvalid);
        let mut added = members.clone();
        added.insert("c".to_owned(), Value::Null);
        assert!(Signed::check(&added, "").is_err());
        let mut unsigned = members;
        unsigned.shift_remove(MEMBER);
        assert_eq!(Signed::check(&unsigned, "").expect("nobody"), Signed::No);
    }

    #[test]
    fn a_wrong_signature_names_its_member() {
        let check = |name: &str, value: Value, field: &str| {
            let mut members = signed();
            if name.is_empty() {
                members.insert(MEMBER.to_owned(), value);
            } else {
                members[MEMBER][name] = value;
            }
            let problem = Signed::check(&members, "").expect_err(field);
            assert_eq!((problem.code, problem.field.as_deref()), (Code::SignatureInvalid, Some(field)));
        };
        check("", Value::Null, "signature");
        check("", json!("x"), "signature");
        check("alg", json!("none"), "signature.alg");
        check("alg", Value::Null, "signature.alg");
        check("public_key", json!("AAAA"), "signature.public_key");
        // The identity point: every message verifies under it for a matching value.
        let mut weak = [0; 32];
        weak[0] = 1;
        check("public_key", json!(STANDARD.encode(weak)), "signature.public_key");
        check("value", json!(""), "signature.value");
        check("value", json!(STANDARD.encode([0; 64])), "signature.value");
        check("public_key", json!(NodeKey::new(&[8; 32]).public().text()), "signature.value");
    }
}
