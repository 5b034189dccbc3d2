//! What the shell prints itself: errors of a command line that did not run as intended, and noise.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::evidence::contains;

/// A line that a shell prints of itself.
pub(super) static SHELL_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let missing =
        r"(?:/\S*/)?-?(?:ba|z|da|k)?sh: (?:command not found: \S|[^\s:]+: command not found$|syntax error |cd: )";
    Regex::new(&format!(r"^(?:(?:\((?:eval|anon)\):(?:\w+:)?\d+:|zsh:\w+:\d+:|(?:/\S*/)?(?:ba|z|da|k)?sh:(?: -c:)?(?: line)? ?\d*:) ?\S|{missing})"))
        .expect("the expression compiles, as the tests show")
});

/// What a shell says of a step that it could not do, and the name of the program or file in it.
static STEP: LazyLock<Regex> = LazyLock::new(|| {
    let why = "command not found|not found|no such file or directory|permission denied|is a directory|not a directory";
    let shell = r"(?:/\S*/)?-?(?:ba|z|da|k)?sh: ?(?:-c: )?(?:line )?(?:\d+: ?)?|(?:zsh|\((?:eval|anon)\)):\d+: ";
    Regex::new(&format!(
        r"(?i)^(?:{shell})(?:(?:cd|source|\.|exec): )?(?:([^:]{{1,200}}): (?:{why})$|(?:{why}): (.{{1,200}})$)"
    ))
    .expect("the expression compiles, as the tests show")
});

/// What a shell says of a line that it could not read.
static UNREADABLE: LazyLock<Regex> = LazyLock::new(|| {
    let said = "syntax error|parse error|unmatched|unterminated|unexpected eof|bad substitution|event not found";
    let shell = r"(?:/\S*/)?-?(?:ba|z|da|k|fi)?sh: ?(?:-c: ?)?(?:line )?(?:\d+: ?)?|\(eval\):\d+: ?";
    Regex::new(&format!(r"(?i)^(?:{shell})(?:\S+: )?(?:{said})")).expect("the expression compiles, as the tests show")
});

/// What a shell says that could not read its script, or could not open the files of a command.
static SHELL_STOPS: LazyLock<Regex> = LazyLock::new(|| {
    const SAID: [&str; 7] = [
        r"un(?:matched|terminated|expected)|syntax error|parse error",
        r"not (?:closed|properly closed)|no closing quote|quotes are not balanced|end of the statement",
        r"bad (?:pattern|substitution|interpreter|math expression|set of key)",
        r"ambiguous redirect|event not found|no match(?:es)?(?-u:\b)",
        r"cannot (?:open|create) \S|can't (?:open|create) \S|cannot overwrite existing file",
        r"(?:no such file or directory|permission denied|is a directory|file exists)(?:$|: )",
        r"argument list too long|command substitution",
    ];
    let posix = r"-?(?:/\S*/)?(?:ba|z|da|k|a|mk|fi)?sh: ?(?:-c: ?|<stdin>)?(?:line |\[)?(?:\d+[\]:]*)? ?";
    let begins = format!(r"^(?:{posix}|\(eval\):\d+: ?)(?:[^:]{{1,200}}: )?(?:{})", SAID.join("|"));
    let windows = r"\+ CategoryInfo +: ParserError|^ParserError: ?| was unexpected at this time\.$|^the syntax of the command is incorrect\.$";
    Regex::new(&format!(r#"(?i){begins}|{windows}|^unmatched ['"`]"#))
        .expect("the expression compiles, as the tests show")
});

/// Whether the first line or one of the last two says that the shell stopped, so that what it was to run may not have run.
pub(super) fn says_that_the_shell_stopped(text: &str) -> bool {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().next().into_iter().chain(lines().rev().take(2)).any(|line| SHELL_STOPS.is_match(line))
}

/// The output without lines that are printed whatever is then run: what bash says when it starts without a terminal, and
/// what Apple's build tools say on a machine that has the Command Line Tools and no Xcode.
pub(super) fn without_noise(text: &str) -> Cow<'_, str> {
    const STARTS: [&str; 4] = [
        "Shell cwd was reset to ",
        "bash: cannot set terminal process group",
        "bash: no job control in this shell",
        "xcrun: error: unable to lookup item 'Platform",
    ];
    if !STARTS.iter().any(|start| contains(text, start)) {
        return Cow::Borrowed(text);
    }
    let is_other = |line: &&str| !STARTS.iter().any(|start| line.trim_start().starts_with(start));
    Cow::Owned(text.split_inclusive('\n').filter(is_other).collect())
}

/// Whether the output consists only of errors of the shell, so that the command did not run as intended. Above other
/// output, such lines may be noise of a start-up file.
pub(super) fn is_only_shell_errors(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| SHELL_LINE.is_match(line))
}

/// Whether the shell says that it could not do a step, and the line names what was missing: what a start-up file lacks is noise.
pub(super) fn names_a_step(text: &str, is_named: impl Fn(&str) -> bool) -> bool {
    prints_of_itself(text) && text.lines().any(|line| step_name(line).is_some_and(&is_named))
}

fn step_name(line: &str) -> Option<&str> {
    let found = STEP.captures(line)?;
    found.get(1).or_else(|| found.get(2)).map(|name| name.as_str())
}

/// Whether the shell says that it could not read the line.
pub(super) fn could_not_read_the_line(text: &str) -> bool {
    prints_of_itself(text) && text.lines().any(|line| UNREADABLE.is_match(line))
}

/// Whether a text can have a line of a shell: `bash: …`, `zsh:1: …`, `(eval):1: …`.
fn prints_of_itself(text: &str) -> bool {
    ["sh: ", "zsh:", "(eval):"].iter().any(|words| contains(text, words))
}

/// Whether the last line is one of the shell itself.
pub(super) fn ends_with_a_shell_error(text: &str) -> bool {
    text.trim_end().lines().next_back().is_some_and(|line| SHELL_LINE.is_match(line))
}

/// Whether the shell could not change the directory.
pub(super) fn is_error_of_cd(text: &str) -> bool {
    text.lines().any(|line| {
        let shell = SHELL_LINE.is_match(line) || line.starts_with("cd: ");
        shell
            && line.contains("cd")
            && ["o such file or directory", "ot a directory", "can't cd to"].iter().any(|said| line.contains(said))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_call_prints_is_no_evidence() {
        let noise = "xcrun: error: unable to lookup item 'PlatformPath' in SDK '/a.sdk'";
        assert_eq!(without_noise(&format!("{noise}\n  {noise}\nBuild complete!")), "Build complete!");
        let real = "xcrun: error: unable to find utility \"a\", not a developer tool or in PATH";
        assert_eq!(without_noise(real), real);
    }
}
