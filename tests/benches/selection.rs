//! `cargo bench -p gephost-tests --bench selection [-- --genes N]`: selection from a large assets folder.
//!
//! Writes a million text-only genes and a million capsules, makes the index, and then measures in a new process: opening the
//! index, the first selection, the median of many selections with five signals, the memory, and the ratio to a scan of
//! every gene of the same index. Then the same for genes that all have the same pattern, and for patterns that are all
//! equally frequent. Every selection is compared with its scan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use gephost_core::gene::Category;
use gephost_core::select::Strategy;
use gephost_core::select::index::{Builder, GeneEntry, Index, Place as DocumentPlace, Query, Rank, Searcher};
use gephost_runner::place::Place;
use gephost_runner::registry::Registry;
use gephost_tests::gene_store::{Dice, assert_same, signals, write};
use gephost_tests::measure::{argument, micros, millis, time};

/// Genes that a selection ranks: as many as gephost does.
const LIMIT: usize = 8;
/// Different observations, and how often each is asked for.
const OBSERVATIONS: usize = 200;
const ROUNDS: usize = 10;
/// Scans are slow, so only a few are made.
const SCANS: usize = 5;

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--opened");
    if let (Some(_), Some(folder), Some(cache)) = (arguments.next(), arguments.next(), arguments.next()) {
        return opened(Path::new(&folder), Path::new(&cache));
    }
    let count = argument("genes").unwrap_or(1_000_000);
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(folder.path(), count);
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len() >> 20;
    println!(
        "{count} genes ({} MiB of lines) and {count} capsules ({} MiB)",
        size("genes.jsonl"),
        size("capsules.jsonl")
    );
    let registry = Registry::new(&Place::shared(folder.path()));
    let (made, index) = time(|| registry.text_genes(&Place::own(cache.path())).unwrap().unwrap());
    assert!(index.is_new);
    assert_eq!(index.index.genes(), count);
    println!(
        "  made in {:.1} s, at most {} MiB of memory; {} MiB on disk, {} patterns",
        made.as_secs_f64(),
        memory("VmHWM"),
        index.index.as_bytes().len() >> 20,
        index.index.patterns()
    );
    drop(index);
    let this = std::env::current_exe().unwrap();
    let child = Command::new(this).arg("--opened").arg(folder.path()).arg(cache.path()).status().unwrap();
    assert!(child.success());
    same_pattern(count);
    uniform(count);
}

/// What a process that only opens the index needs.
fn opened(folder: &Path, cache: &Path) {
    let registry = Registry::new(&Place::shared(folder));
    let (open, index) = time(|| registry.text_genes(&Place::own(cache)).unwrap().unwrap());
    assert!(!index.is_new);
    println!("  opened in {:.0} ms   aim: under 1000", millis(open));
    let mut dice = Dice::new(11);
    let observations: Vec<Vec<String>> = (0..OBSERVATIONS).map(|_| signals(&mut dice)).collect();
    measure(&index.index, &observations);
    println!(
        "  memory of the process                {:>8} MiB, at most {} MiB   aim: under 1024",
        memory("VmRSS"),
        memory("VmHWM")
    );
}

/// Prints the first selection, the median, and the ratio to a scan.
fn measure(index: &Index, observations: &[Vec<String>]) {
    let (streaks, without) = (BTreeMap::new(), BTreeSet::new());
    let query = |signals| Query {
        signals,
        tried: &[],
        streaks: &streaks,
        without: &without,
        strategy: Strategy::Balanced,
        now: jiff::Timestamp::UNIX_EPOCH,
        limit: LIMIT,
    };
    let (first, mut searcher) = time(|| {
        let mut searcher = Searcher::new(index);
        searcher.select(&query(&observations[0]));
        searcher
    });
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..=ROUNDS {
        for signals in observations {
            let (spent, found) = time(|| searcher.select(&query(signals)));
            assert!(!found.genes.is_empty());
            if round > 0 {
                times.push(spent);
            }
        }
    }
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    let mut scans: Vec<Duration> = Vec::new();
    for signals in observations.iter().take(SCANS) {
        let (spent, scanned) = time(|| searcher.scan(&query(signals)));
        scans.push(spent);
        assert_same(&searcher.select(&query(signals)), &scanned, &query(signals));
    }
    scans.sort();
    let scan = scans[scans.len() / 2];
    println!("  first selection                      {:>8.0} us", micros(first));
    println!(
        "  a selection, median                  {:>8.1} us   aim: under 100 (90 % under {:.1}, all under {:.1})",
        micros(at(50)),
        micros(at(90)),
        micros(at(100))
    );
    println!(
        "  a scan of every gene                 {:>8.0} us, {:.0} times",
        micros(scan),
        scan.as_secs_f64() / at(50).as_secs_f64()
    );
}

/// Every gene has the same pattern.
fn same_pattern(count: usize) {
    let index = built(count, |_| vec!["log_error".to_owned()]);
    println!("{count} genes with the same pattern");
    measure(&index, &[five(&["log_error"]), five(&["log_error", "timeout"])]);
}

/// Patterns of 200 words, all equally frequent: the worst that is likely, since no pattern stands out.
fn uniform(count: usize) {
    let mut dice = Dice::new(3);
    let index = built(count, |_| (0..3).map(|_| format!("word_{:03}", dice.roll(200))).collect());
    println!("{count} genes with three of 200 equally frequent patterns each");
    let mut dice = Dice::new(5);
    let words = |dice: &mut Dice| (0..5).map(|_| format!("word_{:03}", dice.roll(200))).collect::<Vec<_>>();
    let observations: Vec<Vec<String>> = (0..20).map(|_| words(&mut dice)).collect();
    measure(&index, &observations);
}

fn five(first: &[&str]) -> Vec<String> {
    let more = ["a", "b", "c", "d", "e"];
    first.iter().chain(&more).take(5).map(|signal| (*signal).to_owned()).collect()
}

fn built(count: usize, mut patterns: impl FnMut(usize) -> Vec<String>) -> Index {
    let mut builder = Builder::new();
    for number in 0..count {
        let (id, patterns) = (format!("gene_{number:07}"), patterns(number));
        let entry =
            GeneEntry { id: &id, category: &Category::Repair, patterns: &patterns, place: DocumentPlace::default() };
        builder.gene(entry, Rank::Item(number as u64));
    }
    Index::from_bytes(builder.finish()).unwrap()
}

/// MiB of this process, by its line in `/proc`.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}
