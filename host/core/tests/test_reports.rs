//! What test runners write, read into counts, names and a verdict: a table of outputs in the runners' real forms, with
//! what each must be read as.
//!
//! A case in `test_reports/*.txt` is a title (`####`), the command (`$`), its exit code, and lines of its standard output
//! (`1|`), its standard error (`2|`) or a report that it wrote (`x|`), then what is read (`=|`). `\e` is an escape
//! character and `\r` a carriage return. `GEPHOST_BLESS=1 cargo test --release -p gephost-core --test test_reports` writes
//! what is read anew; the difference is then for review.

#![expect(clippy::disallowed_methods, reason = "a test reads its data, and writes it anew if it is asked to")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use gephost_core::evaluate::{merge_reports, read_junit, read_tests};
use gephost_core::validation::{RunResult, TestEvidence, TestState};

#[derive(Default)]
struct Case {
    title: String,
    command: String,
    exit: i32,
    streams: [String; 3],
    expected: String,
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/test_reports");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("#### ") {
            cases.push(Case { title: title.to_owned(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().expect("a title comes first");
        if let Some(command) = line.strip_prefix("$ ") {
            command.clone_into(&mut case.command);
        } else if let Some(code) = line.strip_prefix("exit ") {
            case.exit = code.parse().expect("an exit code");
        } else {
            let (kind, rest) = line.split_once('|').unwrap_or_else(|| panic!("{}: {line}", case.title));
            let rest = rest.replace("\\e", "\u{1b}").replace("\\r", "\r") + "\n";
            let place = match kind {
                "1" => &mut case.streams[0],
                "2" => &mut case.streams[1],
                "x" => &mut case.streams[2],
                "=" => &mut case.expected,
                _ => panic!("{}: {line}", case.title),
            };
            place.push_str(&rest);
        }
    }
    cases
}

fn shown(case: &Case) -> String {
    let argv: Vec<String> = case.command.split_whitespace().map(str::to_owned).collect();
    let [stdout, stderr, report] = &case.streams;
    let printed = read_tests(&argv, stdout, stderr);
    let mut text = String::new();
    let report = match read_junit(report.as_bytes()) {
        _ if report.is_empty() => None,
        Ok(report) => Some(report),
        Err(error) => {
            let _ = writeln!(text, "report: {error}");
            None
        }
    };
    let evidence = merge_reports(printed, report);
    let TestEvidence { counts, names } = evidence.clone().unwrap_or_default();
    let result = RunResult {
        exit: Some(case.exit),
        tests: evidence.as_ref().map(|it| it.counts),
        names: names.clone(),
        ..RunResult::default()
    };
    let verdict = if result.passed() { "passes" } else { "fails" };
    let _ = match evidence {
        None => writeln!(text, "{verdict}, no tests seen"),
        Some(_) => writeln!(
            text,
            "{verdict}, {} passed, {} failed, {} skipped{}",
            counts.passed,
            counts.failed,
            counts.skipped,
            if names.is_complete() { ", all named" } else { "" }
        ),
    };
    for (name, state) in names.iter() {
        let word = match state {
            TestState::Passed => "passed",
            TestState::Failed => "failed",
            TestState::Skipped => "skipped",
        };
        let _ = writeln!(text, "{word} {name}");
    }
    text
}

/// The cases' text with what is read put in the place of what was expected.
fn blessed(text: &str, cases: &[Case]) -> String {
    let mut out = String::new();
    let mut shown_cases = cases.iter().map(shown);
    let mut is_first = true;
    let mut close = |out: &mut String| {
        for line in shown_cases.next().expect("one for each title").lines() {
            let _ = writeln!(out, "=|{line}");
        }
        out.push('\n');
    };
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("=|")) {
        if line.starts_with("#### ") && !std::mem::take(&mut is_first) {
            close(&mut out);
        }
        out.push_str(line);
        out.push('\n');
    }
    close(&mut out);
    out.truncate(out.trim_end().len() + 1);
    out
}

#[test]
fn every_output_is_read_as_the_table_says() {
    let bless = std::env::var_os("GEPHOST_BLESS").is_some();
    let (mut count, mut wrong) = (0, String::new());
    for file in files() {
        let text = fs::read_to_string(&file).expect("a file of cases");
        let cases = read(&text);
        if bless {
            fs::write(&file, blessed(&text, &cases)).expect("a file of cases");
            continue;
        }
        for case in &cases {
            count += 1;
            let shown = shown(case);
            if shown != case.expected {
                let name = file.file_name().expect("a name").to_string_lossy();
                let _ = writeln!(wrong, "{name}: {}\n  expected:\n{}  read:\n{shown}", case.title, case.expected);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(bless || count >= 60, "only {count} cases");
}

/// Colours, Windows line ends and a carriage return before each line change nothing of any case.
#[test]
fn dress_makes_no_difference() {
    for case in files().iter().flat_map(|file| read(&fs::read_to_string(file).unwrap())) {
        let expected = shown(&case);
        let windows = |text: &str| text.replace('\n', "\r\n");
        let [out, err, report] = case.streams.clone();
        let dressed = Case { streams: [windows(&out), windows(&err), report], ..case };
        assert_eq!(shown(&dressed), expected, "{} with Windows line ends", dressed.title);
        let colour = |text: &str| format!("\u{1b}[1;32m{}\u{1b}[0m", text.replace('\n', "\u{1b}[0m\n\u{1b}[1;32m"));
        let [_, _, report] = dressed.streams;
        let dressed = Case { streams: [colour(&out), colour(&err), report], ..dressed };
        assert_eq!(shown(&dressed), expected, "{} in colour", dressed.title);
    }
}

/// A piece of an output is read as something, and never as more than was there.
#[test]
fn no_cut_makes_a_reader_panic() {
    for case in files().iter().flat_map(|file| read(&fs::read_to_string(file).unwrap())) {
        let argv: Vec<String> = case.command.split_whitespace().map(str::to_owned).collect();
        let [out, err, report] = &case.streams;
        for at in (0..out.len().max(err.len()).max(report.len())).step_by(13) {
            let cut = |text: &str| text[..text.floor_char_boundary(at.min(text.len()))].to_owned();
            let _ = read_tests(&argv, &cut(out), &cut(err));
            let _ = read_tests(&[], &cut(out), &cut(err));
            assert!(report.is_empty() || at >= report.trim_end().len() || read_junit(cut(report).as_bytes()).is_err());
        }
    }
}

#[test]
fn reading_is_linear() {
    let lines = "test_a.py::test_x PASSED\n  1) a > b [x] (1ms)\n=== RUN   T\n{\"\n# Subtest: a\n    ".repeat(40_000);
    let began = std::time::Instant::now();
    let _ = read_tests(&[], &lines, &lines);
    let _ = read_junit(format!("<testsuite>{}", "<testcase name='a'/>".repeat(200_000)).as_bytes());
    assert!(began.elapsed() < std::time::Duration::from_secs(20));
}
