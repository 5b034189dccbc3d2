//! Findings and the lines that follow from them.

use gephost_gene::run_log::Difference as D;

use super::case::{Case, repeated};

/// The lines of a case.
fn check(mut case: Case, expected: &[&str]) {
    assert_eq!(case.lines(), expected, "{:?} {:?}", case.findings, case.files.notes);
}

const CLAUDE: (&str, &str) = ("CLAUDE.md", "# Rules\n");

#[test]
fn edits() {
    for (kind, line) in [
        (
            "edit_text_missing",
            "Read the lines that an edit replaces again right before the edit, and copy the old text from there.",
        ),
        ("edit_unread", "Read a file before its first edit in a session, also after the context was compacted."),
        (
            "edit_ambiguous",
            "Include the lines around the place in the old text of an edit, so that it matches only once.",
        ),
        ("input_too_large", "Search a large file first, and read only the part that you need (offset and limit)."),
    ] {
        check(Case::new(&[CLAUDE]).finding(kind, "t", &[], &repeated(3, "{}", "no")), &[line]);
        // Too rare: one session, two failures.
        check(Case::new(&[CLAUDE]).finding(kind, "t", &[], &[(0, "{}", "no"), (0, "{}", "no")]), &[]);
        // Too rare for what every agent is told: two failures, even if they are from two sessions.
        check(Case::new(&[CLAUDE]).finding(kind, "t", &[], &repeated(2, "{}", "no")), &[]);
    }
}

#[test]
fn programs() {
    let missing = |calls: u32| {
        let output = "bash: python: command not found";
        Case::new(&[CLAUDE]).finding("missing_program", "t", &["python"], &repeated(calls, "python a.py", output))
    };
    check(missing(3).corrected(D::Program, "python", "python3"), &["Use `python3`; `python` is not installed here."]);
    // What the program runs may be anything, and different each time.
    let modules = missing(3).corrected(D::Program, "python -m compileall", "python3 -m compileall");
    check(modules, &["Use `python3`; `python` is not installed here."]);
    check(missing(3).corrected(D::Program, "python -m compileall", "python3 -m build"), &[]);
    check(missing(3).corrected(D::Program, "python -m compileall", "evil -m compileall"), &[]);
    check(missing(3), &[]);
    check(missing(1).corrected(D::Program, "python", "python3"), &[]);
    // Whatever the agent did next is no recommendation.
    for other in ["curl", "sh", "sudo python", "python3; rm", "./evil.sh", "evil"] {
        check(missing(3).corrected(D::Program, "python", other), &[]);
    }
    let module = Case::new(&[CLAUDE]).finding(
        "missing_module",
        "t",
        &["yaml"],
        &repeated(3, "pytest -q", "ModuleNotFoundError: No module named 'yaml'"),
    );
    check(
        module.corrected(D::Program, "pytest", "uv run pytest"),
        &["Use `uv run pytest` in place of `pytest`, which lacks the project's dependencies here."],
    );
    let npm = |files: &[(&str, &str)]| {
        Case::new(files).finding(
            "missing_program",
            "t",
            &["npm"],
            &repeated(3, "npm install", "npm: command not found"),
        )
    };
    check(npm(&[CLAUDE, ("bun.lock", "{}")]), &["Use `bun`, not `npm`: the repository has `bun.lock`."]);
    check(npm(&[CLAUDE, ("bun.lock", "{}"), ("yarn.lock", "")]), &[]);
    check(npm(&[CLAUDE]), &[]);
    check(npm(&[("CLAUDE.md", "Use npm here.\n"), ("bun.lock", "{}")]), &[]);
}

#[test]
fn options_and_subcommands() {
    let refused = |before: &str, after: &str| {
        Case::new(&[CLAUDE])
            .finding(
                "option_refused",
                "`gh run view` refuses the option",
                &[],
                &repeated(3, "gh run view", "unknown flag"),
            )
            .corrected(D::Options, before, after)
    };
    // Two words and more of a program's name are no program.
    check(refused("--logs", "--log"), &[]);
    let refused = |before: &str, after: &str| {
        Case::new(&[CLAUDE])
            .finding("option_refused", "`git log` refuses the option", &[], &repeated(3, "git log", "unknown flag"))
            .corrected(D::Options, before, after)
    };
    check(
        refused("--max", "--max-count=5"),
        &["Use `--max-count=5` with `git log` in place of `--max`, which the version here refuses."],
    );
    check(refused("--colour", ""), &["Call `git log` without `--colour`: the version here refuses it."]);
    for after in ["--force", "--no-verify", "-f", "--exec=sh", "--yes"] {
        check(refused("--max", after), &[]);
    }
    let script = Case::new(&[CLAUDE])
        .finding(
            "missing_script",
            "`npm` has no script",
            &["typecheck"],
            &repeated(3, "npm run typecheck", "Missing script"),
        )
        .corrected(D::Subcommand, "npm run typecheck", "npm run check-types");
    check(script.clone(), &[]);
    let mut script = script;
    let package = r#"{"scripts": {"check-types": "tsc"}}"#;
    script.files.texts.insert("package.json".to_owned(), package.to_owned());
    check(script, &["Use `npm run check-types`; `npm run typecheck` does not exist here."]);
    let package = ("package.json", r#"{"scripts": {"build": "x", "lint": "x", "rm -rf /": "x"}}"#);
    check(
        Case::new(&[CLAUDE, package]).finding(
            "missing_script",
            "`npm` has no script",
            &["typecheck"],
            &repeated(3, "npm run typecheck", "Missing script"),
        ),
        &["Run only the scripts that the root's package.json has: `build`, `lint`."],
    );
    check(
        Case::new(&[CLAUDE]).finding(
            "option_refused",
            "`sed` refuses the option",
            &[],
            &repeated(2, "sed -i s/a/b/ x", "sed: 1: \"x\": invalid command code x"),
        ),
        &["`sed` is the one of BSD here: write `sed -i '' …` to edit a file in place, or use the edit tool."],
    );
}

#[test]
fn folders_and_paths() {
    let folder_of = |calls: u32, after: &str| {
        Case::new(&[CLAUDE, ("apps/cli/a.ts", "")])
            .finding("wrong_folder", "t", &[], &repeated(calls, "cd web && bun test", "no such folder"))
            .corrected(D::Directory, "web", after)
    };
    let folder = |after: &str| folder_of(3, after);
    check(folder_of(2, "apps/cli"), &["Run `bun` in `apps/cli`."]);
    check(folder_of(2, "elsewhere"), &[]);
    let general = "Give `cd` and other commands absolute paths: the folder that an earlier `cd` chose may still be the current one.";
    check(folder("elsewhere"), &[general]);
    check(folder("/etc"), &[general]);
    let input = r#"{"file_path": "/home/u/p/src/editor.ts"}"#;
    let missing = |files: &[(&str, &str)]| {
        Case::new(files).finding("missing_path", "t", &[], &repeated(3, input, "File does not exist."))
    };
    check(missing(&[CLAUDE, ("ui/parts/editor.ts", "")]), &["Look for `editor.ts` in `ui/parts`."]);
    check(missing(&[CLAUDE, ("ui/editor.ts", ""), ("b/editor.ts", "")]), &[]);
    check(missing(&[CLAUDE, ("src/editor.ts", "")]), &[]);
    let many: Vec<(u32, &str, &str)> = (0..6).map(|at| (at % 3, "ls nowhere", "No such file")).collect();
    check(
        Case::new(&[CLAUDE]).finding("missing_path", "t", &[], &many),
        &["Search for a file by its name before you open a path that no command of this session has shown."],
    );
}

#[test]
fn tools_and_shells() {
    let slow = Case::new(&[CLAUDE])
        .finding("timeout", "t", &[], &repeated(2, "timeout 60 bun test", "timed out"))
        .corrected(D::TimeLimit, "60", "300");
    check(slow, &["Give `bun test` a time limit of at least 300 seconds."]);
    check(
        Case::new(&[CLAUDE]).finding(
            "approval_needed",
            "t",
            &[],
            &repeated(3, "git push origin main", "requires approval"),
        ),
        &["Ask the user before you run `git push`; it needs their approval."],
    );
    check(
        Case::new(&[CLAUDE]).finding("permission_rule", "t", &[], &repeated(3, "find . -name a.md", "has been denied")),
        &["Do not run `find` in the forms that the permission rules refuse; use another tool, or ask the user."],
    );
    check(
        Case::new(&[CLAUDE]).finding(
            "shell_syntax",
            "t",
            &[],
            &repeated(2, "ls app/[id]", "zsh: no matches found: app/[id]"),
        ),
        &[
            "Put arguments that hold `*`, `?`, `[` or `(` into single quotes: zsh refuses a pattern that matches no file.",
        ],
    );
    check(
        Case::new(&[CLAUDE]).finding("loop", "t", &[], &repeated(6, "make", "error")),
        &["Change something before you run a command again that has failed twice with the same message."],
    );
    check(
        Case::new(&[CLAUDE, (".pre-commit-config.yaml", "")]).finding(
            "git_hook",
            "t",
            &[],
            &repeated(2, "git commit", "hook"),
        ),
        &["Run `pre-commit run --all-files` before you commit: the hook runs the same checks and refuses the commit."],
    );
    check(
        Case::new(&[CLAUDE]).finding(
            "git_push_rejected",
            "t",
            &[],
            &repeated(2, "git push", "! [rejected] (fetch first)"),
        ),
        &["Fetch and rebase before you push (`git pull --rebase`)."],
    );
}

#[test]
fn commands_that_work_here() {
    let package = ("package.json", r#"{"scripts": {"test:unit": "vitest"}}"#);
    let failing = |files: &[(&str, &str)]| {
        Case::new(files).finding("missing_program", "t", &["jest"], &repeated(3, "npx jest", "jest: not found"))
    };
    check(
        failing(&[CLAUDE, package]).worked("npm run test:unit", 4),
        &["Run the tests with `npm run test:unit`; `npx jest` does not work here."],
    );
    // A script that the workspace does not have, and a command that worked twice only.
    check(failing(&[CLAUDE]).worked("npm run test:unit", 4), &[]);
    check(failing(&[CLAUDE, package]).worked("npm run test:unit", 2), &[]);
    let lint: Vec<(u32, &str, &str)> =
        (0..5).map(|at| (at % 2, "golangci-lint run ./...", "x.go:1: bad (errcheck)")).collect();
    let case = Case::new(&[CLAUDE]).finding("reported_problems", "t", &[], &lint).worked("go test ./...", 5);
    check(case.clone(), &["Run `golangci-lint run` after a change, before you say that it is done or commit it."]);
    assert_eq!(case.clone().drafts()[0].tests, ["go test ./..."]);
}

#[test]
fn a_file_of_the_repository_that_runs_its_tests() {
    let missing = |input: &str, files: &[(&str, &str)]| {
        let output = "/usr/bin/python: No module named pytest";
        Case::new(files).finding("missing_module", "t", &["pytest"], &repeated(3, input, output))
    };
    let here = [CLAUDE, ("tests/runtests.py", "")];
    let line = "Run the tests with `python tests/runtests.py`; `python -m pytest` does not work here.";
    for input in ["python -m pytest tests/a.py -v", "cd /testbed && python -m pytest tests/a.py"] {
        check(missing(input, &here).worked("python tests/runtests.py", 3), &[line]);
        // It is not there, it worked too rarely, or something else failed.
        check(missing(input, &[CLAUDE]).worked("python tests/runtests.py", 3), &[]);
        check(missing(input, &here).worked("python tests/runtests.py", 2), &[]);
        check(missing(input, &here).worked("python tests/runtests.py", 3).worked("python -m pytest", 1), &[]);
        let mut elsewhere = missing(input, &here).worked("python tests/runtests.py", 3);
        elsewhere.log.worked_elsewhere.insert("python -m pytest".to_owned());
        check(elsewhere, &[]);
    }
    // Files that an agent may have written, and files of one occasion.
    for file in ["test.py", "tests/test_a.py", "run.py", "tests/a.sh", "../runtests.py", "/tmp/runtests.py"] {
        let files = [CLAUDE, (file, "")];
        check(missing("python -m pytest", &files).worked(&format!("python {file}"), 9), &[]);
    }
    let shell = missing("python -m pytest", &[CLAUDE, ("scripts/test.sh", "")]).worked("./scripts/test.sh", 3);
    check(shell, &["Run the tests with `./scripts/test.sh`; `python -m pytest` does not work here."]);
}

#[test]
fn a_large_file_that_is_read_whole_again_and_again() {
    let text = "x".repeat(70 << 10);
    let mut case = Case::new(&[CLAUDE, ("src/big.ts", &text)]).finding("error_signature", "t", &[], &[(0, "x", "y")]);
    case.log.reads.insert((0, "/home/u/p/src/big.ts".to_owned()), 5);
    assert_eq!(case.lines(), ["Search `src/big.ts` (70 KiB) for the part that you need; do not read it whole again."]);
}

#[test]
fn what_an_agent_cannot_help_gives_no_line() {
    for kind in
        ["provider_limits", "network", "disk_full", "failing_tests", "error_signature", "login_missing", "rejected"]
    {
        check(Case::new(&[CLAUDE]).finding(kind, "t", &["x"], &repeated(6, "ls", "no")), &[]);
    }
    let mut expected = Case::new(&[CLAUDE]).finding("edit_unread", "t", &[], &repeated(6, "ls", "no"));
    expected.findings[0].expected = true;
    check(expected, &[]);
}
