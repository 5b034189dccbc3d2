//! `cargo bench -p gephost-tests --bench observe -- [--mb 1024] [--files 300_000]`: how fast logs are read, as whole
//! processes.
//!
//! The logs are made up (`claude_log`), or copies of those that `GEPHOST_CORPUS` names with ids of their own. What they are
//! compared with: the same files read, cut into lines and each line parsed in full by `serde_json`, on as many threads as
//! there are cores, in the same run. Medians of three: on the clock, and of the
//! processors' time, which says more on a loaded machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gephost_tests::claude_log;
use gephost_tests::cost::Cost;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::measure::{argument, time};
use gephost_tests::project::TestProject;
use rustix::time::{ClockId, clock_gettime};

const RUNS: usize = 3;
const MIB: u64 = 1 << 20;

fn main() {
    let megabytes = argument("mb").unwrap_or(1024) as u64;
    let files = argument("files").unwrap_or(300_000) as u64;
    let folder = tempfile::tempdir().unwrap();
    gephost();
    cold(&folder.path().join("cold"), megabytes);
    day(&folder.path().join("day"));
    unchanged(&folder.path().join("few"), 1000, RUNS);
    unchanged(&folder.path().join("many"), files, 1);
}

/// Everything read at once, and said what goes wrong.
fn cold(logs: &Path, megabytes: u64) {
    fill(logs, megabytes * MIB);
    let bench = Bench::new(logs);
    let parse = Cost::median(&several(RUNS, || parsing(logs)));
    let diagnose = Cost::median(&several(RUNS, || bench.run(&["diagnose", "--log", logs.to_str().unwrap()])));
    let observe = Cost::median(&several(RUNS, || bench.run(&["observe", logs.to_str().unwrap()])));
    println!("{megabytes} MiB, cold");
    for (what, cost) in [("lines parsed in full", parse), ("diagnose", diagnose), ("observe FILE", observe)] {
        println!("  {what}: {cost}");
    }
    let ratio = |of: fn(&Cost) -> Duration| of(&parse).as_secs_f64() / of(&diagnose).as_secs_f64();
    println!("  speed of diagnose over the parser's: {:.2} on the clock   aim: 0.5", ratio(|cost| cost.wall));
    println!("  the same by processors' time: {:.2}", ratio(|cost| cost.busy));
}

/// What is new in a day.
fn day(logs: &Path) {
    fill(logs, 20 * MIB);
    let cost = Cost::median(&several(RUNS, || Bench::new(logs).run(&["observe"])));
    println!("20 MiB into an empty run store: {cost}   aim: 200 ms");
    let bench = Bench::new(logs);
    let cost = Cost::median(&several(RUNS, || bench.run(&["diagnose", "--log", logs.to_str().unwrap()])));
    println!("20 MiB diagnosed: {cost}");
}

/// Logs in which nothing is new.
fn unchanged(logs: &Path, files: u64, runs: usize) {
    fs::create_dir_all(logs).unwrap();
    let line = "{\"type\":\"summary\",\"summary\":\"short\",\"leafUuid\":\"00\"}\n";
    for number in 0..files {
        fs::write(logs.join(claude_log::name(number)), line).unwrap();
    }
    let bench = Bench::new(logs);
    println!("{files} logs of one line, first: {}", bench.run(&["observe"]));
    println!("{files} logs of one line, unchanged: {}", Cost::median(&several(runs, || bench.run(&["observe"]))));
    println!("`gephost status` there: {}   aim: 10 ms", Cost::median(&several(RUNS, || bench.run(&["status"]))));
}

/// A project whose logs are these.
struct Bench {
    env: TestEnv,
    project: TestProject,
}

impl Bench {
    fn new(logs: &Path) -> Self {
        let env = TestEnv::new();
        let config = format!("[observe]\nlogs = [{:?}]\n", logs.to_str().unwrap());
        let project = TestProject::new(&env, &[("gephost.toml", &config)]);
        Self { env, project }
    }

    fn run(&self, arguments: &[&str]) -> Cost {
        Cost::of(&self.env, self.project.root(), gephost(), arguments)
    }
}

fn several(runs: usize, sample: impl Fn() -> Cost) -> Vec<Cost> {
    (0..runs).map(|_| sample()).collect()
}

/// What it takes to find the lines of all files and parse each.
fn parsing(logs: &Path) -> Cost {
    let processors = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap();
    let begun = processors();
    let (wall, lines) = time(|| parsed_by_serde_json(logs));
    assert!(lines > 0);
    Cost { wall, busy: processors() - begun, peak: 0.0 }
}

fn fill(folder: &Path, bytes: u64) {
    match std::env::var_os("GEPHOST_CORPUS") {
        Some(corpus) => repeat(Path::new(&corpus), folder, bytes),
        None => {
            claude_log::write(folder, bytes, 1).unwrap();
        }
    }
}

/// Copies of logs, in which the first digit of each id is another, so that no line counts as read before.
fn repeat(corpus: &Path, folder: &Path, bytes: u64) {
    fs::create_dir_all(folder).unwrap();
    let mut logs: Vec<PathBuf> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.sort();
    let texts: Vec<String> = logs.iter().map(|log| fs::read_to_string(log).unwrap()).collect();
    let (mut written, mut number) = (0, 0);
    while written < bytes {
        let text = &texts[usize::try_from(number).unwrap() % texts.len()];
        let copy = text.replace("\"uuid\":\"", &format!("\"uuid\":\"{number}-"));
        let copy = copy.replace("\"sessionId\":\"", &format!("\"sessionId\":\"{number}-"));
        fs::write(folder.join(claude_log::name(number)), &copy).unwrap();
        written += copy.len() as u64;
        number += 1;
    }
}

/// Finds the lines of all files and parses each into a value; says how many there were. A line that was cut when it was
/// written, as real logs have some, is read up to the cut.
fn parsed_by_serde_json(logs: &Path) -> usize {
    let files: Vec<PathBuf> = fs::read_dir(logs).unwrap().map(|entry| entry.unwrap().path()).collect();
    let (next, lines) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = fs::read(file).unwrap();
            let parsed = memchr::memchr_iter(b'\n', &bytes).fold((0, 0), |(start, count), end| {
                let value = serde_json::from_slice::<serde_json::Value>(&bytes[start..end]);
                (end + 1, count + usize::from(std::hint::black_box(value).is_ok()))
            });
            lines.fetch_add(parsed.1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(work);
        }
    });
    lines.into_inner()
}
