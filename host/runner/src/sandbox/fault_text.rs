//! What the runtime of a gene's language printed before the trap, as its author reads it: the message, and the author's own
//! line. An unknown form gives the last line.
//!
//! The text is the gene's. It is shown and decides nothing.

/// Longest message, in characters.
const MAX_MESSAGE: usize = 1000;

/// What the printed lines say of a trap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FaultText {
    /// The message of the exception or the panic.
    pub(super) message: String,
    /// The innermost line of the author's, as `FILE:LINE` with the function if it is named.
    pub(super) place: Option<String>,
    /// Whether an interpreter ran the author's code. Then the functions of the trap are the interpreter's.
    pub(super) is_interpreted: bool,
}

impl FaultText {
    /// Reads the lines that were printed before a trap; `None` if there are none.
    pub(super) fn of(lines: &[&str]) -> Option<Self> {
        let readers = [python, script, rust, go, assertion];
        let read = readers.into_iter().find_map(|reader| reader(lines)).or_else(|| {
            let last = lines.iter().rev().map(|line| line.trim()).find(|line| !line.is_empty() && !is_note(line))?;
            Some(Self { message: last.to_owned(), ..Self::default() })
        })?;
        let message = read.message.chars().take(MAX_MESSAGE).collect();
        Some(Self { message, ..read })
    }
}

/// Whether a line only says how to learn more.
pub(super) fn is_note(line: &str) -> bool {
    const NOTES: [&str; 3] =
        ["note: run with `RUST_BACKTRACE", "Unable to dump stack trace", "Cannot print stack trace"];
    NOTES.iter().any(|note| line.starts_with(note))
}

fn in_function(place: String, function: &str) -> String {
    if function.is_empty() || function.starts_with('<') { place } else { format!("{place} in {function}") }
}

/// The last traceback: frames, each with the line of its source below, then the exception and its notes.
fn python(lines: &[&str]) -> Option<FaultText> {
    let begin = lines.iter().rposition(|line| line.trim_end() == "Traceback (most recent call last):")?;
    let after = lines.get(begin + 1..)?;
    let length = after.iter().take_while(|line| line.starts_with(' ')).count();
    let (frames, rest) = after.split_at_checked(length)?;
    let place = frames.iter().rev().find_map(|line| {
        let (file, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
        let (number, function) = rest.split_once(", in ").unwrap_or((rest, ""));
        Some(in_function(format!("{file}:{number}"), function))
    });
    let said: Vec<&str> = rest.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    (!said.is_empty()).then(|| FaultText { message: said.join("; "), place, is_interpreted: true })
}

/// JavaScript: an exception that QuickJS prints as a value, or a stack below a message.
fn script(lines: &[&str]) -> Option<FaultText> {
    if let Some((message, stack)) = lines.iter().rev().find_map(|line| exception_value(line)) {
        let place = stack.split("\\n").find_map(stack_frame);
        return Some(FaultText { message: unescaped(message), place, is_interpreted: true });
    }
    let first = lines.iter().position(|line| stack_frame(line).is_some())?;
    let message = lines.get(first.checked_sub(1)?)?.trim();
    let is_error = message.split(':').next().is_some_and(|name| name.ends_with("Error") || name.ends_with("Exception"));
    is_error.then(|| FaultText {
        message: message.to_owned(),
        place: lines.get(first).and_then(|line| stack_frame(line)),
        is_interpreted: true,
    })
}

/// The message and the stack of an exception that QuickJS prints as a value.
pub(super) fn exception_value(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("Exception { message: Some(\"")?;
    let (message, stack) = rest.split_once("\")").unwrap_or((rest, ""));
    Some((message, stack.split_once("Some(\"").map_or("", |(_, stack)| stack)))
}

/// `at NAME (/FILE:LINE:COLUMN)`, as a place.
pub(super) fn stack_frame(line: &str) -> Option<String> {
    let (function, rest) = line.trim().strip_prefix("at ")?.rsplit_once(" (")?;
    let place = rest.split_once(')')?.0.trim_start_matches('/');
    place.rsplit_once(':').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(in_function(place.to_owned(), function.trim()))
}

/// The text of a literal. What it holds is shown on one line anyway.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\'", "'").replace("\\n", " ").replace("\\\\", "\\")
}

/// `thread NAME panicked at FILE:LINE:COLUMN:` and the message on the next lines, of Rust; `panic: MESSAGE`, of Zig.
fn rust(lines: &[&str]) -> Option<FaultText> {
    let is_go = lines.iter().any(|line| is_goroutine(line));
    let begin = lines.iter().rposition(|line| line.contains("panicked at ") || (!is_go && is_zig_panic(line)))?;
    let line = lines.get(begin)?;
    if let Some((_, message)) = line.split_once("panic: ").filter(|_| is_zig_panic(line)) {
        return Some(FaultText { message: message.trim().to_owned(), ..FaultText::default() });
    }
    // The SDK for Rust logs the same on one line.
    let (place, first) = place_of(line.split_once("panicked at ")?.1.trim())?;
    let rest = lines.get(begin + 1..)?.iter().map(|line| line.trim());
    let said = rest.take_while(|line| !is_note(line) && *line != "stack backtrace:");
    let said: Vec<&str> = if first.is_empty() { said.collect() } else { vec![first] };
    let message = said.join(" ").trim().to_owned();
    (!message.is_empty()).then(|| FaultText { message, place: Some(place.to_owned()), is_interpreted: false })
}

/// Splits `FILE:LINE:COLUMN: MESSAGE`; the message may be empty.
fn place_of(text: &str) -> Option<(&str, &str)> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut ends = text.match_indices(':').map(|(at, _)| at).chain([text.len()]);
    let mut begin = ends.next()? + 1;
    let mut numbers = 0;
    for end in ends {
        let part = text.get(begin..end)?;
        if !is_number(part) {
            numbers = 0;
        } else if numbers == 1 {
            return Some((text.get(..end)?, text.get(end..)?.trim_start_matches(':').trim()));
        } else {
            numbers = 1;
        }
        begin = end + 1;
    }
    None
}

fn is_zig_panic(line: &str) -> bool {
    line.starts_with("panic: ") || (line.starts_with("thread ") && line.contains(" panic: "))
}

fn is_goroutine(line: &str) -> bool {
    line.starts_with("goroutine ")
}

/// `panic: MESSAGE` or `fatal error: MESSAGE`, then the frames: a function, and below it its file and line.
fn go(lines: &[&str]) -> Option<FaultText> {
    let is_head = |line: &&str| line.starts_with("panic: ") || line.starts_with("fatal error: ");
    let begin = lines.iter().position(is_head)?;
    let message = lines.get(begin)?.split_once(": ")?.1.trim().to_owned();
    let rest = lines.get(begin + 1..)?;
    if !rest.iter().any(|line| is_goroutine(line)) {
        return None;
    }
    let frame = rest.windows(2).find_map(|pair| {
        let [function, file] = pair else { return None };
        let file = file.strip_prefix(['\t', ' '])?.split(" +0x").next()?.trim();
        let (path, line) = file.rsplit_once(':')?;
        // The module of a gene has this name; what has another is the library or the bindings.
        let own = path.strip_prefix("wit_component/").filter(|path| path.contains(".go"))?;
        line.bytes().all(|byte| byte.is_ascii_digit()).then(|| {
            let function = function.split('(').next().unwrap_or_default();
            in_function(format!("{own}:{line}"), function.rsplit('/').next().unwrap_or_default())
        })
    });
    Some(FaultText { message, place: frame, is_interpreted: false })
}

/// `Assertion failed: EXPRESSION (FILE: FUNCTION: LINE)`, of C, and `abort: MESSAGE at FILE:LINE:COLUMN`, of the SDK for
/// AssemblyScript.
fn assertion(lines: &[&str]) -> Option<FaultText> {
    let line = lines.iter().rev().find(|line| line.starts_with("Assertion failed: ") || line.starts_with("abort: "))?;
    if let Some(text) = line.strip_prefix("abort: ") {
        let (message, place) = match text.rsplit_once(" at ") {
            // Where the library noticed it is not where the author was.
            Some((said, place)) if !place.starts_with("~lib/") => (said, Some(place)),
            _ => (text, None),
        };
        return Some(FaultText {
            message: message.trim().to_owned(),
            place: place.map(|place| place.trim().to_owned()),
            is_interpreted: false,
        });
    }
    let (message, rest) = line.trim().rsplit_once(" (")?;
    let mut parts = rest.trim_end_matches(')').split(": ");
    let (file, function, number) = (parts.next()?, parts.next()?, parts.next()?);
    let place = in_function(format!("{file}:{number}"), function);
    Some(FaultText { message: message.to_owned(), place: Some(place), is_interpreted: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Option<String>, bool) {
        let lines: Vec<&str> = text.lines().collect();
        let FaultText { message, place, is_interpreted } = FaultText::of(&lines).unwrap();
        (message, place, is_interpreted)
    }

    fn is(text: &str, message: &str, place: &str, is_interpreted: bool) {
        let place = (!place.is_empty()).then(|| place.to_owned());
        assert_eq!(read(text), (message.to_owned(), place, is_interpreted), "{text}");
    }

    #[test]
    fn a_python_exception_is_its_last_one_with_the_innermost_line() {
        let text = "noise\nTraceback (most recent call last):\n  File \"gene.py\", line 3, in a\n    b()\n    ~^^\nKeyError: 'x'\n\n\
                    During handling of the above exception, another exception occurred:\n\n\
                    Traceback (most recent call last):\n  File \"gene.py\", line 9, in propose\n    raise ValueError(1)\n\
                    \x20 File \"helpers/words.py\", line 4, in inner\n    raise ValueError(\"boom\")\nValueError: boom\nA note";
        is(text, "ValueError: boom; A note", "helpers/words.py:4 in inner", true);
        let module = "Traceback (most recent call last):\n  File \"gene.py\", line 1, in <module>\nSyntaxError: bad";
        is(module, "SyntaxError: bad", "gene.py:1", true);
    }

    #[test]
    fn an_exception_of_javascript_is_found_in_what_its_runtime_prints() {
        let text = r#"
thread '<unnamed>' (1) panicked at crates/runtime/src/interpreter.rs:51:31:
Failed to call 'propose': Value(Exception(
Exception { message: Some("cannot read \"more\" of undefined"), stack: Some("    at inner (/gene.js:27:28)\n    at propose (/gene.js:9:60)\n") }
)
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"#;
        is(text, "cannot read \"more\" of undefined", "gene.js:27:28 in inner", true);
        is("TypeError: x\n    at f (gene.js:3:9)\n    at g (gene.js:5:1)", "TypeError: x", "gene.js:3:9 in f", true);
    }

    #[test]
    fn a_panic_of_rust_has_its_message_and_no_note() {
        let text = "thread '<unnamed>' (1) panicked at src/lib.rs:65:52:\nindex out of bounds: the len is 1\n\
                    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
        is(text, "index out of bounds: the len is 1", "src/lib.rs:65:52", false);
        is("panicked at src/lib.rs:1:2:\nboom", "boom", "src/lib.rs:1:2", false);
        is("panicked at src/lib.rs:21:25: x: 1:2", "x: 1:2", "src/lib.rs:21:25", false);
    }

    #[test]
    fn a_panic_of_go_names_the_first_line_of_the_gene() {
        let text = "panic: runtime error: index out of range [3] with length 0\n\ngoroutine 1 [running]:\n\
                    regexp.compile({0x1, 0x2})\n\t/go/src/regexp/regexp.go:10 +0x5\n\
                    wit_component/gene.inner(...)\n\twit_component/gene/gene.go:58\n\
                    wit_component/gene.Propose({{0x1}})\n\twit_component/gene/gene.go:21 +0x7";
        is(text, "runtime error: index out of range [3] with length 0", "gene/gene.go:58 in gene.inner", false);
    }

    #[test]
    fn assertions_panics_of_zig_and_aborts_are_read() {
        is(
            "Assertion failed: n < 3 (gene.c: propose_for: 12)",
            "Assertion failed: n < 3",
            "gene.c:12 in propose_for",
            false,
        );
        is(
            "thread 1 panic: index out of bounds: index 10, len 3\nUnable to dump stack trace: debug info stripped",
            "index out of bounds: index 10, len 3",
            "",
            false,
        );
        is(
            "panic: index out of bounds: index 10, len 3\nCannot print stack trace: debug info unavailable for target",
            "index out of bounds: index 10, len 3",
            "",
            false,
        );
        is("abort: not a number at gene.ts:12:3", "not a number", "gene.ts:12:3", false);
        is(
            "abort: Index out of range at ~lib/array.ts:116:41",
            "Index out of range at ~lib/array.ts:116:41",
            "",
            false,
        );
    }

    #[test]
    fn another_text_gives_its_last_line_and_none_gives_nothing() {
        is("out_of_range was thrown\n\nnote: run with `RUST_BACKTRACE=1`", "out_of_range was thrown", "", false);
        assert_eq!(FaultText::of(&[]), None);
        assert_eq!(FaultText::of(&["", "  "]), None);
        assert_eq!(read(&"x".repeat(5000)).0.len(), MAX_MESSAGE);
    }

    #[test]
    fn damaged_forms_give_some_text() {
        for text in [
            "Traceback (most recent call last):",
            "Exception { message: Some(\"",
            "panicked at ",
            "panic: ",
            "panic: \ngoroutine 1",
            "Assertion failed: ",
            "Assertion failed: x (",
            "abort: ",
            "    at f (",
            "x\n    at f (g:1)",
            "thread 1 panic: ",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            drop(FaultText::of(&lines));
        }
    }
}
