//! The one line of an output that says what failed. Pure, linear in the output's length.

/// Longest line handed on, in characters. The error signature of GEP keeps as many.
pub(crate) const LINE_CHARS: usize = 260;

/// What failed: the last line that names an error, else the last line that says anything; white space collapsed, at
/// most [`LINE_CHARS`] characters. Empty only for an output of nothing but white space and frame drawing.
pub(crate) fn telling_line(output: &str) -> String {
    let mut last = "";
    let mut naming = None;
    for line in output.lines() {
        let line = unframed(line);
        if !line.chars().any(char::is_alphanumeric) || is_footer(line) {
            continue;
        }
        last = line;
        if names_an_error(line) {
            naming = Some(line);
        }
    }
    collapsed(naming.unwrap_or(last))
}

/// pytest puts `E` before the lines of an exception.
fn unframed(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("E  ").map_or(line, str::trim_start)
}

/// Lines that close an output without saying what went wrong.
fn is_footer(line: &str) -> bool {
    line.starts_with("Node.js v") || line.starts_with("at ") || line.starts_with("npm error A complete log")
}

/// `ValueError: …`, `socket.timeout: …`, `error[E0282]: …`, `fatal: …`, `FAIL: …`, `thread 'main' panicked at …`.
fn names_an_error(line: &str) -> bool {
    let head = line.split_once(':').map_or("", |(head, _)| head);
    let head = head.rsplit_once(' ').map_or(head, |(_, word)| word);
    let word = head.trim_start_matches(|c: char| !c.is_alphanumeric());
    let by_name = word.ends_with("Error") || word.ends_with("Exception") || word.ends_with("Exit");
    let by_word = ["error", "fatal", "FAIL", "panic", "ERROR"].iter().any(|start| word.starts_with(start));
    by_name || by_word || line.contains(" panicked at ")
}

fn collapsed(line: &str) -> String {
    let mut text = String::new();
    for word in line.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    match text.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_what_failed() {
        for (output, expected) in [
            ("Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no\n", "ValueError: no"),
            (
                "E   AssertionError: assert 1 == 2\n\na.py:3: AssertionError\n=== 1 failed ===",
                "AssertionError: assert 1 == 2",
            ),
            (
                "TypeError: os.tmpDir is not a function\n    at x (a.js:1:1)\n\nNode.js v20.20.2\n",
                "TypeError: os.tmpDir is not a function",
            ),
            (
                "warning: x\nerror[E0282]: type annotations needed\n  --> a.rs:1:1\n",
                "error[E0282]: type annotations needed",
            ),
            ("fatal:   not a\tgit repository\n", "fatal: not a git repository"),
            ("thread 'main' panicked at src/main.rs:1:1:\nboom\n", "thread 'main' panicked at src/main.rs:1:1:"),
            ("Exit code 2\nsomething odd\n-----\n", "something odd"),
            ("", ""),
            ("----\n\n", ""),
        ] {
            assert_eq!(telling_line(output), expected, "{output:?}");
        }
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let line = telling_line(&"é".repeat(1000));
        assert_eq!(line.chars().count(), LINE_CHARS);
    }
}
