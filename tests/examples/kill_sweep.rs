//! The whole kill sweep: an apply, an apply that lands and the undoing of that are killed, and their system calls are made
//! to fail, at every point there is; and the power goes after every prefix of their synced writes.
//!
//! `cargo run --release -p gephost-tests --example kill_sweep [EVERY [OFFSET [ACT]]]` takes one point in EVERY: with all
//! OFFSETs from 0 on, side by side, all of them. How many points there are varies a little from run to run; which of the
//! parts a point is in does not. ACT is one of `apply`, `land` and `undo`; all without.

use std::hash::{DefaultHasher, Hash, Hasher};

use gephost_tests::sweep::{Act, Point, Sweep};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().map(|argument| argument.parse::<usize>().expect("a number"));
    let (every, offset) = (number().unwrap_or(1).max(1), number().unwrap_or(0));
    let named = arguments.next();
    let acts = || {
        Act::ALL.into_iter().filter(|act| named.as_ref().is_none_or(|name| format!("{act:?}").to_lowercase() == *name))
    };
    let mut broken = 0;
    for act in acts() {
        let Some(sweep) = Sweep::new(act) else { return };
        match sweep.check_power_cuts(every, offset) {
            Ok((prefixes, tried)) => println!("{act:?}: {prefixes} prefixes of synced writes; {tried} are tried"),
            Err(what) => {
                broken += 1;
                println!("{what}\n");
            }
        }
    }
    for act in acts() {
        let Some(sweep) = Sweep::new(act) else { return };
        let mut points = sweep.points();
        let calls = points.len();
        points.extend((0..200).map(|step| Point::Time(step * 2_500)));
        let chosen: Vec<_> = points.iter().filter(|point| part(point, every) == offset).collect();
        println!("{act:?}: {calls} points at calls, {} in time; {} are tried", points.len() - calls, chosen.len());
        for (number, point) in chosen.iter().enumerate() {
            if let Err(what) = sweep.check(point) {
                broken += 1;
                println!("{what}\n");
            }
            if number % 100 == 99 {
                println!("{} tried, {broken} do not hold", number + 1);
            }
        }
    }
    println!("{broken} do not hold");
    assert_eq!(broken, 0);
}

/// Which of `parts` parts a point is in.
fn part(point: &Point, parts: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    point.hash(&mut hasher);
    usize::try_from(hasher.finish() % parts as u64).expect("below a usize")
}
