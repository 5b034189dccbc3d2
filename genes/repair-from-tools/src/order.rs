//! Lists in order.

/// The items in their order, each once. It takes the time of a sort if they are nearly in order, and a tenth of its room in the
/// component.
pub(crate) fn ordered<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    for item in items {
        let at = list.partition_point(|known| *known < item);
        if list.get(at) != Some(&item) {
            list.insert(at, item);
        }
    }
    list
}
