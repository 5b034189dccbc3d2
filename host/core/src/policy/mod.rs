//! What may change: patterns of paths and limits, decided and explained.
//!
//! What must stay true: deny wins over allow, silence means no, nobody lifts the built-in list, and a key that cannot
//! be enforced stops the host (invariants 7 and 10).

mod error;
mod pattern;
mod set;
mod table;

pub use error::PolicyError;
pub use pattern::PatternError;
pub use table::{PolicyTable, Treatment, ValidationTable};

pub(crate) use set::{Case, PatternSet, fold};

use serde::Serialize;

use crate::command::{CommandRules, ValidationCommand};
use crate::path::RepoPath;

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
    /// No pattern of `[policy] allow` covers the path.
    NotAllowed,
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
            Source::NotAllowed => {
                format!("is not in the allowlist: no rule of `[policy] allow` covers it (`{rule}` would)")
            }
        }
    }
}

/// A checked policy.
#[derive(Debug, Clone)]
pub struct Policy {
    built_in: PatternSet,
    allow: PatternSet,
    deny: PatternSet,
    table: PolicyTable,
    command_rules: CommandRules,
    commands: Vec<ValidationCommand>,
    timeout_s: u64,
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
        let built_in = BUILT_IN_DENY.iter().copied().chain(own.iter().map(String::as_str));
        let command_rules = match &validation.programs {
            Some(programs) => CommandRules::with_programs(programs)?,
            None => CommandRules::default(),
        };
        let command = |text: &String| {
            ValidationCommand::parse(text, &command_rules)
                .map_err(|reason| PolicyError::Command { command: text.clone(), reason })
        };
        Ok(Self {
            built_in: patterns("built-in", built_in, Case::Folded)?,
            allow: patterns("[policy] allow", policy.allow.iter().map(String::as_str), Case::Exact)?,
            deny: patterns("[policy] deny", policy.deny.iter().map(String::as_str), Case::Folded)?,
            table: policy,
            commands: validation.commands.iter().map(command).collect::<Result<_, _>>()?,
            command_rules,
            timeout_s: validation.timeout_s,
        })
    }

    /// Whether a file may change at this path.
    pub fn decide(&self, path: &RepoPath) -> Decision {
        let decision = |allowed, rule: &str, source| Decision { allowed, rule: rule.to_owned(), source };
        if let Some(rule) = self.built_in.find(path.as_str()) {
            decision(false, rule, Source::BuiltIn)
        } else if let Some(rule) = self.deny.find(path.as_str()) {
            decision(false, rule, Source::PolicyDeny)
        } else if let Some(rule) = self.allow.find(path.as_str()) {
            decision(true, rule, Source::PolicyAllow)
        } else {
            decision(false, &anchored(path), Source::NotAllowed)
        }
    }

    /// Whether a path is denied, by the built-in list or by the policy's own: then a gene does not even see it. Whether
    /// it may change is another question ([`Policy::decide`]).
    pub fn denies(&self, path: &RepoPath) -> bool {
        self.built_in.find(path.as_str()).is_some() || self.deny.find(path.as_str()).is_some()
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
    if let Some(level) = validation.sandbox.as_deref().filter(|level| !matches!(*level, "L0" | "required:L0")) {
        return Err(PolicyError::CannotEnforce {
            key: "[validation] sandbox",
            value: format!("{level:?}"),
            remedy: "write \"L0\" or \"required:L0\"",
        });
    }
    if policy.max_risk > 100 {
        let (key, value) = ("[policy] max_risk", policy.max_risk.into());
        return Err(PolicyError::Range { key, value, range: "0 to 100" });
    }
    if !(1..=3600).contains(&validation.timeout_s) {
        let (key, value) = ("[validation] timeout_s", validation.timeout_s);
        return Err(PolicyError::Range { key, value, range: "1 to 3600" });
    }
    Ok(())
}
