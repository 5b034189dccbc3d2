//! Advice in general that the rest of the log decides: what the instructions name, what belongs to the project, and where a program
//! runs.

use gephost_gene::run_log::FailureKind as K;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;

/// A call: its tool, its input, how it failed with what it printed, or what it printed if it worked.
#[derive(Clone, Copy)]
enum Done<'a> {
    Failed(K, &'a str),
    Printed(&'a str),
}
use Done::{Failed, Printed};

/// What is advised about the first failure, after a message of the user.
fn told(order: &str, calls: &[(&str, &str, Done<'_>)]) -> String {
    let mut analysis = Analysis::default();
    if !order.is_empty() {
        analysis.add_order(0, order);
    }
    for (event, (name, input, done)) in (0_u64..).zip(calls) {
        let (failed, kind, output) = match *done {
            Failed(kind, output) => (true, kind, output),
            Printed(output) => (false, K::None, output),
        };
        let duration_ms = output.contains("cut at once").then_some(1400.0);
        analysis.add(&Call { event, name, failed, kind, duration_ms, input, output, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let reports = reports(&analysis);
    let failed = (0_u64..).zip(calls).find(|(_, (_, _, done))| matches!(done, Failed(..))).map(|(event, _)| event);
    let of = |report: &&crate::report::Report| failed.is_some_and(|event| report.events.contains(&event));
    reports.iter().find(of).map(|report| report.direction.clone()).unwrap_or_default()
}

#[test]
fn only_a_name_that_the_instructions_have_is_taken_out_of_them() {
    let skill = ("Skill", r#"{"skill":"plan-it"}"#, Failed(K::Other, "<e>Unknown skill: plan-it</e>"));
    let tool = ("Lint", "{}", Failed(K::Other, "Error: No such tool available: Lint"));
    let listed = ("activate", "{}", Failed(K::Other, "Skill \"plan-it\" not found. Available skills are: "));
    let read = ("Read", r#"{"file_path":"/w/AGENTS.md"}"#, Printed("Begin with plan-it and Lint."));
    for call in [skill, tool, listed] {
        let unnamed = told("Write a test.", &[call]);
        assert!(unnamed.starts_with("say in the agent's instructions that it has no "), "{unnamed}");
        for named in [told("Use plan-it, then Lint.", &[call]), told("Write a test.", &[read, call])] {
            assert!(named.contains("out of the prompt or the instructions that name it"), "{named}");
        }
        let unknown = told("", &[call]);
        assert!(unknown.contains("instructions name it"), "{unknown}");
    }
}

#[test]
fn what_belongs_to_the_project_is_not_to_be_installed() {
    let lacks = "Traceback (most recent call last):\n  File \"/w/back/api/api.py\", line 3, in <module>\n    from api.ends import gates\nImportError: cannot import name 'gates' from 'api.ends' (unknown location)";
    let own = told("", &[("Bash", "cd back && python -m unittest", Failed(K::Traceback, lacks))]);
    assert!(own.starts_with("add `gates` to `api/ends`"), "{own}");
    let other = lacks.replace("api.ends", "cloud");
    let other = told("", &[("Bash", "cd back && python -m unittest", Failed(K::Traceback, &other))]);
    assert!(other.starts_with("install the package"), "{other}");

    let missing = Failed(K::MissingModule, "ModuleNotFoundError: No module named 'newspaper'");
    let run = ("Bash", "python examples/demo.py", missing);
    for (path, says) in [
        (r#"{"file_path":"C:\\w\\paper\\newspaper.py"}"#, "`PYTHONPATH=C:/w/paper`"),
        (r#"{"file_path":"src/newspaper/a.py"}"#, "`PYTHONPATH=src`"),
        (r#"{"file_path":"newspaper/__init__.py"}"#, "`PYTHONPATH=.`"),
        (r#"{"file_path":"/usr/lib/python3/newspaper.py"}"#, "install `newspaper`"),
        (r#"{"file_path":"C:\\Python\\Lib\\site-packages\\newspaper\\a.py"}"#, "install `newspaper`"),
    ] {
        let advice = told("", &[("Read", path, Printed("fine")), run]);
        assert!(advice.contains(says), "{path}: {advice}");
    }
    // From another folder, a path from the project's root leads elsewhere.
    let inside = ("Bash", "cd src && python a.py", missing);
    let advice = told("", &[("Read", r#"{"file_path":"src/newspaper/a.py"}"#, Printed("fine")), inside]);
    assert!(!advice.contains("PYTHONPATH=src"), "{advice}");
    let part = Failed(K::MissingModule, "ModuleNotFoundError: No module named 'application.database'");
    let calls = [
        ("Bash", "cat application/db.py", Printed("")),
        ("Bash", "python -c \"from application.database import a\"", part),
    ];
    assert!(told("", &calls).contains("has no module `database`"), "{}", told("", &calls));
}

#[test]
fn a_path_of_another_machine_is_not_made_here() {
    let failed = Failed(K::Other, "Error: unable to open database \"/data/a.db\": unable to open database file");
    for (input, is_here) in [
        ("sqlite3 /data/a.db 'select 1'", true),
        ("railway run sqlite3 /data/a.db 'select 1'", false),
        ("ssh host sqlite3 /data/a.db", false),
        ("kubectl exec pod -- sqlite3 /data/a.db", false),
    ] {
        let advice = told("", &[("Bash", input, failed)]);
        assert_eq!(advice.contains("make the folder"), is_here, "{input}: {advice}");
    }
}

#[test]
fn a_time_limit_is_told_by_what_else_ran_out_of_time() {
    let late = Failed(K::Timeout, "Command timed out");
    let brief = Failed(K::Timeout, "Command timed out, cut at once");
    let fine = Printed("fine");
    for (calls, says) in [
        (&[("Bash", "pytest tests", late)][..], "run a smaller part"),
        (&[("Bash", "serve-model a", late)], "allow it more time, or tell the agent to run it in the background"),
        (&[("Bash", "pytest tests", late), ("Bash", "pytest tests/a.py", late)], "allow it more time, or tell"),
        (&[("Bash", "pytest tests", brief)], "ended after 1.4 s"),
        (
            &[("Bash", "pytest tests", late), ("Bash", "git log", late), ("Bash", "cat a", late)],
            "look at the agent's shell itself",
        ),
        (
            &[
                ("Bash", "pytest tests", late),
                ("Bash", "git log", late),
                ("Bash", "cat a", late),
                ("Bash", "cat b", fine),
            ],
            "run it in the background",
        ),
        (&[("Bash", "go test", late), ("Bash", "go test", late), ("Bash", "go test", late)], "run a smaller part"),
    ] {
        let advice = told("", calls);
        assert!(advice.contains(says), "{says}: {advice}");
    }
}

#[test]
fn what_is_denied_is_a_matter_of_the_sandbox_if_there_is_one() {
    let denied = Failed(K::Permission, "touch: cannot touch '/srv/a': Permission denied");
    let refused =
        ("apply_patch", "*** Begin Patch", Failed(K::Other, "patch rejected: writing is blocked by read-only sandbox"));
    let alone = told("", &[("Bash", "touch /srv/a", denied)]);
    assert!(alone.contains("if the agent runs in a sandbox"), "{alone}");
    let confined = told("", &[("Bash", "touch /srv/a", denied), refused]);
    assert!(confined.starts_with("allow it in the agent's sandbox"), "{confined}");
    assert!(told("", &[refused]).contains("its sandbox is read-only"), "{}", told("", &[refused]));
}

#[test]
fn the_reason_why_a_server_is_not_reached_is_that_of_the_message() {
    for (output, says) in [
        ("curl: (6) Could not resolve host: a.example", "correct the name `a.example`"),
        ("curl: (7) Failed to connect to a.example port 80: Connection refused", "the connection was refused"),
        ("curl: (28) Failed to connect to a.example port 80: Connection timed out", "no answer in time"),
        (
            "npm error request to https://registry.npmjs.org/a failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org",
            "does not let it reach `registry.npmjs.org`",
        ),
        (
            "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
            "does not let it reach `github.com`",
        ),
    ] {
        let advice = told("", &[("Bash", "work", Failed(K::Network, output))]);
        assert!(advice.contains(says), "{output}: {advice}");
    }
    let nameless = Failed(K::Network, "npm error network read ETIMEDOUT");
    assert!(told("", &[("Bash", "npm install", nameless)]).contains("`npm` reached no registry"));
    assert!(told("", &[("Bash", "work", nameless)]).starts_with("check the name"));
}

#[test]
fn an_empty_name_is_no_path_to_which_access_is_denied() {
    let advice = |output: &str| told("", &[("Bash", "a && \"$B\"", Failed(K::Permission, output))]);
    assert!(advice("(eval):1: permission denied:").contains("an empty name"));
    assert!(!advice("zsh: permission denied: ./a.sh").contains("an empty name"));
}

#[test]
fn a_file_that_exists_is_to_be_edited() {
    for (tool, input, output, says) in [
        ("create", r#"{"path":"/w/a.py","file_text":"x"}"#, "Path already exists", "its tool for edits"),
        ("create_file", r#"{"filePath":"/w/a.py"}"#, "File already exists. Use edit.", "its tool for edits"),
        ("Bash", "createdb shop", "createdb: error: database \"shop\" already exists", "check for it first"),
    ] {
        let advice = told("", &[(tool, input, Failed(K::Other, output)), (tool, input, Failed(K::Other, output))]);
        assert!(advice.contains(says), "{tool}: {advice}");
    }
    let unread = Failed(K::EditMismatch, "File has not been read yet. Read it first before writing to it.");
    let advice = told("", &[("Write", r#"{"file_path":"/w/a.py","content":"x"}"#, unread)]);
    assert!(advice.contains("read a file before its first edit"), "{advice}");
}

#[test]
fn the_scripts_that_exist_are_named() {
    let package = "{\n  \"scripts\": {\n    \"build\": \"tsc\",\n    \"test\": \"x\"\n  }\n}";
    let failed = |name: &str| format!("npm error Missing script: \"{name}\"");
    for (name, says) in [("compile", "has `build`, `test`"), ("build", "(`npm run`)")] {
        let (input, output) = (format!("npm run {name}"), failed(name));
        let calls = [("Bash", "cat package.json", Printed(package)), ("Bash", &*input, Failed(K::Other, &output))];
        assert!(told("", &calls).contains(says), "{name}: {}", told("", &calls));
    }
    assert!(told("", &[("Bash", "npm run a", Failed(K::Other, &failed("a")))]).contains("(`npm run`)"));
}

#[test]
fn what_a_policy_refused_is_named() {
    let refused =
        |command: &str| format!("`\"C:\\\\W\\\\powershell.exe\" -Command \"{command}\"` rejected: blocked by policy");
    let (one, two) = (refused("Get-Item a | Format-List Name"), refused("Get-Item b"));
    let advice = told("", &[("exec", "", Failed(K::Other, &one)), ("exec", "", Failed(K::Other, &two))]);
    assert!(advice.starts_with("allow `Get-Item` and `Format-List`"), "{advice}");
}

#[test]
fn a_check_says_what_is_no_rule_and_a_shell_what_is_not_its_own() {
    let lint = "a.go:1:1: undefined: x (typecheck)\nb.go:1:1: string has 3 occurrences (goconst)\nc.go:2:1: undefined: y (typecheck)";
    let advice = told(
        "",
        &[
            ("Bash", "golangci-lint run", Failed(K::CompileLint, lint)),
            ("Bash", "golangci-lint run", Failed(K::CompileLint, lint)),
        ],
    );
    assert!(advice.contains("`goconst`") && !advice.contains("`typecheck`"), "{advice}");
    let cmdlet = Failed(K::MissingCommand, "bash: ConvertFrom-Json: command not found");
    let advice = told("", &[("Bash", "cat a | ConvertFrom-Json", cmdlet)]);
    assert!(advice.contains("its shell is no PowerShell"), "{advice}");
    let listed = Failed(K::ExitNonzero, "main.go");
    let calls = [("Bash", "gofmt -l . && test -z \"$(gofmt -l .)\"", listed); 2];
    assert!(told("", &calls).contains("`gofmt -w`"), "{}", told("", &calls));
}

#[test]
fn what_an_earlier_call_set_or_loaded_is_gone_with_its_shell() {
    let unset = Failed(K::ExitNonzero, "bash: line 5: PLAN_PATH: unbound variable");
    let missing = Failed(K::MissingCommand, "bash: init_state: command not found");
    for (before, input, failed, is_gone) in [
        ("PLAN_PATH=/w/a.md; echo $PLAN_PATH", "cat \"$PLAN_PATH\"", unset, true),
        ("export PLAN_PATH=/w/a.md", "set -u; cat \"$PLAN_PATH\"", unset, true),
        ("ls", "cat \"$PLAN_PATH\"", unset, false),
        ("OTHER_PATH=1 make", "cat \"$PLAN_PATH\"", unset, false),
        ("source lib/state.sh && init_state a", "init_state b", missing, true),
        (". lib/state.sh; list_states", "cd a && init_state b", missing, true),
        ("ls", "source lib/state.sh; init_state b", missing, false),
        ("source .venv/bin/activate", "init_state b", missing, false),
        ("ls lib", "init_state b", missing, false),
    ] {
        let advice = told("", &[("Bash", before, Printed("fine")), ("Bash", input, failed)]);
        assert_eq!(advice.contains("is gone with its shell"), is_gone, "{before}: {input}: {advice}");
    }
}

#[test]
fn a_server_that_other_calls_reached_is_not_cut_off() {
    let late = Failed(K::Network, "Error: request to https://api.a.example/v1 failed: ETIMEDOUT api.a.example");
    for (other, is_reached) in [
        ("curl -s https://api.a.example/v1", true),
        ("curl -s https://b.example/v1", false),
        ("curl -s https://api.a.example/v1 || true", false),
        ("echo https://api.a.example/v1 > a.txt", false),
        ("ls", false),
    ] {
        let advice = told("", &[("Bash", "solana balance", late), ("Bash", other, Printed("fine"))]);
        assert_eq!(advice.contains("the network is not the reason"), is_reached, "{other}: {advice}");
    }
}

#[test]
fn what_a_compiler_does_not_find_is_not_named_by_a_prompt() {
    let header = Failed(K::FileNotFound, "error: include file not found: <stdio.h>: No such file or directory");
    let advice = told("", &[("Bash", "./cc a.c", header), ("Bash", "./cc b.c", header)]);
    assert!(!advice.contains("names"), "{advice}");
    let check = Failed(K::CompileLint, "src/a.ts(1,2): error TS2344: Type 'a'\nsrc/a.ts(3,2): error TS6133: 'b'");
    let once = told("", &[("Bash", "npx tsc", check), ("Bash", "npx tsc", check)]);
    assert!(!once.contains("after each change"), "{once}");
}
