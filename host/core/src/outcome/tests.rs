use super::*;

fn check(command: &str, output: &str, code: i64, outcome: Outcome) {
    let call = Call { tool: "Bash", command: Some(command), output, exit_code: Some(code), ..Call::default() };
    assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
    // The same with the code in Claude Code's words.
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
    let xunit = "[xUnit.net 00:00:01.52]     App.Tests.Adds [FAIL]\n  Başarısız App.Tests.Adds [5 ms]";
    check("dotnet test | tail -5", xunit, 0, Outcome::Failure);
    check("dotnet test | tail -5", "[xUnit.net 00:00:01.52]   Discovered: App.Tests", 0, Outcome::Success);
    check("python x.py | head", "Traceback (most recent call last):\n  x", 0, Outcome::Failure);
}

#[test]
fn showing_failures_is_success() {
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
    check("diff -u a b > a.patch && echo made", "", 1, Outcome::Success);
    check("grep -q foo a && echo found", "", 1, Outcome::Success);
    check("make a && echo made", "", 1, Outcome::Failure);
    check("git config --get a.b", "", 1, Outcome::Success);
    check("grep foo nowhere", "grep: nowhere: No such file or directory", 2, Outcome::Failure);
    check("go vet ./... && go test | grep x", "a.go:1:1: bad", 1, Outcome::Failure);
    // The sandbox did not start them.
    let sandbox = "error building bubblewrap command: cannot establish app-server socket mount isolation";
    check("rg --files -g AGENTS.md", sandbox, 1, Outcome::Failure);
    check("git diff --stat main..HEAD", sandbox, 1, Outcome::Failure);
    check("grep -rn bwrap docs", "docs/a.md: bwrap: No permissions", 0, Outcome::Success);
}

#[test]
fn a_search_that_its_shell_could_not_read_failed() {
    let two_lines = "bash: -c: line 1: syntax error near unexpected token `('\nbash: -c: line 1: `rg a(b'";
    for said in [
        "zsh:1: unmatched \"",
        "zsh:1: parse error near `)'",
        "(eval):1: parse error near `|'",
        "zsh:3: bad pattern: [a",
        "bash: -c: line 1: unexpected EOF while looking for matching `\"'",
        "/bin/bash: line 2: syntax error: unexpected end of file",
        two_lines,
        "sh: 1: Syntax error: Unterminated quoted string",
        "sh: syntax error: unterminated quoted string",
        "ksh: syntax error: `(' unexpected",
        "mksh: <stdin>[1]: no closing quote",
        "bash: line 1: $A: ambiguous redirect",
        "sh: 1: cannot open a.txt: No such file",
        "fish: Unexpected end of string, quotes are not balanced\nrg \"a\n   ^",
        "ParserError: \nLine |\n   1 |  rg \"a\n     | The string is missing the terminator: \".",
        "At line:1 char:4\n+ rg \"a\n    + CategoryInfo          : ParserError: (:) [], X\n    + FullyQualifiedErrorId : TerminatorExpectedAtEndOfString",
        "| was unexpected at this time.",
        "Unmatched '\"'.",
        "a.txt\nb.txt\nzsh:1: unmatched `",
    ] {
        for command in ["rg -n 'a' src", "ls src; grep -n a b.txt", "find . -name a | grep b", "test -f a"] {
            check(command, said, 1, Outcome::Failure);
        }
        let line = "grep -n a b 2>/dev/null";
        let call = Call { command: Some(line), output: said, exit_code: Some(1), ..Call::default() };
        assert_eq!(judge(&call).outcome, Outcome::Failure, "{said}");
    }
    for said in [
        "",
        "a.txt\nb.txt",
        "bash: warning: setlocale: LC_ALL: cannot change locale (C.UTF-8)",
        "zsh:kill:1: kill 123 failed: no such process",
        "docs/shells.md: unmatched quotes, syntax error, bad pattern",
        "unmatched",
        "an unexpected token",
        "a\nzsh:1: unmatched \"\nb\nc",
        "finish: unexpected",
    ] {
        check("ls src; grep -n a b.txt", said, 1, Outcome::Success);
    }
    check("rg -n unmatched docs", "zsh:1: unmatched \"", 0, Outcome::Failure);
    check("rg -n unmatched docs", "docs/a.md:3:zsh:1: unmatched \"", 0, Outcome::Success);
    check("cat shell.log", "zsh:1: unmatched \"\nnext", 0, Outcome::Success);
}

#[test]
fn a_search_that_was_not_allowed_to_run_failed() {
    let run = |command, output| {
        judge(&Call { tool: "Bash", command: Some(command), output, flagged: true, ..Call::default() }).outcome
    };
    for command in ["grep -rn a src", "rg a", "diff a b", "test -f a", "cat a"] {
        for said in [
            "Permission to use Bash with command grep -rn a src has been denied.",
            "This command requires approval",
            "Claude requested permissions to use Bash, but you haven't granted it yet.",
            "<tool_use_error>Blocked: sleep 5 followed by: grep a</tool_use_error>",
        ] {
            assert_eq!(run(command, said), Outcome::Failure, "{command}: {said}");
        }
    }
    assert_eq!(run("grep -rn denied src", "Exit code 1"), Outcome::Success);
    assert_eq!(run("grep -rn denied src", ""), Outcome::Success);
}

#[test]
fn a_summary_of_success_wins() {
    check("bun test | tail", "error: tested path\n(pass) x\n 12 pass\n 0 fail", 0, Outcome::Success);
    check("git commit -m x 2>&1 | tail", "ERROR: tested\n[main 1a2b3c4] x", 0, Outcome::Success);
    check("git commit -m x | tail", "--- FAIL: TestA\nhusky - pre-commit hook exited with code 1", 0, Outcome::Failure);
}

#[test]
fn codes_that_the_command_itself_prints() {
    check("./app nosuch 2>&1; echo \"Exit code: $?\"", "Unknown command\nExit code: 1", 0, Outcome::Failure);
    check("./app x; echo exit=$?", "fine\nexit=0", 0, Outcome::Success);
    check("grep needle f; echo $?", "1", 0, Outcome::Success);
    let each = "for f in a b; do ./check \"$f\" >out; rc=$?; printf '%s rc=%s\\n' \"$f\" \"$rc\"; done";
    check(each, "a rc=127\nb rc=127", 0, Outcome::Failure);
    check(each, "a rc=0\nb rc=0", 0, Outcome::Success);
    check(
        "ls \"D:\\a\" 2>/dev/null || ls D: | head",
        "ls: cannot access 'D:': No such file or directory",
        0,
        Outcome::Failure,
    );
    check("ls a 2>/dev/null || ls b | head", "x", 0, Outcome::Success);
    check("ls a b | head", "ls: cannot access 'a': No such file or directory", 0, Outcome::Success);
}

#[test]
fn each_part_between_printed_lines_is_judged_by_itself() {
    let command = "git maintenance nosuch 2>&1; echo '---'; cat notes.txt";
    check(command, "error: unknown subcommand: `nosuch'\n---\nall is well", 0, Outcome::Failure);
    check(command, "fine\n---\nerror: what the notes say", 0, Outcome::Success);
    check("ls a && echo == && make -n | head", "x\n==\ncc -c a.c", 0, Outcome::Success);
}

#[test]
fn complaints_of_the_shell_alone_and_above_good_output() {
    check("perl -pi -e \"s/`x`/y/\" f", "zsh:1: command not found: x", 0, Outcome::Failure);
    check("make x && cat a@*/b | grep y", "(eval):1: unknown file attribute: b", 0, Outcome::Failure);
    check("dotnet test | head -50 || true", "bash: dotnet: command not found", 0, Outcome::Failure);
    check("jq -V || echo none", "bash: jq: command not found\nnone", 0, Outcome::Success);
    check("make x", "zsh: line 3: nvm: command not found\nbuilt in 3 s", 0, Outcome::Success);
}

#[test]
fn waits_and_wrappers_that_end_with_code_0() {
    check("./wait-for x", "Waiting\nTimeout waiting for x", 0, Outcome::Failure);
    check("find ~ -name x", "Command timed out after 60 seconds. Consider increasing it.", 0, Outcome::Failure);
    check("npx astro add x -y 2>&1 | tail -20", "Node.js v18.19.1 is not supported by Astro!", 0, Outcome::Failure);
    check("wrap lint", "Lint: 4 errors", 0, Outcome::Failure);
    check("./scripts/run-tests.sh", "2 failed, 3 passed in 0.1s", 0, Outcome::Failure);
    check("./notes show", "2 failed, 3 passed in 0.1s", 0, Outcome::Success);
}

#[test]
fn a_filter_s_own_complaint_is_no_output() {
    check("curl -s u | jq .a | sort", "jq: error (at <stdin>:1): Cannot index string", 0, Outcome::Failure);
    check("git config --add a.b c; git remote -v", "error: could not lock config file\norigin x", 0, Outcome::Failure);
    check("git show HEAD:log.txt | head", "error: an old log", 0, Outcome::Success);
    // Warnings are no complaints that it did not work.
    check(
        "sudo lsof | grep plughw",
        "lsof: no pwd entry for UID 64757\nlsof: WARNING: can't stat() x",
        0,
        Outcome::Success,
    );
    check("lsof -i | grep x", "lsof: illegal option character: q", 0, Outcome::Failure);
}

#[test]
fn what_the_user_stopped_in_the_middle() {
    let call = Call {
        tool: "bash",
        command: Some("npm test"),
        output: "running\n\nCommand aborted",
        flagged: true,
        ..Call::default()
    };
    assert_eq!(judge(&call).outcome, Outcome::Rejected);
}

#[test]
fn failures_behind_a_filter_that_cuts_the_summary_off() {
    let cut = "collected 9 items\n\na/t.py::test_x PASSED [ 11%]\na/t.py::test_y[1 2] FAILED [ 22%]";
    check("pytest -v a/t.py 2>&1 | head -60", cut, 0, Outcome::Failure);
    check("pytest -v a/t.py 2>&1 | head -3", "a/t.py::test_failed PASSED [ 11%]", 0, Outcome::Success);
    check("cat run.log | head -60", cut, 0, Outcome::Success);
    let nothing = "ERROR: file or directory not found: a/u.py\n\n===== no tests ran in 0.01s =====";
    check("python -m pytest a/u.py | tail -5", nothing, 0, Outcome::Failure);
    check(
        "curl -s http://a/x | python3 -m json.tool | head",
        "Expecting value: line 1 column 1 (char 0)",
        0,
        Outcome::Failure,
    );
    check("cat notes.txt", "Expecting value: line 1 column 1 (char 0)", 0, Outcome::Success);
    check("docker exec a wget -qO- http://b/ | head -3", "wget: bad address 'b'", 0, Outcome::Failure);
    check("go run ./a | tail -2", "starting\nsignal: killed", 0, Outcome::Failure);
    check("go run ./a | tail -2", "the signal: killed nothing", 0, Outcome::Success);
}

#[test]
fn a_call_whose_arguments_were_refused_is_a_failure() {
    let output = "The bash tool was called with invalid arguments: SchemaError(Missing key\n  at [\"description\"])";
    for command in [Some("ls"), None] {
        let call = Call { tool: "bash", command, output, ..Call::default() };
        assert_eq!(judge(&call), Judgement::failure(FailureKind::Other));
    }
    check("cat a.log", "2026 The bash tool was called with invalid arguments: x", 0, Outcome::Success);
}

#[test]
fn what_a_shell_without_a_terminal_says_is_no_failure() {
    let starts = "bash: cannot set terminal process group (-1): Inappropriate ioctl for device\nbash: no job control in this \
                  shell";
    for (said, outcome) in [
        ("", Outcome::Success),
        ("Wrote a.csv", Outcome::Success),
        ("bash: jq: command not found", Outcome::Failure),
        ("Traceback (most recent call last):\n  x", Outcome::Failure),
    ] {
        check("python3 a.py | tail -3", &format!("Screen:\n{starts}\n{said}"), 0, outcome);
    }
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
    check("make serve", "", 143, Outcome::Unfinished);
    check("pkill -f serve; make serve", "", 143, Outcome::Failure);
    check("make serve", "", 137, Outcome::Failure);
}

#[test]
fn what_the_agent_interrupted_did_not_end() {
    for (command, output, code) in [
        ("make serve", "", 130),
        ("timeout 20 npm run dev", "  Local: http://localhost:5173/\n^C", 1),
        ("python -m http.server", "Serving HTTP on 0.0.0.0\n^C\nKeyboard interrupt received, exiting.", 1),
        ("make dev", "listening on 3000\n^Cmake: *** [Makefile:4: dev] Interrupt", 2),
        ("make dev", "make: *** [Makefile:4: dev] Error 130", 2),
        ("pnpm dev", "ready\n\u{2009}ELIFECYCLE\u{2009} Command failed with exit code 130.", 1),
        ("bun run dev", "error: script \"dev\" was terminated by signal SIGINT (Polite quit request)", 1),
    ] {
        check(command, output, code, Outcome::Unfinished);
    }
    check("pytest -q", "FAILED a.py::b - x\n^C\n1 failed in 2s", 130, Outcome::Failure);
    for output in ["press ^C to stop\nError: listen EADDRINUSE", "KeyboardInterrupt\n1 failed in 2s"] {
        check("npm run dev", output, 1, Outcome::Failure);
    }
}

#[test]
fn a_command_that_was_refused_while_another_one_ran_is_a_failure() {
    let output = "[Your command \"grep x a\" is NOT executed. The previous command is still running - You CANNOT send new \
                  commands until the previous command is completed.]";
    let call = Call { tool: "execute_bash", command: Some("grep x a"), output, flagged: true, ..Call::default() };
    assert_eq!(judge(&call), Judgement::failure(FailureKind::Other));
}

#[test]
fn what_the_harness_says() {
    let said = |output, flagged| judge(&Call { tool: "Edit", output, flagged, ..Call::default() });
    assert_eq!(said("The user doesn't want to proceed with this tool use. x", true).outcome, Outcome::Rejected);
    assert_eq!(said("[Request interrupted by user for tool use]", true).outcome, Outcome::Rejected);
    assert_eq!(said("Operation aborted by user", true).outcome, Outcome::Rejected);
    assert_eq!(said("Operation aborted by user", false).outcome, Outcome::Success);
    assert_eq!(said("<tool_use_error>Sibling tool call errored</tool_use_error>", true).outcome, Outcome::Cascade);
    let read_first = said("<tool_use_error>File has not been read yet. x</tool_use_error>", true);
    assert_eq!(read_first, Judgement::failure(FailureKind::EditMismatch));
    // A file that contains these words was read; nobody rejected anything.
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
fn a_script_that_prints_its_error_and_goes_on() {
    for (command, output, outcome) in [
        ("cd a && python reproduce.py", "Testing SQL:\nSELECT 1\n\nERROR: ParseError: Expecting ).", Outcome::Failure),
        ("python - <<'E'\nx\nE", "Traceback (most recent call last):\n  x\nKeyError: 'a'", Outcome::Failure),
        ("node check.js", "Error: listen EADDRINUSE", Outcome::Failure),
        ("python demo.py", "Error: no such user, as expected\nAll done", Outcome::Success),
        ("python -c \"print('Error: just a text')\"", "Error: just a text", Outcome::Success),
        ("python fit.py", "mean: 3\nError: 0.02", Outcome::Success),
        ("python a.py", "/src/cpu.cc:239: IOError: sysctl failed. Operation not permitted\n3", Outcome::Success),
        ("python a.py", "  File \"a.py\", line 3, in f\n  File \"a.py\", line 9, in g", Outcome::Success),
        ("python show.py", &format!("Error: x\n{}", "row\n".repeat(50)), Outcome::Success),
        ("cat a.log", "Traceback (most recent call last):\n  x", Outcome::Success),
    ] {
        check(command, output, 0, outcome);
    }
}

#[test]
fn an_empty_file_is_not_read_past_its_end() {
    for (offset, outcome) in [(1, Outcome::Success), (12, Outcome::Failure), (100, Outcome::Failure)] {
        let output = format!(
            "<system-reminder>Warning: the file exists but is shorter than the provided offset ({offset}). The file has 1 \
             lines.</system-reminder>"
        );
        assert_eq!(judge(&Call { tool: "Read", output: &output, ..Call::default() }).outcome, outcome, "{offset}");
    }
}

#[test]
fn errors_of_tools_without_a_flag() {
    let tool = |tool, output, no_exit_codes| judge(&Call { tool, output, no_exit_codes, ..Call::default() }).outcome;
    assert_eq!(tool("str_replace_editor", "ERROR:\nInvalid `path` parameter: /a.", true), Outcome::Failure);
    assert_eq!(tool("Edit", "<tool_use_error>String to replace not found</tool_use_error>", false), Outcome::Failure);
    assert_eq!(tool("Read", "<tool_use_error>Sibling tool call errored</tool_use_error>", false), Outcome::Cascade);
    assert_eq!(tool("Read", &format!("Error: a\n{}", "b\n".repeat(20)), true), Outcome::Success);
    let shown = Call {
        tool: "Bash",
        command: Some("cat a.log"),
        output: "<tool_use_error>x</tool_use_error>",
        ..Call::default()
    };
    assert_eq!(judge(&shown).outcome, Outcome::Success);
    let run = |command, output, exit_code| {
        let call = Call {
            tool: "execute_bash",
            command: Some(command),
            output,
            exit_code,
            no_exit_codes: exit_code.is_none(),
            ..Call::default()
        };
        judge(&call).outcome
    };
    let refused = "ERROR: Cannot execute multiple commands at once.\nPlease run each command separately";
    assert_eq!(run("cd a\ncat b", refused, None), Outcome::Failure);
    assert_eq!(run("cat a.log", refused, None), Outcome::Success);
    assert_eq!(run("./show", refused, Some(0)), Outcome::Success);
}

#[test]
fn answers_that_are_only_an_error() {
    let tool = |output| judge(&Call { tool: "fetch", output, ..Call::default() }).outcome;
    assert_eq!(tool("Wall time: 2.7 seconds\nOutput:\n{\"error\":\"API error 403\"}"), Outcome::Failure);
    assert_eq!(tool("[{\"query\": \"a\", \"error\": \"ENOENT\", \"success\": false}]"), Outcome::Failure);
    assert_eq!(tool("[{\"query\":\"a\",\"success\":false},{\"query\":\"b\",\"success\":true}]"), Outcome::Success);
    assert_eq!(tool("{ \"status\": \"error\", \"error\": \"x\" }"), Outcome::Failure);
    assert_eq!(tool("{\"title\":\"error in x\",\"error\":\"y\"}"), Outcome::Success);
}

#[test]
fn waiting_for_checks_is_no_failure() {
    const WAITS: &str = "build\tpass\t1m\thttps://x.example\nlint\tpending\t0\thttps://x.example";
    for command in ["gh pr checks 3", "rtk gh pr checks 3", "sleep 30 && mise x -- gh pr checks 3"] {
        check(command, WAITS, 8, Outcome::Success);
        check(command, &format!("{WAITS}\nunit\tfail\t9s\thttps://x.example"), 8, Outcome::Failure);
        check(command, WAITS, 1, Outcome::Failure);
    }
    check("make checks", WAITS, 8, Outcome::Failure);
}

#[test]
fn a_commit_that_is_told_in_other_words() {
    for command in ["git commit -m x", "rtk git commit -m x", "lean git commit -m x", "git add a && git commit -m x"] {
        check(command, "ok c8cd91a", 0, Outcome::Success);
        check(command, "done", 0, Outcome::Success);
        check(command, "fatal: unable to write new index file", 0, Outcome::Failure);
    }
}

#[test]
fn a_wrapper_does_not_hide_what_it_runs() {
    for command in [
        "mise x -- go test ./... | tail -3",
        "uv run --group dev go test ./... | tail -3",
        "nice -n 10 go test ./... | tail -3",
        "sudo -u ci go test ./... | tail -3",
        "lean go test ./... | tail -3",
        "nix develop -c go test ./... | tail -3",
    ] {
        check(command, FAILED_GO, 0, Outcome::Failure);
        check(command, "ok  \texample.com/a\t0.3s", 0, Outcome::Success);
    }
    check("mise x -- cat go.log", FAILED_GO, 0, Outcome::Success);
}

#[test]
fn what_ended_a_command_at_its_limit_is_a_timeout() {
    let cut = "row\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 60000 ms. Retry.\n</shell_metadata>";
    for (command, output) in [
        ("bunx convex logs 2>&1 | Select-Object -First 20", cut),
        (
            "python runtests.py | tail -50",
            "(no output)\n<bash_metadata>\nbash tool terminated after 120000 ms\n</bash_metadata>",
        ),
        ("cat /dev/urandom", cut),
        ("make", "The command 'make' was cancelled because it took more than 30 seconds."),
        ("make", "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."),
    ] {
        let call = Call { tool: "bash", command: Some(command), output, ..Call::default() };
        assert_eq!(judge(&call), Judgement::failure(FailureKind::Timeout), "{command}: {output}");
    }
    check("cat run.log", "a\nCommand timed out after 60s", 0, Outcome::Success);
    check("npm test", "ok 1 - login shell exceeded 3 tries\n# fail 0", 0, Outcome::Success);
}

#[test]
fn a_step_of_git_that_stopped_is_a_failure_beside_a_commit() {
    let stopped = "[main 1a2b3c4] a\nfatal: pathspec 'b c' did not match any files\n[main 2a2b3c4] d\n 1 file changed";
    check("for f in a 'b c' d; do git add \"$f\"; git commit -m \"$f\"; done", stopped, 0, Outcome::Failure);
    check("git add a 'b c'; git commit -m d", stopped, 0, Outcome::Failure);
    check("git add nope || true; git commit -m d", stopped, 0, Outcome::Success);
    check("git add a && git commit -m d", "[main 1a2b3c4] fatal: is a word\n 1 file changed", 0, Outcome::Success);
    check("git checkout -q main; cat notes.txt", "fatal: what the notes say", 0, Outcome::Success);
}

#[test]
fn an_error_in_the_middle_of_a_chain_counts() {
    let jq = "jq: parse error: Invalid numeric literal at line 2, column 8\nrow 1 null";
    check("tracker start 2>&1 | jq -r .id | tail -2", jq, 0, Outcome::Failure);
    check("tracker start 2>&1 | jq -r .id || true", jq, 0, Outcome::Success);
    let go = "invalid character 'x' looking for beginning of value";
    check("gh api a/logs --jq .b | base64 -d | tail", go, 0, Outcome::Failure);
    check(
        "timeout 25 bunx x logs | tail -3",
        "\u{1b}[31;1mERROR: Invalid syntax. Default option.\u{1b}[0m",
        0,
        Outcome::Failure,
    );
    check(
        "./serve > log 2>&1 &\necho started",
        "[1]+  Exit 1                  ./serve > log 2>&1\nstarted",
        0,
        Outcome::Failure,
    );
    check(
        "./serve > log 2>&1 &\necho started",
        "[1]+  Done                    ./serve > log 2>&1\nstarted",
        0,
        Outcome::Success,
    );
    check("git diff --name-only", "", 1, Outcome::Failure);
    check("git diff --quiet", "", 1, Outcome::Success);
    let psql = "psql: error: connection to server at \"localhost\", port 5432 failed: Connection refused";
    check("psql -c 'select 1' 2>&1 | head -5 || echo unreachable", psql, 0, Outcome::Failure);
    check("psql -c 'select 1' 2>&1 || echo unreachable", &format!("{psql}\nunreachable"), 0, Outcome::Success);
    check(
        "gh auth status 2>&1 | head -5; echo ---; cat a",
        "bash: line 3: gh: command not found\n---\nx",
        0,
        Outcome::Failure,
    );
}

#[test]
fn summaries_of_wrappers_behind_a_filter() {
    for summary in ["status: failed\n  errors: 3\n  failed_tests: 0", "errors[2]{file,line,message}:\n  a,1,b"] {
        check("./bin/mise run test | grep -E 'status|errors'", summary, 0, Outcome::Failure);
        check("./tracker list | head", summary, 0, Outcome::Success);
    }
    check("mise run test | tail -4", "status: success\n  errors: 0\n  failed_tests: 0", 0, Outcome::Success);
}

#[test]
fn answers_of_servers_that_are_only_an_error() {
    let error = "{\n  \"error\": {\n    \"message\": \"no such customer\"\n  }\n}";
    check("stripe customers retrieve x 2>&1", error, 0, Outcome::Failure);
    check("curl -s https://api.example.com/v1/x | head -20", "{\"error\":{\"code\":\"x\"}}", 0, Outcome::Failure);
    check("curl -s http://localhost:3000/x", "{\"error\":{\"code\":\"x\"}}", 0, Outcome::Success);
    check("cat answer.json", error, 0, Outcome::Success);
}

#[test]
fn looking_for_what_may_be_missing_is_no_failure() {
    for (command, output, code) in [
        ("while read f; do n=$(wc -l < $f); [ $n -gt 0 ] && echo $f; done < list", "a.rs", 1),
        ("for f in a b; do if test -s $f; then grep x $f; fi; done", "", 1),
        ("grep -rl a b 2>/dev/null; grep -n a c.txt 2>/dev/null", "", 2),
        (
            "git log -1; git status --short; ls .git/index.lock 2>&1",
            "1a2b3c x\nls: cannot access '.git/index.lock': No such file or directory",
            2,
        ),
        ("docker restart web && sleep 3 && docker logs web 2>&1 | grep ready", "web", 1),
    ] {
        check(command, output, code, Outcome::Success);
    }
    check(
        "ls -la vendor/x 2>&1 | head -5",
        "ls: cannot access 'vendor/x': No such file or directory",
        0,
        Outcome::Success,
    );
    check(
        "docker exec a b 2>&1 || docker run a b",
        "Error response from daemon: is restarting\ndone",
        0,
        Outcome::Success,
    );
    check(
        "which a; python3 -c 'import b'; pip show c",
        "Traceback (most recent call last):\n  x\nModuleNotFoundError: b",
        0,
        Outcome::Success,
    );
    // Twins that did fail.
    check("for f in a b; do make $f; done", "", 1, Outcome::Failure);
    check("make a && docker logs web 2>&1 | grep ready", "building\nno", 1, Outcome::Failure);
    check("make test || make again", FAILED_GO, 0, Outcome::Failure);
    check("grep -R x / 2>/dev/null", "signal: killed", -1, Outcome::Failure);
    check("ls a; make b 2>/dev/null", "a", 2, Outcome::Failure);
}

#[test]
fn texts_that_people_wrote_may_speak_of_errors() {
    let comment = "== 3 ana: the build fails with error TS2345: Argument of type\n--- FAIL: TestX (0.0s)";
    for command in ["tracker comments 3 --json | jq -r .body", "tracker issue view 3 | head -20"] {
        check(command, comment, 0, Outcome::Success);
        check(command, "error: no such ticket", 0, Outcome::Failure);
    }
    check("tracker comments add 3 | tail -3", "row\nerror: the server is not there", 0, Outcome::Failure);
}
