//! Operations that are interrupted: gephost is killed, or a system call fails. This runs a sample of the kill sweep
//! (`tests/examples/kill_sweep.rs` runs all of it), and checks what the next start and `gephost doctor` report.

use std::fs;
use std::time::{Duration, Instant};

use gephost_tests::sweep::{Fault, Operation, Point, Sweep};

/// Points in the sample of one operation.
const SAMPLE: usize = 10;
/// This many points are tried, however long they take.
const AT_LEAST: usize = 3;
/// No further point is tried after this time.
const AT_MOST: Duration = Duration::from_secs(40);

fn sample(operation: Operation) {
    let Some(sweep) = Sweep::new(operation) else { return };
    let began = Instant::now();
    let points = sweep.points();
    assert!(points.len() > 200, "only {} points: is the trace read correctly?", points.len());
    // Spread over all calls and faults.
    let step = points.len() / SAMPLE;
    let in_time = [&Point::Time(60_000), &Point::Time(150_000)];
    // A file beside the branch that cannot be removed after the branch was created, and the first look for the assets.
    let known = |point: &&Point| matches!(point, Point::Call("unlink" | "openat2", 1, Fault::Enospc));
    let known = points.iter().filter(known);
    let sample = known.chain(points.iter().skip(step / 3).step_by(step)).chain(in_time);
    for (tried, point) in sample.enumerate() {
        if tried >= AT_LEAST && began.elapsed() > AT_MOST {
            break;
        }
        sweep.check(point).unwrap();
    }
}

#[test]
fn an_interrupted_apply_leaves_all_or_nothing() {
    sample(Operation::Apply);
}

#[test]
fn an_interrupted_landing_is_finished_or_undone() {
    sample(Operation::Land);
}

#[test]
fn an_interrupted_undo_is_finished_or_undone() {
    sample(Operation::Undo);
}

#[test]
fn a_power_cut_after_a_prefix_of_the_synced_writes_leaves_all_or_nothing() {
    for operation in Operation::ALL {
        let Some(sweep) = Sweep::new(operation) else { return };
        let (prefixes, tried) = sweep.check_power_cuts(25, 11).unwrap();
        assert!(prefixes > 20 && tried > 0, "{operation:?}: {tried} of {prefixes}");
    }
}

#[test]
fn the_doctor_shows_an_interrupted_apply_and_the_next_start_settles_it() {
    let Some(sweep) = Sweep::new(Operation::Apply) else { return };
    // Killed when the branch was just created: the journal says so, the log does not yet.
    let (env, root) = sweep.kill_after_publishing();
    let journal = env.state_of(root).join("journal");
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
