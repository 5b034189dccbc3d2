//! Commands that `codex exec` ran at once: which of them a result is of, by what the result says.
//!
//! Only a failure tells it: a program that was not found is the word of one command, a shell that could not read a command
//! met open quotes, a message begins with the name of its program, and an error names a path or a word that was given. What a
//! successful command prints may be anything.

use crate::outcome::runs_program;

/// Lines of a result that are read.
const MAX_LINES: usize = 40;
/// Shortest word of an error that tells commands apart.
const MIN_WORD: usize = 4;

/// How the messages of programs begin that do not begin with their names.
const SPEAKERS: [(&str, &str); 8] = [
    ("fatal: ", "git"),
    ("npm error ", "npm"),
    ("npm ERR! ", "npm"),
    ("Traceback (most", "python3"),
    ("Traceback (most", "python"),
    ("regex parse error", "rg"),
    ("error: test failed, to rerun", "cargo"),
    ("make: *** ", "make"),
];

/// How shells say that they could not read a command.
const UNREADABLE: [&str; 5] =
    ["unmatched ", "nexpected EOF while looking for", "nterminated quoted string", "parse error near", "unclosed quot"];

/// The numbers of the commands that a failed result can be of. All, if nothing tells them apart.
pub(super) fn candidates(commands: &[&str], result: &str) -> Vec<usize> {
    let mut left: Vec<usize> = (0..commands.len()).collect();
    for line in result.lines().take(MAX_LINES).map(str::trim).filter(|line| !line.is_empty()) {
        if left.len() <= 1 {
            break;
        }
        keep(&mut left, &|at| speaks(line, commands[at]));
        // How rg shows the pattern that it could not read.
        let pattern = line.strip_prefix("(?:").and_then(|rest| rest.strip_suffix(')'));
        for word in pattern.into_iter().chain(told_words(line)) {
            keep(&mut left, &|at| commands[at].contains(word));
        }
    }
    left
}

/// Leaves those that fit, unless none does.
fn keep(left: &mut Vec<usize>, fits: &dyn Fn(usize) -> bool) {
    if left.iter().any(|at| fits(*at)) {
        left.retain(|at| fits(*at));
    }
}

/// Whether a command can have printed an error line, by the program or the shell that speaks.
fn speaks(line: &str, command: &str) -> bool {
    if let Some(missing) = missing_program(line) {
        return runs_program(command, missing);
    }
    if UNREADABLE.iter().any(|words| line.contains(words)) {
        return is_open(command);
    }
    let speaker = line.split_once(": ").map_or("", |(name, _)| name);
    let is_name = |name: &str| !name.is_empty() && !name.contains(' ') && runs_program(command, name);
    is_name(speaker.rsplit('/').next().unwrap_or_default())
        || SPEAKERS.iter().any(|(start, program)| line.starts_with(start) && runs_program(command, program))
}

/// The program that a shell did not find: `zsh:1: command not found: fd`, `bash: line 1: fd: command not found`,
/// `sh: 1: fd: not found`.
fn missing_program(line: &str) -> Option<&str> {
    if let Some((_, name)) = line.split_once("command not found: ") {
        return Some(name.trim());
    }
    let before = line.strip_suffix(": command not found").or_else(|| line.strip_suffix(": not found"))?;
    Some(before.rsplit(": ").next()?.trim())
}

/// The words of an error line that name something: paths, options, and what stands between quotes.
fn told_words(line: &str) -> impl Iterator<Item = &str> {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | '\u{2018}' | '\u{2019}' | ',' | '(' | ')');
    let is_name = |word: &&str| {
        let is_option = word.starts_with("--") && word.len() > 2;
        let is_path = || word.contains(['/', '.', '_']) && word.chars().any(char::is_alphanumeric);
        is_option || word.len() >= MIN_WORD && is_path()
    };
    line.split(is_end).map(|word| word.trim_end_matches([':', '.', ';'])).filter(is_name)
}

/// Whether a quote of a command stays open. What a here-document holds is no command.
fn is_open(command: &str) -> bool {
    let read = if command.contains("<<") { command.lines().next().unwrap_or_default() } else { command };
    let (mut quote, mut ticks, mut is_escaped) = (None, 0u32, false);
    for c in read.chars() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None | Some('"'), '`') => ticks += 1,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    quote.is_some() || ticks % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_tells_whose_it_is() {
        for (commands, result, expected) in [
            (["fd -HI x .", "rg -n a -S ."], "zsh:1: command not found: fd", 0),
            (["rg a b", "cd x && python - <<'PY'\nit's\nPY"], "zsh:1: command not found: python", 1),
            (["ls | jq .a", "cat b"], "bash: line 1: jq: command not found", 0),
            (["ls", "buf lint"], "sh: 1: buf: not found", 1),
            (["rg -n \"a|```|b\" c.tex", "sed -n 1p c.tex"], "zsh:1: unmatched \"", 0),
            (["ls a", "echo 'b"], "bash: -c: line 1: unexpected EOF while looking for matching `''", 1),
            (["rg a b", "sed -n 1p c"], "sed: c: No such file or directory", 1),
            (["git log", "ls"], "fatal: not a git repository", 0),
            (["cargo clippy", "nl -ba a.rs"], "error: test failed, to rerun pass `--lib`", 0),
            (["sed -n 1p src/a.rs", "sed -n 1p src/b.rs"], "sed: can't read src/b.rs: No such file or directory", 1),
            (["tool --frob x", "tool --blur x"], "error: unexpected argument '--blur' found", 1),
            (["cat a/b.txt", "wc -l c/d.txt"], "wc: c/d.txt: open: No such file or directory", 1),
            (["rg -n --fixed-strings '---' a.tex", "rg -n b a.tex"], "rg: unrecognized flag ---", 0),
            (
                ["rg 'a b(|c' a.tex", "rg 'd' a.tex"],
                "rg: regex parse error:\n    (?:a b(|c)\n    ^\nerror: unclosed group",
                0,
            ),
            (["rg '(' a", "npm test"], "regex parse error:\n    (", 0),
        ] {
            assert_eq!(candidates(&commands, result), [expected], "{result}");
        }
    }

    #[test]
    fn what_fits_several_or_none_tells_nothing() {
        for (commands, result) in [
            (["rg a b", "sed -n 1p c"], "zsh:1: unmatched \""),
            (["rg a", "rg b"], ""),
            (["sed -n 1p a.rs", "sed -n 2p a.rs"], "sed: can't read a.rs: No such file or directory"),
            (["fd a", "fd b"], "zsh:1: command not found: fd"),
            (["rg a", "ls"], "zsh:1: command not found: python"),
            (["make", "make test"], "make: *** [all] Error 1"),
            (["a 'x", "b \"y"], "zsh:1: unmatched \""),
            (["cat a.log", "cat b.log"], "error: something is wrong"),
            (["rg err src/x.rs", "nl src/x.rs"], "src/x.rs: no"),
            (["ls", "pwd"], "Error: failed to do it"),
        ] {
            assert_eq!(candidates(&commands, result), [0, 1], "{result}");
        }
        assert_eq!(candidates(&[], "fatal: no"), [0usize; 0]);
    }
}
