//! What is left when an apply is killed, or the system refuses it something, half-way: a sample of the kill sweep
//! (`tests/examples/kill_sweep.rs` is the whole), and what the next start and `gephost doctor` say of it.

use std::fs;
use std::time::{Duration, Instant};

use gephost_tests::sweep::{Act, Harm, Point, Sweep};

/// Points of the sample of one act; no fewer than that many are tried, and after that time no more.
const SAMPLE: usize = 10;
const AT_LEAST: usize = 3;
const AT_MOST: Duration = Duration::from_secs(40);

fn sample(act: Act) {
    let Some(sweep) = Sweep::new(act) else { return };
    let began = Instant::now();
    let points = sweep.points();
    assert!(points.len() > 200, "only {} points: is the trace read as it should be?", points.len());
    // Spread over all calls and harms.
    let step = points.len() / SAMPLE;
    let in_time = [&Point::Time(60_000), &Point::Time(150_000)];
    // A file beside the branch that cannot be removed once the branch is there.
    let left = points.iter().filter(|point| matches!(point, Point::Call("unlink", 1, Harm::Enospc)));
    let sample = left.chain(points.iter().skip(step / 3).step_by(step)).chain(in_time);
    for (tried, point) in sample.enumerate() {
        if tried >= AT_LEAST && began.elapsed() > AT_MOST {
            break;
        }
        sweep.check(point).unwrap();
    }
}

#[test]
fn an_apply_that_is_cut_anywhere_leaves_all_or_nothing() {
    sample(Act::Apply);
}

#[test]
fn a_landing_that_is_cut_anywhere_is_finished_or_undone() {
    sample(Act::Land);
}

#[test]
fn an_undoing_that_is_cut_anywhere_is_finished_or_undone() {
    sample(Act::Undo);
}

#[test]
fn a_power_cut_after_a_prefix_of_the_synced_writes_leaves_all_or_nothing() {
    for act in Act::ALL {
        let Some(sweep) = Sweep::new(act) else { return };
        let (prefixes, tried) = sweep.check_power_cuts(25, 11).unwrap();
        assert!(prefixes > 20 && tried > 0, "{act:?}: {tried} of {prefixes}");
    }
}

#[test]
fn the_doctor_shows_what_was_cut_and_the_next_start_settles_it() {
    let Some(sweep) = Sweep::new(Act::Apply) else { return };
    // Killed right when the branch is there: the journal knows, the log does not yet.
    let (env, root) = sweep.cut_after_publishing();
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
