//! Advice that helps: the lines of the bundled gene for instructions, followed, avoid the failures that they come from.
//!
//! An agent's sessions run for real and fail for real. Their logs give lines. Then each failing call is made again, in the
//! state in which the session made it: as it was, and as the line says.

use std::fs;
use std::path::Path;

use gephost_tests::agent::{Agent, Call, log};
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

const GENE: &str = "gene_gep_agent_guidance";
const FILES: [(&str, &str); 10] = [
    ("CLAUDE.md", "# Rules\n\nBe brief.\n"),
    ("gephost.toml", "[policy]\nallow = [\"*.md\"]\n"),
    ("app/main.py", "from app.db import total\n\n\ndef main(rows):\n    return total(rows)\n"),
    ("app/db/__init__.py", "def total(rows):\n    return sum(rows)\n"),
    ("app/db/tables.py", "TABLES = []\n"),
    ("lib/http/routes.py", "ROUTES = {}\n"),
    ("lib/http/auth.py", "USERS = {}\n"),
    ("lib/jobs/mail.py", "QUEUE = []\n"),
    ("lib/jobs/clock.py", "NOW = 0\n"),
    ("lib/jobs/queue.py", "JOBS = []\n"),
];

/// The calls of one session. It guesses two paths, runs a program that is not there, enters a folder twice, and edits from
/// memory.
fn script(guessed: [&str; 2]) -> Vec<(&'static str, Value)> {
    let bash = |command: &str| ("Bash", json!({ "command": command }));
    let read = |path: &str| ("Read", json!({ "file_path": path }));
    let edit = |old: &str| {
        let new = "def main(rows, start=0):\n    return total(rows) + start\n";
        ("Edit", json!({ "file_path": "app/main.py", "old_string": old, "new_string": new }))
    };
    let mut calls = vec![bash("ls")];
    for path in guessed {
        let name = path.rsplit('/').next().unwrap();
        calls.extend([read(path), bash(&format!("find . -name {name}"))]);
    }
    calls.extend([bash("python -m compileall -q app"), bash("python3 -m compileall -q app")]);
    calls.extend([bash("cd app && ls db"), bash("cd app && ls main.py"), bash("ls main.py"), bash("cd ..")]);
    calls.push(read("app/main.py"));
    // The annotations are not in the file.
    calls.push(edit("def main(rows: list) -> int:\n    return total(rows)\n"));
    calls.extend([read("app/main.py"), edit("def main(rows):\n    return total(rows)\n")]);
    calls
}

fn sessions() -> Vec<Vec<(&'static str, Value)>> {
    let guesses =
        [["app/tables.py", "app/routes.py"], ["app/auth.py", "app/mail.py"], ["app/clock.py", "lib/queue.py"]];
    guesses.into_iter().map(script).collect()
}

/// Makes a call as a line says it should be made; `None` if the line is about something else.
fn followed(line: &str, agent: &mut Agent, call: &Call) -> Option<Call> {
    let command = || call.input["command"].as_str().map(str::to_owned);
    if let Some((after, before)) = line.strip_prefix("Use `").and_then(|rest| rest.split_once("`; `")) {
        let (before, _) = before.split_once("` is not installed here.")?;
        let rest = command()?.strip_prefix(before)?.to_owned();
        return Some(agent.call("Bash", json!({ "command": format!("{after}{rest}") })));
    }
    if line.starts_with("Give `cd` and other commands absolute paths") {
        let (folder, rest) = command()?.strip_prefix("cd ")?.split_once(" && ").map(own)?;
        let command = format!("cd '{}' && {rest}", agent.root().join(&folder).display());
        return agent.folder().ends_with(folder).then(|| agent.call("Bash", json!({ "command": command })));
    }
    if line.starts_with("Search for a file by its name before") && call.tool == "Read" {
        let asked = call.input["file_path"].as_str()?;
        let name = Path::new(asked).file_name()?.to_str()?;
        let found = agent.call("Bash", json!({ "command": format!("find . -name {name}") }));
        let first = found.output.lines().next()?.trim_start_matches("./").to_owned();
        return Some(agent.call("Read", json!({ "file_path": first })));
    }
    if line.starts_with("Read the lines that an edit replaces again") && call.tool == "Edit" {
        let (mut input, path) = (call.input.clone(), call.input["file_path"].as_str()?);
        agent.call("Read", json!({ "file_path": path }));
        let text = fs::read_to_string(agent.root().join(path)).ok()?;
        // The lines that define the same function.
        let name = input["old_string"].as_str()?.split('(').next()?.to_owned();
        input["old_string"] = json!(text.get(text.find(&name)?..)?);
        return Some(agent.call("Edit", input));
    }
    None
}

fn own((folder, rest): (&str, &str)) -> (String, String) {
    (folder.to_owned(), rest.to_owned())
}

#[test]
fn what_a_line_says_avoids_the_failures_that_it_comes_from() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = TestProject::new(&env, &FILES);
    let mut logged: Vec<Vec<Call>> = Vec::new();
    for (number, script) in (1..).zip(sessions()) {
        let mut agent = Agent::new(&FILES);
        let calls: Vec<Call> = script.into_iter().map(|(tool, input)| agent.call(tool, input)).collect();
        project.write(&format!("logs/s{number}.jsonl"), &log(&format!("s{number}"), number, &agent.root(), &calls));
        logged.push(calls);
    }
    let (document, code) = env.json(project.root(), &["run", "--gene", GENE, "--log", "logs"]);
    assert_eq!(code, 0, "{document}");
    let evidence = document["candidates"][0]["proposal"]["evidence"].as_array().unwrap_or_else(|| panic!("{document}"));
    let lines: Vec<&str> = evidence.iter().filter_map(Value::as_str).collect();
    let mut avoided = vec![0; lines.len()];
    for calls in &logged {
        for (at, failed) in calls.iter().enumerate().filter(|(_, call)| call.failed) {
            let before =
                |agent: &mut Agent| calls[..at].iter().for_each(|call| drop(agent.call(call.tool, call.input.clone())));
            let mut again = Agent::new(&FILES);
            before(&mut again);
            let replayed = again.call(failed.tool, failed.input.clone());
            assert_eq!(replayed, *failed, "the call fails again, and for the same reason");
            let helped = lines.iter().zip(&mut avoided).any(|(line, avoided)| {
                let mut agent = Agent::new(&FILES);
                before(&mut agent);
                let call = followed(line, &mut agent, failed);
                let helps = call.as_ref().is_some_and(|call| !call.failed);
                assert!(call.is_none() || helps, "{line}\n{failed:?}\n{call:?}");
                *avoided += usize::from(helps);
                helps
            });
            assert!(helped, "no line is about {failed:?}: {lines:#?}");
        }
    }
    // Two paths, a program, a folder and an edit in each of three sessions.
    avoided.sort_unstable();
    assert_eq!(avoided, [3, 3, 3, 6], "{lines:#?}");
}
