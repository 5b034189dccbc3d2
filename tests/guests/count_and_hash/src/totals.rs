//! The computation. The gene and the native run that it is compared with use the same source.

/// The columns of one batch that are counted, as in the record `batch` of `wit/v0.1`.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// An outcome as its position in the enum.
    pub outcome: &'a [u8],
    /// The position of a tool's name.
    pub tool: &'a [u32],
    /// Ends of the texts in `heap`, two for each event.
    pub text_ends: &'a [u32],
    /// All texts.
    pub heap: &'a [u8],
}

/// Failures by tool, and a hash of all texts in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Failures, by the position of the tool's name.
    pub failures: Vec<u64>,
    /// Depends on every byte of every text, and on where texts end.
    pub hash: u64,
}

/// The position of `failure` in the enum `outcome`.
const FAILURE: u8 = 2;

impl Totals {
    /// No events yet, for this many tools.
    #[must_use]
    pub fn new(tools: usize) -> Self {
        Self { failures: vec![0; tools], hash: 0xcbf2_9ce4_8422_2325 }
    }

    /// Adds the events of a batch.
    pub fn add(&mut self, columns: &Columns<'_>) {
        let mut start = 0;
        let ends = columns.text_ends.chunks_exact(2);
        for ((outcome, tool), ends) in columns.outcome.iter().zip(columns.tool).zip(ends) {
            if *outcome == FAILURE
                && let Some(count) = self.failures.get_mut(*tool as usize)
            {
                *count += 1;
            }
            for &end in ends {
                let end = end as usize;
                self.hash = hash(self.hash, columns.heap.get(start..end).unwrap_or_default());
                start = end;
            }
        }
    }
}

/// Hashes eight bytes at a time.
fn hash(seed: u64, text: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_chunks::<8>();
    let mut hash = seed ^ text.len() as u64;
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME).rotate_left(29);
    }
    rest.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}
