//! Commands that were not run, chains that stopped at a `cd`, and programs that were to refuse their arguments.

use super::*;

#[test]
fn a_command_whose_folder_is_gone_did_not_run() {
    let gone = "Working directory \"/w/a\" was deleted; shell cwd recovered to \"/w\". Re-issue your command (it will run from the recovered directory).";
    for (command, output, flagged, outcome) in [
        ("ls a/ | grep -i x", gone, true, Outcome::Failure),
        ("grep -rn x .", gone, true, Outcome::Failure),
        ("diff a b", gone, true, Outcome::Failure),
        ("make", gone, true, Outcome::Failure),
        ("cat notes.md", gone, false, Outcome::Success),
        ("ls | grep x", "Exit code 1", true, Outcome::Success),
        ("diff a b", "Exit code 1\n1c1\n< a\n---\n> b", true, Outcome::Success),
        ("cat notes.md", "The folder was deleted. Re-issue your command", false, Outcome::Success),
    ] {
        let call = Call { tool: "Bash", command: Some(command), output, flagged, ..Call::default() };
        assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
    }
}

#[test]
fn a_chain_that_stops_at_its_cd_failed() {
    let reset = "\nShell cwd was reset to /w";
    for (command, output, outcome) in [
        ("cd /w/a && ls | grep x", "(eval):cd:1: no such file or directory: /w/a", Outcome::Failure),
        ("cd /w/a && ls | grep x", &format!("(eval):cd:1: no such file or directory: /w/a{reset}"), Outcome::Failure),
        ("cd /w/a && rg x", "zsh:cd:1: no such file or directory: /w/a", Outcome::Failure),
        ("cd a && grep x b | head", "zsh:cd:1: not a directory: a", Outcome::Failure),
        ("cd a && grep x b | head", "bash: line 1: cd: a: No such file or directory", Outcome::Failure),
        ("cd a && grep x b | head", "/bin/bash: line 0: cd: a: Not a directory", Outcome::Failure),
        ("cd a && grep x b | head", "sh: 1: cd: can't cd to a", Outcome::Failure),
        ("cd /w/a && ls | grep x", reset, Outcome::Success),
        ("cd /w/a && ls", &format!("x{reset}"), Outcome::Success),
        ("grep -rn 'cd:1' logs", "logs/a:(eval):cd:1: no such file or directory: /w", Outcome::Success),
        ("cd a && cat notes", "1. (eval):cd:1: no such file or directory: x\n2. y", Outcome::Success),
    ] {
        let call = Call { tool: "Bash", command: Some(command), output, ..Call::default() };
        assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
    }
}

#[test]
fn a_program_tried_with_wrong_arguments_on_purpose_did_not_fail() {
    let usage = "usage: w.py [-h] [-n N]\nw.py: error: argument -n: invalid int value: 'abc'\nexit=2\nw.py: error: n must be >= 1\nexit=2";
    for (command, output, outcome) in [
        ("python w.py -n abc; echo \"exit=$?\"; python w.py -n 0; echo \"exit=$?\"", usage, Outcome::Success),
        (
            "python w.py --strict; echo \"exit $?\"; python w.py --table",
            "malformed line 5\nexit 2\ntable",
            Outcome::Success,
        ),
        ("./cli -x; echo $?; ./cli -y; echo $?", "error: unexpected argument '-x'\n2\nfine\n0", Outcome::Success),
        (
            "node a.js; echo \"exit $?\"; node a.js --bad; echo \"exit $?\"",
            "fine\nexit 0\nerror: unknown option\nexit 2",
            Outcome::Success,
        ),
        // A test, a build or a lint is no question.
        ("go vet ./a; echo $?; go vet ./b; echo $?", "a.go:1:1: bad\n2\n0", Outcome::Failure),
        ("make a; echo $?; make b; echo $?", "make: *** [a] Error 1\n2\nfine\n0", Outcome::Failure),
        // It runs once, or the same way again, or another program.
        ("python w.py -n 3; echo \"exit=$?\"", "usage: w.py\nw.py: error: no\nexit=2", Outcome::Failure),
        ("python w.py; echo $?; python w.py; echo $?", "w.py: error: no\n2\nw.py: error: no\n2", Outcome::Failure),
        ("python w.py -a; echo $?; python v.py -b; echo $?", "w.py: error: no\n2\nfine\n0", Outcome::Failure),
        // It broke, and refused nothing.
        (
            "python w.py -a; echo $?; python w.py -b; echo $?",
            "Traceback (most recent call last):\nKeyError: 1\n1\nfine\n0",
            Outcome::Failure,
        ),
        ("./deploy a; echo $?; ./deploy b; echo $?", "error: refused\n1\nfine\n0", Outcome::Failure),
    ] {
        let call = Call { tool: "Bash", command: Some(command), output, exit_code: Some(0), ..Call::default() };
        assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
    }
}
