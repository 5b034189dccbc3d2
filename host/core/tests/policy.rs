//! Policies: patterns, precedence, what cannot be enforced, and how fast many patterns decide.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Instant;

use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyError, PolicyTable, Source, ValidationTable};

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn policy(allow: &[&str], deny: &[&str]) -> Policy {
    let table = PolicyTable { allow: owned(allow), deny: owned(deny), ..PolicyTable::default() };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// A pattern, paths that it covers, and paths that it does not.
const PATTERNS: &[(&str, &[&str], &[&str])] = &[
    ("**", &["a", "a/b/c"], &[]),
    ("*", &["a", "a/b/c"], &[]),
    ("docs", &["docs", "docs/a", "x/docs/a", "x/docs"], &["docs_evil/a", "mydocs/a", "Docs/a"]),
    ("docs/", &["docs/a", "x/docs/a"], &["docs", "docs_evil/a"]),
    ("/docs/", &["docs/a"], &["x/docs/a", "docs"]),
    ("/docs", &["docs", "docs/a"], &["x/docs"]),
    ("src/gen", &["src/gen", "src/gen/a"], &["x/src/gen", "src/general"]),
    ("*.md", &["a.md", "x/a.md", "x.md/y"], &["a.mdx", "md"]),
    ("/*.md", &["a.md"], &["x/a.md"]),
    ("docs/*.md", &["docs/a.md"], &["docs/x/a.md", "x/docs/a.md"]),
    ("docs/**/a.md", &["docs/a.md", "docs/x/y/a.md"], &["a.md", "docs/b.md"]),
    ("**/test", &["test", "x/test", "x/test/y"], &["tests"]),
    ("docs/**", &["docs/a", "docs/x/y"], &["docs"]),
    ("a?c", &["abc", "x/a-c"], &["ac", "a/c"]),
    ("[ab].txt", &["a.txt", "x/b.txt"], &["c.txt"]),
    ("[!ab].txt", &["c.txt"], &["a.txt"]),
    ("{a,b}", &["{a,b}"], &["a", "b"]),
    ("{a,b}*", &["{a,b}c"], &["ac"]),
    ("a\\*b", &["a*b"], &["axb"]),
    ("\\!x", &["!x"], &["x"]),
    ("\\#x", &["#x"], &["x"]),
    ("with space", &["with space"], &["with"]),
    ("café", &["café"], &["cafe"]),
];

#[test]
fn patterns_mean_what_gitignore_says() {
    for (pattern, covered, others) in PATTERNS {
        let policy = policy(&[pattern], &[]);
        for text in *covered {
            assert!(policy.decide(&path(text)).allowed, "{pattern} covers {text}");
        }
        for text in *others {
            assert!(!policy.decide(&path(text)).allowed, "{pattern} does not cover {text}");
        }
    }
}

#[test]
fn the_built_in_list_cannot_be_lifted() {
    let policy = policy(&["**", ".env", "/.github/workflows/ci.yml"], &[]);
    for text in [
        ".env",
        "docs/.env",
        ".ENV",
        "a/.Env/b",
        "node_modules/x",
        "a/node_modules/x",
        "Node_Modules/x",
        ".gitmodules",
        "x/.gitattributes",
        "secrets/k",
        "SECRETS/k",
        "config.json",
        "Config.JSON",
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/ci.yml",
        "assets/gep/events.jsonl",
        "gephost.toml",
        "GEPHOST.toml",
        ".gephost/x",
        "x/.gephost/y",
        "secrets",
    ] {
        let decision = policy.decide(&path(text));
        assert_eq!((decision.allowed, decision.source), (false, Source::BuiltIn), "{text}");
    }
    for text in
        [".env_notes.md", ".environment", "docs/secrets/k", "docs/config.json", ".github/ISSUE.md", "x/gephost.toml"]
    {
        assert!(policy.decide(&path(text)).allowed, "{text}");
    }
}

#[test]
fn deny_wins_and_folds_letters() {
    let policy = policy(&["**"], &["secrets/", "config.json", "/nanobot/cli/", "straße", "*.PEM", "K\u{f6}ln/"]);
    for text in ["a/Secrets/k", "a/SECRETS", "x/CONFIG.json", "nanobot/CLI/x", "STRASSE", "a/KEY.pem", "K\u{d6}LN/x"] {
        let decision = policy.decide(&path(text));
        assert_eq!((decision.allowed, decision.source), (false, Source::PolicyDeny), "{text}");
    }
    assert!(policy.decide(&path("nanobot/client/x")).allowed);
}

#[test]
fn decisions_explain_themselves() {
    let policy = policy(&["docs/"], &["*.key"]);
    let explain = |text: &str| {
        let decision = policy.decide(&path(text));
        (decision.rule.clone(), decision.source, decision.reason())
    };
    let (rule, source, reason) = explain("src/evil[1].py");
    assert_eq!((rule.as_str(), source), ("/src/evil\\[1].py", Source::NotAllowed));
    assert!(reason.contains("not in the allowlist") && reason.contains(&rule), "{reason}");
    assert!(explain("docs/a.key").2.contains("`*.key` of `[policy] deny`"));
    assert!(explain("docs/.env").2.contains("built-in rule `.env`"));
    assert_eq!((explain("docs/a").0.as_str(), explain("docs/a").1), ("docs/", Source::PolicyAllow));
}

#[test]
fn the_suggested_rule_allows_exactly_the_path() {
    for text in ["src/evil[1].py", "a*b", "a?b", "{x}", "!x", "#x", "a b/c"] {
        let suggested = policy(&[], &[]).decide(&path(text)).rule;
        let policy = policy(&[&suggested], &[]);
        assert!(policy.decide(&path(text)).allowed, "{suggested} for {text}");
        assert!(!policy.decide(&path(&format!("x/{text}"))).allowed, "{suggested}");
    }
}

#[test]
fn an_empty_allowlist_allows_nothing() {
    assert_eq!(policy(&[], &[]).decide(&path("a")).source, Source::NotAllowed);
}

#[test]
fn patterns_that_cannot_work_are_refused() {
    for pattern in [
        "",
        " ",
        "/",
        "//",
        "!docs/",
        "#x",
        "docs/ ",
        " docs",
        "./docs",
        "../x",
        "a/../b",
        "a//b",
        "[ab",
        "a\\",
        "a\u{200b}b",
        "a\nb",
        "\u{ff0e}env",
        "a\\/b",
    ] {
        for (allow, deny) in [(pattern, "x"), ("x", pattern)] {
            let table = PolicyTable { allow: owned(&[allow]), deny: owned(&[deny]), ..PolicyTable::default() };
            let made = Policy::from_tables(table, &ValidationTable::default(), &[]);
            assert!(matches!(made, Err(PolicyError::Pattern { .. })), "{pattern:?}");
        }
    }
}

#[test]
fn what_cannot_be_enforced_stops_the_host() {
    let refused = |policy: &str, validation: &str| {
        let policy = toml::from_str::<PolicyTable>(policy).map_err(|error| error.to_string())?;
        let validation = toml::from_str::<ValidationTable>(validation).map_err(|error| error.to_string())?;
        Policy::from_tables(policy, &validation, &[]).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(refused("", ""), Ok(()));
    assert_eq!(refused("symlinks = false\npatterns = 'flag'", "sandbox = 'required:L0'"), Ok(()));
    for (policy, validation, named) in [
        ("symlinks = true", "", "symlinks"),
        ("submodules = true", "", "submodules"),
        ("binary = true", "", "binary"),
        ("max_risk = 101", "", "max_risk"),
        ("max_file = 3", "", "max_file"),
        ("patterns = 'ignore'", "", "ignore"),
        ("allow = 'docs/'", "", "docs/"),
        ("", "sandbox = 'L1'", "sandbox"),
        ("", "timeout_s = 0", "timeout_s"),
        ("", "timeout_s = 4000", "timeout_s"),
        ("", "timeout = 4", "timeout"),
        ("", "programs = ['bash']", "bash"),
        ("", "commands = ['pytest; x']", "pytest; x"),
    ] {
        let error = refused(policy, validation).unwrap_err();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn the_hosts_own_paths_are_protected() {
    let table = PolicyTable { allow: owned(&["**"]), ..PolicyTable::default() };
    let policy = Policy::from_tables(table, &ValidationTable::default(), &[path("my[1]/events.jsonl")]).unwrap();
    assert_eq!(policy.decide(&path("my[1]/events.jsonl")).source, Source::BuiltIn);
    assert!(policy.decide(&path("my1/events.jsonl")).allowed);
}

/// The aim is 100 ms; the bound leaves room for a busy machine and still fails where each pattern is tried in turn.
#[test]
fn ten_thousand_patterns_decide_a_hundred_thousand_paths() {
    let allow: Vec<String> = (0..5_000).map(|n| format!("/src/module{n}/")).collect();
    let deny: Vec<String> = (0..5_000).map(|n| format!("secret_name_{n}.txt")).collect();
    let table = PolicyTable { allow, deny, ..PolicyTable::default() };
    let policy = Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap();
    let paths: Vec<RepoPath> =
        (0..100_000).map(|n| path(&format!("src/module{}/deep/file{n}.rs", n % 6_000))).collect();
    let start = Instant::now();
    let allowed = paths.iter().filter(|path| policy.decide(path).allowed).count();
    let took = start.elapsed();
    assert!(allowed > 80_000 && allowed < 100_000, "{allowed}");
    assert!(took.as_millis() < 1_000, "{took:?}");
}
