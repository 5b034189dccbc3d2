//! Scripts that bash, dash and `env` stumble over in other ways than by their syntax. The outputs are those of bash 5.2 and dash
//! 0.5.12.

use super::cases::repaired;

fn fixed(command: &str, output: &str, script: &str) -> Option<String> {
    repaired(command, output, &[("run.sh", script)])
}

#[test]
fn an_assignment_is_written_as_one() {
    for (line, said, expected) in [
        ("NAME = world", "NAME: command not found", Some("NAME=world")),
        ("  NAME = \"a b\"", "NAME: command not found", Some("  NAME=\"a b\"")),
        ("NAME= build", "build: command not found", Some("NAME=build")),
        ("$NAME=\"world\"", "=world: command not found", Some("NAME=\"world\"")),
        ("local NAME=a B=c", "local: can only be used in a function", Some("NAME=a B=c")),
        // Another command, more than one value, a value that is run, or a name that nothing uses.
        ("NAME= build", "make: command not found", None),
        ("NAME = a b", "NAME: command not found", None),
        ("NAME = $(date)", "NAME: command not found", None),
        ("NAME == a", "NAME: command not found", None),
        ("OTHER = a", "OTHER: command not found", None),
        ("local NAME", "local: can only be used in a function", None),
        ("local -r NAME=a", "local: can only be used in a function", None),
    ] {
        let script = format!("#!/bin/bash\n{line}\necho $NAME\n");
        let output = format!("run.sh: line 2: {said}\n");
        let expected = expected.map(|line| format!("#!/bin/bash\n{line}\necho $NAME\n"));
        assert_eq!(fixed("bash run.sh", &output, &script), expected, "{line}");
    }
    let text = "A = 1\ncat <<X\nA = 2\nX\necho $A\n";
    let expected = "A=1\ncat <<X\nA = 2\nX\necho $A\n";
    assert_eq!(fixed("sh run.sh", "run.sh: 1: A: not found\n", text).as_deref(), Some(expected), "no line of a text");
    let twice = "A = 1\nB = 2\necho $A $B\n";
    assert_eq!(fixed("sh run.sh", "run.sh: 1: A: not found\n", twice).as_deref(), Some("A=1\nB=2\necho $A $B\n"));
}

#[test]
fn the_first_line_names_an_interpreter_that_is_there() {
    let case = |first: &str, output: &str| {
        let script = format!("{first}\necho a\n");
        Some(fixed("./run.sh", output, &script)?.lines().next()?.to_owned())
    };
    let not_found = "sh: 1: ./run.sh: not found\n";
    let env = |name: &str| format!("/usr/bin/env: \u{2018}{name}\u{2019}: No such file or directory\n");
    for (first, output, expected) in [
        ("#!/usr/local/bin/bash", not_found, Some("#!/usr/bin/env bash")),
        ("#!/usr/local/bin/bash -e", not_found, Some("#!/bin/bash -e")),
        (
            "#!/usr/bin/python",
            "bash: ./run.sh: cannot execute: required file not found\n",
            Some("#!/usr/bin/env python3"),
        ),
        (
            "#!/opt/x/perl",
            "./run.sh: /opt/x/perl: bad interpreter: No such file or directory\n",
            Some("#!/usr/bin/env perl"),
        ),
        ("#!/usr/bin/env python", &env("python"), Some("#!/usr/bin/env python3")),
        ("#!/usr/bin/env python3.7", &env("python3.7"), Some("#!/usr/bin/env python3")),
        // Where it should be, of another language, or not the one that is missing.
        ("#!/bin/sh", not_found, None),
        ("#!/usr/local/bin/bash", "./run.sh: 2: lint: not found\n", None),
        ("#!/usr/local/bin/bash\r", "./run.sh: 2: lint: not found\n", None),
        ("#!/usr/bin/bash", not_found, None),
        ("#!/opt/x/own", not_found, None),
        ("#!/opt/x/perl -w", not_found, None),
        ("#!/usr/bin/env python2", &env("python2"), None),
        ("#!/usr/bin/env python", &env("ruby"), None),
        ("#!/usr/bin/env python", &env("python2"), None),
    ] {
        assert_eq!(case(first, output).as_deref(), expected, "{first}");
    }
}

#[test]
fn a_byte_order_mark_before_the_first_line_goes() {
    let script = "\u{feff}#!/bin/bash\necho a\n";
    let output = "run.sh: line 1: \u{feff}#!/bin/bash: No such file or directory\n";
    assert_eq!(fixed("bash run.sh", output, script).as_deref(), Some("#!/bin/bash\necho a\n"));
    assert_eq!(fixed("bash run.sh", output, "#!/bin/bash\necho a\n"), None);
}

#[test]
fn what_bash_only_has_is_recognised_by_its_line() {
    let case = |line: &str, said: &str| {
        let script = format!("#!/bin/sh\n{line}\n");
        Some(fixed("./run.sh", &format!("./run.sh: 2: {said}\n"), &script)?.lines().next()?.to_owned())
    };
    assert_eq!(case("((count++))", "count++: not found").as_deref(), Some("#!/usr/bin/env bash"));
    assert_eq!(case("((count++))", "other: not found"), None);
    assert_eq!(case("(count)", "count: not found"), None);
}

#[test]
fn a_word_and_its_test_are_two_words() {
    for (line, expected) in [
        ("if[ \"$1\" = a ]; then", Some("if [ \"$1\" = a ]; then")),
        ("if[\"$1\" = a ]; then", Some("if [ \"$1\" = a ]; then")),
        ("if [ \"$1\" = a ] then", None),
    ] {
        let script = format!("{line}\necho a\nfi\n");
        let output = format!("run.sh: line 1: syntax error near unexpected token `then'\nrun.sh: line 1: `{line}'\n");
        let expected = expected.map(|line| format!("{line}\necho a\nfi\n"));
        assert_eq!(fixed("bash run.sh", &output, &script), expected, "{line}");
    }
}
