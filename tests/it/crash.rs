//! What is left when an apply is killed, or the system refuses it something, half-way: a sample of the kill sweep
//! (`tests/examples/kill_sweep.rs` is the whole), and what the next start and `gephost doctor` say of it.

use std::fs;
use std::time::{Duration, Instant};

use gephost_tests::sweep::{Point, Sweep};

/// Points of the sample, and how long it may take.
const SAMPLE: usize = 16;
const AT_MOST: Duration = Duration::from_secs(50);

#[test]
fn an_apply_that_is_cut_anywhere_leaves_all_or_nothing() {
    let Some(sweep) = Sweep::new() else { return };
    let began = Instant::now();
    let points = sweep.points();
    assert!(points.len() > 300, "only {} points: is the trace read as it should be?", points.len());
    // Spread over all calls and harms.
    let step = points.len() / SAMPLE;
    let mut tried = 0;
    for point in points.iter().skip(step / 3).step_by(step).chain([&Point::Time(60_000), &Point::Time(150_000)]) {
        if began.elapsed() > AT_MOST {
            break;
        }
        sweep.check(point).unwrap();
        tried += 1;
    }
    assert!(tried >= 3, "only {tried} points in {AT_MOST:?}");
}

#[test]
fn the_doctor_shows_what_was_cut_and_the_next_start_settles_it() {
    let Some(sweep) = Sweep::new() else { return };
    // Killed right when the branch is there: the journal knows, the log does not yet.
    let (env, root) = sweep.cut_after_publishing();
    let journal = root.join(".gephost/journal");
    assert_eq!(fs::read_dir(&journal).unwrap().count(), 1);
    let (checks, _) = env.json(root, &["doctor"]);
    let check = checks["checks"].as_array().unwrap().iter().find(|check| check["id"] == "journal").unwrap();
    assert_eq!(check["status"], "warn", "{check}");
    assert!(check["result"].as_str().unwrap().contains("publishing evo/"), "{check}");
    let ran = env.run(root, &["undo", "--dry-run"]).expect_code(0);
    assert!(ran.stderr.contains("was cut short") && ran.stderr.contains("is published"), "{}", ran.stderr);
    assert!(ran.stdout.contains("would be dropped"), "{}", ran.stdout);
    assert_eq!(fs::read_dir(&journal).unwrap().count(), 0);
    env.run(root, &["log", "verify"]).expect_code(0);
}
