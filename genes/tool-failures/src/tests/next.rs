//! What is said to have worked next needs all of its premises. Each case that has them stands beside those that lack one.

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::thresholds::Thresholds;

/// A tool, its input, and the output of a failure.
type Step<'a> = (&'a str, &'a str, Option<&'a str>);

/// The advice of the finding that explains the first call.
pub(super) fn advice(steps: &[Step<'_>], corrections: Vec<Correction>) -> String {
    let mut analysis = Analysis::new(Thresholds::default(), corrections);
    for (event, (name, input, failed)) in (0..).zip(steps) {
        analysis.add(&Call {
            event,
            tool: Some(u32::from(*name != "Bash")),
            name,
            failed: failed.is_some(),
            kind: if failed.is_some() { FailureKind::ExitNonzero } else { FailureKind::None },
            input,
            output: failed.unwrap_or("fine"),
            ..Call::FAILED
        });
    }
    analysis.finish(Vec::new());
    let of_first = reports(&analysis).into_iter().find(|report| report.events.contains(&0));
    of_first.map(|report| report.direction).unwrap_or_default()
}

/// The same, of commands: the first fails with this message, the others work.
fn told(failed: &str, message: &str, later: &[&str]) -> String {
    let worked = later.iter().map(|input| ("Bash", *input, None));
    advice(&std::iter::once(("Bash", failed, Some(message))).chain(worked).collect::<Vec<_>>(), Vec::new())
}

/// The same, with what the host found in the last command.
fn corrected(failed: &str, message: &str, later: &[&str], difference: Difference, before: &str, after: &str) -> String {
    let worked = later.iter().map(|input| ("Bash", *input, None));
    let correction = Correction {
        failed: 0,
        worked: u64::try_from(later.len()).unwrap(),
        difference,
        before: before.to_owned(),
        after: after.to_owned(),
    };
    advice(&std::iter::once(("Bash", failed, Some(message))).chain(worked).collect::<Vec<_>>(), vec![correction])
}

#[test]
fn what_an_option_is_called_is_no_argument_too_many() {
    for (failed, message) in [
        ("git gc --dry-run", "error: unknown option `dry-run'"),
        ("gh run view 1 --json actor", "Unknown JSON field: \"actor\""),
        ("grep -P a b", "grep: invalid option -- P"),
    ] {
        let advice = told(failed, message, &[]);
        assert!(
            advice.contains("--help` lists") && !advice.contains("behind the first argument"),
            "{failed}: {advice}"
        );
    }
}

#[test]
fn what_worked_with_another_subcommand_is_no_example_of_an_option() {
    let refused = ("git -C /w gc --dry-run", "error: unknown option `dry-run'");
    assert!(told(refused.0, refused.1, &["git -C /w gc --auto"]).contains("this worked later: `git -C /w gc --auto`"));
    assert!(!told(refused.0, refused.1, &["git -C /w count-objects"]).contains("worked later"));
    let field = ("gh run view 1 --json actor", "Unknown JSON field: \"actor\"");
    assert!(!told(field.0, field.1, &["gh run watch 1 --exit-status"]).contains("worked later"));
}

#[test]
fn an_empty_word_is_no_word_that_was_added() {
    let advice = told("sed -i 's/a/b/' a.txt", "sed: 1: \"a.txt\": command a expects", &["sed -i '' 's/a/b/' a.txt"]);
    assert!(!advice.contains("``"), "{advice}");
}

#[test]
fn the_only_command_that_changed_something_before_the_same_call_worked_is_told() {
    for (failed, message, ran) in [
        ("terraform plan", "Error: Inconsistent dependency lock file", "terraform init -upgrade"),
        ("npm test", "Error: Cannot find module 'x'", "npm install"),
        ("poetry run pytest", "Command not found: pytest", "poetry install --with dev"),
        (
            "psql -h localhost -c a",
            "psql: error: connection to server at \"localhost\", port 5 failed: Connection refused",
            "docker compose up -d db",
        ),
        ("python manage.py shell", "django.db.utils.OperationalError: no such table: a", "npm run migrate"),
        ("node dist/a.js", "node: dist/a.js: No such file or directory", "npm run build"),
    ] {
        let expected = format!("have the agent run `{ran}` first: the same call worked after it");
        assert_eq!(told(failed, message, &["ls", ran, failed]), expected);
        for later in [
            &["ls", failed][..],
            &[ran, "sed -i s/a/b/ c.ts", failed],
            &[ran, "npx prisma generate", failed],
            &[ran, "echo done"],
        ] {
            assert!(!told(failed, message, later).contains("worked after it"), "{failed}: {later:?}");
        }
    }
    let error = "error: no lease for the queue";
    for ran in ["docker compose up -d db", "git checkout main", "ls build", "cat > a <<'E'\nx\nE"] {
        assert!(!told("work", error, &[ran, "work"]).contains("worked after it"), "{ran}");
    }
}

#[test]
fn what_made_the_missing_path_later_is_told() {
    let missing = "bash: /tmp/a/b.txt: No such file or directory";
    let advice = told("echo x > /tmp/a/b.txt", missing, &["ls", "mkdir -p /tmp/a && echo x > /tmp/a/b.txt"]);
    assert_eq!(advice, "have the agent run `mkdir -p /tmp/a` first: it made this path later");
    assert!(!told("echo x > /tmp/a/b.txt", missing, &["mkdir -p /tmp/c"]).contains("mkdir"));
    let built =
        told("/tmp/bin run", "bash: /tmp/bin: No such file or directory", &["go build -o /tmp/bin . && /tmp/bin run"]);
    assert!(built.contains("run `go build -o /tmp/bin .` first"), "{built}");
}

#[test]
fn an_option_that_the_error_does_not_name_is_told_only_if_nothing_was_changed() {
    let run = |between: &[&str]| {
        let later: Vec<&str> = between.iter().copied().chain(["biome check a.ts"]).collect();
        corrected("biome check --write a.ts", "error: Unexpected any.", &later, Difference::Options, "--write", "")
    };
    assert!(run(&["ls"]).contains("leave out `--write`"));
    for between in [
        "sed -i s/a/b/ a.ts",
        "echo a > a.ts",
        "npm install biome",
        "git commit -m x",
        "git stash",
        "npm run dev &",
        "mv a.ts b.ts",
    ] {
        assert!(!run(&[between]).contains("--write"), "{between}");
    }
    // An option that the error names is the reason, whatever was changed.
    let named = corrected(
        "tool run --fast a",
        "error: bad value for --fast",
        &["git commit -m x", "tool run a"],
        Difference::Options,
        "--fast",
        "",
    );
    assert!(named.contains("leave out `--fast`"), "{named}");
}

#[test]
fn only_the_same_act_is_told() {
    let message = "Error: airdrop request failed";
    for (worked, before, after, is_told) in [
        ("solana airdrop 1 -u devnet", "2", "1", false),
        ("solana balance -u devnet", "airdrop 2", "balance", false),
        ("solana airdrop 2 --help", "", "--help", false),
    ] {
        let said = corrected("solana airdrop 2 -u devnet", message, &[worked], Difference::Input, before, after);
        assert_eq!(said.contains("solana"), is_told, "{worked}: {said}");
    }
    let rebase = "error: cannot rebase: Your index contains uncommitted changes.";
    let status =
        corrected("git rebase main; git status", rebase, &["git status"], Difference::Input, "rebase main", "status");
    assert!(!status.contains("git status"), "it is a part of the failed call: {status}");
    let missing = "ERROR: file or directory not found: tests/a.py";
    let said =
        corrected("pytest tests/a.py", missing, &["pytest tests/b.py"], Difference::Input, "tests/a.py", "tests/b.py");
    assert!(!said.contains("tests/b.py"), "another file is other work: {said}");
    let inside = "error: too many arguments for 'sessions'";
    let exec = |what: &str| format!("docker exec gate tool {what}");
    let (failed, worked) = (exec("sessions x"), exec("devices list"));
    let said = corrected(&failed, inside, &[&worked], Difference::Input, "sessions x", "devices list");
    assert!(!said.contains("devices"), "{said}");
    let said = corrected(&failed, inside, &[&exec("sessions")], Difference::Input, "sessions x", "sessions");
    assert!(said.contains("the agent then ran `docker exec gate tool sessions`"), "{said}");
}

#[test]
fn a_variable_of_make_that_worked_is_told() {
    let message = "make: /opt/a/bin/lcc: No such file or directory\nmake: *** [b.gb] Error 1";
    let run = |later: &str| told("make -B", message, &[later]);
    assert!(
        run("make A_HOME=/tmp/a").starts_with("have the agent run `make A_HOME=/tmp/a`"),
        "{}",
        run("make A_HOME=/tmp/a")
    );
    for later in ["make clean A_HOME=/tmp/a", "make", "make A_HOME=/tmp/a B=1", "make A_HOME=/tmp/a || true", "ls A=1"]
    {
        assert!(!run(later).contains("A_HOME=/tmp/a`: a later"), "{later}: {}", run(later));
    }
    let second = told("make A_HOME=/x", message, &["make A_HOME=/tmp/a"]);
    assert!(second.contains("`make A_HOME=/tmp/a`"), "another value: {second}");
}

#[test]
fn the_option_that_repairs_is_told_before_what_the_tool_suggests() {
    let message = "src/a.py:1:1: I001 [*] Import block is un-sorted\nhelp: Organize imports\n[*] 2 fixable with the `--fix` option.";
    let run = |later: &str| told("uv run ruff check src", message, &[later]);
    let said = run("uv run ruff check --fix src && uv run ruff check src");
    assert!(said.starts_with("have the agent run `ruff check --fix`"), "{said}");
    for later in
        ["uv run ruff format src", "uv run ruff check src", "uv run ruff check --fix src; true", "eslint --fix src"]
    {
        assert!(!run(later).contains("--fix` after"), "{later}: {}", run(later));
    }
}

#[test]
fn what_was_edited_before_tests_passed_is_told() {
    let edit = |file: &str| ("Edit", format!(r#"{{"file_path":"/w/src/{file}.rs"}}"#), None);
    let test =
        |failed: bool| ("Bash", "pytest -q".to_owned(), Some("FAILED t.py::test_a - assert 1 == 2").filter(|_| failed));
    let said = |steps: &[(&'static str, String, Option<&'static str>)]| {
        advice(
            &steps.iter().map(|(tool, input, failed)| (*tool, input.as_str(), *failed)).collect::<Vec<_>>(),
            Vec::new(),
        )
    };
    let edited = "the agent edited `/w/src/pay.rs`, then the tests passed";
    assert_eq!(said(&[test(true), edit("pay"), test(false)]), edited);
    let again = said(&[test(true), edit("cart"), test(true), edit("pay"), test(false)]);
    assert_eq!(again, format!("{edited}, after 2 of 2 failures"));
    let other = |error| ("Bash", "pytest -q".to_owned(), Some(error));
    let (second, third) = (other("FAILED t.py::test_a - Refused: no"), other("FAILED t.py::test_a - Ended: too early"));
    let unlike = said(&[test(true), edit("cart"), second, edit("cart"), third, edit("pay"), test(false)]);
    assert_eq!(unlike, format!("after the last of these, {edited}"));
    let refused = other("FAILED t.py::test_a - Refused: by all");
    let two = said(&[test(true), edit("cart"), test(false), refused, edit("pay"), test(false)]);
    assert_eq!(two, "the agent edited `/w/src/cart.rs`, then the tests passed, after 1 of 2 failures");
    assert_eq!(said(&[test(true), edit("pay"), test(true)]), "");
    let other = ("Bash", "pip install a".to_owned(), None);
    assert_eq!(said(&[test(true), edit("pay"), other, test(false)]), "", "something else was changed, too");
}

#[test]
fn a_program_that_an_environment_of_python_lacks_is_installed_there() {
    let run =
        |path: &str| told(&format!("{path} -q"), &format!("bash: line 1: {path}: No such file or directory"), &[]);
    assert!(
        run(".venv/bin/pytest").starts_with("install `pytest` in the environment `.venv`"),
        "{}",
        run(".venv/bin/pytest")
    );
    assert!(run("venv/bin/python").starts_with("make the environment `venv`"));
    for path in ["build/bin/tool", "env/lib/pytest"] {
        assert!(!run(path).contains("environment `"), "{path}: {}", run(path));
    }
}

#[test]
fn an_edit_behind_which_the_same_command_failed_in_another_way_is_no_repair() {
    let edit = ("Edit", r#"{"file_path":"/w/src/pay.rs"}"#, None);
    let test = |failed| ("Bash", "runner verify", failed);
    let first = Some("panic: pay.rs has no total");
    let repaired = advice(&[test(first), edit, test(None)], Vec::new());
    assert!(repaired.starts_with("the agent edited `/w/src/pay.rs`"), "{repaired}");
    let again = advice(&[test(first), edit, test(Some("panic: rates are empty")), edit, test(None)], Vec::new());
    assert!(!again.contains("then it worked"), "{again}");
}

#[test]
fn a_longer_name_is_told_only_if_the_error_names_it() {
    let run = |message: &str| {
        corrected("run a/core", message, &["run a/core-sdk"], Difference::Input, "a/core", "a/core-sdk")
    };
    assert!(!run("error: exit 1 of the step").contains("core-sdk"));
    assert!(run("error: use a/core-sdk here, not that").contains("core-sdk"));
    let python =
        corrected("python a.py", "error: no shim", &["python3 a.py"], Difference::Program, "python", "python3");
    assert!(python.starts_with("run `python3` instead of `python`"), "{python}");
}

#[test]
fn changes_in_the_way_of_git_are_committed_or_put_aside() {
    let error = "error: cannot rebase: Your index contains uncommitted changes.";
    let run = |later: &[&str]| told("git rebase origin/main", error, later);
    assert!(run(&["git commit -m x", "git rebase origin/main"]).ends_with("the same worked after `git commit`"));
    assert!(run(&["git commit -m x", "git add a", "git rebase origin/main | tail -3"]).contains("`git commit`"));
    for later in [&["git rebase origin/main"][..], &["git commit -m x"], &["git commit -m x", "git rebase --continue"]]
    {
        assert!(!run(later).contains("the same worked"), "{later:?}");
    }
    let shown = told("git rebase a; git status", error, &["git add a; git status", "git commit -m x", "git rebase a"]);
    assert!(shown.ends_with("the same worked after `git commit`"), "what failed is the rebase: {shown}");
    let other = told("git rebase origin/main", "fatal: no such branch", &["git commit -m x", "git rebase origin/main"]);
    assert!(!other.contains("git commit"), "{other}");
}

#[test]
fn a_program_that_was_not_found_is_started_in_another_way() {
    let run = |later: &str| told("tool lock --all", "bash: tool: command not found", &[later]);
    for (later, start) in [
        ("python -m tool lock", "run `python -m tool` instead of `tool`"),
        ("cd a && npx tool --all lock", "run `npx tool` instead of `tool`"),
        ("pnpm exec tool lock 2>&1 | tail -3", "run `pnpm exec tool` instead of `tool`"),
        ("uv run tool other", "run `uv run tool` instead of `tool`"),
        (".venv/bin/tool lock", "run `.venv/bin/tool` instead of `tool`"),
        ("X=1 /opt/a/tool lock", "run `/opt/a/tool` instead of `tool`"),
    ] {
        assert!(run(later).starts_with(start), "{later}: {}", run(later));
    }
    for later in [
        "which tool",
        "npx other",
        "npx tool lock || true",
        "npx tool lock; ls",
        "npx tool lock &",
        "npx tool lock 2>/dev/null",
        "npx toolbox",
    ] {
        assert!(!run(later).contains("instead of `tool`"), "{later}: {}", run(later));
    }
    let python = |later: &str| told("python a.py", "bash: python: command not found", &[later]);
    assert!(python("python3 b.py").starts_with("run `python3` instead of `python`"));
    let search = |later: &str| told("rg foo src", "bash: rg: command not found", &[later]);
    assert!(search("grep -rn foo src").starts_with("run `grep` instead of `rg`"));
    assert!(!search("grep -rn bar lib").contains("`grep` instead"), "it looks for something else");
}

#[test]
fn a_variable_in_front_of_the_same_call_is_the_remedy() {
    let java = "ERROR: JAVA_HOME is not set and no 'java' command could be found";
    let set = |failed: &str, message: &str, later: &[&str]| told(failed, message, later);
    assert!(set("./gradlew test", java, &["JAVA_HOME=/opt/jdk ./gradlew test"]).contains("set `JAVA_HOME`"));
    let full = "npm error EACCES: permission denied, open '/home/a/.npm/x'";
    assert!(set("npm install", full, &["npm_config_cache=/tmp/n npm install"]).contains("set `npm_config_cache`"));
    assert!(
        set("npm install", full, &["export npm_config_cache=/tmp/n && npm install"]).contains("`npm_config_cache`")
    );
    assert!(!set("npm install", full, &["echo 'X=1' && npm install"]).contains("set `X`"));
    let other = "error: the wrong version is used";
    assert!(set("./gradlew test", other, &["JAVA_HOME=/opt/jdk ./gradlew test"]).contains("set `JAVA_HOME`"));
    for later in [
        &["CI=1 ./gradlew build"][..],
        &["sed -i s/a/b/ x.gradle", "JAVA_HOME=/opt/jdk ./gradlew test"],
        &["JAVA_HOME=/opt/jdk ./gradlew test || true"],
        &["JAVA_HOME=/opt/jdk make test"],
    ] {
        assert!(!set("./gradlew test", other, later).contains("set `"), "{later:?}");
    }
}

#[test]
fn words_in_quotes_and_files_in_the_way_are_told() {
    let zsh = "zsh: no matches found: --include=*.rs";
    let quoted = "put quotes around `--include=*.rs`: a later call worked that way";
    for later in ["grep -rn --include=\"*.rs\" a .", "grep -rn '--include=*.rs' a ."] {
        assert_eq!(told("grep -rn --include=*.rs a .", zsh, &[later]), quoted);
    }
    for later in ["grep -rn a .", "ls '--include=*.rs'"] {
        assert_ne!(told("grep -rn --include=*.rs a .", zsh, &[later]), quoted);
    }
    let merge =
        "error: The following untracked working tree files would be overwritten by merge:\n\t.x/a.json\nAborting";
    assert!(told("git merge b", merge, &["rm main/.x/a.json && git merge b"]).contains("`.x/a.json`"));
    for later in ["rm main/.x/other.json && git merge b", "cd main && git merge b"] {
        assert!(!told("git merge b", merge, &[later]).contains("`.x/a.json`"), "{later}");
    }
}

#[test]
fn a_word_that_was_put_into_a_call_is_told_and_one_at_its_end_is_not() {
    let run = |later: &[&str]| told("tool run maps create --region=a", "error: no, not so", later);
    assert!(run(&["tool beta run maps create --region=a"]).starts_with("add `beta`, as in `tool beta run maps`"));
    for later in [
        &["tool run maps create --region=a other"][..],
        &["tool components install beta", "tool beta run maps create --region=a"],
        &["tool help run maps create --region=a"],
    ] {
        assert!(!run(later).contains("add `"), "{later:?}: {}", run(later));
    }
}

#[test]
fn what_was_denied_worked_with_another_file_or_with_sudo() {
    let denied = "error: /tmp/p.txt: Permission denied";
    let run = |later: &str| told("conv a/in.pdf /tmp/p.txt", denied, &[later]);
    assert!(
        run("conv a/in.pdf out/p.txt").contains("with `out/p.txt` instead of `/tmp/p.txt`"),
        "{}",
        run("conv a/in.pdf out/p.txt")
    );
    assert!(!run("conv other/x.pdf out/p.txt").contains("instead of"), "it converts another file");
    assert!(!run("conv a/in.pdf /tmp/p.txt --force").contains("instead of"));
    let sudo = |failed: &str, later: &str| told(failed, "E: Permission denied", &[later]).contains("with `sudo`");
    assert!(sudo("apt-get install -y unrar | tail -3", "sudo apt-get install -y unrar"));
    assert!(!sudo("apt-get install -y unrar", "sudo systemctl restart x"));
    assert!(!sudo("sudo make install", "sudo make install"));
}

#[test]
fn a_server_that_was_started_is_not_to_be_started() {
    let refused = "curl: (7) Failed to connect to localhost port 3000: Connection refused";
    let ask = ("Bash", "curl http://localhost:3000", Some(refused));
    assert!(advice(&[ask], Vec::new()).starts_with("start the server"));
    let started = |start| {
        let steps = [("Bash", "curl http://localhost:3000/a", Some(refused)), ("Bash", start, None), ask];
        advice(&steps, Vec::new())
    };
    assert!(started("npm run dev &").contains("read what the server printed"));
    assert!(started("docker compose up -d").contains("read what the server printed"));
    assert!(started("ls").starts_with("start the server"));
    // Once, it was a look whether the server runs.
    let looked = |next: &[&str]| told("curl http://localhost:3000", refused, next);
    assert_eq!(looked(&["ls", "docker compose up -d"]), "");
    for next in [&["ls"][..], &["ls"; 8], &["docker compose ps"]] {
        assert!(looked(next).starts_with("start the server"), "{next:?}");
    }
    assert!(
        looked(&["ls", "ls", "ls", "ls", "ls", "npm start"]).starts_with("start the server"),
        "later, for another reason"
    );
    let reset = "curl: (56) Recv failure: Connection reset by peer";
    let said = advice(&[("Bash", "curl http://localhost:3000", Some(reset))], Vec::new());
    assert!(said.contains("it was reached, and did not answer"), "{said}");
}

#[test]
fn the_version_of_python_that_a_package_needs_is_stated() {
    let pip = |version: &str| {
        format!(
            "FROM docker.io/library/python:3.11-slim@sha256:1\nERROR: Ignored the following versions that require a different \
             python version: 2.5.0 Requires-Python >=3.12; {version} Requires-Python >=3.12\nERROR: No matching distribution \
             found for numpy==2.5.1"
        )
    };
    let said = told("docker build .", &pip("2.5.1"), &[]);
    assert_eq!(said, "use a Python >=3.12 for this: `numpy==2.5.1` requires it, and the image is `python:3.11-slim`");
    assert!(!told("docker build .", &pip("2.5.2"), &[]).contains("use a Python"), "another version needs it");
}

#[test]
fn calls_that_work_outside_of_the_sandbox_are_one_finding() {
    let escalated = |failed: u64, worked: u64| Correction {
        failed,
        worked,
        difference: Difference::Input,
        before: String::new(),
        after: "sandbox_permissions=require_escalated".to_owned(),
    };
    let steps = [
        ("Bash", "npm audit", Some("getaddrinfo ENOTFOUND registry.npmjs.org")),
        ("Bash", "npm audit", None),
        ("Bash", "node a.js", Some("Error: listen EPERM: operation not permitted 127.0.0.1:4101")),
        ("Bash", "node a.js", None),
    ];
    let mut analysis = Analysis::new(Thresholds::default(), vec![escalated(0, 1), escalated(2, 3)]);
    for (event, (name, input, failed)) in (0..).zip(steps) {
        let output = failed.unwrap_or("fine");
        analysis.add(&Call { event, name, input, output, failed: failed.is_some(), ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    let found = reports(&analysis);
    assert_eq!((found[0].kind, found[0].events.as_slice()), ("sandbox_permission", &[0, 2][..]));
    assert!(found[0].direction.contains("ask for the permission"), "{}", found[0].direction);
    let without = advice(&steps, Vec::new());
    assert!(!without.contains("permission"), "{without}");
}

#[test]
fn to_ask_whether_a_program_is_there_is_nothing_to_cure() {
    let missing = "bash: line 6: tool: command not found";
    for probe in ["tool --version", "docker run x bash -c 'a\ntool --version | head'", "which tool; tool -V"] {
        assert_eq!(told(probe, missing, &["ls"]), "", "{probe}");
    }
    for call in ["tool lock", "toolbox --version; tool a", "tool build --verbose"] {
        assert!(!told(call, missing, &["ls"]).is_empty(), "{call}");
    }
    let found = told("tool --version", missing, &["python -m tool --version"]);
    assert!(found.starts_with("run `python -m tool`"), "{found}");
}

#[test]
fn what_ran_on_another_host_worked_only_if_it_ran_there_again_and_its_end_is_known() {
    let message = "bash: line 1: tool: bad option of tool x";
    let failed = "ssh -o BatchMode=yes me@host \"cd a && tool --fast x\"";
    let run = |worked: &str| corrected(failed, message, &[worked], Difference::Input, "tool --fast x", "tool x");
    let known = run("ssh me@host \"cd a && tool x\"");
    assert!(known.contains("the agent then ran `ssh me@host"), "{known}");
    for worked in [
        "ssh me@host \"other x\"",
        "ssh me@host \"tool x 2>&1; echo 'exit:' $?\"",
        "ssh me@host \"tool x || true\"",
        "ssh me@host \"tool x\"; echo $?",
        "ssh me@host",
    ] {
        let said = run(worked);
        assert!(!said.contains("the agent then ran"), "{worked}: {said}");
    }
}

#[test]
fn a_call_whose_output_reports_an_error_did_not_work() {
    let run = |output: &str| {
        let mut analysis = Analysis::new(
            Thresholds::default(),
            vec![Correction {
                failed: 0,
                worked: 1,
                difference: Difference::Options,
                before: "--fast".to_owned(),
                after: String::new(),
            }],
        );
        for (event, input, output) in
            [(0, "tool run --fast a", "error: bad value for --fast"), (1, "tool run a", output)]
        {
            let failed = event == 0;
            let kind = if failed { FailureKind::ExitNonzero } else { FailureKind::None };
            analysis.add(&Call { event, tool: Some(0), name: "Bash", failed, kind, input, output, ..Call::FAILED });
        }
        analysis.finish(Vec::new());
        reports(&analysis).into_iter().next().map(|report| report.direction).unwrap_or_default()
    };
    for output in ["done", "0 errors, permission checks passed", "no fatal errors"] {
        assert!(run(output).contains("leave out `--fast`"), "{output}: {}", run(output));
    }
    for output in ["x\nbash: /run/a: Permission denied\nexit: 0", "error: no", "bash: line 1: b: command not found"] {
        assert!(!run(output).contains("--fast`:"), "{output}: {}", run(output));
    }
}

#[test]
fn what_was_not_set_is_given_no_other_value() {
    let call = |tags: &str| format!("A_TAGS={tags} python get.py --all");
    for (message, is_told) in [
        ("ValueError: A_TAGS has the wrong form here", true),
        ("ValueError: A_TAGS is not set in this place", false),
        ("a.Wrong: Requested setting A_TAGS, but settings are not configured", false),
        ("KeyError: A_TAGS is missing in the environment", false),
    ] {
        let said = told(&call("a"), message, &["echo a > b.txt", &call("b")]);
        assert_eq!(said.contains("another value"), is_told, "{message}: {said}");
    }
}

#[test]
fn a_variable_that_the_call_that_worked_takes_away_is_the_difference() {
    let denied = "httpx.HTTPStatusError: Client error '401 Unauthorized' for url 'https://a.example/b'";
    let failed = "export API_ENDPOINT=https://mirror.example\npython get.py --all";
    for (worked, expected) in [
        ("unset API_ENDPOINT\npython get.py --all", "unset `API_ENDPOINT`: a later call worked that way"),
        ("unset API_ENDPOINT && python get.py --all", "unset `API_ENDPOINT`"),
        ("API_ENDPOINT= python get.py --all", "unset `API_ENDPOINT`"),
        ("env -u API_ENDPOINT python get.py --all", "unset `API_ENDPOINT`"),
        ("API_ENDPOINT=https://other.example python get.py --all", "give `API_ENDPOINT` another value"),
    ] {
        let said = told(failed, denied, &["echo a > b.txt", worked]);
        assert!(said.starts_with(expected) && !said.contains("other.example"), "{worked}: {said}");
    }
    for worked in [
        "export API_ENDPOINT=https://mirror.example\npython get.py --all",
        "unset API_ENDPOINT\npython other.py",
        "unset API_ENDPOINT\npython get.py --all; echo $?",
        "unset API_ENDPOINT",
    ] {
        let said = told(failed, denied, &[worked]);
        assert!(said.starts_with("log in on this machine"), "{worked}: {said}");
    }
    // What does not depend on the environment may have been cured by what was changed in between.
    let said = told("MODE=a run x", "error: no such entry", &["sed -i s/a/b/ x", "unset MODE && run x"]);
    assert!(!said.contains("MODE"), "{said}");
}

#[test]
fn no_key_is_wanted_of_a_session_that_got_into_the_same_account() {
    let denied = "me@host: Permission denied (publickey).";
    let (ssh, changed) = ("ssh me@host \"a\"", "look at what changed on the other side");
    let worked = |input| ("Bash", input, None);
    let refused = ("Bash", ssh, Some(denied));
    let after = |later: &[&'static str]| {
        let steps: Vec<Step<'_>> = std::iter::once(refused).chain(later.iter().map(|input| worked(*input))).collect();
        advice(&steps, Vec::new())
    };
    assert!(after(&["ssh -p 22 me@host \"b\""]).starts_with(changed));
    for later in [
        &["ssh me@other \"b\""][..],
        &["ssh-copy-id me@host", "ssh me@host \"b\""],
        &["ssh me@host \"b\" || true"],
        &["ls"],
    ] {
        assert!(after(later).starts_with("add the public key"), "{later:?}: {}", after(later));
    }
    let clone = "ssh me@ho.st 'git clone https://git.example/a'";
    let there =
        told(clone, "fatal: could not read Username for 'https://git.example': No such device", &["ssh me@ho.st ls"]);
    assert!(!there.starts_with(changed), "{there}");
    let gh = |later: &str| told("gh pr create", "HTTP 401: Bad credentials (https://api.github.com/graphql)", &[later]);
    assert!(gh("gh auth status").starts_with(changed), "{}", gh("gh auth status"));
    for later in ["gh auth login", "npm whoami", "gh --version"] {
        assert!(!gh(later).starts_with(changed), "{later}: {}", gh(later));
    }
}

#[test]
fn the_folder_is_the_difference_if_the_same_program_is_only_written_in_another_way() {
    let run = |message: &str, worked: &str, after: &str| {
        corrected(".venv/bin/python -m a", message, &[worked], Difference::Program, ".venv/bin/python", after)
    };
    let message = "a.errors.NotInitializedError: this directory is not initialized";
    let (there, path) = ("cd /w/demo && /w/.venv/bin/python -m a", "/w/.venv/bin/python");
    let said = run(message, there, path);
    assert!(said.starts_with("run it in `/w/demo`: a later call worked that way"), "{said}");
    for (message, worked, after) in [
        (message, "/w/.venv/bin/python -m a", path),
        (message, "cd /w/demo && uv -m a", "uv"),
        ("ModuleNotFoundError: No module named 'b'", there, path),
    ] {
        assert!(!run(message, worked, after).contains("/w/demo"), "{worked}: {}", run(message, worked, after));
    }
}

#[test]
fn another_interpreter_is_the_difference_and_what_was_installed_before_is_not() {
    let lacks = "ModuleNotFoundError: No module named 'asgiref'";
    let failed = "PYTHONPATH=. /usr/bin/python3 ./tests/run.py a";
    let said = told(failed, lacks, &["python3 tests/run.py a"]);
    assert_eq!(said, "run `python3` instead of `/usr/bin/python3`: a later call worked that way");
    // Which of the two helped is known only if there was nothing to install.
    let other = "python3 -m pip install asgiref && python3 tests/run.py a";
    let said = told(failed, lacks, &[other]);
    assert!(said.starts_with("run `python3 -m pip install asgiref` when"), "{said}");
    let said = told("python -m app.tool", lacks, &["pip install asgiref && python -m app.tool"]);
    assert!(said.starts_with("run `pip install asgiref`"), "{said}");
    for later in ["python3 tests/other.py", "node tests/run.py a", "python3 -m tests.run"] {
        assert!(!told("/usr/bin/python3 tests/run.py a", lacks, &[later]).contains("instead of"), "{later}");
    }
}

#[test]
fn what_was_installed_into_a_new_environment_is_the_difference() {
    let lacks =
        "Traceback (most recent call last):\n  File \"<string>\", line 1\nModuleNotFoundError: No module named 'lens'";
    let failed = "python3 --version; python3 -c \"import lens; print(lens.v)\"";
    let worked = "python3.12 -m venv .venv && source .venv/bin/activate && pip install -q \"lens[jax]\" numba 2>&1 | tail -5; \
                  python -c \"import lens; print(lens.v)\"";
    let said = told(failed, lacks, &[worked]);
    assert!(said.starts_with("run `pip install -q \"lens[jax]\" numba` when"), "{said}");
    let correction = corrected(failed, lacks, &[worked], Difference::Program, "python3", "python");
    assert!(correction.starts_with("run `pip install"), "{correction}");
    assert!(told(failed, lacks, &["python -c \"import lens; print(lens.v)\""]).starts_with("run `python` instead"));
}

#[test]
fn another_folder_for_a_cache_is_the_difference() {
    let npm = "npm error code EPERM\nnpm error syscall open\nnpm error path /Users/a/.npm/_cacache/tmp/bb817b65\nnpm error errno EPERM";
    let uv = "error: failed to open file `/home/a/.cache/uv/sdists-v9/.git`: Operation not permitted (os error 1)";
    let vite = "failed to load config\n\nError: EPERM: operation not permitted, open '/w/node_modules/.vite-temp/vite.config.ts.timestamp-1787400547778-9bef.mjs'";
    for (failed, message, later, said) in [
        (
            "npm install",
            npm,
            "npm install --cache ./.npm-cache",
            "add `--cache`, as in `npm install --cache ./.npm-cache`",
        ),
        ("uv run pytest", uv, "UV_CACHE_DIR=/tmp/uv uv run pytest -q", "set `UV_CACHE_DIR=/tmp/uv`, as in"),
        (
            "npx vitest run a.test.ts",
            vite,
            "npm run test -- --configLoader runner a.test.ts",
            "add `--configLoader`, as in",
        ),
        ("npm install", npm, "ls", "set `npm_config_cache` to a folder"),
        ("uv run pytest", uv, "eslint --cache-dir x .", "set `UV_CACHE_DIR` to a folder"),
        ("npx vitest run a.test.ts", vite, "ls", "start vite with `--configLoader runner`"),
    ] {
        let advice = told(failed, message, &[later]);
        assert!(advice.starts_with(said), "{failed}: {advice}");
    }
    let other = told("cat /etc/shadow", "cat: /etc/shadow: Permission denied", &["npm install --cache x"]);
    assert!(!other.contains("--cache"), "{other}");
}

#[test]
fn a_repository_that_was_cloned_right_after_is_what_was_missing() {
    let none = "fatal: not a git repository (or any of the parent directories): .git";
    for (later, is_told) in [
        (&["git clone https://r.example/a.git && cd a && ls"][..], true),
        (&["ls", "git init"], true),
        (&["gh repo clone a/b"], true),
        (&["git clone https://r.example/a.git /tmp/look"], false),
        (&["ls", "ls", "ls", "git init"], false),
        (&["git status"], false),
        (&["git init || true"], false),
    ] {
        let advice = told("ls -la && git remote -v", none, later);
        assert_eq!(advice.starts_with("have the agent make the repository before"), is_told, "{later:?}: {advice}");
    }
}

#[test]
fn a_folder_that_the_same_command_makes_too_late_is_made_first() {
    let message = "cp: cannot create regular file 'C:/w/out/a.md': No such file or directory";
    let (failed, later) =
        ("cp b.md \"C:/w/out/a.md\" && mkdir -p \"C:/w/out\"", "mkdir -p \"C:/w/out\" && cp b.md \"C:/w/out/a.md\"");
    let said = told(failed, message, &[later]);
    assert!(said.starts_with("have the agent run `mkdir -p \"C:/w/out\"` first"), "{said}");
    let again = told(later, message, &[later]);
    assert!(!again.contains("first: it made"), "{again}");
}

#[test]
fn the_sed_of_macos_takes_the_script_for_a_suffix() {
    for (input, message, is_told) in [
        ("sed -i 's/a/b/' a.txt", "sed: 1: \"a.txt\": command a expects \\ followed by text", true),
        ("sed -i 's/a/b/g' src/x.ts", "sed: 1: \"src/x.ts\": unterminated substitute pattern", true),
        (
            "sed -i -e 's/a/b/' long/name/of/a/file.txt",
            "sed: 1: \"long/name/of...\": extra characters at the end of l command",
            true,
        ),
        ("sed -i '' 's/a/b' a.txt", "sed: 1: \"s/a/b\": unterminated substitute pattern", false),
        ("sed 's/a/b' a.txt", "sed: 1: \"s/a/b\": unterminated substitute pattern", false),
        ("sed -i 's/a/b' a.txt", "sed: -e expression #1, char 5: unterminated `s' command", false),
    ] {
        assert_eq!(
            told(input, message, &[]).contains("`sed -i ''`"),
            is_told,
            "{input}: {}",
            told(input, message, &[])
        );
    }
}

#[test]
fn a_line_of_comment_in_front_of_a_command_is_told_if_the_command_works_without_it() {
    let message = "ERROR: Cannot execute multiple commands at once.\nPlease run each command separately";
    let without = "leave out the lines of comment in front of the command";
    for failed in ["# look\nls -la src", "# look\n# again\n\nls -la src"] {
        assert!(told(failed, message, &["ls -la src"]).starts_with(without), "{failed}");
    }
    for (failed, later) in [
        ("# look\nls -la src", "ls -la lib"),
        ("ls -la src # look", "ls -la src"),
        ("# look\nls -la src", "# look\nls -la src"),
        ("# look", "ls"),
    ] {
        assert!(!told(failed, message, &[later]).starts_with(without), "{failed}");
    }
}

#[test]
fn an_argument_under_another_name_is_told() {
    let failed =
        "{\n  \"path\": \"/w/a.json\",\n  \"content\": \"{\\n \\\"files\\\": [{\\\"path\\\": \\\"x.h\\\"}]}\"\n}";
    let said = "<tool_use_error>InputValidationError: Write failed due to the following issues:\nThe required parameter \
                `file_path` is missing\nAn unexpected parameter `path` was provided</tool_use_error>";
    for worked in [
        "{\"file_path\": \"/w/a.json\", \"content\": \"{\\n \\\"files\\\": [{\\\"path\\\": \\\"x.h\\\"}]}\"}",
        "{\n  \"file_path\": \"/w/a.json\",\n  \"content\": \"b\"\n}",
    ] {
        let steps = [("Write", failed, Some(said)), ("Write", worked, None)];
        let told = advice(&steps, Vec::new());
        assert!(told.contains("`file_path` instead of `path`"), "{told}");
    }
}
