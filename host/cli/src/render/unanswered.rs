//! Findings that no gene answered: who was asked, why each had nothing, and where to begin.

use std::fmt::Write as _;

use gephost_app::cycle::Proposals;
use gephost_app::gene_call::GeneCall;
use gephost_app::text_genes::TextUnanswered;
use gephost_core::model::NoOpKind;
use gephost_core::policy::PolicyTable;
use gephost_core::text::with_short_words;
use gephost_runner::sandbox::LogLevel;
use schemars::JsonSchema;
use serde::Serialize;

use super::style::{bold, dim, printable};

/// The first step where nothing may change: a command, and what it is for.
pub(crate) const INIT: [&str; 2] = ["gephost init", "  so far nothing may change: no rule allows it"];
/// The most lines of what one gene said.
const SHOWN_SAID: usize = 5;

/// Findings that no gene answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UnansweredRow<'a> {
    /// The genes that were asked, in order.
    asked: Vec<AskedRow<'a>>,
    /// A gene that was not asked, because it needs runs of the failing command, which only `gephost run --apply` makes.
    needs_runs: Option<&'a str>,
    /// The number of the finding that `place` and `suggestion` are of, from 1.
    finding: Option<usize>,
    /// The file of the base that fails, with the line: `PATH:LINE`, or `PATH` if no line is known.
    place: Option<String>,
    /// What keeps `gephost run --apply` locked, if it is: `trust` or `enabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    apply_lock: Option<Lock>,
    /// What the failing tool itself suggests, line by line.
    suggestion: &'a [String],
    /// Whether a model was asked, and no gene.
    #[serde(skip)]
    is_of_model: bool,
    /// The command that asks a model.
    #[serde(skip)]
    with_model: String,
    /// The command that runs the failing command.
    #[serde(skip)]
    with_runs: String,
    /// Whether no config says what may change.
    #[serde(skip)]
    allows_nothing: bool,
}

/// What is missing before `--apply` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Lock {
    /// The user's trust in the config of the project, which sets `[apply] enabled`.
    Trust,
    /// `[apply] enabled`.
    Enabled,
}

impl Lock {
    /// What to do before, for a person.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Trust => "and before that: gephost trust",
            Self::Enabled => "and `enabled = true` in `[apply]` of gephost.toml",
        }
    }
}

/// A gene that proposed nothing.
#[derive(Debug, Serialize, JsonSchema)]
struct AskedRow<'a> {
    /// Its id.
    gene: &'a str,
    /// Why, in its own words; empty if it did not say.
    said: Vec<&'a str>,
    /// Whether it is only text and was not carried out, because it needs a model; `said` has what is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    needs_model: bool,
    /// Why its call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// For a gene that is only text: what came of asking the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_op: Option<NoOpKind>,
}

impl<'a> AskedRow<'a> {
    fn of_text(text: &'a TextUnanswered) -> Self {
        let (said, needs_model) = (vec![text.reason.as_str()], text.no_op.is_none());
        Self { gene: &text.gene, said, needs_model, error: None, no_op: text.no_op }
    }

    fn of(call: &'a GeneCall) -> Self {
        let meant =
            call.log.iter().filter(|line| matches!(line.level, LogLevel::Info | LogLevel::Warn | LogLevel::Error));
        let said = quoted(meant.map(|line| line.message.as_str()));
        let error = call.failure.as_ref().and(call.error.as_deref());
        Self { gene: &call.gene, said, needs_model: false, error, no_op: None }
    }
}

/// What is shown of a gene's words. It may say the same of each finding.
fn quoted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut said: Vec<&str> = lines.collect();
    said.dedup();
    said.truncate(SHOWN_SAID);
    said
}

impl<'a> UnansweredRow<'a> {
    /// If there are findings and nothing is proposed. `command` adds to a command's name the options of this one.
    pub(crate) fn of(
        proposals: &'a Proposals,
        policy: &PolicyTable,
        apply_lock: Option<Lock>,
        command: impl Fn(&str) -> String,
    ) -> Option<Self> {
        let clue = proposals.clue.as_ref()?;
        let place = clue.place.as_ref().map(|(path, line)| match line {
            Some(line) => format!("{path}:{line}"),
            None => path.to_string(),
        });
        let components = proposals.proposed.calls.iter().filter(|call| call.carried_out_by.is_none()).map(AskedRow::of);
        let asked = components.chain(proposals.proposed.texts.iter().map(AskedRow::of_text)).collect();
        let allows_nothing = policy.allow.is_empty() && policy.phase.is_none();
        let is_of_model = proposals.findings.consulted.is_some();
        Some(Self {
            asked,
            needs_runs: proposals.proposed.unasked.as_deref(),
            finding: clue.finding,
            place,
            apply_lock,
            suggestion: &clue.suggestion,
            is_of_model,
            with_model: command("gephost run --diagnose model"),
            with_runs: command("gephost run --apply"),
            allows_nothing,
        })
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut rows = |name: &str, lines: Vec<String>| {
            let mut head = bold(format!("{name:<10}"));
            for line in lines {
                let _ = writeln!(text, "{head}  {line}");
                head = " ".repeat(10);
            }
        };
        let mut asked = Vec::new();
        for AskedRow { gene, said, needs_model, error, .. } in &self.asked {
            asked.push(match (needs_model, said.is_empty()) {
                _ if let Some(error) = error => format!("{gene} failed: it {}", printable(&with_short_words(error))),
                (true, _) => format!("{gene} is only text and needs a model"),
                (false, true) => format!("{gene} has no proposal, and does not say why"),
                (false, false) => format!("{gene} has no proposal"),
            });
            asked.extend(said.iter().map(|said| format!("  {}", dim(printable(said)))));
        }
        if let Some(gene) = self.needs_runs {
            asked.push(format!("{gene} was not asked: it needs runs of the failing command"));
        }
        if asked.is_empty() && !self.is_of_model {
            asked.push("no gene has an answer to such findings".to_owned());
        }
        rows("Asked", asked);
        // Without a word, the reader takes the first finding.
        let of = self.finding.filter(|number| *number > 1).map(|number| dim(format!("  (finding {number})")));
        let mut clue: Vec<(&str, Vec<String>)> = vec![
            ("Place", self.place.iter().map(|place| printable(place)).collect()),
            ("Tool says", self.suggestion.iter().map(|line| printable(line)).collect()),
        ];
        if let (Some(of), Some(line)) = (of, clue.iter_mut().find_map(|(_, lines)| lines.first_mut())) {
            line.push_str(&of);
        }
        for (name, lines) in clue {
            rows(name, lines);
        }
        let mut next = Vec::new();
        if self.allows_nothing {
            next.extend(INIT.map(str::to_owned));
        }
        if self.needs_runs.is_some() {
            let what = dim("  runs the failing command in a work copy, and tries edits of the lines that it executes");
            next.extend([printable(&self.with_runs), what]);
            next.extend(self.apply_lock.map(|lock| dim(format!("  {}", lock.text()))));
        }
        next.extend(["gephost record -- COMMAND".to_owned(), dim("  shows whether your own repair holds")]);
        if !self.is_of_model {
            next.extend([printable(&self.with_model), dim("  asks the model that your own config names")]);
        }
        rows("Next", next);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gene_repeats_is_quoted_once() {
        assert_eq!(quoted(["a", "a", "b", "a"].into_iter()), ["a", "b", "a"]);
        assert_eq!(quoted(["a"; 9].into_iter()), ["a"]);
        assert_eq!(quoted(["1", "2", "3", "4", "5", "6"].into_iter()).len(), SHOWN_SAID);
    }

    #[test]
    fn place_and_suggestion_name_their_finding_unless_it_is_the_first() {
        let row = |finding| UnansweredRow {
            asked: Vec::new(),
            needs_runs: None,
            finding: Some(finding),
            place: Some("a.py:3".to_owned()),
            apply_lock: None,
            suggestion: &[],
            is_of_model: true,
            with_model: String::new(),
            with_runs: String::new(),
            allows_nothing: false,
        };
        // Styles stand between the place and the finding.
        let has = |row: &UnansweredRow<'_>, said: &str, finding: &str| {
            let text = row.text();
            text.lines().any(|line| line.contains(said) && line.contains(finding))
        };
        assert!(has(&row(1), "a.py:3", "") && !row(1).text().contains("(finding"), "{}", row(1).text());
        assert!(has(&row(2), "a.py:3", "(finding 2)"), "{}", row(2).text());
        let said = ["did you mean b?".to_owned()];
        let only = UnansweredRow { place: None, suggestion: &said, ..row(3) };
        assert!(has(&only, "did you mean b?", "(finding 3)"), "{}", only.text());
    }
}
