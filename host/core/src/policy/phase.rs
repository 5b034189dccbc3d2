//! The phases of seed 004 section 10: which paths may change at most, and what must have happened before more may.
//!
//! A phase is a ceiling. `allow` cannot add a path that the phase does not allow, the phase's denials add to `deny`,
//! and the built-in list holds in every phase. The policy's own keys can only narrow a phase.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[policy] phase`. `[policy.phases]` has the paths that it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The first: in seed 004, the evolver's own code and documentation.
    Bootstrap,
    /// The second: tests too.
    Expanded,
    /// The last: the framework too, but for its command line and the pipeline.
    Full,
}

/// The share of applied proposals that must have succeeded before the next phase, in percent (seed 004 section 10).
pub const MIN_SUCCESS_PERCENT: f64 = 80.0;

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 3] = [Self::Bootstrap, Self::Expanded, Self::Full];

    /// The one after it.
    pub fn next(self) -> Option<Self> {
        match self {
            Self::Bootstrap => Some(Self::Expanded),
            Self::Expanded => Some(Self::Full),
            Self::Full => None,
        }
    }

    /// Reviewed proposals that must have succeeded before it is entered.
    pub fn min_reviewed(self) -> u64 {
        match self {
            Self::Bootstrap => 0,
            Self::Expanded => 5,
            Self::Full => 20,
        }
    }

    /// Its name, as in the config.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::Expanded => "expanded",
            Self::Full => "full",
        }
    }

    /// The phase of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == name)
    }
}

/// `[policy.phases]`: the paths that each phase allows and denies. A missing key has the patterns of seed 004.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PhasesTable {
    /// The table `[policy.phases.bootstrap]`.
    pub bootstrap: PhaseTable,
    /// The table `[policy.phases.expanded]`.
    pub expanded: PhaseTable,
    /// The table `[policy.phases.full]`.
    pub full: PhaseTable,
}

/// The patterns of one phase.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PhaseTable {
    /// Patterns of paths that it allows, exact in letter case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Patterns of paths that it denies in addition to the built-in list, in any letter case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<String>>,
}

/// The paths that seed 004 section 10 allows in each phase.
const SEED_BOOTSTRAP: &[&str] = &["/geneclaw/", "/docs/"];
const SEED_EXPANDED: &[&str] = &["/geneclaw/", "/docs/", "/tests/"];
const SEED_FULL: &[&str] = &["/geneclaw/", "/nanobot/", "/tests/", "/docs/"];
/// The paths that it denies before the last phase, and in it.
const SEED_DENY: &[&str] = &[".env", "secrets/", ".git/", "config.json", "pyproject.toml"];
const SEED_DENY_FULL: &[&str] =
    &[".env", "secrets/", ".git/", "config.json", "pyproject.toml", "/.github/", "/nanobot/cli/"];

impl PhasesTable {
    /// Whether the config says nothing of phases.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Patterns of the paths that a phase allows.
    pub fn allow(&self, phase: Phase) -> Vec<&str> {
        let seed = match phase {
            Phase::Bootstrap => SEED_BOOTSTRAP,
            Phase::Expanded => SEED_EXPANDED,
            Phase::Full => SEED_FULL,
        };
        listed(self.of(phase).allow.as_deref(), seed)
    }

    /// Patterns of the paths that a phase denies in addition to the built-in list.
    pub fn deny(&self, phase: Phase) -> Vec<&str> {
        let seed = if phase == Phase::Full { SEED_DENY_FULL } else { SEED_DENY };
        listed(self.of(phase).deny.as_deref(), seed)
    }

    fn of(&self, phase: Phase) -> &PhaseTable {
        match phase {
            Phase::Bootstrap => &self.bootstrap,
            Phase::Expanded => &self.expanded,
            Phase::Full => &self.full,
        }
    }
}

fn listed<'a>(own: Option<&'a [String]>, seed: &[&'static str]) -> Vec<&'a str> {
    own.map_or_else(|| seed.to_vec(), |own| own.iter().map(String::as_str).collect())
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One line of the governance checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GovernanceCheck {
    /// The name of the check.
    pub name: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What gephost found, and what is needed.
    pub detail: String,
}

/// The facts that the checklist checks.
#[derive(Debug, Clone, Copy)]
pub struct Governance<'a> {
    /// Published branches, by the log.
    pub succeeded: u64,
    /// Failed applies.
    pub failed: u64,
    /// Published branches that were rolled back.
    pub rolled_back: u64,
    /// What is wrong with the log's hash chain, if anything.
    pub log_fault: Option<&'a str>,
    /// Applies that started but did not end.
    pub unfinished: usize,
    /// The result of [`super::Policy::warnings`].
    pub warnings: &'a [String],
}

/// The checklist of seed 004 section 10 for entering a phase. In place of the seed's "doctor" it checks the log's
/// chain, unfinished applies and the policy's own warnings. The person who promotes vouches by name that people
/// reviewed the proposals.
pub fn governance(to: Phase, facts: Governance<'_>) -> Vec<GovernanceCheck> {
    let Governance { succeeded, failed, rolled_back, .. } = facts;
    let (held, wanted) = (succeeded.saturating_sub(rolled_back), to.min_reviewed());
    let ended = succeeded.saturating_add(failed);
    #[expect(clippy::cast_precision_loss, reason = "counts of log entries stay far below 2^53")]
    let percent = if ended == 0 { 0.0 } else { held as f64 * 100.0 / ended as f64 };
    let check = |name, holds, detail| GovernanceCheck { name, holds, detail };
    let chain = facts.log_fault.map_or_else(|| "the chain and its head agree".to_owned(), str::to_owned);
    let warnings = if facts.warnings.is_empty() { "none".to_owned() } else { facts.warnings.join("; ") };
    vec![
        check(
            "reviewed proposals",
            held >= wanted,
            format!("{held} were applied and are still in effect; {wanted} are needed"),
        ),
        check(
            "success rate",
            ended > 0 && percent >= MIN_SUCCESS_PERCENT,
            format!("{percent:.1} % of {ended} applies; {MIN_SUCCESS_PERCENT} % are needed"),
        ),
        check("log intact", facts.log_fault.is_none(), chain),
        check("no apply unfinished", facts.unfinished == 0, format!("{} began and did not end", facts.unfinished)),
        check("policy warnings", facts.warnings.is_empty(), warnings),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(to: Phase, succeeded: u64, failed: u64, rolled_back: u64) -> Vec<&'static str> {
        let facts = Governance { succeeded, failed, rolled_back, log_fault: None, unfinished: 0, warnings: &[] };
        governance(to, facts).into_iter().filter(|check| !check.holds).map(|check| check.name).collect()
    }

    #[test]
    fn the_counts_of_the_seed_are_the_bounds() {
        assert_eq!(failing(Phase::Expanded, 5, 1, 0), Vec::<&str>::new());
        assert_eq!(failing(Phase::Expanded, 4, 0, 0), ["reviewed proposals"]);
        assert_eq!(failing(Phase::Expanded, 5, 2, 0), ["success rate"]);
        assert_eq!(failing(Phase::Expanded, 5, 0, 1), ["reviewed proposals"], "what was taken back counts no more");
        assert_eq!(failing(Phase::Full, 20, 5, 0), Vec::<&str>::new());
        assert_eq!(failing(Phase::Full, 19, 0, 0), ["reviewed proposals"]);
        assert_eq!(failing(Phase::Full, 0, 0, 0), ["reviewed proposals", "success rate"]);
    }

    #[test]
    fn health_counts_too() {
        let warnings = ["no limit".to_owned()];
        let (log_fault, unfinished) = (Some("cut"), 1);
        let facts = Governance { succeeded: 9, failed: 0, rolled_back: 0, log_fault, unfinished, warnings: &warnings };
        let failing: Vec<_> = governance(Phase::Expanded, facts)
            .into_iter()
            .filter(|check| !check.holds)
            .map(|check| check.name)
            .collect();
        assert_eq!(failing, ["log intact", "no apply unfinished", "policy warnings"]);
    }

    #[test]
    fn each_phase_opens_more_than_the_one_before() {
        assert_eq!(Phase::Bootstrap.next(), Some(Phase::Expanded));
        assert_eq!(Phase::Expanded.next(), Some(Phase::Full));
        assert_eq!(Phase::Full.next(), None);
        for phase in [Phase::Bootstrap, Phase::Expanded, Phase::Full] {
            assert_eq!(Phase::from_name(phase.as_str()), Some(phase));
            let tables = PhasesTable::default();
            let opens = |pattern: &&str| phase.next().is_none_or(|next| tables.allow(next).contains(pattern));
            assert!(tables.allow(phase).iter().all(opens));
        }
    }
}
