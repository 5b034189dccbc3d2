//! A new user's first minute in real terminals of 60, 80 and 120 columns, as tmux shows it.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::Duration;

use gephost_tests::bless::holds_or_bless;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::skipped;
use gephost_tests::tmux::Tmux;
use regex::Regex;
use serde_json::json;

/// The lines that tmux keeps.
const LINES: &str = "400";
/// What is printed after a command has ended.
const END: &str = "-- ended";
/// How long a command may take: the first one compiles the genes.
const PATIENCE: Duration = Duration::from_secs(240);

/// A session in which three commands fail, three times each.
fn session(folder: &Path) -> String {
    let failures = [
        (
            "python3 src/app.py",
            "Exit code 1\nTraceback (most recent call last):\n  File \"src/app.py\", line 1, in <module>\n    import \
             yaml\nModuleNotFoundError: No module named 'yaml'",
        ),
        (
            "python3 -m unittest discover -s tests",
            "Exit code 1\nFAIL: test_sum (tests.test_app.AppTest.test_sum)\n  File \"tests/test_app.py\", line 7, in \
             test_sum\nAssertionError: 3 != 4\nFAILED (failures=1)",
        ),
        ("cat src/config/settings.py", "Exit code 1\ncat: src/config/settings.py: No such file or directory"),
    ];
    let mut lines = Vec::new();
    for (n, (command, output)) in failures.iter().cycle().take(9).enumerate() {
        let line = |kind: &str, content: serde_json::Value| {
            json!({
                "type": kind, "uuid": format!("{kind}-{n}"), "sessionId": "first", "cwd": folder,
                "timestamp": format!("2026-01-02T03:04:{n:02}Z"), "message": { "role": kind, "content": [content] },
            })
            .to_string()
        };
        let id = format!("call-{n}");
        lines.push(line(
            "assistant",
            json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }),
        ));
        lines.push(line(
            "user",
            json!({ "type": "tool_result", "tool_use_id": id, "is_error": true, "content": output }),
        ));
    }
    lines.join("\n") + "\n"
}

/// A terminal in which one command after the other runs.
struct Terminal<'a> {
    env: &'a TestEnv,
    project: &'a TestProject,
    columns: usize,
    /// How many commands ran. Each has a server of its own, since one that ends takes no new session.
    runs: Cell<u32>,
}

impl Terminal<'_> {
    /// What the terminal shows of a command of gephost, with a line of the program on one line however long it is. Every
    /// question is answered with yes.
    fn run(&self, arguments: &str) -> String {
        let line = format!("{} {arguments}; echo; echo '{END}'; sleep 600", gephost().display());
        self.runs.set(self.runs.get() + 1);
        let (folder, server) = (self.project.root(), format!("gephost-{}", self.runs.get()));
        let tmux = Tmux { env: self.env, folder, server: &server, lines: LINES, prepare: &|_| () };
        tmux.open(self.columns, &["sh", "-c", &line]);
        let mut answered = false;
        let shown = tmux.wait_for(PATIENCE, &["-J", "-S", "-"], |shown| {
            if !answered && shown.contains("[y/n]") {
                answered = true;
                tmux.run(&["send-keys", "y", "Enter"]);
            }
            shown.split_once(END).map(|(shown, _)| shown.to_owned())
        });
        tmux.run(&["kill-server"]);
        shown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
    }
}

/// The text without what differs from run to run. What stands for it has the same length.
fn stable(text: &str, env: &TestEnv, project: &TestProject) -> String {
    let root = project.root().canonicalize().unwrap();
    let name = |folder: &Path| folder.file_name().unwrap().to_str().unwrap().to_owned();
    let text = text.replace(&name(env.home()), ".home-0000").replace(&name(&root), ".project-0");
    let replace =
        |text: &str, pattern: &str, with: &str| Regex::new(pattern).unwrap().replace_all(text, with).into_owned();
    let text = replace(&text, r"projects/[0-9A-Za-z._-]+-[0-9a-f]{16}\b", "projects/project-0123456789abcdef");
    replace(&text, r"\b(main|master) [0-9a-f]{12}\b", "$1 0123456789ab")
}

#[test]
fn the_first_minute_fits_terminals_of_60_80_and_120_columns() {
    if !gephost_tests::is_installed_as("tmux", "-V") {
        return;
    }
    if std::env::temp_dir() != Path::new("/tmp") {
        // Longer paths make other lines.
        return skipped("the folder of temporary files is not /tmp");
    }
    for columns in [60, 80, 120] {
        let env = TestEnv::trusting_nothing();
        let project =
            TestProject::new(&env, &[("src/app.py", "import yaml\n"), ("tests/test_app.py", "import unittest\n")]);
        let root = project.root().canonicalize().unwrap();
        let folder = env.home().join(".claude/projects/-p");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("first.jsonl"), session(&root)).unwrap();
        let terminal = Terminal { env: &env, project: &project, columns, runs: Cell::default() };
        let mut page = String::new();
        for arguments in ["status", "diagnose", "init", "run", "status"] {
            let shown = stable(&terminal.run(arguments), &env, &project);
            for line in shown.lines().filter(|line| line.chars().count() > columns) {
                // What init writes is shown as it is; and a path has no place to be broken at.
                let words = line.split_whitespace().any(|word| word.chars().count() + 12 > columns);
                assert!(words || arguments == "init", "{arguments} at {columns} columns: {line:?}");
            }
            page += &format!("$ gephost {arguments}\n{shown}\n\n");
        }
        holds_or_bless(&format!("tests/it/pages/first-minute-{columns}.txt"), &page);
    }
}
