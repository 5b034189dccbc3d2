//! The lines of a text that are shown if there is no room for all of them.

use gephost_core::signal::error_signature;

/// Lines shown before and after the one that names the error.
const AROUND: usize = 1;

/// What is shown of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown<'t> {
    Line(&'t str),
    /// So many lines are left out here.
    LeftOut(usize),
}

/// The first `head` lines, the last `tail` lines, and the line that names the error with its neighbours. Empty lines are left
/// out without a word.
pub(super) fn excerpt(text: &str, head: usize, tail: usize) -> Vec<Shown<'_>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let named = if lines.len() > head + tail { error_line(text, &lines) } else { None };
    let mut shown = Vec::new();
    let mut left_out = 0;
    for (at, line) in lines.iter().enumerate() {
        let is_near = named.is_some_and(|named| named.abs_diff(at) <= AROUND);
        if at < head || at + tail >= lines.len() || is_near {
            shown.extend((left_out > 0).then_some(Shown::LeftOut(left_out)));
            shown.push(Shown::Line(line));
            left_out = 0;
        } else {
            left_out += 1;
        }
    }
    shown.extend((left_out > 0).then_some(Shown::LeftOut(left_out)));
    shown
}

/// Which of these lines of a text names its error.
fn error_line(text: &str, lines: &[&str]) -> Option<usize> {
    let error = error_signature(text)?;
    lines.iter().position(|line| error_signature(line).is_some_and(|own| own == error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, head: usize, tail: usize) -> Vec<String> {
        let line = |shown| match shown {
            Shown::Line(line) => line.to_owned(),
            Shown::LeftOut(count) => format!("…{count}"),
        };
        excerpt(text, head, tail).into_iter().map(line).collect()
    }

    #[test]
    fn the_line_that_names_the_error_is_shown_wherever_it_is() {
        let numbered = |named: usize, error: &str| {
            let line = |at| if at == named { error.to_owned() } else { format!("line {at}") };
            (0..9).map(line).collect::<Vec<_>>().join("\n")
        };
        for error in [
            "AssertionError: expected -1 to be 3",
            "error[E0308]: mismatched types",
            "src/a.ts(3,1): error TS2322: no",
            "E   KeyError: 'a'",
            "cat: b.md: No such file or directory",
        ] {
            let shown = texts(&numbered(4, error), 2, 2);
            assert_eq!(shown, ["line 0", "line 1", "…1", "line 3", error, "line 5", "…1", "line 7", "line 8"]);
        }
        // Where it would be shown anyway, or there is none, nothing changes.
        assert_eq!(texts(&numbered(0, "Error: a"), 2, 2), ["Error: a", "line 1", "…5", "line 7", "line 8"]);
        assert_eq!(texts(&numbered(99, ""), 2, 2), ["line 0", "line 1", "…5", "line 7", "line 8"]);
        assert_eq!(texts(&numbered(99, ""), 2, 0), ["line 0", "line 1", "…7"]);
        assert_eq!(texts("a\n\n \nb\n", 1, 1), ["a", "b"]);
        assert_eq!(texts("", 1, 1), Vec::<String>::new());
    }
}
