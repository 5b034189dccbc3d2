//! The part of a program that decides what happens with a file which a line names.

/// Most lines above a line that may belong to its statement.
const ABOVE: usize = 3;

/// What a line ends with if its statement goes on.
const GOES_ON: &[char] = &['\\', ',', '(', '[', '{', '=', '+', '>'];

/// What a line begins with if it continues the statement above.
const CONTINUES: &[char] = &['.', '+', ')', ']', '}', '?', ',', '$'];

/// Programs of a shell that run none of the files which they are given.
#[rustfmt::skip]
const INERT: &[&str] = &[
    "cat", "cd", "chown", "cmp", "cp", "cut", "diff", "echo", "egrep", "fgrep", "grep", "gzip", "head", "ln", "ls", "mkdir", "mv",
    "printf", "rm", "rmdir", "sort", "tail", "tar", "tee", "touch", "uniq", "wc", "zip",
];

/// Acts of git that run nothing.
const INERT_OF_GIT: &[&str] =
    &["add", "checkout", "commit", "diff", "log", "mv", "push", "restore", "rm", "show", "tag"];

/// The statement of a line: the line and the lines above that it continues. In a shell, also a text given to a program there.
pub(super) fn statement(lines: &[&str], number: usize, is_shell: bool) -> String {
    let far = number.saturating_sub(ABOVE);
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let mut first = number;
    while first > far && goes_on(line(first - 1), line(first), is_shell) {
        first -= 1;
    }
    if is_shell && (far..number).any(|at| line(at).contains("<<")) {
        first = far;
    }
    lines.get(first..=number).unwrap_or_default().join("\n")
}

fn goes_on(above: &str, line: &str, is_shell: bool) -> bool {
    let above = above.trim_end();
    let count = |of: [char; 3]| above.matches(of).count();
    count(['(', '[', '{']) > count([')', ']', '}'])
        || above.ends_with(GOES_ON)
        || above.ends_with(':') && !is_shell
        || is_shell && above.ends_with(['|', '&']) && !above.ends_with(": |")
        || is_shell && line.trim_start().starts_with(['|', '&'])
        || line.trim_start().starts_with(CONTINUES)
        // An entry of a list of YAML.
        || line.trim_start().starts_with("- ")
}

/// Whether a line of a shell is one command, which only reads, moves or lists files.
pub(super) fn is_inert(line: &str) -> bool {
    let command = line.trim_start_matches([' ', '\t', '@', '-']);
    let command = command.strip_prefix("run:").unwrap_or(command);
    let program = command.split_ascii_whitespace().next().unwrap_or_default();
    is_alone(command) && INERT.contains(&program) || is_of_git(command)
}

/// A line of commands without those of git that run nothing: what they name is committed, and no more.
pub(super) fn without_git(line: &str) -> String {
    line.split("&&").filter(|part| !is_of_git(part)).collect::<Vec<_>>().join("&&")
}

fn is_of_git(command: &str) -> bool {
    let mut words = command.split_ascii_whitespace();
    is_alone(command) && words.next() == Some("git") && words.next().is_some_and(|act| INERT_OF_GIT.contains(&act))
}

fn is_alone(command: &str) -> bool {
    !command.contains([';', '|', '&', '`', '\n']) && !command.contains("$(") && !command.contains("<(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_begins_where_the_line_above_ends_one() {
        for (text, is_shell, expected) in [
            ("a();\nb('x')", false, "b('x')"),
            ("a()\nb('x')", false, "b('x')"),
            ("f(\n 'x'", false, "f(\n 'x'"),
            ("f(g,\n h(\n 'x'", false, "f(g,\n h(\n 'x'"),
            ("p\n .q('x')", false, "p\n .q('x')"),
            ("sh \\\n x", true, "sh \\\n x"),
            ("cat |\nx", true, "cat |\nx"),
            ("a |\nx", false, "x"),
            ("a |\n| x |", false, "| x |"),
            ("a\n| x", true, "a\n| x"),
            ("run: |\n  x", true, "  x"),
            ("all:\n\t-x", true, "\t-x"),
            ("- sh\n- x", false, "- sh\n- x"),
            ("sh <<E\na\nx", true, "sh <<E\na\nx"),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(statement(&lines, lines.len() - 1, is_shell), expected, "{text}");
        }
    }

    #[test]
    fn a_command_that_runs_no_file_is_inert() {
        for line in ["rm -f x", "\t@cp ./x y", "- run: mv ./x y", "git add x", "echo x > y", "\t-rm x"] {
            assert!(is_inert(line), "{line}");
        }
        for line in ["sh x", "cp x y; sh y", "cat x | sh", "git apply x", "echo $(sh x)", "rm -f `. x`", "cat x && . x"]
        {
            assert!(!is_inert(line), "{line}");
        }
    }
}
