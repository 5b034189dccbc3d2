//! What a whole process costs, with every process that it starts and waits for.
//!
//! On a machine that others use too, the least of many runs says most, and of the processors' time more than of the clock.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::environment::TestEnv;
use crate::measure::millis;

/// What one run took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// On the clock.
    pub wall: Duration,
    /// Time of all processors, in the system too.
    pub busy: Duration,
    /// Peak resident memory of the largest process, in MiB.
    pub peak: f64,
}

impl Cost {
    /// Runs a program in a folder, with the environment of a test. It must end with 0. Asks Python, whose own start does
    /// not count.
    pub fn of(env: &TestEnv, folder: &Path, program: &Path, arguments: &[&str]) -> Self {
        const ASK: &str = "import resource, subprocess, sys, time\n\
            used = lambda: resource.getrusage(resource.RUSAGE_CHILDREN)\n\
            busy = lambda: used().ru_utime + used().ru_stime\n\
            before, begun = busy(), time.perf_counter()\n\
            subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n\
            print(time.perf_counter() - begun, busy() - before, used().ru_maxrss)";
        let mut python = env.command("python3", folder);
        let output = python.args(["-c", ASK]).arg(program).args(arguments).stderr(Stdio::inherit()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let numbers: Vec<f64> = said.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [wall, busy, kibibytes] = numbers[..] else { panic!("python3 with the module resource") };
        Self { wall: Duration::from_secs_f64(wall), busy: Duration::from_secs_f64(busy), peak: kibibytes / 1024.0 }
    }

    /// The least of each time, and the highest peak.
    pub fn least(self, other: Self) -> Self {
        Self { wall: self.wall.min(other.wall), busy: self.busy.min(other.busy), peak: self.peak.max(other.peak) }
    }

    /// The median of each time, and the highest peak.
    pub fn median(costs: &[Self]) -> Self {
        let of = |field: fn(&Self) -> Duration| {
            let mut times: Vec<Duration> = costs.iter().map(field).collect();
            times.sort();
            times[times.len() / 2]
        };
        let peak = costs.iter().map(|cost| cost.peak).fold(0.0, f64::max);
        Self { wall: of(|cost| cost.wall), busy: of(|cost| cost.busy), peak }
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (wall, busy) = (millis(self.wall), millis(self.busy));
        write!(f, "{busy:.1} ms of processor time, {wall:.1} ms on the clock, {:.0} MiB", self.peak)
    }
}
