//! The whole kill sweep. An apply, an apply that lands and the undo of a landed change are interrupted at every point: by
//! a kill and by failing system calls. Power cuts are simulated after every prefix of their synced writes.
//!
//! `cargo run --release -p gephost-tests --example kill_sweep [EVERY [OFFSET [OPERATION]]]` takes one point in EVERY. Runs
//! with all OFFSETs from 0 to EVERY - 1 together take every point. The number of points varies a little from run to run,
//! but a point is always in the same part. OPERATION is `apply`, `land` or `undo`; without it, all three are run.

use std::hash::{DefaultHasher, Hash, Hasher};

use gephost_tests::sweep::{Operation, Point, Sweep};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().map(|argument| argument.parse::<usize>().expect("a number"));
    let (every, offset) = (number().unwrap_or(1).max(1), number().unwrap_or(0));
    let named = arguments.next();
    let operations = || {
        Operation::ALL
            .into_iter()
            .filter(|operation| named.as_ref().is_none_or(|name| format!("{operation:?}").to_lowercase() == *name))
    };
    let mut broken = 0;
    for operation in operations() {
        let Some(sweep) = Sweep::new(operation) else { return };
        match sweep.check_power_cuts(every, offset) {
            Ok((prefixes, tried)) => {
                println!("{operation:?}: {prefixes} prefixes of synced writes; {tried} were tried")
            }
            Err(what) => {
                broken += 1;
                println!("{what}\n");
            }
        }
    }
    for operation in operations() {
        let Some(sweep) = Sweep::new(operation) else { return };
        let mut points = sweep.points();
        let calls = points.len();
        points.extend((0..200).map(|step| Point::Time(step * 2_500)));
        let chosen: Vec<_> = points.iter().filter(|point| part(point, every) == offset).collect();
        println!(
            "{operation:?}: {calls} points at calls, {} in time; {} are tried",
            points.len() - calls,
            chosen.len()
        );
        for (number, point) in chosen.iter().enumerate() {
            if let Err(what) = sweep.check(point) {
                broken += 1;
                println!("{what}\n");
            }
            if number % 100 == 99 {
                println!("{} tried, {broken} failed", number + 1);
            }
        }
    }
    println!("{broken} failed");
    assert_eq!(broken, 0);
}

/// The part that a point belongs to, of `parts` parts.
fn part(point: &Point, parts: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    point.hash(&mut hasher);
    usize::try_from(hasher.finish() % parts as u64).expect("below a usize")
}
