//! `cargo bench -p gephost-tests --bench cycle`: the figures of BENCHMARKS.md for whole processes and for loading genes.
//!
//! Wall times are medians; each ratio is between numbers of this one run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{CompileCache, Sandbox};
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::repository;

const RUNS: usize = 40;

fn main() {
    let env = TestEnv::new();
    let quickstart = repository().join("examples/quickstart");
    // Builds the program, which is none of what is measured.
    gephost();
    let run = || {
        let ran = env.run(&quickstart, &["run"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    let cold = time(run);
    let warm = median(|| time(run));
    println!("quickstart dry run, whole process, cold cache   {:>9.1} ms", millis(cold));
    println!("quickstart dry run, whole process, warm         {:>9.1} ms", millis(warm));
    println!("  `gephost --version`, for comparison           {:>9.1} ms", millis(median(|| time(|| version(&env)))));
    match peak_memory(&env, &quickstart) {
        Some(kib) => println!("quickstart dry run, peak memory                 {:>9.1} MiB", kib / 1024.0),
        None => println!("quickstart dry run, peak memory                  skipped: no python3 to ask getrusage"),
    }
    for bundled in BUNDLED {
        let folder = tempfile::tempdir().unwrap();
        let load = || {
            let cache = CompileCache::open(&folder.path().join("cache"), &folder.path().join("key")).unwrap();
            let sandbox = Sandbox::new(Some(cache)).unwrap();
            let begun = Instant::now();
            sandbox.load(bundled.bytes).unwrap();
            begun.elapsed()
        };
        let compiled = load();
        let cached = median(load);
        println!(
            "load {:<30} compiled {:>7.1} ms, cached {:>6.2} ms, {:.0} times faster ({} KiB)",
            bundled.id,
            millis(compiled),
            millis(cached),
            compiled.as_secs_f64() / cached.as_secs_f64(),
            bundled.bytes.len() >> 10
        );
    }
}

fn version(env: &TestEnv) {
    env.run(&repository(), &["--version"]);
}

fn time(run: impl Fn()) -> Duration {
    let begun = Instant::now();
    run();
    begun.elapsed()
}

fn median(sample: impl Fn() -> Duration) -> Duration {
    let mut samples: Vec<Duration> = (0..RUNS).map(|_| sample()).collect();
    samples.sort();
    samples[RUNS / 2]
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Peak resident memory of one dry run, in KiB.
fn peak_memory(env: &TestEnv, project: &std::path::Path) -> Option<f64> {
    const ASK: &str = "import resource, subprocess, sys\n\
        subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n\
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let mut command: Command = env.command("python3", project);
    let output = command.args(["-c", ASK]).arg(gephost()).arg("run").stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
