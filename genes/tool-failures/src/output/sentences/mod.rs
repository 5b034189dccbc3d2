//! Sentences that tools print when something goes wrong, and the cause that each of them names.
//!
//! A row is a cause, a part of a sentence, and where the name of what is missing or refused stands. To teach the gene a
//! message, add a row to the file of its topic; a part that begins a sentence lacks its first letter, so that it matches both
//! cases. The most specific part comes first, because the first row of a line wins: in its file, and of the files in the order
//! of [`TOPICS`].

mod agent;
mod calls;
mod git;
mod languages;
mod name;
mod network;
mod programs;
mod shell;

use std::sync::OnceLock;

use crate::cause::Cause;
use crate::output::line::is_number;
use crate::output::remedies::{REMEDIES, Reach};
use crate::output::vocabulary::Words;
use crate::text::around;
pub(crate) use languages::before_reason;
use name::{Name, Row};

/// How a script says that it lacks a program.
const REQUIRES: &[&str] = &[" is required", " is not installed", " not found", " is missing"];
static REQUIRED: Words = Words::of(REQUIRES);

/// The topics, the most specific first. Many messages name a path or a time, so the general ones come last.
const TOPICS: [&[Row]; 7] =
    [agent::ROWS, network::ROWS, git::ROWS, calls::ROWS, programs::ROWS, languages::ROWS, shell::ROWS];

/// A known part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match<'l> {
    /// What it says.
    pub(crate) cause: Cause,
    /// The name of what is missing or refused; empty if the line has none.
    pub(crate) name: &'l str,
    /// Position among all rows: a lower one is more specific.
    pub(crate) rank: usize,
}

/// All rows, by the first two bytes of their parts: those of [`TOPICS`], and behind them those of [`REMEDIES`], which have no
/// cause of their own.
struct Index {
    rows: Vec<Row>,
    /// Bit `h` is set if a part begins with two bytes of the hash `h`.
    begins: [u64; 16],
    /// Positions in `rows`, by that hash.
    slots: Vec<Vec<usize>>,
}

fn hash(first: u8, second: u8) -> usize {
    (usize::from(first) * 31 + usize::from(second)) & 1023
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let explaining = REMEDIES.iter().filter(|(reach, ..)| *reach == Reach::Output);
        let remedies = explaining.map(|(_, part, _)| (Cause::Error, *part, Name::No));
        let rows: Vec<Row> = TOPICS.iter().copied().flatten().copied().chain(remedies).collect();
        let (mut begins, mut slots) = ([0; 16], vec![Vec::new(); 1024]);
        for (at, (_, part, _)) in rows.iter().enumerate() {
            let part = part.as_bytes();
            let slot = hash(part[0], part[1]);
            begins[slot >> 6] |= 1 << (slot & 63);
            slots[slot].push(at);
        }
        Index { rows, begins, slots }
    })
}

/// The most specific known part of a line.
pub(crate) fn find(line: &str) -> Option<Match<'_>> {
    if let Some(name) = missing_in_sh(line).or_else(|| missing_in_wrapper(line)).or_else(|| required(line)) {
        return Some(Match { cause: Cause::Program, name, rank: 0 });
    }
    if is_port_in_use(line) {
        return Some(Match { cause: Cause::PortInUse, name: "", rank: 0 });
    }
    let (index, bytes) = (index(), line.as_bytes());
    let mut best: Option<(usize, usize)> = None;
    for (at, pair) in bytes.windows(2).enumerate() {
        let slot = hash(pair[0], pair[1]);
        if index.begins[slot >> 6] >> (slot & 63) & 1 == 0 {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let found = index.slots[slot].iter().find(|at| rest.starts_with(index.rows[**at].1.as_bytes()));
        // What a message names besides, such as a path, explains less than what is known of the message.
        let order = |at: usize| (index.rows[at].0.is_general(), at);
        if let Some(row) = found.filter(|row| best.is_none_or(|(known, _)| order(**row) < order(known))) {
            best = Some((*row, at));
        }
    }
    let (rank, at) = best?;
    let (cause, part, place) = index.rows[rank];
    // A mark such as `!` is no program, but the shell reads it as one.
    if cause == Cause::Program && place == Name::Before && is_mark(line.get(..at).unwrap_or_default()) {
        return Some(Match { cause: Cause::Shell, name: "", rank });
    }
    let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at + part.len()..).unwrap_or_default());
    place.find(before, part, after).map(|name| Match { cause, name, rank })
}

/// Whether a shell names a mark in front of its message: `bash: line 57: !`.
fn is_mark(before: &str) -> bool {
    let word = before.rsplit([' ', ':']).next().unwrap_or_default();
    !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_punctuation())
}

/// The program that a shell does not find: `sh: 1: tsc: not found`, or `a.sh: 3: tsc: not found` in a script. Elsewhere
/// `: not found` may be said of anything.
fn missing_in_sh(line: &str) -> Option<&str> {
    if let Some(name) = line.trim().strip_prefix("fish: Unknown command: ") {
        return name.split_whitespace().next();
    }
    let rest = line.trim().strip_suffix(": not found")?;
    let (shell, rest) = rest.split_once(": ")?;
    let is_numbered = || rest.split_once(": ").is_some_and(|(number, _)| is_number(number));
    let is_shell = matches!(shell.rsplit('/').next(), Some("sh" | "dash" | "ash" | "ksh")) || is_numbered();
    let name = rest.rsplit(": ").next().filter(|name| !name.is_empty() && !name.contains(' '))?;
    is_shell.then_some(name)
}

/// The program that a script asks for by the command that installs it: `jq is required. Install with: apt install jq`. What pip,
/// npm and others install are modules, and what libraries are called is no program.
fn required(line: &str) -> Option<&str> {
    const INSTALLS: [&str; 10] = [
        "apt install ",
        "apt-get install ",
        "brew install ",
        "dnf install ",
        "yum install ",
        "apk add ",
        "pacman -S ",
        "winget install ",
        "choco install ",
        "scoop install ",
    ];
    // Asked of every line: few say so.
    if !REQUIRED.are_in(line) {
        return None;
    }
    let (_, installed) = INSTALLS.iter().find_map(|words| line.split_once(words))?;
    let before = REQUIRES.iter().find_map(|words| line.split_once(words))?.0;
    let name = before.rsplit([' ', ':']).next()?.trim_matches(['\'', '"', '`']);
    let is_library = name.starts_with("lib") || name.ends_with("-dev") || name.ends_with("-devel");
    (!name.is_empty() && !is_library && installed.contains(name)).then_some(name)
}

/// Whether a server says of its port that another one has it: `Port 3000 is already in use`. What then takes the next port has no
/// failure.
fn is_port_in_use(line: &str) -> bool {
    const SAYS: [&str; 5] =
        ["is already in use", "is in use", "was already in use", "already in use", "is already allocated"];
    static PORT: Words = Words::of(&["ort "]);
    if !PORT.are_in(line) || line.contains("rying ") || line.contains("using ") {
        return false;
    }
    let behind = |word| around(line, word).filter(|(before, _)| !before.ends_with(char::is_alphabetic));
    let mut said = behind("port ").chain(behind("Port ")).filter_map(|(_, rest)| rest.split_once(' '));
    said.any(|(number, rest)| is_number(number) && SAYS.iter().any(|words| rest.starts_with(words)))
}

/// The program that one does not find which starts others: `timeout: failed to run command 'x': No such file or directory`.
fn missing_in_wrapper(line: &str) -> Option<&str> {
    const WRAPPERS: [&str; 10] =
        ["timeout", "env", "nohup", "nice", "ionice", "stdbuf", "setsid", "xargs", "time", "chroot"];
    // Node says so of what it starts.
    if let Some((name, rest)) = line.split_once("rror: spawn ").and_then(|(_, rest)| rest.split_once(" ENOENT")) {
        return Some(name).filter(|name| rest.is_empty() && !name.is_empty() && !name.contains(['/', '\\', ' ']));
    }
    let (wrapper, rest) = line.trim().strip_suffix(": No such file or directory")?.split_once(": ")?;
    let is_wrapper = WRAPPERS.contains(&wrapper.rsplit('/').next().unwrap_or_default());
    let name = rest.rsplit(' ').next()?.trim_matches(['\'', '"', '\u{2018}', '\u{2019}']);
    // A path is one of the project's own files.
    (is_wrapper && !name.is_empty() && !name.contains('/')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_the_program_that_it_requires() {
        for (line, expected) in [
            ("ERROR: jq is required. Install with: apt install jq", Some("jq")),
            ("jq is not installed. Run: brew install jq", Some("jq")),
            ("Error: shellcheck not found, install it with `sudo apt-get install shellcheck`", Some("shellcheck")),
            ("'gh' is required (winget install --id GitHub.cli, or brew install gh)", Some("gh")),
            ("ffmpeg is missing; apk add ffmpeg", Some("ffmpeg")),
            ("pyarrow is required. Install with: pip install pyarrow", None),
            ("libpq-dev is required: apt install libpq-dev", None),
            ("A compiler is required: apt install build-essential", None),
            ("a.txt not found", None),
            ("run apt install jq", None),
            ("", None),
        ] {
            assert_eq!(required(line), expected, "{line}");
        }
    }

    #[test]
    fn a_program_that_starts_others_may_not_find_one() {
        for (line, expected) in [
            ("timeout: failed to run command 'rg': No such file or directory", Some("rg")),
            ("env: \u{2018}node\u{2019}: No such file or directory", Some("node")),
            ("/usr/bin/env: 'python': No such file or directory", Some("python")),
            ("xargs: fd: No such file or directory", Some("fd")),
            ("timeout: failed to run command './a.sh': No such file or directory", None),
            ("timeout: failed to run command 'rg': Permission denied", None),
            ("cat: a: No such file or directory", None),
            ("time", None),
            ("Error: spawn jq ENOENT", Some("jq")),
            ("Uncaught Error: spawn npm.cmd ENOENT", Some("npm.cmd")),
            ("Error: spawn /usr/bin/jq ENOENT", None),
            ("Error: spawn jq EACCES", None),
            ("Error: spawn ENOENT", None),
            ("Error: spawn jq ENOENT at x", None),
        ] {
            assert_eq!(missing_in_wrapper(line), expected, "{line}");
        }
    }

    #[test]
    fn a_mark_is_no_program() {
        for (line, expected) in [
            ("bash: line 57: !: command not found", Some((Cause::Shell, ""))),
            ("/bin/bash: line 3: }: command not found", Some((Cause::Shell, ""))),
            ("bash: ]]: command not found", Some((Cause::Shell, ""))),
            ("bash: line 57: x: command not found", Some((Cause::Program, "x"))),
            ("bash: 7z: command not found", Some((Cause::Program, "7z"))),
            ("zsh: command not found: rg", Some((Cause::Program, "rg"))),
        ] {
            assert_eq!(find(line).map(|found| (found.cause, found.name)), expected, "{line}");
        }
    }

    #[test]
    fn a_shell_names_the_program_that_it_does_not_find() {
        for (line, expected) in [
            ("sh: 1: tsc: not found", Some("tsc")),
            ("/bin/sh: tsc: not found", Some("tsc")),
            ("./a.sh: 12: tsc: not found", Some("tsc")),
            ("fish: Unknown command: tsc", Some("tsc")),
            ("service: api: not found", None),
            ("error: 12: no such user: not found", None),
            ("page: not found", None),
        ] {
            assert_eq!(missing_in_sh(line), expected, "{line}");
        }
    }

    #[test]
    fn a_server_says_that_its_port_is_in_use() {
        for (line, expected) in [
            ("Error: Port 3000 is already in use", true),
            ("Web server failed to start. Port 8080 was already in use.", true),
            ("port 5432 already in use", true),
            ("Something uses the port 22", false),
            ("Port 3000 is in use, trying another one...", false),
            ("Port 3000 is in use by an unknown process, using available port 3001 instead.", false),
            ("The import is already in use", false),
            ("Support 24 is in use", false),
            ("Port number is already in use", false),
            ("", false),
        ] {
            assert_eq!(is_port_in_use(line), expected, "{line}");
        }
    }

    #[test]
    fn no_part_is_hidden_by_an_earlier_one() {
        let rows: Vec<Row> = TOPICS.concat();
        for (at, (cause, part, _)) in rows.iter().enumerate() {
            let hides = rows.iter().take(at).find(|(other, known, _)| part.contains(known) && other != cause);
            assert_eq!(hides, None, "{part}");
        }
    }
}
