//! Advice is given only where all that it takes for granted holds, and causes are told by all that the log shows.

use gephost_gene::run_log::FailureKind;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::report::Report;

/// The calls of one session: the input, and the output of a failure with its kind. An empty input means an exception.
fn found(calls: &[(&str, Option<(&str, FailureKind)>)]) -> Vec<Report> {
    let mut analysis = Analysis::default();
    for (event, (input, failed)) in calls.iter().enumerate() {
        let exception = input.is_empty();
        analysis.add(&Call {
            event: event as u64,
            time: i64::MIN,
            exception,
            tool: Some(0).filter(|_| !exception),
            name: if exception { "" } else { "Bash" },
            session: 0,
            failed: failed.is_some(),
            kind: failed.map_or(FailureKind::None, |(_, kind)| kind),
            duration_ms: None,
            input,
            output: failed.map_or("fine", |(output, _)| output),
        });
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

/// The first finding of one failed call.
fn first(input: &str, output: &str, kind: FailureKind) -> Report {
    found(&[(input, Some((output, kind)))]).remove(0)
}

#[test]
fn a_patch_of_a_command_is_no_edit() {
    let output =
        "error: patch failed: src/a.ts:1\nerror: src/a.ts: patch does not apply\nerror: b.ts: patch does not apply";
    let patch = first("git apply /tmp/x.patch -- src/a.ts", output, FailureKind::EditMismatch);
    assert_eq!(patch.title, "a patch does not fit these files: `b.ts`, `src/a.ts`");
    assert!(patch.direction.contains("git apply -R --check"), "{}", patch.direction);
    let edit = first("x", "String to replace not found in file.", FailureKind::EditMismatch);
    assert_eq!(edit.kind, "edit_text_missing");
}

#[test]
fn what_was_refused_alone_is_to_be_allowed() {
    let denied = |input: &'static str| {
        (
            input,
            Some((
                "Permission to use Bash has been denied by a rule: Permission to use Bash with command x has been denied.",
                FailureKind::Permission,
            )),
        )
    };
    let all =
        found(&[denied("cd a && rm -rf x && unrar x a.rar"), denied("find a -name b"), denied("rm -rf y && unzip z")]);
    assert!(all[0].direction.starts_with("allow `find` in `permissions`"), "{}", all[0].direction);
    let all = found(&[denied("rm -rf x && unrar x a.rar"), denied("rm -rf y && unzip z")]);
    assert!(all[0].direction.starts_with("allow `rm -rf` and `"), "{}", all[0].direction);
}

#[test]
fn a_broken_connection_to_the_model_is_one_cause_whatever_is_said() {
    let said = |text| ("", Some((text, FailureKind::Other)));
    let all = found(&[said("Connection error."), ("ls", None), said("Request timed out."), ("ls", None)]);
    let finding = all.iter().find(|report| report.kind == "model_connection").unwrap();
    assert_eq!((finding.occurrences, finding.title.as_str()), (2, "requests to the model's provider got no answer"));
    assert!(finding.direction.contains("the session went on each time"), "{}", finding.direction);
    let last = found(&[("ls", None), said("Connection error.")]);
    assert!(!last[0].direction.contains("went on"), "{}", last[0].direction);
    // What a tool calls is another server.
    let tool = first("python a.py", "requests.exceptions.ConnectionError: Connection error.", FailureKind::Traceback);
    assert_ne!(tool.kind, "model_connection");
}

#[test]
fn make_tells_with_a_code_that_a_program_is_missing() {
    let output = "lint ./...\nmake: lint: No such file or directory\nmake: *** [Makefile:71: lint] Error 127";
    assert_eq!(first("make lint", output, FailureKind::FileNotFound).kind, "missing_program");
    let other = "make: src: No such file or directory\nmake: *** [Makefile:71: lint] Error 2";
    assert_ne!(first("make lint", other, FailureKind::FileNotFound).kind, "missing_program");
}

#[test]
fn a_lock_that_does_not_exist_is_not_taken() {
    let is_lock = |output| first("git x", output, FailureKind::Git).kind == "locked";
    assert!(!is_lock("ls: cannot access '.git/index.lock': No such file or directory"));
    assert!(is_lock("fatal: Unable to create '/w/.git/index.lock': File exists."));
}

#[test]
fn a_branch_of_another_worktree_is_nothing_that_exists() {
    let report =
        first("git checkout develop", "fatal: 'develop' is already used by worktree at '/w/a'", FailureKind::Git);
    assert!(report.title.contains("is already used by worktree"), "{}", report.title);
    assert!(report.direction.contains("worktree that has it"), "{}", report.direction);
}

#[test]
fn a_name_is_not_corrected_for_an_error_within_a_library() {
    let raised = |file: &str| {
        let output = format!(
            "Traceback (most recent call last):\n  File \"/w/src/a.py\", line 3, in f\n  File \"{file}\", line 9, in g\n\
             AttributeError: 'B' object has no attribute 'c'"
        );
        first("python -m src.a", &output, FailureKind::Traceback).direction
    };
    assert!(raised("/w/src/b.py").contains("correct the name"));
    assert!(!raised("/usr/lib/python3.14/dataclasses.py").contains("correct the name"));
    assert!(!raised("/w/.venv/lib/python3.12/site-packages/x/y.py").contains("correct the name"));
}

#[test]
fn wrong_fields_are_told_and_not_only_counted() {
    let output = "4 validation errors for call[make_sensor]\nrules.0.key\n  Extra inputs are not permitted \
                  [type=extra_forbidden, input_value='x', input_type=str]\nrules.1.key\n  Extra inputs are not permitted";
    let title = first("make_sensor", output, FailureKind::Other).title;
    assert!(title.contains("rules.0.key Extra inputs"), "{title}");
    let other = first("a", "error: 4 validation errors for A\nsee the report of the run", FailureKind::Other).title;
    assert!(other.contains("4 validation errors for A"), "{other}");
}

#[test]
fn ids_and_numbers_are_no_names() {
    let said = |id: &str| format!("API error: no access [request {id} - run 'x login' to log in]");
    let ids = ["a01b5523-0c87-4075-a230-7361db63477a", "c0717810-8e04-4e3c-82cf-11c4c036dac0"];
    let outputs = ids.map(said);
    let report = found(&[
        ("tool a", Some((outputs[0].as_str(), FailureKind::ExitNonzero))),
        ("tool b", Some((outputs[1].as_str(), FailureKind::ExitNonzero))),
    ]);
    assert_eq!(report[0].occurrences, 2);
    assert!(report[0].facets.iter().all(|facet| facet.values.iter().all(|value| !value.contains("a01b5523"))));
    let of_words = found(&[
        ("tool a", Some(("error: no lease for queue 'q-one'", FailureKind::ExitNonzero))),
        ("tool b", Some(("error: no lease for queue 'q-two'", FailureKind::ExitNonzero))),
    ]);
    assert!(of_words[0].facets.iter().any(|facet| facet.values.len() == 2), "{:?}", of_words[0].facets);
}

#[test]
fn what_another_program_of_the_chain_suggests_is_no_answer_of_git() {
    let advice = |output: &str| first("git push", output, FailureKind::Git).direction;
    let refused = "! [remote rejected] main -> main (no thanks)\nerror: failed to push some refs to 'x'";
    assert!(!advice(&format!("A new version is out.\nRun `agentv self update`\n{refused}")).contains("agentv"));
    let hinted = "fatal: The current branch a has no upstream branch.\nhint: use git push --set-upstream origin a";
    assert!(advice(hinted).contains("--set-upstream"), "{}", advice(hinted));
}

#[test]
fn a_limit_of_a_text_is_told() {
    let advice = |output: &str| first("x", output, FailureKind::ExitNonzero).direction;
    for output in ["error: Comment exceed max 256 characters!", "error: summary is 526 characters, at most 256."] {
        assert!(advice(output).contains("may have 256 characters at most"), "{output}");
    }
    assert!(!advice("error: max 256 connections").contains("characters"));
    assert!(!advice("error: bad characters, at most some").contains("at most"));
}

#[test]
fn an_error_with_another_bare_name_each_time_is_one_finding() {
    let says = |name: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/w/{name}.py\", line 3, in <module>\n\
             a.ImproperlyConfigured: Requested setting {name}, but settings are not configured. Call configure()."
        )
    };
    let run = |name: &str| {
        (format!("cat > /w/{name}.py <<'E'\nwith a(TAGS='x'):\n    run()\nE\npython /w/{name}.py"), says(name))
    };
    let failed: Vec<(String, String)> = ["DEBUG", "TAGS", "DEFAULT_CHARSET"].into_iter().map(run).collect();
    let calls: Vec<_> = failed
        .iter()
        .map(|(input, output)| (input.as_str(), Some((output.as_str(), FailureKind::Traceback))))
        .collect();
    let reports = found(&calls);
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!((reports[0].occurrences, reports[0].events.as_slice()), (3, [0, 1, 2].as_slice()));
    assert!(reports[0].title.contains("Requested setting …"), "{}", reports[0].title);
    assert!(reports[0].direction.contains("settings.configure()"), "{}", reports[0].direction);
    assert!(reports[0].facets.iter().any(|facet| facet.values.iter().any(|value| value == "DEBUG")));
}

#[test]
fn checks_that_did_their_work_and_probes_have_no_advice() {
    let kinds = [
        ("flyctl sprites --help", "Error: unknown command \"sprites\" for \"flyctl\""),
        ("cargo fmt -- --check", "Diff in /w/src/a.rs:277:\n-    a\n+    b"),
    ];
    for (input, output) in kinds {
        let all = found(&[(input, Some((output, FailureKind::ExitNonzero))), ("ls", None)]);
        assert_eq!(all[0].direction, "", "{input}");
    }
    let called = first("flyctl sprites", "Error: unknown command \"sprites\" for \"flyctl\"", FailureKind::ExitNonzero);
    assert!(!called.direction.is_empty());
}

/// A command that failed.
fn failed<'a>(input: &'a str, output: &'a str) -> (&'a str, Option<(&'a str, FailureKind)>) {
    (input, Some((output, FailureKind::ExitNonzero)))
}

#[test]
fn the_reason_of_a_call_that_gave_up_is_that_of_the_one_that_says_it() {
    let given_up = "Error: Generation failed: All attempts exhausted";
    let told = format!(
        "attempt 1/2: 429 RESOURCE_EXHAUSTED. {{'message': 'Your prepayment credits are depleted.'}}\n\
         attempt 2/2: 429 RESOURCE_EXHAUSTED. {{'message': 'Your prepayment credits are depleted.'}}\n{given_up}"
    );
    let told = told.as_str();
    let all = found(&[failed("python gen.py a", told), failed("python gen.py b", given_up), failed("make", given_up)]);
    assert_eq!((all[0].kind, all[0].occurrences), ("credits_used_up", 2), "{all:?}");
    assert!(all[0].direction.starts_with("pay for more credits"), "{}", all[0].direction);
    let alone = found(&[failed("python gen.py a", given_up), failed("python gen.py b", given_up)]);
    assert!(alone[0].title.ends_with("All attempts exhausted"), "{}", alone[0].title);
}

#[test]
fn what_neither_the_shell_nor_python_finds_is_one_cause_and_the_other_form_is_no_advice() {
    let shell = ("pytest tests", Some(("bash: pytest: command not found", FailureKind::MissingCommand)));
    let module =
        ("python3 -m pytest tests", Some(("/usr/bin/python3: No module named pytest", FailureKind::MissingModule)));
    let both = found(&[shell, module]);
    assert_eq!((both[0].kind, both[0].occurrences), ("missing_program", 2), "{both:?}");
    assert!(both[0].direction.starts_with("install `pytest`"), "{}", both[0].direction);
    let python = ("python -m pytest tests", Some(("bash: python: command not found", FailureKind::MissingCommand)));
    let three = found(&[shell, python, module]);
    assert_eq!((three.len(), three[0].occurrences), (1, 3), "{three:?}");
    assert!(
        first("pytest", "bash: pytest: command not found", FailureKind::MissingCommand)
            .direction
            .contains("python3 -m")
    );
}
