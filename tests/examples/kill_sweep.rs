//! The whole kill sweep: an apply is killed, and its system calls are made to fail, at every point there is.
//!
//! `cargo run --release -p gephost-tests --example kill_sweep [EVERY [OFFSET]]` takes every EVERY-th point from OFFSET on.

use gephost_tests::sweep::{Point, Sweep};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().expect("a number"));
    let (every, offset) = (arguments.next().unwrap_or(1).max(1), arguments.next().unwrap_or(0));
    let Some(sweep) = Sweep::new() else { return };
    let mut points = sweep.points();
    let calls = points.len();
    points.extend((0..200).map(|step| Point::Time(step * 2_500)));
    let chosen: Vec<_> = points.iter().skip(offset).step_by(every).collect();
    println!("{} points at calls, {} in time; {} are tried", calls, points.len() - calls, chosen.len());
    let mut broken = 0;
    for (number, point) in chosen.iter().enumerate() {
        if let Err(what) = sweep.check(point) {
            broken += 1;
            println!("{what}\n");
        }
        if number % 100 == 99 {
            println!("{} tried, {broken} do not hold", number + 1);
        }
    }
    println!("{} tried, {broken} do not hold", chosen.len());
    assert_eq!(broken, 0);
}
