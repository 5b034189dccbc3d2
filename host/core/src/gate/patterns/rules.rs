//! The rules as data: `rules/*.toml`. Each rule has samples that it must find and must not find.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::language::Language;
use crate::bundled::read;
use crate::expressions::{Dialect, LazySet};
use crate::gate::Severity;
use crate::path::RepoPath;
use crate::pattern::{Case, PatternSet};

/// Which key of the policy treats the violations of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Group {
    #[default]
    Patterns,
    WeakenedTests,
    NewDependencies,
    ToolFiles,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Weight {
    #[default]
    Reject,
    Flag,
}

/// One rule, as written in the file. It looks at added lines of files in its `languages`, or of its `files`. Without a
/// `regex`, any change to one of its `files` is a violation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) message: String,
    #[serde(default)]
    pub(super) hint: String,
    #[serde(default)]
    pub(super) group: Group,
    #[serde(default)]
    severity: Weight,
    #[serde(default)]
    pub(super) languages: Vec<Language>,
    #[serde(default)]
    pub(super) files: Vec<String>,
    /// Only in files that hold tests.
    #[serde(default)]
    pub(super) tests_only: bool,
    /// Also in lines that are nothing but a comment.
    #[serde(default)]
    pub(super) comments: bool,
    /// Only in code: not in strings and comments.
    #[serde(default)]
    pub(super) code: bool,
    pub(super) regex: Option<String>,
    /// Stretches of a line that are taken out before `regex` looks at it.
    #[serde(default)]
    unless: Option<String>,
    /// Lines, or paths where there is no `regex`, that it finds.
    #[cfg(test)]
    hits: Vec<String>,
    /// The same that it does not find.
    #[cfg(test)]
    misses: Vec<String>,
}

impl Rule {
    /// The effect of its violations before the policy is applied.
    pub(super) fn severity(&self) -> Severity {
        match self.severity {
            Weight::Reject => Severity::Reject,
            Weight::Flag => Severity::Flag,
        }
    }
}

#[derive(Debug, Deserialize)]
struct File {
    rule: Vec<Rule>,
}

/// All rules, in the order of the files.
pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let files: [File; 4] = [read!("code"), read!("shell"), read!("files"), read!("tests")];
    files.into_iter().flat_map(|file| file.rule).collect()
});

/// The rules with a `regex` that look at the same files.
pub(super) struct LineRules {
    set: LazySet,
    rules: Vec<LineRule>,
}

/// A rule of a set. By itself it is compiled when it first found something in spite of an `unless`.
struct LineRule {
    rule: &'static Rule,
    regex: &'static str,
    alone: OnceLock<Option<Exempting>>,
}

/// A rule that takes something out of a line first.
struct Exempting {
    regex: Regex,
    unless: Regex,
}

impl LineRule {
    /// Whether what the set found in a line is still there without what the rule lets off.
    fn stands(&self, line: &[u8]) -> bool {
        let alone = self.alone.get_or_init(|| {
            let unless = compiled(self.rule.unless.as_deref()?);
            Some(Exempting { regex: compiled(self.regex), unless })
        });
        alone.as_ref().is_none_or(|Exempting { regex, unless }| regex.is_match(&unless.replace_all(line, &b" "[..])))
    }
}

impl LineRules {
    fn new(rules: impl Iterator<Item = &'static Rule>) -> Self {
        let with_regex = rules.filter_map(|rule| Some((rule, rule.regex.as_deref()?)));
        let rules: Vec<_> = with_regex.map(|(rule, regex)| LineRule { rule, regex, alone: OnceLock::new() }).collect();
        let sources = rules.iter().map(|rule| rule.regex);
        // `^` and `$` mean the ends of a line, so that the set can also look at many lines at once.
        Self { set: LazySet::new(Dialect::AsciiLines, sources), rules }
    }

    /// Whether any rule could find something in one of the lines of a text.
    pub(super) fn may_find(&self, text: &str) -> bool {
        self.set.is_match(text)
    }

    /// The rules that find something in a line.
    pub(super) fn find(&self, line: &str) -> impl Iterator<Item = &'static Rule> {
        let hits = self.set.matches(line).into_iter();
        let rules = hits.filter_map(|hit| self.rules.get(hit));
        rules.filter(move |rule| rule.stands(line.as_bytes())).map(|rule| rule.rule)
    }
}

fn compiled(regex: &str) -> Regex {
    let built = RegexBuilder::new(regex).unicode(false).size_limit(4 << 20).build();
    built.expect("the embedded rules are compiled by a test")
}

/// The line rules of a language, compiled when a file of it is first seen.
pub(super) fn of_language(language: Language) -> Option<&'static LineRules> {
    static SETS: LazyLock<HashMap<Language, OnceLock<LineRules>>> = LazyLock::new(|| {
        let all = RULES.iter().flat_map(|rule| rule.languages.iter().copied());
        all.map(|language| (language, OnceLock::new())).collect()
    });
    let slot = SETS.get(&language)?;
    Some(slot.get_or_init(|| LineRules::new(RULES.iter().filter(|rule| rule.languages.contains(&language)))))
}

/// A rule for certain files.
pub(super) struct FileRule {
    pub(super) rule: &'static Rule,
    pub(super) files: PatternSet,
    /// What it looks for in their added lines; `None` where any change is a violation.
    pub(super) lines: Option<LineRules>,
}

impl FileRule {
    /// Whether it looks at the file at this path.
    pub(super) fn covers(&self, path: &RepoPath) -> bool {
        self.files.find(path.as_str()).is_some()
    }
}

/// Every rule for certain files.
pub(super) fn of_files() -> &'static [FileRule] {
    static FILES: LazyLock<Vec<FileRule>> = LazyLock::new(|| {
        let with_files = RULES.iter().filter(|rule| !rule.files.is_empty());
        with_files
            .map(|rule| FileRule {
                rule,
                files: PatternSet::new(rule.files.iter().map(String::as_str), Case::Folded)
                    .expect("the embedded patterns are read by a test"),
                lines: rule.regex.is_some().then(|| LineRules::new(std::iter::once(rule))),
            })
            .collect()
    });
    &FILES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::agrees_with_regex;
    use std::collections::HashSet;

    #[test]
    fn every_rule_finds_its_hits_and_not_its_misses() {
        let mut wrong = Vec::new();
        for rule in RULES.iter() {
            assert!(!rule.hits.is_empty() && !rule.misses.is_empty(), "{} has no samples", rule.id);
            assert!(rule.languages.is_empty() != rule.files.is_empty(), "{}: languages or files", rule.id);
            assert!(!rule.files.is_empty() || rule.regex.is_some(), "{} finds everything", rule.id);
            let finds: Box<dyn Fn(&str) -> bool> = if rule.regex.is_some() {
                let lines = LineRules::new(std::iter::once(rule));
                Box::new(move |sample| lines.find(sample).next().is_some())
            } else {
                let files = PatternSet::new(rule.files.iter().map(String::as_str), Case::Folded).unwrap();
                Box::new(move |sample| files.find(sample).is_some())
            };
            let lost = rule.hits.iter().filter(|hit| !finds(hit)).map(|hit| ("must find", hit));
            let false_alarms = rule.misses.iter().filter(|miss| finds(miss)).map(|miss| ("must not find", miss));
            wrong.extend(lost.chain(false_alarms).map(|(what, sample)| format!("{} {what} {sample:?}", rule.id)));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_expressions_answer_like_regex() {
        let sources: HashSet<&str> = RULES.iter().filter_map(|rule| rule.regex.as_deref()).collect();
        let sources: Vec<&str> = sources.into_iter().collect();
        let with_words = agrees_with_regex(Dialect::AsciiLines, &sources);
        assert!(with_words + 3 >= sources.len(), "{with_words} of {} need not be compiled", sources.len());
    }

    #[test]
    fn ids_are_unique_and_sets_compile() {
        let mut ids = HashSet::new();
        for rule in RULES.iter() {
            assert!(ids.insert(&rule.id), "{} twice", rule.id);
            for language in &rule.languages {
                assert!(of_language(*language).is_some());
            }
        }
        assert!(!of_files().is_empty());
    }
}
