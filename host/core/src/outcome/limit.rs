//! What those print that run commands when they end one at its time limit.
//!
//! They set no exit code then, and some set no flag. Their words stand in the first line of the result, or behind what the
//! command had printed by then.

/// Most lines at the end of a result among which the notice is looked for.
const MAX_LAST_LINES: usize = 4;
/// Most bytes of a notice.
const MAX_NOTICE_BYTES: usize = 300;
/// How a notice begins, in lower case, without the marks in front of it. The limit follows.
const BEGINS: [&str; 14] = [
    "bash tool terminated after ",
    "bash tool terminated command after exceeding timeout ",
    "command execution timed out after ",
    "command exceeded its time limit ",
    "command exceeded the time limit ",
    "command exceeded timeout ",
    "command timed out after ",
    "command was automatically cancelled because it exceeded the timeout ",
    "command was killed after ",
    "execution timed out after ",
    "login shell exceeded ",
    "shell tool terminated after ",
    "shell tool terminated command after exceeding timeout ",
    "tool execution timed out after ",
];
/// How a notice begins that names the command, and what it says of it.
const NAMES_IT: [(&str, &str); 3] = [
    ("command '", " was cancelled because it took more than "),
    ("last command ", " timed out and has been killed"),
    ("command `", " timed out after "),
];

/// Whether a result says that what runs the commands ended this one at its time limit. `shows` is whether the command shows
/// a file, which may have the same words: then only a notice in brackets or tags counts.
pub(super) fn is_told(text: &str, shows: bool) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = text.trim_end().rsplit('\n').map(str::trim).filter(|line| !line.is_empty()).take(MAX_LAST_LINES);
    let at_the_end: Vec<&str> = last.collect();
    let is_in_tags = |at: usize| {
        let above = at_the_end.get(at + 1).is_some_and(|line| line.starts_with('<') && line.ends_with("metadata>"));
        at_the_end.get(at).is_some_and(|line| above || line.starts_with('[') && line.ends_with(']'))
    };
    let behind = (0..at_the_end.len())
        .any(|at| at_the_end.get(at).is_some_and(|line| is_notice(line)) && (!shows || is_in_tags(at)));
    behind || !shows && lines().next().is_some_and(is_notice)
}

fn is_notice(line: &str) -> bool {
    if line.len() > MAX_NOTICE_BYTES || !line.bytes().any(|byte| byte.is_ascii_digit()) && !line.contains("killed") {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    let said = lower.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let said = said.strip_prefix("error: ").unwrap_or(said);
    let said = said.strip_prefix("the ").unwrap_or(said);
    let names_a_limit = |rest: &str| rest.strip_prefix("of ").unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit());
    let begins = BEGINS.iter().any(|start| said.strip_prefix(start).is_some_and(names_a_limit));
    // What goes on after its limit has not ended.
    let goes_on = said.contains("you may wait") || said.contains("still running");
    let names_it = NAMES_IT.iter().any(|(start, says)| said.starts_with(start) && said.contains(says));
    (begins || names_it) && !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_a_command_at_its_limit_says_so() {
        for text in [
            "(no output)\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 60000 ms. If it takes longer, retry.\n</shell_metadata>",
            "row\n<bash_metadata>\nbash tool terminated after 120000 ms\n</bash_metadata>",
            "Command timed out after 2m 0s",
            "command timed out after 10000 milliseconds\nrow",
            "row\nCommand was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.",
            "The command 'make' was cancelled because it took more than 30 seconds. Please try another one.",
            "The last command <command>make</command> timed out and has been killed.",
            "row\n[Command timed out after 60s]",
            "Error: Login shell exceeded 10000 ms.",
        ] {
            assert!(is_told(text, false), "{text}");
        }
    }

    #[test]
    fn what_programs_say_of_their_own_limits_is_no_notice() {
        for text in [
            "row\nTests: 3 passed",
            "Error: operation timed out",
            "command timed out handling is described below",
            "[The command timed out after 5 seconds. You may wait longer to see more output.]",
            "Command timed out after\nrow",
            "the login shell exceeded expectations",
            "row\nCommand timed out after 60s\na\nb\nc\nd",
        ] {
            assert!(!is_told(text, false), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_shown_may_have_the_words() {
        let log = "a\nCommand timed out after 60s";
        assert!(is_told(log, false) && !is_told(log, true));
        assert!(is_told("a\n<bash_metadata>\nbash tool terminated after 9 ms\n</bash_metadata>", true));
    }
}
