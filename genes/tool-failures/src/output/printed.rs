//! What says nothing of the failure: what the code under test printed, as jest and vitest show it between their results,
//! and what a shell says when it starts without a terminal. And what a container's build prints before each line.

use std::borrow::Cow;

/// Methods of `console`, with which jest heads what was printed.
const METHODS: [&str; 9] = ["log", "info", "warn", "error", "debug", "trace", "assert", "dir", "table"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Result,
    /// A head with this indentation: what is blank or deeper belongs to it.
    Jest(usize),
    /// Goes on to the next blank line.
    Vitest,
}

/// What a shell says that has no terminal, whatever it then runs.
const STARTS: [&str; 2] = ["cannot set terminal process group", "no job control in this shell"];

/// The output without such blocks and lines; the whole of it if nothing else is left.
pub(crate) fn without_printed(output: &str) -> Cow<'_, str> {
    if output.lines().any(|line| without_step(line).len() < line.len()) {
        let lines: Vec<&str> = output.lines().map(|line| without_seconds(without_step(line))).collect();
        return Cow::Owned(lines.join("\n"));
    }
    if !["console.", "stdout | ", "stderr | "].iter().chain(&STARTS).any(|head| output.contains(head)) {
        return Cow::Borrowed(output);
    }
    let is_start = |line: &str| line.contains("sh: ") && STARTS.iter().any(|words| line.contains(words));
    let mut results = String::with_capacity(output.len());
    let mut block = Block::Result;
    for line in output.split_inclusive('\n') {
        block = next(block, line.trim_end());
        if block == Block::Result && !is_start(line) {
            results.push_str(line);
        }
    }
    if results.contains(char::is_alphanumeric) { Cow::Owned(results) } else { Cow::Borrowed(output) }
}

/// A line of a container's build without its step and seconds: `#14 3.046 error: no` is `error: no`.
fn without_step(line: &str) -> &str {
    let rest = line.strip_prefix('#').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let rest = rest.filter(|rest| rest.len() + 1 < line.len()).and_then(|rest| rest.strip_prefix(' '));
    rest.map_or(line, without_seconds)
}

/// A line without the seconds at its beginning: `3.046 error: no`.
fn without_seconds(line: &str) -> &str {
    let Some((seconds, rest)) = line.split_once(' ') else { return line };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time =
        seconds.split_once('.').is_some_and(|(whole, part)| is_number(whole) && is_number(part) && part.len() <= 3);
    if is_time { rest } else { line }
}

fn next(block: Block, line: &str) -> Block {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let method = text.strip_prefix("console.").and_then(|rest| rest.split(' ').next());
    // Older versions name the place behind it: `console.log src/a.js:3`.
    let is_alone = || text.split(' ').count() <= 2;
    if indent >= 2 && method.is_some_and(|method| METHODS.contains(&method)) && is_alone() {
        return Block::Jest(indent);
    }
    if indent == 0 && (text.starts_with("stdout | ") || text.starts_with("stderr | ")) {
        return Block::Vitest;
    }
    match block {
        Block::Jest(head) if text.is_empty() || indent > head => block,
        Block::Vitest if !text.is_empty() => block,
        _ => Block::Result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_printed_is_left_out() {
        let jest = "FAIL tests/a.test.ts\n  console.warn\n    [WARN] no remote: error: x\n\n      at Logger.warn \
                    (src/logger.ts:116:15)\n\n  ● a › b\n\n    boom\n";
        assert_eq!(without_printed(jest), "FAIL tests/a.test.ts\n  ● a › b\n\n    boom\n");
        let heading = "  ● Console\n\n    console.log src/a.js:3\n      hello\n\nPASS b\n";
        assert_eq!(without_printed(heading), "  ● Console\n\nPASS b\n");
        let vitest = "stderr | src/a.test.ts > b\nError: x\n    at src/logger.ts:1:1\n\n FAIL  src/a.test.ts > b\n";
        assert_eq!(without_printed(vitest), "\n FAIL  src/a.test.ts > b\n");
    }

    #[test]
    fn what_a_shell_without_a_terminal_says_is_left_out() {
        let shell = "bash: cannot set terminal process group (-1): Inappropriate ioctl for device\nbash: no job control in \
                     this shell\n";
        assert_eq!(without_printed(&format!("{shell}KeyError: 'a'\n")), "KeyError: 'a'\n");
        assert_eq!(without_printed(shell), shell, "all of it");
    }

    #[test]
    fn what_a_build_prints_before_each_line_is_left_out() {
        let output = "#14 [base 8/9] RUN make\n#14 0.462 Building\n#14 3.046       error: no rule\n3.046       error: no rule\nERROR: failed";
        let expected = "[base 8/9] RUN make\nBuilding\n      error: no rule\n      error: no rule\nERROR: failed";
        assert_eq!(without_printed(output), expected);
        for other in ["#1: a title", "# 14 a comment", "1.5 of 2", "#include <a.h>"] {
            assert_eq!(without_printed(other), other);
        }
    }

    #[test]
    fn other_output_stays() {
        for output in
            ["console.log is not a function", "  console.log('a') failed here", "  console.warn\n    all of it\n", "ok"]
        {
            assert_eq!(without_printed(output), output);
        }
    }
}
