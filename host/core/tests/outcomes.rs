//! The judge against labels made by hand: calls of real logs (`outcomes/labels.tsv`), beside naive judges on the same
//! labels, and calls in the form of many tools (`outcomes/cases/`).
//! `cargo test --release -p gephost-core --test outcomes -- --nocapture` prints the figures that BENCHMARKS.md shows.
//!
//! A file of cases has a section `%% TOOL` for each tool. A case begins with `=> LABEL`, which may be followed by `flag`
//! (the log marks the call), `code N` (the log has the exit code), `no-codes` (its format has none) and `tool NAME`. A
//! line `$ COMMAND`, continued by lines `> …`, is the command. The rest is the output.

#![expect(clippy::disallowed_methods, reason = "a test reads its data, and may be told where it is")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileReader, Shared, recognise};
use gephost_core::outcome::{Call, judge};
use gephost_core::run_event::{EventType, Outcome};

struct Label {
    file: &'static str,
    line: &'static str,
    call: &'static str,
    outcome: Outcome,
    held: bool,
    flag: bool,
    code: Option<i64>,
    words: bool,
}

fn labels() -> Vec<Label> {
    let read = |line: &'static str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, line, call, label, half, flag, code, words] = *fields.as_slice() else { panic!("{line}") };
        let outcome = outcome(label);
        let (held, flag, code, words) = (half == "held", flag == "1", code.parse().ok(), words == "1");
        Label { file, line, call, outcome, held, flag, code, words }
    };
    include_str!("outcomes/labels.tsv").lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

fn outcome(label: &str) -> Outcome {
    match label {
        "success" => Outcome::Success,
        "failure" => Outcome::Failure,
        "rejected" => Outcome::Rejected,
        "cascade" => Outcome::Cascade,
        "unfinished" => Outcome::Unfinished,
        _ => panic!("{label}: no label"),
    }
}

/// A call in the form of a tool.
struct Case {
    tool: &'static str,
    line: usize,
    outcome: Outcome,
    called: &'static str,
    flagged: bool,
    code: Option<i64>,
    no_codes: bool,
    command: Option<String>,
    output: String,
}

impl Case {
    fn starts(tool: &'static str, line: usize, head: &'static str) -> Self {
        let mut words = head.split(' ');
        let outcome = outcome(words.next().unwrap());
        let mut case = Self {
            tool,
            line,
            outcome,
            called: "Bash",
            flagged: false,
            code: None,
            no_codes: false,
            command: None,
            output: String::new(),
        };
        while let Some(word) = words.next() {
            match word {
                "flag" => case.flagged = true,
                "no-codes" => case.no_codes = true,
                "code" => case.code = words.next().and_then(|code| code.parse().ok()),
                "tool" => case.called = words.next().unwrap(),
                _ => panic!("line {line}: {word}"),
            }
        }
        case
    }

    fn judged(&self) -> Outcome {
        let call = Call {
            tool: self.called,
            command: self.command.as_deref(),
            output: &self.output,
            flagged: self.flagged,
            exit_code: self.code,
            no_exit_codes: self.no_codes,
            ..Call::default()
        };
        judge(&call).outcome
    }
}

fn cases(text: &'static str) -> Vec<Case> {
    let (mut cases, mut tool): (Vec<Case>, &str) = (Vec::new(), "");
    for (at, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("%% ") {
            tool = name;
        } else if let Some(head) = line.strip_prefix("=> ") {
            cases.push(Case::starts(tool, at + 1, head));
        } else if let Some(case) = cases.last_mut() {
            let first = case.output.is_empty();
            match (&mut case.command, line.strip_prefix("$ "), line.strip_prefix("> ")) {
                (command @ None, Some(line), _) if first => *command = Some(line.to_owned()),
                (Some(command), _, Some(line)) if first => {
                    command.push('\n');
                    command.push_str(line);
                }
                _ => {
                    case.output.push_str(line);
                    case.output.push('\n');
                }
            }
        }
    }
    cases
}

#[test]
fn the_judge_knows_the_forms_of_many_tools() {
    let halves = [
        ("tools that were tuned on", include_str!("outcomes/cases/seen.txt")),
        ("tools held out", include_str!("outcomes/cases/held.txt")),
        ("tools without a rule", include_str!("outcomes/cases/fresh.txt")),
        ("calls that were made", include_str!("outcomes/cases/run.txt")),
        ("chains and filters", include_str!("outcomes/cases/chains.txt")),
    ];
    let mut text = String::new();
    let mut all = Vec::new();
    for (half, file) in halves {
        let cases = cases(file);
        let (mut failure, mut wrong) = (Score::default(), 0);
        for case in &cases {
            let said = case.judged();
            failure.count(said == Outcome::Failure, case.outcome == Outcome::Failure);
            if said != case.outcome {
                wrong += 1;
                let command = case.command.as_deref().unwrap_or(case.called);
                let _ = writeln!(text, "{}:{}: {command}: {said:?}, labelled {:?}", case.tool, case.line, case.outcome);
            }
        }
        let (precision, recall, of) = (failure.precision(), failure.recall(), failure.right + failure.missed);
        let _ = writeln!(text, "{half}: {} cases, {wrong} wrong", cases.len());
        let _ = writeln!(text, "  failure                  precision {precision:.3} recall {recall:.3} of {of}");
        all.push((precision, recall));
    }
    std::io::stderr().write_all(text.as_bytes()).unwrap();
    assert!(all.iter().all(|(precision, recall)| *precision >= 0.98 && *recall >= 0.97), "failure");
}

#[expect(clippy::disallowed_methods, reason = "a test may be told where its data is")]
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let found = std::env::var_os("GEPHOST_CORPUS").map_or(beside, PathBuf::from);
    found.join("expected-counts.json").is_file().then_some(found)
}

type Judged = HashMap<String, Vec<(u64, Outcome)>>;

/// What the judge says of the calls of a file, by id, with their lines.
fn judged(path: &Path) -> Judged {
    let bytes = fs::read(path).unwrap();
    let format = recognise(&bytes).unwrap();
    let mut calls = Judged::new();
    let mut shared = Shared::default();
    let mut reader = FileReader::new(format, &path.to_string_lossy(), &bytes);
    let mut take = |event: gephost_core::run_event::RunEvent| {
        if let (EventType::ToolEnd, Some(id), Some(outcome)) = (event.event_type, &event.call_id, event.outcome) {
            calls.entry(id.to_string()).or_default().push((event.line, outcome));
        }
    };
    reader.feed(&bytes, &mut shared, &mut take);
    reader.finish(&mut shared, &mut take);
    calls
}

/// How a judge does on one question.
#[derive(Default, Clone, Copy)]
struct Score {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Score {
    fn count(&mut self, said: bool, is: bool) {
        match (said, is) {
            (true, true) => self.right += 1,
            (true, false) => self.wrong += 1,
            (false, true) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.missed).max(1))
    }
}

#[test]
fn the_judge_agrees_with_labels_made_by_hand() {
    let Some(corpus) = corpus() else {
        return std::io::stderr().write_all(b"skipped: no corpus\n").unwrap();
    };
    let labels = labels();
    assert!(labels.len() >= 300);
    let mut files: HashMap<&str, Judged> = HashMap::new();
    let names = [
        "failure",
        "hidden failure",
        "rejected",
        "cascade",
        "failure by flag",
        "failure by flag or code",
        "failure by words",
    ];
    let mut scores = [[Score::default(); 7]; 3];
    let mut text = String::new();
    for label in &labels {
        let calls = files.entry(label.file).or_insert_with(|| judged(&corpus.join(label.file)));
        let found = calls.get(label.call).into_iter().flatten();
        // Documents were labelled without lines.
        let line: u64 = label.line.parse().unwrap();
        let said = found.clone().find(|(at, _)| line == 0 || *at == line).map(|(_, outcome)| *outcome);
        let said = said.unwrap_or_else(|| panic!("{}:{} {}: no such call", label.file, label.line, label.call));
        if said != label.outcome && !label.held {
            let _ =
                writeln!(text, "{}:{} {}: {said:?}, labelled {:?}", label.file, label.line, label.call, label.outcome);
        }
        let coded = label.code.is_some_and(|code| code != 0);
        let fails = label.outcome == Outcome::Failure;
        let hidden = !label.flag && !coded;
        for group in [0, 1 + usize::from(label.held)] {
            let score = &mut scores[group];
            score[0].count(said == Outcome::Failure, fails);
            if hidden {
                score[1].count(said == Outcome::Failure, fails);
            }
            score[2].count(said == Outcome::Rejected, label.outcome == Outcome::Rejected);
            score[3].count(said == Outcome::Cascade, label.outcome == Outcome::Cascade);
            score[4].count(label.flag, fails);
            score[5].count(label.flag || coded, fails);
            score[6].count(label.words, fails);
        }
    }
    for (group, name) in ["all", "seen half", "held-out half"].iter().enumerate() {
        let _ = writeln!(text, "{name}");
        for (score, what) in scores[group].iter().zip(names) {
            let (precision, recall) = (score.precision(), score.recall());
            let of = score.right + score.missed;
            let _ = writeln!(text, "  {what:<24} precision {precision:.3} recall {recall:.3} of {of}");
        }
    }
    std::io::stderr().write_all(text.as_bytes()).unwrap();
    for group in scores {
        assert!(group[0].precision() >= 0.95 && group[0].recall() >= 0.95, "failure");
        assert!(group[2].precision() >= 0.95 && group[2].recall() >= 0.95, "rejected");
        assert!(group[3].precision() >= 0.95 && group[3].recall() >= 0.95, "cascade");
    }
}
