//! Asset ids: assets are read strictly, written canonically, and named by their hash.
//!
//! What must stay true: two programs that accept the same bytes compute the same id. So reading refuses what programs
//! could interpret in different ways (a duplicate key, a lone surrogate, a number that no f64 holds). The hash is over
//! RFC 8785 text, the canonical form of seed 000, "Asset ID".

mod asset_id;
mod canonical;
mod direct;
mod explain;
mod fields;
mod kind;
mod strict;

use serde::Serialize;
use serde_json::{Map, Value};

pub use asset_id::{DigestError, UNHASHED, asset_id, hex, members_id, sha256_hex, unsigned_text};
pub use direct::{Identifier, Identity};
pub use explain::{Origin, origin};
pub use fields::{FieldError, Fields};
use kind::kind_of;
pub use strict::{MAX_ASSET_BYTES, MAX_DEPTH, StrictError, read_object, read_value};

/// The schema version that gephost writes (seed 000). It reads every 1.x.
pub const SCHEMA_VERSION: &str = "1.5.0";

/// Why an asset cannot be read or made.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// It is not the JSON it should be.
    #[error(transparent)]
    Json(#[from] StrictError),
    /// A member is not what it should be.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// It cannot be hashed.
    #[error(transparent)]
    Digest(#[from] DigestError),
}

/// The result of verifying an asset's stated id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// The stated id is the computed one.
    Match,
    /// The asset was changed after hashing, or hashed in another way.
    Mismatch {
        /// The stated id; the JSON text if it is not a string.
        stated: String,
        /// The id of its content.
        computed: String,
    },
    /// It states none.
    Missing {
        /// The id of its content.
        computed: String,
    },
}

/// RFC 8785 text of any value.
pub fn canonical_text(value: &Value) -> Result<String, DigestError> {
    let mut text = Vec::new();
    canonical::write_value(&mut text, value);
    Ok(String::from_utf8(text)?)
}

/// Compares the stated `asset_id` with the computed one, exactly.
pub fn verify(asset: &Value) -> Result<Verification, DigestError> {
    match asset {
        Value::Object(members) => verify_members(members),
        other => Err(DigestError::NotAnObject { found: kind_of(other) }),
    }
}

/// [`verify`] of an object's members.
pub fn verify_members(members: &Map<String, Value>) -> Result<Verification, DigestError> {
    let computed = members_id(members)?;
    Ok(match members.get("asset_id") {
        None => Verification::Missing { computed },
        Some(Value::String(stated)) if *stated == computed => Verification::Match,
        Some(Value::String(stated)) => Verification::Mismatch { stated: stated.clone(), computed },
        Some(other) => Verification::Mismatch { stated: other.to_string(), computed },
    })
}

/// Sets the `asset_id` of an object to the right one, as its last member.
pub fn seal(members: &mut Map<String, Value>) -> Result<String, DigestError> {
    let id = members_id(members)?;
    members.shift_remove("asset_id");
    members.insert("asset_id".to_owned(), Value::String(id.clone()));
    Ok(id)
}

/// The document of a new asset: the members of `content`, in its order, and the `asset_id` at the end.
pub fn sealed(content: &impl Serialize) -> Result<Map<String, Value>, DigestError> {
    match serde_json::to_value(content).unwrap_or_default() {
        Value::Object(mut members) => {
            seal(&mut members)?;
            Ok(members)
        }
        other => Err(DigestError::NotAnObject { found: kind_of(&other) }),
    }
}
