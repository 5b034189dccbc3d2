//! The decision on one path, with the rule behind it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::path::RepoPath;

/// The list whose rule decided about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// [`super::BUILT_IN_DENY`], or a path that the host itself protects.
    BuiltIn,
    /// `[policy] allow`.
    PolicyAllow,
    /// `[policy] deny`.
    PolicyDeny,
    /// `[policy] phase`: a path that it allows, denies, or does not cover.
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
    /// Whether a proposal may touch the path.
    pub allowed: bool,
    /// The pattern that decided; with [`Source::NotAllowed`], the one that would allow exactly this path.
    pub rule: String,
    /// The list that the rule came from.
    pub source: Source,
}

impl Decision {
    /// The reason, as a fragment that can follow the path and a colon.
    pub fn reason(&self) -> String {
        let rule = &self.rule;
        match self.source {
            Source::BuiltIn => {
                format!("denied by the built-in rule `{rule}`, which no policy can override")
            }
            Source::PolicyDeny => format!("denied by the rule `{rule}` of `[policy] deny`"),
            Source::PolicyAllow => format!("allowed by the rule `{rule}` of `[policy] allow`"),
            Source::Phase if self.allowed => format!("allowed by the rule `{rule}` of the policy's phase"),
            Source::Phase => format!("denied by `{rule}` of the policy's phase, which only a promotion widens"),
            Source::NotAllowed => {
                format!("not in the allowlist: no rule of `[policy] allow` covers it (`{rule}` would)")
            }
            Source::GeneForbids => {
                format!("forbidden by the rule `{rule}` of the gene's own `constraints.forbidden_paths`")
            }
            Source::NotGranted => {
                format!("not granted: no rule of the gene's `write` grant covers it (`{rule}` would)")
            }
        }
    }
}

/// The pattern that matches exactly one path.
pub(super) fn anchored(path: &RepoPath) -> String {
    let mut pattern = String::from("/");
    for c in path.as_str().chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
