use super::*;

fn check(command: &str, output: &str, code: i64, outcome: Outcome) {
    let call = Call { tool: "Bash", command: Some(command), output, exit_code: Some(code), ..Call::default() };
    assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
    // The same through Claude Code's words.
    let worded = if code == 0 { output.to_owned() } else { format!("Exit code {code}\n{output}") };
    let call = Call { exit_code: None, flagged: code != 0, output: &worded, ..call };
    assert_eq!(judge(&call).outcome, outcome, "{command}: {worded}");
}

const FAILED_GO: &str = "--- FAIL: TestA (0.0s)\nFAIL\nFAIL\texample.com/a\t0.3s";

#[test]
fn a_run_counts_even_where_its_code_is_lost() {
    for command in ["go test ./... 2>&1 | tail -5", "go test ./... || true", "cd a && go test ./...; echo done"] {
        check(command, FAILED_GO, 0, Outcome::Failure);
    }
    check("npm run lint | tail -3", "docs/a.md:3 error MD012/no-multiple-blanks x", 0, Outcome::Failure);
    check("python x.py | head", "Traceback (most recent call last):\n  x", 0, Outcome::Failure);
}

#[test]
fn looking_at_failures_is_success() {
    for command in [
        "cat test.log",
        "gh run view 7 --log-failed | tail -50",
        "docker logs web 2>&1 | tail",
        "tmux capture-pane -p",
        "git show HEAD",
        "grep -n FAIL out.txt",
        "cd a && sed -n 1,20p report.md",
    ] {
        check(command, FAILED_GO, 0, Outcome::Success);
    }
}

#[test]
fn search_and_comparison_with_code_1() {
    check("grep -rn foo src", "", 1, Outcome::Success);
    check("ls | rg foo", "", 1, Outcome::Success);
    check("diff a b", "1c1\n< a\n---\n> b", 1, Outcome::Success);
    check("command -v foo", "", 1, Outcome::Success);
    check("git config --get a.b", "", 1, Outcome::Success);
    check("grep foo nowhere", "grep: nowhere: No such file or directory", 2, Outcome::Failure);
    check("go vet ./... && go test | grep x", "a.go:1:1: bad", 1, Outcome::Failure);
}

#[test]
fn green_summary_wins() {
    check("bun test | tail", "error: tested path\n(pass) x\n 12 pass\n 0 fail", 0, Outcome::Success);
    check("git commit -m x 2>&1 | tail", "ERROR: tested\n[main 1a2b3c4] x", 0, Outcome::Success);
    check("git commit -m x | tail", "--- FAIL: TestA\nhusky - pre-commit hook exited with code 1", 0, Outcome::Failure);
}

#[test]
fn checks_with_two_answers_are_success() {
    check("git rev-parse x && echo yes || echo no", "fatal: bad revision\nno", 0, Outcome::Success);
}

#[test]
fn codes_of_commands_that_ran_count() {
    check("make test", "x", 2, Outcome::Failure);
    check("cd nowhere && ls", "sh: 1: cd: can't cd to nowhere", 2, Outcome::Failure);
    check("sleep 500", "Command timed out after 2m", 143, Outcome::Failure);
    check("make serve", "", 130, Outcome::Success);
}

#[test]
fn what_the_harness_says() {
    let said = |output, flagged| judge(&Call { tool: "Edit", output, flagged, ..Call::default() });
    assert_eq!(said("The user doesn't want to proceed with this tool use. x", true).outcome, Outcome::Rejected);
    assert_eq!(said("[Request interrupted by user for tool use]", true).outcome, Outcome::Rejected);
    assert_eq!(said("<tool_use_error>Sibling tool call errored</tool_use_error>", true).outcome, Outcome::Cascade);
    let read_first = said("<tool_use_error>File has not been read yet. x</tool_use_error>", true);
    assert_eq!(read_first, Judgement::failure(FailureKind::EditMismatch));
    // A file that holds these words was read, and nobody refused anything.
    assert_eq!(said("The user doesn't want to proceed", false).outcome, Outcome::Success);
}

#[test]
fn calls_that_go_on_or_were_stopped() {
    let call = Call { tool: "exec_command", command: Some("make"), output: "x", ..Call::default() };
    assert_eq!(judge(&Call { ending: Ending::Running, ..call }).outcome, Outcome::Unfinished);
    assert_eq!(judge(&Call { ending: Ending::Stopped, ..call }).outcome, Outcome::Rejected);
    assert_eq!(judge(&Call { output: "Command running in background with ID: b1", ..call }).outcome, Outcome::Success);
}

#[test]
fn answers_that_are_only_an_error() {
    let tool = |output| judge(&Call { tool: "fetch", output, ..Call::default() }).outcome;
    assert_eq!(tool("Wall time: 2.7 seconds\nOutput:\n{\"error\":\"API error 403\"}"), Outcome::Failure);
    assert_eq!(tool("{ \"status\": \"error\", \"error\": \"x\" }"), Outcome::Failure);
    assert_eq!(tool("{\"title\":\"error in x\",\"error\":\"y\"}"), Outcome::Success);
}
