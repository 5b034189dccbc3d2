//! Selection from an index gives what looking at every gene gives: the short form of `tests/benches/selection.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gephost_core::capsule::Capsule;
use gephost_core::gene::{Manifest, TextGene};
use gephost_core::select::index::{Query, Searcher};
use gephost_core::select::{Proven, Strategy, Tried, select};
use gephost_core::signal::pattern_matches;
use gephost_runner::place::Place;
use gephost_runner::registry::Registry;
use gephost_tests::gene_store::{Dice, assert_same, signals, write};

const GENES: usize = 20_000;
/// The linear selection compiles each pattern for each gene and signal, so it gets fewer genes.
const LINEAR: usize = 1500;
const CARRIER: &str = r#"{"type":"Gene","id":"c","category":"repair","signals_match":[],"world":"strategy"}"#;

#[test]
fn twenty_thousand_genes_give_what_a_scan_gives() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path(), GENES);
    let registry = Registry::new(&Place::shared(folder.path()));
    let open = || registry.text_genes(&Place::own(cache.path())).unwrap().unwrap();
    assert!(open().is_new);
    let opened = open();
    assert!(!opened.is_new);
    assert_eq!((opened.index.genes(), opened.index.left_out()), (GENES, 0));
    let mut searcher = Searcher::new(&opened.index);
    let mut dice = Dice::new(5);
    for round in 0..60 {
        let signals = signals(&mut dice);
        let tried = tries(&mut dice, &signals, GENES);
        let streaks = (0..20).map(|_| (format!("capsule_{:07}", dice.roll(GENES)), 2 + dice.roll(4) as u64)).collect();
        let without = BTreeSet::from([format!("gene_generated_{:07}", dice.roll(GENES))]);
        let query = Query {
            signals: &signals,
            tried: &tried,
            streaks: &streaks,
            without: &without,
            strategy: Strategy::ALL[round % 4],
            now: jiff::Timestamp::UNIX_EPOCH,
            limit: 1 + dice.roll(40),
        };
        let found = searcher.select(&query);
        assert_same(&found, &searcher.scan(&query), &query);
        let best = found.genes.first().expect("a gene matches");
        assert_eq!(opened.gene(&best.ranked.gene, best.place).expect("its document").id(), best.ranked.gene);
    }
}

#[test]
fn an_index_gives_what_the_linear_selection_gives() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path(), LINEAR);
    let carrier = Manifest::from_json(CARRIER.as_bytes()).unwrap();
    let lines = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let genes: Vec<Manifest> = lines("genes.jsonl")
        .lines()
        .map(|line| TextGene::from_json(line.as_bytes()).unwrap().carried_by(&carrier))
        .collect();
    let capsules: Vec<Capsule> =
        lines("capsules.jsonl").lines().map(|line| Capsule::from_json(line.as_bytes()).unwrap()).collect();
    let proven: Vec<Proven<'_>> = capsules.iter().map(|capsule| Proven { capsule, streak: 0 }).collect();
    let registry = Registry::new(&Place::shared(folder.path()));
    let opened = registry.text_genes(&Place::own(cache.path())).unwrap().unwrap();
    let mut searcher = Searcher::new(&opened.index);
    let (mut dice, now) = (Dice::new(9), jiff::Timestamp::UNIX_EPOCH);
    for strategy in Strategy::ALL {
        let signals = signals(&mut dice);
        let tried = tries(&mut dice, &signals, LINEAR);
        let (streaks, without) = (BTreeMap::new(), BTreeSet::new());
        let (signals, tried, streaks, without) = (&signals, &tried, &streaks, &without);
        let found = searcher.select(&Query { signals, tried, streaks, without, strategy, now, limit: 25 });
        let linear = select(signals, &genes, &proven, tried, now, strategy, pattern_matches);
        let ranked: Vec<_> = found.genes.into_iter().map(|found| found.ranked).collect();
        assert_eq!(ranked, linear.ranked[..linear.ranked.len().min(25)], "{signals:?}");
        assert_eq!(found.banned, linear.banned);
    }
}

/// Past tries of a few genes, of which one fails often enough to be banned if it matches.
fn tries(dice: &mut Dice, signals: &[String], genes: usize) -> Vec<Tried> {
    let tried =
        |gene: usize, success| Tried::once(format!("gene_generated_{gene:07}"), signals.to_vec(), success, None);
    let mut all: Vec<Tried> = (0..20).map(|_| tried(dice.roll(genes), true)).collect();
    let often: Vec<usize> = (0..20).map(|_| dice.roll(genes)).collect();
    all.extend(often.iter().flat_map(|gene| (0..5).map(|_| tried(*gene, false)).collect::<Vec<_>>()));
    all
}
