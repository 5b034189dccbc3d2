//! The finding `environment`: modules, programs, permissions or paths that are missing, and commands for another platform.
//! There is one finding for each of these needs, and it names what is missing.

use std::collections::BTreeMap;

use gephost_gene::Severity;
use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::line::{collapsed, short_path, untagged};
use crate::report::{Report, TITLE_CHARS, clipped, confidence, times};

/// Names that are counted for each need.
const MAX_NAMES: usize = 256;
/// Names in a title.
const SHOWN: usize = 4;
const NAME_CHARS: usize = 40;
const MAX_EVIDENCE: usize = 8;

/// What a failed call needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Module,
    Command,
    Permission,
    Path,
    Platform,
}

/// Everything that was missing.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    needs: BTreeMap<Need, Missing>,
}

/// What was missing for one need.
#[derive(Debug, Default)]
struct Missing {
    failures: u32,
    names: BTreeMap<String, Named>,
}

/// A missing module, program or path.
#[derive(Debug, Default)]
struct Named {
    failures: u32,
    /// The newest failure and its cause line.
    event: u64,
    line: String,
}

impl Environment {
    /// Adds one failure and its cause line.
    pub(crate) fn add(&mut self, call: &Call<'_>, line: &str) {
        let plain = untagged(line);
        let Some((need, name)) = missing(call, &plain) else { return };
        let missing = self.needs.entry(need).or_default();
        missing.failures = missing.failures.saturating_add(1);
        let name = clipped(&short_path(name), NAME_CHARS);
        if missing.names.len() < MAX_NAMES || missing.names.contains_key(&name) {
            let named = missing.names.entry(name).or_default();
            named.failures = named.failures.saturating_add(1);
            named.event = call.event;
            collapsed(line, &mut named.line);
        }
    }

    pub(crate) fn reports(&self) -> impl Iterator<Item = Report> {
        self.needs.iter().map(|(need, missing)| missing.report(*need))
    }
}

impl Missing {
    fn report(&self, need: Need) -> Report {
        let mut names: Vec<(&String, &Named)> = self.names.iter().collect();
        names.sort_by(|a, b| b.1.failures.cmp(&a.1.failures).then(a.0.cmp(b.0)));
        let shown: Vec<&str> = names.iter().take(SHOWN).map(|(name, _)| name.as_str()).collect();
        let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
        let title = format!("{}, {}: {}{more}", need.title(), times(self.failures), shown.join(", "));
        Report {
            id: format!("environment:{}", need.name()),
            kind: "environment",
            title: clipped(&title, TITLE_CHARS),
            severity: if need == Need::Path { Severity::Info } else { Severity::Low },
            confidence: confidence(self.failures) * 0.8,
            hypothesis: need.hypothesis().to_owned(),
            evidence: names.iter().take(MAX_EVIDENCE).map(|(_, named)| (named.event, named.line.clone())).collect(),
            direction: need.direction().to_owned(),
            signals: vec!["log_error".to_owned(), need.name().to_owned()],
            occurrences: self.failures,
        }
    }
}

impl Need {
    /// The name in the finding's id, and its signal.
    fn name(self) -> &'static str {
        match self {
            Self::Module => "missing_module",
            Self::Command => "missing_command",
            Self::Permission => "permission",
            Self::Path => "file_not_found",
            Self::Platform => "platform",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Module => "missing modules",
            Self::Command => "missing programs",
            Self::Permission => "access denied",
            Self::Path => "missing paths",
            Self::Platform => "commands for another platform",
        }
    }

    fn hypothesis(self) -> &'static str {
        match self {
            Self::Module => {
                "the agent works in a different environment than the project's, or a dependency is not declared"
            }
            Self::Command => "the agent expects programs that are not on this machine's PATH",
            Self::Permission => "the agent needs access that its user does not have",
            Self::Path => "the agent guesses paths, or it works in a different directory than it assumes",
            Self::Platform => {
                "the agent writes commands for another operating system, or for another version of a program"
            }
        }
    }

    fn direction(self) -> &'static str {
        match self {
            Self::Module => "declare and install them, or say in the agent's instructions which environment to use",
            Self::Command => "install them, or say in the agent's instructions what to use instead",
            Self::Permission => "grant access, or say in the agent's instructions where to work instead",
            Self::Path => "describe the project's layout in the agent's instructions, and where commands run",
            Self::Platform => "say in the agent's instructions which operating system this is",
        }
    }
}

/// What a failure needed, and the name of what was missing.
fn missing<'a>(call: &Call<'a>, line: &'a str) -> Option<(Need, &'a str)> {
    if let Some(phrase) = PLATFORM.iter().find(|phrase| line.contains(*phrase)) {
        return Some((Need::Platform, program(line, phrase).or_else(|| word(call.input)).unwrap_or(phrase)));
    }
    match call.kind {
        FailureKind::MissingModule => module(line).map(|name| (Need::Module, name)),
        FailureKind::MissingCommand => command(line).map(|name| (Need::Command, name)),
        FailureKind::Permission => path(line).map(|name| (Need::Permission, name)),
        // `File does not exist.` is about the path in the input; the rest of that line is advice.
        FailureKind::FileNotFound if line.starts_with("File does not exist") => {
            path(call.input).map(|name| (Need::Path, name))
        }
        FailureKind::FileNotFound => path(line).or_else(|| path(call.input)).map(|name| (Need::Path, name)),
        _ => None,
    }
}

/// Messages about an option or a file that the same program accepts on another platform.
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

/// The last name before a phrase: `bash: line 1: x: command not found`.
fn program<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (before, _) = line.split_once(words)?;
    before.rsplit([':', ' ']).filter(|part| part.contains(char::is_alphabetic)).find_map(word)
}

/// The first word with a slash, or with a dot that does not end a sentence.
fn path(line: &str) -> Option<&str> {
    let words = || line.split([' ', '\t', '"', '\'', '`', '=', '(', ')', ',']);
    let shown = |part: &&str| part.len() > 1 && !part.contains("://");
    words()
        .filter(shown)
        .find(|part| part.trim_end_matches([':', '.']).contains('/'))
        .or_else(|| words().filter(shown).find(|part| part.trim_end_matches([':', '.']).contains('.')))
        .and_then(word)
}

/// The first word, without quotes, brackets and punctuation.
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
        missing(&call, line).map(|(_, name)| name)
    }

    #[test]
    fn missing_things_are_named() {
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
