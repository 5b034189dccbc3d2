//! Causes above several findings.

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use super::found;
use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::thresholds::Thresholds;

const NO_YAML: &str =
    "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'";

fn titles(failures: &[(&str, &str)]) -> Vec<String> {
    let steps: Vec<_> = failures.iter().map(|(input, output)| ("Bash", *input, Some(*output))).collect();
    let mut titles: Vec<String> =
        found(&steps).into_iter().map(|report| format!("{} ({})", report.title, report.occurrences)).collect();
    titles.sort();
    titles
}

#[test]
fn a_missing_python_environment_is_one_finding() {
    for failures in [
        &[
            ("python a.py", "bash: python: command not found"),
            ("pytest -q", "bash: pytest: command not found"),
            ("python3 a.py", NO_YAML),
        ][..],
        &[
            ("py -3 a.py", "bash: py: command not found"),
            ("pip install a", "bash: pip: command not found"),
            ("python3 b.py", NO_YAML),
        ],
        &[
            ("mypy .", "zsh: command not found: mypy"),
            ("python3.12 a.py", NO_YAML),
            ("pytest", "bash: pytest: orden no encontrada"),
        ],
        &[
            ("uvicorn a:b", "sh: 1: uvicorn: not found"),
            ("alembic up", "sh: 1: alembic: not found"),
            ("python3 -m a", NO_YAML),
        ],
    ] {
        let found = titles(failures);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("Python, or a package that the project needs, is not found: "), "{found:?}");
    }
}

#[test]
fn the_same_package_belongs_to_it_whatever_says_that_it_is_missing() {
    let found = titles(&[
        ("python a.py", "bash: python: command not found"),
        ("pytest -q", "bash: pytest: command not found"),
        ("python3 a.py", NO_YAML),
        ("./check.sh", "detail: there is no yaml: `pip install yaml`"),
    ]);
    let title = "Python, or a package that the project needs, is not found: `yaml`, `pytest`, `python` (4)";
    assert_eq!(found, [title]);
}

#[test]
fn what_python_lacks_does_not_take_other_failures() {
    let others = [
        ("python a.py", "bash: python: command not found"),
        ("pytest", "bash: pytest: command not found"),
        ("rg a", "bash: rg: command not found"),
    ];
    assert_eq!(
        titles(&others),
        ["programs are not installed, or not on the PATH: `pytest`, `python`, `rg` (3)"],
        "one kind"
    );
    let node = [
        ("python a.py", "bash: python: command not found"),
        ("node a.js", "Error: Cannot find module 'chalk'"),
        ("rg a", "bash: rg: command not found"),
    ];
    assert_eq!(titles(&node).len(), 2, "{:?}", titles(&node));
    let two = [("python3 a.py", NO_YAML), ("pytest", "bash: pytest: command not found")];
    assert_eq!(titles(&two).len(), 2, "two may have nothing in common");
    let modules = [("python3 a.py", NO_YAML), ("python3 b.py", NO_YAML), ("python3 -m yaml", NO_YAML)];
    assert_eq!(titles(&modules), ["the module `yaml` is missing (3)"], "Python is there");
    let mixed = [
        ("python a.py", "bash: python: command not found"),
        ("rg a", "bash: rg: command not found"),
        ("pytest", "bash: pytest: command not found"),
        ("python3 b.py", NO_YAML),
    ];
    let found = titles(&mixed);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].contains("`rg`"), "{found:?}");
}

#[test]
fn what_one_sandbox_forbids_is_one_finding() {
    let forbidden = "error: Request failed after 3 retries\n  Caused by: error sending request for url (https://github.com/a/b)\n  Caused by: tcp connect error\n  Caused by: An attempt was made to access a socket in a way forbidden by its access permissions. (os error 10013)";
    let denied = "error: failed to open file `D:\\cache\\.git`: Access is denied. (os error 5)";
    let found = titles(&[("uv sync", denied), ("uv run pytest", denied), ("uv python install", forbidden)]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("the system forbids connections and folders that commands need: "), "{found:?}");
    let lost = "curl: (6) Could not resolve host: github.com";
    let found = titles(&[("uv sync", denied), ("uv run pytest", denied), ("curl github.com", lost)]);
    assert_eq!(found.len(), 2, "a server that is not reached shows no sandbox: {found:?}");
}

#[test]
fn runs_whose_output_the_log_cuts_are_told_so_and_come_last() {
    let cut = ("pytest -q a", "Exit code 1\nself = <object>\nst...[truncated]");
    assert_eq!(titles(&[cut]), ["`pytest` fails, and the log cuts what it says (1)"]);
    let other = ("pytest -q b", "Exit code 1\nself = <object>\nstate");
    assert_eq!(titles(&[cut, other]).len(), 2, "{:?}", titles(&[cut, other]));
    let named = ("pytest -q c", "Exit code 1\ntests/a.py::test_b ERROR    [100%]\nself = <object>\nst...[truncated]");
    assert_eq!(titles(&[named]), ["`pytest` fails in the test `tests/a.py::test_b` (1)"]);
}

#[test]
fn exit_codes_without_a_message_do_not_merge() {
    let codes = [
        ("./a one", "Exit code 2"),
        ("./a two", "Exit code 3"),
        ("./a three", "Exit code 2"),
        ("./a four", "Exit code 1"),
    ];
    let found = titles(&codes);
    let expected =
        ["`a` fails without a message (1)", "`a` fails without a message (1)", "`a` fails without a message (2)"];
    assert_eq!(found, expected);
}

#[test]
fn a_function_of_a_library_is_no_program() {
    let missing = |name: &str| format!("bash: line 9: {name}: command not found");
    let kind = |input: &str, name: &str| found(&[("Bash", input, Some(&missing(name)))])[0].kind;
    for (input, name) in [
        ("source lib/state.sh\ninit_state a", "init_state"),
        (". \"$HOME/.lib/a.bash\" && load_all", "load_all"),
        ("set +H; source '/w/a.zsh'; verify_file_made", "verify_file_made"),
        ("source ./x.sh\nif ! check_it; then exit 1; fi", "check_it"),
    ] {
        assert_eq!(kind(input, name), "shell_function_missing", "{input}");
    }
    for (input, name) in [
        ("source .env && pg_dump a", "pg_dump"),
        ("source venv/bin/activate && run_all", "run_all"),
        ("source lib/state.sh; jq .", "jq"),
        ("source lib/state.sh; pg_isready", "pg_isready"),
        ("init_state a", "init_state"),
    ] {
        assert_eq!(kind(input, name), "missing_program", "{input}");
    }
    let both = titles(&[("source a.sh; init_it", &missing("init_it")), ("load_it a", &missing("load_it"))]);
    assert_eq!(both, ["shell functions are not defined where they are called: `init_it`, `load_it` (2)"]);
}

#[test]
fn pytest_tells_by_its_exit_code_that_it_found_no_test() {
    for input in ["pytest -k none", "python -m pytest tests/x", "uv run pytest a"] {
        assert_eq!(found(&[("Bash", input, Some("Exit code 5\nplugins: a-1"))])[0].kind, "no_tests_found", "{input}");
    }
    assert_ne!(found(&[("Bash", "make a", Some("Exit code 5\nplugins: a-1"))])[0].kind, "no_tests_found");
}

#[test]
fn a_mark_that_the_shell_gets_with_a_backslash_is_told() {
    let escaped =
        "bash: eval: line 3: conditional binary operator expected\nbash: eval: line 3: `if [[ \\! -d \"$A\" ]]; then'";
    let run = "bash: line 9: !: command not found";
    let advice = |failures: &[&str]| {
        let inputs = ["a one", "a two", "a three", "a four"];
        let steps: Vec<_> =
            inputs.iter().zip(failures).map(|(input, output)| ("Bash", *input, Some(*output))).collect();
        found(&steps)[0].direction.clone()
    };
    let other = "bash: syntax error: unexpected end of file";
    assert!(advice(&[escaped, run]).contains("has `!`"), "{}", advice(&[escaped, run]));
    assert!(advice(&[escaped]).contains("has `!`"));
    assert!(!advice(&[run, run]).contains("has `!`"), "nothing shows the backslash");
    assert!(!advice(&[escaped, other, other, other]).contains("has `!`"), "most have another reason");
}

#[test]
fn a_server_that_is_down_explains_the_tests_that_ask_it() {
    let psql = "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused";
    let tests = "FAILED tests/a.py::test_b\nE   OperationalError: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused\n1 failed";
    let found = titles(&[("psql -h localhost a", psql), ("pytest tests", tests)]);
    assert_eq!(found, ["a server cannot be reached: `localhost` (2)"]);
    let own = "FAILED tests/a.py::test_b\nE   AssertionError: 1 is not 2\n1 failed";
    assert_eq!(titles(&[("psql -h localhost a", psql), ("pytest tests", own)]).len(), 2);
    let elsewhere = "FAILED tests/a.py::test_b\nE   OperationalError: connect to http://db.example.org:5432 failed: Connection refused\n1 failed";
    let found = titles(&[("psql -h localhost a", psql), ("pytest tests", elsewhere)]);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_check_of_white_space_quotes_what_it_found() {
    let output = "git: warning: confstr() failed with code 5\n?? b.md\ndocs/a.md:40: trailing whitespace.\n+x  ";
    let reports = found(&[("Bash", "git status --short && git diff --check", Some(output))]);
    assert_eq!(reports[0].absorbed, [("docs/a.md:40: trailing whitespace.".to_owned(), 1)]);
    assert_eq!(reports[0].title, "`git diff` reports problems: `white space`");
}

#[test]
fn a_header_that_a_compiler_does_not_find_is_no_path_of_the_agent() {
    for line in [
        "error: include file not found: <stdio.h>",
        "a.c:1: fatal error: cannot include <zlib.h>: No such file or directory",
    ] {
        let reports = found(&[("Bash", "./cc1 a.c", Some(line))]);
        assert_ne!(reports[0].kind, "missing_path", "{line}");
    }
    let path = "cat: include/a.h: No such file or directory";
    assert_eq!(found(&[("Bash", "cat include/a.h", Some(path))])[0].kind, "missing_path");
}

#[test]
fn commands_that_say_nothing_are_one_finding_only_if_they_are_alike() {
    let kinds =
        |failures: &[(&str, &str)]| titles(failures).iter().filter(|title| title.contains("without a message")).count();
    assert_eq!(kinds(&[("git init && pkill -f a", "Exit code 144"), ("cd x && make a && ./b", "Exit code 144")]), 2);
}

#[test]
fn an_environment_that_is_not_active_is_named_by_what_made_it_work() {
    let correction = Correction {
        failed: 0,
        worked: 9,
        difference: Difference::Program,
        before: "python".to_owned(),
        after: "source venv/bin/activate && python".to_owned(),
    };
    let kinds = |other: &str| {
        let mut analysis = Analysis::new(Thresholds::default(), vec![correction.clone()]);
        for (event, input, output) in
            [(0, "python m.py", "bash: python: command not found"), (1, "python3 a.py", other)]
        {
            analysis.add(&Call { event, kind: FailureKind::MissingCommand, input, output, ..Call::FAILED });
        }
        reports(&analysis).into_iter().map(|report| (report.kind, report.direction)).collect::<Vec<_>>()
    };
    let found = kinds(NO_YAML);
    assert_eq!((found.len(), found[0].0), (1, "python_environment"), "{found:?}");
    assert!(found[0].1.contains("source venv/bin/activate"), "{found:?}");
    assert_eq!(kinds("bash: rg: command not found").len(), 2, "another program");
}

#[test]
fn heads_of_an_output_and_names_of_tests_are_no_errors() {
    let head =
        "t/a.py::test_b FAILED\n=========================== short test summary info ============================";
    let other = "t/a.py::test_c FAILED [100%]\n\n====== FAILURES ======";
    let reports = found(&[("Bash", "pytest t", Some(head)), ("Bash", "pytest t", Some(other))]);
    let told: Vec<&str> = reports.iter().flat_map(|report| &report.absorbed).map(|(error, _)| error.as_str()).collect();
    assert!(!told.iter().any(|error| error.contains("===") || error.contains("FAILED")), "{told:?}");
}
