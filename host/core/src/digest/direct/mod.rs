//! The id of an asset straight from its text, without a tree of values: for whoever only verifies.
//!
//! The text is scanned once (`scan`). What is canonical as it is written, which is most of an asset, is later copied as it
//! stands; only members in another order, and numbers and texts in another spelling, are written anew (`write`).
//!
//! What must stay true: this reader only ever gives what the strict reader and the hash of its value give, byte for byte. So
//! it judges nothing: a text that it is not sure of, because it is broken or merely unusual, is left to them.

mod number;
mod scan;
mod write;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::strict::read_value;
use super::{AssetError, Verification, asset_id, verify};
use scan::{Item, Node, Scan, prefix_of};

/// Bytes of an asset id: `sha256:` and 64 digits.
const ID_BYTES: usize = 71;

/// Computes and verifies ids of assets, one after another, in buffers that it keeps.
#[derive(Debug, Default)]
pub struct Identifier {
    /// Items of objects and lists that are still open; in the end, the members of the asset, sorted.
    open: Vec<Item>,
    /// Items of those that are closed and must be written anew.
    closed: Vec<Item>,
    /// The canonical text.
    canonical: Vec<u8>,
}

/// An asset's ids.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Its member `id`.
    pub id: Option<Value>,
    /// The asset id that it states; the JSON text if it is not a string.
    pub stated: Option<String>,
    /// The asset id of its content.
    pub computed: String,
    /// Whether it states the asset id of its content.
    pub is_match: bool,
}

/// What was found without the strict reader. Both texts are JSON as it is written.
struct Found<'t> {
    id: Option<&'t [u8]>,
    stated: Option<&'t [u8]>,
    computed: [u8; ID_BYTES],
}

impl Identifier {
    /// With empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares the asset id that an asset of at most `limit` bytes states with that of its content. Gives the same as
    /// [`super::read_value`] and [`super::verify`].
    pub fn verify(&mut self, text: &[u8], limit: usize) -> Result<Verification, AssetError> {
        match self.find(text, limit) {
            Some(Found { stated: None, computed, .. }) => Ok(Verification::Missing { computed: as_text(&computed) }),
            Some(Found { stated: Some(stated), computed, .. }) if unquoted(stated) == Some(&computed) => {
                Ok(Verification::Match)
            }
            // A mismatch is rare, and its stated id must be decoded.
            _ => Ok(verify(&read_value(text, limit)?)?),
        }
    }

    /// Both asset ids of an asset of at most `limit` bytes, and its `id`. Gives the same as [`super::read_value`] and
    /// [`super::asset_id`].
    pub fn identify(&mut self, text: &[u8], limit: usize) -> Result<Identity, AssetError> {
        let Some(found) = self.find(text, limit) else {
            let asset = read_value(text, limit)?;
            let computed = asset_id(&asset)?;
            return Ok(Identity::new(asset.get("id").cloned(), asset.get("asset_id"), computed));
        };
        let read = |member: &[u8]| serde_json::from_slice::<Value>(member).ok();
        Ok(Identity::new(found.id.and_then(read), found.stated.and_then(read).as_ref(), as_text(&found.computed)))
    }

    /// What an asset states and the asset id of its content; `None` if that is for the strict reader to say.
    fn find<'t>(&mut self, text: &'t [u8], limit: usize) -> Option<Found<'t>> {
        if text.len() > limit {
            return None;
        }
        self.open.clear();
        self.closed.clear();
        self.canonical.clear();
        Scan::new(text, &mut self.open, &mut self.closed)?.asset()?;
        let (id, stated) = (self.member(text, "id").ok()?, self.member(text, "asset_id").ok()?);
        write::asset(&mut self.canonical, text, &self.open, &self.closed);
        Some(Found { id, stated, computed: id_of(&self.canonical) })
    }

    /// A member of the asset as it is written, if it has one.
    fn member<'t>(&self, text: &'t [u8], name: &str) -> Result<Option<&'t [u8]>, NotCanonical> {
        let prefix = prefix_of(name.as_bytes());
        match self.open.iter().find(|item| item.is_named(text, name, prefix)) {
            None => Ok(None),
            Some(Item { value: Node::Raw(span), .. }) => Ok(Some(span.of(text))),
            Some(_) => Err(NotCanonical),
        }
    }
}

/// A member that is not written as the canonical text has it.
struct NotCanonical;

impl Identity {
    fn new(id: Option<Value>, stated: Option<&Value>, computed: String) -> Self {
        let is_match = stated.and_then(Value::as_str) == Some(&computed);
        let stated = stated.map(|stated| stated.as_str().map_or_else(|| stated.to_string(), str::to_owned));
        Self { id, stated, computed, is_match }
    }
}

fn unquoted(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

fn id_of(canonical: &[u8]) -> [u8; ID_BYTES] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut id = [0; ID_BYTES];
    let (algorithm, digits) = id.split_at_mut(b"sha256:".len());
    algorithm.copy_from_slice(b"sha256:");
    for (pair, byte) in digits.chunks_exact_mut(2).zip(Sha256::digest(canonical)) {
        let digit = |nibble: u8| HEX.get(usize::from(nibble & 15)).copied().unwrap_or_default();
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte)]);
    }
    id
}

fn as_text(id: &[u8; ID_BYTES]) -> String {
    id.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests;
