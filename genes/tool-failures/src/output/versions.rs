//! The version numbers that a message compares.

/// The version numbers of a line: the two that a message about versions compares.
pub(crate) fn versions(line: &str) -> Vec<&str> {
    // `x 0.3.0 cannot be built because it requires rustc 1.78 or newer, while 1.70 is active`
    let of = |text: &'_ str| numbers_of_versions(text).len() > 1;
    let line = line.split_once("equire").map(|(_, rest)| rest).filter(|rest| of(rest)).unwrap_or(line);
    let mut found = numbers_of_versions(line);
    found.truncate(2);
    found
}

/// The version numbers of a text, in its order.
fn numbers_of_versions(line: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut found: Vec<&str> = Vec::new();
    let mut before = ' ';
    for part in line.split_inclusive(|c: char| !is_part(c)) {
        let number = part.trim_end_matches(|c: char| !is_part(c)).trim_matches('.');
        // The version of the package that complains, as in `thing@3.0.0`, is not one of the two.
        let is_compared = number.contains('.') && before != '@' || matches!(before, '>' | '=' | '<' | '^' | '~');
        if is_compared && !number.is_empty() && number.len() <= 12 {
            found.push(number);
        }
        before = part.chars().next_back().unwrap_or(' ');
    }
    found.dedup();
    found
}
