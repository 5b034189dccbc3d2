//! Selection by table: who is chosen, why, and who is not.

use super::*;

/// A stand-in with the case-insensitive substring rule alone; the real one is tested where it is.
fn hits(pattern: &str, signal: &str) -> bool {
    signal.to_lowercase().contains(&pattern.to_lowercase())
}

fn gene(id: &str, patterns: &[&str]) -> Manifest {
    let patterns = serde_json::json!(patterns);
    let text =
        format!(r#"{{"type":"Gene","id":"{id}","category":"repair","signals_match":{patterns},"world":"strategy"}}"#);
    Manifest::from_json(text.as_bytes()).expect("a manifest")
}

fn capsule(id: &str, gene: &str, confidence: f64, trigger: &[&str], status: &str) -> Capsule {
    let trigger = serde_json::json!(trigger);
    let text = format!(
        r#"{{"type":"Capsule","id":"{id}","gene":"{gene}","confidence":{confidence},"trigger":{trigger},
            "outcome":{{"status":"{status}","score":0.85}},"success_streak":99}}"#
    );
    Capsule::from_json(text.as_bytes()).expect("a capsule")
}

/// A try of `gene` for the signals `log_error` and `failed`, `days` before [`now`].
fn tried(gene: &str, success: bool, days: i64) -> Tried {
    let at = Some(now() - jiff::SignedDuration::from_hours(days * 24));
    let signals = vec!["log_error".to_owned(), "failed".to_owned()];
    Tried::once(gene.to_owned(), signals, success, at)
}

fn now() -> Timestamp {
    "2026-02-07T00:00:00Z".parse().expect("a time")
}

struct Case {
    signals: Vec<String>,
    genes: Vec<Manifest>,
    capsules: Vec<(Capsule, u64)>,
    tried: Vec<Tried>,
    strategy: Strategy,
}

fn case(genes: &[Manifest]) -> Case {
    let signals = vec!["log_error".to_owned(), "failed".to_owned()];
    Case { signals, genes: genes.to_vec(), capsules: Vec::new(), tried: Vec::new(), strategy: Strategy::Balanced }
}

impl Case {
    fn select(&self) -> Selection {
        let capsules: Vec<_> =
            self.capsules.iter().map(|(capsule, streak)| Proven { capsule, streak: *streak }).collect();
        select(&self.signals, &self.genes, &capsules, &self.tried, now(), self.strategy, hits)
    }
}

#[test]
fn the_shape_and_the_words_are_those_of_seed_000() {
    let mut case = case(&[
        gene("gene_gep_repair_from_errors", &["error", "exception", "failed"]),
        gene("gene_gep_innovate_from_opportunity", &["failed"]),
    ]);
    case.signals.insert(1, "exception".to_owned());
    case.tried = vec![tried("gene_gep_repair_from_errors", true, 0)];
    let json = serde_json::to_value(case.select()).expect("JSON");
    assert_eq!(json["selected"], "gene_gep_repair_from_errors");
    let reason = serde_json::json!([
        "signals match gene.signals_match",
        "signals: log_error, exception, failed",
        "memory_graph: memory_prefer:gene_gep_repair_from_errors | gene_prior:0.667"
    ]);
    assert_eq!(json["reason"], reason);
    assert_eq!(json["alternatives"], serde_json::json!(["gene_gep_innovate_from_opportunity"]));
    assert_eq!(json["banned"], serde_json::json!([]));
}

#[test]
fn more_patterns_win_and_ties_go_by_id() {
    let case = case(&[gene("b", &["error"]), gene("c", &["error", "failed"]), gene("a", &["failed", "failed"])]);
    let selection = case.select();
    assert_eq!(selection.selected.as_deref(), Some("c"));
    assert_eq!(selection.alternatives, ["a", "b"]);
    let scores: Vec<_> = selection.ranked.iter().map(|ranked| ranked.score.to_string()).collect();
    assert_eq!(scores, ["2", "1", "1"]);
}

#[test]
fn of_two_genes_with_one_id_the_first_counts() {
    let selection = case(&[gene("a", &["error"]), gene("a", &["error", "failed"])]).select();
    assert_eq!(selection.ranked.len(), 1);
    assert_eq!(selection.ranked[0].patterns, ["error"]);
}

#[test]
fn a_capsule_raises_its_gene_by_overlap_confidence_and_recomputed_streak() {
    let mut case = case(&[gene("a", &["error"]), gene("b", &["error"])]);
    let score = |case: &Case| case.select().ranked[0].score.to_string();
    case.capsules = vec![(capsule("c_b", "b", 0.8, &["log_error", "user_missing"], "success"), 0)];
    let selection = case.select();
    assert_eq!(selection.selected.as_deref(), Some("b"));
    assert!(selection.reason.contains(&"capsule: c_b".to_owned()), "{:?}", selection.reason);
    // 1 pattern + half the trigger × 0.8 × streak: the stated one of 99 is not believed.
    assert_eq!(score(&case), "1.4");
    case.capsules[0].1 = 3;
    assert_eq!(score(&case), (1.0 + 0.5 * 0.8 * 3.0_f64).to_string());
    case.capsules[0].1 = 50;
    assert_eq!(score(&case), "3");
}

#[test]
fn a_failed_or_strange_capsule_weighs_nothing() {
    let mut case = case(&[gene("a", &["error"]), gene("b", &["error"])]);
    case.capsules = vec![
        (capsule("c1", "b", 0.9, &["log_error"], "failed"), 5),
        (capsule("c2", "b", 0.9, &["user_missing"], "success"), 5),
        (capsule("c3", "elsewhere", 0.9, &["log_error"], "success"), 5),
    ];
    let selection = case.select();
    assert_eq!(selection.selected.as_deref(), Some("a"));
    assert!(selection.ranked.iter().all(|ranked| ranked.capsule.is_none()));
}

#[test]
fn memory_fades_by_half_in_thirty_days() {
    let probability = |days: i64| {
        let mut case = case(&[gene("a", &["error"])]);
        case.tried = vec![tried("a", true, days)];
        case.select().ranked[0].memory.probability
    };
    assert_eq!(probability(0).to_string(), (2.0 / 3.0_f64).to_string());
    assert_eq!(probability(30).to_string(), (1.5 / 2.5_f64).to_string());
    assert_eq!(probability(-400).to_string(), (2.0 / 3.0_f64).to_string(), "a clock that went back");
}

#[test]
fn only_similar_cycles_are_remembered() {
    let mut case = case(&[gene("a", &["error"])]);
    case.tried = vec![tried("a", false, 0)];
    assert_eq!(case.select().ranked[0].memory.tries, 1);
    // 2 of 5 signals are shared, then 2 of 6: the bound is 0.34.
    case.signals.extend(["x", "y", "z"].map(str::to_owned));
    assert_eq!(case.select().ranked[0].memory.tries, 1);
    case.signals.push("w".to_owned());
    assert_eq!(case.select().ranked[0].memory.tries, 0);
}

#[test]
fn a_gene_that_fails_again_and_again_is_banned_even_alone() {
    let mut case = case(&[gene("a", &["error"])]);
    case.tried = (0..3).map(|_| tried("a", false, 0)).collect();
    assert_eq!(case.select().selected.as_deref(), Some("a"), "1 / 5 is not under 0.18");
    case.tried.push(tried("a", false, 0));
    let selection = case.select();
    assert_eq!(selection.selected, None);
    assert_eq!(selection.banned[0].gene, "a");
    let expect = [
        "nothing selected: every gene that matches the signals is banned",
        "signals: log_error, failed",
        "banned: a (4 tries, probability 0.167 is under 0.18)",
    ];
    assert_eq!(selection.reason, expect);
    case.genes.push(gene("b", &["failed"]));
    assert_eq!(case.select().selected.as_deref(), Some("b"));
}

#[test]
fn a_ban_ends_when_the_failures_are_old() {
    let mut case = case(&[gene("a", &["error"])]);
    case.tried = (0..4).map(|_| tried("a", false, 60)).collect();
    assert_eq!(case.select().selected.as_deref(), Some("a"));
}

#[test]
fn an_empty_answer_says_why() {
    let mut case = case(&[]);
    assert_eq!(case.select().reason[0], "nothing selected: no gene could run");
    case.genes = vec![gene("a", &["timeout"]), gene("b", &[])];
    let none_hits = "nothing selected: no pattern in signals_match of any gene hits the signals";
    assert_eq!(case.select().reason, [none_hits, "signals: log_error, failed"]);
    case.signals.clear();
    assert_eq!(case.select().reason, ["nothing selected: the observation raised no signals"]);
    assert_eq!(case.select().selected, None);
}

#[test]
fn genes_that_are_asked_last_come_after_all_others() {
    let first = case(&[gene("gene_a", &["failed"])]).select();
    let later = case(&[gene("gene_0", &["failed", "log_error"]), gene("gene_1", &["failed"])]).select();
    let ids = |selection: &Selection| selection.ranked.iter().map(|ranked| ranked.gene.clone()).collect::<Vec<_>>();
    let both = first.clone().then(later.clone());
    assert_eq!((both.selected.as_deref(), &both.reason), (Some("gene_a"), &first.reason));
    assert_eq!(
        (ids(&both), both.alternatives),
        (vec!["gene_a".into(), "gene_0".into(), "gene_1".into()], vec!["gene_0".to_owned(), "gene_1".to_owned()])
    );
    let nobody = case(&[gene("gene_a", &["other"])]).select();
    assert_eq!(nobody.clone().then(later.clone()), later);
    assert_eq!(nobody.clone().then(nobody.clone()), nobody);
    let mut failing = case(&[gene("gene_b", &["failed"])]);
    failing.tried = (0..9).map(|days| tried("gene_b", false, days)).collect();
    let banned = first.then(failing.select());
    assert_eq!(banned.banned[0].gene, "gene_b");
    assert!(banned.reason.last().is_some_and(|line| line.starts_with("banned: gene_b")), "{:?}", banned.reason);
}
