//! Ed25519 keys as a config and a key id spell them: `ed25519:` and the base64 of the 32 bytes.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "ed25519:";

/// Why a text is no public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not spelled like a key.
    #[error("a key is `ed25519:` and 32 bytes in base64, as `gephost gene key` prints it")]
    Form,
    /// Anybody can make signatures that such a key accepts.
    #[error("this is not a usable Ed25519 key")]
    Weak,
}

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads what [`fmt::Display`] writes, and nothing else. A key of small order is refused.
    pub fn read(text: &str) -> Result<Self, KeyError> {
        let encoded = text.strip_prefix(PREFIX).ok_or(KeyError::Form)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| KeyError::Form)?;
        let bytes = bytes.as_slice().try_into().map_err(|_| KeyError::Form)?;
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::Weak)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(key)) }
    }

    /// Whether this key made the signature. Refuses signatures that somebody without the secret could make of a good one.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", STANDARD.encode(self.0.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        Self::read(&text)
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

impl JsonSchema for PublicKey {
    fn schema_name() -> Cow<'static, str> {
        "PublicKey".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^ed25519:[A-Za-z0-9+/]{43}=$" })
    }
}

/// A secret key.
pub struct Signer(SigningKey);

/// The secret is nobody's to see.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signer").field(&self.public()).finish()
    }
}

impl Signer {
    /// The key of a secret seed.
    pub fn new(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// What others check its signatures with.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_spelling() {
        let key = Signer::new(&[3; 32]).public();
        let text = key.to_string();
        assert_eq!(PublicKey::read(&text), Ok(key));
        assert_eq!(serde_json::to_string(&key).unwrap(), format!("{text:?}"));
        for wrong in [
            String::new(),
            text.replace("ed25519", "ED25519"),
            text.trim_end_matches('=').to_owned(),
            format!("{text} "),
            format!("ed25519:{}", STANDARD.encode([3; 31])),
            format!("ed25519:{}", STANDARD.encode([3; 33])),
        ] {
            assert_eq!(PublicKey::read(&wrong), Err(KeyError::Form), "{wrong}");
        }
        assert!(!format!("{:?}", Signer::new(&[3; 32])).contains("3, 3"), "the secret is not shown");
    }

    #[test]
    fn a_key_that_accepts_signatures_of_anybody_is_refused() {
        // The points of small order: the neutral one, that of order two, and one of order eight.
        let mut one = [0; 32];
        one[0] = 1;
        let mut minus_one = [0xff; 32];
        (minus_one[0], minus_one[31]) = (0xec, 0x7f);
        for bytes in [[0; 32], one, minus_one] {
            let text = format!("ed25519:{}", STANDARD.encode(bytes));
            assert_eq!(PublicKey::read(&text), Err(KeyError::Weak), "{text}");
        }
    }

    #[test]
    fn a_signature_that_was_bent_does_not_verify() {
        // The order of the group, little endian: S + L is another spelling of S.
        const L: [u8; 32] = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ];
        let signer = Signer::new(&[7; 32]);
        let good = signer.sign(b"message");
        assert!(signer.public().verifies(b"message", &good));
        let mut bent = good;
        let mut carry = 0;
        for (byte, add) in bent.iter_mut().skip(32).zip(L) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
        }
        assert_ne!(bent, good);
        assert!(!signer.public().verifies(b"message", &bent));
        assert!(!signer.public().verifies(b"massage", &good));
        assert!(!signer.public().verifies(b"message", &good[..63]));
        assert!(!signer.public().verifies(b"message", &[&good[..], &[0]].concat()));
        assert!(!Signer::new(&[8; 32]).public().verifies(b"message", &good));
    }
}
