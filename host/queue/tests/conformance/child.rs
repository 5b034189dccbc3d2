//! The other side of the cases with several processes: this test program, started again as a worker.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use crate::backend::short;

const URL: &str = "GEPHOST_CONFORMANCE_URL";
const WHAT: &str = "GEPHOST_CONFORMANCE_WORKER";

/// Starts a worker. It leases one job and then `holds` it until the test that started it ends, or `finishes` it after most of
/// a lease. `clock` shifts the worker's own clock, as `faketime -f` reads it.
pub(crate) fn start(url: &str, what: &str, clock: Option<&str>) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut command = match clock {
        None => Command::new(&program),
        Some(clock) => {
            let mut command = Command::new("faketime");
            command.args(["-f", clock]).arg(&program).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            command
        }
    };
    command.args(["--exact", "child::worker", "--ignored", "--nocapture", "--test-threads=1"]);
    if what == "holds" {
        // It ends when nobody reads its output any more, and would complain.
        command.stderr(Stdio::null());
    }
    command.env(URL, url).env(WHAT, what).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Waits for a line of a worker that has this word in it, and gives what comes after the word.
pub(crate) fn said(worker: &mut Child, word: &str) -> String {
    let mut lines = BufReader::new(worker.stdout.take().unwrap());
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        if let Some((_, rest)) = line.split_once(word) {
            let rest = rest.trim().to_owned();
            worker.stdout = Some(lines.into_inner());
            return rest;
        }
        line.clear();
    }
    panic!("the worker ended without `{word}`");
}

#[test]
#[ignore = "a worker that other tests start"]
fn worker() {
    let (Some(url), Some(what)) = (std::env::var_os(URL), std::env::var_os(WHAT)) else { return };
    let queue = gephost_queue::open(url.to_str().unwrap(), short()).unwrap();
    let lease = queue.lease().unwrap().expect("a job waits");
    let say = |text: &str| {
        let mut out = std::io::stdout();
        writeln!(out, "{text}").unwrap();
        out.flush().unwrap();
    };
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    say(&format!("leased: {now} {}", lease.token));
    if what == "holds" {
        // `faketime` starts the worker as a process of its own, so a kill may hit `faketime` only.
        drop(std::io::stdin().read_to_end(&mut Vec::new()));
        return;
    }
    std::thread::sleep(short().lease * 2 / 3);
    assert!(queue.extend(&lease).unwrap());
    std::thread::sleep(short().lease * 2 / 3);
    say(&format!("finished: {}", queue.finish(&lease, b"by the worker").unwrap()));
}
