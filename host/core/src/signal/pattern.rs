//! The three forms of a pattern in `signals_match` and `trigger`: `/body/flags`, `a|b|c` and plain text.
//!
//! Patterns come from untrusted genes and assets. The expression engine therefore does not backtrack, keeps no state
//! between calls, and compiles into bounded memory.

use regex::{Regex, RegexBuilder};

use super::signature::{normal_signal, signature_hash};

/// Most bytes of a pattern.
const MAX_PATTERN_BYTES: usize = 4096;
/// Most bytes of a compiled expression.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A parsed pattern.
#[derive(Debug, Clone)]
pub struct Pattern(Form);

#[derive(Debug, Clone)]
enum Form {
    Expression(Regex),
    /// Parts in lower case, of which one must match.
    AnyOf(Vec<String>),
    /// An error signature, as the hash of its normal form.
    Signature(u32),
    /// Matches nothing: the pattern is empty, too long, or does not compile.
    Nothing,
}

/// What a pattern says, before anything is compiled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written<'a> {
    /// A regular expression.
    Expression {
        /// Between the slashes.
        body: &'a str,
        /// After them.
        flags: &'a str,
    },
    /// Parts in lower case, of which one must match.
    Parts(Vec<String>),
    /// An error signature, as the hash of its normal form.
    Signature(u32),
    /// Matches nothing.
    Nothing,
}

impl<'a> Written<'a> {
    /// Reads a pattern.
    pub(crate) fn of(pattern: &'a str) -> Self {
        let pattern = pattern.trim();
        if pattern.is_empty() || pattern.len() > MAX_PATTERN_BYTES {
            return Self::Nothing;
        }
        if let Some((body, flags)) = expression(pattern) {
            return Self::Expression { body, flags };
        }
        if pattern.starts_with("errsig:") {
            return Self::Signature(signature_hash(pattern));
        }
        let parts: Vec<String> =
            pattern.split('|').map(|part| part.trim().to_lowercase()).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { Self::Nothing } else { Self::Parts(parts) }
    }
}

impl Pattern {
    /// Parses a pattern. A pattern that cannot be parsed matches nothing.
    pub fn new(pattern: &str) -> Self {
        Self(match Written::of(pattern) {
            Written::Expression { body, flags } => compile(body, flags).map_or(Form::Nothing, Form::Expression),
            Written::Parts(parts) => Form::AnyOf(parts),
            Written::Signature(hash) => Form::Signature(hash),
            Written::Nothing => Form::Nothing,
        })
    }

    /// Whether a signal matches. `base` also matches `base:snippet`. Error signatures are compared by their normal
    /// form.
    pub fn matches(&self, signal: &str) -> bool {
        match &self.0 {
            Form::Expression(regex) => regex.is_match(signal),
            Form::AnyOf(parts) => {
                let (plain, normal) = (signal.to_lowercase(), normal_signal(signal));
                parts.iter().any(|part| plain.contains(part) || normal.contains(part))
            }
            Form::Signature(hash) => signal.starts_with("errsig:") && signature_hash(signal) == *hash,
            Form::Nothing => false,
        }
    }
}

/// Whether a signal matches a pattern.
pub fn pattern_matches(pattern: &str, signal: &str) -> bool {
    Pattern::new(pattern).matches(signal)
}

/// Why a pattern matches nothing; `None` if it can match.
pub fn pattern_problem(pattern: &str) -> Option<String> {
    match Written::of(pattern) {
        Written::Nothing if pattern.trim().is_empty() => Some("it is empty".to_owned()),
        Written::Nothing if pattern.trim().len() > MAX_PATTERN_BYTES => {
            Some(format!("it has more than {MAX_PATTERN_BYTES} bytes"))
        }
        Written::Nothing => Some("it has only empty parts".to_owned()),
        Written::Expression { body, flags } if compile(body, flags).is_none() => {
            Some("the regular expression is too large, or not one that matches in linear time".to_owned())
        }
        Written::Expression { .. } | Written::Parts(_) | Written::Signature(_) => None,
    }
}

/// Splits `/body/flags`. The flags must be letters that JavaScript accepts.
fn expression(pattern: &str) -> Option<(&str, &str)> {
    let (body, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    (!body.is_empty() && flags.chars().all(|c| "dgimsuvy".contains(c))).then_some((body, flags))
}

fn compile(body: &str, flags: &str) -> Option<Regex> {
    RegexBuilder::new(body)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .nest_limit(64)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms() {
        for (pattern, signal, matches) in [
            ("/err.r$/i", "LOG_ERROR", true),
            ("/err.r$/", "LOG_ERROR", false),
            ("/timeout|crash/g", "a timeout here", true),
            ("error|timeout", "connection TIMEOUT", true),
            ("error| ", "warning", false),
            ("user_feature_request", "user_feature_request:add a flag", true),
            ("Log_Error", "log_error", true),
            ("log_error", "error", false),
            ("", "anything", false),
            ("|", "a|b", false),
            ("/", "a/b", true),
            ("/usr/lib/x", "no file /usr/lib/x", true),
            ("errsig:TypeError: x at /home/u/a.js:10:5", "errsig:TypeError: x at /srv/b.js:99:1", true),
            ("errsig_norm:ffae6ead", "errsig:TypeError: x at /srv/b.js:99:1", true),
            ("errsig_norm:ffae6eae", "errsig:TypeError: x at /srv/b.js:99:1", false),
        ] {
            assert_eq!(pattern_matches(pattern, signal), matches, "{pattern} on {signal}");
        }
    }

    #[test]
    fn hostile_patterns_match_nothing_and_cost_nothing() {
        let signal = "a".repeat(10_000);
        for pattern in ["/(a{1000}){1000}/", "/(?=a)a/", "/(/", "/[/", &format!("/{}/", "(".repeat(4000))] {
            assert!(!pattern_matches(pattern, &signal), "{pattern:.20}");
        }
        assert!(!pattern_matches("/(a+)+$/", &format!("{signal}b")));
        assert!(!pattern_matches(&"a".repeat(5000), &signal));
    }
}
