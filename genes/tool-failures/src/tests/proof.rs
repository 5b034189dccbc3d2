//! A remedy from a later call is told only if the session proves it: each proof stands beside what refutes it.

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::thresholds::Thresholds;

/// A tool, its input, whether it worked, and its output.
type Step<'a> = (&'a str, &'a str, bool, &'a str);

/// The advice of the finding that explains the first call.
fn advice(steps: &[Step<'_>], corrections: Vec<Correction>) -> String {
    let mut analysis = Analysis::new(Thresholds::default(), corrections);
    for (event, (name, input, works, output)) in (0..).zip(steps) {
        analysis.add(&Call {
            event,
            tool: Some(u32::from(*name != "Bash")),
            name,
            failed: !works,
            kind: if *works { FailureKind::None } else { FailureKind::ExitNonzero },
            input,
            output,
            ..Call::FAILED
        });
    }
    analysis.finish(Vec::new());
    let of_first = reports(&analysis).into_iter().find(|report| report.events.contains(&0));
    of_first.map(|report| report.direction).unwrap_or_default()
}

/// The same, of commands, with what the host found for the first of them.
fn corrected(steps: &[(&str, bool, &str)], worked: u64, difference: Difference, before: &str, after: &str) -> String {
    let steps: Vec<Step<'_>> = steps.iter().map(|(input, works, output)| ("Bash", *input, *works, *output)).collect();
    let (before, after) = (before.to_owned(), after.to_owned());
    advice(&steps, vec![Correction { failed: 0, worked, difference, before, after }])
}

fn told(steps: &[(&str, bool, &str)]) -> String {
    let steps: Vec<Step<'_>> = steps.iter().map(|(input, works, output)| ("Bash", *input, *works, *output)).collect();
    advice(&steps, Vec::new())
}

const NO_MODULE: &str = "ModuleNotFoundError: No module named 'django'";

#[test]
fn an_environment_is_the_remedy_and_not_the_program_that_was_not_found_without_it() {
    for (failed, other, front) in [
        ("python3 manage.py check", "python manage.py check", "source venv/bin/activate"),
        ("/usr/bin/python3 app/tool.py a", "python app/tool.py a", ". .venv/bin/activate"),
    ] {
        let with = format!("{front} && {other}");
        let missing = "bash: python: command not found";
        let both = told(&[(failed, false, NO_MODULE), (other, false, missing), (&with, true, "fine")]);
        assert!(both.contains(front) && !both.contains("run `python` instead"), "both {front}: {both}");
        let alone = told(&[(failed, false, NO_MODULE), (&with, true, "fine")]);
        assert!(alone.contains(front), "{alone}");
        let bare = told(&[(failed, false, NO_MODULE), (other, true, "fine")]);
        assert!(bare.starts_with("run `python` instead of"), "{bare}");
    }
}

#[test]
fn what_a_call_had_that_failed_in_the_same_way_is_no_remedy() {
    for (failed, error, same, worked, remedy) in [
        (
            "./gradlew test",
            "error: the wrong version is used",
            "JAVA_HOME=/opt/b ./gradlew test -x",
            "JAVA_HOME=/opt/jdk ./gradlew test",
            "`JAVA_HOME`",
        ),
        ("rg foo src", "bash: rg: command not found", "", "grep -rn foo src", "`grep`"),
        ("python3 tests/run.py", NO_MODULE, "python3.12 tests/run.py -v", "python3.12 tests/run.py", "`python3.12`"),
    ] {
        let proven = told(&[(failed, false, error), (worked, true, "fine")]);
        assert!(proven.contains(remedy), "{failed}: {proven}");
        if !same.is_empty() {
            let refuted = told(&[(failed, false, error), (same, false, error), (worked, true, "fine")]);
            assert!(
                !refuted.contains(&format!("{remedy} instead")) && !refuted.starts_with("set "),
                "{failed}: {refuted}"
            );
        }
    }
}

#[test]
fn a_call_that_works_as_it_was_needed_no_other_form() {
    let lacks = "sh: 1: napi-postinstall: not found\nnpm error code 127";
    let failed = "cd /w/api && npm install";
    let tool = "npm install -g napi-postinstall";
    for again in ["cd /w/api && npm install", "cd /w/api && rm -rf node_modules && npm install"] {
        let steps = [(failed, false, lacks), (tool, true, "added 1 package"), (again, true, "added 9 packages")];
        let said = corrected(&steps, 1, Difference::Directory, "/w/api", "");
        assert!(!said.contains("do not change") && said.contains(tool), "{again}: {said}");
    }
    // The other form is withdrawn, and nothing else is known to have changed.
    let (run, error) = ("tool run --fast a", "error: no, not so");
    let slow = "tool run a";
    let form = [(run, false, error), (slow, true, "fine")];
    assert!(corrected(&form, 1, Difference::Options, "--fast", "").contains("leave out `--fast`"));
    for (again, is_told) in [
        (run, false),
        ("sleep 5; tool run --fast a", false),
        ("rm -rf out && tool run --fast a", false),
        ("cd x && tool run --fast a", true),
        ("tool run --fast a || true", true),
        ("tool run --fast b", true),
    ] {
        let said = corrected(&[form[0], form[1], (again, true, "fine")], 1, Difference::Options, "--fast", "");
        assert_eq!(said.contains("leave out `--fast`"), is_told, "{again}: {said}");
    }
    // An environment that was made active stays so.
    let active = "source venv/bin/activate && python3 a.py";
    let steps = [("python3 a.py", false, NO_MODULE), (active, true, "fine"), ("python3 a.py", true, "fine")];
    let said = corrected(&steps, 1, Difference::Program, "python3", "source venv/bin/activate && python3");
    assert!(said.contains("source venv/bin/activate"), "{said}");
}

#[test]
fn the_same_call_that_worked_later_is_told_as_such() {
    let (call, error) = ("tool fetch --all", "error: no, not so");
    let unchanged = "the same call worked later, and nothing was seen to change in between";
    let (failed, worked) = ((call, false, error), (call, true, "fine"));
    let said = told(&[failed, failed, ("ls", true, "a"), worked]);
    assert_eq!(said, format!("{unchanged}, after 1 of 2 failures"));
    assert!(!told(&[failed, worked]).contains(unchanged), "what occurred once is told as over");
    let cut = "bash -c 'tool fetch --all…";
    assert!(!told(&[(cut, false, error), (cut, false, error), (cut, true, "fine")]).contains(unchanged));
    for between in ["sed -i s/a/b/ c.txt", "npm install x", "git pull", "tool login", "./setup.sh > out.txt"] {
        let said = told(&[failed, failed, (between, true, "fine"), worked]);
        assert!(!said.contains(unchanged), "{between}: {said}");
    }
    let script = |text: &str| format!("cat > a.py <<'E'\n{text}\nE\npython a.py");
    let other = told(&[(&script("x"), false, "TypeError: no"), (&script("y"), true, "fine")]);
    assert!(!other.contains("the same call"), "{other}");
}

#[test]
fn an_install_that_had_nothing_to_do_is_no_remedy() {
    let failed = "PYTHONPATH=. /usr/bin/python3 ./tests/run.py a";
    let worked = "python3 -m pip install asgiref && python3 tests/run.py a";
    let lacks = "ModuleNotFoundError: No module named 'asgiref'";
    let run = |output: &str| told(&[(failed, false, lacks), (worked, true, output)]);
    let said = run("Requirement already satisfied: asgiref in /opt/x\nOK");
    assert!(said.starts_with("run `python3` instead of"), "nothing: {said}");
    assert!(run("Successfully installed asgiref-3\nOK").starts_with("run `python3 -m pip install asgiref` when"));
}

#[test]
fn a_read_before_the_edit_helps_only_if_no_edit_failed_right_after_one() {
    let edit = |text: &str| format!(r#"{{"file_path":"/w/a.py","old_string":"{text}","new_string":"z"}}"#);
    let (first, other) = (edit("x1"), edit("x2"));
    let missing = "String to replace not found in file.";
    let read = ("Read", r#"{"file_path":"/w/a.py"}"#, true, "text");
    let (failed, worked) = (("Edit", first.as_str(), false, missing), ("Edit", other.as_str(), true, "done"));
    let reading = |failed, worked| Correction {
        failed,
        worked,
        difference: Difference::ReadBefore,
        before: String::new(),
        after: String::new(),
    };
    let said = advice(&[failed, read, worked, failed, read, worked], vec![reading(0, 2), reading(3, 5)]);
    assert!(said.starts_with("read the file again"), "read: {said}");
    let said = advice(&[failed, read, failed, read, worked], vec![reading(0, 4), reading(2, 4)]);
    assert!(!said.starts_with("read the file again"), "{said}");
}

#[test]
fn an_edit_that_changes_nothing_is_not_cured_by_fewer_lines() {
    let same = r#"{"file_path":"/w/a.py","old_string":"a\nb\nc\nd","new_string":"a\nb\nc\nd"}"#;
    let other = r#"{"file_path":"/w/a.py","old_string":"a","new_string":"b"}"#;
    let said = advice(
        &[
            ("Edit", same, false, "No changes to make: old_string and new_string are exactly the same."),
            ("Edit", other, true, "done"),
        ],
        Vec::new(),
    );
    assert!(!said.contains("fewer lines"), "{said}");
}

#[test]
fn the_same_work_in_the_folder_of_another_part_is_other_work() {
    let failed = ("cd packages/agent && npm run build", false, "npm error command failed");
    let other = ("cd packages/tui && npm run build", true, "fine");
    let said = corrected(&[failed, other], 1, Difference::Directory, "packages/agent", "packages/tui");
    assert!(!said.contains("packages/tui"), "{said}");
    let missing = ("cd a && cat b.txt", false, "cat: b.txt: No such file or directory");
    let there = ("cd c && cat b.txt", true, "fine");
    let said = corrected(&[missing, there], 1, Difference::Directory, "a", "c");
    assert!(said.contains("run it in `c`"), "{said}");
}

#[test]
fn what_only_one_call_shows_beside_other_changes_is_told_as_a_fact() {
    let (failed, error) = ("tool sync --fast db", "error: permission denied, open '/w/.cache/db'");
    let sudo = "sudo tool sync --fast db";
    let alone = told(&[(failed, false, error), (sudo, true, "fine")]);
    assert!(alone.contains("`sudo`"), "{alone}");
    let edit = ("sed -i s/a/b/ x.cfg", true, "");
    let script =
        ("python tests/forms/test_a.py", false, "ImportError: attempted relative import with no known parent package");
    let runner = ("pytest tests/forms", true, "fine");
    assert!(told(&[script, runner]).starts_with("run `pytest tests/forms` instead of"));
    assert_eq!(told(&[script, edit, runner]), "what worked next: `pytest tests/forms`");
    // An edit brings no module to an interpreter, and an installation may.
    let python = ("/usr/bin/python3 tests/run.py", false, NO_MODULE);
    let other = ("python3 tests/run.py", true, "fine");
    assert!(told(&[python, edit, other]).starts_with("run `python3` instead of"));
    let install = ("pip install x", true, "Successfully installed x-1");
    assert_eq!(told(&[python, install, other]), "what worked next: `python3 tests/run.py`");
}

#[test]
fn an_advice_about_one_program_leaves_the_others_theirs() {
    let steps = [
        ("tree", false, "bash: tree: command not found"),
        ("sqlite3 db.sqlite3 .tables", false, "bash: sqlite3: command not found"),
        ("python3 -c 'import sqlite3; sqlite3.connect(\"db.sqlite3\")'", true, "fine"),
    ];
    let said = told(&steps);
    assert!(said.contains("`python3` with its module `sqlite3`") && said.contains("for `tree`, "), "{said}");
}

#[test]
fn the_tool_that_changed_the_file_is_told_in_place_of_the_one_that_makes_it() {
    let file = r#"{"path": "/w/a.py"}"#;
    let create = ("create", file, false, "Path already exists");
    let read = ("view", file, true, "text");
    let said = advice(&[create, read, ("edit", file, true, "done")], Vec::new());
    assert_eq!(said, "use `edit` instead of `create` if the file is there: that worked next");
    // The same refusal of another file says nothing against it.
    let other = r#"{"path": "/w/b.py"}"#;
    let second = ("create", other, false, "Path already exists");
    let said = advice(&[create, read, ("edit", file, true, "done"), second, ("edit", other, true, "done")], Vec::new());
    assert_eq!(said, "use `edit` instead of `create` if the file is there: that worked next, twice");
    let said = advice(&[create, ("edit", r#"{"path": "/w/b.py"}"#, true, "done")], Vec::new());
    assert!(!said.contains("use `edit`"), "{said}");
}

#[test]
fn a_step_after_which_the_same_failure_came_again_is_not_what_helped() {
    let (call, error) = ("tool build", "error: 'left-pad' was not found");
    let (install, other) = ("npm install left-pad", "npm install left-pad@1");
    let ran = |steps: &[(&str, bool, &str)]| told(steps).contains("have the agent run `npm install left-pad` first");
    let (failed, worked) = ((call, false, error), (call, true, "fine"));
    assert!(ran(&[failed, (install, true, "added 1"), worked]));
    assert!(!ran(&[failed, (install, true, "added 1"), failed, (install, true, "added 1"), worked]));
    let said = told(&[failed, (install, true, "added 1"), failed, (other, true, "added 1"), worked]);
    assert!(said.contains(other), "{said}");
}

#[test]
fn what_goes_on_in_the_background_has_not_worked() {
    let failed = ("tool run --fast a", false, "error: no, not so");
    let run = |output: &str| corrected(&[failed, ("tool run a", true, output)], 1, Difference::Options, "--fast", "");
    assert!(run("fine").contains("leave out `--fast`"));
    for output in ["Running in the background (down arrow to manage)", "Command running in background with ID: b1"] {
        assert!(!run(output).contains("leave out"), "{output}: {}", run(output));
    }
}

#[test]
fn a_server_that_answered_another_program_is_not_looked_for_on_the_network() {
    let failed =
        ("deploy --to x", false, "Error: error sending request for url (https://rpc.a.example/): operation timed out");
    let answered =
        |curl: &str, output: &str| told(&[failed, (curl, true, output)]).contains("so the network is not the reason");
    assert!(answered("curl -s https://rpc.a.example/health", "{\"ok\": true}"));
    for (curl, output) in [
        ("curl -s https://rpc.b.example/health", "{\"ok\": true}"),
        ("curl -s https://rpc.a.example/health", ""),
        ("curl -s https://rpc.a.example/health", "<html>502</html>"),
        ("echo https://rpc.a.example/health", "{}"),
    ] {
        assert!(!answered(curl, output), "{curl}: {output}");
    }
}

#[test]
fn a_server_that_did_not_come_up_had_not_been_started() {
    let start = ("test-server --port 8899 &", true, "");
    let refused = "Error: tcp connect error: Connection refused (http://localhost:8899/)";
    let run = |more: &str| {
        let output = [refused, more].concat();
        told(&[("deploy --local", false, &output), start, ("deploy --local", false, &output)])
    };
    assert!(run("").contains("one had been started"), "{}", run(""));
    let failed = run("\nUnable to start the validator");
    assert!(failed.contains("the same output says `Unable to start the validator`"), "{failed}");
}

#[test]
fn an_edit_of_fewer_lines_is_no_remedy_where_one_as_short_failed() {
    let edit = |file: &str, old: &str| format!(r#"{{"file_path":"/w/{file}","old_string":"{old}","new_string":"z"}}"#);
    let (long, part, short) = (edit("a.py", r"a\nb\nc\nd"), edit("a.py", "a"), edit("b.py", "x"));
    let missing = "String to replace not found in file.";
    let (first, worked) = (("Edit", long.as_str(), false, missing), ("Edit", part.as_str(), true, "done"));
    let said = advice(&[first, first, worked], Vec::new());
    assert!(said.contains("fewer lines in each edit"), "{said}");
    let said = advice(&[first, worked, ("Edit", short.as_str(), false, missing)], Vec::new());
    assert!(!said.contains("a later call worked that way"), "{said}");
}

#[test]
fn what_helped_against_a_few_of_the_same_error_is_told_with_its_count() {
    let error = "error: could not open '-o'";
    let mut analysis = Analysis::new(Thresholds::default(), Vec::new());
    for (event, session, input, works) in [
        (0, 0, "./cc a.c -o a.asm", false),
        (1, 0, "./cc a.c", true),
        (2, 1, "./cc b.c -o b.asm", false),
        (3, 2, "./cc c.c -o c.asm", false),
    ] {
        let output = if works { "compiled" } else { error };
        analysis.add(&Call { event, session, failed: !works, input, output, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let all = reports(&analysis);
    let report = all.iter().find(|report| report.events == [0, 2, 3]);
    let said = report.map(|report| report.direction.as_str());
    assert_eq!(said, Some("what worked next after 1 of 3 failures: leave out `-o`"));
}

#[test]
fn where_program_and_address_are_new_neither_is_named_as_the_remedy() {
    let failed = (
        "WebFetch",
        r#"{"url": "https://img.x.example/a", "prompt": "p"}"#,
        false,
        "Request failed with status code 404",
    );
    let curl = |url: &'static str| advice(&[failed, ("Bash", url, true, "text")], Vec::new());
    assert!(
        curl("curl -s https://img.x.example/a").starts_with("run `curl https://img.x.example/a` instead of `WebFetch`")
    );
    assert_eq!(curl("curl -s https://api.x.example/b"), "what worked next: `curl https://api.x.example/b`");
}

#[test]
fn of_several_steps_of_a_program_the_one_that_the_error_names_is_compared() {
    let failed = "git add docs/p5/ && git commit -m \"docs: prepare phase 5\"";
    let error = "fatal: pathspec 'docs/p5/' did not match any files";
    let run = |worked: &str| {
        let steps = [(failed, false, error), (worked, true, "[main c11] docs")];
        corrected(&steps, 1, Difference::Directory, "", "/w/code")
    };
    let said = run("cd /w/code && git add docs/p5/ && git commit -m \"docs: phase five\"");
    assert_eq!(said, "run it in `/w/code`: that worked next");
    let other = run("cd /w/code && git add src/ && git commit -m \"docs: phase five\"");
    assert!(!other.contains("/w/code"), "{other}");
}
