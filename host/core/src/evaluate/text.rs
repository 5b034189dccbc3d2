//! Splits an output into lines as a person would read them: at every kind of line end.

/// The lines of a stream. A carriage return also ends a line; the text that it would overwrite is kept as a line of its
/// own.
pub(super) fn lines(plain: &str) -> Vec<&str> {
    plain.lines().flat_map(|line| line.trim_end_matches('\r').split('\r')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_ends_a_line() {
        assert_eq!(lines("a\r\nb\rc\nd"), ["a", "b", "c", "d"]);
        assert_eq!(lines("\r\n10 %\r100 %\r\n"), ["", "10 %", "100 %"]);
    }
}
