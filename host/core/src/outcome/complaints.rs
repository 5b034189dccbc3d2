//! What programs and scripts say of a step that went wrong, beside the output of other steps.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence::contains;
use super::own_errors::name_of;
use super::shell::Command;

/// Programs that begin a line with their own name only to complain.
const TERSE: [&str; 67] = [
    "ar",
    "awk",
    "base64",
    "basename",
    "bzip2",
    "chgrp",
    "chmod",
    "chown",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dd",
    "df",
    "diff",
    "dirname",
    "du",
    "egrep",
    "expr",
    "factor",
    "find",
    "fmt",
    "fold",
    "gawk",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "install",
    "join",
    "ln",
    "ls",
    "mawk",
    "md5sum",
    "mkdir",
    "mktemp",
    "mv",
    "nl",
    "nm",
    "numfmt",
    "objdump",
    "od",
    "paste",
    "readelf",
    "readlink",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sha256sum",
    "shuf",
    "sort",
    "split",
    "stat",
    "strip",
    "tac",
    "tail",
    "touch",
    "tr",
    "truncate",
    "uniq",
    "wc",
    "xargs",
];
/// What they say without having failed, or of one of several places, which is judged with all of them.
const HARMLESS: [&str; 14] = [
    "warning",
    "Warning",
    "WARNING",
    "File exists",
    "file truncated",
    "has become",
    "file not changed",
    "No such file or directory",
    "ermission denied",
    "s a directory",
    "ot a directory",
    "cannot access",
    "terminated by signal 13",
    "Broken pipe",
];

/// Whether a program of the line, whose code is lost and which is not expected to fail, complains of itself.
pub(super) fn are_of_a_step(command: &Command, last_lost: bool, line: &str, text: &str) -> bool {
    let complains = |said: &str| {
        // Most lines begin with no name.
        let at = memchr::memchr(b':', said.as_bytes());
        let parts = at.and_then(|at| Some((said.get(..at)?, said.get(at + 1..)?.strip_prefix(' ')?)));
        let Some((program, what)) = parts else { return false };
        let name = name_of(program);
        // What `xargs` starts stands in its place.
        let is_lost = || command.loses_the_code_of(program, last_lost) || name == "xargs" && line.contains("xargs");
        TERSE.binary_search(&name).is_ok() && !HARMLESS.iter().any(|harmless| what.contains(harmless)) && is_lost()
    };
    contains(text, ": ") && text.lines().any(complains)
}

/// What a shell says of a line of a script, the name of the script first: `./x.sh: line 3: a: command not found`,
/// `x.sh: 3: a: not found`, `./x.sh:3: command not found: a`.
static OF_A_SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    let missing = "command not found|not found|no such file or directory|permission denied|is a directory";
    let broken = r"unbound variable|cannot execute[^:]*|syntax error[^\n]*|bad substitution|event not found";
    Regex::new(&format!(
        r"(?i)^([^\s:]{{1,200}}):(?: line)? ?\d+: (?:[^\n]{{1,200}}: )?(?:{missing}|{broken})(?:$|: [^\n]+$)"
    ))
    .expect("the expression compiles, as the tests show")
});

/// Words of every such line, without the first letter.
const SAYS: [&str; 9] = [
    "ot found",
    "o such file or directory",
    "ermission denied",
    "s a directory",
    "nbound variable",
    "annot execute",
    "yntax error",
    "ad substitution",
    "vent not found",
];

/// Whether a script that the line runs says that one of its own steps could not be done.
pub(super) fn are_of_a_script(command: &Command, text: &str) -> bool {
    let is_run = |line: &str| {
        let found = OF_A_SCRIPT.captures(line).and_then(|found| found.get(1));
        found.is_some_and(|script| command.runs_script(script.as_str()))
    };
    // The expression is asked of each line, which takes long for most texts.
    SAYS.iter().any(|words| contains(text, words)) && text.lines().any(is_run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_sorted() {
        assert!(TERSE.is_sorted());
    }

    #[test]
    fn complaints_beside_other_output() {
        for (line, text, expected) in [
            ("mkdir --no-such d; ls", "mkdir: unrecognized option '--no-such'\nsrc", true),
            (
                "sort -k nope b.c | head -2",
                "sort: invalid number at field start: invalid count at start of ‘nope’",
                true,
            ),
            ("head -c x b.c | wc", "head: invalid number of bytes: ‘x’\n 0 0 0", true),
            ("date -d 'nope day' | cat; ls", "date: invalid date ‘nope day’\na", true),
            ("sed -i s/a/b b.c; cat b.c", "sed: -e expression #1, char 5: unterminated `s' command\nint", true),
            ("xargs -n x echo < b.c | head", "xargs: invalid number \"x\" for -n option", true),
            ("ls; ln -s a; pwd", "a\nln: failed to access 'a': Too many levels of symbolic links", true),
            ("touch a || true; ls", "touch: cannot touch 'a': Read-only file system", false),
            ("ls; mkdir d", "mkdir: cannot create directory: Read-only file system", false),
            ("find . | xargs grep -l x | head", "./a\nxargs: grep: terminated by signal 13", false),
            ("mkdir src; ls", "mkdir: cannot create directory ‘src’: File exists\nsrc", false),
            ("cat a b; ls", "cat: b: No such file or directory\na", false),
            ("tail -f a | head", "tail: a: file truncated\nx", false),
            ("cat app.log; ls", "sort: invalid number\nx", false),
            ("grep x a; ls", "grep: warning: stray \\ before -", false),
            ("cut -f 0 a | head", "cut: fields are numbered from 1", true),
            ("find src -type q | head", "find: Unknown argument to -type: q", true),
        ] {
            assert_eq!(are_of_a_step(&Command::read(line), false, line, text), expected, "{line}: {text}");
        }
    }

    #[test]
    fn steps_of_scripts() {
        for (line, text, expected) in [
            ("./pipeline.sh", "step 1\n./pipeline.sh: line 3: ./missing: No such file or directory\nstep 2", true),
            ("./deploy.sh", "deploying\n./deploy.sh: 3: nope: not found\nfinished", true),
            ("zsh x.zsh", "x.zsh:3: command not found: nope", true),
            ("bash -e scripts/up.sh --all", "scripts/up.sh: line 9: DB: unbound variable", true),
            ("cd a && ./b.sh", "./b.sh: line 2: syntax error near unexpected token `fi'", true),
            ("cat notes.txt", "./pipeline.sh: line 3: ./missing: No such file or directory", false),
            ("grep -n x run.sh", "run.sh: 3: nope: not found", false),
            ("./a.py", "./a.py: line 3: 12 rows", false),
            ("./pipeline.sh", "see b.sh: line 3: x: not found", false),
        ] {
            assert_eq!(are_of_a_script(&Command::read(line), text), expected, "{line}: {text}");
        }
    }
}
