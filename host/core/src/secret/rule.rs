//! One rule: its expression, and the further conditions for a match to count.

use std::sync::Arc;

use regex_automata::Span;

use super::allow::{Allowlist, MatchContext};
use super::entropy::{entropy, is_mixed, is_strong, looks_random};
use super::expression::{Compile, Expression, Form, Groups};
use super::file::{RawRule, Value, refused_in_rule};
use super::placeholder::{is_documented, is_placeholder, is_stand_in, is_vendor_filler, is_word};

/// Most characters of an id, which is part of placeholders.
const MAX_ID: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) id: String,
    /// `None` if the rule forbids files by their name.
    regex: Option<Expression>,
    pub(super) path: Option<Expression>,
    pub(super) keywords: Arc<[String]>,
    /// Whether a match ends before the next keyword that could begin one, or just behind it.
    pub(super) from_last: bool,
    group: usize,
    entropy: f64,
    value: Value,
    allow: Vec<Allowlist>,
    pub(super) samples: Vec<Vec<String>>,
    pub(super) not: Vec<Vec<String>>,
}

impl Rule {
    /// A rule of the bundled files, which a test has validated. Nothing is compiled yet.
    pub(super) fn bundled(raw: RawRule) -> Result<Self, String> {
        Self::new(raw, Compile::WhenNeeded)
    }

    /// Any other rule, which is validated now. The error is a message fragment.
    pub(super) fn checked(raw: RawRule) -> Result<Self, String> {
        check_fields(&raw)?;
        let rule = Self::new(raw, Compile::Now)?;
        let groups = rule.regex.as_ref().map_or(1, Expression::groups);
        if rule.group >= groups {
            let most = groups - 1;
            return Err(format!("`secretGroup` is {}, but the expression has {most} groups", rule.group));
        }
        Ok(rule)
    }

    fn new(raw: RawRule, compile: Compile) -> Result<Self, String> {
        let keywords: Arc<[String]> = raw.keywords.into();
        let begins = |source| Expression::beginning(source, Arc::clone(&keywords), raw.at_keyword, compile);
        Ok(Self {
            regex: raw.regex.map(begins).transpose()?,
            path: raw.path.map(|source| Expression::new(source, Arc::default(), compile)).transpose()?,
            allow: lists(raw.allowlist, raw.allowlists, compile)?,
            id: raw.id,
            keywords,
            from_last: raw.from_last,
            group: raw.secret_group,
            entropy: raw.entropy.unwrap_or(0.0),
            value: raw.value,
            samples: raw.samples,
            not: raw.not,
        })
    }

    /// Whether its expressions compile, and those of its allowlists.
    #[cfg(test)]
    pub(super) fn compiles(&self) -> bool {
        let mut own = self.regex.iter().chain(&self.path);
        own.all(|expression| expression.form().is_some()) && self.allow.iter().all(Allowlist::compiles)
    }

    /// Whether the rule forbids files by their name, whatever they contain.
    pub(super) fn forbids_names(&self) -> bool {
        self.regex.is_none()
    }

    /// Whether the rule searches a file. A rule with a `path` does not search texts without a file name.
    pub(super) fn searches(&self, file: Option<&str>) -> bool {
        let Some(path) = &self.path else { return true };
        file.is_some_and(|file| path.is_match(file.as_bytes()))
    }

    /// Whether its expression was compiled.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.regex.as_ref().is_some_and(Expression::is_compiled)
    }

    pub(super) fn form(&self) -> Option<&Form> {
        self.regex.as_ref()?.form()
    }

    /// Applies what an operator adds to a bundled rule by its id: allowlists and a minimum entropy.
    pub(super) fn amend(&mut self, other: &Self) {
        self.allow.extend(other.allow.iter().cloned());
        self.entropy = self.entropy.max(other.entropy);
    }

    /// The secret in a match, if the match counts.
    pub(super) fn secret(
        &self,
        text: &str,
        found: Span,
        groups: &Groups,
        file: Option<&str>,
        global: &[Allowlist],
    ) -> Option<Span> {
        let form = self.form()?;
        let mut secret = groups.secret(self.group).unwrap_or(found);
        let cut_off = form.longest.is_some_and(|longest| found.len() >= longest) && secret.end == found.end;
        if cut_off {
            secret.end = token_end(text, secret.end);
        }
        // A byte class can match part of a character.
        secret = Span { start: text.floor_char_boundary(secret.start), end: text.ceil_char_boundary(secret.end) };
        let value = text.get(secret.range())?;
        (!value.is_empty() && self.counts(value) && !self.allowed(text, found, value, file, global)).then_some(secret)
    }

    fn counts(&self, value: &str) -> bool {
        let by_shape = match self.value {
            Value::Match => true,
            Value::Vendor => !is_vendor_filler(value),
            Value::Given => !is_placeholder(value) && !is_stand_in(value),
            Value::Password => !is_placeholder(value) && !is_word(value),
            Value::Mixed => !is_placeholder(value) && !is_word(value) && is_mixed(value),
            Value::Strong => !is_placeholder(value) && !is_word(value) && is_strong(value),
            Value::Random => !is_placeholder(value) && looks_random(value),
        };
        by_shape && !is_documented(value) && (self.entropy <= 0.0 || entropy(value.as_bytes()) > self.entropy)
    }

    fn allowed(&self, text: &str, found: Span, secret: &str, file: Option<&str>, global: &[Allowlist]) -> bool {
        let lists = self.allow.iter().chain(global.iter().filter(|list| list.applies_to(&self.id)));
        let mut lists = lists.peekable();
        if lists.peek().is_none() {
            return false;
        }
        let bytes = text.as_bytes();
        let whole = bytes.get(found.range()).unwrap_or_default();
        let context = MatchContext { path: file, secret: secret.as_bytes(), whole, line: line_around(bytes, found) };
        lists.any(|list| list.allows(&context))
    }
}

/// Most bytes of a line that an allowlist sees on each side of a match.
const LINE: usize = 1024;

/// The line of a match, clipped on both sides.
fn line_around(bytes: &[u8], found: Span) -> &[u8] {
    let before = bytes.get(found.start.saturating_sub(LINE)..found.start).unwrap_or_default();
    let start = found.start - before.len() + memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let after = bytes.get(found.end..found.end.saturating_add(LINE).min(bytes.len())).unwrap_or_default();
    let end = found.end + memchr::memchr(b'\n', after).unwrap_or(after.len());
    bytes.get(start..end).unwrap_or_default()
}

/// Where the run of characters that tokens consist of ends.
fn token_end(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+/=.~%".contains(byte);
    from + rest.iter().position(|byte| !token(byte)).unwrap_or(rest.len())
}

fn check_fields(raw: &RawRule) -> Result<(), String> {
    if raw.id.is_empty() {
        return Err("it has no `id`".to_owned());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if raw.id.len() > MAX_ID || !raw.id.chars().all(plain) {
        return Err(format!("an `id` has at most {MAX_ID} letters, digits, dashes, dots and underscores"));
    }
    if let Some(why) = refused_in_rule(raw) {
        return Err(why.to_owned());
    }
    if let Some(entropy) = raw.entropy.filter(|entropy| !(0.0..=8.0).contains(entropy)) {
        return Err(format!("`entropy` is {entropy}: use bits per byte, 0 to 8"));
    }
    if raw.keywords.iter().any(String::is_empty) {
        return Err("an empty keyword matches everywhere: remove `keywords` instead".to_owned());
    }
    Ok(())
}

fn lists(
    one: Option<super::file::RawAllowlist>,
    more: Vec<super::file::RawAllowlist>,
    compile: Compile,
) -> Result<Vec<Allowlist>, String> {
    let lists = one.into_iter().chain(more);
    let checked = |raw: super::file::RawAllowlist| {
        if !raw.target_rules.is_empty() {
            return Err("`targetRules` is only allowed in global allowlists, not in a rule's own".to_owned());
        }
        Allowlist::new(raw, compile)
    };
    lists.map(checked).collect()
}
