//! What a failing tool itself suggests in its output: the line, and the lines that belong to it.

use crate::outcome::without_error_tags;

/// Most lines of a suggestion.
const MAX_LINES: usize = 4;
/// Most lines of an output that are searched, from its end.
const MAX_SEARCHED: usize = 2000;
/// Most bytes of a line.
const MAX_LINE_BYTES: usize = 300;

/// How a tool begins a suggestion.
struct Mark {
    /// In lower case.
    text: &'static str,
    /// Whether the line begins so; otherwise it holds it anywhere.
    begins: bool,
    /// What of the following lines belongs to it.
    follows: Follows,
}

/// Lines that belong to a suggestion.
enum Follows {
    /// None.
    Nothing,
    /// Those that are indented further than its own.
    Indented,
    /// An added line of a diff under a source line, as rustc shows an edit.
    Edit,
}

/// In the order of how much they tell. Sources: what the tools print.
const MARKS: &[Mark] = &[
    // Python, tsc, npm, kubectl, terraform, ruby.
    Mark { text: "did you mean", begins: false, follows: Follows::Indented },
    // git.
    Mark { text: "most similar command", begins: false, follows: Follows::Indented },
    // go: "no required module provides package …; to add it:", "updates to go.mod needed; to update it:".
    Mark { text: "; to add it:", begins: false, follows: Follows::Indented },
    Mark { text: "; to add:", begins: false, follows: Follows::Indented },
    Mark { text: "; to update it:", begins: false, follows: Follows::Indented },
    // rustc and cargo.
    Mark { text: "help: ", begins: true, follows: Follows::Edit },
    Mark { text: "= help: ", begins: true, follows: Follows::Nothing },
    // clap.
    Mark { text: "tip: ", begins: true, follows: Follows::Nothing },
    // eslint and ruff.
    Mark { text: "fixable with the `--fix` option", begins: false, follows: Follows::Nothing },
    // prettier.
    Mark { text: "run prettier with --write", begins: false, follows: Follows::Nothing },
    // git, terraform.
    Mark { text: "hint: ", begins: true, follows: Follows::Nothing },
];

/// What a failing tool suggests; nothing if it suggests nothing. Lines without ends, indented as in the output.
pub fn suggestion(output: &str) -> Vec<&str> {
    let (output, _) = without_error_tags(output);
    let mut lines: Vec<&str> = output.lines().rev().take(MAX_SEARCHED).collect();
    lines.reverse();
    let found = MARKS.iter().find_map(|mark| Some((lines.iter().position(|line| mark.is_in(line))?, mark)));
    let Some((at, mark)) = found else { return Vec::new() };
    let first = lines.get(at).copied().unwrap_or_default();
    let rest = lines.get(at + 1..).unwrap_or_default().iter().copied();
    let more: Vec<&str> = match mark.follows {
        Follows::Nothing => Vec::new(),
        Follows::Indented => {
            // npm begins each of its lines with the same words.
            let tag = mark.before(first).trim_end();
            let tag = if rest.clone().next().is_some_and(|line| line.starts_with(tag)) { tag } else { "" };
            let indent = |line: &str| indent(line.strip_prefix(tag).unwrap_or(line));
            let filled = rest.skip_while(|line| indent(line).is_none());
            filled.take_while(|line| indent(line) > indent(first)).collect()
        }
        Follows::Edit => rest.take_while(|line| is_of_edit(line)).filter(|line| adds(line)).collect(),
    };
    std::iter::once(first).chain(more).take(MAX_LINES).map(clipped).collect()
}

impl Mark {
    fn is_in(&self, line: &str) -> bool {
        let line = clipped(line).to_ascii_lowercase();
        if self.begins { line.trim_start().starts_with(self.text) } else { line.contains(self.text) }
    }

    /// What stands before it in a line that holds it.
    fn before<'t>(&self, line: &'t str) -> &'t str {
        let at = clipped(line).to_ascii_lowercase().find(self.text).unwrap_or_default();
        line.get(..at).unwrap_or_default()
    }
}

fn clipped(line: &str) -> &str {
    line.get(..line.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or_default()
}

/// The width of the spaces before a line; `None` if there is nothing else in it.
fn indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

/// Whether a line belongs to the source that rustc shows under a suggestion: `|`, `12 | code`, `12 + code`.
fn is_of_edit(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    rest.starts_with(['|', '+', '-', '~'])
}

/// Whether it shows code after the edit.
fn adds(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    rest.starts_with(['+', '~']) && !rest.trim_matches(['+', '~', ' ']).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_says_it_in_its_own_way() {
        for (output, said) in [
            (
                "NameError: name 'lenght' is not defined. Did you mean: 'len'?",
                &["NameError: name 'lenght' is not defined. Did you mean: 'len'?"][..],
            ),
            (
                "src/a.ts(3,5): error TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?\n",
                &[
                    "src/a.ts(3,5): error TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
                ],
            ),
            (
                "<tool_use_error>File does not exist. Did you mean a.rs?</tool_use_error>",
                &["File does not exist. Did you mean a.rs?"],
            ),
            (
                "git: 'stats' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tstatus\n",
                &["The most similar command is", "\tstatus"],
            ),
            (
                "main.go:3:8: no required module provides package github.com/a/b; to add it:\n\tgo get github.com/a/b\nFAIL",
                &[
                    "main.go:3:8: no required module provides package github.com/a/b; to add it:",
                    "\tgo get github.com/a/b",
                ],
            ),
            (
                "go: updates to go.mod needed; to update it:\n\tgo mod tidy",
                &["go: updates to go.mod needed; to update it:", "\tgo mod tidy"],
            ),
            (
                "error[E0433]: cannot find type `HashMap`\n --> src/lib.rs:1:1\n  |\n1 | HashMap\n  | ^^^\n  |\nhelp: consider importing this struct\n  |\n1 + use std::collections::HashMap;\n  |\n\nerror: aborting",
                &["help: consider importing this struct", "1 + use std::collections::HashMap;"],
            ),
            ("error: x\n  = help: remove the attribute\n", &["  = help: remove the attribute"]),
            (
                "error: unexpected argument '--al' found\n\n  tip: a similar argument exists: '--all'\n",
                &["  tip: a similar argument exists: '--all'"],
            ),
            (
                "npm error Missing script: \"tset\"\nnpm error\nnpm error Did you mean this?\nnpm error   npm run test # run the \"test\" package script",
                &["npm error Did you mean this?", "npm error   npm run test # run the \"test\" package script"],
            ),
            (
                "npm ERR! Did you mean one of these?\nnpm ERR!     npm run a\nnpm ERR!     npm run b\nnpm ERR! \nnpm ERR! To see",
                &["npm ERR! Did you mean one of these?", "npm ERR!     npm run a", "npm ERR!     npm run b"],
            ),
            (
                "npm error Did you mean this?\nnpm error A complete log of this run can be found in: a.log",
                &["npm error Did you mean this?"],
            ),
            (
                "error: unknown command \"gte\" for \"kubectl\"\n\nDid you mean this?\n\tget\n\tset\n",
                &["Did you mean this?", "\tget", "\tset"],
            ),
            ("[*] 3 fixable with the `--fix` option.", &["[*] 3 fixable with the `--fix` option."]),
            (
                "hint: Updates were rejected because the tip of your current branch is behind",
                &["hint: Updates were rejected because the tip of your current branch is behind"],
            ),
        ] {
            assert_eq!(suggestion(output), said, "{output}");
        }
    }

    #[test]
    fn where_nothing_is_suggested_nothing_is_said() {
        for output in [
            "",
            "AssertionError: 1 != 2",
            "usage: a [--help]",
            "error: help wanted",
            "see --help: it says more",
            "a hint of it",
        ] {
            assert_eq!(suggestion(output), [""; 0], "{output}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test measures time")]
    fn what_is_said_is_bounded() {
        let many = format!("The most similar commands are\n{}", "\tx\n".repeat(100));
        assert_eq!(suggestion(&many).len(), MAX_LINES);
        let long = format!("help: {}", "é".repeat(10_000));
        assert!(suggestion(&long)[0].len() <= MAX_LINE_BYTES);
        let began = std::time::Instant::now();
        assert_eq!(suggestion(&"x\n".repeat(1_000_000)), [""; 0]);
        assert!(began.elapsed().as_secs() < 2);
    }
}
