//! The id of an asset: SHA-256 over its canonical text (seed 000, "Asset ID"; RFC 8785).

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::canonical;
use super::kind::kind_of;

/// The top-level members that are not part of an asset id.
///
/// `__proto__` is a quirk that the vectors record: the protocol's own implementation copies the members into an
/// ECMAScript object first, where assigning that name sets no member. Whoever trusts an asset must not read it.
pub const UNHASHED: [&str; 2] = ["asset_id", "__proto__"];

/// Why a value has no asset id.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// Only objects are assets.
    #[error("an asset is a JSON object, not {found}: give one object with `type` and `id`")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// The canonical form cannot be written.
    #[error("the canonical form cannot be written: {0}")]
    Canonical(#[from] std::string::FromUtf8Error),
}

/// `sha256:` and the lower-case hexadecimal SHA-256 of the canonical text of an object without its own `asset_id`.
///
/// Only the top level is treated so: an `asset_id` within a member takes part. `null` members take part. A top-level
/// `__proto__` does not, because no implementation of the protocol's origin can hash one ([`UNHASHED`]).
pub fn asset_id(asset: &Value) -> Result<String, DigestError> {
    match asset {
        Value::Object(members) => members_id(members),
        other => Err(DigestError::NotAnObject { found: kind_of(other) }),
    }
}

/// [`asset_id`] of an object's members.
pub fn members_id(members: &Map<String, Value>) -> Result<String, DigestError> {
    Ok(format!("sha256:{}", sha256_hex(&unsigned_text(members)?)))
}

/// The canonical text that [`asset_id`] hashes.
pub fn unsigned_text(members: &Map<String, Value>) -> Result<Vec<u8>, DigestError> {
    let mut text = Vec::new();
    canonical::write_members(&mut text, members, &UNHASHED);
    Ok(text)
}

/// Lower-case hexadecimal SHA-256.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Two lower-case hexadecimal digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS.get(usize::from(nibble & 15)).copied().unwrap_or_default());
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(*byte));
    }
    text
}
