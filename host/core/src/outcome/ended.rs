//! Outputs that end with what ended the program, or show how it is called in place of its work.

use super::evidence::{begins_an_error, contains};

/// Whether an output ends with the report of an exception that ended the program: the traceback of Python, or the stack
/// that Xdebug prints for PHP. What a program prints about an exception that it survived has something behind it.
pub(super) fn ends_with_a_trace(text: &str) -> bool {
    const MAX_LINES: usize = 400;
    let mut lines = text.trim_end().lines().rev();
    let Some(last) = lines.next() else { return false };
    if is_frame_of_xdebug(last) {
        // A warning has a stack as well, and the program goes on.
        return !["Warning: ", "Notice: ", "Deprecated: "].iter().any(|word| contains(text, word));
    }
    // `head` closes the pipe.
    if !begins_an_error(last) || last.starts_with("BrokenPipeError") {
        return false;
    }
    let mut above = lines.take(MAX_LINES).skip_while(|line| line.starts_with(' '));
    above.next().is_some_and(|line| line == "Traceback (most recent call last):")
        && above.next().is_none_or(|line| !line.starts_with("Exception ignored"))
}

/// `  13.7563  128310576  43. Some\Class->method() phar:///x.php:854`: seconds, bytes, and the number of the frame.
fn is_frame_of_xdebug(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let mut next = || words.next().unwrap_or_default();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (seconds, bytes, frame) = (next(), next(), next());
    seconds.split_once('.').is_some_and(|(whole, part)| is_number(whole) && part.len() == 4 && is_number(part))
        && is_number(bytes)
        && frame.strip_suffix('.').is_some_and(is_number)
}

/// Whether a program shows how it is called in place of doing what it was asked: the first line says `Usage:`.
pub(super) fn begins_with_usage(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.trim_end() == "Usage:" || first.starts_with("Usage: ") || first.starts_with("usage: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_that_ended_a_program() {
        let python = "3 passed\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n";
        let xdebug = "   13.7563  128310576  43. A\\B->c($d = 'x') phar:///x.php:854";
        for (text, expected) in [
            (format!("{python}TypeError: expected str, got tuple"), true),
            (format!("{python}a.b.CustomError: x\n"), true),
            (xdebug.to_owned(), true),
            (format!("{python}TypeError: expected str, got tuple\nretrying\ndone"), false),
            (format!("{python}BrokenPipeError: [Errno 32] Broken pipe"), false),
            (format!("Exception ignored in: <a>\n{}OSError: x", &python[9..]), false),
            (format!("Warning: Undefined variable $a in x.php on line 3\nCall Stack:\n{xdebug}"), false),
            (format!("{xdebug}\n12 rows"), false),
            ("12.5000  300  apples".to_owned(), false),
            ("TypeError: x".to_owned(), false),
        ] {
            assert_eq!(ends_with_a_trace(&text), expected, "{text}");
        }
    }
}
