//! A checked policy: its compiled patterns, and the decision on each path.

use std::sync::Arc;

use super::built_in::{BUILT_IN_DENY, denied_name};
use super::decision::{Decision, Source, anchored};
use super::enforceable::check_enforceable;
use super::error::PolicyError;
use super::narrowing::Narrowing;
use super::phase::Phase;
use super::table::{PolicyTable, ValidationTable};
use crate::command::{CommandRules, ValidationCommand};
use crate::path::RepoPath;
use crate::pattern::{Case, PatternSet};
use crate::redact::Redactor;
use crate::secret::Ruleset;

/// The compiled patterns of a policy.
#[derive(Debug)]
struct Rules {
    /// All that is denied: the built-in rules, then the phase's, then the table's.
    closed: PatternSet,
    /// How many rules of [`Self::closed`] are built in.
    built_in: usize,
    /// How many after them are the phase's.
    of_phase: usize,
    /// Those of the phase and the table alone.
    own: PatternSet,
    /// What the phase allows at most.
    ceiling: Option<PatternSet>,
    allow: PatternSet,
}

impl Rules {
    /// The list that a deny rule came from.
    fn closed_by(&self, number: usize) -> Source {
        if number < self.built_in {
            Source::BuiltIn
        } else if number < self.built_in + self.of_phase {
            Source::Phase
        } else {
            Source::PolicyDeny
        }
    }
}

/// The tables `[policy]` and `[validation]`, checked and compiled. Every path and command is judged by one of these.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Shared, because a policy is narrowed for each gene and may have thousands of patterns.
    rules: Arc<Rules>,
    narrowing: Option<Narrowing>,
    table: PolicyTable,
    command_rules: CommandRules,
    commands: Vec<ValidationCommand>,
    timeout_s: u64,
    secret_rules: Option<Arc<Ruleset>>,
}

impl Policy {
    /// Checks the two tables. `protected` are further paths that no policy can allow, such as the log of an assets
    /// folder outside its usual place.
    pub fn from_tables(
        policy: PolicyTable,
        validation: &ValidationTable,
        protected: &[RepoPath],
    ) -> Result<Self, PolicyError> {
        check_enforceable(&policy, validation)?;
        let own: Vec<String> = protected.iter().map(anchored).collect();
        for phase in Phase::ALL {
            let table = policy.phases.of(phase);
            patterns("[policy.phases] allow", words(&table.allow), Case::Exact)?;
            patterns("[policy.phases] deny", words(&table.deny), Case::Folded)?;
        }
        let of_phase = policy.phase.map(|phase| policy.phases.of(phase));
        let denied_by_phase = of_phase.map(|phase| phase.deny.as_slice()).unwrap_or_default();
        let built_in = BUILT_IN_DENY.iter().copied().chain(own.iter().map(String::as_str));
        let closed = built_in.chain(words(denied_by_phase)).chain(words(&policy.deny));
        let own_rules = words(denied_by_phase).chain(words(&policy.deny));
        let own_rules = patterns("[policy] deny", own_rules, Case::Folded)?;
        let ceiling = of_phase.map(|phase| patterns("[policy.phases] allow", words(&phase.allow), Case::Exact));
        let command_rules = match &validation.programs {
            Some(programs) => CommandRules::with_programs(programs)?,
            None => CommandRules::default(),
        };
        let command = |text: &String| {
            ValidationCommand::parse(text, &command_rules)
                .map_err(|reason| PolicyError::Command { command: text.clone(), reason })
        };
        Ok(Self {
            rules: Arc::new(Rules {
                closed: patterns("[policy] deny", closed, Case::Folded)?,
                built_in: BUILT_IN_DENY.len() + own.len(),
                of_phase: denied_by_phase.len(),
                own: own_rules,
                ceiling: ceiling.transpose()?,
                allow: patterns("[policy] allow", words(&policy.allow), Case::Exact)?,
            }),
            narrowing: None,
            table: policy,
            commands: validation.commands.iter().map(command).collect::<Result<_, _>>()?,
            command_rules,
            timeout_s: validation.timeout_s,
            secret_rules: None,
        })
    }

    /// The policy with the rules from the files that `[policy] secret_rules` names. Without them, a policy that names
    /// such files passes no change.
    #[must_use]
    pub fn with_secret_rules(self, rules: Arc<Ruleset>) -> Self {
        Self { secret_rules: Some(rules), ..self }
    }

    /// The operator's rules, if the policy names files and they were read.
    pub(crate) fn own_secret_rules(&self) -> Option<Arc<Ruleset>> {
        self.secret_rules.clone()
    }

    /// A redactor for everything that is stored or sent: with the operator's rules if there are any, else with the
    /// bundled ones.
    pub fn redactor(&self) -> Redactor {
        self.own_secret_rules().map_or_else(Redactor::default, Redactor::with_rules)
    }

    /// One text without its secrets and personal data, numbered from 1.
    pub fn redact(&self, text: &str) -> String {
        self.redactor().redact(text).into_owned()
    }

    /// The rules for secrets: the operator's if the policy names files, else the bundled ones. `None` if the policy
    /// names files that were not read.
    pub fn secret_rules(&self) -> Option<&Ruleset> {
        match &self.secret_rules {
            Some(rules) => Some(rules),
            None => self.table.secret_rules.is_empty().then(Ruleset::bundled),
        }
    }

    /// Whether a file may change at this path.
    pub fn decide(&self, path: &RepoPath) -> Decision {
        let decision = |allowed, rule: &str, source| Decision { allowed, rule: rule.to_owned(), source };
        let rules = &self.rules;
        if let Some(number) = rules.closed.find_rule(path.as_str()) {
            return decision(false, rules.closed.source(number).unwrap_or_default(), rules.closed_by(number));
        }
        if let Some(rule) = denied_name(path) {
            return decision(false, rule, Source::BuiltIn);
        }
        let narrowed = |allowed: Decision| self.narrower(path).unwrap_or(allowed);
        if let (Some(ceiling), Some(phase)) = (&rules.ceiling, self.table.phase) {
            match ceiling.find(path.as_str()) {
                None => return decision(false, &format!("phase = \"{phase}\""), Source::Phase),
                Some(rule) if self.table.allow.is_empty() => return narrowed(decision(true, rule, Source::Phase)),
                Some(_) => {}
            }
        }
        match rules.allow.find(path.as_str()) {
            Some(rule) => narrowed(decision(true, rule, Source::PolicyAllow)),
            None => decision(false, &anchored(path), Source::NotAllowed),
        }
    }

    /// The rule that denies a path.
    pub(super) fn denied_by(&self, path: &RepoPath) -> Option<&str> {
        self.rules.closed.find(path.as_str()).or_else(|| denied_name(path))
    }

    /// Whether the built-in list or the policy denies a path, so that genes do not see it. Whether the path may change
    /// is another question ([`Policy::decide`]).
    pub fn denies(&self, path: &RepoPath) -> bool {
        self.denied_by(path).is_some()
    }

    /// Whether the operator's own rules or the phase's deny a path, so that validation commands do not see it in a folder
    /// that git does not track. The built-in rules do not count here: they name folders that commands need, such as
    /// `node_modules`.
    pub fn hides(&self, path: &RepoPath) -> bool {
        self.rules.own.find_rule(path.as_str()).is_some()
    }

    /// Whether [`Policy::hides`] can be true for any path.
    pub fn hides_something(&self) -> bool {
        self.rules.of_phase > 0 || !self.table.deny.is_empty()
    }

    /// The table that it was made from: limits and treatments.
    pub fn table(&self) -> &PolicyTable {
        &self.table
    }

    /// The rules for validation commands.
    pub fn command_rules(&self) -> &CommandRules {
        &self.command_rules
    }

    /// The operator's own validation commands.
    pub fn commands(&self) -> &[ValidationCommand] {
        &self.commands
    }

    /// Seconds that each command may take.
    pub fn timeout_s(&self) -> u64 {
        self.timeout_s
    }
}

impl Policy {
    /// This policy for one gene's proposals.
    pub(crate) fn narrowed(&self, narrowing: Narrowing) -> Self {
        let mut narrowed = self.clone();
        if let Some(most) = narrowing.max_files() {
            narrowed.table.max_files = narrowed.table.max_files.min(most);
        }
        narrowed.narrowing = Some(narrowing);
        narrowed
    }

    /// The gene whose proposals this policy was narrowed for.
    pub fn gene(&self) -> Option<&str> {
        self.narrowing.as_ref().map(Narrowing::gene)
    }

    /// The denial of a path by the gene's grant or manifest; `None` if both allow it.
    pub(super) fn narrower(&self, path: &RepoPath) -> Option<Decision> {
        self.narrowing.as_ref().and_then(|narrowing| narrowing.decide(path))
    }
}

fn words(listed: &[String]) -> impl Iterator<Item = &str> {
    listed.iter().map(String::as_str)
}

fn patterns<'a>(
    key: &'static str,
    sources: impl IntoIterator<Item = &'a str>,
    case: Case,
) -> Result<PatternSet, PolicyError> {
    PatternSet::new(sources, case).map_err(|(pattern, reason)| PolicyError::Pattern { key, pattern, reason })
}
