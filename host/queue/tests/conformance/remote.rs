//! What the queues promise that other machines reach.

use std::thread;
use std::time::{Duration, SystemTime};

use gephost_queue::{Added, Bounds, End, Lease, open};

use crate::backend::{leased, leased_soon, long, short};
use crate::child::{said, start};
use crate::servers::{Server, is_installed};

pub(crate) fn the_job_of_a_killed_process_goes_to_another(server: &Server) {
    let url = server.fresh_url();
    let queue = open(&url, short()).unwrap();
    queue.add("a", b"job").unwrap();
    let mut worker = start(&url, "holds", None);
    let token = said(&mut worker, "leased: ").split_once(' ').unwrap().1.to_owned();
    assert_eq!(queue.lease().unwrap(), None);
    // SIGKILL: the worker cannot say goodbye.
    worker.kill().unwrap();
    worker.wait().unwrap();
    let lease = leased_soon(&*queue);
    assert_eq!((lease.key.as_str(), lease.job.as_slice(), lease.attempt), ("a", b"job".as_slice(), 2));
    let lost = Lease { attempt: 1, token, ..lease.clone() };
    assert!(!queue.finish(&lost, b"late").unwrap());
    assert!(queue.finish(&lease, b"right").unwrap());
    assert_eq!(queue.end_of("a").unwrap(), Some(End::Done(b"right".to_vec())));
}

pub(crate) fn no_worker_clock_matters(server: &Server) {
    if !is_installed("faketime") {
        return;
    }
    for clock in ["+30d", "-30d"] {
        let url = server.fresh_url();
        let queue = open(&url, short()).unwrap();
        queue.add("a", b"job").unwrap();
        let mut worker = start(&url, "finishes", Some(clock));
        let line = said(&mut worker, "leased: ");
        let theirs: u64 = line.split(' ').next().unwrap().parse().unwrap();
        let ours = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        assert!(ours.abs_diff(theirs) > 29 * 86400, "the worker's clock is not shifted: {theirs} and {ours}");
        // Its lease holds, is extended and ends the job, all by the server's clock.
        let mut waited = Duration::ZERO;
        while queue.end_of("a").unwrap().is_none() {
            assert_eq!(queue.lease().unwrap(), None, "{clock}");
            assert!(waited < Duration::from_secs(20), "{clock}");
            thread::sleep(Duration::from_millis(100));
            waited += Duration::from_millis(100);
        }
        assert_eq!(said(&mut worker, "finished: "), "true");
        assert!(worker.wait().unwrap().success());
        assert_eq!(queue.end_of("a").unwrap(), Some(End::Done(b"by the worker".to_vec())));

        // A lease of a worker with such a clock is over when the server says so, neither sooner nor later.
        queue.add("b", b"job").unwrap();
        let mut worker = start(&url, "holds", Some(clock));
        said(&mut worker, "leased: ");
        assert_eq!(queue.lease().unwrap(), None, "{clock}");
        assert_eq!(leased_soon(&*queue).attempt, 2, "{clock}");
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
}

pub(crate) fn other_bounds_are_refused(server: &Server) {
    let url = server.fresh_url();
    open(&url, long()).unwrap().add("a", b"").unwrap();
    let others = [
        Bounds { open: 999, ..long() },
        Bounds { attempts: 4, ..long() },
        Bounds { lease: Duration::from_secs(121), ..long() },
    ];
    for other in others {
        let Err(error) = open(&url, other) else { panic!("{other:?} was accepted") };
        assert!(error.to_string().contains("other bounds: 1000 open jobs, 3 attempts, 120000 ms"), "{error}");
    }
    assert_eq!(leased(&*open(&url, long()).unwrap()).key, "a");
    open(&server.fresh_url(), Bounds { open: usize::MAX, ..long() }).unwrap().add("a", b"").unwrap();
}

pub(crate) fn a_wrong_password_is_refused_and_not_shown(server: &Server) {
    let url = server.fresh_url().replace("p%40ss%2Fword", "wr0ng%2Fw0rd");
    let Err(error) = open(&url, long()) else { panic!("{url} was opened") };
    let text = format!("{error} {error:?}");
    assert!(!text.contains("wr0ng") && !text.contains("w0rd"), "{text}");
    assert!(text.to_lowercase().contains("authentication") || text.contains("authorization"), "{text}");
}

pub(crate) fn all_first_handles_make_one_queue(server: &Server) {
    let url = server.fresh_url();
    let added: Vec<Added> = thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(|| open(&url, long()).unwrap().add("a", b"").unwrap())).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(added.iter().filter(|added| **added == Added::New).count(), 1, "{added:?}");
}
