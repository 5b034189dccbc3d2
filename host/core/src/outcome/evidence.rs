//! What an output proves by itself, by the lines of the table in [`super::marks`] and by whose lines they are.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::LazyLock;

use regex::Regex;

use super::marks::{MARKS, Says};
use super::shell::lints;
use crate::expressions::{Dialect, LazySet};

/// What an output proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// A summary says that it failed.
    Failed,
    /// A tool refused its command line, or stopped.
    Refused,
    /// A summary says that it passed, and nothing says that it failed.
    Passed,
    /// There is no summary, but there are lines that only errors print.
    ErrorLines,
    /// There is no summary, but a number of failures.
    Counts,
    /// The output proves nothing.
    None,
}

/// The expressions of all marks in one set, so that an output is read once.
static MARKS_SET: LazyLock<LazySet> =
    LazyLock::new(|| LazySet::new(Dialect::Unicode, MARKS.iter().map(|(_, _, expression)| *expression)));

/// What the marks in an output say: one bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Lines(u8);

impl Lines {
    fn of(text: &str) -> Self {
        let lines = Cell::new(Self::default());
        let says = |at: usize| MARKS.get(at).map(|(_, says, _)| *says);
        // A second line that says the same tells no more.
        let wants = |at: usize| says(at).is_some_and(|says| !lines.get().say(says));
        let take = |at: usize| says(at).into_iter().for_each(|says| lines.set(Self(lines.get().0 | Self::bit(says))));
        MARKS_SET.each_in_lines(text, wants, take);
        lines.get()
    }

    fn say(self, says: Says) -> bool {
        self.0 & Self::bit(says) != 0
    }

    fn bit(says: Says) -> u8 {
        match says {
            Says::Failed => 1,
            Says::Refused => 2,
            Says::Passed => 4,
            Says::Error => 8,
            Says::Count => 16,
        }
    }
}

/// The line that git prints after a commit: `[branch 1a2b3c4] subject`.
static COMMIT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] ").expect("the expression compiles, as the tests show")
});

/// Assesses an output. `commits` means that the command makes a commit. In that case only what follows the commit line
/// counts, not what git hooks printed above it.
pub(super) fn assess(text: &str, commits: bool) -> Evidence {
    let commit = if commits { COMMIT_LINE.find_iter(text).last() } else { None };
    let decisive = commit.map_or(text, |line| text.get(line.end()..).unwrap_or_default());
    let committed = decisive.len() < text.len();
    let lines = Lines::of(decisive);
    if lines.say(Says::Failed) {
        Evidence::Failed
    } else if lines.say(Says::Refused) {
        Evidence::Refused
    } else if committed || lines.say(Says::Passed) {
        Evidence::Passed
    } else if lines.say(Says::Error) {
        Evidence::ErrorLines
    } else if lines.say(Says::Count) {
        Evidence::Counts
    } else {
        Evidence::None
    }
}

/// Whether nothing in the whole output of a commit says that it was made.
pub(super) fn has_no_commit_line(text: &str) -> bool {
    !COMMIT_LINE.is_match(text) && !MADE.iter().any(|mark| contains(text, mark))
}

/// What git prints below the line of a commit.
const MADE: [&str; 6] = ["file changed", "files changed", "create mode ", "delete mode ", "rename ", "mode change "];

/// Whether a commit was asked for, and nothing says that it was made: there was nothing to commit, or a hook printed
/// what it found. `only_git` means that nothing else printed.
pub(super) fn shows_no_commit(text: &str, only_git: bool) -> bool {
    const NOTHING: [&str; 3] = ["nothing to commit", "nothing added to commit", "no changes added to commit"];
    const COMPLAINTS: [&str; 8] = ["✖", "✗", "❌", "🥊", "error", "Error", "failed", "Failed"];
    if !has_no_commit_line(text) {
        return false;
    }
    NOTHING.iter().any(|mark| contains(text, mark)) || (only_git && COMPLAINTS.iter().any(|mark| contains(text, mark)))
}

/// Whether git stopped one of its steps: it names paths, branches or objects that are not there, or says `fatal: `.
pub(super) fn says_that_git_stopped(text: &str) -> bool {
    let stops = |line: &str| line.starts_with("fatal: ") || line.starts_with("error: pathspec '");
    (contains(text, "fatal: ") || contains(text, "error: pathspec '")) && text.lines().any(stops)
}

/// Whether the first line that was printed reports an error of the program itself.
pub(super) fn begins_with_an_error(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).map(Lines::of);
    first.is_some_and(|says| says.say(Says::Refused) || says.say(Says::Error))
}

/// Programs that print what is wrong, and exit with code 0: the option that asks for it.
const LIST_WHAT_IS_WRONG: &[(&str, &[&str])] = &[
    ("autopep8", &["--diff", "-d"]),
    ("black", &["--check", "--diff"]),
    ("docformatter", &["--check", "-c"]),
    ("gofmt", &["-l", "-d"]),
    ("gofumpt", &["-l", "-d"]),
    ("goimports", &["-l", "-d"]),
    ("isort", &["--check", "--check-only", "-c", "--diff"]),
    ("prettier", &["-l", "--list-different"]),
    ("ruff", &["--diff"]),
    ("shfmt", &["-l", "-d"]),
    ("terraform", &["-check"]),
    ("tofu", &["-check"]),
    ("yapf", &["--diff", "-d"]),
];

/// Whether the program lists the files that are wrong, and the output has such a file, a patch, or their number.
pub(super) fn lists_what_is_wrong(words: &[String], text: &str) -> bool {
    let Some((program, options)) = words.split_first() else { return false };
    let asked = LIST_WHAT_IS_WRONG
        .iter()
        .any(|(name, asks)| *name == name_of(program) && options.iter().any(|option| asks.contains(&option.as_str())));
    let is_file = |line: &str| {
        let end = line.rsplit_once('.').map_or("", |(_, end)| end);
        !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !line.contains(char::is_whitespace)
    };
    let begins_a_patch = |line: &str| ["diff ", "--- ", "@@ "].iter().any(|start| line.starts_with(start));
    asked
        && (is_a_count(text)
            || text.lines().any(|line| is_file(line) || begins_a_patch(line))
            || is_within_a_patch(text))
}

/// Whether all lines are those of a patch, and some change something: its end, or its middle.
fn is_within_a_patch(text: &str) -> bool {
    let changes = |line: &str| line.starts_with(['+', '-']);
    text.lines().all(|line| line.is_empty() || changes(line) || line.starts_with(' ')) && text.lines().any(changes)
}

/// Whether a linter has printed the place of what is wrong, and not as a warning.
pub(super) fn lists_places(words: &[String], text: &str) -> bool {
    lints(words) && text.lines().any(is_place_of_an_error)
}

/// `a/b.kt:12:1: Unexpected blank line`, with or without the column, `a.py:3 in public function`, `a.js: line 1, col 9, x`;
/// not `a.swift:3:1: warning: x`.
fn is_place_of_an_error(line: &str) -> bool {
    const LESSER: [&str; 7] = ["(info", "(warn", "[warn", "hint", "info", "note", "warn"];
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let line = line.trim_start();
    let Some((file, rest)) = line.strip_prefix("ERROR ").unwrap_or(line).split_once(':') else { return false };
    let end = file.rsplit_once('.').map_or("", |(_, end)| end);
    if end.is_empty() || end.contains('/') || file.contains(char::is_whitespace) {
        return false;
    }
    let rest = rest.strip_prefix(" line ").unwrap_or(rest);
    let Some((row, rest)) = rest.split_at_checked(number(rest)) else { return false };
    let column = rest.strip_prefix(':').and_then(|rest| rest.split_at_checked(number(rest)));
    let rest = column.filter(|(column, _)| !column.is_empty()).map_or(rest, |(_, rest)| rest);
    let said = rest.strip_prefix([':', ' ', ',']).map(str::trim_start).unwrap_or_default();
    let begins = said.get(..said.floor_char_boundary(5)).unwrap_or_default().to_ascii_lowercase();
    let is_lesser =
        LESSER.iter().any(|word| begins.starts_with(word)) || said.contains("[Warning/") || said.ends_with("(warning)");
    !row.is_empty() && !said.is_empty() && !is_lesser
}

/// Whether the text is a number above 0.
pub(super) fn is_a_count(text: &str) -> bool {
    text.trim().parse::<u64>().is_ok_and(|count| count > 0)
}

/// What a program that only shows something prints when it cannot: its errors, not those in what it shows.
const ERRORS_OF_READERS: &[(&str, &[&str])] = &[
    ("curl", &["curl: ("]),
    (
        "docker",
        &[
            "Error response from daemon: ",
            "Cannot connect to the Docker daemon",
            "no such service: ",
            "Error: No such ",
        ],
    ),
    (
        "gh",
        &[
            "gh: ",
            "GraphQL: ",
            "HTTP 4",
            "no pull requests found",
            "failed to ",
            "error connecting",
            "invalid character '",
        ],
    ),
    ("git", &["fatal: "]),
    ("jq", &["parse error: ", "jq: error", "jq: parse error"]),
    (
        "kubectl",
        &[
            "Error from server",
            "The connection to the server ",
            "Unable to connect to the server",
            "error: the server ",
        ],
    ),
    ("podman", &["Error: no container with", "Error: no such "]),
    ("systemctl", &["Unit "]),
    ("xmllint", &["xmllint: error", "xmllint: syntax error"]),
];

/// What programs print that do not understand what they were asked.
const REFUSALS: [&str; 20] = [
    "unrecognized",
    "unrecognised",
    "invalid option",
    "illegal option",
    "unknown option",
    "unknown predicate",
    "unknown primary",
    "unknown command",
    "regex parse error",
    "parse error",
    "syntax error",
    "unterminated",
    "unmatched",
    "lookbehind",
    "Invalid preceding regular expression",
    "missing argument",
    "extra characters",
    "unexpected newline",
    "error (at",
    "error:",
];

/// Whether a program that only shows something reports an error of its own.
pub(super) fn is_own_error(words: &[String], text: &str) -> bool {
    let Some(program) = words.first() else { return false };
    let says = |start: &str| contains(text, start) && text.lines().any(|line| line.starts_with(start));
    // The content that git shows may contain `error: `.
    let shows = ["show", "cat-file", "diff"];
    let git_error = program == "git" && !words.iter().any(|word| shows.contains(&word.as_str())) && says("error: ");
    let listed = ERRORS_OF_READERS.iter().filter(|(name, _)| name == program).flat_map(|(_, starts)| *starts);
    let refuses = || {
        let refusal = |said: &str| REFUSALS.iter().any(|refusal| said.contains(refusal));
        let name = name_of(program);
        let complains = contains(text, &format!("{name}: ")) || contains(text, &format!("{name} : "));
        complains && text.lines().any(|line| complaint_of(program, line).is_some_and(refusal))
    };
    let is_fetch_error = |line: &str| line.contains(" ERROR 4") || line.contains(" ERROR 5");
    let fetch_error = program == "wget" && contains(text, " ERROR ") && text.lines().any(is_fetch_error);
    git_error || fetch_error || listed.into_iter().any(|start| says(start)) || refuses()
}

/// The number of complaints, if the output consists only of complaints of the programs that should have shown something.
pub(super) fn complaints_if_only(programs: &[&str], text: &str) -> Option<usize> {
    let is_complaint =
        |line: &str| programs.iter().any(|program| complaint_of(program, line).is_some()) || SHELL_LINE.is_match(line);
    // A warning does not keep a program from its work.
    let is_warning =
        |line: &&str| ["arning:", "WARNING:", ": no pwd entry for UID "].iter().any(|words| line.contains(words));
    let mut complaints = 0;
    let said = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("Try '"));
    for line in said.filter(|line| line.starts_with(UGREP) || !is_warning(line)) {
        if !is_complaint(line) {
            return None;
        }
        complaints += 1;
    }
    (complaints > 0).then_some(complaints)
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

/// Whether the complaints in an output are about places that may not be read, and there are results besides.
pub(super) fn is_only_denied_in_part(words: &[String], text: &str) -> bool {
    let Some(program) = words.first() else { return false };
    let denied = |said: &str| said.contains("Permission denied") || said.contains("Operation not permitted");
    let (mut results, mut denials) = (false, false);
    let fine = text.lines().filter(|line| !line.trim().is_empty()).all(|line| {
        let complaint = complaint_of(program, line);
        results |= complaint.is_none();
        denials |= complaint.is_some();
        complaint.is_none_or(denied)
    });
    fine && results && denials && matches!(program.as_str(), "find" | "fd" | "du" | "tree" | "grep" | "rg" | "ls")
}

/// The name of a program without its folder.
pub(super) fn name_of(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// How `ugrep`, which some agents run in place of `grep`, says that it could not read a file.
const UGREP: &str = "ugrep: warning: ";

/// What a program says in a line that begins with its name, if that is a complaint and no output.
fn complaint_of<'t>(program: &str, line: &'t str) -> Option<&'t str> {
    if name_of(program) == "grep" && line.starts_with(UGREP) {
        return line.strip_prefix(UGREP);
    }
    let said = line.trim_start().strip_prefix(name_of(program))?;
    said.strip_prefix(": ").or_else(|| said.strip_prefix(" : "))
}

/// Whether what starts another program elsewhere failed itself: the first line says so.
pub(super) fn is_error_of_a_wrapper(text: &str) -> bool {
    const STARTS: [&str; 10] = [
        "Error response from daemon: ",
        "Cannot connect to the Docker daemon",
        "OCI runtime exec failed",
        "Error from server",
        "Error: No such container",
        "Error: no container with",
        "Error: initializing source ",
        "There is no distribution with",
        "ssh: ",
        "service \"",
    ];
    // What `ssh` says of a host that does not let it in.
    const REFUSED: [&str; 3] = [
        "Connection timed out during banner exchange",
        "Host key verification failed.",
        "kex_exchange_identification: ",
    ];
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let host = first.split_once(": Permission denied (").map(|(host, _)| host);
    STARTS.iter().chain(&REFUSED).any(|start| first.starts_with(start))
        || host.is_some_and(|host| !host.contains(char::is_whitespace))
        || contains(text, "\ncommand terminated with exit code ")
}

static SHELL_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let missing = r"(?:/\S*/)?(?:ba|z|da|k)?sh: (?:command not found: \S|[^\s:]+: command not found$)";
    Regex::new(&format!(r"^(?:(?:\((?:eval|anon)\):(?:\w+:)?\d+:|zsh:\w+:\d+:|(?:/\S*/)?(?:ba|z|da|k)?sh:(?: -c:)?(?: line)? ?\d*:) ?\S|{missing})"))
        .expect("the expression compiles, as the tests show")
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

/// Whether all that was printed says that the programs which were asked for are not there: `buf not found`.
pub(super) fn is_answer_no(words: &[String], text: &str) -> bool {
    let asked = || words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let says_no = |line: &str| {
        let line = line.trim().trim_start_matches("Error: ");
        asked().any(|name| line.contains(name.as_str())) && (line.ends_with("not found") || line.contains(": no "))
    };
    matches!(words.first().map(String::as_str), Some("which" | "type" | "command" | "hash"))
        && text.lines().filter(|line| !line.trim().is_empty()).all(says_no)
}

/// Whether `gh pr checks` lists checks that have not ended, and none that failed. Its columns are set apart by tabs.
pub(super) fn only_waits_for_checks(words: &[String], text: &str) -> bool {
    let asks = matches!(words, [program, pr, checks, ..] if program == "gh" && pr == "pr" && checks == "checks");
    let has = |state: &[&str]| text.lines().any(|line| line.split('\t').nth(1).is_some_and(|is| state.contains(&is)));
    asks && has(&["pending"]) && !has(&["fail", "cancel"])
}

/// Whether the output of a search, a question or a comparison shows that it did not work at all.
pub(super) fn shows_an_error(text: &str) -> bool {
    let lines = Lines::of(text);
    lines.say(Says::Failed) || lines.say(Says::Refused) || lines.say(Says::Error)
}

/// Whether a text, which may be long, contains these words.
pub(super) fn contains(text: &str, words: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), words.as_bytes()).is_some()
}

/// Whether a time limit ended the call.
pub(super) fn is_timeout(text: &str) -> bool {
    ["Command timed out after", "command timed out after", "timed out after", "Timeout waiting for"]
        .iter()
        .any(|mark| contains(text, mark))
}

/// Whether a short output has a line that reports an error, and no word that says that something worked. A line that the
/// command itself spells out reports nothing.
pub(super) fn says_only_errors(text: &str, is_spelled: impl Fn(&str) -> bool) -> bool {
    const MAX_LINES: usize = 40;
    const WORKED: [&str; 12] =
        ["success", "passed", "works", "worked", "done", "complete", "finished", "saved", "created", "✓", "✅", "✔"];
    // What a harness adds stands in brackets.
    let said = || text.lines().filter(|line| !(line.starts_with('[') && line.ends_with(']')));
    if said().nth(MAX_LINES).is_some() {
        return false;
    }
    said().any(|line| begins_an_error(line) && !is_spelled(line.trim())) && !Lines::of(text).say(Says::Passed) && {
        let lower = said().collect::<Vec<_>>().join("\n").to_lowercase();
        !WORKED.iter().any(|word| lower.contains(word))
    }
}

/// Whether a line is the beginning or the end of an error report: `Traceback …`, `ERROR: x`, `KeyError: x`, `Case 1 failed: x`.
pub(super) fn begins_an_error(line: &str) -> bool {
    let says = |said: &str| !said.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'));
    let Some((head, said)) = line.split_once(": ") else {
        return line.starts_with("Traceback (most recent call last):");
    };
    let is_class = (head.ends_with("Error") || head.ends_with("Exception"))
        && head.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let is_result = head.ends_with(" failed")
        && head.len() <= 60
        && head.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ');
    (is_class || is_result || matches!(head, "ERROR" | "ERR" | "error" | "FATAL" | "Fatal" | "FAILED")) && says(said)
}

/// Whether the agent pressed Ctrl-C: the terminal shows it near the end, or what ran says which signal ended it. Servers
/// and package managers then exit with codes of all sorts.
pub(super) fn is_interrupted(text: &str) -> bool {
    const SIGNALLED: [&str; 6] =
        ["signal SIGINT", "exit code 130", "exit status 130", "Error 130", "] Interrupt", "(code 130)"];
    let mut last = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(6).peekable();
    let at_the_end = |line: &str| SIGNALLED.iter().any(|words| contains(line, words)) || line == "KeyboardInterrupt";
    last.peek().is_some_and(|line| at_the_end(line)) || last.any(|line| line.starts_with("^C") || line.ends_with("^C"))
}

/// Whether the harness did not run the command: the one before still runs, or the folder in which it would run is gone.
pub(crate) fn was_not_run(text: &str) -> bool {
    let folder_is_gone = text.starts_with("Working directory ") && contains(text, "Re-issue your command");
    folder_is_gone || contains(text, "is NOT executed. The previous command is still running")
}

/// Whether the harness refused the arguments of a call, which some do without an error flag.
pub(super) fn is_refused_call(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with("The ") && contains(first, " tool was called with invalid arguments: ")
}

/// Whether a waiting command gave up. It may still exit with code 0.
pub(super) fn ends_with_a_timeout(text: &str) -> bool {
    text.trim_end().lines().next_back().is_some_and(|line| line.starts_with("Timeout waiting for"))
}

/// Whether a file was read past its end. The result is then only a reminder. An empty file is read from its first line, and
/// the reminder is no error.
pub(super) fn is_past_the_end(text: &str) -> bool {
    let reminder = text.strip_prefix("<system-reminder>Warning: the file exists but is shorter than");
    reminder.is_some_and(|said| !said.trim_start().starts_with("the provided offset (1)"))
}

/// The output without the line that only gives the exit code.
pub(super) fn without_code_line(text: &str) -> &str {
    if !text.starts_with("Exit code") && !text.starts_with("Error: Exit code") && !text.starts_with("Chunk ID") {
        return text.trim();
    }
    match text.split_once("\nOutput:") {
        Some((_, output)) if text.starts_with("Chunk ID") || text.starts_with("Exit code:") => output.trim(),
        _ => text.split_once('\n').map_or("", |(_, rest)| rest.trim()),
    }
}

/// Whether the result is only an error, in the forms in which servers report errors without setting a flag.
pub(super) fn is_error_body(text: &str) -> bool {
    let body = text.get(..text.floor_char_boundary(320)).unwrap_or_default().split_once("\nOutput:\n");
    let body =
        body.filter(|(head, _)| head.len() < 300).and_then(|(head, _)| text.get(head.len() + 9..)).unwrap_or(text);
    let body = body.trim_start();
    // One result for each of several requests, of which none worked.
    if body.starts_with('[') {
        let says = |what: &str| {
            contains(body, &format!("\"success\":{what}")) || contains(body, &format!("\"success\": {what}"))
        };
        return says("false") && !says("true");
    }
    if !body.starts_with('{') {
        return body.starts_with("MCP error ");
    }
    let near: String = body.chars().take(200).filter(|c| !c.is_whitespace()).collect();
    near.starts_with("{\"error\":\"")
        || near.starts_with("{\"error\":{")
        || near.starts_with("{\"status\":\"error\"")
        || near.starts_with("{\"isError\":true")
}

/// Whether a result that reports on a background task says that the task failed.
pub(super) fn is_failed_task(tool: &str, text: &str) -> bool {
    if !matches!(tool, "TaskOutput" | "BashOutput" | "AgentOutputTool") {
        return false;
    }
    let code = text.split_once("<exit_code>").and_then(|(_, rest)| rest.split_once('<')).map(|(code, _)| code.trim());
    code.is_some_and(|code| code != "0")
        || contains(text, "<status>failed</status>")
        || assess(text, false) == Evidence::Failed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::agrees_with_regex;

    #[test]
    fn the_expressions_answer_like_regex() {
        let all: Vec<&str> = MARKS.iter().map(|(_, _, expression)| *expression).collect();
        assert_eq!(agrees_with_regex(Dialect::Unicode, &all), all.len(), "each has words");
    }

    #[test]
    fn summaries_of_many_tools() {
        for (text, evidence) in [
            ("ok  \ta\t0.1s\n--- FAIL: TestX (0.00s)\nFAIL", Evidence::Failed),
            ("ok  \ta\t0.1s\nerror: tested path", Evidence::Passed),
            ("test result: FAILED. 1 passed; 1 failed", Evidence::Failed),
            ("===== 2 failed, 3 passed in 0.1s =====", Evidence::Failed),
            ("===== 3 passed, 1 warning in 0.1s =====", Evidence::Passed),
            ("FAILED (failures=1)", Evidence::Failed),
            ("error: boom\n 12 pass\n 0 fail", Evidence::Passed),
            (" 12 pass\n 3 fail", Evidence::Failed),
            ("Tests:  1 failed, 3 passed, 4 total", Evidence::Failed),
            ("a.ts(3,1): error TS2304: Cannot find name", Evidence::Failed),
            ("✖ 3 problems (0 errors, 3 warnings)", Evidence::None),
            ("docs/a.md:3 error MD012/no-multiple-blanks", Evidence::Failed),
            ("a/b.go:3:1: unused (unused)", Evidence::Failed),
            ("0 issues.", Evidence::Passed),
            ("fatal: not a git repository", Evidence::ErrorLines),
            ("all is well, no error: none", Evidence::None),
        ] {
            assert_eq!(assess(text, false), evidence, "{text}");
        }
    }

    #[test]
    fn the_commit_line_outweighs_what_stands_above() {
        let text = "--- FAIL: x\n[main 1a2b3c4] fix\n 1 file changed";
        assert_eq!(assess(text, true), Evidence::Passed);
        assert_eq!(assess(text, false), Evidence::Failed);
        assert_eq!(assess(&format!("{text}\n ! [rejected] main -> main"), true), Evidence::Failed);
    }

    #[test]
    fn places_that_linters_print() {
        for (line, expected) in [
            ("/srv/a.kt:12:1: Unexpected blank line", true),
            ("src/a.php:12:Method a() has no type", true),
            ("a.rb:1:1: W: Lint/UselessAssignment: x", true),
            ("a.swift:3:1: warning: Line Length Violation", false),
            ("/a.js:1:2: x is unused [Warning/no-unused-vars]", false),
            ("a.py:3: note: see the documentation", false),
            ("shop/a.py:1 at module level:", true),
            ("b.js: line 2, col 9, Missing semicolon.", true),
            ("  /srv/b.js:1:19: Extra semicolon. (semi)", true),
            ("  /srv/b.js:1:19: Unexpected var. (no-var) (warning)", false),
            ("r.rst:2: (INFO/1) Possible title underline", false),
            ("a.py:3:", false),
            ("http://localhost:80: up", false),
            ("12:30:01: started", false),
            ("see a.kt:12:1: x", false),
        ] {
            assert_eq!(is_place_of_an_error(line), expected, "{line}");
        }
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let text = "a.py:3:1: E501 line too long";
        assert!(lists_places(&words("python3 -m flake8 a.py"), text) && lists_places(&words("bin/rubocop"), text));
        assert!(lists_places(&words("cmakelint x"), text) && lists_places(&words("tidy --check x"), text));
        assert!(!lists_places(&words("pytest -q"), text) && !lists_places(&[], text));
        let (vet, run) = (words("go vet ./..."), words("go test -v ./..."));
        let text = "    a_test.go:3: a line that the test logs";
        assert!(lists_places(&vet, "./a.go:3:14: wrong type") && !lists_places(&run, text));
    }

    #[test]
    fn what_every_call_prints_is_no_evidence() {
        let noise = "xcrun: error: unable to lookup item 'PlatformPath' in SDK '/a.sdk'";
        assert_eq!(without_noise(&format!("{noise}\n  {noise}\nBuild complete!")), "Build complete!");
        let real = "xcrun: error: unable to find utility \"a\", not a developer tool or in PATH";
        assert_eq!(without_noise(real), real);
    }
}
