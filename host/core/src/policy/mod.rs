//! What may change: patterns of paths and limits, decided and explained.
//!
//! What must stay true: deny wins over allow, silence means no, nobody lifts the built-in list, and a key that cannot
//! be enforced stops the host (invariants 7 and 10).

pub(crate) mod confusable;
mod error;
mod glob;
mod narrowing;
mod pattern;
mod phase;
mod set;
mod table;
mod warnings;

pub use error::PolicyError;
pub use pattern::PatternError;
pub use phase::{Governance, GovernanceCheck, MIN_SUCCESS_PERCENT, Phase, governance};
pub use table::{PolicyTable, Treatment, ValidationTable};

pub(crate) use narrowing::Narrowing;
pub(crate) use set::{Case, PatternSet, fold_case as fold};

use std::sync::Arc;

use serde::Serialize;

use crate::command::{CommandRules, ValidationCommand};
use crate::path::RepoPath;
use crate::redact::Redactor;
use crate::secret::Ruleset;
use crate::validation::Network;

/// Paths that no policy can allow: the repository's own data, secrets, the pipeline, the audit log of seed 000, and
/// gephost's own config and state (seeds 000 and 004, "hard denylist").
pub const BUILT_IN_DENY: &[&str] = &[
    ".git",
    "node_modules",
    ".env",
    ".gitmodules",
    ".gitattributes",
    "/secrets/",
    "/config.json",
    "/.github/workflows/",
    "/assets/gep/events.jsonl",
    "/gephost.toml",
    ".gephost/",
];

/// Which list decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// [`BUILT_IN_DENY`], or a path that the host itself protects.
    BuiltIn,
    /// `[policy] allow`.
    PolicyAllow,
    /// `[policy] deny`.
    PolicyDeny,
    /// `[policy] phase`: what it opens, what it denies, or that it does not open the path.
    Phase,
    /// No pattern of `[policy] allow` covers the path.
    NotAllowed,
    /// The gene's own manifest forbids the path.
    GeneForbids,
    /// No pattern of the gene's `write` grant covers the path.
    NotGranted,
}

/// Whether a path may change, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Whether it may.
    pub allowed: bool,
    /// The pattern that decided; with [`Source::NotAllowed`], the one that would allow exactly this path.
    pub rule: String,
    /// Where the rule stands.
    pub source: Source,
}

impl Decision {
    /// The reason as a fragment that follows the path.
    pub fn reason(&self) -> String {
        let rule = &self.rule;
        match self.source {
            Source::BuiltIn => {
                format!("is denied by the built-in rule `{rule}`, which no policy can lift")
            }
            Source::PolicyDeny => format!("is denied by the rule `{rule}` of `[policy] deny`"),
            Source::PolicyAllow => format!("is allowed by the rule `{rule}` of `[policy] allow`"),
            Source::Phase if self.allowed => format!("is opened by the rule `{rule}` of the policy's phase"),
            Source::Phase => format!("is denied by `{rule}` of the policy's phase, which only a promotion widens"),
            Source::NotAllowed => {
                format!("is not in the allowlist: no rule of `[policy] allow` covers it (`{rule}` would)")
            }
            Source::GeneForbids => {
                format!("is forbidden by the rule `{rule}` of the gene's own `constraints.forbidden_paths`")
            }
            Source::NotGranted => {
                format!("is not granted: no rule of the gene's `write` grant covers it (`{rule}` would)")
            }
        }
    }
}

/// The compiled patterns of a policy.
#[derive(Debug)]
struct Rules {
    /// All that is denied: the built-in rules, then the phase's, then the table's.
    closed: PatternSet,
    /// How many rules of [`Self::closed`] are built in.
    built_in: usize,
    /// How many after them are the phase's.
    of_phase: usize,
    /// What the phase opens at most.
    ceiling: Option<PatternSet>,
    allow: PatternSet,
}

impl Rules {
    /// Whose a rule of the closed ones is.
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

/// A checked policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Shared: a policy is narrowed once a gene, and may have thousands of patterns.
    rules: Arc<Rules>,
    narrowing: Option<Narrowing>,
    table: PolicyTable,
    command_rules: CommandRules,
    commands: Vec<ValidationCommand>,
    timeout_s: u64,
    secret_rules: Option<Arc<Ruleset>>,
}

impl Policy {
    /// Checks the two tables. `protected` are further paths that no policy can allow: the assets folder's log, where
    /// it is not in its usual place.
    pub fn from_tables(
        policy: PolicyTable,
        validation: &ValidationTable,
        protected: &[RepoPath],
    ) -> Result<Self, PolicyError> {
        check_enforceable(&policy, validation)?;
        let own: Vec<String> = protected.iter().map(anchored).collect();
        let of_phase = policy.phase.map_or(&[][..], Phase::deny);
        let built_in = BUILT_IN_DENY.iter().copied().chain(own.iter().map(String::as_str));
        let closed = built_in.chain(of_phase.iter().copied()).chain(policy.deny.iter().map(String::as_str));
        let ceiling = policy.phase.map(|phase| patterns("[policy] phase", phase.allow().iter().copied(), Case::Exact));
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
                of_phase: of_phase.len(),
                ceiling: ceiling.transpose()?,
                allow: patterns("[policy] allow", policy.allow.iter().map(String::as_str), Case::Exact)?,
            }),
            narrowing: None,
            table: policy,
            commands: validation.commands.iter().map(command).collect::<Result<_, _>>()?,
            command_rules,
            timeout_s: validation.timeout_s,
            secret_rules: None,
        })
    }

    /// The same with the rules of the files that `[policy] secret_rules` names. Until they are given, a policy that
    /// names files lets no change pass.
    #[must_use]
    pub fn with_secret_rules(self, rules: Arc<Ruleset>) -> Self {
        Self { secret_rules: Some(rules), ..self }
    }

    /// The operator's rules, where files are named and were read.
    fn own_secret_rules(&self) -> Option<Arc<Ruleset>> {
        self.secret_rules.clone()
    }

    /// What takes secrets and personal data out of everything that is stored or sent: by the operator's rules where
    /// there are some, else by the bundled ones.
    pub fn redactor(&self) -> Redactor {
        self.own_secret_rules().map_or_else(Redactor::default, Redactor::with_rules)
    }

    /// One text without its secrets and personal data, numbered from 1.
    pub fn redact(&self, text: &str) -> String {
        self.redactor().redact(text).into_owned()
    }

    /// The rules for secrets: the operator's where files are named, else the bundled ones. `None` where files are
    /// named and were not read.
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

    /// Whether a path is denied, by the built-in list or by the policy's own: then a gene does not even see it. Whether
    /// it may change is another question ([`Policy::decide`]).
    pub fn denies(&self, path: &RepoPath) -> bool {
        self.rules.closed.find_rule(path.as_str()).is_some()
    }

    /// The table that it was made from: limits and treatments.
    pub fn table(&self) -> &PolicyTable {
        &self.table
    }

    /// What commands may be.
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

/// The pattern that matches exactly one path.
fn anchored(path: &RepoPath) -> String {
    let mut pattern = String::from("/");
    for c in path.as_str().chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn patterns<'a>(
    key: &'static str,
    sources: impl IntoIterator<Item = &'a str>,
    case: Case,
) -> Result<PatternSet, PolicyError> {
    PatternSet::new(sources, case).map_err(|(pattern, reason)| PolicyError::Pattern { key, pattern, reason })
}

/// Refuses what would be read and not done.
fn check_enforceable(policy: &PolicyTable, validation: &ValidationTable) -> Result<(), PolicyError> {
    let only_false = [
        ("[policy] symlinks", policy.symlinks),
        ("[policy] submodules", policy.submodules),
        ("[policy] binary", policy.binary),
    ];
    if let Some((key, _)) = only_false.into_iter().find(|(_, value)| *value) {
        let remedy = "write `false` or leave it out";
        return Err(PolicyError::CannotEnforce { key, value: "true".to_owned(), remedy });
    }
    if policy.max_risk > 100 {
        let (key, value) = ("[policy] max_risk", policy.max_risk.into());
        return Err(PolicyError::Range { key, value, range: "0 to 100" });
    }
    check_validation(validation)
}

fn check_validation(table: &ValidationTable) -> Result<(), PolicyError> {
    let bounds = [
        ("[validation] timeout_s", table.timeout_s, 1..=3600, "1 to 3600"),
        ("[validation] disk_mib", table.disk_mib, 1..=1_048_576, "1 to 1048576"),
        ("[validation] processes", table.processes, 8..=65_536, "8 to 65536"),
        ("[validation] reruns", table.reruns, 0..=10, "0 to 10"),
    ];
    if let Some((key, value, _, range)) = bounds.into_iter().find(|(_, value, range, _)| !range.contains(value)) {
        return Err(PolicyError::Range { key, value, range });
    }
    let is_full = |path: &&String| path.starts_with('/') && path.split('/').all(|name| name != "..");
    if let Some(path) = table.read.iter().find(|path| !is_full(path)) {
        let (key, value) = ("[validation] read", format!("{path:?}"));
        return Err(PolicyError::CannotEnforce { key, value, remedy: "write a full path without `..`" });
    }
    let needed = table.network.map(Network::least_level).filter(|needed| *needed > table.sandbox.most());
    if let (Some(network), Some(_)) = (table.network, needed) {
        let (key, value) = ("[validation] network", format!("{:?}", network.as_str()));
        let remedy = "raise `sandbox`: \"none\" takes L1, \"loopback\" takes L2";
        return Err(PolicyError::CannotEnforce { key, value, remedy });
    }
    if let Some(value) = table.parallel.filter(|parallel| !(1..=64).contains(parallel)) {
        return Err(PolicyError::Range { key: "[validation] parallel", value, range: "1 to 64" });
    }
    Ok(())
}
