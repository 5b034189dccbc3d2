//! What a grant gives, by table; and that it is never more than the policy gives, against a naive model.

use proptest::prelude::*;

use super::*;
use crate::config::Config;

fn config(text: &str) -> Config {
    Config::from_toml(text).expect("a config")
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).expect("a path")
}

#[test]
fn silence_is_the_default_and_an_empty_list_is_nothing() {
    let silent = config("").grants.of("gene_a");
    assert_eq!(
        silent.capabilities(),
        [Capability::RunLog, Capability::Workspace, Capability::History, Capability::Coverage]
    );
    assert!(silent.shows(&path("src/a.py")));
    let nothing = config("[genes.grants.gene_a]\ncapabilities = []\nread = []\nwrite = []\n[policy]\nallow = [\"*\"]");
    let grant = nothing.grants.of("gene_a");
    assert!(grant.capabilities().is_empty() && !grant.shows(&path("src/a.py")));
    let policy = grant.narrow(&nothing.policy, &Constraints::default()).expect("a policy");
    assert!(!policy.decide(&path("src/a.py")).allowed);
    assert!(nothing.policy.decide(&path("src/a.py")).allowed, "another gene's grant is untouched");
    let other = nothing.grants.of("gene_b");
    assert!(other.shows(&path("src/a.py")) && !other.capabilities().is_empty());
}

#[test]
fn a_text_that_is_named_for_a_run_may_ask_the_model_unless_its_table_says_otherwise() {
    let asks = |text: &str, is_named| {
        config(text).grants.of_text("gene_a", is_named).capabilities().contains(&Capability::Completion)
    };
    assert!(asks("", true) && !asks("", false));
    assert!(asks("[genes]\ngrant = [\"completion\"]", false));
    assert!(!asks("[genes.grants.gene_a]\ncapabilities = [\"workspace\"]", true));
    assert!(asks("[genes.grants.gene_a]\nread = [\"src/\"]", true), "a table without a list leaves the default");
    assert!(asks("[genes.grants.gene_b]\ncapabilities = []", true), "another gene's table");
}

#[test]
fn limits_take_the_place_of_the_budgets_either_way() {
    let text = "[budgets]\nfuel = 100\nwall_ms = 50\n[genes.grants.\"gene.a\".limits]\nfuel = 7\nmemory_mib = 1024";
    let config = config(text);
    let own = config.grants.of("gene.a");
    assert_eq!((own.budgets().fuel, own.budgets().wall_ms, own.budgets().memory_mib), (7, 50, 1024));
    assert_eq!(config.grants.of("other").budgets().fuel, 100);
}

#[test]
fn what_cannot_be_enforced_stops_the_host() {
    for (text, says) in [
        ("[genes.grants.gene_a]\nreed = []", "unknown field `reed`"),
        ("[genes.grants.gene_a]\ncapabilities = [\"network\"]", "unknown variant `network`"),
        ("[genes.grants.gene_a.limits]\nwalls = 1", "unknown field `walls`"),
        (
            "[genes.grants.gene_a.limits]\nwall_ms = 0",
            "`limits.wall_ms` in `[genes.grants.\"gene_a\"]` is 0: it must be 1 to",
        ),
        ("[genes.grants.gene_a]\nread = [\"!x\"]", "`read` in `[genes.grants.\"gene_a\"]` has the pattern \"!x\""),
        (
            "[genes.grants.gene_a]\nwrite = [\"a//b\"]",
            "`write` in `[genes.grants.\"gene_a\"]` has the pattern \"a//b\"",
        ),
        ("[genes.grants.\"Gene A\"]", "names \"Gene A\""),
        ("[genes.grants]\ngene_a = 1", "`genes.grants.gene_a` is one table"),
        ("[genes]\nreads = \"index\"", "unknown variant `index`"),
    ] {
        let refused = Config::from_toml(text).expect_err(text).to_string();
        assert!(refused.contains(says), "{text}: {refused}");
    }
}

#[test]
fn a_refusal_says_whose_list_it_was() {
    let config =
        config("[policy]\nallow = [\"src/\"]\ndeny = [\"src/no\"]\n[genes.grants.gene_a]\nwrite = [\"src/a*\"]");
    let own = Constraints { max_files: Some(2), forbidden_paths: vec!["src/a2".to_owned()] };
    let policy = config.grants.of("gene_a").narrow(&config.policy, &own).expect("a policy");
    for (file, allowed, says) in [
        ("src/a1", true, "allowed by the rule `src/` of `[policy] allow`"),
        ("src/A3", false, "not granted: no rule of the gene's `write` grant covers it (`/src/A3` would)"),
        ("src/a2", false, "forbidden by the rule `src/a2` of the gene's own `constraints.forbidden_paths`"),
        ("src/b", false, "not granted: no rule of the gene's `write` grant covers it (`/src/b` would)"),
        ("src/no", false, "denied by the rule `src/no` of `[policy] deny`"),
        ("docs/a", false, "not in the allowlist"),
        (".env", false, "built-in"),
    ] {
        let decision = policy.decide(&path(file));
        assert!(decision.allowed == allowed && decision.reason().contains(says), "{file}: {decision:?}");
    }
    assert_eq!(policy.table().max_files, 2);
    assert_eq!(config.policy.table().max_files, 20);
}

#[test]
fn a_genes_own_list_that_binds_nothing_is_refused() {
    let own = Constraints { max_files: None, forbidden_paths: vec![".git".to_owned(), "../up".to_owned()] };
    let refused = config("").grants.of("gene_a").narrow(&config("").policy, &own).expect_err("`..` binds nothing");
    assert_eq!((refused.gene.as_str(), refused.pattern.as_str()), ("gene_a", "../up"));
}

#[test]
fn a_table_for_nobody_is_told_and_a_saved_proposal_keeps_its_grant() {
    let config = config("[policy]\nallow = [\"*\"]\n[genes.grants.gene_a]\nwrite = []\n[genes.grants.gene_typo]\n");
    assert_eq!(config.grants.strangers(&["gene_a", "gene_b"]), ["gene_typo"]);
    for (gene, allowed) in [(Some("gene_a"), false), (Some("gene_b"), true), (None, true)] {
        assert_eq!(config.grants.policy_for(&config.policy, gene).decide(&path("x")).allowed, allowed, "{gene:?}");
    }
}

/// Names of few letters, so that patterns and paths meet.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[abAB]", "[ab]{2}", Just("é".to_owned())]
}

fn some_path() -> impl Strategy<Value = String> {
    proptest::collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
}

fn patterns() -> impl Strategy<Value = Vec<String>> {
    let one = prop_oneof![
        name(),
        some_path().prop_map(|path| format!("/{path}")),
        name().prop_map(|name| format!("{name}/"))
    ];
    proptest::collection::vec(one, 0..4)
}

/// The naive model of one pattern without wildcards: some prefix of the path, cut at a slash, is what it names.
fn covers(pattern: &str, path: &str, folded: bool) -> bool {
    let lower = |text: &str| if folded { text.to_lowercase() } else { text.to_owned() };
    let (directory, body) = (pattern.ends_with('/'), pattern.trim_end_matches('/'));
    let segments: Vec<String> = path.split('/').map(lower).collect();
    (1..=segments.len()).any(|length| {
        let is_file = length == segments.len();
        let here = match body.strip_prefix('/') {
            Some(anchored) => segments[..length].join("/") == lower(anchored),
            None => segments[length - 1] == lower(body),
        };
        here && (folded || !directory || !is_file)
    })
}

fn any(patterns: &[String], path: &str, folded: bool) -> bool {
    patterns.iter().any(|pattern| covers(pattern, path, folded))
}

proptest! {
    #[test]
    fn a_grant_decides_as_the_naive_model_does(
        allow in patterns(), deny in patterns(), read in patterns(), write in patterns(), forbidden in patterns(),
        file in some_path(),
    ) {
        let text = format!("[policy]\nallow = {allow:?}\ndeny = {deny:?}\n[genes.grants.g]\nread = {read:?}\nwrite = {write:?}");
        let config = config(&text);
        let grant = config.grants.of("g");
        let own = Constraints { max_files: None, forbidden_paths: forbidden.clone() };
        let policy = grant.narrow(&config.policy, &own).expect("plain patterns");
        let at = path(&file);
        let denied = any(&deny, &file, true);
        let shown = !config.policy.denies(&at) && grant.shows(&at);
        prop_assert_eq!(shown, !denied && any(&read, &file, false));
        let writable = !denied && any(&allow, &file, false) && any(&write, &file, false) && !any(&forbidden, &file, true);
        prop_assert_eq!(policy.decide(&at).allowed, writable);
    }
}
