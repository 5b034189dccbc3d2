//! Results that as a whole are an error message of the tool. Most logs mark only some of them as failed, and some none.
//!
//! What a tool shows may begin with the same words: a file, a page, a log. So a tool that shows something counts only if
//! the whole result is short, and a command line only if it says what no program prints, but what runs the commands.

use super::evidence::contains;

/// Words for what went wrong that begin an error message, in lower case.
const ERRORS: [&str; 25] = [
    "an error occurred",
    "command timed out",
    "could not find edits[",
    "could not find the exact text",
    "could not find the string to replace",
    "directory does not exist",
    "directory not found",
    "enoent:",
    "exception:",
    "fatal:",
    "file does not exist",
    "file has not been read yet",
    "file not found",
    "invalid argument",
    "invalid input",
    "invalid parameter",
    "invalid tool",
    "mcp error ",
    "no replacement was performed",
    "no such tool",
    "path does not exist",
    "string to replace not found",
    "traceback (most recent call last):",
    "unknown tool",
    "you must read the file",
];
/// Words that begin an error message if the whole result is short.
const COMPLAINTS: [&str; 15] = [
    "access denied",
    "can't ",
    "cannot ",
    "connection refused",
    "could not ",
    "couldn't ",
    "failed to ",
    "missing required ",
    "no such file or directory",
    "permission denied",
    "request timed out",
    "timed out ",
    "timeout of ",
    "timeout waiting ",
    "unable to ",
];
/// What a search says that found nothing.
const NOTHING_FOUND: [&str; 3] = ["could not find any ", "couldn't find any ", "cannot find any "];
/// What those print that run commands, in place of what a command prints.
const OF_HARNESSES: [&str; 10] = [
    "cannot execute multiple commands at once",
    "error executing command",
    "error executing tool",
    "error invoking tool",
    "exec_command failed",
    "failed to execute tool",
    "inputvalidationerror",
    "invalid tool parameters",
    "missing required parameter",
    "tool execution failed",
];
/// The parts of names of tools that show something.
const SHOW: [&str; 16] = [
    "browse", "cat", "fetch", "find", "get", "glob", "grep", "list", "ls", "open", "read", "search", "show", "view",
    "visit", "web",
];
/// The most bytes and lines of a message that a tool for showing something prints, or that only complains.
const MAX_SHORT_BYTES: usize = 600;
const MAX_SHORT_LINES: usize = 6;
/// The most bytes of a first line that are looked at.
const MAX_FIRST_BYTES: usize = 300;

/// Whether the result of a tool that runs no command is an error message.
pub(super) fn is_error_message(tool: &str, text: &str) -> bool {
    let Some(first) = first_line(text) else { return false };
    let is_short = text.len() <= MAX_SHORT_BYTES && text.lines().count() <= MAX_SHORT_LINES;
    if is_short {
        return begins_with_an_error(&first) || complains(&first) || refuses(&first);
    }
    !shows(tool) && begins_with_an_error(&first)
}

/// Whether what should have run a command says that it did not.
pub(super) fn is_of_the_harness(text: &str) -> bool {
    first_line(text).is_some_and(|first| {
        let said = without_label(&first);
        OF_HARNESSES.iter().any(|start| said.starts_with(start)) || names_a_parameter(said)
    })
}

/// Whether the harness says that its rules of permission do not let a call run.
pub(super) fn is_of_the_rules(text: &str) -> bool {
    const STARTS: [&str; 17] = [
        "bash operation blocked by hook",
        "blocked: ",
        "claude requested permissions to use ",
        "command blocked by ",
        "denied by pretooluse hook",
        "permission denied and could not request permission",
        "permission denied by ",
        "permission for this action ",
        "permission to run this tool was denied",
        "permission to search this path was denied",
        "pretooluse:",
        "the user has specified a rule which prevents you",
        "this bash command contains multiple operations. the following part",
        "this command requires approval",
        "this session is isolated in the worktree ",
        "tool execution blocked",
        "tool execution denied by ",
    ];
    // What stands in front of these words names the program, the file or the model.
    const SAYS: [&str; 5] = [
        ", but that permission was declined",
        " cannot determine the safety of ",
        " rejected: blocked by policy",
        " was blocked. for security, ",
        "but this command is too complex to verify",
    ];
    first_line(text).is_some_and(|first| {
        let said = without_label(&first);
        said.starts_with("permission to use ") && contains(text, "has been denied")
            || STARTS.iter().any(|start| said.starts_with(start))
            || SAYS.iter().any(|says| said.contains(says))
            // Codex names the whole command in front of what its policy says.
            || said.starts_with("exec_command failed") && contains(text, "message: \"Rejected(")
    })
}

/// The first line that is not empty, in lower case, without marks in front of it.
fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.get(..line.floor_char_boundary(MAX_FIRST_BYTES))?;
    let said = line.trim_start_matches(|c: char| !c.is_ascii() || c == ' ');
    // `Error:` alone is a heading of the next line.
    let is_heading = said.eq_ignore_ascii_case("error:");
    let below = text.trim_start().split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    let said =
        if is_heading { format!("{said} {}", below.lines().next().unwrap_or_default()) } else { said.to_owned() };
    Some(said.to_ascii_lowercase())
}

/// What follows `Error:`.
fn without_label(first: &str) -> &str {
    let said = first.strip_prefix("[error]").unwrap_or(first).trim_start();
    said.strip_prefix("error:").map_or(said, str::trim_start)
}

fn begins_with_an_error(first: &str) -> bool {
    let said = without_label(first);
    if said.len() < first.len() {
        return is_told(said);
    }
    let begins = |starts: &[&str]| starts.iter().any(|start| first.starts_with(start));
    begins(&ERRORS) || begins(&OF_HARNESSES) || names_a_parameter(first) || names_a_step(first) || names_a_class(first)
}

/// `error reading a.txt`, `error while executing x`
fn names_a_step(first: &str) -> bool {
    let next = first.strip_prefix("error ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    (next.len() > 4 && next.ends_with("ing")) || matches!(next, "while" | "when" | "in" | "during")
}

/// `valueerror: x`, `openai.apierror: x`
fn names_a_class(first: &str) -> bool {
    let is_class = |word: &str| {
        (word.ends_with("error") || word.ends_with("exception"))
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    };
    first.split_once(": ").is_some_and(|(word, said)| is_class(word) && is_told(said))
}

/// Whether something is said to be wrong: `Error: none` and `error: 0` say the opposite.
fn is_told(said: &str) -> bool {
    !matches!(said.trim().trim_end_matches('.'), "" | "none" | "null" | "no" | "0" | "false" | "nil")
}

/// ``Invalid `path` parameter``, ``Parameter `x` is required``
fn names_a_parameter(said: &str) -> bool {
    let named = said.strip_prefix("invalid `").or_else(|| said.strip_prefix("parameter `"));
    named.and_then(|rest| rest.split_once('`')).is_some_and(|(_, rest)| {
        [" parameter", " argument", " is required", " is missing"].iter().any(|words| rest.starts_with(words))
    })
}

fn complains(first: &str) -> bool {
    let said = without_label(first);
    !NOTHING_FOUND.iter().any(|start| said.starts_with(start)) && COMPLAINTS.iter().any(|start| said.starts_with(start))
}

/// Whether a server refused: `HTTP 404`, `Request failed with status code 500`, `403 Forbidden`, `Tool x not found`.
fn refuses(first: &str) -> bool {
    const BEFORE: [&str; 6] =
        ["http error", "http status", "http", "request failed with status", "unexpected status", "status"];
    const REASONS: [&str; 9] = [
        " not found",
        " forbidden",
        " unauthorized",
        " too many requests",
        " bad request",
        " internal server error",
        " bad gateway",
        " service unavailable",
        " client error",
    ];
    let is_refusal = |said: &str| {
        let digits = said.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3 && said.starts_with(['4', '5'])
    };
    let after = BEFORE.iter().find_map(|start| first.strip_prefix(start));
    let coded = after.map(|rest| rest.trim_start().trim_start_matches("code").trim_start_matches([':', ' ']));
    let names_it =
        is_refusal(first) && REASONS.iter().any(|reason| first.get(3..).is_some_and(|rest| rest.starts_with(reason)));
    let tool = first.strip_prefix("tool ").is_some_and(|rest| {
        let end = rest.trim_start_matches(|c: char| !c.is_whitespace());
        [" not found", " does not exist", " is not available"].iter().any(|words| end.starts_with(words))
    });
    coded.is_some_and(is_refusal)
        || names_it
        || tool
        || is_missing(first)
        || contains(first, "matches of the string to replace")
}

/// `task not found`, `issue 12 does not exist`: what was named is not there.
fn is_missing(first: &str) -> bool {
    const MAX_WORDS: usize = 3;
    const NOT_THERE: [&str; 3] = [" not found", " does not exist", " doesn't exist"];
    let said = without_label(first).trim_end_matches(['.', '!']);
    let named = NOT_THERE.iter().find_map(|end| said.strip_suffix(end)).unwrap_or_default();
    let begins = named.split(' ').next().unwrap_or_default();
    let is_name = begins.len() > 2 && begins.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name
        && !matches!(begins, "results" | "matches" | "nothing" | "pattern" | "text")
        && named.split(' ').count() <= MAX_WORDS
}

fn shows(tool: &str) -> bool {
    let mut words = Vec::new();
    for word in tool.split(|c: char| !c.is_ascii_alphanumeric()) {
        let ends = word.char_indices().skip(1).filter(|(_, c)| c.is_ascii_uppercase()).map(|(at, _)| at);
        let mut from = 0;
        for end in ends.chain([word.len()]) {
            words.push(word.get(from..end).unwrap_or_default().to_ascii_lowercase());
            from = end;
        }
    }
    words.iter().any(|word| SHOW.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_messages_of_tools() {
        for (tool, text) in [
            ("edit", "ERROR:\nInvalid `path` parameter: /a. The path does not exist."),
            ("str_replace_editor", "ERROR:\nNo replacement was performed, old_str did not appear verbatim in /a."),
            ("Edit", "String to replace not found in file.\nString: a"),
            ("Edit", "Found 2 matches of the string to replace, but replace_all is false."),
            ("Read", "File does not exist."),
            ("read_file", "Error: ENOENT: no such file or directory, open '/a'"),
            ("Edit", "InputValidationError: Edit failed due to the following issue:\nx is missing"),
            ("mcp__db__query", "MCP error -32602: Invalid arguments"),
            ("fetch", "Unexpected status 404 from https://a.example/b"),
            ("web_fetch", "Request failed with status code 503"),
            ("WebFetch", "403 Forbidden"),
            ("call", "Tool `foo` not found"),
            ("TaskUpdate", "Task not found"),
            ("get_issue", "Issue 12 does not exist."),
            ("resume", "Error: session a1b2 not found"),
            ("nope", "No such tool: nope"),
            ("edit_cell", "TypeError: edit_cell() missing 1 required positional argument: 'idx'"),
            ("write", "❌ Failed to write /a: disk full"),
            ("write", "[error] disk full"),
            ("run", "Error executing tool run: x"),
            ("notebook", "Traceback (most recent call last):\n  f()\nKeyError: 1"),
            ("write", "Permission denied: /etc/a"),
        ] {
            assert!(is_error_message(tool, text), "{tool}: {text}");
        }
    }

    #[test]
    fn what_tools_show_and_say_is_none() {
        let log = format!("Error: no such tool\n{}", "at line 1\n".repeat(60));
        for (tool, text) in [
            ("Read", log.as_str()),
            ("web_fetch", &log),
            ("read_file", "1\tError: this file is about errors\n2\tx"),
            ("write", "The file was written. Error: none"),
            ("check", "Error: none"),
            ("check", "errors: 0"),
            ("check", "Errors are listed below"),
            ("grep", "a.rs:3: Error: x"),
            ("grep", "Could not find any files that match."),
            ("query", "{\"error\": null, \"rows\": []}"),
            ("count", "404 lines"),
            ("grep", "Pattern not found"),
            ("search", "12 of them were not found"),
            ("scan", "Results not found"),
            ("check", "The user that was named in the request was not found"),
            ("count", "500"),
            ("status", "status: 200"),
            ("tests", "3 passed, 0 failed"),
            ("", ""),
        ] {
            assert!(!is_error_message(tool, text), "{tool}: {text}");
        }
    }

    #[test]
    fn what_the_rules_of_permission_say() {
        for (text, expected) in [
            ("Permission to use Bash with command grep a b has been denied.", true),
            ("Error: Permission for this action was denied by the classifier. Reason: x", true),
            ("Denied by preToolUse hook from /r/hooks.json: no searches", true),
            ("PreToolUse:Bash hook error: [guard.sh]: use rg", true),
            ("some-model is unavailable, so auto mode cannot determine the safety of Bash right now.", true),
            ("diff in '/srv' was blocked. For security, only the working directory may be read.", true),
            ("The user has specified a rule which prevents you from using this specific tool call.", true),
            ("Tool execution denied by policy. Use the editor.", true),
            ("Tool execution blocked: no network", true),
            ("Tool execution blocked by hook", true),
            ("Permission to search this path was denied.", true),
            ("Some Code requires permission to use \"write_file\", but that permission was declined.", true),
            ("`/bin/zsh -lc 'test -f a'` rejected: blocked by policy", true),
            (
                "exec_command failed for `/bin/zsh -lc 'rm -rf a'`: CreateProcess { message: \"Rejected(\\\"`rm -rf a` rejected: rm -f style commands are not permitted\\\")\" }",
                true,
            ),
            ("exec_command failed for `x`: No such file or directory (os error 2)", false),
            ("grep: /root: Permission denied", false),
            ("docs/rules.md: this was blocked by a review", false),
            ("12 requests blocked", false),
            ("", false),
        ] {
            assert_eq!(is_of_the_rules(text), expected, "{text}");
        }
    }

    #[test]
    fn what_no_program_prints() {
        for (text, expected) in [
            ("ERROR: Cannot execute multiple commands at once.\nPlease chain them", true),
            ("Error executing command: no such session", true),
            ("exec_command failed for `x`: No such file or directory (os error 2)", true),
            ("Error: file not found", false),
            ("cannot open x", false),
        ] {
            assert_eq!(is_of_the_harness(text), expected, "{text}");
        }
    }
}
