//! `cargo bench -p gephost-core --bench policy`: 100,000 paths decided by a policy of 10,000 patterns.
//!
//! Four kinds of pattern, half of them allowed and half denied: names, wildcards in the last segment, wildcards
//! anywhere, and the three mixed in equal parts. Aim: under 100 ms.

#![expect(clippy::disallowed_methods, reason = "a bench reads the clock")]
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and fails by panicking")]

use std::time::{Duration, Instant};

use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, ValidationTable};

const PAIRS: usize = 5_000;
const PATHS: usize = 100_000;
const RUNS: usize = 5;

/// A pattern to allow and one to deny.
type Kind = fn(usize) -> (String, String);

const NAMES: Kind = |n| (format!("/src/module{n}/"), format!("secret_name_{n}.txt"));
const LAST: Kind = |n| (format!("/src/module{n}/**/*.rs"), format!("*.ext{n}"));
const ANYWHERE: Kind = |n| (format!("src/module{n}/*/file*.rs"), format!("**/hidden{n}/**/x[0-9]?"));
const MIXED: Kind = |n| [NAMES, LAST, ANYWHERE][n % 3](n);

fn main() {
    let path = |n: usize| RepoPath::new(&format!("src/module{}/deep/file{n}.rs", n % (PAIRS + 1_000))).unwrap();
    let paths: Vec<RepoPath> = (0..PATHS).map(path).collect();
    println!("{} patterns, {PATHS} paths", 2 * PAIRS);
    for (name, kind) in [("names", NAMES), ("last segment", LAST), ("anywhere", ANYWHERE), ("mixed", MIXED)] {
        let begun = Instant::now();
        let policy = policy(kind);
        let compiled = begun.elapsed();
        let decided = median(|| {
            let allowed = paths.iter().filter(|path| policy.decide(path).allowed).count();
            assert!(allowed > 80_000 && allowed < PATHS, "{allowed}");
        });
        let (compiled, decided) = (compiled.as_secs_f64() * 1e3, decided.as_secs_f64() * 1e3);
        println!("{name:<14} compiled in {compiled:>6.1} ms, decided in {decided:>6.1} ms   aim: under 100");
    }
}

fn policy(kind: Kind) -> Policy {
    let (allow, deny) = (0..PAIRS).map(kind).unzip();
    Policy::from_tables(PolicyTable { allow, deny, ..PolicyTable::default() }, &ValidationTable::default(), &[])
        .unwrap()
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}
