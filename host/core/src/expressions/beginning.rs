//! The text that each line begins with in which an expression matches, read off the expression without parsing it.
//!
//! Many tools print a word such as `ok` in thousands of lines, and a line of their own that begins with it says how the run
//! ended. Where the text at the beginning is known, a comparison of a few bytes rules out all other lines.

/// How every line begins in which an expression matches, letter case included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beginning {
    text: &'static str,
    /// Where in the text its word begins.
    word: usize,
}

impl Beginning {
    /// What a line of the expression begins with; `None` if that is not one text, or if the text has not its only word.
    pub(super) fn of(source: &'static str, words: &[&str]) -> Option<Self> {
        let ([word], Some(source)) = (words, source.strip_prefix("(?m)^")) else { return None };
        if has_alternatives(source) {
            return None;
        }
        let special = source.find(|char| "\\.+*?()|[]{}^$".contains(char)).unwrap_or(source.len());
        let (plain, rest) = source.split_at(special);
        // What is repeated may be absent.
        let absent = if rest.starts_with(['*', '?', '{']) { plain.chars().next_back()?.len_utf8() } else { 0 };
        let text = plain.get(..plain.len() - absent)?;
        Some(Self { text, word: text.to_ascii_lowercase().find(word)? })
    }

    /// Whether its line begins so, if its word begins there in the text.
    pub(super) fn is_at(&self, text: &str, word: usize) -> bool {
        let Some(start) = word.checked_sub(self.word) else { return false };
        let bytes = text.as_bytes();
        let is_first = start.checked_sub(1).is_none_or(|before| bytes.get(before) == Some(&b'\n'));
        is_first && bytes.get(start..).is_some_and(|rest| rest.starts_with(self.text.as_bytes()))
    }
}

/// Whether an expression has alternatives outside of its groups and classes.
fn has_alternatives(source: &str) -> bool {
    let (mut depth, mut in_class, mut chars) = (0_usize, false, source.chars());
    while let Some(char) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            '|' if !in_class && depth == 0 => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_read_off_the_expression() {
        for (source, words, begins) in [
            (r"(?m)^OK(?: \(|$)", &["ok"][..], Some("OK")),
            (r"(?m)^test result: FAILED", &["test result: failed"], Some("test result: FAILED")),
            (r"(?m)^# fail +[1-9]", &["# fail "], Some("# fail ")),
            (r"(?m)^Failures?: [1-9]", &["failure"], Some("Failure")),
            (r"(?m)^ab*c", &["ab"], None),
            (r"(?m)^ok|^fine", &["ok"], None),
            (r"(?m)^[|]ok", &["ok"], None),
            (r"(?m)^ok [(|]x", &["ok "], Some("ok ")),
            (r"(?mi)^OK", &["ok"], None),
            (r"(?m)OK", &["ok"], None),
            (r"(?m)^ok (?:a|b)", &["ok a", "ok b"], None),
            (r"(?m)^✘ Test run", &["test run"], Some("✘ Test run")),
        ] {
            assert_eq!(Beginning::of(source, words).map(|found| found.text), begins, "{source}");
        }
    }

    #[test]
    fn a_beginning_is_at_the_start_of_a_line() {
        let ok = Beginning::of(r"(?m)^✘ Test run", &["test run"]).unwrap();
        let at = |text: &str| ok.is_at(text, text.to_ascii_lowercase().find("test run").unwrap());
        assert!(at("✘ Test run") && at("a\n✘ Test run of b"));
        assert!(!at("a ✘ Test run") && !at("Test run") && !at("✘ test run"));
    }
}
