//! `cargo bench -p gephost-core --bench secrets`: speed of the secret scanner, and precision and recall beside `PyPI`'s
//! detect-secrets on the same files in the same run (skipped with a word where that is not installed).

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and fails by panicking")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]
#![expect(clippy::disallowed_methods, reason = "a bench starts the other scanner and reads the clock")]

#[path = "../tests/labelled/mod.rs"]
mod labelled;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gephost_core::secret::{Ruleset, find_secrets};
use labelled::Labelled;

const RUNS: usize = 5;

fn main() {
    let begun = on_processor();
    find_secrets("password = x, token = y, sk-z, key");
    println!("first use, rules read and five compiled   {:>9.2} ms", millis(on_processor().saturating_sub(begun)));
    let clean = sources();
    let heavy = heavy(&clean);
    speed("source code and logs", &clean);
    speed("the same, a secret every 500 bytes", &heavy);
    against_the_other(&clean);
    for (name, text) in adversarial() {
        speed(name, &text);
    }
}

/// Time that this thread has spent on a processor, where the system says; else time on the clock. Others at work on the
/// machine do not count.
fn on_processor() -> Duration {
    let stated = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stated.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default(),
        Duration::from_nanos,
    )
}

fn speed(name: &str, text: &str) {
    let time = |find: &dyn Fn() -> usize| {
        let once = || {
            let begun = on_processor();
            std::hint::black_box(find());
            on_processor().saturating_sub(begun)
        };
        let mut times: Vec<Duration> = (0..RUNS).map(|_| once()).collect();
        times.sort();
        text.len() as f64 / times[RUNS / 2].as_secs_f64() / 1e6
    };
    let secrets = time(&|| find_secrets(text).len());
    let both = time(&|| Ruleset::bundled().secrets_and_personal(None, text).len());
    let found = find_secrets(text).len();
    println!(
        "{name:<40}  {secrets:>7.0} MB/s  with personal data {both:>7.0} MB/s  ({found} found, {} MB)",
        text.len() / 1_000_000
    );
}

/// This repository's own files and, where it lies beside it, the shared corpus of agents' logs; at most 64 MB.
fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = String::new();
    for folder in ["host", "sdk", "genes", "tests", "wit", "../shared/corpus"] {
        read_all(&root.join(folder), &mut text);
    }
    text
}

fn read_all(path: &Path, text: &mut String) {
    const TEXTS: [&str; 9] = ["rs", "toml", "md", "txt", "jsonl", "json", "wit", "wat", "traj"];
    if path.is_dir() {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.sort();
        for path in &inside {
            read_all(path, text);
        }
    } else if path.extension().is_some_and(|end| TEXTS.iter().any(|known| end == *known)) && text.len() < 64_000_000 {
        text.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()));
    }
}

/// Ordinary lines with a labelled secret after every five hundred bytes of them.
fn heavy(clean: &str) -> String {
    let secrets: Vec<Labelled> = labelled::all().into_iter().filter(|case| case.rule.is_some()).collect();
    let mut text = String::new();
    let (mut since, mut next) = (0, 0);
    for line in clean.lines().filter(|line| line.len() < 400).take(100_000) {
        text.push_str(line);
        text.push('\n');
        since += line.len();
        if since > 500 {
            text.push_str(&secrets[next % secrets.len()].text);
            text.push('\n');
            (since, next) = (0, next + 1);
        }
    }
    text
}

fn adversarial() -> Vec<(&'static str, String)> {
    let header = format!("{}BEGIN PRIVATE KEY{}", "-".repeat(5), "-".repeat(5));
    let keys = format!("{}\n", header.repeat((64 << 10) / header.len()));
    let repeated = |text: &str, bytes: usize| text.repeat(bytes / text.len());
    vec![
        ("100 MB of unterminated key headers", repeated(&keys, 100_000_000)),
        ("one line of 5 MB", repeated("a", 5_000_000)),
        ("one line of 5 MB of digits", repeated("4", 5_000_000)),
        ("sk-sk-sk-…", repeated("sk-", 5_000_000)),
        ("password=password=…", repeated("password=", 5_000_000)),
        ("password=\"password=\"…", repeated("password=\"", 5_000_000)),
        ("api_key: api_key: …", repeated("api_key: ", 5_000_000)),
        ("token tokens without end", repeated("token:\"aaaaaaaa", 5_000_000)),
        ("eyJeyJeyJ…", repeated(concat!("ey", "J"), 5_000_000)),
        ("://a:://a:…", repeated("://a:", 5_000_000)),
        ("curl curl curl …", repeated("curl ", 5_000_000)),
        ("a@a@a@…", repeated("a@", 5_000_000)),
        ("+1+1+1 and 1-1-1-…", repeated("+1 1-1-", 5_000_000)),
    ]
}

/// The labelled texts and the sources, one file each, through both scanners.
fn against_the_other(clean: &str) {
    let folder = std::env::temp_dir().join(format!("gephost-bench-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("cases")).unwrap();
    let cases = labelled::all();
    for (at, case) in cases.iter().enumerate() {
        let name = Path::new(&case.file).file_name().unwrap().to_string_lossy().into_owned();
        std::fs::create_dir_all(folder.join(format!("cases/{at}"))).unwrap();
        std::fs::write(folder.join(format!("cases/{at}/{name}")), format!("{}\n", case.text)).unwrap();
    }
    let ours: HashSet<usize> =
        cases.iter().enumerate().filter(|(_, case)| !find_secrets(&case.text).is_empty()).map(|(at, _)| at).collect();
    table("gephost", &cases, &ours);
    let part: String =
        clean.lines().filter(|line| line.len() < 2000).flat_map(|line| [line, "\n"]).take(20_000).collect();
    std::fs::create_dir_all(folder.join("text")).unwrap();
    std::fs::write(folder.join("text/a.txt"), &part).unwrap();
    let theirs = others(&folder.join("cases"));
    match theirs {
        Some(listed) => {
            let flagged = (0..cases.len()).filter(|at| listed.contains(&format!("\"{at}/"))).collect();
            table("detect-secrets", &cases, &flagged);
            compare_speed(&folder, &part);
        }
        None => println!("detect-secrets: skipped, `detect-secrets` is not installed"),
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn others(folder: &Path) -> Option<String> {
    let ran =
        Command::new("detect-secrets").args(["scan", "--all-files", "--no-verify", "."]).current_dir(folder).output();
    let ran = ran.ok().filter(|ran| ran.status.success())?;
    Some(String::from_utf8_lossy(&ran.stdout).replace("\"./", "\""))
}

fn compare_speed(folder: &Path, part: &str) {
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let time = |folder: &Path| {
        let begun = Instant::now();
        others(folder).map(|_| begun.elapsed().as_secs_f64())
    };
    let (Some(start), Some(whole)) = (time(&empty), time(&folder.join("text"))) else { return };
    let begun = Instant::now();
    std::hint::black_box(find_secrets(part));
    let ours = begun.elapsed().as_secs_f64();
    let theirs = (whole - start).max(f64::EPSILON);
    println!(
        "the same {:.1} MB: gephost {:.1} ms, detect-secrets {:.0} ms (its start taken off): {:.0} times faster",
        part.len() as f64 / 1e6,
        ours * 1e3,
        theirs * 1e3,
        theirs / ours
    );
}

fn table(name: &str, cases: &[Labelled], flagged: &HashSet<usize>) {
    let of = |secret: bool| cases.iter().enumerate().filter(move |(_, case)| case.rule.is_some() == secret);
    let hits = of(true).filter(|(at, _)| flagged.contains(at)).count();
    let alarms = of(false).filter(|(at, _)| flagged.contains(at)).count();
    let (positives, negatives) = (of(true).count(), of(false).count());
    let precision = hits as f64 / (hits + alarms).max(1) as f64;
    println!(
        "{name:<16} precision {precision:.3}  recall {:.3}  ({hits} of {positives} secrets, {alarms} false alarms in {negatives})",
        hits as f64 / positives as f64
    );
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
