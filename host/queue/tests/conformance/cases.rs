//! What every queue promises.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use gephost_queue::{Added, Bounds, End, JobQueue, MAX_BYTES, MAX_KEY};

use crate::backend::{Backend, leased, leased_soon, long, short};

pub(crate) fn a_key_is_added_once(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let (first, second) = (open(), open());
    assert_eq!(first.add("a", b"1").unwrap(), Added::New);
    assert_eq!(first.add("a", b"2").unwrap(), Added::Known);
    assert_eq!(second.add("a", b"3").unwrap(), Added::Known);
    let lease = leased(&*second);
    assert_eq!((lease.key.as_str(), lease.job.as_slice(), lease.attempt), ("a", b"1".as_slice(), 1));
    assert_eq!(first.lease().unwrap(), None);
    assert_eq!(first.add("a", b"4").unwrap(), Added::Known, "a leased job is known");
    assert_eq!(first.end_of("a").unwrap(), None);
    assert!(second.finish(&lease, b"r").unwrap());
    assert_eq!(first.add("a", b"5").unwrap(), Added::Known, "an ended job is known");
    assert_eq!(first.lease().unwrap(), None);
    assert_eq!(first.end_of("unknown").unwrap(), None);
}

pub(crate) fn the_oldest_job_is_leased_first(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let queue = open();
    let keys = ["m", "z", "a", "k", "b"];
    for key in keys {
        queue.add(key, key.as_bytes()).unwrap();
    }
    let other = open();
    for key in keys {
        assert_eq!(leased(&*other).key, key);
    }
}

pub(crate) fn two_workers_never_hold_one_job(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let queue = open();
    for n in 0..24 {
        queue.add(&format!("job {n}"), b"").unwrap();
    }
    let held = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let queue = open();
                while let Some(lease) = queue.lease().unwrap() {
                    held.lock().unwrap().push(lease.key);
                }
            });
        }
    });
    let mut held = held.into_inner().unwrap();
    // A worker that found nothing may have been early by the jobs that the others were just taking.
    while let Some(lease) = queue.lease().unwrap() {
        held.push(lease.key);
    }
    assert_eq!(held.len(), 24, "{held:?}");
    assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), 24, "{held:?}");
}

pub(crate) fn the_job_of_a_lost_worker_goes_to_another(backend: &dyn Backend) {
    let open = backend.fresh(short());
    let (worker, other) = (open(), open());
    other.add("a", b"job").unwrap();
    let lost = leased(&*worker);
    drop(worker);
    assert_eq!(other.lease().unwrap(), None, "the lease holds although its worker is gone");
    let lease = leased_soon(&*other);
    assert_eq!((lease.key.as_str(), lease.job.as_slice(), lease.attempt), ("a", b"job".as_slice(), 2));
    assert_ne!(lease.token, lost.token);
    // The first worker was only slow, and comes back.
    let late = open();
    assert!(!late.extend(&lost).unwrap());
    late.fail(&lost, "late").unwrap();
    assert!(!late.finish(&lost, b"late").unwrap());
    assert_eq!(late.end_of("a").unwrap(), None);
    assert!(other.finish(&lease, b"right").unwrap());
    assert_eq!(late.end_of("a").unwrap(), Some(End::Done(b"right".to_vec())));
    assert!(!late.finish(&lost, b"later").unwrap());
    assert_eq!(other.end_of("a").unwrap(), Some(End::Done(b"right".to_vec())));
}

pub(crate) fn an_extended_lease_holds(backend: &dyn Backend) {
    let open = backend.fresh(short());
    let (worker, other) = (open(), open());
    worker.add("a", b"").unwrap();
    let lease = leased(&*worker);
    let start = Instant::now();
    while start.elapsed() < short().lease * 2 {
        assert!(worker.extend(&lease).unwrap());
        assert_eq!(other.lease().unwrap(), None);
        thread::sleep(short().lease / 6);
    }
    assert!(worker.finish(&lease, b"r").unwrap());
    assert!(!worker.extend(&lease).unwrap(), "an ended job has no lease");
    assert_eq!(other.end_of("a").unwrap(), Some(End::Done(b"r".to_vec())));
}

pub(crate) fn the_first_result_stands(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let (worker, other) = (open(), open());
    worker.add("a", b"").unwrap();
    let lease = leased(&*worker);
    // The same lease comes with many results at once, on two connections.
    let accepted: Vec<u8> = thread::scope(|scope| {
        let finish = |queue: &dyn JobQueue, n: u8| queue.finish(&lease, &[n]).unwrap().then_some(n);
        let all: Vec<_> = (0..8u8)
            .map(|n| {
                let queue = if n % 2 == 0 { &worker } else { &other };
                scope.spawn(move || finish(&**queue, n))
            })
            .collect();
        all.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(accepted.len(), 1, "{accepted:?}");
    assert_eq!(other.end_of("a").unwrap(), Some(End::Done(accepted.clone())));
    assert!(!other.finish(&lease, b"another").unwrap());
    other.fail(&lease, "after the end").unwrap();
    assert_eq!(worker.end_of("a").unwrap(), Some(End::Done(accepted)));
    assert_eq!(worker.lease().unwrap(), None);
}

pub(crate) fn a_poison_job_is_given_up_with_its_last_reason(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let (worker, other) = (open(), open());
    worker.add("poison", b"").unwrap();
    for attempt in 1..=long().attempts {
        let lease = leased(&*worker);
        assert_eq!(lease.attempt, attempt);
        assert_eq!(worker.end_of("poison").unwrap(), None);
        worker.fail(&lease, &format!("reason {attempt}\0")).unwrap();
        assert!(!worker.finish(&lease, b"").unwrap(), "a lease that was given back is over");
    }
    let Some(End::GivenUp(reason)) = other.end_of("poison").unwrap() else { panic!("it was not given up") };
    assert!(reason.starts_with("reason 3"), "{reason}");
    assert_eq!(other.lease().unwrap(), None);
    assert_eq!(other.add("poison", b"").unwrap(), Added::Known);
}

pub(crate) fn a_job_lost_in_its_last_attempt_is_given_up(backend: &dyn Backend) {
    let bounds = Bounds { attempts: 2, ..short() };
    let open = backend.fresh(bounds);
    let queue = open();
    queue.add("a", b"").unwrap();
    assert_eq!(leased(&*queue).attempt, 1);
    let last = leased_soon(&*queue);
    assert_eq!(last.attempt, 2);
    let start = Instant::now();
    while queue.end_of("a").unwrap().is_none() {
        assert_eq!(queue.lease().unwrap(), None, "there is no third attempt");
        assert!(start.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(queue.end_of("a").unwrap(), Some(End::GivenUp("its worker was lost".to_owned())));
    assert!(!queue.finish(&last, b"late").unwrap());
    assert_eq!(queue.end_of("a").unwrap(), Some(End::GivenUp("its worker was lost".to_owned())));
}

pub(crate) fn a_full_queue_accepts_again_after_an_end(backend: &dyn Backend) {
    let open = backend.fresh(Bounds { open: 3, attempts: 1, ..long() });
    let (queue, other) = (open(), open());
    for key in ["a", "b", "c"] {
        assert_eq!(queue.add(key, b"").unwrap(), Added::New);
    }
    assert_eq!(other.add("d", b"").unwrap(), Added::Full);
    assert_eq!(other.add("a", b"").unwrap(), Added::Known, "a full queue still knows its jobs");
    let (first, second) = (leased(&*queue), leased(&*queue));
    assert_eq!(other.add("d", b"").unwrap(), Added::Full, "leased jobs count");
    assert!(queue.finish(&first, b"").unwrap());
    assert_eq!(other.add("d", b"").unwrap(), Added::New);
    assert_eq!(other.add("e", b"").unwrap(), Added::Full);
    queue.fail(&second, "no").unwrap();
    assert_eq!(other.add("e", b"").unwrap(), Added::New);
    assert_eq!(other.add("f", b"").unwrap(), Added::Full);
}

pub(crate) fn blobs_are_kept_as_they_were_stored_first(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let (queue, other) = (open(), open());
    assert_eq!(queue.blob("sha256:1").unwrap(), None);
    let large = pattern(3 << 20);
    for (digest, bytes) in [("sha256:1", large.as_slice()), ("sha256:2", b""), ("a/b *>", b"\0\xff")] {
        queue.put_blob(digest, bytes).unwrap();
        other.put_blob(digest, b"other").unwrap();
        assert!(other.blob(digest).unwrap().as_deref() == Some(bytes), "{digest}");
    }
}

pub(crate) fn ends_survive_a_new_connection(backend: &dyn Backend) {
    let open = backend.fresh(Bounds { attempts: 1, ..long() });
    let queue = open();
    queue.add("done", b"").unwrap();
    queue.add("failed", b"").unwrap();
    queue.add("open", b"").unwrap();
    let lease = leased(&*queue);
    queue.finish(&lease, b"result").unwrap();
    let lease = leased(&*queue);
    queue.fail(&lease, "why").unwrap();
    queue.put_blob("digest", b"blob").unwrap();
    drop(queue);
    let queue = open();
    assert_eq!(queue.end_of("done").unwrap(), Some(End::Done(b"result".to_vec())));
    assert_eq!(queue.end_of("failed").unwrap(), Some(End::GivenUp("why".to_owned())));
    assert_eq!(queue.blob("digest").unwrap(), Some(b"blob".to_vec()));
    assert_eq!(leased(&*queue).key, "open");
}

pub(crate) fn any_key_and_large_bytes_are_kept_exactly(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let queue = open();
    let long_key = "k".repeat(MAX_KEY);
    let large = pattern(3 << 20);
    for key in ["a.b", "*", ">", "a b", "'; drop table job; --", "ключ", "$1", long_key.as_str()] {
        assert_eq!(queue.add(key, &large).unwrap(), Added::New, "{key}");
        let lease = leased(&*queue);
        assert!(lease.key == key && lease.job == large, "{key}");
        let result: Vec<u8> = large.iter().rev().copied().collect();
        assert!(queue.finish(&lease, &result).unwrap(), "{key}");
        assert!(queue.end_of(key).unwrap() == Some(End::Done(result)), "{key}");
    }
}

pub(crate) fn what_no_queue_could_keep_is_refused(backend: &dyn Backend) {
    let open = backend.fresh(long());
    let queue = open();
    for key in ["", "a\0", "a\nb", "k".repeat(MAX_KEY + 1).as_str()] {
        assert!(queue.add(key, b"").is_err(), "{key:?}");
        assert!(queue.put_blob(key, b"").is_err(), "{key:?}");
    }
    let many = vec![0; MAX_BYTES + 1];
    for refused in [queue.add("a", &many).map(|_| ()), queue.put_blob("a", &many)] {
        assert!(refused.unwrap_err().to_string().contains("64 MiB"));
    }
    queue.add("a", b"").unwrap();
    let lease = leased(&*queue);
    assert!(queue.finish(&lease, &many).unwrap_err().to_string().contains("64 MiB"));
    assert!(queue.finish(&lease, b"few").unwrap());
}

pub(crate) fn many_workers_do_each_job_once(backend: &dyn Backend) {
    const JOBS: usize = 500;
    let open = backend.fresh(long());
    let queue = open();
    for n in 0..JOBS {
        assert_eq!(queue.add(&format!("job {n}"), n.to_string().as_bytes()).unwrap(), Added::New);
    }
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..4 {
            let (open, done) = (&open, &done);
            scope.spawn(move || {
                let queue = open();
                while done.lock().unwrap().len() < JOBS {
                    let Some(lease) = queue.lease().unwrap() else {
                        thread::sleep(Duration::from_millis(20));
                        continue;
                    };
                    let result = [lease.job.as_slice(), b" by ", &[b'0' + worker]].concat();
                    assert!(queue.finish(&lease, &result).unwrap());
                    done.lock().unwrap().push((lease.key, result));
                }
            });
        }
    });
    let done = done.into_inner().unwrap();
    assert_eq!(done.iter().map(|(key, _)| key).collect::<BTreeSet<_>>().len(), JOBS);
    assert_eq!(done.len(), JOBS);
    for (key, result) in done {
        assert_eq!(queue.end_of(&key).unwrap(), Some(End::Done(result)), "{key}");
    }
}

/// Bytes that differ from place to place.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|n| u8::try_from((n * 7 + n / 251) % 251).unwrap()).collect()
}
