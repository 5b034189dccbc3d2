//! Allowlists: what a rule finds and the operator says is none.

use aho_corasick::AhoCorasick;

use super::expression::Expression;
use super::file::RawAllowlist;

/// What `regexes` look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Secret,
    Match,
    Line,
}

/// A match, as an allowlist sees it.
pub(super) struct Seen<'t> {
    pub(super) path: Option<&'t str>,
    pub(super) secret: &'t [u8],
    pub(super) whole: &'t [u8],
    pub(super) line: &'t [u8],
}

/// One allowlist, checked.
#[derive(Debug, Clone)]
pub(super) struct Allowlist {
    every: bool,
    target: Target,
    paths: Vec<Expression>,
    regexes: Vec<Expression>,
    stopwords: Option<AhoCorasick>,
    /// Ids of the rules that a global list is for; all where it is empty.
    rules: Vec<String>,
}

impl Allowlist {
    /// Checks all of it; the error is a fragment.
    pub(super) fn new(raw: RawAllowlist) -> Result<Self, String> {
        if raw.commits.is_some() {
            return Err("`commits` in an allowlist cannot be told here: name paths or regexes".to_owned());
        }
        if raw.paths.is_empty() && raw.regexes.is_empty() && raw.stopwords.is_empty() {
            return Err("an allowlist without `paths`, `regexes` and `stopwords` allows nothing".to_owned());
        }
        let every = match raw.condition.as_deref().map(str::to_ascii_uppercase).as_deref() {
            None | Some("" | "OR" | "||") => false,
            Some("AND" | "&&") => true,
            Some(other) => return Err(format!("`condition` is `{other}`: it must be OR or AND")),
        };
        let target = match raw.regex_target.as_deref() {
            None | Some("" | "secret") => Target::Secret,
            Some("match") => Target::Match,
            Some("line") => Target::Line,
            Some(other) => return Err(format!("`regexTarget` is `{other}`: it must be secret, match or line")),
        };
        if raw.stopwords.iter().any(String::is_empty) {
            return Err("an empty stopword would allow everything".to_owned());
        }
        let words = (!raw.stopwords.is_empty())
            .then(|| AhoCorasick::builder().ascii_case_insensitive(true).build(&raw.stopwords))
            .transpose();
        Ok(Self {
            every,
            target,
            paths: checked(raw.paths)?,
            regexes: checked(raw.regexes)?,
            stopwords: words.map_err(|error| format!("the stopwords are too many: {error}"))?,
            rules: raw.target_rules,
        })
    }

    /// Whether the list has a say on a rule's matches.
    pub(super) fn is_for(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|id| id == rule)
    }

    /// Ids in `targetRules`.
    pub(super) fn targets(&self) -> &[String] {
        &self.rules
    }

    /// Whether a match is let off.
    pub(super) fn allows(&self, seen: &Seen<'_>) -> bool {
        let text = match self.target {
            Target::Secret => seen.secret,
            Target::Match => seen.whole,
            Target::Line => seen.line,
        };
        let path = seen.path.unwrap_or_default().as_bytes();
        let paths = || seen.path.is_some() && self.paths.iter().any(|regex| regex.is_match(path));
        let regexes = || self.regexes.iter().any(|regex| regex.is_match(text));
        let words = || self.stopwords.as_ref().is_some_and(|words| words.is_match(seen.secret));
        if self.every {
            (self.paths.is_empty() || paths())
                && (self.regexes.is_empty() || regexes())
                && (self.stopwords.is_none() || words())
        } else {
            paths() || regexes() || words()
        }
    }
}

fn checked(sources: Vec<String>) -> Result<Vec<Expression>, String> {
    sources.into_iter().map(|source| Expression::checked(source, &[])).collect()
}
