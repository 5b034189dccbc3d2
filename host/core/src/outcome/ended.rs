//! Outputs that end with what ended the program, or show how it is called in place of its work.

use super::evidence::{begins_an_error, contains};

/// Whether an output ends with the report of an exception that ended the program: the traceback of Python, the frames of
/// Java below its first line, the last line of Node.js, PHP or Lua, or the stack that Xdebug prints for PHP. What a program prints about an exception that it survived has something behind it.
pub(super) fn ends_with_a_trace(text: &str) -> bool {
    const MAX_LINES: usize = 400;
    let mut lines = text.trim_end().lines().rev();
    let Some(last) = lines.next() else { return false };
    if is_frame_of_xdebug(last) {
        // A warning has a stack as well, and the program goes on.
        return !["Warning: ", "Notice: ", "Deprecated: "].iter().any(|word| contains(text, word));
    }
    if is_last_line_of_node(last) || last.trim_start().starts_with("thrown in ") && last.contains(" on line ") {
        return true;
    }
    if last.starts_with("\t[C]: in ") && contains(text, "\nstack traceback:\n") {
        return true;
    }
    if is_frame_of_java(last) {
        let mut above = text.lines().rev().take(MAX_LINES);
        return above.any(|line| line.starts_with("Exception in thread \""));
    }
    // `head` closes the pipe.
    if !begins_an_error(last) || last.starts_with("BrokenPipeError") {
        return false;
    }
    let mut above = lines.take(MAX_LINES).skip_while(|line| line.starts_with(' '));
    above.next().is_some_and(|line| line == "Traceback (most recent call last):")
        && above.next().is_none_or(|line| !line.starts_with("Exception ignored"))
}

/// The text without the report of a program whose reader closed the pipe: `a.py --help | head -2`.
pub(super) fn without_closed_pipe(text: &str) -> &str {
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    if !last.starts_with("BrokenPipeError: ") && last != "Error: write EPIPE" {
        return text;
    }
    let begins = ["Traceback (most recent call last):", "Exception ignored in: "];
    let at = begins.iter().filter_map(|start| memchr::memmem::find(text.as_bytes(), start.as_bytes())).min();
    at.and_then(|at| text.get(..at)).unwrap_or(text)
}

/// Whether `make` says that a recipe failed: `make: *** [a.o] Error 1`, `make: [Makefile:3: a] Error 1 (ignored)`.
pub(super) fn names_a_failed_recipe(text: &str) -> bool {
    contains(text, "] Error ") && text.lines().any(is_failed_recipe)
}

fn is_failed_recipe(line: &str) -> bool {
    let said = line.trim_start().trim_start_matches(|c: char| c.is_ascii_lowercase());
    let Some((_, rest)) = said.split_once(": ").filter(|(depth, _)| is_depth(depth)) else { return false };
    let code =
        rest.strip_prefix("*** ").unwrap_or(rest).strip_prefix('[').and_then(|rest| rest.rsplit_once("] Error "));
    line.contains("make") && code.is_some_and(|(_, code)| code.starts_with(|c: char| c.is_ascii_digit()))
}

/// Nothing, or the depth of a `make` within a `make`: `[2]`.
fn is_depth(text: &str) -> bool {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    inner.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the last line is a place in a stack of JavaScript, or the end of the error that Node.js prints below one:
/// `at f (/r/a.js:3:1) {`.
pub(super) fn ends_with_a_frame(text: &str) -> bool {
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let opens = |line: &str| line.strip_suffix(" {").is_some_and(is_frame_of_javascript);
    is_frame_of_javascript(last) || last == "}" && text.lines().any(opens)
}

/// `    at f (/r/a.js:3:1)`
fn is_frame_of_javascript(line: &str) -> bool {
    let Some(said) = line.trim_start().strip_prefix("at ") else { return false };
    let mut place = said.trim_end_matches(')').rsplitn(3, ':');
    let mut is_number = || place.next().is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    is_number() && is_number() && place.next().is_some_and(|file| file.contains(['/', '.', '\\']))
}

/// `Node.js v20.11.0`
fn is_last_line_of_node(line: &str) -> bool {
    let version = line.strip_prefix("Node.js v");
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// `\tat a.b.C.main(C.java:3)`, `\t... 12 more`
fn is_frame_of_java(line: &str) -> bool {
    let said = line.trim_start();
    said.len() < line.len() && (said.starts_with("at ") && said.ends_with(')') || said.ends_with(" more"))
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
    fn places_in_stacks() {
        for (text, expected) in [
            (
                "  +3\n\n      at Context.<anonymous> (a.test.js:1:62)\n      at process.f (node:internal/timers:483:21)\n",
                true,
            ),
            ("    at async file:///r/a.mjs:3:1", true),
            ("at process.f (node:internal/timers:483:21)", true),
            ("SyntaxError: x\n    at f (/r/a.js:3:1) {\n  code: 'E',\n  pos: 10\n}", true),
            ("{\n  pos: 10\n}", false),
            ("at 12:30:01", false),
            ("  at noon", false),
            ("    at f (/r/a.js:3:1)\ndone", false),
            ("", false),
        ] {
            assert_eq!(ends_with_a_frame(text), expected, "{text}");
        }
    }

    #[test]
    fn a_reader_that_closed_the_pipe() {
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n";
        for (text, expected) in [
            (format!("usage: a\n{trace}BrokenPipeError: [Errno 32] Broken pipe"), "usage: a\n".to_owned()),
            (
                format!("1\nException ignored in: <a>\n{trace}BrokenPipeError: [Errno 32] Broken pipe\n"),
                "1\n".to_owned(),
            ),
            (format!("{trace}KeyError: 1"), format!("{trace}KeyError: 1")),
            ("BrokenPipeError: x".to_owned(), "BrokenPipeError: x".to_owned()),
        ] {
            assert_eq!(without_closed_pipe(&text), expected, "{text}");
        }
    }

    #[test]
    fn recipes_that_failed() {
        for (line, expected) in [
            ("make: *** [src/a.c] Error 1", true),
            ("gmake[2]: *** [Makefile:3: a] Error 2", true),
            ("waiting\nmake: [Makefile:72: 34] Error 1 (ignored)\nnext", true),
            ("make: Nothing to be done for 'all'.", false),
            ("notes: the log had [x] Error 1", false),
            ("make: *** no rule", false),
        ] {
            assert_eq!(names_a_failed_recipe(line), expected, "{line}");
        }
    }

    #[test]
    fn exceptions_that_ended_a_program() {
        let python = "3 passed\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n";
        let xdebug = "   13.7563  128310576  43. A\\B->c($d = 'x') phar:///x.php:854";
        for (text, expected) in [
            (format!("{python}TypeError: expected str, got tuple"), true),
            (format!("{python}a.b.CustomError: x\n"), true),
            (xdebug.to_owned(), true),
            ("/r/a.js:3\n\nTypeError: x\n    at f (/r/a.js:3:1)\n\nNode.js v20.11.0\n".to_owned(), true),
            ("PHP Fatal error:  Uncaught Error: x\n#0 {main}\n  thrown in /r/a.php on line 3".to_owned(), true),
            ("Exception in thread \"main\" a.B: x\n\tat a.C.main(C.java:3)\n".to_owned(), true),
            ("INFO retry after a.B: x\n\tat a.C.main(C.java:3)\n".to_owned(), false),
            ("Node.js v20.11.0 is needed".to_owned(), false),
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
