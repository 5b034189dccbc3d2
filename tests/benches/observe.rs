//! `cargo bench -p gephost-tests --bench observe -- [--mb 1024] [--files 300_000]`: how fast logs are read, as whole
//! processes.
//!
//! The logs are made up (`claude_log`), or copies of those that `GEPHOST_CORPUS` names with ids of their own. What they are
//! compared with: the same files read, cut into lines and each line parsed in full by `serde_json`, on as many threads as
//! there are cores, in the same run. Medians of three: on the clock, and of the
//! processors' time, which says more on a loaded machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gephost_tests::claude_log;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::measure::{argument, millis, time};
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
    let parse = middle(&several(RUNS, || parsing(logs)));
    let diagnose = middle(&several(RUNS, || bench.run(&["diagnose", "--log", logs.to_str().unwrap()])));
    let observe = middle(&several(RUNS, || bench.run(&["observe", logs.to_str().unwrap()])));
    println!("{megabytes} MiB, cold");
    for (what, cost) in [("lines parsed in full", parse), ("diagnose", diagnose), ("observe FILE", observe)] {
        println!("  {what}: {}", cost.told());
    }
    let ratio = |of: fn(&Cost) -> Duration| of(&parse).as_secs_f64() / of(&diagnose).as_secs_f64();
    println!("  speed of diagnose over the parser's: {:.2} on the clock   aim: 0.5", ratio(|cost| cost.wall));
    println!("  the same by processors' time: {:.2}", ratio(|cost| cost.busy));
}

/// What is new in a day.
fn day(logs: &Path) {
    fill(logs, 20 * MIB);
    let cost = middle(&several(RUNS, || Bench::new(logs).run(&["observe"])));
    println!("20 MiB into an empty run store: {}   aim: 200 ms", cost.told());
    let bench = Bench::new(logs);
    let cost = middle(&several(RUNS, || bench.run(&["diagnose", "--log", logs.to_str().unwrap()])));
    println!("20 MiB diagnosed: {}", cost.told());
}

/// Logs in which nothing is new.
fn unchanged(logs: &Path, files: u64, runs: usize) {
    fs::create_dir_all(logs).unwrap();
    let line = "{\"type\":\"summary\",\"summary\":\"short\",\"leafUuid\":\"00\"}\n";
    for number in 0..files {
        fs::write(logs.join(claude_log::name(number)), line).unwrap();
    }
    let bench = Bench::new(logs);
    println!("{files} logs of one line, first: {}", bench.run(&["observe"]).told());
    println!("{files} logs of one line, unchanged: {}", middle(&several(runs, || bench.run(&["observe"]))).told());
    println!("`gephost status` there: {}   aim: 10 ms", middle(&several(RUNS, || bench.run(&["status"]))).told());
}

/// A project whose logs are these.
struct Bench {
    env: TestEnv,
    project: TestProject,
}

/// What something took.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    wall: Duration,
    /// Of all processors, in the system too.
    busy: Duration,
    /// Peak resident memory of the largest process, in MiB.
    peak: f64,
}

impl Cost {
    fn told(&self) -> String {
        format!("{:.1} ms, {:.1} ms of processors, {:.0} MiB", millis(self.wall), millis(self.busy), self.peak)
    }
}

impl Bench {
    fn new(logs: &Path) -> Self {
        let env = TestEnv::new();
        let config = format!("[observe]\nlogs = [{:?}]\n", logs.to_str().unwrap());
        let project = TestProject::new(&env, &[("gephost.toml", &config)]);
        Self { env, project }
    }

    fn run(&self, arguments: &[&str]) -> Cost {
        // What python's own start cost, where it is a script that starts another, does not count.
        const ASK: &str = "import resource, subprocess, sys, time\n\
            used = lambda: resource.getrusage(resource.RUSAGE_CHILDREN)\n\
            busy = lambda: used().ru_utime + used().ru_stime\n\
            before, begun = busy(), time.perf_counter()\n\
            subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n\
            print(time.perf_counter() - begun, busy() - before, used().ru_maxrss)";
        let mut python = self.env.command("python3", self.project.root());
        let output = python.args(["-c", ASK]).arg(gephost()).args(arguments).stderr(Stdio::inherit()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let numbers: Vec<f64> = said.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [wall, busy, kibibytes] = numbers[..] else { panic!("python3 with the module resource") };
        Cost { wall: Duration::from_secs_f64(wall), busy: Duration::from_secs_f64(busy), peak: kibibytes / 1024.0 }
    }
}

fn several(runs: usize, sample: impl Fn() -> Cost) -> Vec<Cost> {
    (0..runs).map(|_| sample()).collect()
}

/// The median of each time, and the highest peak.
fn middle(costs: &[Cost]) -> Cost {
    let of = |field: fn(&Cost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(field).collect();
        times.sort();
        times[times.len() / 2]
    };
    let peak = costs.iter().map(|cost| cost.peak).fold(0.0, f64::max);
    Cost { wall: of(|cost| cost.wall), busy: of(|cost| cost.busy), peak }
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

/// Finds the lines of all files and parses each into a value; says how many there were.
fn parsed_by_serde_json(logs: &Path) -> usize {
    let files: Vec<PathBuf> = fs::read_dir(logs).unwrap().map(|entry| entry.unwrap().path()).collect();
    let (next, lines) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = fs::read(file).unwrap();
            let parsed = memchr::memchr_iter(b'\n', &bytes).fold((0, 0), |(start, count), end| {
                let value: serde_json::Value = serde_json::from_slice(&bytes[start..end]).unwrap();
                std::hint::black_box(value);
                (end + 1, count + 1)
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
