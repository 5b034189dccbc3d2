//! Outputs of which the log keeps only a part: what failed may stand in the rest.

use crate::output::vocabulary::Words;

/// What agents write in place of what they leave out.
static CUTS: Words = Words::of(&[
    "[truncated]",
    "[Truncated]",
    "<truncated",
    "(truncated",
    "... truncated",
    "utput truncated",
    " tokens truncated",
    " chars truncated",
    " characters truncated",
    " lines truncated",
    " bytes truncated",
    " chars omitted",
    " characters omitted",
    " lines omitted",
    " lines skipped",
    "(ctrl+o to ",
    "(ctrl+r to ",
]);
/// Where such a mark stands: near the start or the end of what is left, or in a short output.
const SHOWN_BYTES: usize = 2048;

/// Whether the log keeps only a part of an output.
pub(crate) fn is_cut(output: &str) -> bool {
    let start = output.get(..output.floor_char_boundary(SHOWN_BYTES)).unwrap_or_default();
    let end = output.get(output.ceil_char_boundary(output.len().saturating_sub(SHOWN_BYTES))..);
    CUTS.are_in(start) || end.is_some_and(|end| CUTS.are_in(end))
}

/// Whether a line is such a mark and nothing else.
pub(crate) fn is_mark(line: &str) -> bool {
    const LONGEST: usize = 80;
    let is_more = || line.starts_with(['\u{2026}', '.', '[', '<', '(']) || line.contains("(ctrl+");
    line.len() <= LONGEST && line.ends_with([')', ']', '>', '.', '\u{2026}']) && is_more() && CUTS.are_in(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_says_that_it_leaves_a_part_out() {
        for output in [
            "a\nst...[truncated]",
            "a\n\u{2026}132 tokens truncated\u{2026}\nb",
            "a\n[12034 characters truncated]\nb",
            "... 512 chars omitted ...",
            "<truncated 40 lines>",
            "(Output truncated at 30000 characters)",
            "a\n[... 80 lines omitted ...]",
            "a\n\u{2026} +159 lines (ctrl+o to see all)",
        ] {
            assert!(is_cut(output), "{output}");
        }
        for mark in [
            "\u{2026} +159 lines (ctrl+o to see all)",
            "[truncated]",
            "... 512 chars omitted ...",
            "<truncated 40 lines>",
        ] {
            assert!(is_mark(mark), "{mark}");
        }
        for line in ["error: [truncated]", "a.py: 3 lines skipped", "", "... and then it failed"] {
            assert!(!is_mark(line), "{line}");
        }
        for output in ["", "3 failed", "the file was cut", "TRUNCATE TABLE a", "2 tests skipped", "omitted"] {
            assert!(!is_cut(output), "{output}");
        }
    }
}
