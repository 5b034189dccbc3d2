//! The advice of a finding agrees with what the same session did after the failure.

use crate::tests::next::advice;

/// A command, and the output of a failure; `None` for one that worked, or what it printed behind `+`.
type Step<'a> = (&'a str, Option<&'a str>);

/// The advice of the finding that explains the first command.
fn told(steps: &[Step<'_>]) -> String {
    advice(&steps.iter().map(|(input, failed)| ("Bash", *input, *failed)).collect::<Vec<_>>(), Vec::new())
}

#[test]
fn a_form_that_the_session_tried_in_vain_is_not_advised() {
    const PYTEST: Step<'_> = ("pytest a.py", Some("bash: pytest: command not found"));
    const LINT: Step<'_> = ("eslint a.js", Some("bash: eslint: command not found"));
    for (steps, advised, contradicted) in [
        (&[PYTEST][..], "`python3 -m pytest`", ("python3 -m pytest a.py", "/usr/bin/python3: No module named pytest")),
        (
            &[PYTEST],
            "`uv run pytest`",
            (
                "uv run pytest a.py",
                "error: Failed to spawn: `pytest`\n  Caused by: No such file or directory (os error 2)",
            ),
        ),
        (&[LINT], "`npx eslint`", ("npx eslint a.js", "sh: 1: eslint: not found")),
        (
            &[("docker-compose up", Some("bash: docker-compose: command not found"))],
            "`docker compose`",
            ("docker compose up", "bash: docker: command not found"),
        ),
    ] {
        assert!(told(steps).contains(advised), "{}", told(steps));
        let with = [steps, &[(contradicted.0, Some(contradicted.1))]].concat();
        assert!(!told(&with).contains(advised), "{}", told(&with));
    }
    // Tests that fail show that the program is there.
    let ran =
        told(&[PYTEST, ("python3 -m pytest a.py -k b", Some("FAILED a.py::test_b - assert 1 == 2\n1 failed in 1s"))]);
    assert!(ran.contains("`python3 -m pytest`"), "{ran}");
    // Nor does it contradict a program that another file is not there.
    let other = told(&[
        ("fd a", Some("bash: fd: command not found")),
        ("find x", Some("find: 'x': No such file or directory")),
    ]);
    assert!(other.contains("`find`"), "{other}");
}

#[test]
fn what_the_session_did_later_and_worked_is_told_as_such() {
    for (failed, message, later, said) in [
        (
            "xxd a.bin",
            "bash: xxd: command not found",
            "od -A x -t x1z b.bin",
            "the agent ran it later, and that worked",
        ),
        (
            "cmake --build build",
            "Error: could not load cache",
            "cmake -S . -B build -G Ninja",
            "the agent ran it later, and that worked",
        ),
        (
            "jq . a.json",
            "bash: jq: command not found",
            "python3 -m json.tool b.json",
            "the agent ran `python3 -m json.tool` later, and that worked",
        ),
    ] {
        let advice = told(&[(failed, Some(message)), (later, None)]);
        assert!(advice.contains(said), "{failed}: {advice}");
        for other in [&["ls"][..], &["echo 'od -A x -t x1z b.bin'"], &["cat cmake-S.txt"]] {
            let steps: Vec<Step<'_>> =
                std::iter::once((failed, Some(message))).chain(other.iter().map(|input| (*input, None))).collect();
            assert!(!told(&steps).contains("later, and that worked"), "{failed}: {}", told(&steps));
        }
    }
}

#[test]
fn what_only_asks_is_no_proof() {
    let failed = ("git commit -m a", Some("nothing to commit, working tree clean"));
    assert!(!told(&[failed, ("git status", None)]).contains("later"));
}

#[test]
fn a_suggestion_that_failed_gives_way_to_the_next_candidate() {
    let failed = ("frobnicate --build", Some("error: no cache\nTry running `frobnicate init` first"));
    let first = told(&[failed]);
    assert!(first.contains("frobnicate init"), "{first}");
    let again = told(&[failed, ("frobnicate init", Some("error: this folder cannot be written"))]);
    assert!(!again.contains("suggests"), "{again}");
    let worked = told(&[failed, ("frobnicate init", None)]);
    assert!(worked.contains("suggests") && worked.ends_with("the agent ran it later, and that worked"), "{worked}");
}

/// The advice of the finding that explains the first call, of tools with named arguments.
fn told_of_tools(steps: &[(&str, &str, Option<&str>)]) -> String {
    advice(steps, Vec::new())
}

#[test]
fn what_freed_the_way_for_the_same_call_is_the_advice() {
    const CREATE: &str = r#"{"root": "/w", "task_id": "a-1"}"#;
    const EXISTS: Option<&str> = Some(r#"{"status": "error", "error": "Sandbox with this name already exists"}"#);
    let failed = ("create_app_preview", CREATE, EXISTS);
    let status = ("get_preview_status", r#"{"task_id": "a-1"}"#, None);
    let stop = ("stop_app_preview", r#"{"task_id": "a-1"}"#, None);
    let again = ("create_app_preview", r#"{"task_id":"a-1","root":"/w"}"#, None);
    let stopped = told_of_tools(&[failed, status, stop, again]);
    assert_eq!(stopped, "have the agent run `stop_app_preview` first: the same call worked after it");
    let renamed = told_of_tools(&[failed, status, ("create_app_preview", r#"{"task_id":"a-2","root":"/w"}"#, None)]);
    assert!(renamed.contains("give it another `task_id`"), "{renamed}");
    for steps in [&[failed, status, again][..], &[failed, stop], &[failed, stop, status, ("create_app", CREATE, None)]]
    {
        assert!(!told_of_tools(steps).contains("stop_app_preview"), "{}", told_of_tools(steps));
    }
    for (command, message, free) in [
        (
            "docker run --name db -d pg",
            "docker: Error response from daemon: Conflict. The container name \"/db\" is already in use",
            "docker rm -f db",
        ),
        ("npm run dev -- -p 3000", "Error: listen EADDRINUSE: address already in use :::3000", "pkill -f vite"),
        ("git worktree add ../a", "fatal: '../a' already exists", "git worktree remove ../a"),
        ("git add b", "fatal: Unable to create '/w/.git/index.lock': File exists.", "rm .git/index.lock"),
    ] {
        let advice = told(&[(command, Some(message)), ("ls", None), (free, None), (command, None)]);
        assert!(advice.contains(&format!("`{free}` first")), "{command}: {advice}");
    }
}

#[test]
fn what_was_installed_before_the_same_call_worked_is_the_advice_whatever_it_had_said() {
    let failed = ("gcloud beta run x", Some("You do not currently have this command group installed."));
    let steps = [failed, ("gcloud components install beta --quiet 2>&1", None), ("gcloud beta run x", None)];
    assert_eq!(
        told(&steps),
        "have the agent run `gcloud components install beta --quiet` first: the same call worked after it"
    );
    assert!(!told(&steps[..2]).contains("first"), "{}", told(&steps[..2]));
}

#[test]
fn the_interpreter_that_finds_the_projects_own_module_is_the_advice() {
    let edited = ("Edit", r#"{"file_path": "/w/django/a.py", "old_string": "b", "new_string": "c"}"#, None);
    let failed =
        ("Bash", "/usr/bin/python3 ./tests/runtests.py a", Some("ModuleNotFoundError: No module named 'django'"));
    let worked = ("Bash", "python3 ./tests/runtests.py a", None);
    let told = |steps: &[(&str, &str, Option<&str>)]| {
        let reports = crate::tests::found(steps);
        crate::tests::only(&reports, "own_module_not_found").direction.clone()
    };
    assert!(told(&[edited, failed, worked]).starts_with("run `python3` instead of `/usr/bin/python3`"));
    assert!(told(&[edited, failed]).contains("from which folder code runs"));
}

#[test]
fn a_module_that_was_there_already_is_in_another_environment() {
    let failed = ("/usr/bin/python3 run.py", Some("ModuleNotFoundError: No module named 'asgiref'"));
    let there = ("Bash", "pip install asgiref", "Requirement already satisfied: asgiref in /opt/x/site-packages");
    let of = |printed: &str| {
        use crate::call::Call;
        let mut analysis = crate::analysis::Analysis::default();
        analysis.add(&Call { input: failed.0, output: failed.1.unwrap_or_default(), ..Call::FAILED });
        analysis.add(&Call { event: 1, input: there.1, output: printed, failed: false, ..Call::FAILED });
        analysis.finish(Vec::new());
        crate::findings::reports(&analysis)[0].direction.clone()
    };
    assert!(of(there.2).contains("another Python than the one that failed had it already"), "{}", of(there.2));
    assert!(of("Successfully installed asgiref-3").starts_with("run `pip install asgiref`"));
}

#[test]
fn requests_that_are_refused_with_different_codes_are_one_finding() {
    let fetch = |url: &'static str, code: &'static str| ("WebFetch", url, Some(code));
    let steps = [
        fetch(r#"{"url": "https://a.x.example/1"}"#, "Request failed with status code 503"),
        fetch(r#"{"url": "https://b.x.example/2"}"#, "Request failed with status code 404"),
        fetch(r#"{"url": "https://y.example/3"}"#, "Request failed with status code 403"),
        ("Bash", "curl -s https://x.example/api/1", None),
    ];
    let reports = crate::tests::found(&steps);
    assert_eq!(reports.iter().filter(|report| report.title.contains("status code")).count(), 1, "{reports:#?}");
    assert_eq!(reports[0].occurrences, 3);
    assert_eq!(reports[0].direction, "what worked next: `curl https://x.example/api/1`, after 2 of 3 failures");
    let uncured = crate::tests::found(&steps[..3]);
    assert!(!uncured[0].direction.contains("correct the address"), "{}", uncured[0].direction);
    let curl = |url: &'static str, code: &'static str| ("Bash", url, Some(code));
    let apart = crate::tests::found(&[
        curl("curl -f https://a.example/1", "curl: (22) The requested URL returned error: 404"),
        curl("curl -f https://b.test/1", "curl: (22) The requested URL returned error: 500"),
        curl("curl -f http://127.0.0.1:8000/1", "curl: (22) The requested URL returned error: 401"),
        curl("curl -f http://127.0.0.1:8000/2", "curl: (22) The requested URL returned error: 502"),
    ]);
    assert_eq!(apart.iter().filter(|report| report.title.contains("returned error")).count(), 4, "{apart:#?}");
}

#[test]
fn a_look_that_was_made_is_not_advised() {
    let edit = (
        "Edit",
        r#"{"file_path": "/w/a.rs", "old_string": "b", "new_string": "c"}"#,
        Some("String to replace not found in file."),
    );
    let read = ("Read", r#"{"file_path": "/w/a.rs"}"#, None);
    let other = ("Read", r#"{"file_path": "/w/b.rs"}"#, None);
    let written = ("Write", r#"{"file_path": "/w/a.rs", "content": "x"}"#, None);
    let of = |steps: &[(&str, &str, Option<&str>)]| {
        let reports = crate::tests::found(steps);
        crate::tests::only(&reports, "edit_text_missing").direction.clone()
    };
    let looked = of(&[read, edit, read, edit]);
    let expected = "match fewer lines, and to copy them as the file has them: it had looked right before";
    assert!(looked.ends_with(expected), "{looked}");
    for steps in [
        &[edit, edit][..],
        &[other, edit, edit],
        &[read, written, edit, edit],
        &[read, other, other, other, edit, edit],
    ] {
        assert!(of(steps).contains("read the lines again right before"), "{}", of(steps));
    }
    let commit = ("git commit -m a", Some("nothing to commit, working tree clean"));
    assert!(told(&[commit]).contains("git status"));
    let status = crate::tests::found(&[("Bash", "git status", None), ("Bash", commit.0, commit.1)]);
    assert!(!crate::tests::only(&status, "git_nothing_to_commit").direction.contains("git status"));
}

#[test]
fn cancelled_calls_are_told_with_the_failure_that_cancelled_them() {
    use crate::call::Call;
    let mut analysis = crate::analysis::Analysis::default();
    let (name, output) = ("WebFetch", "Request failed with status code 503");
    analysis.add(&Call { name, input: r#"{"url": "https://a.example"}"#, output, ..Call::FAILED });
    for event in 1..4 {
        analysis.add_cancelled(&Call { name: "WebSearch", event, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let reports = crate::findings::reports(&analysis);
    assert_eq!(reports[0].facets[0].values, ["3 other calls were cancelled with these"]);
}
