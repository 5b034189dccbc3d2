//! The value at the end of a message: `Unknown model: a/b`. Messages that differ in nothing else are one error with several names.

use crate::output::bare_name::is_coded;
use crate::output::line::message;

/// The fewest words in front of a value that tell an error, and the longest value in bytes.
const LEAST_WORDS: usize = 2;
const MAX_VALUE: usize = 120;
/// Words in front of a name that is wrong, whatever the name looks like. They lack their first letter.
const WRONG: [&str; 15] = [
    "nknown",
    "o such",
    "ot found",
    "nvalid",
    "nsupported",
    "nrecognized",
    "ndefined",
    "uplicate",
    "lready",
    "annot find",
    "ould not find",
    "nable to find",
    "not exist",
    "ot installed",
    "o matching",
];
/// Words in front of an error's message that name no error of their own.
const PREFIXES: [&str; 8] = ["error", "fatal", "uncaught", "panic", "failed", "exception", "warning", "err!"];

/// A message without what stands in front of it, and what it says in front of its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Valued<'l> {
    pub(crate) said: &'l str,
    pub(crate) head: &'l str,
}

/// The message of a line that ends with a value.
pub(crate) fn valued<'l>(line: &'l str, program: &str) -> Option<Valued<'l>> {
    let said = without_prefixes(message(line), program);
    if let Some(variable) = of_variable(said) {
        return Some(variable);
    }
    let (head, value) = said.rsplit_once(": ")?;
    // What a compiler finds at a place is told apart by the place and by what it names.
    if head.split(' ').next().is_some_and(is_place) {
        return None;
    }
    let words = head.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let value = value.trim_end_matches('.').trim_matches(['"', '\'', '`', '(', ')']);
    let is_one = !value.is_empty() && value.len() <= MAX_VALUE && !value.contains(char::is_whitespace);
    (words >= LEAST_WORDS && is_one && is_name(value, head)).then_some(Valued { said, head })
}

/// Whether a word is a place in a file: `a.go:12:3:`.
fn is_place(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    word.contains(['.', '/']) && word.split(':').skip(1).any(is_number)
}

/// What a shell says of a variable, without where it says so: `A: unbound variable`.
fn of_variable(said: &str) -> Option<Valued<'_>> {
    let (before, head) = said.rsplit_once(": ")?;
    let is_said = matches!(head, "unbound variable" | "parameter not set" | "parameter null or not set");
    let name = before.rsplit(' ').next()?;
    let said = said.get(before.len() - name.len()..)?;
    is_said.then_some(Valued { said, head })
}

/// A message without names of errors, tags and the name of the program in front of it.
fn without_prefixes<'l>(line: &'l str, program: &str) -> &'l str {
    let mut rest = line.trim();
    while let Some((first, behind)) = rest.split_once(' ') {
        let is_tag = first.starts_with('[') && first.ends_with(']');
        let named = first.strip_suffix(':').unwrap_or_default();
        let is_class = ["Error", "Exception"].iter().any(|end| named.ends_with(end));
        let is_prefix = PREFIXES.iter().any(|prefix| named.eq_ignore_ascii_case(prefix));
        let is_program = !named.is_empty() && program.split(' ').next() == Some(named);
        if !is_tag && !is_class && !is_prefix && !is_program {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

/// Whether a value is the name of something. A reason, a code and a status tell errors apart.
fn is_name(value: &str, head: &str) -> bool {
    let bytes = value.as_bytes();
    let is_loud = !bytes.iter().any(u8::is_ascii_lowercase);
    let has_letter = value.contains(char::is_alphabetic);
    let is_signal = is_loud && has_letter && (value.starts_with('E') || value.starts_with("SIG"));
    let is_class = ["Error", "Exception"].iter().any(|end| value.ends_with(end));
    if is_signal || is_class || is_coded(head.rsplit(' ').next().unwrap_or_default()) {
        return false;
    }
    let is_wrong = WRONG.iter().any(|words| head.contains(words));
    let is_camel = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let has_parts = value.contains(['_', '-', '.', '/', '\\', '@', ':']) || bytes.iter().any(u8::is_ascii_digit);
    is_wrong || has_letter && !is_loud && (is_camel || has_parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let head = |line| valued(line, "tool run").map(|valued| valued.head.to_owned());
        head(one).is_some() && head(one) == head(other)
    }

    #[test]
    fn messages_that_differ_in_their_last_name_are_one() {
        for (one, other) in [
            ("FailoverError: Unknown model: a/b", "GatewayError: FailoverError: Unknown model: c"),
            ("Error: Unknown model: a/b", "Unknown model: gpt-5.5"),
            ("Error: No such template: page", "No such template: mail"),
            ("Task not found: 7", "Task not found: 12"),
            ("error: invalid target name: web", "error: invalid target name: api"),
            ("tool: unsupported image format: webp", "tool: unsupported image format: avif"),
            ("[app] cannot load plugin file: a.so", "[app] cannot load plugin file: b.so"),
            ("Error: Cannot find role: admin", "Error: Cannot find role: \"guest\"."),
            ("fatal: duplicate route: /a", "fatal: duplicate route: /b"),
            ("Exception: missing config key: db_host", "Exception: missing config key: db_port"),
            ("no handler for event: userCreated", "no handler for event: orderPaid"),
            ("bash: line 9: A_B: unbound variable", "/bin/bash: line 12: C: unbound variable"),
            ("a.sh: 3: A: parameter not set", "sh: 1: B: parameter not set"),
        ] {
            assert!(same(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn messages_that_differ_in_the_reason_are_not() {
        for (one, other) in [
            ("error: cannot find a.c", "error: cannot open a.c"),
            ("Exit code 1", "Exit code 2"),
            ("exit code: 1", "exit code: 2"),
            ("request failed with status: 404", "request failed with status: 500"),
            ("connection to server failed: timeout", "connection to server failed: refused"),
            ("read of the file failed: ENOENT", "read of the file failed: EACCES"),
            ("child was killed by: SIGTERM", "child was killed by: SIGSEGV"),
            ("the worker has thrown: TypeError", "the worker has thrown: RangeError"),
            ("npm error code: E404", "npm error code: E401"),
            ("TypeError: a", "TypeError: b"),
            ("pkg/a.go:22:17: undefined: lip", "pkg/a.go:34:3: undefined: frameSize"),
            ("a.c:1: undefined symbol: b_c", "a.c:1: undefined symbol: d_e"),
            ("Unknown model: a", "Unknown role: a"),
            ("invalid value: the first one", "invalid value: the other one"),
            ("the run ended: 12", "the run ended: 14"),
            ("", ""),
        ] {
            assert!(!same(one, other), "{one} | {other}");
        }
    }
}
