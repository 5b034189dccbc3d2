//! Errors of dash, bash 5.2, GNU make 4.3, the kernel and `env`.

use super::cases::{candidates, repaired};

fn fixed(input: &str, output: &str, path: &str, source: &str) -> Option<String> {
    repaired(input, output, &[(path, source)])
}

#[test]
fn scripts_with_syntax_of_bash_are_run_with_bash() {
    for (line, output) in [
        ("if [[ $x == 1 ]]; then echo; fi", "./run.sh: 2: [[: not found"),
        ("source ./b", "./run.sh: 2: source: not found"),
        ("a=(1 2)", "./run.sh: 2: Syntax error: \"(\" unexpected"),
        ("echo ${x^^}", "./run.sh: 2: Bad substitution"),
        ("for ((i=0;i<3;i++)); do echo; done", "./run.sh: 2: Syntax error: Bad for loop variable"),
        ("cat <<< abc", "./run.sh: 2: Syntax error: redirection unexpected"),
        ("set -o pipefail", "./run.sh: 2: set: Illegal option -o pipefail"),
        ("declare -a y", "run.sh: 2: declare: not found"),
    ] {
        for (first, now) in [
            ("#!/bin/sh", "#!/usr/bin/env bash"),
            ("#!/usr/bin/env sh", "#!/usr/bin/env bash"),
            ("#!/bin/sh -e", "#!/bin/bash -e"),
        ] {
            let source = format!("{first}\n{line}\n");
            let expected = format!("{now}\n{line}\n");
            assert_eq!(fixed("./run.sh", output, "run.sh", &source), Some(expected), "{output}");
        }
        let source = format!("#!/bin/sh\n{line}\n");
        let rewritten = match line {
            "source ./b" => Some("#!/bin/sh\n. ./b\n".to_owned()),
            line if line.starts_with("if [[") => Some("#!/bin/sh\nif [ \"$x\" = 1 ]; then echo; fi\n".to_owned()),
            _ => None,
        };
        assert_eq!(fixed("sh run.sh", output, "run.sh", &source), rewritten, "the first line does not count here");
        assert_eq!(fixed("./run.sh", output, "run.sh", &format!("{line}\n#!/bin/sh\n")), None);
        assert_eq!(fixed("./run.sh", output, "run.sh", "#!/bin/sh\necho\n"), None, "the line has changed");
        assert_eq!(fixed("./run.sh", output, "run.sh", &format!("#!/bin/bash\n{line}\n")), None);
    }
}

#[test]
fn carriage_returns_are_removed() {
    let source = "#!/bin/bash\r\necho a\r\ncd /tmp\r\n";
    let expected = Some(source.replace('\r', ""));
    for (input, output) in [
        ("./run.sh", "bash: ./run.sh: /bin/bash^M: bad interpreter: No such file or directory"),
        ("./run.sh", "bash: line 1: ./run.sh: cannot execute: required file not found"),
        ("bash run.sh", "run.sh: line 3: cd: $'/tmp\\r': No such file or directory"),
        ("bash run.sh", "run.sh: line 2: $'\\r': command not found"),
        ("./run.sh", "/usr/bin/env: ‘bash\\r’: No such file or directory"),
        ("./run.sh", "env: 'bash\\r': No such file or directory"),
    ] {
        assert_eq!(fixed(input, output, "run.sh", source), expected, "{output}");
        assert_eq!(fixed(input, output, "run.sh", "#!/bin/bash\necho a\n"), None, "{output}");
        assert_eq!(fixed("make", output, "data.csv", "a\r\nb\r\n"), None, "{output}");
    }
}

#[test]
fn a_script_that_is_run_becomes_executable() {
    for output in [
        "bash: line 1: ./run.sh: Permission denied",
        "sh: 1: ./run.sh: Permission denied",
        "make: ./run.sh: Permission denied",
    ] {
        let found = candidates("make", output, &[("run.sh", "#!/bin/sh\necho\n")]);
        assert_eq!(found.first().map(|draft| draft.executable.clone()), Some(vec!["run.sh".to_owned()]), "{output}");
        assert!(found.iter().all(|draft| draft.files.is_empty()));
    }
    for (output, source) in [
        ("cat: ./run.sh: Permission denied", "#!/bin/sh\n"),
        ("bash: ./run.sh: Permission denied", "echo\n"),
        ("PermissionError: [Errno 13] Permission denied: './run.sh'", "#!/bin/sh\n"),
        ("bash: /etc/run.sh: Permission denied", "#!/bin/sh\n"),
    ] {
        let path = if output.contains("/etc/") { "etc2/run.sh" } else { "run.sh" };
        assert!(candidates("./x", output, &[(path, source)]).is_empty(), "{output}");
    }
}

#[test]
fn words_of_a_test_are_quoted() {
    for (line, message, expected) in [
        ("[ $x = y ]", "[: too many arguments", "[ \"$x\" = y ]"),
        ("if [ $x == \"y z\" ]; then", "[: =: unary operator expected", "if [ \"$x\" = \"y z\" ]; then"),
        ("[ -n $x ] && echo", "[: too many arguments", "[ -n \"$x\" ] && echo"),
        ("[ \"$x\" == y ]", "[: a: unexpected operator", "[ \"$x\" = y ]"),
        ("if [ \"$a\" = \"b\"]; then", "[: missing `]'", "if [ \"$a\" = \"b\" ]; then"),
        ("if [$x = y ]; then", "[a: command not found", "if [ $x = y ]; then"),
        ("if [\"$x\" = y ]; then", "[a: not found", "if [ \"$x\" = y ]; then"),
    ] {
        let source = format!("#!/bin/bash\n{line}\n");
        for output in [format!("./run.sh: line 2: {message}"), format!("./run.sh: 2: {message}")] {
            let expected = Some(format!("#!/bin/bash\n{expected}\n"));
            assert_eq!(fixed("./run.sh", &output, "run.sh", &source), expected, "{output}");
        }
    }
    for line in [
        "[ $x -eq 1 ]",
        "[ $@ = y ]",
        "[ $x = y -a $z = w ]",
        "[ $x = y ] || [ $z = w ]",
        "[ $(cmd) = y ]",
        "[[ $x = y ]]",
        "# [ $x = y ]",
        "[ $x ]",
        "test $x = y",
    ] {
        let source = format!("#!/bin/bash\n{line}\n");
        assert_eq!(fixed("./run.sh", "./run.sh: line 2: [: too many arguments", "run.sh", &source), None, "{line}");
    }
}

#[test]
fn recipes_begin_with_a_tab() {
    let source = "CC = gcc\nall: x\n    @echo a\n\nifdef X\n    Y = 1\nendif\nx:\n\t@echo 0\n    @echo b \\\n      c\n    # note\n    @echo d\n";
    let expected = "CC = gcc\nall: x\n\t@echo a\n\nifdef X\n    Y = 1\nendif\nx:\n\t@echo 0\n\t@echo b \\\n      c\n    # note\n\t@echo d\n";
    for output in [
        "Makefile:3: *** missing separator.  Stop.",
        "Makefile:3: *** missing separator (did you mean TAB instead of 8 spaces?).  Stop.",
        "make[1]: Entering directory '/x'\nMakefile:3: *** missing separator.  Stop.",
    ] {
        assert_eq!(fixed("make", output, "Makefile", source).as_deref(), Some(expected), "{output}");
    }
    for (source, line) in
        [("echo a\nall:\n\techo\n", 1), ("<<<<<<< HEAD\nall:\n", 1), ("X := a\n    b\n", 2), ("all:\n\techo\n", 2)]
    {
        let output = format!("Makefile:{line}: *** missing separator.  Stop.");
        assert_eq!(fixed("make", &output, "Makefile", source), None, "{source}");
    }
}

#[test]
fn functions_are_defined_as_posix_does() {
    let source = "#!/bin/sh\nfunction f() {\n  echo\n}\nfunction g {\n  f\n}\ng\n";
    let expected = source.replace("function f()", "f()").replace("function g", "g()");
    let output = "run.sh: 2: Syntax error: \"(\" unexpected";
    assert_eq!(fixed("sh -n run.sh", output, "run.sh", source), Some(expected));
    assert_eq!(fixed("sh -n run.sh", output, "run.sh", &source.replace("/sh", "/bash")), None, "it is for bash");
}
