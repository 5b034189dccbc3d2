//! What a first config says, by the files of a project.

use super::*;
use crate::config::Config;

fn facts(files: &[&str], texts: &[(&str, &str)]) -> Facts {
    Facts {
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        texts: texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        ..Facts::default()
    }
}

/// The config that a first config is: accepted, and nothing in it waits for trust.
fn config(starter: &Starter) -> Config {
    let config = Config::from_toml(&starter.text).unwrap_or_else(|error| panic!("{error}:\n{}", starter.text));
    assert_eq!(config.file.widenings(), [], "{}", starter.text);
    assert!(starter.text.lines().all(|line| line.len() <= 76 || !line.starts_with('#')), "{}", starter.text);
    config
}

#[test]
fn the_test_command_follows_from_the_files() {
    let npm = |script: &str| format!("{{\"scripts\":{{\"test\":\"{script}\"}}}}");
    let jest = npm("jest");
    for (files, texts, commands) in [
        (&["Cargo.toml", "src/lib.rs"][..], &[][..], &["cargo test"][..]),
        (&["go.mod", "main.go"], &[], &["go test ./..."]),
        (&["app.py", "tests/test_a.py"], &[], &["python3 -m unittest discover -s tests"]),
        (&["app.py", "app/test_a.py"], &[], &["python3 -m unittest discover"]),
        (&["app.py", "tests/conftest.py"], &[], &["python3 -m pytest"]),
        (&["app.py"], &[("pyproject.toml", "[tool.pytest.ini_options]\n")], &["python3 -m pytest"]),
        (&["app.py"], &[], &[]),
        (&["index.js"], &[("package.json", &jest)], &["npm test"]),
        (&["index.ts", "pnpm-lock.yaml"], &[("package.json", &jest)], &["pnpm test"]),
        (&["index.ts", "yarn.lock"], &[("package.json", &jest)], &["yarn test"]),
        (&["index.js"], &[("package.json", "{\"scripts\":{\"test\":\"echo \\\"Error: no test specified\\\"\"}}")], &[]),
        (&["index.js"], &[("package.json", "no JSON")], &[]),
        (&["index.js"], &[("package.json", "{\"scripts\":[]}")], &[]),
        (&["Cargo.toml", "src/lib.rs", "web/a.ts"], &[("package.json", &jest)], &["cargo test", "npm test"]),
        (&["part/Cargo.toml", "part/src/lib.rs"], &[], &["cargo test --manifest-path part/Cargo.toml"]),
        (&["README.md"], &[], &[]),
        (&[], &[], &[]),
    ] {
        let starter = starter(&facts(files, texts));
        assert_eq!(starter.commands, commands, "{files:?}");
        assert_eq!(config(&starter).policy.commands().len(), commands.len());
    }
}

#[test]
fn a_program_without_rules_is_left_to_the_user() {
    for (files, command) in [
        (["pom.xml", "src/A.java"], "mvn test"),
        (["build.gradle.kts", "src/A.kt"], "gradle test"),
        (["mix.exs", "lib/a.ex"], "mix test"),
    ] {
        let starter = starter(&facts(&files, &[]));
        assert_eq!((starter.commands.len(), starter.other_commands.as_slice()), (0, &[command.to_owned()][..]));
        config(&starter);
        // As the comment says: in place of the empty list.
        let vouched = starter
            .text
            .replace("commands = []\n", "")
            .replace("# programs", "programs")
            .replace("# commands", "commands");
        Config::from_toml(&vouched).unwrap_or_else(|error| panic!("{error}:\n{vouched}"));
    }
}

#[test]
fn a_program_that_runs_others_is_only_recorded() {
    let starter = starter(&facts(&["Package.swift", "Sources/a.swift"], &[]));
    assert_eq!((starter.commands.len(), starter.other_commands.len()), (0, 0));
    assert_eq!(starter.to_record, ["gephost record -- swift test"]);
    config(&starter);
}

#[test]
fn the_parts_of_a_project_are_tested_from_its_root_or_recorded_in_their_folders() {
    let (script, pytest) = (r#"{"scripts":{"test":"vitest"}}"#, "[tool.pytest.ini_options]\n");
    let workspaces = r#"{"private":true,"workspaces":["packages/*","tools"]}"#;
    let yarn = r#"{"private":true,"workspaces":{"packages":["packages/**"]}}"#;
    for (files, texts, commands, to_record) in [
        // Several languages, and no manifest at the root.
        (
            &[
                "core/Cargo.toml",
                "core/src/a.rs",
                "tools/go.mod",
                "tools/a.go",
                "web/package.json",
                "web/a.ts",
                "api/pyproject.toml",
                "api/api/a.py",
                "api/tests/test_a.py",
                "jobs/setup.py",
                "jobs/test_b.py",
            ][..],
            &[("web/package.json", script), ("api/pyproject.toml", pytest)][..],
            &["cargo test --manifest-path core/Cargo.toml", "python3 -m pytest api"][..],
            &[
                "cd tools && gephost record -- go test ./...",
                "cd jobs && gephost record -- python3 -m unittest discover",
                "cd web && gephost record -- npm test",
            ][..],
        ),
        // A workspace of npm: its members have commands from the root, other packages have not.
        (
            &["package.json", "packages/a/package.json", "packages/a/x.ts", "tools/package.json", "site/package.json"],
            &[
                ("package.json", workspaces),
                ("packages/a/package.json", script),
                ("tools/package.json", script),
                ("site/package.json", script),
            ],
            &["npm test --workspace=packages/a", "npm test --workspace=tools"],
            &["cd site && gephost record -- npm test"],
        ),
        // One that tests all of its members itself.
        (
            &["package.json", "packages/a/package.json", "packages/a/x.ts"],
            &[
                ("package.json", r#"{"workspaces":["packages/*"],"scripts":{"test":"x"}}"#),
                ("packages/a/package.json", script),
            ],
            &["npm test"],
            &[],
        ),
        (
            &["package.json", "yarn.lock", "packages/a/b/package.json", "packages/a/b/x.ts"],
            &[("package.json", yarn), ("packages/a/b/package.json", script)],
            &[],
            &["cd packages/a/b && gephost record -- yarn test"],
        ),
        (
            &["pnpm-workspace.yaml", "package.json", "apps/a/package.json", "apps/a/x.ts"],
            &[("package.json", "{}"), ("apps/a/package.json", script)],
            &[],
            &["cd apps/a && gephost record -- pnpm test"],
        ),
        // What is a sample, or fetched, is no part.
        (
            &[
                "examples/a/Cargo.toml",
                "examples/a/x.rs",
                "node_modules/b/package.json",
                "tests/fixtures/c/go.mod",
                "d.go",
            ],
            &[("node_modules/b/package.json", script)],
            &[],
            &[],
        ),
        // Requirements of the documentation make no part.
        (&["docs/requirements.txt", "app.py", "tests/test_a.py"], &[], &["python3 -m unittest discover -s tests"], &[]),
        (
            &["api/requirements.txt", "api/a.py", "api/tests/test_a.py"],
            &[],
            &[],
            &["cd api && gephost record -- python3 -m unittest discover -s tests"],
        ),
        // Rust's own workspace, and modules of Go with and without a `go.work`.
        (&["Cargo.toml", "crates/a/Cargo.toml", "crates/a/x.rs"], &[], &["cargo test"], &[]),
        (&["go.work", "a/go.mod", "a/x.go", "b/go.mod"], &[], &["go test ./a/...", "go test ./b/..."], &[]),
        (&["go.mod", "x.go", "b/go.mod"], &[], &["go test ./..."], &[]),
        // The wrapper of the project is a program of its own.
        (&["build.gradle", "gradlew", "app/src/A.java"], &[], &[], &["gephost record -- ./gradlew test"]),
        (&["svc/pom.xml", "svc/mvnw", "svc/A.java"], &[], &[], &["cd svc && gephost record -- ./mvnw test"]),
    ] {
        let starter = starter(&facts(files, texts));
        assert_eq!(
            (starter.commands.as_slice(), starter.to_record.as_slice()),
            (strings(commands).as_slice(), strings(to_record).as_slice()),
            "{files:?}"
        );
        assert_eq!(config(&starter).policy.commands().len(), commands.len());
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn without_another_command_a_recipe_counts() {
    for (name, text, command) in [
        ("Makefile", "all: x\n\ntest: all\n\tsh t.sh\n", Some("make test")),
        ("GNUmakefile", ".PHONY: check\ncheck :\n\ttrue\n", Some("make check")),
        ("justfile", "test:\n  sh t.sh\n", Some("just test")),
        ("Makefile", "test := 1\ntests: x\n\ttest: y\n", None),
        ("sub/Makefile", "test:\n", None),
    ] {
        let starter = starter(&facts(&["bin/run.sh", name], &[(name, text)]));
        assert_eq!(starter.other_commands, Vec::from_iter(command.map(str::to_owned)), "{name}");
        config(&starter);
    }
    let with_rules = starter(&facts(&["x.go", "go.mod", "Makefile"], &[("Makefile", "test:\n")]));
    assert_eq!((with_rules.commands.len(), with_rules.other_commands.len()), (1, 0));
}

#[test]
fn manifests_of_parts_are_read_and_those_of_others_are_not() {
    let files = ["package.json", "a/package.json", "node_modules/b/package.json", "Makefile", "a/Makefile", "x.json"];
    let files = files.map(str::to_owned);
    assert_eq!(files_to_read(&files).collect::<Vec<_>>(), ["package.json", "a/package.json", "Makefile"]);
    let many: Vec<String> = (0..10_000).map(|n| format!("p{n}/package.json")).collect();
    assert_eq!(files_to_read(&many).count(), MAX_READ);
}

#[test]
fn allow_covers_the_sources_and_nothing_foreign() {
    let starter = starter(&facts(
        &[
            "app.py",
            "src/a.py",
            "src/deep/b.py",
            "tests/test_a.py",
            "vendor/x/y.go",
            "src/vendor/z.py",
            ".github/scripts/a.py",
            "docs/index.md",
            "a [b]/c.py",
            "quo\"te/c.py",
            "Ünder/c.py",
            ".hidden.py",
        ],
        &[],
    ));
    assert_eq!(starter.allow, ["/src/", "/tests/", "/Ünder/", "/*.py"]);
    assert_eq!(starter.languages, ["Python"]);
    let policy = config(&starter).policy;
    let allows = |path: &str| policy.decide(&crate::path::RepoPath::new(path).unwrap()).allowed;
    for own in ["app.py", "src/a.py", "tests/test_a.py", "Ünder/c.py"] {
        assert!(allows(own), "{own}");
    }
    for foreign in ["vendor/x/y.go", "docs/index.md", "README.md", ".github/scripts/a.py", "other/src/a.py", "x/app.py"]
    {
        assert!(!allows(foreign), "{foreign}");
    }
}

#[test]
fn lessons_may_go_to_the_instructions_of_the_agents_that_worked_here() {
    for (agents, files, allowed) in [
        (&["Claude Code"][..], &["src/a.py"][..], &["/src/", "/CLAUDE.md"][..]),
        (&["Claude Code"], &["src/a.py", ".claude/CLAUDE.md"], &["/src/", "/.claude/CLAUDE.md"]),
        (&["Codex", "OpenCode"], &["src/a.py"], &["/src/", "/AGENTS.md"]),
        (&["Codex", "OpenCode"], &["src/a.py", "CLAUDE.md"], &["/src/", "/AGENTS.md", "/CLAUDE.md"]),
        (&["Copilot CLI", "Gemini CLI"], &["AGENTS.md"], &["/AGENTS.md", "/GEMINI.md"]),
        (&["Cline"], &["src/a.py", ".clinerules"], &["/src/", "/.clinerules"]),
        // They read none, or none is known.
        (&["aider", "SWE-agent"], &["src/a.py", "CLAUDE.md"], &["/src/"]),
        (&[], &["src/a.py", "CLAUDE.md"], &["/src/"]),
    ] {
        let starter = starter(&Facts { agents: agents.to_vec(), ..facts(files, &[]) });
        assert_eq!(starter.allow, allowed, "{agents:?}, {files:?}");
        config(&starter);
    }
}

#[test]
fn what_was_found_is_named() {
    let found = Facts { environments: vec![".venv"], agents: vec!["Claude Code", "Codex"], ..facts(&["a.py"], &[]) };
    let starter = starter(&found);
    assert!(starter.text.contains("# .venv\n") && starter.text.contains("Claude Code, Codex"));
    config(&starter);
    let cached = starter.text.replace("# caches", "caches");
    Config::from_toml(&cached).unwrap_or_else(|error| panic!("{error}:\n{cached}"));
}
