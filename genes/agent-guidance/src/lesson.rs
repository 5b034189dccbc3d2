//! One line of guidance, before it is compared with what the agent is told already.

use std::collections::BTreeSet;

use crate::log::{Failure, Log};

/// Failures from which a line about edits or folders that names nothing of the repository is worth its place. What
/// happened to an agent twice, it does not have to be told in every session.
pub(crate) const LEAST_GENERAL: usize = 3;

/// What an existing line must hold to be about the same thing as a lesson. Then the lesson is not proposed: the line says
/// it already, or it says something else on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Topic {
    /// One word of each of these groups, in any letter case.
    Words(&'static [&'static [&'static str]]),
    /// Any of these names, as a word of its own.
    Names(Vec<String>),
    /// All of these names, as words of their own.
    AllNames(Vec<String>),
}

impl Topic {
    /// Whether the line is about this.
    pub(crate) fn is_in(&self, line: &str) -> bool {
        match self {
            Self::Words(groups) => {
                let line = line.to_lowercase();
                groups.iter().all(|group| group.iter().any(|word| line.contains(word)))
            }
            Self::Names(names) => names.iter().any(|name| has_name(line, name)),
            Self::AllNames(names) => names.iter().all(|name| has_name(line, name)),
        }
    }
}

/// Whether a name stands in the line, and not as a part of a longer one.
fn has_name(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A line of guidance with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// One imperative sentence.
    pub(crate) text: String,
    pub(crate) topic: Topic,
    /// Id of the finding.
    pub(crate) finding: String,
    /// Failures that it is about.
    pub(crate) seen: u32,
    /// Sessions in which they were.
    pub(crate) sessions: u32,
    /// The newest of them, in microseconds since the Unix epoch.
    pub(crate) newest: Option<i64>,
    /// What happened, for the proposal's reasons.
    pub(crate) because: String,
}

impl Lesson {
    /// A lesson of these failures.
    pub(crate) fn of(
        finding: &str,
        failures: &[&Failure],
        text: impl Into<String>,
        topic: Topic,
        because: String,
    ) -> Self {
        let sessions: BTreeSet<u32> = failures.iter().map(|failure| failure.session).collect();
        Self {
            text: text.into(),
            topic,
            finding: finding.to_owned(),
            seen: failures.len().try_into().unwrap_or(u32::MAX),
            sessions: sessions.len().try_into().unwrap_or(u32::MAX),
            newest: failures.iter().filter_map(|failure| failure.time).max(),
            because,
        }
    }

    /// Whether it was seen often enough: `least` times, or twice in two sessions.
    pub(crate) fn is_recurring(&self, least: u32) -> bool {
        self.seen >= least.max(2) || (self.seen >= 2 && self.sessions >= 2)
    }
}

/// A line without what does not change its meaning: letter case, marks and white space.
pub(crate) fn normal(line: &str) -> String {
    let letters = line.chars().map(|c| if c.is_alphanumeric() { c.to_lowercase().next().unwrap_or(c) } else { ' ' });
    let plain: String = letters.collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value that most of these failures give, with the failures that give it.
pub(crate) fn most_frequent<'a, T: Ord + Clone>(
    failures: &[&'a Failure],
    value: impl Fn(&Failure) -> Option<T>,
) -> Option<(T, Vec<&'a Failure>)> {
    let mut groups: std::collections::BTreeMap<T, Vec<&Failure>> = std::collections::BTreeMap::new();
    for failure in failures {
        if let Some(value) = value(failure) {
            groups.entry(value).or_default().push(failure);
        }
    }
    // Of equally frequent ones the first by name, so that the same log gives the same line.
    groups.into_iter().rev().max_by_key(|(_, group)| group.len())
}

/// The change that worked next, if it has this difference.
pub(crate) fn corrected(
    log: &Log,
    failure: &Failure,
    difference: gephost_gene::run_log::Difference,
) -> Option<(String, String)> {
    let change = log.change(failure).filter(|change| change.difference == difference)?;
    Some((change.before.clone(), change.after.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_found_as_a_word_of_its_own() {
        let names = Topic::Names(vec!["python".to_owned()]);
        for (line, expected) in [
            ("Use `python` for scripts.", true),
            ("python", true),
            ("Use python3.", false),
            ("ipython", false),
            ("python-dev is needed", false),
        ] {
            assert_eq!(names.is_in(line), expected, "{line}");
        }
        let words = Topic::Words(&[&["read"], &["edit", "change"]]);
        assert!(words.is_in("Always READ a file before Editing."));
        assert!(!words.is_in("Read the docs."));
        assert_eq!(normal("- Use `A`,  then b!"), "use a then b");
    }
}
