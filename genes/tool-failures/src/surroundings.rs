//! What the environment lacks: modules, programs, permissions, paths, or a platform that is another one; each kind one
//! finding that names what is missing.

use std::collections::BTreeMap;

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::line::{collapsed, short_path, untagged};
use crate::report::{Importance, Report, TITLE_CHARS, clipped, confidence, seen_times};

/// Most things told apart, a kind; most named in a title.
const MAX_NAMES: usize = 256;
const SHOWN: usize = 4;
const NAME_CHARS: usize = 40;
const MAX_EVIDENCE: usize = 8;

/// What can be lacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lacking {
    Module,
    Command,
    Permission,
    Path,
    Platform,
}

#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    kinds: BTreeMap<Lacking, Kind>,
}

#[derive(Debug, Default)]
struct Kind {
    count: u32,
    /// How often each was missed, and the newest event and line of it.
    names: BTreeMap<String, (u32, u64, String)>,
}

impl Surroundings {
    /// Takes one failure in, and the line that says why it failed.
    pub(crate) fn add(&mut self, call: &Call<'_>, line: &str) {
        let plain = untagged(line);
        let Some((lacking, name)) = lacking(call, &plain) else { return };
        let kind = self.kinds.entry(lacking).or_default();
        kind.count = kind.count.saturating_add(1);
        let name = clipped(&short_path(name), NAME_CHARS);
        if kind.names.len() < MAX_NAMES || kind.names.contains_key(&name) {
            let named = kind.names.entry(name).or_default();
            named.0 = named.0.saturating_add(1);
            named.1 = call.event;
            collapsed(line, &mut named.2);
        }
    }

    pub(crate) fn reports(&self) -> impl Iterator<Item = Report> {
        self.kinds.iter().map(|(lacking, kind)| kind.report(*lacking))
    }
}

impl Kind {
    fn report(&self, lacking: Lacking) -> Report {
        let mut names: Vec<(&String, &(u32, u64, String))> = self.names.iter().collect();
        names.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(b.0)));
        let shown: Vec<&str> = names.iter().take(SHOWN).map(|(name, _)| name.as_str()).collect();
        let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
        let title = format!("{}, {}: {}{more}", lacking.what(), seen_times(self.count), shown.join(", "));
        Report {
            id: format!("environment:{}", lacking.name()),
            kind: "environment",
            title: clipped(&title, TITLE_CHARS),
            importance: if lacking == Lacking::Path { Importance::Info } else { Importance::Low },
            confidence: confidence(self.count) * 0.8,
            hypothesis: lacking.why().to_owned(),
            evidence: names.iter().take(MAX_EVIDENCE).map(|(_, (_, event, line))| (*event, line.clone())).collect(),
            direction: lacking.direction().to_owned(),
            signals: vec!["log_error".to_owned(), lacking.name().to_owned()],
            occurrences: self.count,
        }
    }
}

impl Lacking {
    fn name(self) -> &'static str {
        match self {
            Self::Module => "missing_module",
            Self::Command => "missing_command",
            Self::Permission => "permission",
            Self::Path => "file_not_found",
            Self::Platform => "platform",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Module => "modules that are not there",
            Self::Command => "programs that are not there",
            Self::Permission => "access that was denied",
            Self::Path => "paths that are not there",
            Self::Platform => "commands of another platform",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Module => {
                "the agent works in another environment than the project's, or a dependency is not declared"
            }
            Self::Command => "the agent expects programs that this machine does not have on its path",
            Self::Permission => "the agent reaches for what its user may not touch",
            Self::Path => "the agent guesses paths, or works in another directory than it thinks",
            Self::Platform => "the agent writes commands for another system or another version of a program",
        }
    }

    fn direction(self) -> &'static str {
        match self {
            Self::Module => "declare and install them, or say in the instructions which environment to use",
            Self::Command => "install them, or name in the instructions what to use instead",
            Self::Permission => "grant it, or say in the instructions where to work instead",
            Self::Path => "say in the instructions how the project is laid out and where commands start",
            Self::Platform => "say in the instructions which system this is",
        }
    }
}

/// What a failure lacked, and its name.
fn lacking<'a>(call: &Call<'a>, line: &'a str) -> Option<(Lacking, &'a str)> {
    if let Some(phrase) = PLATFORM.iter().find(|phrase| line.contains(*phrase)) {
        return Some((Lacking::Platform, program(line, phrase).or_else(|| word(call.input)).unwrap_or(phrase)));
    }
    match call.kind {
        FailureKind::MissingModule => module(line).map(|name| (Lacking::Module, name)),
        FailureKind::MissingCommand => command(line).map(|name| (Lacking::Command, name)),
        FailureKind::Permission => path(line).map(|name| (Lacking::Permission, name)),
        // `File does not exist.` is about what was asked; what else stands there is advice.
        FailureKind::FileNotFound if line.starts_with("File does not exist") => {
            path(call.input).map(|name| (Lacking::Path, name))
        }
        FailureKind::FileNotFound => path(line).or_else(|| path(call.input)).map(|name| (Lacking::Path, name)),
        _ => None,
    }
}

/// What programs say of an option or a file that another system's would take.
const PLATFORM: [&str; 8] = [
    "illegal option",
    "invalid option --",
    "unrecognized option",
    "unrecognized arguments",
    "xec format error",
    "annot execute binary file",
    "wrong ELF class",
    "is not recognized as an internal or external command",
];

fn module(line: &str) -> Option<&str> {
    let words =
        ["No module named ", "annot find module ", "annot find package ", "unresolved import ", "ould not resolve "];
    let after = |words: &&str| line.split_once(*words).and_then(|(_, after)| word(after));
    let from = || {
        line.split_once("cannot import name ")
            .and_then(|(_, rest)| rest.split_once(" from "))
            .and_then(|(_, m)| word(m))
    };
    words.iter().find_map(after).or_else(from)
}

fn command(line: &str) -> Option<&str> {
    let after = |words: &str| line.split_once(words).and_then(|(_, after)| word(after));
    after("command not found: ")
        .or_else(|| program(line, ": command not found"))
        .or_else(|| program(line, ": not found"))
        .or_else(|| program(line, ": executable file not found"))
        .or_else(|| program(line, " is not recognized"))
}

/// The last name before some words: `bash: line 1: x: command not found`.
fn program<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (before, _) = line.split_once(words)?;
    before.rsplit([':', ' ']).filter(|part| part.contains(char::is_alphabetic)).find_map(word)
}

/// The first word with a slash, or with a dot inside, that is no sentence's end.
fn path(line: &str) -> Option<&str> {
    let words = || line.split([' ', '\t', '"', '\'', '`', '=', '(', ')', ',']);
    let shown = |part: &&str| part.len() > 1 && !part.contains("://");
    words()
        .filter(shown)
        .find(|part| part.trim_end_matches([':', '.']).contains('/'))
        .or_else(|| words().filter(shown).find(|part| part.trim_end_matches([':', '.']).contains('.')))
        .and_then(word)
}

/// The first word, without what stands around a name.
fn word(text: &str) -> Option<&str> {
    let around = |c: char| matches!(c, '\'' | '"' | '`' | ',' | ';' | '(' | ')' | '[' | ']' | '\u{2018}' | '\u{2019}');
    let word = text.split_whitespace().next()?.trim_matches(around).trim_end_matches(['.', ':']);
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(kind: FailureKind, line: &str) -> Option<&str> {
        let call = Call {
            event: 0,
            exception: false,
            tool: Some(0),
            name: "Bash",
            session: 0,
            failed: true,
            kind,
            duration_ms: None,
            input: "make",
            output: line,
        };
        lacking(&call, line).map(|(_, name)| name)
    }

    #[test]
    fn what_is_missing_has_its_name() {
        use FailureKind as K;
        for (kind, line, expected) in [
            (K::MissingModule, "ModuleNotFoundError: No module named 'yaml'", Some("yaml")),
            (
                K::MissingModule,
                "ImportError: cannot import name 'Mapping' from 'collections' (/x.py)",
                Some("collections"),
            ),
            (K::MissingModule, "Error: Cannot find module './a'", Some("./a")),
            (K::MissingCommand, "bash: line 1: pytest: command not found", Some("pytest")),
            (K::MissingCommand, "zsh: command not found: rg", Some("rg")),
            (K::MissingCommand, "/bin/sh: 1: foo: not found", Some("foo")),
            (K::Permission, "cat: /etc/shadow: Permission denied", Some("/etc/shadow")),
            (K::Permission, "This command requires approval", None),
            (K::FileNotFound, "sed: can't read a/b.txt: No such file or directory", Some("a/b.txt")),
            (K::FileNotFound, "FileNotFoundError: [Errno 2] No such file or directory: 'x.csv'", Some("x.csv")),
            (K::ExitNonzero, "grep: invalid option -- P", Some("grep")),
            (K::ExitNonzero, "boom", None),
        ] {
            assert_eq!(named(kind, line), expected, "{line}");
        }
    }
}
