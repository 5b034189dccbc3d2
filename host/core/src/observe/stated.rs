//! What a result says in words about how its call ended, in logs that have no place for it.

use std::borrow::Cow;

/// What precedes an exit code in a line that a harness adds to an output, in lower case and without punctuation.
const CODE_WORDS: [&str; 14] = [
    "exit code",
    "exit_code",
    "exitcode",
    "exit status",
    "exited with code",
    "exited with exit code",
    "command exited with code",
    "command exited with exit code",
    "command finished with exit code",
    "the command completed with exit code",
    "process exited with code",
    "command failed with exit code",
    "return code",
    "returncode",
];
/// The longest line that can be one with an exit code.
const MAX_CODE_LINE_BYTES: usize = 80;

/// The output without what `OpenHands` adds below it: the code, the folder and the interpreter, each in brackets.
pub(super) fn without_trailer(output: Cow<'_, str>) -> Cow<'_, str> {
    const ADDED: [&str; 4] = [
        "[The command completed with exit code ",
        "[Current working directory: ",
        "[Python interpreter: ",
        "[Command finished with exit code ",
    ];
    let is_added = |line: &str| line.ends_with(']') && ADDED.iter().any(|start| line.starts_with(start));
    let mut text = output.trim_end();
    while let Some(line) = text.lines().next_back().filter(|line| is_added(line)) {
        text = text.get(..text.len() - line.len()).unwrap_or_default().trim_end();
    }
    if text.len() == output.trim_end().len() { output } else { Cow::Owned(text.to_owned()) }
}

/// The code in the first or the last line, if that line says nothing else: `Exit code: 1`, `[Command exited with code 1]`.
pub(super) fn exit_code(output: &str) -> Option<i64> {
    let text = output.trim();
    let first = text.lines().next().and_then(code_of_line);
    first.or_else(|| text.lines().next_back().and_then(code_of_line))
}

/// The code in a line that says nothing else.
pub(super) fn code_of_line(line: &str) -> Option<i64> {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "[]()<>*`.".contains(c));
    if line.len() > MAX_CODE_LINE_BYTES {
        return None;
    }
    let digits = line.find(|c: char| c.is_ascii_digit() || c == '-')?;
    let (words, number) = line.split_at(digits);
    let words = words.trim_end_matches([':', '=', ' ', ']', '>', '(']).to_ascii_lowercase();
    // `exitcode: 1 (execution failed)`, `<returncode>1</returncode`
    let number = number.split([' ', '<']).next().filter(|_| says_no_more(number))?;
    CODE_WORDS.contains(&&*words).then(|| number.parse().ok()).flatten()
}

/// Whether nothing follows a number but a remark in brackets or a closing tag.
fn says_no_more(number: &str) -> bool {
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    rest.is_empty() || rest.starts_with(" (") || rest.starts_with("</")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_below_an_output_is_no_part_of_it() {
        let added = "[The command completed with exit code 0.]\n[Current working directory: /w]\n[Python interpreter: \
                     /p]\n[Command finished with exit code 0]";
        for (output, expected) in [
            (format!("a\n{added}"), "a"),
            (added.to_owned(), ""),
            ("a\n[1]".to_owned(), "a\n[1]"),
            (format!("{added}\nb"), &format!("{added}\nb")),
        ] {
            assert_eq!(without_trailer(output.clone().into()), expected, "{output}");
        }
    }

    #[test]
    fn a_line_of_its_own_states_the_code() {
        for (output, code) in [
            ("Exit code: 2\nno such file", Some(2)),
            ("done\n\nExit code: 0", Some(0)),
            ("x\n[Command exited with code 1]", Some(1)),
            ("exitcode: 1 (execution failed)\nCode output: \nTraceback", Some(1)),
            ("a\n(exit status 127)", Some(127)),
            ("Return code: -9\n", Some(-9)),
            ("<returncode>1</returncode>\n<output>\nx\n</output>", Some(1)),
            ("x\n[exit_code] 2", Some(2)),
            ("x\n[The command completed with exit code 1.]", Some(1)),
            ("the exit code 3 is wrong", None),
            ("Exit code 3 means that the file is missing", None),
            ("line 4", None),
            ("exit code", None),
            ("", None),
            ("a\nExit code: 1\nb", None),
        ] {
            assert_eq!(exit_code(output), code, "{output}");
        }
    }
}
