//! A run of bytes as a run of choices: a fuzzer gives the bytes, or a seed does.
//!
//! What must stay true: the same bytes make the same choices, and where they end every choice is the first one, so that
//! a shorter input is a simpler one.

/// Choices still to be made.
pub(crate) struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Choices from bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// A number below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let wanted = if bound > 256 { 2 } else { 1 };
        let (taken, rest) = self.bytes.split_at(self.bytes.len().min(wanted));
        self.bytes = rest;
        taken.iter().fold(0, |sum, &byte| sum * 256 + usize::from(byte)) % bound.max(1)
    }

    /// True once in `times`; false where the bytes have ended.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of a list, which is not empty.
    pub(crate) fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Bytes from a seed (splitmix64), the same on every machine.
pub(crate) fn bytes_of_seed(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some((z ^ (z >> 31)).to_le_bytes())
    };
    std::iter::from_fn(next).flatten().take(count).collect()
}
