//! What other calls of the log show decides between advices.

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::tests::next::advice;

type Step<'a> = (&'a str, Option<&'a str>);

/// The advice of the finding that explains the first failure.
fn told(steps: &[Step<'_>]) -> String {
    advice(&steps.iter().map(|(input, failed)| ("Bash", *input, *failed)).collect::<Vec<_>>(), Vec::new())
}

#[test]
fn a_missing_python_is_replaced_by_what_the_log_shows() {
    const MISSING: Step<'_> = ("python -c 1", Some("bash: python: command not found"));
    const NO_PYTHON3: Step<'_> = ("python3 -c 1", Some("bash: python3: command not found"));
    for (other, expected) in [
        (&[][..], "if there is one; if not, install Python"),
        (&[("python3 b.py", None)], "run `python3` instead of `python`"),
        (&[("python3 -m x", Some("ModuleNotFoundError: No module named 'x'"))], "run `python3` instead of `python`"),
        (&[("node -e 1", None)], "use `node` for such scripts"),
        (&[NO_PYTHON3], "install Python, or tell the agent that this machine has none"),
        (&[NO_PYTHON3, ("perl -e 1", None)], "use `perl` for such scripts"),
        (&[("ls node", None)], "if there is one; if not, install Python"),
    ] {
        let advice = told(&[&[MISSING][..], other].concat());
        assert!(advice.contains(expected), "{other:?}: {advice}");
    }
}

#[test]
fn code_of_the_project_needs_its_own_language() {
    let missing = Some("bash: python: command not found");
    for (input, is_own) in [
        ("python manage.py test", false),
        ("python -m pytest", false),
        ("python -m json.tool a", true),
        ("python - <<'E'\nprint(1)\nE", true),
        ("echo 1 > a.py && python a.py", true),
    ] {
        let advice = told(&[(input, missing), ("node -e 1", None)]);
        assert_eq!(advice.contains("`node`"), is_own, "{input}: {advice}");
    }
}

#[test]
fn an_environment_that_was_made_in_between_is_what_helped() {
    let steps = [
        ("Bash", "python a.py", Some("bash: python: command not found")),
        ("Bash", "python3 -m venv .venv", None),
        ("Bash", "source .venv/bin/activate && python a.py", None),
    ];
    let correction = Correction {
        failed: 0,
        worked: 2,
        difference: Difference::Program,
        before: "python".to_owned(),
        after: "source .venv/bin/activate && python".to_owned(),
    };
    let advice = advice(&steps, vec![correction.clone()]);
    assert!(advice.contains("`python3 -m venv .venv` first"), "{advice}");
    let there = crate::tests::next::advice(&[steps[0], ("Bash", "ls", None), steps[2]], vec![correction]);
    assert!(there.starts_with("run `source"), "{there}");
}

#[test]
fn what_serves_instead_is_not_advised_if_the_log_shows_that_it_is_missing() {
    let missing = ("rg a", Some("bash: rg: command not found"));
    assert!(told(&[missing]).contains("`grep -rn`"));
    let both = told(&[missing, ("cd x && grep -rn a", Some("bash: grep: command not found"))]);
    assert!(!both.contains("`grep -rn`"), "{both}");
}

#[test]
fn an_installation_that_the_agent_tried_in_vain_is_told_with_its_reason() {
    let missing = ("jq . a.json", Some("bash: jq: command not found"));
    for (tried, output, said) in [
        (
            "apt-get install jq",
            "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)",
            "no right to",
        ),
        (
            "apt-get install jq",
            "E: Unable to connect to deb.debian.org:80: Could not resolve host: deb.debian.org",
            "reached no server",
        ),
    ] {
        let advice = told(&[missing, (tried, Some(output))]);
        assert!(advice.contains("install `jq`") && advice.contains(said), "{output}: {advice}");
    }
    assert!(!told(&[missing, ("ls", None)]).contains("the agent could not"));
}

#[test]
fn sudo_is_left_out_only_by_root() {
    let missing = ("sudo mkdir /w", Some("bash: sudo: command not found"));
    assert!(told(&[missing]).contains("if the agent is root"));
    for before in [
        ("mkdir /w", Some("mkdir: cannot create directory '/w': Permission denied")),
        ("touch /w/a", Some("touch: cannot touch '/w/a': Permission denied")),
    ] {
        let steps = [("Bash", before.0, before.1), ("Bash", missing.0, missing.1)];
        let found = crate::tests::found(&steps);
        let sudo = found.iter().find(|report| report.kind == "missing_program").expect("sudo is missing");
        assert!(sudo.direction.contains("the agent is not root"), "{}", sudo.direction);
    }
}

#[test]
fn a_package_of_the_project_is_no_program_to_install() {
    let list = ("cat package.json", None);
    let missing = ("gnim", Some("bash: gnim: command not found"));
    let mut analysis = Analysis::default();
    for (event, (input, failed)) in [missing, list].into_iter().enumerate() {
        let kind = failed.map_or(FailureKind::None, |_| FailureKind::MissingCommand);
        let output = failed.unwrap_or(r#"{ "dependencies": { "ags": "*", "gnim": "*" } }"#);
        analysis.add(&Call { event: event as u64, input, output, kind, failed: failed.is_some(), ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let direction = &reports(&analysis)[0].direction;
    assert!(direction.contains("`npx gnim`") && !direction.contains("install"), "{direction}");
    assert!(told(&[missing]).starts_with("install"));
}

#[test]
fn a_path_that_the_prompt_names_is_a_matter_of_the_prompt() {
    let told = |prompt: &str, writes: bool| {
        let mut analysis = Analysis::default();
        analysis.add_order(0, prompt);
        let output = "bash: /tests/test.sh: No such file or directory";
        let failed = Call { input: "bash /tests/test.sh", output, kind: FailureKind::FileNotFound, ..Call::FAILED };
        analysis.add(&failed);
        if writes {
            let input = "echo a > /tests/test.sh";
            analysis.add(&Call { event: 1, input, output: "", kind: FailureKind::None, failed: false, ..failed });
        }
        analysis.finish(Vec::new());
        reports(&analysis)[0].direction.contains("correct the prompt")
    };
    assert!(told("Now run `bash /tests/test.sh`.", false));
    assert!(!told("Now run `bash /tests/test.sh`.", true), "the agent was to write it");
    assert!(!told("Now run the tests.", false) && !told("Now run /tests/test.sh.bak", false));
}

#[test]
fn of_a_refused_command_the_part_that_ran_alone_is_not_what_is_refused() {
    let said = "Permission to use Bash with command rm -rf x && unrar y has been denied.";
    let refused = ("Bash", "rm -rf x && unrar y", Some(said));
    let found = crate::tests::found(&[refused, ("Bash", "unrar y", None)]);
    assert!(found[0].title.ends_with(": `rm -rf`"), "{}", found[0].title);
    assert!(found[0].direction.contains("leave `rm -rf` out"), "{}", found[0].direction);
    let alone = &crate::tests::found(&[refused])[0];
    assert!(alone.title.contains("`rm -rf`") && alone.title.contains("`unrar`"), "{}", alone.title);
    // What is run later cures no rule.
    let later =
        crate::tests::found(&[("Bash", "rm -rf x && npm install y", Some(said)), ("Bash", "npm install y", None)]);
    assert!(!later[0].direction.contains("first"), "{}", later[0].direction);
}

#[test]
fn git_says_that_there_is_no_repository_if_another_user_owns_it() {
    let owned = ("git status", Some("fatal: detected dubious ownership in repository at '/w'"));
    let outside =
        ("git diff", Some("warning: Not a git repository. Use --no-index to compare two paths outside a working tree"));
    let direction = |steps: &[Step<'_>]| {
        let steps: Vec<_> = steps.iter().map(|(input, failed)| ("Bash", *input, *failed)).collect();
        let found = crate::tests::found(&steps);
        found.iter().find(|report| report.kind == "no_git_repository").map(|report| report.direction.clone())
    };
    assert!(direction(&[owned, outside]).expect("git is outside").contains("git -c safe.directory"));
    let alone = direction(&[outside]).expect("git is outside");
    assert!(!alone.contains("safe.directory") && !alone.contains("--no-index"), "{alone}");
}

#[test]
fn the_same_call_that_works_later_says_how_long_to_wait() {
    let told = |input: &str, later: &str, seconds: i64| {
        let mut analysis = Analysis::default();
        let output = "Figma API error: 429 - {\"err\":\"Rate limit exceeded\"}";
        let call = Call { name: "get", input, output, time: 1_000_000, kind: FailureKind::Network, ..Call::FAILED };
        analysis.add(&call);
        let time = 1_000_000 * (seconds + 1);
        let worked =
            Call { event: 1, input: later, output: "fine", time, failed: false, kind: FailureKind::None, ..call };
        analysis.add(&worked);
        analysis.finish(Vec::new());
        reports(&analysis)[0].direction.clone()
    };
    let call = r#"{"id":"1"}"#;
    assert!(told(call, call, 38).contains("it worked 38 s later"), "{}", told(call, call, 38));
    assert!(!told(call, r#"{"id":"2"}"#, 38).contains("later"));
    assert!(!told(call, call, 90_000).contains("90000"));
}

#[test]
fn the_line_that_made_the_tests_pass_is_told() {
    let failed = ("Bash", "pytest -q", Some("FAILED a_test.py::test_a - assert 1 == 2\n1 failed in 1s"));
    let edit = ("Edit", r#"{"file_path":"/w/a.py","old_string":"x = 1","new_string":"x = 2"}"#, None);
    let more = ("Edit", r#"{"file_path":"/w/a.py","old_string":"y = 1","new_string":"y = 2\nz = 3"}"#, None);
    let passed = ("Bash", "pytest -q", None);
    let direction =
        |steps: &[(&'static str, &'static str, Option<&'static str>)]| crate::tests::found(steps)[0].direction.clone();
    let one = direction(&[failed, edit, passed]);
    assert!(one.contains("where a line is now `x = 2`, then the tests passed"), "{one}");
    assert!(!direction(&[failed, edit, more, passed]).contains("a line is now"));
}

#[test]
fn the_instructions_say_what_the_message_of_a_tool_says_of_its_parameters() {
    let told = |output: &str| crate::tests::found(&[("execute_bash", "x", Some(output))])[0].direction.clone();
    for (output, said) in [
        ("Missing required parameters for function 'execute_bash': {'security_risk'}", "needs `security_risk`"),
        ("Parameter 'command' is expected to be one of ['view', 'create'].", "is one of `view`, `create`"),
    ] {
        assert!(told(output).contains(said), "{output}: {}", told(output));
    }
}

#[test]
fn a_shell_that_cannot_read_a_command_says_why() {
    for (input, output, said) in [
        ("rg -n \"`\" a", "zsh:1: unmatched \"", "a quote without its end"),
        ("echo 'a", "bash: -c: line 1: unexpected EOF while looking for matching `''", "a quote without its end"),
        (
            "for a in x; do n=$(curl y); done",
            "bash: eval: line 1: syntax error near unexpected token `curl'",
            "a loop with `$(…)`",
        ),
        ("echo (a)", "bash: syntax error near unexpected token `('", "into a file"),
    ] {
        assert!(told(&[(input, Some(output))]).contains(said), "{input}: {}", told(&[(input, Some(output))]));
    }
}

#[test]
fn tsc_with_names_of_files_ignores_the_project() {
    let output = Some("src/a.ts(1,2): error TS2322: Type 'a' is not assignable to type 'b'.");
    assert!(told(&[("npx tsc --noEmit src/a.ts", output)]).contains("without names of files"));
    for input in ["npx tsc --noEmit", "npx tsc -p a/tsconfig.json src/a.ts", "npx tsc --outDir dist"] {
        assert!(!told(&[(input, output)]).contains("without names of files"), "{input}");
    }
}

#[test]
fn a_tool_that_stops_processes_by_number_says_so() {
    let output = "Command not executed. The 'killall' command is not allowed. Use 'kill <PID>' with a specific process ID instead.";
    let stopped = ("killall java", Some(output));
    let advice = told(&[stopped, ("ls", None), stopped]);
    assert!(advice.contains("only by its number"), "{advice}");
}

#[test]
fn lines_of_comment_are_left_out_if_the_tool_takes_one_command() {
    let output =
        Some("ERROR: Cannot execute multiple commands at once.\nPlease run each command separately OR chain them.");
    assert!(told(&[("# Look\nls a", output)]).contains("leave out the lines of comment"));
    assert!(!told(&[("ls a\nls b", output)]).contains("comment"));
}

#[test]
fn a_missing_script_or_file_says_where_to_look() {
    for (input, output, said) in [
        ("npm run typecheck", "npm error Missing script: \"typecheck\"", "`npm run`"),
        ("pnpm run x", "ERR_PNPM_NO_SCRIPT  Missing script: x", "`pnpm run`"),
        ("just x", "error: Justfile does not contain recipe `x`", "`just --list`"),
        (
            "cargo test",
            "error: could not find `Cargo.toml` in `/w` or any parent directory",
            "that has the `Cargo.toml`",
        ),
        (
            "go test ./...",
            "go: go.mod file not found in current directory or any parent directory",
            "that has the `go.mod`",
        ),
        ("make all", "make: *** No targets specified and no makefile found.  Stop.", "that has the `Makefile`"),
    ] {
        let advice = told(&[(input, Some(output))]);
        assert!(advice.contains(said), "{input}: {advice}");
    }
}

#[test]
fn an_error_that_is_known_by_its_line_says_what_is_true_of_all_its_cases() {
    for (input, output, said) in [
        ("{}", "MCP server 'browser': Error: Not connected", "start this MCP server again"),
        ("python a.py", "KeyError: 'API_KEY'", "if the line reads it from the environment"),
        ("python a.py", "KeyError: 'name'", "look at the keys"),
        ("git push", "git@github.com: Permission denied (publickey).", "account on this server"),
        ("ssh a@b", "a@b: Permission denied (publickey).", "authorized_keys"),
        ("rmdir a", "rmdir: failed to remove 'a': Device or resource busy", "find what holds it"),
        (
            "python a.py",
            "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 3 column 1 (char 24)",
            "no valid JSON",
        ),
    ] {
        let found =
            crate::tests::found(&[("Bash", input, Some(output)), ("Bash", "ls", None), ("Bash", input, Some(output))]);
        assert!(found[0].direction.contains(said), "{output}: {}", found[0].direction);
    }
}

#[test]
fn source_of_the_project_is_no_script_that_can_be_renamed() {
    let esm = |input: &str| {
        let output = "/w/packages/a/src/b.js:2\nimport x from 'y';\n^^^^^^\n\nSyntaxError: Cannot use import statement outside a module\n    at a";
        crate::tests::found(&[("Bash", input, Some(output))])[0].direction.clone()
    };
    assert!(esm("node /w/packages/a/src/b.js").contains("`.mjs`"), "{}", esm("node /w/packages/a/src/b.js"));
    assert!(!esm("node /w/test.js").contains("`.mjs`"), "{}", esm("node /w/test.js"));
}

#[test]
fn a_shell_in_which_nothing_ends_is_not_helped_by_a_smaller_command() {
    let output = Some("Command timed out after 10s");
    let told = |input: &'static str| {
        crate::tests::found(&[("Bash", input, output), ("Bash", "ls", None), ("Bash", input, output)])
    };
    assert!(told("Get-Date")[0].direction.contains("a smaller command does not help"), "{:#?}", told("Get-Date"));
    assert!(!told("make all")[0].direction.contains("a smaller command does not help"));
}

#[test]
fn an_environment_that_is_not_there_is_made_and_not_installed_into() {
    let advice = told(&[("source venv/bin/activate", Some("bash: venv/bin/activate: No such file or directory"))]);
    assert!(advice.contains("make the environment `venv`") && !advice.contains("install"), "{advice}");
}

#[test]
fn each_missing_program_has_its_own_advice() {
    let steps = [
        ("Bash", "python -m pytest a.py", Some("bash: python: command not found")),
        ("Bash", "pytest a.py", Some("bash: pytest: command not found")),
        ("Bash", "python3 -m pytest a.py", Some("/usr/bin/python3: No module named pytest")),
    ];
    let found = crate::tests::found(&steps);
    let direction = &found[0].direction;
    assert!(
        direction.contains("install `pytest`") && direction.contains("`python3` instead of `python`"),
        "{found:#?}"
    );
}

#[test]
fn a_module_that_another_folder_has_is_used_from_there() {
    let missing = "Error: Cannot find module 'typescript'\nRequire stack:\n- /w/[eval]";
    let told = |listed: &str| {
        let mut analysis = Analysis::default();
        let (input, kind) = ("node -e \"require('typescript')\"", FailureKind::MissingModule);
        analysis.add(&Call { input, output: missing, kind, ..Call::FAILED });
        let (input, kind) = ("find . -name typescript", FailureKind::None);
        analysis.add(&Call { event: 1, input, output: listed, kind, failed: false, ..Call::FAILED });
        analysis.finish(Vec::new());
        reports(&analysis)[0].direction.clone()
    };
    assert!(
        told("./tools/a/node_modules/typescript").contains("run it in `tools/a`"),
        "{}",
        told("./tools/a/node_modules/typescript")
    );
    for other in
        ["./tools/a/node_modules/typescript-eslint", "./node_modules/b/node_modules/typescript", "typescript.md"]
    {
        assert!(told(other).starts_with("install `typescript`"), "{other}: {}", told(other));
    }
}

#[test]
fn a_forbidden_connection_is_a_matter_of_the_sandbox() {
    let advice = |reason: &str| {
        let output = format!(
            "error: Failed to download https://github.com/a\n  Caused by: error sending request for url (https://github.com/a)\n  Caused by: {reason}"
        );
        let mut analysis = Analysis::default();
        analysis.add(&Call { input: "uv python install", output: &output, kind: FailureKind::Network, ..Call::FAILED });
        analysis.finish(Vec::new());
        reports(&analysis)[0].direction.clone()
    };
    let forbidden =
        advice("An attempt was made to access a socket in a way forbidden by its access permissions. (os error 10013)");
    assert!(forbidden.contains("sandbox"), "{forbidden}");
    assert!(!advice("tcp connect error").contains("the system forbids"));
}

#[test]
fn an_installation_by_name_is_not_the_same_as_that_of_all() {
    let missing = Some("npm error sh: 1: napi-postinstall: not found");
    let steps =
        [("cd a && npm install", missing), ("npm install -g napi-postinstall", None), ("cd a && npm install", None)];
    let advice = told(&steps);
    assert!(advice.contains("run `npm install -g napi-postinstall`"), "{advice}");
}
