//! The index against the scan of every gene, and against [`super::super::select`].

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::capsule::Capsule;
use crate::gene::{Category, Manifest};
use crate::select::{Proven, Selection, Strategy, Tried, select};
use crate::signal::pattern_matches;

const PATTERNS: &[&str] = &[
    "error",
    "Error",
    "err",
    "log_error",
    "timeout|crash",
    "crash | time",
    "/time.?out/i",
    "/^log/",
    "/[0-9]+x/",
    "/(a+)+$/",
    "/ſtuck/i",
    "/(?=x)/",
    "errsig:TypeError: x at /home/u/a.js:10:5",
    "errsig_norm:ffae6ead",
    "errsig",
    "user_feature_request",
    "",
    "|",
    "失败",
    "r",
];

const SIGNALS: &[&str] = &[
    "log_error",
    "LOG_ERROR",
    "timeout",
    "connection time out 42x",
    "errsig:TypeError: x at /srv/b.js:99:1",
    "user_feature_request:add a Crash page",
    "STUCK",
    "\u{17f}tuck",
    "测试失败",
    "aaaa",
];

const CATEGORIES: &[&str] = &["repair", "optimize", "innovate", "explore"];

fn now() -> Timestamp {
    "2026-02-07T00:00:00Z".parse().expect("a time")
}

/// What is selected from.
#[derive(Debug, Clone)]
struct Store {
    signals: Vec<String>,
    genes: Vec<Manifest>,
    capsules: Vec<(Capsule, u64)>,
    tried: Vec<Tried>,
    strategy: Strategy,
}

impl Store {
    fn builder(&self, common_from: u32) -> Builder {
        let mut builder = Builder::with_common_from(common_from);
        for (at, manifest) in (0..).zip(&self.genes) {
            let gene = &manifest.gene;
            let place = Place { file: 1, offset: at, length: 7 };
            let entry = GeneEntry { id: &gene.id, category: &gene.category, patterns: &gene.signals_match, place };
            builder.gene(entry, Rank::Item(at));
        }
        for (at, (capsule, _)) in (0..).zip(&self.capsules) {
            let (id, gene) = (capsule.id.as_str(), capsule.gene.as_deref().unwrap_or_default());
            let entry = CapsuleEntry { id, gene, trigger: &capsule.trigger, confidence: capsule.confidence };
            if capsule.outcome.is_success() {
                builder.capsule(entry, Rank::Item(at));
            } else {
                builder.no_capsule(id, Rank::Item(at));
            }
        }
        builder
    }

    fn index(&self, common_from: u32) -> Index {
        Index::from_bytes(self.builder(common_from).finish()).expect("an index")
    }

    fn linear(&self) -> Selection {
        let proven: Vec<_> =
            self.capsules.iter().map(|(capsule, streak)| Proven { capsule, streak: *streak }).collect();
        select(&self.signals, &self.genes, &proven, &self.tried, now(), self.strategy, pattern_matches)
    }

    fn found(&self, index: &Index, limit: usize, without: &BTreeSet<String>) -> (Found, Found) {
        let streaks: BTreeMap<String, u64> = self
            .capsules
            .iter()
            .filter(|(_, streak)| *streak > 1)
            .map(|(capsule, streak)| (capsule.id.clone(), *streak))
            .collect();
        let query = Query {
            signals: &self.signals,
            tried: &self.tried,
            streaks: &streaks,
            without,
            strategy: self.strategy,
            now: now(),
            limit,
        };
        let mut searcher = Searcher::new(index);
        let first = searcher.select(&query);
        assert_eq!(first, searcher.select(&query), "a second selection is the same");
        (first, searcher.scan(&query))
    }
}

fn gene(number: u8, category: &str, patterns: &[&str]) -> Manifest {
    let document = serde_json::json!({
        "type": "Gene", "id": format!("gene_{number}"), "category": category, "signals_match": patterns,
        "world": "strategy",
    });
    Manifest::from_json(document.to_string().as_bytes()).expect("a manifest")
}

fn capsule(id: usize, gene: u8, trigger: &[&str], confidence: f64, status: &str) -> Capsule {
    let document = serde_json::json!({
        "type": "Capsule", "id": format!("c{id}"), "gene": format!("gene_{gene}"), "trigger": trigger,
        "confidence": confidence, "outcome": {"status": status, "score": 0.9},
    });
    Capsule::from_json(document.to_string().as_bytes()).expect("a capsule")
}

prop_compose! {
    fn some_patterns()(list in prop::collection::vec(0..PATTERNS.len(), 0..5)) -> Vec<&'static str> {
        list.into_iter().map(|at| PATTERNS[at]).collect()
    }
}

prop_compose! {
    fn some_signals()(list in prop::collection::vec(0..SIGNALS.len(), 0..6)) -> Vec<String> {
        list.into_iter().map(|at| SIGNALS[at].to_owned()).collect()
    }
}

prop_compose! {
    fn store()(
        signals in some_signals(),
        genes in prop::collection::vec((0..30_u8, 0..CATEGORIES.len(), some_patterns()), 0..40),
        capsules in prop::collection::vec((0..35_u8, some_patterns(), 0..5_u8, any::<bool>(), 0..4_u64), 0..40),
        tried in prop::collection::vec((0..35_u8, some_signals(), any::<bool>(), 0..90_i64), 0..12),
        strategy in 0..Strategy::ALL.len(),
    ) -> Store {
        let genes = genes.iter().map(|(id, category, patterns)| gene(*id, CATEGORIES[*category], patterns)).collect();
        let capsules = capsules.iter().enumerate().map(|(id, (of, trigger, confidence, failed, streak))| {
            let status = if *failed && id % 4 == 0 { "failed" } else { "success" };
            (capsule(id, *of, trigger, f64::from(*confidence) / 4.0, status), *streak)
        }).collect();
        let tried = tried.into_iter().map(|(of, signals, success, days)| {
            let at = Some(now() - jiff::SignedDuration::from_hours(days * 24));
            Tried::once(format!("gene_{of}"), signals, success, at)
        }).collect();
        Store { signals, genes, capsules, tried, strategy: Strategy::ALL[strategy] }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_index_gives_what_the_scan_and_the_linear_selection_give(
        store in store(), common_from in 1..12_u32, limit in 1..20_usize, removed in 0..30_u8,
    ) {
        let linear = store.linear();
        let index = store.index(common_from);
        let (found, scanned) = store.found(&index, limit, &BTreeSet::new());
        prop_assert_eq!(&found, &scanned);
        let ranked: Vec<_> = found.genes.iter().map(|found| found.ranked.clone()).collect();
        let mut first = linear.ranked.clone();
        first.truncate(limit);
        // The linear selection keeps the category's own word.
        for ranked in &mut first {
            if ranked.category == "explore" { ranked.category = "other".to_owned(); }
        }
        prop_assert_eq!(ranked, first);
        prop_assert_eq!(&found.banned, &linear.banned);
        // A gene that does not take part changes nothing for the others.
        let without = BTreeSet::from([format!("gene_{removed}")]);
        let (fewer, scanned) = store.found(&index, limit, &without);
        prop_assert_eq!(&fewer, &scanned);
        prop_assert!(fewer.genes.iter().all(|found| !without.contains(&found.ranked.gene)));
    }

    #[test]
    fn the_order_makes_no_difference(store in store(), seed in any::<u64>()) {
        let mut shuffled = store.clone();
        // Of two genes with one id the first counts, so the places of those stay.
        let mut ids = BTreeSet::new();
        shuffled.genes.retain(|gene| ids.insert(gene.id().to_owned()));
        let straight = Store { genes: shuffled.genes.clone(), ..store };
        let mut state = seed | 1;
        let mut key = || { state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1); state >> 33 };
        shuffled.genes.sort_by_cached_key(|_| key());
        shuffled.capsules.sort_by_cached_key(|_| key());
        let (one, other) = (straight.index(3), shuffled.index(3));
        let none = BTreeSet::new();
        let strip = |found: Found| found.genes.into_iter().map(|found| found.ranked).collect::<Vec<_>>();
        prop_assert_eq!(strip(straight.found(&one, 9, &none).0), strip(shuffled.found(&other, 9, &none).0));
        prop_assert_eq!(straight.linear(), shuffled.linear());
    }

    #[test]
    fn damaged_bytes_give_no_panic(store in store(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = store.builder(2).finish();
        let cut = at.index(bytes.len());
        prop_assert!(Index::from_bytes(bytes[..cut].to_vec()).is_none());
        bytes[cut] = byte;
        if let Some(index) = Index::from_bytes(bytes) {
            let streaks = BTreeMap::from([("c1".to_owned(), 3)]);
            let query = Query { signals: &store.signals, tried: &store.tried, streaks: &streaks,
                without: &BTreeSet::new(), strategy: Strategy::Balanced, now: now(), limit: 5 };
            Searcher::new(&index).select(&query);
        }
    }
}

#[test]
fn of_two_entries_with_one_id_the_newest_line_and_then_the_first_item_counts() {
    let mut builder = Builder::new();
    let mut put = |pattern: &str, file, rank| {
        let place = Place { file, offset: 1 << 40, length: 9 };
        let patterns = [pattern.to_owned()];
        builder.gene(GeneEntry { id: "g", category: &Category::Repair, patterns: &patterns, place }, rank);
    };
    let line = |number| Rank::Line(std::cmp::Reverse(number));
    put("received", 2, Rank::Received(0));
    put("second", 0, Rank::Item(2));
    put("first", 0, Rank::Item(1));
    let signals = ["received first second old new".to_owned()];
    let index = |builder: Builder| Index::from_bytes(builder.finish()).expect("an index");
    let found = |index: &Index| {
        let (none, streaks) = (BTreeSet::new(), BTreeMap::new());
        let query = Query {
            signals: &signals,
            tried: &[],
            streaks: &streaks,
            without: &none,
            strategy: Strategy::Balanced,
            now: now(),
            limit: 4,
        };
        let genes = Searcher::new(index).select(&query).genes;
        genes.into_iter().map(|found| (found.ranked.patterns.join(","), found.place)).collect::<Vec<_>>()
    };
    let mut lines = Builder::new();
    for (pattern, file, rank) in
        [("first", 0, Rank::Item(1)), ("old", 1, line(1)), ("new", 1, line(7)), ("received", 2, Rank::Received(0))]
    {
        let place = Place { file, offset: 5, length: 9 };
        let patterns = [pattern.to_owned()];
        lines.gene(GeneEntry { id: "g", category: &Category::Repair, patterns: &patterns, place }, rank);
    }
    assert_eq!(found(&index(builder)), [("first".to_owned(), Place { file: 0, offset: 1 << 40, length: 9 })]);
    assert_eq!(found(&index(lines)), [("new".to_owned(), Place { file: 1, offset: 5, length: 9 })]);
    let mut gone = Builder::new();
    let patterns = ["first".to_owned()];
    let entry = GeneEntry { id: "g", category: &Category::Repair, patterns: &patterns, place: Place::default() };
    gone.gene(entry, Rank::Item(0));
    gone.no_gene("g", line(0));
    assert_eq!(found(&index(gone)), []);
}

#[test]
fn received_genes_come_last_whatever_their_score() {
    let mut builder = Builder::with_common_from(1);
    let (one, two) = (["error".to_owned()], ["error".to_owned(), "log".to_owned()]);
    let entry = |id, patterns| GeneEntry { id, category: &Category::Repair, patterns, place: Place::default() };
    builder.gene(entry("a", &two), Rank::Received(0));
    builder.gene(entry("b", &one), Rank::Item(0));
    let index = Index::from_bytes(builder.finish()).expect("an index");
    let (none, streaks, signals) = (BTreeSet::new(), BTreeMap::new(), ["log_error".to_owned()]);
    let query = Query {
        signals: &signals,
        tried: &[],
        streaks: &streaks,
        without: &none,
        strategy: Strategy::Balanced,
        now: now(),
        limit: 4,
    };
    let found = Searcher::new(&index).select(&query);
    let rows: Vec<_> = found.genes.iter().map(|found| (found.ranked.gene.as_str(), found.ranked.is_received)).collect();
    assert_eq!(rows, [("b", false), ("a", true)]);
}

#[test]
fn more_expressions_than_are_asked_are_counted() {
    let mut builder = Builder::new();
    for number in 0..MAX_EXPRESSIONS + 10 {
        let patterns = [format!("/[a-m][n-z]{{{}}}|[0-9]{{{number}}}z/", number % 50 + 1)];
        let (id, place) = (format!("g{number}"), Place::default());
        builder.gene(
            GeneEntry { id: &id, category: &Category::Repair, patterns: &patterns, place },
            Rank::Item(number as u64),
        );
    }
    let index = Index::from_bytes(builder.finish()).expect("an index");
    assert_eq!(index.genes(), MAX_EXPRESSIONS + 10);
    let (none, streaks, signals) = (BTreeSet::new(), BTreeMap::new(), ["!".to_owned()]);
    let query = Query {
        signals: &signals,
        tried: &[],
        streaks: &streaks,
        without: &none,
        strategy: Strategy::Balanced,
        now: now(),
        limit: 4,
    };
    assert_eq!(Searcher::new(&index).select(&query).unasked, 10);
}
