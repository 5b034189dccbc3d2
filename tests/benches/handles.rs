//! `cargo bench -p gephost-tests --bench handles`: what it costs to read logs of the run store from the handle of its
//! folder, beside plain paths and `std::fs`.
//!
//! Both ways list the folders, sort the names, and read each file in pieces of the size that the product uses. From the
//! handle, no link leads out of the folder, and no pipe is waited for. Times are what the thread spends on a processor. The
//! two ways take turns, on warm caches; each figure is the median of its rounds.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gephost_core::observe::HEAD_BYTES;
use gephost_runner::place::Place;
use gephost_runner::run_store::RunStore;
use gephost_tests::measure::{busy, millis};

const ROUNDS: usize = 31;
const KIB: u64 = 1024;
const MOST: f64 = 1.05;

fn main() {
    compare("2,000 logs of 32 KiB", 2000, 32 * KIB);
    compare("1 log of 64 MiB", 1, 64 * KIB * KIB);
}

/// Makes a store of so many logs of so many bytes, and reads it both ways.
fn compare(name: &str, logs: u64, bytes: u64) {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    fill(&runs, logs, bytes);
    let mut buffer = vec![0; HEAD_BYTES];
    let (mut handles, mut paths) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // A process opens its state folder once, and reads more than this from it. Here the opening counts too.
        let (took, read) = busy(|| read_from_handle(folder.path(), &mut buffer));
        assert_eq!(read, logs * bytes);
        handles.push(took);
        let (took, read) = busy(|| read_by_path(&runs, &mut buffer));
        assert_eq!(read, logs * bytes);
        paths.push(took);
    }
    let (handle, path) = (middle(handles), middle(paths));
    let ratio = handle.as_secs_f64() / path.as_secs_f64();
    println!(
        "{name}: {:.2} ms from the handle, {:.2} ms by std::fs: {ratio:.3} times   aim: {MOST}",
        millis(handle),
        millis(path)
    );
}

fn fill(runs: &Path, logs: u64, bytes: u64) {
    let text = vec![b'x'; usize::try_from(bytes).unwrap()];
    for number in 0..logs {
        let session = runs.join(format!("session-{number:05}"));
        fs::create_dir_all(&session).unwrap();
        fs::write(session.join("20260302.jsonl"), &text).unwrap();
    }
}

fn read_from_handle(state: &Path, buffer: &mut [u8]) -> u64 {
    let logs = RunStore::new(&Place::own(state)).files().unwrap();
    logs.iter().map(|log| read(log.open_through_links().unwrap(), buffer)).sum()
}

fn read_by_path(runs: &Path, buffer: &mut [u8]) -> u64 {
    let logs = sorted(runs).into_iter().flat_map(|session| sorted(&session));
    logs.map(|log| read(File::open(log).unwrap(), buffer)).sum()
}

fn read(mut file: File, buffer: &mut [u8]) -> u64 {
    let mut bytes = 0;
    loop {
        match file.read(buffer).unwrap() {
            0 => return bytes,
            read => bytes += read as u64,
        }
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
