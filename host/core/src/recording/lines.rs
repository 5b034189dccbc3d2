//! The lines in which two texts differ.

/// The lines that only one of two texts has, in order, without what they have in common at both ends: first those of
/// `before`, with `-`, then those of `after`, with `+`.
pub fn lines_that_differ(before: &str, after: &str) -> Vec<String> {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let (before, after) = (before.get(same..).unwrap_or_default(), after.get(same..).unwrap_or_default());
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let lines = |sign: char, lines: &[&str]| {
        let shown = lines.get(..lines.len().saturating_sub(tail)).unwrap_or_default().to_vec();
        shown.into_iter().map(|line| format!("{sign}{line}")).collect::<Vec<_>>()
    };
    [lines('-', before), lines('+', after)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_differ_are_shown() {
        assert_eq!(lines_that_differ("a\nb\nc\n", "a\nx\ny\nc\n"), ["-b", "+x", "+y"]);
        assert_eq!(lines_that_differ("a\n", "a\nb\n"), ["+b"]);
        assert_eq!(lines_that_differ("a\na\n", "a\n"), ["-a"]);
        assert_eq!(lines_that_differ("a\n", "a\n"), Vec::<String>::new());
    }
}
