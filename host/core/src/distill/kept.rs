//! Keeps as many assets as a bound allows: the same ones, in whatever order they come.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Map, Value};

use super::words::{asset_id, is_external};

/// The most assets of one kind that are kept.
pub const MAX_ASSETS: usize = 5000;
/// The most memory that the assets of one kind take, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// What a member takes beside the text of its name and its value, in bytes.
const MEMBER_BYTES: usize = 64;

/// The user's own assets before those from elsewhere, then by asset id.
type Key = (bool, String);

/// Assets of one kind.
pub(super) struct Kept<T> {
    document: fn(&T) -> &Map<String, Value>,
    assets: BTreeMap<Key, Item<T>>,
    bytes: usize,
    /// The first asset in order that was dropped. It and what follows it is not kept, so that the order in which assets come
    /// makes no difference.
    cut: Option<Key>,
    /// How many were dropped.
    pub(super) dropped: u64,
}

struct Item<T> {
    value: T,
    bytes: usize,
    /// How often it came.
    times: u64,
}

impl<T> Kept<T> {
    pub(super) fn new(document: fn(&T) -> &Map<String, Value>) -> Self {
        Self { document, assets: BTreeMap::new(), bytes: 0, cut: None, dropped: 0 }
    }

    /// Takes an asset whose asset id verifies.
    pub(super) fn add(&mut self, asset: T) {
        let document = (self.document)(&asset);
        let key = (is_external(document), asset_id(document).to_owned());
        if self.cut.as_ref().is_some_and(|cut| key >= *cut) {
            self.dropped += 1;
            return;
        }
        // The asset has its texts once more, beside its document.
        let bytes = 2 * bytes_of(document);
        match self.assets.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().times += 1,
            Entry::Vacant(place) => {
                place.insert(Item { value: asset, bytes, times: 1 });
                self.bytes += bytes;
            }
        }
        while self.assets.len() > MAX_ASSETS || self.bytes > MAX_BYTES {
            let Some((key, last)) = self.assets.pop_last() else { return };
            self.bytes -= last.bytes;
            self.dropped += last.times;
            self.cut = Some(key);
        }
    }

    /// The assets in their order.
    pub(super) fn into_assets(self) -> Vec<T> {
        self.assets.into_values().map(|kept| kept.value).collect()
    }
}

fn bytes_of(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, value)| MEMBER_BYTES + name.len() + bytes_of_value(value)).sum()
}

fn bytes_of_value(value: &Value) -> usize {
    let within = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of_value).sum(),
        Value::Object(members) => bytes_of(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + within
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(number: usize, text: &str) -> Map<String, Value> {
        let status = if number.is_multiple_of(2) { "external_candidate" } else { "" };
        let value = json!({ "asset_id": format!("{number:05}"), "a2a": { "status": status }, "text": text });
        value.as_object().expect("an object").clone()
    }

    fn kept(documents: impl Iterator<Item = Map<String, Value>>) -> (Vec<String>, u64) {
        let mut kept = Kept::<Map<String, Value>>::new(|document| document);
        documents.for_each(|document| kept.add(document));
        let dropped = kept.dropped;
        (kept.into_assets().iter().map(|document| asset_id(document).to_owned()).collect(), dropped)
    }

    #[test]
    fn the_users_own_assets_are_kept_first_in_whatever_order_they_come() {
        let count = MAX_ASSETS + 100;
        let all = || (0..count).map(|number| document(number, ""));
        let (ids, dropped) = kept(all());
        assert_eq!((ids.len(), dropped), (MAX_ASSETS, 100));
        assert_eq!((ids[0].as_str(), ids[1].as_str(), ids[count / 2].as_str()), ("00001", "00003", "00000"));
        assert_eq!(kept((0..count).rev().map(|number| document(number, ""))), (ids.clone(), dropped));
        // One that comes twice is kept, or dropped, twice.
        assert_eq!(kept(all().chain(all())), (ids.clone(), 200));
        assert_eq!(kept(all().flat_map(|document| [document.clone(), document])), (ids, 200));
    }

    #[test]
    fn large_assets_are_kept_up_to_a_bound_and_none_that_follow_them() {
        let large = "x".repeat(8 << 20);
        let text = |number: usize| if number < 20 { large.as_str() } else { "" };
        let (ids, dropped) = kept((1..60).step_by(2).map(|number| document(number, text(number))));
        assert_eq!((ids.as_slice(), dropped), (["00001", "00003", "00005"].map(str::to_owned).as_slice(), 27));
        assert_eq!(kept((1..60).step_by(2).rev().map(|number| document(number, text(number)))), (ids, dropped));
    }

    #[test]
    fn many_small_values_count() {
        let mut members = Map::new();
        members.insert("list".to_owned(), Value::from(vec![0; 1000]));
        members.insert("text".to_owned(), "x".repeat(100).into());
        assert!(bytes_of(&members) >= 1000 * size_of::<Value>() + 100);
    }
}
