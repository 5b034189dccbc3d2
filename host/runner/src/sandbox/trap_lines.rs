//! The printed lines of a call that trapped, as its author reads them.

use super::fault_text::{exception_value, is_note, stack_frame, unescaped};
use super::log_line::{LogLevel, LogLine};

/// How a stack begins each of its lines in the log.
const AT: &str = "  at ";
/// Most lines of a stack.
const MAX_STACK: usize = 32;

/// Takes out of the printed lines of a trap what only the author of a runtime understands: its notes, and the form in which
/// QuickJS prints an exception. The message and the stack of the exception stay.
pub(super) fn without_runtime(lines: &[LogLine]) -> Vec<LogLine> {
    let mut kept: Vec<LogLine> = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if line.level != LogLevel::Output {
            kept.push(line.clone());
        } else if let Some((value, after)) = quickjs_exception(line, after) {
            kept.pop_if(|before| before.level == LogLevel::Output && before.message.is_empty());
            kept.extend(value.into_iter().map(|message| LogLine { level: LogLevel::Output, message }));
            rest = after;
        } else if !is_note(&line.message) {
            kept.push(line.clone());
        }
    }
    kept
}

/// The message and the stack of an exception that QuickJS prints in four lines, and the lines after it.
fn quickjs_exception<'l>(first: &LogLine, after: &'l [LogLine]) -> Option<(Vec<String>, &'l [LogLine])> {
    let ([call, value, end], after) = after.split_first_chunk::<3>()?;
    let is_output = [call, value, end].into_iter().all(|line| line.level == LogLevel::Output);
    let is_panic = first.message.starts_with("thread '") && first.message.contains(" panicked at ");
    if !is_output || !is_panic || !call.message.starts_with("Failed to call '") || end.message != ")" {
        return None;
    }
    let (message, stack) = exception_value(&value.message)?;
    let frames = stack.split("\\n").filter_map(stack_frame).take(MAX_STACK).map(|place| format!("{AT}{place}"));
    Some((std::iter::once(unescaped(message)).chain(frames).collect(), after))
}

/// The place in a line of the log that is one of a stack.
pub(super) fn place_in_stack(line: &LogLine) -> Option<&str> {
    line.message.strip_prefix(AT).filter(|_| line.level == LogLevel::Output)
}

/// A line of a stack with this place.
pub(super) fn line_of_stack(place: &str) -> String {
    format!("{AT}{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tidied(lines: &[(LogLevel, &str)]) -> Vec<String> {
        let line = |&(level, message): &(LogLevel, &str)| LogLine { level, message: message.to_owned() };
        without_runtime(&lines.iter().map(line).collect::<Vec<_>>()).into_iter().map(|line| line.message).collect()
    }

    #[test]
    fn of_an_exception_of_javascript_the_log_keeps_the_message_and_the_stack() {
        use LogLevel::{Info, Output};
        let panic = "thread '<unnamed>' (1) panicked at crates/runtime/src/interpreter.rs:51:31:";
        let call = "Failed to call 'propose': Value(Exception(";
        let value = r#"Exception { message: Some("no \"x\""), stack: Some("    at inner (/gene.js:27:28)\n    at propose (/gene.js:9:60)\n") })"#;
        let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
        let block = [(Output, ""), (Output, panic), (Output, call), (Output, value), (Output, ")"), (Output, note)];
        let lines = [&[(Info, "before")][..], &block, &[(Info, "after")]].concat();
        assert_eq!(
            tidied(&lines),
            ["before", "no \"x\"", "  at gene.js:27:28 in inner", "  at gene.js:9:60 in propose", "after"]
        );
        // What a gene logs, and what has not exactly this form, stays.
        assert_eq!(tidied(&[(Info, note), (Output, "")]), [note, ""]);
        let mixed = [(Output, panic), (Info, "between"), (Output, call), (Output, value), (Output, ")")];
        assert_eq!(tidied(&mixed).len(), mixed.len());
        let rust = [(Output, "thread '<unnamed>' (1) panicked at src/lib.rs:1:2:"), (Output, "boom"), (Output, note)];
        assert_eq!(tidied(&rust), [rust[0].1, "boom"]);
        assert_eq!(tidied(&block[..4]).len(), 4);
    }
}
