//! Allowlists: matches of a rule that the operator declares harmless.

use aho_corasick::AhoCorasick;

use super::expression::{Compile, Expression};
use super::file::RawAllowlist;

/// Which text `regexes` are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Secret,
    Match,
    Line,
}

/// What an allowlist is applied to: a match, its line and its file.
pub(super) struct MatchContext<'t> {
    pub(super) path: Option<&'t str>,
    pub(super) secret: &'t [u8],
    pub(super) whole: &'t [u8],
    pub(super) line: &'t [u8],
}

/// A validated allowlist.
#[derive(Debug, Clone)]
pub(super) struct Allowlist {
    every: bool,
    target: Target,
    paths: Vec<Expression>,
    regexes: Vec<Expression>,
    stopwords: Option<AhoCorasick>,
    /// Ids of the rules that a global list applies to; empty if it applies to all.
    rules: Vec<String>,
}

impl Allowlist {
    /// Validates the list, and its expressions as well if they are compiled now. The error is a message fragment.
    pub(super) fn new(raw: RawAllowlist, compile: Compile) -> Result<Self, String> {
        let expressions = |sources: Vec<String>| -> Result<Vec<Expression>, String> {
            sources.into_iter().map(|source| Expression::new(source, std::sync::Arc::default(), compile)).collect()
        };
        if raw.commits.is_some() {
            return Err("`commits` in an allowlist is not supported: use `paths` or `regexes`".to_owned());
        }
        if raw.paths.is_empty() && raw.regexes.is_empty() && raw.stopwords.is_empty() {
            return Err("the allowlist allows nothing: it needs `paths`, `regexes` or `stopwords`".to_owned());
        }
        let every = match raw.condition.as_deref().map(str::to_ascii_uppercase).as_deref() {
            None | Some("" | "OR" | "||") => false,
            Some("AND" | "&&") => true,
            Some(other) => return Err(format!("`condition` is `{other}`: use OR or AND")),
        };
        let target = match raw.regex_target.as_deref() {
            None | Some("" | "secret") => Target::Secret,
            Some("match") => Target::Match,
            Some("line") => Target::Line,
            Some(other) => return Err(format!("`regexTarget` is `{other}`: use secret, match or line")),
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
            paths: expressions(raw.paths)?,
            regexes: expressions(raw.regexes)?,
            stopwords: words.map_err(|error| format!("there are too many stopwords: {error}"))?,
            rules: raw.target_rules,
        })
    }

    /// Whether all its expressions compile.
    #[cfg(test)]
    pub(super) fn compiles(&self) -> bool {
        self.paths.iter().chain(&self.regexes).all(|expression| expression.form().is_some())
    }

    /// Whether the list applies to a rule's matches.
    pub(super) fn applies_to(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|id| id == rule)
    }

    /// The ids in `targetRules`.
    pub(super) fn targets(&self) -> &[String] {
        &self.rules
    }

    /// Whether the list allows a match.
    pub(super) fn allows(&self, context: &MatchContext<'_>) -> bool {
        let text = match self.target {
            Target::Secret => context.secret,
            Target::Match => context.whole,
            Target::Line => context.line,
        };
        let path = context.path.unwrap_or_default().as_bytes();
        let paths = || context.path.is_some() && self.paths.iter().any(|regex| regex.is_match(path));
        let regexes = || self.regexes.iter().any(|regex| regex.is_match(text));
        let words = || self.stopwords.as_ref().is_some_and(|words| words.is_match(context.secret));
        if self.every {
            (self.paths.is_empty() || paths())
                && (self.regexes.is_empty() || regexes())
                && (self.stopwords.is_none() || words())
        } else {
            paths() || regexes() || words()
        }
    }
}
