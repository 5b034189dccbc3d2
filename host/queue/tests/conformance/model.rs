//! The queue in memory against a model: any calls in any order, while time passes.
//!
//! The model is a list with one entry a job. It has no index, no counter and no clock of its own.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use gephost_queue::{Added, Bounds, End, JobQueue, Lease, LocalQueue};
use proptest::prelude::*;

const BOUNDS: Bounds = Bounds { open: 4, attempts: 2, lease: Duration::from_secs(10) };

thread_local! {
    static PASSED: Cell<u64> = const { Cell::new(0) };
}

fn now() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now) + Duration::from_secs(PASSED.get())
}

#[derive(Debug, Clone)]
enum Call {
    Add(u8),
    Lease,
    /// On a lease that was got before, by its place.
    Extend(usize),
    Finish(usize, u8),
    Fail(usize, u8),
    Pass(u64),
}

#[derive(Debug)]
struct Job {
    key: String,
    /// When it began to wait, counted in calls; `None` if it does not wait.
    waits: Option<usize>,
    attempts: u32,
    until: Option<u64>,
    end: Option<End>,
}

#[derive(Debug, Default)]
struct Model(Vec<Job>);

impl Model {
    fn add(&mut self, key: &str, turn: usize) -> Added {
        if self.0.iter().any(|job| job.key == key) {
            return Added::Known;
        }
        if self.0.iter().filter(|job| job.end.is_none()).count() >= BOUNDS.open {
            return Added::Full;
        }
        self.0.push(Job { key: key.to_owned(), waits: Some(turn), attempts: 0, until: None, end: None });
        Added::New
    }

    fn give_back(job: &mut Job, turn: usize, reason: &str) {
        job.until = None;
        if job.attempts >= BOUNDS.attempts {
            job.end = Some(End::GivenUp(reason.to_owned()));
        } else {
            job.waits = Some(turn);
        }
    }

    /// What may be leased now: a job that waits and has waited longest, or whose lease is over.
    fn lease(&mut self, time: u64, turn: usize) -> Vec<String> {
        let may_come = self.0.iter().any(|job| job.waits.is_some() && job.end.is_none());
        let oldest = self.0.iter().filter_map(|job| job.waits).min();
        let mut candidates: Vec<String> =
            self.0.iter().filter(|job| may_come && job.waits == oldest).map(|job| job.key.clone()).collect();
        for job in self.0.iter_mut().filter(|job| job.until.is_some_and(|until| until <= time)) {
            Self::give_back(job, turn, "its worker was lost");
            if job.end.is_none() && oldest.is_none() {
                candidates.push(job.key.clone());
            }
        }
        candidates
    }

    fn held(&mut self, lease: &Lease, time: u64) -> Option<&mut Job> {
        self.0.iter_mut().find(|job| {
            job.key == lease.key && job.attempts == lease.attempt && job.until.is_some_and(|until| time < until)
        })
    }
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        3 => (0..8u8).prop_map(Call::Add),
        4 => Just(Call::Lease),
        1 => any::<usize>().prop_map(Call::Extend),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, n)| Call::Finish(at, n)),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, n)| Call::Fail(at, n)),
        2 => (1..15u64).prop_map(Call::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_calls_in_any_order_agree_with_the_model(calls in prop::collection::vec(call(), 1..80)) {
        PASSED.set(0);
        let queue = LocalQueue::new(BOUNDS, now);
        let (mut model, mut leases) = (Model::default(), Vec::<Lease>::new());
        for (turn, call) in calls.into_iter().enumerate() {
            let time = PASSED.get();
            let old = |at: usize| (!leases.is_empty()).then(|| leases[at % leases.len()].clone());
            match call {
                Call::Add(key) => {
                    let key = format!("job {key}");
                    prop_assert_eq!(queue.add(&key, key.as_bytes()).unwrap(), model.add(&key, turn));
                }
                Call::Lease => {
                    let expected = model.lease(time, turn);
                    let got = queue.lease().unwrap();
                    prop_assert_eq!(got.is_none(), expected.is_empty());
                    if let Some(lease) = got {
                        prop_assert!(expected.contains(&lease.key), "{} of {:?}", lease.key, expected);
                        let job = model.0.iter_mut().find(|job| job.key == lease.key).unwrap();
                        job.attempts += 1;
                        (job.waits, job.until) = (None, Some(time + BOUNDS.lease.as_secs()));
                        prop_assert_eq!(lease.attempt, job.attempts);
                        leases.push(lease);
                    }
                }
                Call::Extend(at) => if let Some(lease) = old(at) {
                    let job = model.held(&lease, time);
                    prop_assert_eq!(queue.extend(&lease).unwrap(), job.is_some());
                    if let Some(job) = job {
                        job.until = Some(time + BOUNDS.lease.as_secs());
                    }
                },
                Call::Finish(at, result) => if let Some(lease) = old(at) {
                    let job = model.held(&lease, time);
                    prop_assert_eq!(queue.finish(&lease, &[result]).unwrap(), job.is_some());
                    if let Some(job) = job {
                        (job.until, job.end) = (None, Some(End::Done(vec![result])));
                    }
                },
                Call::Fail(at, reason) => if let Some(lease) = old(at) {
                    queue.fail(&lease, &reason.to_string()).unwrap();
                    if let Some(job) = model.held(&lease, time) {
                        Model::give_back(job, turn, &reason.to_string());
                    }
                },
                Call::Pass(seconds) => PASSED.set(time + seconds),
            }
            for job in &model.0 {
                prop_assert_eq!(&queue.end_of(&job.key).unwrap(), &job.end);
            }
        }
    }
}
