//! Sorting with one copy of the sort. The standard library's sorts compile to 5 KiB for each type of item, which twenty
//! types would make a sixth of this component.

use std::cmp::Ordering;

/// Puts `items` into order. Equal ones keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let from = order(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut to = vec![0; from.len()];
    for (at, from) in from.into_iter().enumerate() {
        to[from] = at;
    }
    // Each swap brings one item to its place.
    for at in 0..items.len() {
        while to[at] != at {
            let place = to[at];
            items.swap(at, place);
            to.swap(at, place);
        }
    }
}

/// Puts numbers into ascending order.
pub(crate) fn sort(numbers: &mut [u64]) {
    sort_by(numbers, Ord::cmp);
}

/// How many different numbers these are.
pub(crate) fn different(numbers: impl Iterator<Item = u64>) -> usize {
    let mut numbers: Vec<u64> = numbers.collect();
    sort(&mut numbers);
    numbers.dedup();
    numbers.len()
}

/// The most frequent first, and those that are equally frequent by their names.
pub(crate) fn by_count<N: Ord>(counted: impl Iterator<Item = (N, u32)>) -> Vec<(N, u32)> {
    let mut counted: Vec<(N, u32)> = counted.collect();
    sort_by(&mut counted, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counted
}

/// The positions of `len` items in their order.
#[inline(never)]
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    // Sorted runs are merged in pairs, until there is one.
    let mut width = 1;
    while width < len {
        let mut merged = Vec::with_capacity(len);
        for pair in order.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([a, others @ ..], [b, rest @ ..]) = (left, right) {
                if compare(*b, *a) == Ordering::Less {
                    merged.push(*b);
                    right = rest;
                } else {
                    merged.push(*a);
                    left = others;
                }
            }
            merged.extend(left);
            merged.extend(right);
        }
        order = merged;
        width *= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_ordered_as_the_standard_library_orders_them() {
        for len in [0_u64, 1, 2, 3, 7, 40, 1000] {
            let mut items: Vec<(u64, u64)> = (0..len).map(|at| (at * 7919 % 31, at)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
        }
    }
}
