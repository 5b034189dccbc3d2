//! The rules as data (`rules.toml`): read once, checked by a test, each expression compiled when it is first needed.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use serde::Deserialize;

use super::SecretMatch;
use super::placeholder::{is_placeholder, is_word, looks_random};

/// How sure the expression alone makes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Value {
    /// The shape is a vendor's own: only fillers (`xxxx`) are let off.
    #[default]
    Vendor,
    /// Anything but a placeholder or a common word.
    Any,
    /// Letters and digits mixed as in a key.
    Random,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// The kind that a match reports.
    pub id: String,
    /// Literals of which one stands in every match; letter case does not count.
    pub keywords: Vec<String>,
    /// The group `secret`, or the whole match, is the secret. Must not match across lines.
    regex: String,
    #[serde(default)]
    value: Value,
    /// Texts with a secret, each cut in parts so that no file holds it whole. Read by the test.
    #[cfg_attr(not(test), expect(dead_code, reason = "the samples are there for the test of the rules"))]
    pub hits: Vec<Vec<String>>,
    /// Texts without. Read by the test.
    #[cfg_attr(not(test), expect(dead_code, reason = "the samples are there for the test of the rules"))]
    pub misses: Vec<Vec<String>>,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    /// The secrets of one line.
    pub(super) fn find<'t>(&'static self, text: &'t str, line: Range<usize>) -> impl Iterator<Item = SecretMatch> + 't {
        let within = text.get(line.clone()).unwrap_or_default();
        let captures = self.regex().into_iter().flat_map(move |regex| regex.captures_iter(within));
        captures.filter_map(move |captures| {
            let secret = captures.name("secret").or_else(|| captures.name("whole")).or_else(|| captures.get(0))?;
            let range = line.start + secret.start()..line.start + secret.end();
            self.accepts(secret.as_str()).then_some(SecretMatch { range, kind: &self.id })
        })
    }

    fn accepts(&self, value: &str) -> bool {
        match self.value {
            Value::Vendor => !is_vendor_filler(value),
            Value::Any => !is_placeholder(value) && !is_word(value),
            Value::Random => !is_placeholder(value) && looks_random(value),
        }
    }

    pub(super) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&expanded(&self.regex)).ok()).as_ref()
    }
}

/// A word's edge is one of ASCII words, which the fast automaton can tell. At the start of an expression it also lies
/// after a line end or tab that is written as two characters, as in JSON within text.
fn expanded(pattern: &str) -> String {
    let inner = |pattern: &str| pattern.replace(r"\b", r"(?-u:\b)");
    match pattern.strip_prefix(r"\b") {
        Some(rest) => format!(r"(?:(?-u:\b)|\\[nrt])(?P<whole>{})", inner(rest)),
        None => inner(pattern),
    }
}

/// A vendor's prefix with nothing but filling behind it.
fn is_vendor_filler(value: &str) -> bool {
    let filling = value.rsplit(['-', '_']).next().unwrap_or(value);
    filling.len() >= 8 && filling.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'#'))
}

#[derive(Deserialize)]
struct File {
    rule: Vec<Rule>,
}

/// The rules, and the automaton that finds their keywords in one pass.
pub(super) struct Rules {
    pub list: Vec<Rule>,
    pub keywords: AhoCorasick,
    /// For each keyword the rules that have it.
    pub owners: Vec<Vec<usize>>,
}

/// The embedded rules.
pub(super) fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(|| load(include_str!("rules.toml")));
    &RULES
}

fn load(text: &str) -> Rules {
    let file: File = toml::from_str(text).expect("the embedded rules are read by a test");
    let mut words: Vec<String> = Vec::new();
    let mut owners: Vec<Vec<usize>> = Vec::new();
    for (index, rule) in file.rule.iter().enumerate() {
        for keyword in &rule.keywords {
            let known = words.iter().position(|word| word == keyword);
            if let Some(owner) = known.and_then(|at| owners.get_mut(at)) {
                owner.push(index);
            } else {
                words.push(keyword.clone());
                owners.push(vec![index]);
            }
        }
    }
    let keywords = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&words)
        .expect("the embedded keywords are few and short");
    Rules { list: file.rule, keywords, owners }
}
