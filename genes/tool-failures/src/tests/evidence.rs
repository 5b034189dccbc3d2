//! What a finding claims needs its evidence in the log. Each case that has it stands beside one that lacks it.

use gephost_gene::Severity;
use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::report::Report;
use crate::thresholds::Thresholds;

/// Tool, input, and the output of a failure, or `None` for a success.
type Step<'a> = (&'a str, &'a str, Option<&'a str>);

fn found_with(steps: &[Step<'_>], corrections: Vec<Correction>) -> Vec<Report> {
    let mut analysis = Analysis::new(Thresholds::default(), corrections);
    for (event, (name, input, failed)) in (0..).zip(steps) {
        let tools = ["Bash", "Read", "Write", "Edit"];
        analysis.add(&Call {
            event,
            tool: tools.iter().position(|tool| tool == name).and_then(|at| u32::try_from(at).ok()),
            name,
            failed: failed.is_some(),
            kind: match failed {
                None => FailureKind::None,
                Some(output) if output.contains("FAIL") => FailureKind::TestFailure,
                Some(output) if output.contains("Traceback") => FailureKind::Traceback,
                Some(_) => FailureKind::ExitNonzero,
            },
            input,
            output: failed.unwrap_or("fine"),
            ..Call::FAILED
        });
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

fn found(steps: &[Step<'_>]) -> Vec<Report> {
    found_with(steps, Vec::new())
}

fn direction(steps: &[Step<'_>], kind: &str) -> String {
    let reports = found(steps);
    let report = reports.iter().find(|report| report.kind == kind);
    report.unwrap_or_else(|| panic!("no {kind} in {reports:#?}")).direction.clone()
}

const RAISED: &str = "Traceback (most recent call last):\n  File \"/w/try.py\", line 2, in <module>\n";

#[test]
fn mistakes_in_scripts_that_the_agent_wrote_are_one_finding() {
    let mistakes = ["NameError: name 'x' is not defined", "TypeError: no", "SyntaxError: invalid syntax"];
    let outputs = mistakes.map(|mistake| format!("{RAISED}{mistake}"));
    let of = |written: &'static str, count: usize| {
        let mut steps = vec![("Write", written, None)];
        steps.extend(outputs.iter().take(count).map(|output| ("Bash", "python try.py", Some(output.as_str()))));
        steps.push(("Bash", "ls", None));
        found(&steps).into_iter().filter(|report| report.kind != "loop").collect::<Vec<_>>()
    };
    let own = of(r#"{"file_path": "/w/try.py"}"#, 3);
    assert_eq!(own.iter().map(|report| report.kind).collect::<Vec<_>>(), ["scratch_scripts"]);
    assert_eq!(own[0].title, "scripts that the agent wrote itself fail: `NameError`, `SyntaxError`, `TypeError`");
    assert_eq!((own[0].occurrences, own[0].severity, own[0].direction.as_str()), (3, Severity::Medium, ""));
    let one = of(r#"{"file_path": "/w/try.py"}"#, 1);
    assert_eq!((one[0].kind, one[0].direction.as_str()), ("error_signature", ""), "one is none of several");
    let of_project = of(r#"{"file_path": "/w/other.py"}"#, 3);
    assert!(of_project.iter().all(|report| report.kind != "scratch_scripts"), "{of_project:#?}");
    // What is around a script is no mistake in it.
    let missing = format!("{RAISED}ModuleNotFoundError: No module named 'yaml'");
    let steps = [("Write", r#"{"file_path": "/w/try.py"}"#, None), ("Bash", "python try.py", Some(missing.as_str()))];
    assert_eq!(found(&steps)[0].kind, "missing_module");
}

#[test]
fn a_path_that_was_found_later_is_named_however_far_away() {
    let missing =
        ("Bash", "../../.venv/bin/python a.py", Some("bash: ../../.venv/bin/python: No such file or directory"));
    let mut steps = vec![missing];
    steps.extend([("Bash", "ls", None)].repeat(60));
    steps.push(("Bash", "cd a && ../.venv/bin/pytest b", None));
    assert_eq!(
        direction(&steps, "missing_path"),
        "use the path `../.venv/bin` instead of `../../.venv/bin`: a later call found it"
    );
    steps.pop();
    assert!(!direction(&steps, "missing_path").contains("instead of"));
    steps.push(("Bash", "../../.venv/bin/pytest b || true", None));
    assert!(!direction(&steps, "missing_path").contains("instead of"), "it may have failed");
}

#[test]
fn another_server_that_answered_is_named_for_all_that_asked_the_first_one() {
    let failed = "Error: HTTP error 525 with body: <!DOCTYPE html>";
    let steps = [
        ("Bash", "cast block latest --rpc-url https://a.example.com", Some(failed)),
        ("Bash", "cast call 0x1 'f()' --rpc-url https://a.example.com", Some(failed)),
        ("Bash", "cast call 0x2 'g()' --rpc-url https://a.example.com", Some(failed)),
        ("Bash", "cast block latest --rpc-url https://b.example.com/x", None),
    ];
    let correction = |before: &str, after: &str| Correction {
        failed: 0,
        worked: 3,
        difference: Difference::Input,
        before: before.to_owned(),
        after: after.to_owned(),
    };
    let advice = |before, after| found_with(&steps, vec![correction(before, after)])[0].direction.clone();
    assert_eq!(
        advice("https://a.example.com", "https://b.example.com/x"),
        "ask `b.example.com` instead of `a.example.com`: the same call worked there next"
    );
    assert_eq!(advice("https://a.example.com", "https://a.example.com/x"), "", "it is the same server");
    assert_eq!(advice("latest", "earliest"), "", "another word is no remedy");
}

#[test]
fn a_message_that_calls_print_anyhow_is_no_cause() {
    let usual = "/opt/shellenv.sh: line 18: /bin/ps: Operation not permitted";
    let worked = format!("{usual}\nfine");
    let failed = format!("{usual}\nerror: target shim binary not found");
    let mut analysis = Analysis::default();
    for event in 0..4 {
        let is_last = event == 3;
        analysis.add(&Call {
            event,
            failed: is_last,
            kind: if is_last { FailureKind::ExitNonzero } else { FailureKind::None },
            input: "python a.py",
            output: if is_last { &failed } else { &worked },
            ..Call::FAILED
        });
    }
    analysis.finish(Vec::new());
    assert!(reports(&analysis)[0].title.contains("target shim binary"), "{:#?}", reports(&analysis));
    assert_eq!(found(&[("Bash", "python a.py", Some(&failed))])[0].kind, "access_denied", "it stands there alone");
}

#[test]
fn tests_that_are_written_to_fail_are_meant_to() {
    let failed = "Ran 1 test for test/A.t.sol\n[FAIL: assertion failed: 1 != 2] test_A() (gas: 1)";
    let expected = |message: &str, edited: &str| {
        let mut analysis = Analysis::default();
        analysis.add_message(0, message);
        analysis.add(&Call { failed: false, name: "Edit", tool: Some(1), input: edited, ..Call::FAILED });
        analysis.add_message(0, "Now I run them.");
        analysis.add(&Call {
            event: 1,
            kind: FailureKind::TestFailure,
            input: "forge test --match-test test_A",
            output: failed,
            ..Call::FAILED
        });
        analysis.finish(Vec::new());
        reports(&analysis).iter().any(|report| report.is_expected)
    };
    let probe = r#"{"file_path": "test/A.t.sol"}"#;
    assert!(expected("I write failing probes around the fees.", probe));
    assert!(!expected("I write probes around the fees.", probe));
    assert!(
        !expected("I write failing probes around the fees.", r#"{"file_path": "src/A.sol"}"#),
        "it was to be fixed"
    );
}

#[test]
fn an_edit_of_the_file_that_the_error_names_is_told() {
    let failed = ("Bash", "make a", Some("src/a.rs:3: error: one thing is wrong here"));
    let edit = ("Edit", r#"{"file_path": "/w/src/a.rs"}"#, None);
    let worked = ("Bash", "make a", None);
    let advice = |steps: &[Step<'_>]| direction(steps, "error_signature");
    assert_eq!(
        advice(&[failed, failed, edit, edit, worked]),
        "the agent edited `/w/src/a.rs` (2 edits), then it worked, after 2 of 2 failures"
    );
    let piped = ("Bash", "make a 2>&1 | tail -3", None);
    assert!(advice(&[failed, failed, edit, piped]).contains("the agent edited `/w/src/a.rs`"));
    assert_eq!(advice(&[failed, failed, edit, ("Bash", "make a b", None)]), "", "another call");
    assert_eq!(advice(&[failed, edit, worked]), "the agent edited `/w/src/a.rs`, then it worked");
    let again = advice(&[failed, edit, worked, failed, worked]);
    assert_eq!(
        again, "the same call worked later, and nothing was seen to change in between, after 1 of 2 failures",
        "it came again, and worked without an edit"
    );
    let other = ("Edit", r#"{"file_path": "/w/src/other.rs"}"#, None);
    assert_eq!(advice(&[failed, failed, other, worked]), "", "the error names another file");
    let formatted = ("Bash", "sed -i s/a/b/ src/c.rs", None);
    assert_eq!(advice(&[failed, failed, edit, formatted, worked]), "", "something else was changed, too");
}

#[test]
fn a_compiler_that_cannot_be_started_is_missing() {
    let output = "distutils.errors.CompileError: command 'clang' failed: No such file or directory";
    let reports = found(&[("Bash", "pip install -e .", Some(output))]);
    assert_eq!(reports[0].title, "the program `clang` is not installed, or not on the PATH");
    let output = "cp: cannot stat 'clang': No such file or directory";
    assert_eq!(found(&[("Bash", "cp clang b", Some(output))])[0].kind, "missing_path");
}

#[test]
fn every_part_of_a_group_has_evidence() {
    let paths = ["src/config/loader.py", "docs/guide/install.md", "web/public/index.html"];
    for repeated in [1, 5, 12, 40] {
        let errors: Vec<(String, String)> = (0..3 * repeated)
            .map(|at| {
                let path = paths[at / repeated];
                (format!("cat {path} # {at}"), format!("cat: {path}: No such file or directory"))
            })
            .collect();
        let steps: Vec<Step<'_>> =
            errors.iter().map(|(input, output)| ("Bash", input.as_str(), Some(output.as_str()))).collect();
        let reports = found(&steps);
        let of_paths: Vec<_> = reports.iter().filter(|report| report.kind == "missing_path").collect();
        assert!(!of_paths.is_empty());
        for report in of_paths {
            assert!(!report.evidence.is_empty(), "{repeated}: {report:#?}");
            assert!(report.evidence.iter().all(|(event, _)| report.events.contains(event)), "{repeated}: {report:#?}");
        }
        let counted: u32 =
            reports.iter().filter(|report| report.kind == "missing_path").map(|report| report.occurrences).sum();
        assert_eq!(counted as usize, errors.len(), "{repeated}");
    }
}

#[test]
fn only_a_file_that_is_read_right_after_its_write_is_read_too_early() {
    let told = |written: &str, between: u64, seconds: i64| {
        let mut analysis = Analysis::new(Thresholds::default(), Vec::new());
        let call =
            |event, time: i64, input, failed| Call { event, time: time * 1_000_000, input, failed, ..Call::FAILED };
        let missing = "cat: out.txt: No such file or directory";
        analysis.add(&Call { kind: FailureKind::None, output: "", ..call(0, 100, written, false) });
        for event in 1..=between {
            analysis.add(&Call { kind: FailureKind::None, output: "", ..call(event, 100, "ls", false) });
        }
        analysis.add(&Call { output: missing, ..call(between + 1, 100 + seconds, "cat out.txt", true) });
        analysis.finish(Vec::new());
        reports(&analysis).iter().any(|report| report.direction.contains("read it in the next step"))
    };
    let writes = "python a.py > out.txt";
    assert!(told(writes, 0, 1));
    assert!(!told(writes, 0, 5) && !told(writes, 0, 300), "the next step of a model takes longer");
    assert!(!told(writes, 3, 1) && !told("python a.py", 0, 1));
}

#[test]
fn a_script_at_a_whole_path_is_missing_on_the_machine() {
    let told = |path: &str| {
        let (input, output) = (format!("bash {path}"), format!("bash: {path}: No such file or directory"));
        direction(&[("Bash", &input, Some(&output))], "missing_path")
    };
    assert!(
        told("/tests/test.sh").ends_with("there is no `/tests/test.sh` on its machine"),
        "{}",
        told("/tests/test.sh")
    );
    assert!(told("tests/test.sh").ends_with("in the folder where the shell looked"), "{}", told("tests/test.sh"));
}
