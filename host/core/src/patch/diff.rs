//! Which lines differ between two files: Myers' greedy algorithm with a bound on its work instead of a deadline, so
//! that the same input always gives the same answer.

use std::collections::HashMap;

/// Most edits that are looked for.
const MAX_EDITS: usize = 2_000;
/// Most steps: lines times edits.
const MAX_STEPS: usize = 1 << 28;

/// Lines that differ: a run of old ones, and the run of new ones in its place. Indices from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// First old line.
    pub(super) old: usize,
    /// How many old lines.
    pub(super) old_len: usize,
    /// First new line.
    pub(super) new: usize,
    /// How many new lines.
    pub(super) new_len: usize,
}

/// All blocks, in order. Where the files differ by more than the bound, everything between their common start and end
/// is one block.
pub(super) fn blocks(old: &[&[u8]], new: &[&[u8]]) -> Vec<Block> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = old_rest.get(..old_rest.len() - end).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - end).unwrap_or_default();
    let (a, b) = numbered(old_middle, new_middle);
    let mut deleted = vec![true; a.len()];
    let mut inserted = vec![true; b.len()];
    if let Some(trace) = search(&a, &b) {
        mark(&trace, &mut deleted, &mut inserted);
    }
    gather(&deleted, &inserted, start)
}

/// Lines as numbers: equal numbers for equal lines.
fn numbered<'a>(old: &[&'a [u8]], new: &[&'a [u8]]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut number = |lines: &[&'a [u8]]| -> Vec<usize> {
        lines
            .iter()
            .map(|line| {
                let next = numbers.len();
                *numbers.entry(line).or_insert(next)
            })
            .collect()
    };
    (number(old), number(new))
}

/// The furthest points of each round. Round `d` holds the diagonals `-d`, `-d + 2`, …, `d` in this order; a point is
/// the number of old lines passed.
type Trace = Vec<Vec<usize>>;

/// Searches for the shortest way from the start to the end of both files; `None` beyond the bound, and where one of
/// them is empty.
fn search(a: &[usize], b: &[usize]) -> Option<Trace> {
    if a.is_empty() || b.is_empty() {
        // Nothing is shared, and the search would find that out slowly.
        return None;
    }
    let bound = (MAX_STEPS / (a.len() + b.len())).min(MAX_EDITS);
    let mut trace: Trace = Vec::new();
    for edits in 0..=bound {
        let mut round = Vec::with_capacity(edits + 1);
        for diagonal in 0..=edits {
            let start = trace.last().map_or(0, |last| step(last, diagonal).0);
            // The diagonal's number is old minus new lines: 2 * diagonal - edits.
            let mut x = start;
            let mut y = (x + edits).saturating_sub(2 * diagonal);
            while a.get(x).is_some_and(|line| b.get(y) == Some(line)) {
                x += 1;
                y += 1;
            }
            round.push(x);
            if x >= a.len() && y >= b.len() {
                trace.push(round);
                return Some(trace);
            }
        }
        trace.push(round);
    }
    None
}

/// How a diagonal of the next round is reached from the last round: the point before its common lines, and whether
/// the step was an insertion.
fn step(last: &[usize], diagonal: usize) -> (usize, bool) {
    // From the diagonal above by an insertion (old lines stay), from the one below by a deletion.
    let inserted = last.get(diagonal).copied();
    let deleted = diagonal.checked_sub(1).and_then(|below| last.get(below)).map(|x| x + 1);
    match (inserted, deleted) {
        (Some(stay), Some(more)) if stay >= more => (stay, true),
        (Some(stay), None) => (stay, true),
        (_, Some(more)) => (more, false),
        (None, None) => (0, true),
    }
}

/// Walks the found way backwards and unmarks the lines that both files share.
fn mark(trace: &Trace, deleted: &mut [bool], inserted: &mut [bool]) {
    let Some(mut diagonal) = trace.last().map(|round| round.len() - 1) else {
        return;
    };
    for edits in (0..trace.len()).rev() {
        let end = trace.get(edits).and_then(|round| round.get(diagonal)).copied().unwrap_or(0);
        let before = edits.checked_sub(1).and_then(|edits| trace.get(edits));
        let (start, insertion) = before.map_or((0, true), |last| step(last, diagonal));
        for x in start..end {
            let y = (x + edits).saturating_sub(2 * diagonal);
            if let (Some(old), Some(new)) = (deleted.get_mut(x), inserted.get_mut(y)) {
                *old = false;
                *new = false;
            }
        }
        diagonal = if insertion { diagonal } else { diagonal - 1 };
    }
}

/// Runs of marked lines, as blocks.
fn gather(deleted: &[bool], inserted: &[bool], start: usize) -> Vec<Block> {
    let run = |marks: &[bool], at: usize| marks.iter().skip(at).take_while(|&&mark| mark).count();
    let mut blocks = Vec::new();
    let (mut x, mut y) = (0, 0);
    while x < deleted.len() || y < inserted.len() {
        let (old_len, new_len) = (run(deleted, x), run(inserted, y));
        if old_len + new_len == 0 {
            x += 1;
            y += 1;
            continue;
        }
        blocks.push(Block { old: start + x, old_len, new: start + y, new_len });
        x += old_len;
        y += new_len;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &[u8]) -> Vec<&[u8]> {
        text.chunks(1).collect()
    }

    /// Puts the new file together from the old one and the blocks, and counts the changed lines.
    fn rebuild(old: &[u8], new: &[u8], blocks: &[Block]) -> (Vec<u8>, usize) {
        let (mut result, mut at, mut edits) = (Vec::new(), 0, 0);
        for block in blocks {
            result.extend_from_slice(&old[at..block.old]);
            assert_eq!(result.len(), block.new);
            result.extend_from_slice(&new[block.new..block.new + block.new_len]);
            at = block.old + block.old_len;
            edits += block.old_len + block.new_len;
        }
        result.extend_from_slice(&old[at..]);
        (result, edits)
    }

    /// The length of the longest common subsequence, by the textbook table.
    fn longest_common(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..a.len() {
            for j in 0..b.len() {
                table[i + 1][j + 1] = if a[i] == b[j] { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn blocks_rebuild_the_new_file_by_the_fewest_edits(
            old in proptest::collection::vec(0..4_u8, 0..40),
            new in proptest::collection::vec(0..4_u8, 0..40),
        ) {
            let (result, edits) = rebuild(&old, &new, &blocks(&lines(&old), &lines(&new)));
            prop_assert_eq!(&result, &new);
            prop_assert_eq!(edits, old.len() + new.len() - 2 * longest_common(&old, &new));
        }
    }

    /// Two files of `lines` lines each, of which every so many differ.
    fn many_edits(lines: u32, replaced: u32) -> usize {
        let old: Vec<[u8; 4]> = (0..lines).map(u32::to_le_bytes).collect();
        let every = lines / replaced;
        let new: Vec<[u8; 4]> = (0..lines)
            .map(|line| if line % every == 0 && line / every < replaced { line + lines } else { line })
            .map(u32::to_le_bytes)
            .collect();
        blocks(
            &old.iter().map(<[u8; 4]>::as_slice).collect::<Vec<_>>(),
            &new.iter().map(<[u8; 4]>::as_slice).collect::<Vec<_>>(),
        )
        .len()
    }

    #[test]
    fn the_work_is_bounded_by_lines_times_edits() {
        // 2^28 steps over 140,000 lines are 1,917 edits; a replaced line is two.
        assert_eq!(many_edits(70_000, 950), 950);
        assert_eq!(many_edits(70_000, 975), 1);
        assert_eq!(many_edits(20_000, 995), 995);
        assert_eq!(many_edits(20_000, 1_010), 1);
    }

    #[test]
    fn beyond_the_bound_the_middle_is_one_block() {
        let old: Vec<String> = (0..3_000).map(|n| format!("old {n}\n")).collect();
        let new: Vec<String> = (0..3_000).map(|n| format!("new {n}\n")).collect();
        let bytes = |texts: &[String]| -> Vec<Vec<u8>> { texts.iter().map(|t| t.clone().into_bytes()).collect() };
        let (old, new) = (bytes(&old), bytes(&new));
        let found = blocks(
            &old.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            &new.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        );
        assert_eq!(found, [Block { old: 0, old_len: 3_000, new: 0, new_len: 3_000 }]);
    }
}
