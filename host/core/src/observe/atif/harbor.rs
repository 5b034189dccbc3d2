//! What Harbor adds to a result of Claude Code, in the order in which it stands: `[stdout]` and `[stderr]` with the output once
//! more, `[exit_code]`, `[interrupted]`, `[is_image]`, `[metadata]` with the rest, and a line that says that the tool failed.

use std::borrow::Cow;

const FAILED: &str = "[error] tool reported failure";
/// The parts that follow the result itself.
const PARTS: [&str; 6] = ["[stdout]\n", "[stderr]\n", "[exit_code] ", "[interrupted] ", "[is_image] ", "[metadata] {"];

/// The result itself, and what the additions say.
pub(super) struct Read<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) flagged: bool,
    pub(super) exit_code: Option<i64>,
    pub(super) interrupted: bool,
}

/// Splits the additions off. A text without them is the result.
pub(super) fn read(content: &str) -> Read<'_> {
    let trimmed = content.trim_end();
    let without_flag = trimmed.strip_suffix(FAILED);
    let flagged = without_flag.is_some();
    let text = without_flag.unwrap_or(content);
    let (body, parts) = split(text);
    let value = |name: &str| parts.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    Read {
        flagged,
        exit_code: value("[exit_code] ").and_then(|code| code.parse().ok()),
        interrupted: value("[interrupted] ") == Some("True"),
        // The result of a command that failed has its standard error, the additions have both.
        text: if body.trim().is_empty() { Cow::Owned(streams(parts)) } else { Cow::Borrowed(body.trim_end()) },
    }
}

/// The result and the additions, which end the text: they have `[stdout]` or `[stderr]` only if `[metadata]` or a code follows.
fn split(text: &str) -> (&str, &str) {
    let ends =
        |part: &str| PARTS.iter().skip(2).any(|start| part.contains(&format!("\n{start}")) || part.starts_with(start));
    let begins = |at: usize| at == 0 || text.get(..at).is_some_and(|before| before.ends_with("\n\n"));
    let first = PARTS.iter().flat_map(|start| text.rmatch_indices(start).map(|(at, _)| at).take(2));
    let at = first.filter(|at| begins(*at) && text.get(*at..).is_some_and(ends)).min();
    text.split_at_checked(at.unwrap_or(text.len())).unwrap_or((text, ""))
}

/// What the additions repeat of the output.
fn streams(parts: &str) -> String {
    let is_addition = |line: &&str| PARTS.iter().any(|start| line.starts_with(start.trim_end_matches('{').trim_end()));
    parts.lines().filter(|line| !is_addition(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_additions_are_taken_off() {
        for (content, text, flagged, code) in [
            ("a\n\n[stdout]\na\n[metadata] {\"x\": 1}", "a", false, None),
            ("[metadata] {\"noOutputExpected\": false}", "", false, None),
            ("[stderr]\nno\n[exit_code] 2\n[metadata] {}", "no", false, Some(2)),
            ("Exit code 1\nno\n\n[error] tool reported failure", "Exit code 1\nno", true, None),
            (
                "<tool_use_error>x</tool_use_error>\n\n[error] tool reported failure",
                "<tool_use_error>x</tool_use_error>",
                true,
                None,
            ),
            // What a command prints stays.
            ("a [stdout]\nb", "a [stdout]\nb", false, None),
            ("x\n\n[stdout]\nthe log goes on", "x\n\n[stdout]\nthe log goes on", false, None),
            (
                "x\n[error] tool reported failure, says the page",
                "x\n[error] tool reported failure, says the page",
                false,
                None,
            ),
        ] {
            let found = read(content);
            assert_eq!((&*found.text, found.flagged, found.exit_code), (text, flagged, code), "{content}");
        }
    }
}
