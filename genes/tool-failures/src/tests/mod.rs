//! Logs in, findings out: which patterns are reported, how severe they are, and in which order.

mod advice;
mod agreed;
mod called;
mod claims;
mod cures;
mod decided;
mod evidence;
mod facts;
mod next;
mod one_cause;
mod outage;
mod parents;
mod premise;
mod proof;
mod provider;
mod refusals;
mod sentence;
mod subtests;
mod unfinished;

use gephost_gene::Severity;
use gephost_gene::run_log::{Correction, Difference, FailureKind, Used};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::causes::MAX_GROUPS;
use crate::findings::errors::{MAX_REPEATED, MAX_SINGLE};
use crate::findings::{MAX_OF_KIND, reports};
use crate::measures::groups::{MAX_EVIDENCE, MAX_TOOLS};
use crate::report::Report;
use crate::thresholds::Thresholds;

/// Tool, input, and the output of a failure, or `None` for a success. An empty tool means an exception.
type Step<'a> = (&'a str, &'a str, Option<&'a str>);

fn kind(output: &str) -> FailureKind {
    let kinds = [
        ("No module", FailureKind::MissingModule),
        ("command not found", FailureKind::MissingCommand),
        ("String to replace", FailureKind::EditMismatch),
        ("No changes to make", FailureKind::EditMismatch),
        ("timed out", FailureKind::Timeout),
        ("--- FAIL", FailureKind::TestFailure),
        ("error TS", FailureKind::CompileLint),
        ("would be reformatted", FailureKind::ExitNonzero),
        ("No such file", FailureKind::FileNotFound),
        ("Error", FailureKind::Traceback),
    ];
    kinds.iter().find(|(word, _)| output.contains(word)).map_or(FailureKind::ExitNonzero, |(_, kind)| *kind)
}

fn analysis(steps: &[Step<'_>], duration: impl Fn(usize) -> Option<f64>) -> Analysis {
    let mut analysis = Analysis::default();
    let mut names: Vec<&str> = Vec::new();
    for (event, (name, input, failed)) in steps.iter().enumerate() {
        let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        analysis.add(&Call {
            event: event as u64,
            time: i64::MIN,
            exception: name.is_empty(),
            tool: u32::try_from(number).ok().filter(|_| !name.is_empty()),
            name,
            session: 0,
            failed: failed.is_some(),
            kind: failed.map_or(FailureKind::None, kind),
            duration_ms: duration(event),
            input,
            output: failed.unwrap_or("fine"),
        });
    }
    analysis.finish(Vec::new());
    analysis
}

fn found(steps: &[Step<'_>]) -> Vec<Report> {
    reports(&analysis(steps, |_| None))
}

fn only<'a>(reports: &'a [Report], kind: &str) -> &'a Report {
    let of_kind: Vec<&Report> = reports.iter().filter(|report| report.kind == kind).collect();
    assert_eq!(of_kind.len(), 1, "{kind} in {reports:#?}");
    of_kind[0]
}

fn kinds(reports: &[Report]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = reports.iter().map(|report| report.kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn a_failing_call_gives_its_cause() {
    let reports = found(&[("Bash", "python3 -c 1", Some("x\nModuleNotFoundError: No module named 'a'\n"))]);
    assert_eq!(kinds(&reports), ["missing_module"]);
    let report = &reports[0];
    assert_eq!(report.title, "the module `a` is missing when `python3` runs");
    assert_eq!(report.severity, Severity::Medium);
    assert_eq!(report.evidence, [(0, "python3 -c 1".to_owned())]);
    assert_eq!(report.events, [0]);
    assert_eq!(report.signals, ["log_error", "errsig:ModuleNotFoundError: No module named 'a'", "missing_module"]);
    let digits = report.id.strip_prefix("missing-module:").expect("the kind is in the id");
    assert!(digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn the_same_error_is_one_finding_wherever_the_output_has_it() {
    let reports = found(&[
        ("Bash", "a", Some("Exit code 1\nTraceback (most recent call last):\n  x\nImportError: no b in /x/1.py\n")),
        ("Bash", "c", Some("E   ImportError: no b in /y/2.py\n\n1 failed")),
        ("Run", "d", Some("\u{1b}[31mImportError: no b in /z\n")),
    ]);
    let report = only(&reports, "error_signature");
    assert_eq!((report.title.as_str(), report.occurrences), ("ImportError: no b in …", 3));
}

#[test]
fn names_ids_and_times_do_not_tell_errors_apart() {
    let line = |time: &str, name: &str| format!("{time} error: no lease for queue '{name}'");
    let outputs = [line("12:00:01", "alpha"), line("2026-01-02T03:04:05Z", "beta-2"), line("[03:04:05.123]", "gamma")];
    let steps: Vec<Step<'_>> = outputs.iter().map(|output| ("Bash", "work", Some(output.as_str()))).collect();
    let reports = found(&steps);
    let report = only(&reports, "error_signature");
    assert_eq!(report.title, "`work`: … error: no lease for queue …");
    assert_eq!(report.facets[0].values, ["alpha", "beta-2", "gamma"]);
    assert_eq!((report.occurrences, report.facets[0].distinct), (3, 3));
}

#[test]
fn errors_with_the_same_exit_code_are_told_apart() {
    let reports = found(&[
        ("Bash", "a", Some("Exit code 1\nerror: one")),
        ("Bash", "b", Some("Exit code 1\nerror: two")),
        ("Bash", "a", Some("Exit code 1\nerror: one")),
        ("Bash", "b", Some("Exit code 1\nerror: two")),
    ]);
    let titles: Vec<&str> = reports.iter().filter(|r| r.kind == "error_signature").map(|r| r.title.as_str()).collect();
    assert_eq!(titles, ["`b`: error: two", "`a`: error: one"]);
}

#[test]
fn the_tasks_of_one_program_and_the_tools_of_one_server_are_one_finding() {
    let failed = |steps: &[(&'static str, &'static str)]| {
        let outputs = ["error: no a", "error: bad form of b", "error: c is empty", "error: d ends early"];
        let steps = steps.iter().zip(outputs).map(|((name, input), output)| (*name, *input, Some(output)));
        found(&steps.collect::<Vec<_>>())
    };
    let reports = failed(&[("Bash", "cargo clippy"), ("Bash", "cargo fmt --check"), ("Bash", "cargo clippy")]);
    let together = only(&reports, "different_failures");
    assert_eq!(together.title, "`cargo` fails 3 times: 2 in `cargo clippy`, 1 in `cargo fmt`");
    let tools = [("mcp__shop__cart", "{}"), ("mcp__shop__pay", "{\"a\":1}"), ("mcp__shop__list", "{\"b\":1}")];
    let together = only(&failed(&tools), "different_failures").title.clone();
    assert_eq!(together, "`mcp__shop` fails in 3 different ways, once each");
    for steps in [&tools[..2], &[("Bash", "cargo clippy"), ("Bash", "npm run lint"), ("Bash", "make check")]] {
        assert!(!failed(steps).iter().any(|report| report.kind == "different_failures"), "{steps:?}");
    }
}

#[test]
fn unlike_errors_of_one_program_are_one_finding_below_its_recurring_error() {
    let outputs = ["no title", "label missing", "body is empty", "no title", "too long", "no reviewer", "no base here"];
    let outputs = outputs.map(|text| format!("error: {text}"));
    let run = |program: &str, count: usize| {
        let inputs: Vec<String> = ["a", "b", "c", "d", "e", "f", "g"].map(|name| format!("{program} -t {name}")).into();
        let steps = inputs.iter().zip(&outputs).take(count);
        found(&steps.map(|(input, output)| ("Bash", input.as_str(), Some(output.as_str()))).collect::<Vec<_>>())
    };
    let reports = run("gh pr create", 7);
    let (alone, together) = (only(&reports, "error_signature"), only(&reports, "different_failures"));
    assert_eq!((alone.title.as_str(), alone.occurrences), ("`gh pr create`: error: no title", 2));
    assert_eq!(together.title, "`gh pr create` fails in 5 different ways, once each");
    assert_eq!((together.occurrences, together.direction.as_str(), together.facets.len()), (5, "", 0));
    assert!(together.absorbed.contains(&("`gh pr create`: error: label missing".to_owned(), 1)), "{together:#?}");
    assert!(together.confidence * 5.0 < alone.confidence * 2.0, "what recurs comes first");
    assert_eq!(
        only(&run("ruff check", 3), "different_failures").direction,
        "have the agent run `ruff` after each change, and fix what it reports before it goes on"
    );
    // Two may have nothing in common, and these do something else in each call.
    for (program, count) in [
        ("gh pr create", 2),
        ("git push", 3),
        ("python3 a.py", 3),
        ("curl -s", 3),
        ("ssh me@host", 3),
        ("cd x; cat", 3),
    ] {
        let reports = run(program, count);
        assert!(reports.iter().all(|report| report.kind != "different_failures"), "{program}: {reports:#?}");
    }
}

#[test]
fn one_cause_is_one_finding_whatever_stands_before_it() {
    let run = |steps: &[Step<'_>]| -> Vec<(String, u32)> {
        found(steps).into_iter().map(|report| (report.title, report.occurrences)).collect()
    };
    let wanted = run(&[
        ("Bash", "npm run lint", Some("Error: DATABASE_URL is required")),
        ("Bash", "./start", Some("DATABASE_URL is required")),
    ]);
    assert_eq!(wanted, [("DATABASE_URL is required".to_owned(), 2)]);
    let other = run(&[("Bash", "a", Some("Error: A_URL is required")), ("Bash", "b", Some("Error: B_URL is wrong"))]);
    assert_eq!(other.len(), 2, "{other:?}");
    let (module, program) = ("/w/bin/python: No module named pip", "bash: pip: command not found");
    let both = run(&[("Bash", "python -m pip list", Some(module)), ("Bash", "pip list", Some(program))]);
    assert_eq!(both, [("the program `pip` is not installed, or not on the PATH".to_owned(), 2)]);
    let other = run(&[("Bash", "python -m a", Some("python: No module named a")), ("Bash", "pip list", Some(program))]);
    assert_eq!(other.len(), 2, "{other:?}");
}

#[test]
fn an_answer_in_json_is_known_by_its_message() {
    let output = r#"litellm.NotFoundError: XException - b'{\n  "error": {\n "code": 404,\n "message": "models/a is not found for v1", "#;
    assert_eq!(found(&[("", "", Some(output))])[0].title, "models/a is not found for v1");
    let quota = r#"litellm.RateLimitError: b'{"error": {"message": "You exceeded your current quota, see x"}}'"#;
    let reports = found(&[("", "", Some("litellm.Timeout: x")), ("", "", Some(quota)), ("", "", Some(quota))]);
    let report = only(&reports, "provider_limits");
    assert_eq!((report.occurrences, report.direction.contains("quota")), (1, true), "the second is a retry");
}

#[test]
fn what_is_printed_below_an_exception_is_not_the_error() {
    let output =
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no\nContent: # Dumped 5 entries\n";
    assert!(found(&[("Bash", "python3 a.py", Some(output))])[0].title.ends_with("ValueError: no"));
}

#[test]
fn tests_that_fail_without_the_changes_are_a_finding() {
    let fails = |name: &str| format!("--- FAIL: {name} (0.01s)\nFAIL");
    let (old, new) = (fails("old"), fails("new"));
    let reports = found(&[
        ("Bash", "pytest", Some(&old)),
        ("Bash", "git stash && pytest; git stash pop", Some(&old)),
        ("Bash", "pytest", Some(&old)),
        ("Bash", "pytest", Some(&new)),
    ]);
    let report = only(&reports, "failing_before");
    assert_eq!(report.title, "tests fail with and without the agent's changes: `old`");
    assert_eq!((report.events.as_slice(), report.occurrences), ([0, 2].as_slice(), 2));
    assert_eq!(only(&reports, "expected_failures").events, [1]);
    assert!(reports.iter().all(|report| !report.events.contains(&3) || !report.title.contains("without")));
}

#[test]
fn what_was_installed_later_is_the_advice() {
    let missing = ("Bash", "python a.py", Some("ModuleNotFoundError: No module named 'openpyxl'"));
    let reports = found(&[missing, ("Bash", "cd /w && pip install -q openpyxl 2>&1 | tail -1", None)]);
    let advice = &only(&reports, "missing_module").direction;
    assert!(advice.starts_with("run `pip install -q openpyxl` when"), "{advice}");
    assert!(!only(&found(&[missing, ("Bash", "pip install yaml", None)]), "missing_module").direction.contains("yaml"));
    // Another interpreter's: the module is missing again.
    let elsewhere = ("Bash", "pip install openpyxl", None);
    let again = found(&[missing, elsewhere, missing]);
    assert!(!only(&again, "missing_module").direction.contains("pip install openpyxl"), "{again:?}");
    let mended = found(&[missing, elsewhere, missing, ("Bash", "python -m pip install openpyxl", None)]);
    assert!(only(&mended, "missing_module").direction.starts_with("run `python -m pip install openpyxl` when"));
}

#[test]
fn what_took_the_place_of_a_removed_name_is_the_advice() {
    let missing = |name: &str| format!("ModuleNotFoundError: No module named '{name}'");
    let advice =
        |output: &str, kind: &str| only(&found(&[("Bash", "python a.py", Some(output))]), kind).direction.clone();
    assert!(advice(&missing("distutils.core"), "missing_module").contains("setuptools"));
    assert!(advice(&missing("yaml"), "missing_module").starts_with("install `PyYAML` (which has `yaml`)"));
    // What worked in the session is worth more.
    let mended = found(&[
        ("Bash", "python a.py", Some(&missing("distutils"))),
        ("Bash", "pip install setuptools", None),
        ("Bash", "python a.py", None),
    ]);
    assert!(only(&mended, "missing_module").direction.contains("`pip install setuptools`"), "{mended:?}");
    let line = |path: &str| {
        format!("ImportError: cannot import name 'Mapping' from 'collections' ({path}/collections/__init__.py)")
    };
    let (first, second) = (line("/usr/lib/python3.11"), line("/opt/a/lib/python3.12"));
    let reports = found(&[("Bash", "python a.py", Some(&first)), ("Bash", "python a.py", Some(&second))]);
    let report = only(&reports, "error_signature");
    assert!(report.direction.contains("collections.abc"), "{report:?}");
    assert!(report.facets.iter().all(|facet| facet.name != "names"), "one file in two places is one name: {report:?}");
}

#[test]
fn a_module_of_the_project_is_no_missing_dependency() {
    let output = Some("ModuleNotFoundError: No module named 'shared'");
    let reports = found(&[("Bash", "ls app/shared/engine.py", None), ("Bash", "python app/run.py", output)]);
    assert_eq!(kinds(&reports), ["own_module_not_found"]);
    assert_eq!(kinds(&found(&[("Bash", "python app/run.py", output)])), ["missing_module"]);
}

#[test]
fn the_programs_that_lack_are_one_finding_and_the_modules_another() {
    let reports = found(&[
        ("Bash", "column a", Some("bash: line 1: column: command not found")),
        ("Bash", "python a.py", Some("ModuleNotFoundError: No module named 'yaml'")),
        ("Bash", "file a", Some("bash: line 1: file: command not found")),
        ("Bash", "pytest", Some("ModuleNotFoundError: No module named 'attr'")),
        ("Bash", "pytest", Some("ModuleNotFoundError: No module named 'py._code'; 'py' is not a package")),
    ]);
    let events = |kind: &str| only(&reports, kind).events.clone();
    assert_eq!((events("missing_program"), events("missing_module")), (vec![0, 2], vec![1, 3]));
    assert!(only(&reports, "error_signature").direction.contains("which file Python takes for the package"));
}

#[test]
fn errors_of_one_sentence_are_one_finding_and_test_runs_of_two_errors_are_two() {
    let blocked =
        |rest: &str| format!("error: Blocked: sleep 30 followed by: {rest}. Wait with a loop until it is done.");
    let (one, other) = (blocked("cat /a/b.out"), blocked("echo all done"));
    let reports =
        found(&[("Bash", "sleep 30 && cat /a/b.out", Some(&one)), ("Bash", "sleep 30; echo all done", Some(&other))]);
    assert_eq!(only(&reports, "error_signature").events, [0, 1]);
    let fails =
        |test: &str, error: &str| format!("= FAILURES =\nE   {error}: no\nFAILED t/{test}.py::test_{test}\n--- FAIL");
    let [one, same, other, rest] = [
        ("a", "AssertionError"),
        ("a", "KeyError"),
        ("b", "db.exc.OperationalError"),
        ("c", "db.exc.OperationalError"),
    ]
    .map(|(test, error)| fails(test, error));
    let runs = [&one, &other, &same, &rest].map(|output| ("Bash", "pytest -x", Some(output.as_str())));
    let events: Vec<Vec<u64>> = found(&runs).into_iter().map(|report| report.events).collect();
    assert!(events.contains(&vec![0, 2]) && events.contains(&vec![1, 3]), "{events:?}");
}

#[test]
fn messages_are_taken_from_where_a_program_prints_them() {
    let parser = "At line:1 char:9\n+ ... (extglob.Length)}\n+         ~\nMissing ')' in method call.\nAt line:1 char:9\n\
                  + ... (extglob.Length)}\n+         ~~~\nUnexpected token 'extglob.Length' in expression.\n    \
                  + CategoryInfo          : ParserError: (:) []";
    let rights = "linked\nNew-Item : Administrator privilege required for this operation.\nAt line:3 char:1\n\
                  + New-Item -ItemType SymbolicLink\n+ ~~~\n    + CategoryInfo          : PermissionDenied: (a) [New-Item]";
    let missing = "FAIL: 2 violations\n  detail: no rfc8785 - `pip install rfc8785==0.1.4`";
    for (input, output, title, advice) in [
        (
            "powershell -Command \"ls | % { $_.Length }\"",
            parser,
            "PowerShell could not read the command",
            "have the agent put the command for PowerShell into single quotes",
        ),
        (
            "powershell -Command \"a\"",
            parser,
            "PowerShell could not read the command",
            "tell the agent to write a script",
        ),
        (
            "cat > a <<'E'\nE",
            parser,
            "PowerShell could not read the command",
            "say in the agent's instructions that its",
        ),
        (
            "powershell -Command \"a\"",
            rights,
            "New-Item : Administrator privilege required for this operation.",
            "run it in a terminal that was started as administrator",
        ),
        (
            "python3 a.py",
            missing,
            "the module `rfc8785` is missing when `python3 a.py` runs",
            "the tool itself suggests: pip install rfc8785==0.1.4",
        ),
        (
            "a; .venv/bin/pip list 2>/dev/null",
            "Exit code 127\nPython 3.13.5",
            "the program `pip` is not installed",
            "tell the agent to run `python3 -m pip`",
        ),
        (
            "make 2>/dev/null",
            "Exit code 2",
            "`make` fails without a message",
            "have the agent let it print its messages",
        ),
        ("make >/dev/null", "Exit code 2", "`make` fails without a message", ""),
        ("/usr/bin/time -p /usr/bin/timeout 30 make", "Exit code 2", "`make` fails without a message", ""),
    ] {
        let mut analysis = Analysis::default();
        analysis.add(&Call { input, output, ..Call::FAILED });
        analysis.add(&Call { event: 1, failed: false, kind: FailureKind::None, input: "ls", ..Call::FAILED });
        analysis.finish(Vec::new());
        let report = &reports(&analysis)[0];
        assert!(report.title.contains(title), "{}", report.title);
        assert!(
            if advice.is_empty() { report.direction.is_empty() } else { report.direction.starts_with(advice) },
            "{}",
            report.direction
        );
    }
}

#[test]
fn the_newest_failure_is_that_of_the_latest_time() {
    let mut analysis = Analysis::default();
    for (session, time, output) in [(0, 20, "error: no lease for 'b'"), (1, 10, "error: no lease for 'a'")] {
        analysis.add(&Call { event: session.into(), time, session, input: "work", output, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let report = reports(&analysis).remove(0);
    assert_eq!(report.evidence.first().map(|(event, _)| *event), Some(0), "the files are in another order");
}

#[test]
fn an_error_that_occurred_once_steps_back_if_others_recur() {
    let once = ("Bash", "a", Some("OddError: x"));
    let twice = ["b 1", "b 2"].map(|input| ("Bash", input, Some("error: two")));
    assert_eq!(kinds(&found(&[once])), ["error_signature"]);
    let few = found(&[once, twice[0], twice[1]]);
    assert_eq!((few.len(), few[0].occurrences, few[1].occurrences), (2, 2, 1));
    let odd: Vec<(String, String)> =
        ('A'..='J').map(|name| (name.to_lowercase().to_string(), format!("{name}Error: x"))).collect();
    let odd = odd.iter().map(|(input, output)| ("Bash", input.as_str(), Some(output.as_str())));
    let helped = ("Bash", "rg 'f(' a", Some("rg: regex parse error:\n  (?:f()"));
    let reports = found(&[helped].into_iter().chain(twice).chain(odd).collect::<Vec<_>>());
    let rare = only(&reports, "rare_errors");
    assert_eq!((rare.occurrences, rare.direction.as_str()), (3, ""), "one has the last word, and seven have room");
    assert!(reports.iter().any(|report| report.events == [0]), "what helps is known");
}

#[test]
fn failures_that_were_meant_to_happen_are_apart() {
    let steps = [
        ("Bash", "git stash", None),
        ("Bash", "npm test", Some("--- FAIL: TestA (0.1s)")),
        ("Bash", "git stash pop", None),
    ];
    let reports = found(&steps);
    assert_eq!(kinds(&reports), ["expected_failures"]);
    assert!(reports[0].is_expected && reports[0].events == [1]);
}

#[test]
fn without_failures_there_are_no_findings() {
    assert_eq!(found(&[]), []);
    assert_eq!(found(&[("Bash", "ls", None), ("Read", "a", None)]), []);
}

#[test]
fn a_tool_has_a_finding_if_most_of_its_failures_have_none() {
    let names: Vec<String> = ('a'..='z').map(String::from).collect();
    let silent = |name: &'_ String| -> Step<'static> { ("Bash", String::leak(name.clone()), Some("Exit code 1")) };
    // Errors for which help is known, so that these have the findings of single errors.
    let helped = [
        "error: Text file busy",
        "error: Argument list too long",
        "error: Host key verification failed.",
        "fatal: detected dubious ownership",
        "fatal: refusing to merge unrelated histories",
        "Error: insufficient funds",
        "RuntimeError: event loop is already running",
        "error: externally-managed-environment",
    ];
    let mut steps: Vec<Step<'_>> = helped.iter().map(|error| ("Bash", *error, Some(*error))).collect();
    steps.extend(names.iter().map(silent));
    steps.extend(std::iter::repeat_n(("Bash", "ls", None), 6));
    let reports = found(&steps);
    let report = only(&reports, "tool_failure_rate");
    assert_eq!(report.title, "Bash failed in 34 of 40 calls (85 %), 26 times without a message that says why");
    assert_eq!((report.severity, report.occurrences), (Severity::High, 34));
    let [one, other] = [("Bash", "a", Some("Exit code 1")), ("Bash", "c", Some("Exit code 1"))];
    let known = found(&[one, one, one, other, other, ("Bash", "b", None)]);
    assert!(!kinds(&known).contains(&"tool_failure_rate"), "each of these failures has a finding");
    assert!(known.iter().any(|report| report.title == "`a` fails without a message"));
    let same: Vec<Step<'_>> = std::iter::repeat_n(("Bash", "a", Some("error: x")), 4).collect();
    assert!(found(&same).iter().all(|report| report.kind != "tool_failure_rate"));
}

#[test]
fn a_failure_is_resolved_when_the_same_call_succeeds() {
    let weigh = |steps: &[Step<'_>]| only(&found(steps), "error_signature").severity;
    let once = found(&[("Bash", "make", Some("SomeError: x")), ("Bash", "make ", None)]);
    assert_eq!(only(&once, "error_signature").severity, Severity::Info, "if little else fails, it is shown");
    let cured = ("Bash", "rg 'f(' a", Some("rg: regex parse error:\n  (?:f()"));
    let fail = ("Bash", "make", Some("SomeError: x"));
    let apart = found(&[fail, fail, cured, ("Bash", "rg 'f(' a", None)]);
    assert!(apart.iter().all(|report| report.kind != "resolved_errors"), "what helps is known: {apart:#?}");
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| (name, format!("Error{name}: x")));
    let steps = names.iter().flat_map(|(name, error)| [("Bash", *name, Some(error.as_str())), ("Bash", *name, None)]);
    let many = found(&steps.collect::<Vec<_>>());
    let resolved = only(&many, "resolved_errors");
    assert_eq!(resolved.title, "2 errors occurred once each, and the same calls worked later");
    assert_eq!((resolved.severity, resolved.absorbed.len(), resolved.direction.as_str()), (Severity::Info, 2, ""));
    assert_eq!(weigh(&[fail, fail, fail, ("Bash", "make ", None)]), Severity::Info);
    assert_eq!(weigh(&[fail, fail, fail, ("Bash", "ls", None)]), Severity::High);
    let silent = [("Bash", "", Some("SomeError: x")), ("Bash", "", None)];
    assert_eq!(weigh(&silent), Severity::Medium, "a call without input cannot be recognised");
    assert_eq!(weigh(&[fail, ("Bash", "make", None), fail, fail]), Severity::High, "it fails again");
}

#[test]
fn routine_failures_are_less_severe() {
    let times = |count, output| -> Severity {
        let steps: Vec<Step<'_>> = std::iter::repeat_n(("T", "", Some(output)), count).collect();
        found(&steps)[0].severity
    };
    assert_eq!(times(1, "SomeError: x"), Severity::Medium);
    assert_eq!(times(3, "SomeError: x"), Severity::High);
    assert_eq!(times(1, "cat: a/b: No such file or directory"), Severity::Low);
    assert_eq!(times(9, "cat: a/b: No such file or directory"), Severity::Medium);
    assert_eq!(times(9, "fatal: no space left on device"), Severity::High);
}

#[test]
fn confidence_grows_and_stays_below_its_limit() {
    let confidence = |count: usize| {
        let steps: Vec<Step<'_>> = std::iter::repeat_n(("Bash", "make", Some("SomeError: x")), count).collect();
        only(&found(&steps), "error_signature").confidence
    };
    assert!((confidence(1) - 0.95 * 2.0 / 3.0).abs() < 1e-9);
    assert!(confidence(1) < confidence(2) && confidence(2) < confidence(1000) && confidence(1000) < 0.95);
}

#[test]
fn consecutive_exceptions_are_one_incident() {
    let overloaded = ("", "", Some("ApiError: overloaded"));
    let reports = found(&[overloaded, overloaded, ("Bash", "ls", None), overloaded, ("", "", Some("turn aborted"))]);
    assert_eq!(only(&reports, "provider_limits").occurrences, 2);
}

#[test]
fn a_failing_call_repeated_with_nothing_changed_is_a_loop() {
    let fail = ("Bash", "pytest -q", Some("SomeError: x"));
    let looped = |between: Step<'static>| {
        let reports = found(&[fail, between, fail, between, fail]);
        reports.iter().find(|report| report.kind == "loop").map(|report| report.title.clone())
    };
    let title = "pytest -q (failed 3 times with nothing changed in between)";
    assert_eq!(looped(("Read", "a.py", None)).as_deref(), Some(title));
    assert_eq!(looped(("Bash", "cat a.py", None)).as_deref(), Some(title));
    assert_eq!(looped(("Edit", "a", Some("String to replace not found"))).as_deref(), Some(title));
    for changes in [
        ("Edit", "a", None),
        ("Bash", "sed -i s/a/b/ x", None),
        ("Bash", "cat a > b", None),
        ("Bash", "sed -i s/a/b/ x && pytest", Some("SomeError: x")),
        ("Bash", "pytest -q", None),
    ] {
        assert_eq!(looped(changes), None, "{changes:?}");
    }
    let cut = ("Bash", "cat > a.c <<'E'…", Some("SomeError: x"));
    assert!(!found(&[cut, cut, cut]).iter().any(|report| report.kind == "loop"), "the log cuts what may differ");
}

#[test]
fn an_edit_that_is_undone_and_made_again_is_reported() {
    let (a, b) = (("Edit", "x to y", None), ("Edit", "y to x", None));
    let title = "x to y (the same edit was made twice, with other edits in between)";
    assert_eq!(only(&found(&[a, b, a]), "edit_ping_pong").title, title);
    assert_eq!(found(&[a, b, a, b, a]).iter().map(|report| report.occurrences).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(found(&[a, a, a, a, b]), [], "an insertion may be wanted several times");
    assert_eq!(found(&[a, b]), []);
}

#[test]
fn edits_that_change_nothing_are_counted() {
    let no_op = ("Edit", "x.py", Some("No changes to make: old_string and new_string are exactly the same."));
    let reports = found(&[no_op, ("Read", "x", None), no_op]);
    let report = only(&reports, "edit_changes_nothing");
    assert_eq!((report.occurrences, report.facets[0].values.as_slice()), (2, &["x.py".to_owned()][..]));
}

/// Calls of which some of the last ones fail, with these errors in turn.
fn calls(errors: &[String]) -> Vec<Step<'_>> {
    let error = |n: usize| (n > 120 && n.is_multiple_of(3)).then(|| errors[n / 3 % errors.len()].as_str());
    (0..150).map(|n| ("Bash", "make", error(n))).collect()
}

#[test]
fn a_tool_that_becomes_slower_or_fails_more_often_is_reported() {
    let errors: Vec<String> = (b'a'..=b'z').map(|name| format!("error: no {}", char::from(name))).collect();
    let duration = |event| Some(if event < 100 { 900.0 } else { 9000.0 });
    let worked = (0..100).map(|_| ("Bash", "git a", None));
    let failed = errors.iter().map(|error| ("Bash", "git a", Some(error.as_str())));
    let unlike = found(&worked.chain(failed).collect::<Vec<_>>());
    let trend = only(&unlike, "failure_trend");
    assert_eq!(trend.title, "Bash fails more often: 26 of the last 26 calls, 0 of the 100 before them");
    assert_eq!((trend.events.len(), trend.occurrences, trend.direction.as_str()), (26, 26, ""));
    let reports = reports(&analysis(&calls(&errors[..2]), duration));
    let slower = only(&reports, "latency_regression");
    assert_eq!(
        slower.title,
        "Bash has become slower: p50 10.2 s, p95 10.2 s over its last 41 calls that worked, before that p50 1.0 s, p95 1.0 s"
    );
    assert!(!kinds(&reports).contains(&"failure_trend"), "each of these failures has a finding");
    assert!(slower.evidence.iter().all(|(event, line)| *event >= 100 && line == "9.0 s: make"));
    let even = analysis(&calls(&errors[..2]), |_| Some(900.0));
    assert!(crate::findings::reports(&even).iter().all(|report| report.kind != "latency_regression"));
}

#[test]
fn timeouts_and_slow_tools_are_named() {
    let steps = [
        ("Bash", "make test", Some("Command timed out after 2m 0s")),
        ("Bash", "ls", None),
        ("Bash", "make test", Some("Command timed out after 2m 0s")),
    ];
    let found = reports(&analysis(&steps, |_| Some(120_000.0)));
    assert_eq!(only(&found, "timeout").title, "`make test` did not end within its time limit");
    let mut steps: Vec<Step<'_>> = std::iter::repeat_n(("Bash", "ls", None), 40).collect();
    steps.extend(std::iter::repeat_n(("Bash", "make test", Some("Command timed out after 2m 0s")), 9));
    let found = reports(&analysis(&steps, |event| Some(if event < 40 { 10.0 } else { 120_000.0 })));
    assert!(found.iter().all(|report| !report.kind.starts_with("latency")), "time-outs have a finding: {found:#?}");
    let calls: Vec<Step<'_>> = std::iter::repeat_n(("Task", "x", None), 40).collect();
    let found = reports(&analysis(&calls, |event| Some(if event % 10 == 0 { 3e6 } else { 10.0 })));
    assert_eq!(
        only(&found, "latency").title,
        "Task is slow: p50 12 ms, p95 52 min over its last 40 calls that worked; 3.3 h in total over 40 timed calls"
    );
}

#[test]
fn failing_tests_and_builds_point_at_file_and_line() {
    let output = "--- FAIL: TestA (0.01s)\n    a_test.go:55: got 1\n    a_test.go:60: got 2\n";
    let steps: Vec<Step<'_>> = std::iter::repeat_n(("Bash", "go test", Some(output)), 2)
        .chain([("Bash", "tsc", Some("a_test.go:55:1: error TS1: x"))])
        .collect();
    let reports = found(&steps);
    assert_eq!(only(&reports, "failing_tests").title, "`go test` fails in the test `TestA`");
    assert!(reports.iter().all(|report| report.kind != "failure_place"), "each of these failures has a finding");
}

#[test]
fn missing_programs_are_one_finding() {
    let titles = |often: usize| -> Vec<String> {
        let rg = std::iter::repeat_n(("Bash", "a", Some("bash: line 1: rg: command not found")), often);
        let others = ["fd", "bat"].map(|name| format!("bash: line 1: {name}: command not found"));
        let others = others.iter().map(|output| ("Bash", "b", Some(output.as_str())));
        let steps: Vec<Step<'_>> = rg.chain(others).collect();
        let reports = found(&steps);
        reports.into_iter().filter(|report| report.kind == "missing_program").map(|report| report.title).collect()
    };
    assert_eq!(titles(1), ["programs are not installed, or not on the PATH: `bat`, `fd`, `rg`"]);
    assert_eq!(titles(3), ["programs are not installed, or not on the PATH: `rg`, `bat`, `fd`"]);
}

#[test]
fn missing_modules_are_one_finding_whatever_runs() {
    let reports = found(&[
        ("Bash", "python a.py", Some("ModuleNotFoundError: No module named 'yaml'")),
        ("Bash", "pytest -q", Some("ModuleNotFoundError: No module named 'yaml'")),
        ("Bash", "pip list && python -c 'import erfa'", Some("ModuleNotFoundError: No module named 'erfa'")),
    ]);
    let report = only(&reports, "missing_module");
    assert_eq!(report.title, "modules `yaml`, `erfa` are missing");
}

#[test]
fn what_a_command_names_is_no_missing_dependency() {
    let output = Some("ModuleNotFoundError: No module named 'shop'");
    let kind = |input| found(&[("Bash", input, output)])[0].kind;
    for input in ["python manage.py test shop", "python run.py --settings=shop", "SETTINGS=shop python run.py"] {
        assert_eq!(kind(input), "wrong_module_name", "{input}");
    }
    for input in
        ["python -m shop", "python a.py", "pip install shop; python a.py", "python -c 'import shop'", "shop run"]
    {
        assert_eq!(kind(input), "missing_module", "{input}");
    }
}

#[test]
fn files_that_do_not_parse_are_one_finding() {
    let broken = |file: &str, error: &str| format!("  File \"{file}\", line 3\n    x\n    ^\n{error}");
    let outputs = [
        broken("/w/a.py", "SyntaxError: invalid syntax"),
        broken("/w/b.py", "IndentationError: unexpected indent"),
        broken("<stdin>", "SyntaxError: invalid syntax"),
    ];
    let steps: Vec<Step<'_>> = outputs.iter().map(|output| ("Bash", "python x.py", Some(output.as_str()))).collect();
    let reports = found(&steps);
    let report = only(&reports, "file_unparsable");
    assert_eq!(report.title, "Python cannot parse files: `/w/a.py`, `/w/b.py`, `an inline script`");
    assert_eq!(report.events, [0, 1, 2]);
    // What the code raises when it runs is another thing.
    let raised = found(&[("Bash", "python x.py", Some("  File \"/w/a.py\", line 3\nValueError: SyntaxError: x"))]);
    assert!(raised.iter().all(|report| report.kind != "file_unparsable"));
}

#[test]
fn exceptions_of_scripts_for_one_use_are_one_finding_if_there_are_several() {
    let raise =
        |error: &str| format!("Traceback (most recent call last):\n  File \"<stdin>\", line 2, in <module>\n{error}");
    let outputs = [raise("KeyError: 'a'"), raise("TypeError: no"), raise("ValueError: odd")];
    let inputs = ["python - <<'E'\na\nE", "python - <<'E'\nb\nE", "python - <<'E'\nc\nE"];
    let kinds_of = |count: usize| -> Vec<&str> {
        let steps =
            inputs.iter().zip(&outputs).take(count).map(|(input, output)| ("Bash", *input, Some(output.as_str())));
        let steps: Vec<Step<'_>> = steps.collect();
        found(&steps).into_iter().map(|report| report.kind).collect()
    };
    assert_eq!(kinds_of(3), ["scratch_scripts"]);
    assert_eq!(kinds_of(2), ["error_signature", "error_signature"], "two are no pattern");
    assert_eq!(kinds_of(1), ["error_signature"]);
}

#[test]
fn scripts_for_one_use_come_last_and_are_one_finding_only_if_they_are_many_of_all() {
    let raise = |error: &str| format!("Traceback (most recent call last):\n  File \"<stdin>\", line 2\n{error}");
    let own = [raise("KeyError: 'a'"), raise("TypeError: no"), raise("ValueError: odd")];
    let with_others = |count: usize| {
        let others: Vec<String> =
            (0..count).map(|number| format!("cat: d{number}/a.c: No such file or directory")).collect();
        let own = own.iter().map(|output| ("Bash", "python - <<'E'\na\nE", Some(output.as_str())));
        let others = others.iter().map(|output| ("Bash", "cat x", Some(output.as_str())));
        found(&own.chain(others).collect::<Vec<_>>())
    };
    let few = with_others(5);
    let least = few.iter().min_by(|a, b| a.confidence.total_cmp(&b.confidence)).unwrap();
    assert_eq!((least.kind, least.occurrences), ("scratch_scripts", 3));
    assert!(with_others(20).iter().all(|report| report.kind != "scratch_scripts"));
}

#[test]
fn a_program_that_is_called_wrongly_shows_a_call_that_worked() {
    let refused = "error: unrecognized arguments: --all";
    let advice = |later: Step<'_>| {
        let reports = found(&[("Bash", "tool list --all", Some(refused)), later]);
        only(&reports, "option_refused").direction.clone()
    };
    assert!(advice(("Bash", "tool list", None)).ends_with("this worked later: `tool list`"));
    assert!(!advice(("Bash", "other list", None)).contains("worked later"));
}

#[test]
fn the_most_severe_finding_comes_first() {
    let steps = [
        ("Edit", "a", Some("String to replace not found")),
        ("Bash", "b", Some("SomeError: b")),
        ("Bash", "b", Some("SomeError: b")),
        ("Bash", "b", Some("SomeError: b")),
        ("", "", Some("ApiError: overloaded")),
    ];
    let reports = found(&steps);
    assert!(reports.is_sorted_by(|a, b| a.severity >= b.severity));
    assert_eq!(reports, found(&steps));
}

#[test]
fn a_flood_of_errors_gives_a_short_list_and_keeps_the_recurring_error() {
    let words = |n: usize| -> String { n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect() };
    let outputs: Vec<String> = (0..3 * MAX_GROUPS + 500).map(|n| format!("SomeError: {}", words(n))).collect();
    let names: Vec<String> = (0..MAX_TOOLS + 10).map(|n| format!("tool{}", words(n))).collect();
    let steps: Vec<Step<'_>> = outputs
        .iter()
        .enumerate()
        .flat_map(|(n, output)| {
            let flood = (names[n % names.len()].as_str(), "", Some(output.as_str()));
            [flood, ("Bash", "y", Some("RealError: it"))].into_iter().take(if n % 50 == 0 { 2 } else { 1 })
        })
        .collect();
    let analysis = analysis(&steps, |_| None);
    assert!(analysis.causes().groups().count() <= MAX_GROUPS && analysis.groups().tools().len() <= MAX_TOOLS);
    assert!(analysis.left_out() > 0);
    assert!(analysis.causes().groups().all(|(_, group)| group.newest.iter().count() <= MAX_EVIDENCE));
    let reports = reports(&analysis);
    assert_eq!(reports[0].title, "`y`: RealError: it");
    assert_eq!(reports[0].occurrences as usize, outputs.len().div_ceil(50));
    assert!(reports.len() <= MAX_REPEATED + MAX_SINGLE + 1 + 6 * MAX_OF_KIND + 5, "{}", reports.len());
    assert_eq!(only(&reports, "rare_errors").evidence.len(), 32);
}

#[test]
fn what_stretches_of_failures_end_with_is_what_to_mend_first() {
    let mut analysis = Analysis::default();
    for event in 0..24 {
        let used = Used { index: 2 * event, input: Some(40_000), ..Used::default() };
        analysis.add_usage(&used);
        let worked = event % 6 == 5;
        let kind = if worked { FailureKind::None } else { FailureKind::Traceback };
        let output = if worked { "fine" } else { "RealError: no lease for the queue" };
        analysis.add(&Call { event: 2 * event + 1, input: "job", output, kind, failed: !worked, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let reports = reports(&analysis);
    let cost = only(&reports, "cost_failures");
    assert!(cost.direction.contains("RealError: no lease for the queue; mend that first"), "{}", cost.direction);
}

/// The contract's bounds hold for any log.
#[test]
fn findings_keep_the_bounds_of_the_contract() {
    let name = format!("é{}\n\u{1b}[31m", "é".repeat(500));
    let long = format!("SomeError: {}", "ü".repeat(2000));
    for output in
        [long.as_str(), "", "\u{1b}[", "----", "bash: \u{202e}: command not found", ":\\:\\/", "a.py:99999999999999"]
    {
        let steps: Vec<Step<'_>> = std::iter::repeat_n((name.as_str(), "x\u{0}\ny", Some(output)), 4).collect();
        let reports =
            reports(&analysis(&steps, |event| [Some(f64::NAN), Some(-1.0), Some(f64::INFINITY), None][event % 4]));
        assert!(!reports.is_empty(), "{output:?}");
        let mut ids: Vec<&str> = reports.iter().map(|report| report.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), reports.len(), "ids are unique");
        for report in reports {
            assert!(report.id.len() <= 200 && !report.id.contains(char::is_control), "{:?}", report.id);
            assert!(report.title.chars().count() <= 200 && !report.title.trim().is_empty());
            assert!((0.0..=1.0).contains(&report.confidence) && report.evidence.len() <= 32);
        }
    }
}

/// Every setting of gene.json is a threshold, and nothing else is.
#[test]
fn thresholds_are_set_by_their_names() {
    let manifest = include_str!("../../gene.json");
    let names: Vec<&str> = manifest.split("\"name\": \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut thresholds = Thresholds::default();
    assert!(!names.is_empty() && names.iter().all(|name| thresholds.set(name, 7.0)), "{names:?}");
    let fields = format!("{thresholds:?}");
    assert_eq!(fields.matches(": 7.0").count(), names.len(), "{fields}");
    assert!(!thresholds.set("slow", 7.0));
    assert!((Thresholds::default().recurring - 3.0).abs() < f64::EPSILON);
}

/// Lines of errors in which names, numbers, identifiers, times and path prefixes stand where `@` and a digit are.
const VARIABLE: [&str; 8] = [
    "@4 error: no lease for queue '@0'",
    "time=\"@4\" level=error msg=\"cannot start \\\"@0\\\"\"",
    "[Nest] @1 - ERROR: job `@0` has failed @1 times",
    "ValueError: \"@0\" is not in [@0]",
    "error: @2: invalid pointer in @3/index",
    "cat: @3/a.txt: No such file or directory",
    "bash: line @1: rg: command not found",
    "fatal: unable to read @2",
];

/// The line with other names, numbers, identifiers, paths and times for each number.
fn renamed(line: &str, with: usize) -> String {
    let name = ["alpha", "beta-2", "gamma_three", "d.e.f"][with % 4];
    let path = ["/a/b", "/home/x/y/z", "/w", "/tmp/q-1"][with % 4];
    let time = ["2026-01-02T03:04:05Z", "12:00:01", "2025-12-31T23:59:59.123Z", "01:02:03.4"][with % 4];
    line.replace("@0", name)
        .replace("@1", &(with * 37 + 1).to_string())
        .replace("@2", &format!("{:040x}", with * 7919 + 0xabc_def0))
        .replace("@3", path)
        .replace("@4", time)
}

/// Kind, id, severity and number of each finding, without its texts.
fn shape(reports: &[Report]) -> Vec<(String, &'static str, Severity, u32, Vec<u64>)> {
    let of =
        |report: &Report| (report.id.clone(), report.kind, report.severity, report.occurrences, report.events.clone());
    reports.iter().map(of).collect()
}

/// A pseudo-random sequence, so that a failure can be seen again.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(2) + 1;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % bound
    }
}

#[test]
fn renaming_names_numbers_times_and_paths_changes_no_finding() {
    for seed in 0..200 {
        let mut random = random(seed);
        let lines: Vec<usize> = (0..12).map(|_| random(VARIABLE.len())).collect();
        let log = |with: &mut dyn FnMut() -> usize| {
            let outputs: Vec<String> = lines.iter().map(|line| renamed(VARIABLE[*line], with())).collect();
            let commands: Vec<String> = lines.iter().map(|line| format!("work-{line} --x")).collect();
            let steps = outputs
                .iter()
                .zip(&commands)
                .map(|(output, command)| ("Bash", command.as_str(), Some(output.as_str())));
            shape(&found(&steps.collect::<Vec<_>>()))
        };
        let first = log(&mut || 0);
        let second = log(&mut || random(4));
        assert_eq!(first, second, "seed {seed}");
    }
}

#[test]
fn what_a_cause_explains_has_no_finding_of_its_own() {
    let output = "--- FAIL: TestA (0.01s)\n    a_test.go:55: got 1\n";
    let steps: Vec<Step<'_>> = std::iter::repeat_n(("Bash", "go test", Some(output)), 3).collect();
    let reports = found(&steps);
    let report = only(&reports, "failing_tests");
    assert_eq!(report.direction, "", "where it failed is in the facets, and to look there is no advice");
    let places: Vec<&str> = report
        .facets
        .iter()
        .filter(|facet| facet.name == "places")
        .flat_map(|facet| facet.values.iter().map(String::as_str))
        .collect();
    assert_eq!(places, ["a_test.go (3 times)"]);
    assert!(reports.iter().all(|report| report.kind != "failure_place"));
}

#[test]
fn a_path_that_another_folder_has_is_a_wrong_folder() {
    let correction = |failed: u64, before: &str, after: &str| Correction {
        failed,
        worked: failed + 100,
        difference: Difference::Path,
        before: before.to_owned(),
        after: after.to_owned(),
    };
    let corrections = vec![correction(0, "packages/a/src/x.ts", "src/x.ts"), correction(1, "a.md", "docs/b.md")];
    let mut analysis = Analysis::new(Thresholds::default(), corrections);
    for (event, path) in [(0, "packages/a/src/x.ts"), (1, "a.md")] {
        let (input, output) = (format!("cat {path}"), format!("cat: {path}: No such file or directory"));
        let kind = FailureKind::FileNotFound;
        analysis.add(&Call { event, kind, input: &input, output: &output, ..Call::FAILED });
    }
    let reports = reports(&analysis);
    assert_eq!(
        only(&reports, "wrong_folder").title,
        "commands do not find what they need in the folder where they run: `packages/a/src/x.ts`"
    );
    assert_eq!(only(&reports, "missing_path").title, "a path does not exist: `a.md`");
}

#[test]
fn failures_of_an_unknown_tool_join_the_only_finding_of_their_cause() {
    let reports = found(&[
        ("editor", "x", Some("Missing required parameter `old`")),
        ("", "", Some("Missing required parameter `old`")),
    ]);
    let report = only(&reports, "tool_parameters");
    assert_eq!((report.title.as_str(), report.occurrences), ("`editor` is called with wrong parameters: `old`", 2));
    assert_eq!(report.direction, "say in the agent's instructions that `editor` needs `old`");
}

#[test]
fn names_in_backticks_that_the_shell_runs_are_a_matter_of_quotes() {
    let reports = found(&[("Bash", "perl -pe \"s/`a.b`/c/\" x", Some("bash: line 1: a.b: command not found"))]);
    assert_eq!(kinds(&reports), ["shell_syntax"]);
}

#[test]
fn a_filter_that_fails_is_named() {
    let reports = found(&[("Bash", "curl -s http://x | jq '.a + 1'", Some("jq: error (at <stdin>:3): no"))]);
    assert_eq!(reports[0].title, "jq: error (at <stdin>:3): no");
}

#[test]
fn what_stands_in_front_of_commands_is_one_cause() {
    let correction = |failed: u64, before: &str, after: &str| Correction {
        failed,
        worked: failed + 100,
        difference: Difference::Program,
        before: before.to_owned(),
        after: after.to_owned(),
    };
    let corrections = vec![
        correction(0, "pytest", "uv run pytest"),
        correction(1, "ruff", "uv run ruff"),
        correction(2, "wrap git", "git"),
        correction(3, "python", "python3"),
    ];
    let mut analysis = Analysis::new(Thresholds::default(), corrections);
    for (event, input, output) in [
        (0, "pytest -q", "bash: line 1: pytest: command not found"),
        (1, "ruff check", "bash: line 1: ruff: command not found"),
        (2, "wrap git status", "wrap: no such thing"),
        (3, "python a.py", "bash: line 1: python: command not found"),
    ] {
        analysis.add(&Call { event, kind: FailureKind::MissingCommand, input, output, ..Call::FAILED });
    }
    let reports = reports(&analysis);
    let unwrapped = only(&reports, "unwrapped_command");
    assert_eq!((unwrapped.title.as_str(), unwrapped.occurrences), ("commands fail alone, and work behind `uv run`", 2));
    assert_eq!(only(&reports, "wrapped_command").title, "commands fail behind `wrap`, and work without it");
    assert_eq!(only(&reports, "missing_program").events, [3]);
}

fn advice(steps: &[Step<'_>], kind: &str) -> String {
    only(&found(steps), kind).direction.clone()
}

#[test]
fn a_dead_shell_is_one_finding() {
    let steps = [
        ("Bash", "rm -rf out && ls", None),
        ("Bash", "git status", Some("Exit code 1")),
        ("Bash", "ls /", Some("Exit code 1")),
        ("Bash", "echo test", Some("Exit code 1")),
        ("KillShell", "{\"shell_id\":\"b1\"}", Some("Shell b1 is not running, so cannot be killed")),
        ("Bash", "true", Some("Exit code 1")),
    ];
    let reports = found(&steps);
    let report = only(&reports, "shell_dead");
    assert_eq!(report.title, "the agent's shell runs nothing any more: even `echo`, `true` fail");
    assert_eq!((report.occurrences, report.events.as_slice()), (4, [1, 2, 3, 5].as_slice()));
    assert!(report.direction.contains("leave a folder before it removes it"), "{}", report.direction);
    assert!(!kinds(&reports).contains(&"silent_failure"), "{reports:#?}");
    let alive = [steps[1], steps[2], ("Bash", "grep a b", Some("Exit code 1"))];
    assert!(!kinds(&found(&alive)).contains(&"shell_dead"));
}

#[test]
fn relative_paths_outside_of_the_repository_are_a_wrong_folder() {
    let git = ("Bash", "git log", Some("fatal: not a git repository (or any of the parent directories): .git"));
    let missing = |path| (path, format!("cat: {path}: No such file or directory"));
    let (relative, absolute) = (missing("docs/a.json"), missing("/srv/a.json"));
    let reports = found(&[
        git,
        ("Bash", "cat docs/a.json", Some(&relative.1)),
        ("Bash", "cat /srv/a.json", Some(&absolute.1)),
        ("Bash", "git log", None),
        ("Bash", "cat src/b.json", Some("cat: src/b.json: No such file or directory")),
    ]);
    assert_eq!(only(&reports, "wrong_folder").events, [1]);
    let paths = reports.iter().filter(|report| report.kind == "missing_path");
    assert_eq!(paths.map(|report| report.events[0]).collect::<Vec<_>>(), [4, 2], "unlike paths have no common cause");
}

#[test]
fn advice_is_about_the_cause() {
    let denied = ("Read", "{\"file_path\":\"/etc/a.xml\"}", Some("EACCES: permission denied, open '/etc/a.xml'"));
    assert_eq!(
        advice(&[denied, ("Bash", "sudo cat /etc/a.xml", None)], "access_denied"),
        "let the agent run this with `sudo`: that worked next"
    );
    assert!(!advice(&[denied, ("Bash", "cat /etc/a.xml", None)], "access_denied").contains("sudo"));
    let unknown = ("Bash", "cat src/a.rs", Some("cat: src/a.rs: No such file or directory"));
    assert_eq!(advice(&[unknown, ("Bash", "ls", None)], "missing_path"), "", "nothing shows where it is");
    let unknown = ("Bash", "cat /srv/a", Some("cat: /srv/a: No such file or directory"));
    assert_eq!(advice(&[unknown, ("Bash", "ls", None)], "missing_path"), "", "nothing is known");
    let looked = found(&[("Bash", "ls -la src/a.rs", Some("ls: cannot access 'src/a.rs': No such file or directory"))]);
    assert_eq!((looked[0].severity, looked[0].direction.as_str()), (Severity::Info, ""));
    let suggests = "error[E0061]: too many\nhelp: remove the argument";
    let others = ["error[E0433]: no type", "error[E0609]: no field"];
    let steps = [("Bash", "cargo check", Some(others[0])), ("Bash", "cargo check", Some(others[1]))];
    let steps = [steps[0], steps[1], ("Bash", "cargo check", Some(suggests))];
    let reports = found(&steps);
    assert!(!reports[0].direction.contains("remove the argument"), "it is that of one of three: {reports:#?}");
    let timeout = |input| advice(&[("Bash", input, Some("Command timed out after 2m 0s"))], "timeout");
    assert!(timeout("ssh a 'pm2 logs api --lines 30' | tail -20").contains("instead of following the log"));
    assert!(timeout("pm2 logs api --nostream").starts_with("allow it more than 2m 0s, "));
    assert!(timeout("sleep 120 && aws s3 ls").contains("wait for a shorter time"));
    let refused = "error: externally-managed-environment\nhint: See PEP 668 for the detailed specification.\n\
                   ModuleNotFoundError: No module named 'pandas'";
    let steps = [("Bash", "pip install pandas; python3 a.py", Some(refused))];
    assert!(advice(&steps, "error_signature").contains("python3 -m venv"));
    let parsed = [("Bash", "curl -s x | python3 -m json.tool", Some("Expecting value: line 1 column 1 (char 0)"))];
    assert!(advice(&parsed, "silent_failure").contains("before it parses it"));
}

#[test]
fn a_program_that_is_called_wrongly_in_different_ways_is_one_finding() {
    let usage = "Usage:\n  entire repo list <project>\n\nError: Invalid usage: accepts 1 arg(s), received 0";
    let flag = "Error: Invalid usage: unknown flag: --json";
    let wrong = [("Bash", "entire repo list", Some(usage)), ("Bash", "entire checkpoint list --json", Some(flag))];
    let reports = found(&wrong);
    let report = only(&reports, "called_wrongly");
    assert_eq!((report.title.as_str(), report.occurrences), ("`entire` is called in wrong ways", 2));
    assert_eq!(report.severity, Severity::Low);
    assert!(report.direction.contains("`entire --help`"), "{}", report.direction);
    assert_eq!(report.facets[0].values, ["--json"]);
    assert_eq!(kinds(&reports), ["called_wrongly"], "each of them is in it");
    for apart in [
        // One of a kind says what it is.
        &wrong[1..],
        // Two programs, and two scripts.
        &[wrong[1], ("Bash", "other list", Some(usage))],
        &[
            ("Bash", "python a.py", Some("a.py: error: unrecognized arguments: --x")),
            ("Bash", "python b.py", Some("b.py: error: the following arguments are required: y")),
        ],
        // An exception in code, and another error.
        &[wrong[1], ("Bash", "entire sync", Some("TypeError: f() requires at least 2 arguments"))],
        &[wrong[1], ("Bash", "entire sync", Some("Error: the index is broken"))],
        // Asking is how to find out.
        &[wrong[0], ("Bash", "entire repo --help", Some("Error: unknown flag: --help"))],
    ] {
        let reports = found(apart);
        assert!(reports.iter().all(|report| report.kind != "called_wrongly"), "{reports:#?}");
    }
}

#[test]
fn what_a_formatter_would_change_is_a_problem_of_the_check_that_stops_at_it() {
    let format = "Would reformat: a/b.py\n1 file would be reformatted\nmake: *** [Makefile:43: format] Error 1";
    let lint = "a/b.py:1:2: F401 unused\nFound 1 error.\nmake: *** [Makefile:47: lint] Error 1";
    let check = ("Bash", "make check", Some(lint));
    let reports = found(&[("Bash", "make generate && make check", Some(format)), check]);
    let report = only(&reports, "reported_problems");
    assert_eq!(report.occurrences, 2, "{reports:#?}");
    assert!(report.title.starts_with("`make") && report.title.contains("`formatting`"), "{}", report.title);
    let apart =
        found(&[("Bash", "black --check .", Some("would reformat a/b.py\n1 file would be reformatted")), check]);
    assert_eq!(only(&apart, "reported_problems").occurrences, 1, "{apart:#?}");
}

#[test]
fn one_account_that_a_host_refuses_is_one_finding_whatever_ran_ssh() {
    let refused = |host: &str| format!("{host}: Permission denied (publickey).");
    let count = |hosts: [&str; 2]| {
        let outputs = hosts.map(refused);
        let reports = found(&[("Bash", "deploy .#a", Some(&outputs[0])), ("Bash", "ssh a true", Some(&outputs[1]))]);
        reports.iter().filter(|report| report.kind == "login_missing").count()
    };
    assert_eq!(count(["bob@10.0.0.1", "bob@hp348"]), 1);
    assert_eq!(count(["bob@hp348", "eve@hp348"]), 2, "other accounts");
    assert_eq!(count(["git@a.com", "git@hub.org"]), 2, "other forges");
}
