//! Sorting with one copy of the sort. The standard library's sorts compile to 5 KiB for each type of item, which twenty
//! types would make a sixth of this component.

use std::cmp::Ordering;

/// A run of so many items is sorted by insertion.
const SHORT: usize = 16;

/// Puts `items` into order. Equal ones keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    for (at, place) in swaps {
        items.swap(at, place);
    }
}

/// Adds the newest item of a list of at most `most` items, in place of the oldest if the list is full.
pub(crate) fn push_newest<T>(items: &mut Vec<T>, item: T, most: usize) {
    if items.len() >= most {
        items.remove(0);
    }
    items.push(item);
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

/// The swaps that put `len` items into order. Each brings one item to its place.
#[inline(never)]
fn swaps(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut to = vec![0; len];
    for (at, from) in order(len, compare).into_iter().enumerate() {
        to[from] = at;
    }
    let mut swaps = Vec::new();
    for at in 0..len {
        while to[at] != at {
            let place = to[at];
            to.swap(at, place);
            swaps.push((at, place));
        }
    }
    swaps
}

/// The positions of `len` items in their order.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let is_before = |a: usize, b: usize| compare(a, b) == Ordering::Less;
    // Sorted runs, as they are there already, or made by insertion while they are short.
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for at in 0..len {
        match runs.last_mut() {
            Some(run) if !run.last().is_some_and(|last| is_before(at, *last)) => run.push(at),
            Some(run) if run.len() < SHORT => {
                let behind = run.iter().rev().take_while(|known| is_before(at, **known)).count();
                run.insert(run.len() - behind, at);
            }
            _ => runs.push(vec![at]),
        }
    }
    while runs.len() > 1 {
        runs = runs.chunks(2).map(|pair| merged(pair, &is_before)).collect();
    }
    runs.pop().unwrap_or_default()
}

/// Two sorted runs as one, or a single one as it is.
fn merged(pair: &[Vec<usize>], is_before: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut left = pair.first().map_or(&[][..], Vec::as_slice);
    let mut right = pair.get(1).map_or(&[][..], Vec::as_slice);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let ([a, others @ ..], [b, rest @ ..]) = (left, right) {
        if is_before(*b, *a) {
            merged.push(*b);
            right = rest;
        } else {
            merged.push(*a);
            left = others;
        }
    }
    merged.extend(left);
    merged.extend(right);
    merged
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
