//! The paths that no policy can allow.
//!
//! What must stay true: the list only grows, and its exceptions are names by which files without secrets are usually kept
//! in a repository. An exception lifts only the rule beside it.

use std::sync::LazyLock;

use crate::path::RepoPath;
use crate::pattern::{Case, PatternSet};

/// Paths that no policy can allow: the repository's own data, secrets, the pipeline, the audit log of seed 000, and
/// gephost's own config and state (seeds 000 and 004, "hard denylist"). Of the secrets, these are the files in which
/// programs keep passwords, tokens and private keys by default.
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
    ".envrc",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    "**/.docker/config.json",
    "**/.cargo/credentials",
    "**/.cargo/credentials.toml",
    "**/.gem/credentials",
    ".vault-token",
    ".ssh/",
    ".aws/",
    ".azure/",
    ".gnupg/",
    ".kube/",
    "*.pem",
    "*.key",
    "*.ppk",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa.*",
    "id_dsa.*",
    "id_ecdsa.*",
    "id_ed25519.*",
];

/// A built-in rule for names that has exceptions.
#[derive(Debug, Clone, Copy)]
pub struct NameRule {
    /// The names that are denied, as a pattern.
    pub denied: &'static str,
    /// Patterns of those among them that are not denied.
    pub excepted: &'static [&'static str],
    /// Whether folders of such a name are denied too. Code is often in folders such as `id_service`.
    pub is_for_folders: bool,
}

/// The built-in rules that have exceptions.
pub const BUILT_IN_NAMES: &[NameRule] = &[
    NameRule {
        denied: ".env.*",
        excepted: &[".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.schema"],
        is_for_folders: true,
    },
    NameRule { denied: "id_*", excepted: &["id_*.*"], is_for_folders: false },
];

/// The patterns of [`BUILT_IN_NAMES`], compiled: denied and excepted.
static NAME_PATTERNS: LazyLock<Vec<(PatternSet, PatternSet)>> = LazyLock::new(|| {
    let compiled = |patterns: &[&'static str]| {
        PatternSet::new(patterns.iter().copied(), Case::Folded).expect("a test compiles every pattern")
    };
    BUILT_IN_NAMES.iter().map(|rule| (compiled(&[rule.denied]), compiled(rule.excepted))).collect()
});

/// The rule of [`BUILT_IN_NAMES`] that denies a path.
pub(super) fn denied_name(path: &RepoPath) -> Option<&'static str> {
    let names: Vec<&str> = path.as_str().split('/').collect();
    let mut rules = BUILT_IN_NAMES.iter().zip(NAME_PATTERNS.iter());
    let hit = rules.find(|(rule, (denied, excepted))| {
        let of_files = names.len().saturating_sub(1);
        let names = names.iter().skip(if rule.is_for_folders { 0 } else { of_files });
        names.into_iter().any(|name| denied.find(name).is_some() && excepted.find(name).is_none())
    });
    hit.map(|(rule, _)| rule.denied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, PolicyTable, Source, ValidationTable};

    fn policy() -> Policy {
        let table = PolicyTable { allow: vec!["**".to_owned()], ..PolicyTable::default() };
        Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
    }

    #[test]
    fn files_in_which_programs_keep_secrets_are_denied_wherever_they_are() {
        let policy = policy();
        for path in [
            ".env.production",
            "app/.env.local",
            ".ENV.Staging",
            ".env.example.local",
            ".env.d/.env.example",
            ".envrc",
            ".npmrc",
            "web/.npmrc",
            ".pypirc",
            ".netrc",
            "_netrc",
            "deploy/.ssh/config",
            "deploy/.ssh/known_hosts",
            "tls/server.pem",
            "tls/server.KEY",
            "id_rsa",
            "keys/id_ed25519",
            "keys/id_ed25519.pub",
            "keys/id_rsa.bak",
            "keys/id_ecdsa_sk",
            "keys/id_deploy",
            "id_x.y/id_deploy",
            ".aws/credentials",
            ".docker/config.json",
            ".git-credentials",
            "store.p12",
        ] {
            let path = RepoPath::new(path).unwrap();
            let decision = policy.decide(&path);
            assert!(!decision.allowed && decision.source == Source::BuiltIn, "{path}: {decision:?}");
            assert!(policy.denies(&path), "{path}: genes do not see it");
        }
    }

    #[test]
    fn similar_names_of_ordinary_files_are_not() {
        let policy = policy();
        for path in [
            ".env.example",
            "app/.env.sample",
            ".env.template",
            ".env.dist",
            "src/env.py",
            "id_map.py",
            "src/id_generator.rs",
            "id_service/main.py",
            "src/idle",
            "docs/ssh/readme.md",
            "src/key.rs",
            "src/keys/mod.rs",
            "pem.py",
            "npmrc.md",
            "docker/config.json",
        ] {
            let path = RepoPath::new(path).unwrap();
            assert!(policy.decide(&path).allowed && !policy.denies(&path), "{path}: {:?}", policy.decide(&path));
        }
    }
}
