//! A SHA-256 digest as a value: thirty-two bytes in memory, `sha256:` and hex on disk.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;
use sha2::Sha256;

const PREFIX: &str = "sha256:";

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: write `sha256:` and 64 lower-case hexadecimal digits")]
pub struct BadDigest;

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The thirty-two bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 hex digits alone, as in a file name.
    pub fn hex(&self) -> String {
        crate::digest::hex(&self.0)
    }

    /// The first twelve hex digits, for display.
    pub fn short(&self) -> String {
        self.hex().chars().take(12).collect()
    }

    /// Reads [`Digest::hex`] back.
    pub fn from_hex(hex: &str) -> Result<Self, BadDigest> {
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return Err(BadDigest);
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            *byte = pair.iter().try_fold(0, |value, &digit| Some(value << 4 | nibble(digit)?)).ok_or(BadDigest)?;
        }
        Ok(Self(bytes))
    }
}

/// Only lower case: a digest has one spelling, so that two of them are equal exactly when their texts are.
fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.short())
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        Self::from_hex(text.strip_prefix(PREFIX).ok_or(BadDigest)?)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": format!("^{PREFIX}[0-9a-f]{{64}}$") })
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Shared bytes, and their digest once it was computed. Clones share both, so nothing is hashed twice.
#[derive(Clone)]
pub struct Blob(Arc<Held>);

struct Held {
    bytes: Bytes,
    digest: OnceLock<Digest>,
}

/// Bytes of the program itself are not copied.
enum Bytes {
    OfProgram(&'static [u8]),
    Shared(Arc<[u8]>),
}

impl Blob {
    /// These bytes, whose digest is known.
    pub fn known(bytes: impl Into<Arc<[u8]>>, digest: Digest) -> Self {
        Self(Arc::new(Held { bytes: Bytes::Shared(bytes.into()), digest: OnceLock::from(digest) }))
    }

    /// Bytes that are part of the program, which are not copied.
    pub fn of_program(bytes: &'static [u8]) -> Self {
        Self(Arc::new(Held { bytes: Bytes::OfProgram(bytes), digest: OnceLock::new() }))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0.bytes {
            Bytes::OfProgram(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
        }
    }

    /// The bytes, shared. Only those of the program are copied for this.
    pub fn shared(&self) -> Arc<[u8]> {
        match &self.0.bytes {
            Bytes::OfProgram(bytes) => Arc::from(*bytes),
            Bytes::Shared(bytes) => Arc::clone(bytes),
        }
    }

    /// Sets their digest, which the caller computed before.
    pub fn learn(&self, digest: Digest) {
        let known = self.0.digest.get_or_init(|| digest);
        debug_assert_eq!(*known, digest, "bytes have one digest");
    }

    /// Their digest.
    pub fn digest(&self) -> Digest {
        *self.0.digest.get_or_init(|| Digest::of(self.bytes()))
    }
}

impl<T: Into<Arc<[u8]>>> From<T> for Blob {
    fn from(bytes: T) -> Self {
        Self(Arc::new(Held { bytes: Bytes::Shared(bytes.into()), digest: OnceLock::new() }))
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {:?}", self.bytes().len(), self.digest())
    }
}

/// A digest over several fields. Each field is preceded by its length, so that different lists never hash the same
/// bytes.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds a field.
    pub fn field(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    /// The digest of all fields.
    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_spelling() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let digest = Digest::of(b"");
        assert_eq!(digest.to_string(), empty);
        assert_eq!(empty.parse(), Ok(digest));
        assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{empty}\""));
        assert_eq!(serde_json::from_str::<Digest>(&format!("\"{empty}\"")).unwrap(), digest);
        for wrong in ["", "sha256:", &empty[7..], &empty[..70], &empty.to_uppercase(), &empty.replace('e', "g")] {
            assert_eq!(wrong.parse::<Digest>(), Err(BadDigest), "{wrong}");
        }
    }

    #[test]
    fn fields_do_not_run_together() {
        let of = |fields: &[&[u8]]| {
            let mut hasher = Hasher::default();
            for field in fields {
                hasher.field(field);
            }
            hasher.digest()
        };
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"ab"]), of(&[b"ab", b""]));
        assert_eq!(of(&[b"ab", b""]), of(&[b"ab", b""]));
    }
}
