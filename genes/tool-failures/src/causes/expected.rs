//! Failures that were meant to happen: checks that must fail before a change, and polls of something that is not there yet.

use gephost_gene::run_log::FailureKind;

use crate::by_number::ByNumber;
use crate::call::{Call, is_editor};
use crate::causes::announced::{is_about_failing_tests, says_so};
use crate::causes::aside;
use crate::command::paths::base;
use crate::command::shell::{Step, steps};
use crate::output::names;
use crate::output::places;

/// Sessions that are tracked at a time. The oldest makes room.
const MAX_SESSIONS: usize = 1024;
/// Programs that ask whether something is ready.
const POLLS: [&str; 14] = [
    "curl",
    "wget",
    "nc",
    "pg_isready",
    "redis-cli",
    "gh run",
    "gh pr checks",
    "kubectl",
    "lsof",
    "ss",
    "pgrep",
    "test",
    "docker ps",
    "docker inspect",
];

/// What is known of the sessions.
#[derive(Debug, Default)]
pub(crate) struct Expectations {
    sessions: ByNumber<Session>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Session {
    /// The agent has put its changes aside, so what fails now was there before.
    is_on_base: bool,
    /// The agent has said that the next call must fail.
    is_announced: bool,
    /// The agent writes tests that must fail, and has changed nothing else since.
    is_probing: bool,
}

/// Why a failure was meant to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Expected {
    /// The agent said so.
    Announced,
    /// It ran without the agent's changes.
    OnBase,
    /// It asks whether something is ready.
    Poll,
}

impl Expectations {
    /// Adds a message of the agent.
    pub(crate) fn add_message(&mut self, session: u32, text: &str) {
        // A block of code is the command, which is judged with its call.
        let prose: String = text.split("```").step_by(2).collect();
        let text = prose.as_str();
        let is_announced = says_so(text);
        let is_probing = is_about_failing_tests(text);
        if is_announced || is_probing || self.sessions.has(session.into()) {
            let session = self.session(session);
            session.is_announced = is_announced;
            session.is_probing |= is_probing;
        }
    }

    /// Adds a call. Returns why its failure was meant to happen, if it was.
    pub(crate) fn add(&mut self, call: &Call<'_>) -> Option<Expected> {
        let puts_aside = aside::can_put_aside(call);
        if !puts_aside && !call.failed && !self.sessions.has(call.session.into()) {
            return None;
        }
        let is_editor = is_editor(call.name);
        let session = self.session(call.session);
        let before = *session;
        let walked = (before.is_on_base || puts_aside).then(|| aside::walk(call, before.is_on_base));
        session.is_on_base = walked.is_some_and(|walk| walk.is_aside);
        // The test that must fail is often written first.
        session.is_announced &= is_editor;
        session.is_probing &= !(is_editor && changes_code(call.input) || delegates(call.name));
        if !call.failed && !before.is_probing {
            return None;
        }
        let steps = steps(call.input);
        let checks = steps.iter().any(|step| step.tests() || step.checks());
        if !call.failed {
            // The new test passes.
            session.is_probing &= !checks;
            return None;
        }
        let is_said = || says_so(call.input) && !stops_before(call);
        let is_meant = before.is_announced || before.is_probing && call.kind == FailureKind::TestFailure;
        if checks && (is_meant || is_said()) {
            Some(Expected::Announced)
        } else if walked.is_some_and(|walk| walk.checked_aside) {
            Some(Expected::OnBase)
        } else if checks && changes_back(call.input) {
            Some(Expected::Announced)
        } else if steps.last().is_some_and(|step| is_poll(step, call.input)) {
            Some(Expected::Poll)
        } else {
            None
        }
    }

    fn session(&mut self, number: u32) -> &mut Session {
        if self.sessions.len() >= MAX_SESSIONS && !self.sessions.has(number.into()) {
            self.sessions.remove_first();
        }
        self.sessions.get_or_insert(number.into(), Session::default)
    }
}

/// Whether one command edits files, checks, and takes its edits back: it looks whether the check notices a mistake.
fn changes_back(input: &str) -> bool {
    const EDITS: [&str; 6] = ["sed -i", "perl -i", "perl -pi", "cp ", "mv ", "patch "];
    const RESTORES: [&str; 3] = ["git checkout ", "git restore ", "git apply -R"];
    let begins = |part: &str, words: &[&str]| words.iter().any(|words| part.starts_with(words));
    let is_check = |part: &str| steps(part).iter().any(|step| step.tests() || step.checks());
    // Whether files were edited, and whether a check ran behind that.
    let mut seen = (false, false);
    for part in input.split([';', '\n']).flat_map(|part| part.split("&&")).map(str::trim) {
        match seen {
            (true, true) if begins(part, &EDITS) || begins(part, &RESTORES) => return true,
            (true, false) => seen.1 = is_check(part),
            _ => {}
        }
        seen.0 |= begins(part, &EDITS);
    }
    false
}

/// Whether a call has another agent work, which may change anything.
fn delegates(tool: &str) -> bool {
    ["agent", "dispatch_agent", "spawn_agent", "task"].iter().any(|name| tool.eq_ignore_ascii_case(name))
}

/// Whether an edit changes something else than tests and texts.
fn changes_code(input: &str) -> bool {
    let path = names::file(input).unwrap_or_default();
    !path.is_empty() && !["test", "Test", "spec", ".md", ".txt"].iter().any(|part| path.contains(part))
}

/// Whether a script that the command writes stopped above the line that says what should fail: that is another failure.
fn stops_before(call: &Call<'_>) -> bool {
    let mut above = 0;
    let mut is_written = false;
    for line in call.input.lines() {
        if is_written && says_so(line) {
            let own = places::of(call).into_iter().filter(|(path, _)| call.input.contains(base(path)));
            let lines: Vec<u32> = own.map(|(_, line)| line).collect();
            return !lines.is_empty() && lines.iter().all(|line| *line <= above);
        }
        above += 1;
        if line.contains("<<") {
            (above, is_written) = (0, true);
        }
    }
    false
}

/// Whether a call waits and asks, or asks a server that is being started.
fn is_poll(step: &Step<'_>, input: &str) -> bool {
    let waits = input.contains("sleep ") || input.contains("--retry") || input.contains("until ");
    let name = step.name();
    let polls = POLLS.iter().any(|poll| name == *poll || name.starts_with(&format!("{poll} ")));
    polls && waits || name == "gh pr checks"
}

#[cfg(test)]
mod tests {
    use super::*;
    use gephost_gene::run_log::FailureKind;

    fn call(input: &str, failed: bool) -> Call<'_> {
        let kind = if failed { FailureKind::TestFailure } else { FailureKind::None };
        Call { failed, kind, input, ..Call::FAILED }
    }

    #[test]
    fn failures_that_were_meant_to_happen_are_known() {
        let mut session = Expectations::default();
        assert_eq!(session.add(&call("npm test", true)), None);
        assert_eq!(session.add(&call("git stash", false)), None);
        assert_eq!(session.add(&call("npm test", true)), Some(Expected::OnBase));
        assert_eq!(session.add(&call("git stash pop", false)), None);
        assert_eq!(session.add(&call("npm test", true)), None);
        session.add_message(0, "Let me run it to make sure it fails without the fix.");
        assert_eq!(session.add(&call("npm test", true)), Some(Expected::Announced));
        assert_eq!(session.add(&call("npm test", true)), None, "only the next call");
        assert_eq!(session.add(&call("sleep 5 && curl -s localhost:3000", true)), Some(Expected::Poll));
        assert_eq!(session.add(&call("git stash && npm test; git stash pop", true)), Some(Expected::OnBase));
        assert_eq!(session.add(&call("curl -s localhost:3000", true)), None);
    }

    #[test]
    fn calls_that_wait_and_ask_are_polls() {
        for (input, expected) in [
            ("sleep 2; pgrep -f server", true),
            ("sleep 3 && lsof -i :3000", true),
            ("until docker ps | grep -q web; do sleep 1; done", true),
            ("docker ps", false),
            ("pgrep -f server", false),
            ("sleep 5; npm start", false),
        ] {
            let call = Call { kind: FailureKind::ExitNonzero, ..call(input, true) };
            let poll = Expectations::default().add(&call) == Some(Expected::Poll);
            assert_eq!(poll, expected, "{input}");
        }
    }

    #[test]
    fn a_test_that_passed_or_another_agent_ends_the_writing_of_failing_tests() {
        let failed = call("cargo test", true);
        for (step, expected) in [
            (call("ls tests", false), Some(Expected::Announced)),
            (call("cargo test", false), None),
            (Call { name: "Task", ..call(r#"{"prompt":"x"}"#, false) }, None),
            (Call { name: "Edit", ..call(r#"{"file_path":"src/a.rs"}"#, false) }, None),
            (Call { name: "Edit", ..call(r#"{"file_path":"tests/a.rs"}"#, false) }, Some(Expected::Announced)),
        ] {
            let mut session = Expectations::default();
            session.add_message(0, "I'll follow TDD: write the failing test first.");
            assert_eq!(session.add(&step), None);
            assert_eq!(session.add(&failed), expected, "{}", step.input);
        }
    }

    #[test]
    fn what_the_agent_changes_ends_the_state() {
        let failed = "cargo test";
        let merge = call("git merge feature", false);
        let edit = Call { name: "Edit", ..call(r#"{"file_path":"a.rs"}"#, false) };
        let already = Call { output: "Already on 'main'\n", ..call("git checkout main && git pull", false) };
        for (steps, expected) in [
            (vec![call("git checkout main", false)], Some(Expected::OnBase)),
            (vec![call("git checkout main", false), call("git status", false)], Some(Expected::OnBase)),
            (vec![call("git checkout main", false), merge], None),
            (vec![already], None),
            (vec![call("git stash", false), edit], None),
            (vec![call("git stash", false), call("git commit -am x", false)], None),
            (vec![call("git stash", false), call("git stash pop", false)], None),
        ] {
            let mut session = Expectations::default();
            let shown: Vec<&str> = steps.iter().map(|step| step.input).collect();
            for step in &steps {
                assert_eq!(session.add(step), None);
            }
            assert_eq!(session.add(&call(failed, true)), expected, "{shown:?}");
        }
    }

    #[test]
    fn a_text_about_another_state_does_not_put_changes_aside() {
        let text = r#"{"file_path":"a.md","content":"Run `git stash`, then `git checkout main`."}"#;
        let mut session = Expectations::default();
        assert_eq!(session.add(&Call { name: "Write", ..call(text, false) }), None);
        assert_eq!(session.add(&call("cargo test", true)), None, "what is written is no command");
        assert_eq!(session.add(&call("git checkout main", false)), None);
        assert_eq!(session.add(&call("cargo test", true)), Some(Expected::OnBase));
    }

    #[test]
    fn a_check_of_a_mistake_that_is_taken_back_must_fail() {
        let of = |input| Expectations::default().add(&call(input, true));
        for input in [
            "sed -i '' 's|guard x|// guard x|' a.swift && npm test 2>&1 | head; sed -i '' 's|// guard x|guard x|' a.swift",
            "cp a.py a.bak; sed -i 's/>/>=/' a.py; pytest -q; mv a.bak a.py",
            "sed -i 's/a/b/' src/a.rs && cargo test; git checkout -- src/a.rs",
        ] {
            assert_eq!(of(input), Some(Expected::Announced), "{input}");
        }
        for input in [
            "sed -i 's/a/b/' src/a.rs && cargo test",
            "cargo test; git checkout -- Cargo.lock",
            "npm test && sed -i 's/a/b/' a.js; git restore a.js",
            "cargo test | sed -n 5p",
        ] {
            assert_eq!(of(input), None, "{input}");
        }
    }

    #[test]
    fn a_script_that_stops_above_what_should_fail_is_not_meant_to() {
        let script = "cat > /w/test_a.py <<'E'\nimport app\n\napp.start()\ndef test():\n    # This should fail for now.\n    \
                      app.get('b')\n\ntest()\nE\npython /w/test_a.py";
        let of = |input: &str, frames: &[u32]| {
            let frames: Vec<String> =
                frames.iter().map(|line| format!("  File \"/w/test_a.py\", line {line}, in a\n")).collect();
            let output = format!(
                "Traceback (most recent call last):\n{}  File \"/w/app.py\", line 40, in b\nRuntimeError: no",
                frames.concat()
            );
            let call = Call { output: &output, kind: FailureKind::Traceback, ..call(input, true) };
            Expectations::default().add(&call)
        };
        assert_eq!(of(script, &[3]), None, "it did not come to the line");
        assert_eq!(of(script, &[1]), None);
        assert_eq!(of(script, &[8, 6]), Some(Expected::Announced));
        assert_eq!(of(script, &[8, 3]), Some(Expected::Announced), "it was called from below");
        assert_eq!(of(script, &[]), Some(Expected::Announced), "the trace names another file");
        let whole = script.replace("import app\n", "# This test should fail before the change.\nimport app\n");
        assert_eq!(of(&whole, &[4]), Some(Expected::Announced), "all of it was to fail");
        let mut session = Expectations::default();
        session.add_message(0, "I write it:\n```bash\n# This should fail.\n```\n");
        assert_eq!(session.add(&call("python /w/test_a.py", true)), None, "the command is no message");
        assert_eq!(of("# It should fail:\npython /w/test_a.py", &[3]), Some(Expected::Announced));
    }

    #[test]
    fn a_test_that_is_written_first_must_fail() {
        let mut session = Expectations::default();
        session.add_message(0, "GREEN confirmed. Now RED phase for the token:");
        let edit = Call { name: "Edit", ..call(r#"{"file_path":"a.rs"}"#, false) };
        assert_eq!(session.add(&edit), None);
        assert_eq!(session.add(&call("cargo test", true)), Some(Expected::Announced));
        session.add_message(0, "RED phase confirmed. Now GREEN phase: the type.");
        assert_eq!(session.add(&edit), None);
        assert_eq!(session.add(&call("cargo test", true)), None, "this one must pass");
    }
}
