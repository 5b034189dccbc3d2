//! Chains `a && b` that a search ended which found nothing: it has no message, and its exit code is 1.

/// Programs that search text.
pub(crate) const SEARCH_TEXT: [&str; 6] = ["grep", "egrep", "fgrep", "rg", "ag", "ack"];
/// Programs that only show something, and end well if they say nothing.
const SHOW: [&str; 12] = ["cd", "ls", "cat", "head", "tail", "wc", "echo", "printf", "sort", "pwd", "date", "true"];

/// The search that ended a chain: what an `echo` behind it prints is missing, and all that stands between the two only shows
/// something.
pub(crate) fn ended_by_search<'c>(input: &'c str, output: &str) -> Option<&'c str> {
    let code = output.trim_start().strip_prefix("Exit code ")?.lines().next()?.trim();
    if code != "1" || !input.contains("&&") || input.contains("||") {
        return None;
    }
    let parts: Vec<&str> = input.split("&&").map(str::trim).collect();
    let missing = parts.iter().position(|part| echoed(part).is_some_and(|text| !output.contains(text)))?;
    let last = parts.get(..missing)?.iter().rposition(|part| echoed(part).is_some()).map_or(0, |at| at + 1);
    let may_end = parts.get(last..missing)?;
    let search = may_end.iter().find_map(|part| searches(part))?;
    let only_shows =
        |part: &&str| searches(part).is_some() || SHOW.contains(&program(part)) || part.starts_with("git ");
    may_end.iter().all(only_shows).then_some(search)
}

/// The text that `echo "…"` prints as it is written.
fn echoed(part: &str) -> Option<&str> {
    let text = part.strip_prefix("echo ")?.trim().trim_matches(['"', '\'']);
    (!text.is_empty() && !text.contains(['$', '`', '|', ';', '>', '\\', '"', '\'', '\n'])).then_some(text)
}

/// The program of the last command of a pipe, if it searches text.
fn searches(part: &str) -> Option<&str> {
    Some(program(part.rsplit(" | ").next()?)).filter(|program| SEARCH_TEXT.contains(program))
}

fn program(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_found_nothing_ends_a_chain() {
        for (input, output, expected) in [
            (
                "cd /w && echo \"= a =\" && git status --short | grep -v \"^??\" && ls x && echo \"found\"",
                "Exit code 1\n= a =\n",
                Some("grep"),
            ),
            ("echo a1 && grep -c x f && echo \"= b =\" && python t.py", "Exit code 1\na1\n0", Some("grep")),
            // What the second one prints is there: something behind it failed.
            ("echo a1 && grep -c x f && echo \"= b =\" && python t.py", "Exit code 1\na1\n1\n= b =", None),
            ("echo a1 && python t.py && grep x f && echo end", "Exit code 1\na1", None),
            ("grep x f && echo end", "Exit code 2\ngrep: f: No such file", None),
            ("grep x f && python t.py", "Exit code 1", None),
            ("grep x f && echo end || echo no", "Exit code 1", None),
        ] {
            assert_eq!(ended_by_search(input, output), expected, "{input}");
        }
    }
}
