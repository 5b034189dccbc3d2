//! Policies: patterns, precedence, what cannot be enforced, and how fast many patterns decide.

#![expect(clippy::disallowed_methods, reason = "a test measures how long a decision takes")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Instant;

use gephost_core::config::Config;
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyError, PolicyTable, Source, ValidationTable};
use proptest::prelude::*;

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
    ("docs/  ", &["docs/a"], &["docs"]),
    ("a\\ b", &["a b"], &["ab"]),
    ("\\ a", &[" a"], &["a"]),
    ("[a-c]*.t?t", &["a.txt", "x/cc.tnt"], &["d.txt", "a.tt"]),
    ("[[:digit:]]*", &["1a", "x/2/y"], &["a1"]),
    ("[^a]b", &["cb"], &["ab"]),
    ("[]]x", &["]x"], &["x"]),
    ("a**b", &["ab", "x/acb"], &["a/b"]),
    ("/**/x", &["x", "a/b/x/c"], &["xy"]),
    ("**/a/*/b", &["a/x/b", "q/a/x/b/c"], &["a/b", "a/x/y/b"]),
    ("a/**", &["a/b", "a/b/c"], &["a", "x/a/b"]),
    ("a/**/", &["a/b/c"], &["a/b", "a"]),
    ("**/", &["a/b"], &["a"]),
    ("*/x", &["a/x", "a/x/y"], &["x", "a/b/x"]),
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
    let policy = policy(&["**"], &["secrets/", "config.json", "/nanobot/cli/", "straße", "*.CERT", "K\u{f6}ln/"]);
    for text in ["a/Secrets/k", "a/SECRETS", "x/CONFIG.json", "nanobot/CLI/x", "STRASSE", "a/KEY.cert", "K\u{d6}LN/x"] {
        let decision = policy.decide(&path(text));
        assert_eq!((decision.allowed, decision.source), (false, Source::PolicyDeny), "{text}");
    }
    assert!(policy.decide(&path("nanobot/client/x")).allowed);
}

#[test]
fn deny_folds_letters_that_look_alike() {
    let policy = policy(&["**"], &["caches/", "*.pemx", "[a-c]x/", "/Nanobot/cli/"]);
    for text in [
        "cach\u{435}s/k",
        "\u{441}aches/k",
        "CACH\u{415}\u{405}/k",
        "k.\u{440}emx",
        "\u{410}X/k",
        "Bx/k",
        "\u{39d}anobot/cli/k",
    ] {
        let decision = policy.decide(&path(text));
        assert_eq!((decision.allowed, decision.source), (false, Source::PolicyDeny), "{text}");
    }
    // The built-in list too, and nothing that merely has such letters.
    assert_eq!(policy.decide(&path(".\u{435}nv")).source, Source::BuiltIn);
    for text in
        ["\u{441}\u{435}\u{43a}\u{440}\u{435}\u{442}\u{44b}/k", "docs/\u{3b1}.md", "docs/\u{43f}\u{440}\u{438}.md"]
    {
        assert!(policy.decide(&path(text)).allowed, "{text}");
    }
}

#[test]
fn allow_is_exact() {
    let policy = policy(&["docs/", "*.md"], &[]);
    for text in ["Docs/a", "DOCS/a", "d\u{43e}cs/a", "a.MD"] {
        assert_eq!(policy.decide(&path(text)).source, Source::NotAllowed, "{text}");
    }
}

/// Phases that widen step by step, as seed 004 section 10 recommends, for a project with its own folders.
const PHASES: &str = r#"
[phases.bootstrap]
allow = ["/evolver/", "/docs/"]
deny = ["config.json", "pyproject.toml"]
[phases.expanded]
allow = ["/evolver/", "/docs/", "/tests/"]
deny = ["config.json", "pyproject.toml"]
[phases.full]
allow = ["/evolver/", "/docs/", "/tests/", "/engine/"]
deny = ["config.json", "pyproject.toml", "/engine/cli/"]
"#;

fn of_phase(phase: &str, allow: &[&str], deny: &[&str]) -> Policy {
    let table: PolicyTable = toml::from_str(&format!("phase = \"{phase}\"\n{PHASES}")).unwrap();
    let table = PolicyTable { allow: owned(allow), deny: owned(deny), ..table };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

#[test]
fn phases_open_what_the_config_says() {
    let opened = |phase, text: &str| {
        let decision = of_phase(phase, &[], &[]).decide(&path(text));
        (decision.allowed, decision.source)
    };
    for (text, bootstrap, expanded, full) in [
        ("evolver/x.py", true, true, true),
        ("docs/a.md", true, true, true),
        ("tests/test_a.py", false, true, true),
        ("engine/agent/loop.py", false, false, true),
        ("engine/cli/main.py", false, false, false),
        ("src/a.py", false, false, false),
        ("x/docs/a.md", false, false, false),
        ("docs/pyproject.toml", false, false, false),
        ("tests/config.json", false, false, false),
    ] {
        for (phase, expected) in [("bootstrap", bootstrap), ("expanded", expanded), ("full", full)] {
            assert_eq!(opened(phase, text), (expected, Source::Phase), "{phase} {text}");
        }
    }
    for phase in ["bootstrap", "expanded", "full"] {
        for text in ["docs/.env", ".github/workflows/ci.yml", "config.json", "secrets/k", "gephost.toml"] {
            assert_eq!(opened(phase, text), (false, Source::BuiltIn), "{phase} {text}");
        }
    }
}

#[test]
fn a_policy_can_only_narrow_its_phase() {
    let policy = of_phase("bootstrap", &["docs/", "src/", "tests/"], &["*.sealed"]);
    let source = |text: &str| {
        let decision = policy.decide(&path(text));
        (decision.allowed, decision.source)
    };
    assert_eq!(source("docs/a.md"), (true, Source::PolicyAllow));
    assert_eq!(source("docs/a.sealed"), (false, Source::PolicyDeny));
    assert_eq!(source("evolver/a.py"), (false, Source::NotAllowed), "the phase opens it, the policy does not");
    assert_eq!(source("src/a.py"), (false, Source::Phase), "the policy opens it, the phase does not");
    let decision = policy.decide(&path("src/a.py"));
    assert!(decision.reason().contains("phase = \"bootstrap\""), "{}", decision.reason());
    assert!(toml::from_str::<PolicyTable>("phase = 'beta'").is_err());
}

#[test]
fn what_may_not_be_meant_is_said() {
    let said = |allow: &[&str], deny: &[&str]| policy(allow, deny).warnings().join("\n");
    assert!(said(&[], &["x"]).contains("nothing may change"));
    assert!(said(&["docs/"], &[]).contains("`deny` is empty"));
    assert!(said(&["**"], &["x"]).contains("covers everything"));
    assert!(said(&["docs/", "/config.json"], &["x"]).contains("allows nothing"));
    assert_eq!(said(&["docs/"], &["x"]), "");
}

#[test]
fn decisions_explain_themselves() {
    let policy = policy(&["docs/"], &["*.sealed"]);
    let explain = |text: &str| {
        let decision = policy.decide(&path(text));
        (decision.rule.clone(), decision.source, decision.reason())
    };
    let (rule, source, reason) = explain("src/evil[1].py");
    assert_eq!((rule.as_str(), source), ("/src/evil\\[1].py", Source::NotAllowed));
    assert!(reason.contains("not in the allowlist") && reason.contains(&rule), "{reason}");
    assert!(explain("docs/a.sealed").2.contains("`*.sealed` of `[policy] deny`"));
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
        " docs",
        "docs\\ ",
        "docs\\ /",
        "[z-a]",
        "[[:nope:]]",
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
        ("", "sandbox = 'L3'", "sandbox"),
        ("", "network = 'some'", "network"),
        ("", "network = 'none'\nsandbox = 'L0'", "network"),
        ("", "network = 'loopback'\nsandbox = 'required:L1'", "network"),
        ("", "caches = ['/root']", "cache"),
        ("", "read = ['../x']", "read"),
        ("", "read = ['/a/../b']", "read"),
        ("", "disk_mib = 0", "disk_mib"),
        ("", "processes = 1", "processes"),
        ("", "reruns = 11", "reruns"),
        ("", "timeout_s = 0", "timeout_s"),
        ("", "timeout_s = 4000", "timeout_s"),
        ("", "parallel = 0", "parallel"),
        ("", "parallel = 65", "parallel"),
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

/// Trying every pattern in turn, on every part of the path, with a matcher that only this test has.
fn covered_naively(patterns: &[String], path: &str, folded: bool) -> bool {
    fn segment(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some(('*', more)), _) => {
                segment(more, name) || name.split_first().is_some_and(|(_, n)| segment(pattern, n))
            }
            (Some(('?', more)), Some((_, n))) => segment(more, n),
            (Some((letter, more)), Some((first, n))) => letter == first && segment(more, n),
            _ => false,
        }
    }
    fn segments(pattern: &[&str], names: &[&str]) -> bool {
        match (pattern.split_first(), names.split_first()) {
            (None, None) => true,
            (Some((&"**", [])), _) => !names.is_empty(),
            (Some((&"**", more)), _) => {
                segments(more, names) || names.split_first().is_some_and(|(_, n)| segments(pattern, n))
            }
            (Some((part, more)), Some((name, n))) => {
                let (part, name): (Vec<char>, Vec<char>) = (part.chars().collect(), name.chars().collect());
                segment(&part, &name) && segments(more, n)
            }
            _ => false,
        }
    }
    let path = if folded { path.to_lowercase() } else { path.to_owned() };
    let names: Vec<&str> = path.split('/').collect();
    patterns.iter().any(|pattern| {
        let pattern = if folded { pattern.to_lowercase() } else { pattern.clone() };
        let directory = pattern.ends_with('/') && !folded;
        let body = pattern.trim_end_matches('/');
        let anchored = body.contains('/');
        let mut parts: Vec<&str> = body.trim_start_matches('/').split('/').collect();
        if !anchored {
            parts.insert(0, "**");
        }
        (1..=names.len() - usize::from(directory)).any(|end| segments(&parts, &names[..end]))
    })
}

proptest! {
    #[test]
    fn many_patterns_decide_as_each_in_turn_would(
        patterns in proptest::collection::vec("/?([ab*?A]{1,3}|\\*\\*)(/([abc*?]{1,3}|\\*\\*)){0,2}/?", 0..12),
        paths in proptest::collection::vec("[abcA]{1,3}(/[abcB]{1,3}){0,3}", 1..12),
    ) {
        let (allowing, denying) = (PolicyTable { allow: patterns.clone(), ..PolicyTable::default() },
            PolicyTable { allow: owned(&["**"]), deny: patterns.clone(), ..PolicyTable::default() });
        let made = |table| Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap();
        let (allowing, denying) = (made(allowing), made(denying));
        for text in &paths {
            prop_assert_eq!(allowing.decide(&path(text)).allowed, covered_naively(&patterns, text, false), "{}", text);
            prop_assert_eq!(!denying.decide(&path(text)).allowed, covered_naively(&patterns, text, true), "{}", text);
        }
    }

    #[test]
    fn no_pattern_makes_it_panic(pattern in any::<String>(), text in "[a-z/\\[\\]é.*]{1,20}") {
        let table = PolicyTable { allow: vec![pattern.clone()], deny: vec![pattern], ..PolicyTable::default() };
        if let (Ok(policy), Ok(path)) = (Policy::from_tables(table, &ValidationTable::default(), &[]), RepoPath::new(&text)) {
            let _ = policy.decide(&path);
        }
    }
}

/// The aim is 100 ms; the bound leaves room for a busy machine and still fails where each pattern is tried in turn.
#[test]
fn ten_thousand_patterns_decide_a_hundred_thousand_paths() {
    let mixes: [fn(usize) -> (String, String); 3] = [
        |n| (format!("/src/module{n}/"), format!("secret_name_{n}.txt")),
        |n| (format!("/src/module{n}/**/*.rs"), format!("*.ext{n}")),
        |n| (format!("src/module{n}/*/file*.rs"), format!("**/hidden{n}/**/x[0-9]?")),
    ];
    for mix in mixes {
        let (allow, deny): (Vec<String>, Vec<String>) = (0..5_000).map(mix).unzip();
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
}

#[test]
fn a_phase_needs_its_own_paths() {
    let read = |policy: &str| Config::from_toml(&format!("[policy]\nphase = \"bootstrap\"\n{policy}"));
    let of_another = "[policy.phases.full]\nallow = [\"/src/\"]\n";
    for without in ["", "[policy.phases.bootstrap]\ndeny = [\"/src/\"]\n", of_another] {
        let refused = read(without).unwrap_err().to_string();
        assert!(refused.contains("`phase = \"bootstrap\"` needs `[policy.phases.bootstrap] allow`"), "{refused}");
    }
    let config = read("[policy.phases.bootstrap]\nallow = [\"/src/\"]\ndeny = [\"/src/cli/\"]\n").unwrap();
    let allowed = |path: &str| config.policy.decide(&RepoPath::new(path).unwrap()).allowed;
    assert!(allowed("src/x.py") && !allowed("docs/x.md") && !allowed("src/cli/x.py") && !allowed("src/.env"));
}

#[test]
fn tables_of_phases_are_checked_even_of_later_phases() {
    let refused = |text: &str| Config::from_toml(text).unwrap_err().to_string();
    let nothing = refused("[policy.phases.full]\nallow = [\"/src/\"]\n");
    assert!(nothing.contains("no effect without `phase`"), "{nothing}");
    let malformed = refused(
        "[policy]\nphase = \"bootstrap\"\n[policy.phases.bootstrap]\nallow = [\"/a/\"]\n[policy.phases.full]\nallow = [\"[\"]\n",
    );
    assert!(malformed.contains("`[policy.phases] allow`"), "{malformed}");
    let unknown = refused("[policy]\nphase = \"bootstrap\"\n[policy.phases.last]\nallow = []\n");
    assert!(unknown.contains("unknown field `last`"), "{unknown}");
}
