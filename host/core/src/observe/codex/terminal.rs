//! What `codex exec` prints for a person: a banner, and then sections with what the user, the model and the tools said. Before
//! version 0.36, each section begins with a time in brackets.
//!
//! An output has no mark at its end: the next section ends it, which begins behind an empty line, or is a command. The result
//! of a command does not name it in later versions. If several run at once, a failed result may tell whose it is ([`group`]).
//! If not, it stands without a command, and counts as failed only if it would be one for each command that it can be of.

use std::sync::Arc;

use jiff::Timestamp;

use super::group;
use super::terminal_lines::{is_command, is_log, opens_a_script, refused_patch, result, stamped};
use crate::observe::input::script_of;
use crate::observe::reported::{End, Origin, Start};
use crate::observe::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript};
use crate::outcome::{Call, judge};
use crate::run_event::Outcome;

pub(in crate::observe) const FORMAT: Format = Format {
    name: "codex-text",
    recognise: Recognise::Head(recognises),
    open: |_| Opened::Lines(Box::<Terminal>::default()),
};

const BANNER: &str = "OpenAI Codex v";
/// Most bytes of one section that are kept. The rest is left out.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Most bytes and lines of a script that spans lines.
const MAX_SCRIPT_BYTES: usize = 64 * 1024;
const MAX_SCRIPT_LINES: u64 = 200;
/// Most commands that run at once.
const MAX_RUNNING: usize = 16;
/// Most bytes of a command line by which its result is found.
const MAX_NAME_BYTES: usize = 4096;

fn recognises(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    let is_banner = |line: &[u8]| memchr::memmem::find(line, BANNER.as_bytes()).is_some_and(|at| at < 64);
    lines.any(is_banner) && lines.take(12).any(|line| line.starts_with(b"workdir: "))
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Section {
    /// The banner, and whatever is no section of its own.
    #[default]
    Other,
    User,
    Model,
    /// The next line is the command.
    Command,
    /// The output of a call, with its id if that is known, and how it ended.
    Output(Option<String>, Option<i64>),
}

/// What the next line decides: whether an `exec` was the heading of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exec {
    /// A line of its own, with no empty line before it: otherwise it is a line of the output.
    Line,
    /// The end of a command line: several commands that begin at once are printed so. Otherwise it is the folder's.
    End,
}

#[derive(Default)]
struct Terminal {
    session: Arc<str>,
    time: Option<Timestamp>,
    section: Section,
    exec: Option<Exec>,
    text: String,
    since: u64,
    /// Whether the last line was empty.
    after_empty: bool,
    /// Whether sections begin with a time.
    is_timed: bool,
    /// Whether a section has begun since the banner, which has the session's id.
    is_past_banner: bool,
    calls: u64,
    /// Calls without a result.
    running: Vec<Running>,
    /// Whether the next command begins at once with the one before.
    begins_at_once: bool,
    /// How many of the calls without a result have one of which the log does not tell whose it is.
    unpaired: usize,
    /// Those results, until all commands of the group have one.
    held: Vec<Held>,
}

/// A result of one of several commands.
struct Held {
    line: u64,
    origin: Origin,
    said: String,
    exit_code: Option<i64>,
}

struct Running {
    id: String,
    /// The command line as it was printed.
    shown: String,
    command: String,
}

impl LogReader for Terminal {
    fn space_matters(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let Ok(line) = std::str::from_utf8(bytes) else { return LineResult::Skipped(SkipReason::InvalidUtf8) };
        self.line(line, out);
        self.after_empty = line.is_empty();
        LineResult::Read
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        self.decide(false, out);
        self.flush(out);
        self.report_held(out);
    }
}

impl Terminal {
    fn line(&mut self, line: &str, out: &mut Transcript<'_>) {
        let (time, said) = stamped(line).map_or((None, line), |(time, said)| (Some(time), said));
        if said.contains(BANNER) && said.find(BANNER).is_some_and(|at| at < 64) {
            self.flush(out);
            self.report_held(out);
            *self = Self { is_timed: time.is_some(), ..Self::default() };
        } else if self.session.is_empty()
            && !self.is_past_banner
            && let Some(id) = line.strip_prefix("session id: ")
        {
            self.session = out.session(id.trim());
        } else if time.is_some() || !self.is_timed {
            if time.is_some() {
                self.time = time;
            }
            self.untimed_line(said, out);
        } else {
            self.add(line);
        }
    }

    fn untimed_line(&mut self, line: &str, out: &mut Transcript<'_>) {
        self.decide(is_command(line) || opens_a_script(line), out);
        if self.section == Section::Command {
            return self.command_line(line, out);
        }
        if let Some((call, code)) = result(line) {
            // In an output, such a line is a result only if a call waits for one.
            let is_patch = call.starts_with("apply_patch(");
            let is_waiting = matches!(self.section, Section::Output(None, _));
            if is_patch || self.running.len() > self.unpaired + usize::from(is_waiting) {
                self.flush(out);
                return self.result(call, code, is_patch, out);
            }
        }
        let is_output = matches!(self.section, Section::Output(..));
        let may_begin = self.after_empty
            || self.is_timed
            || !is_output
            || matches!(line, "file update:" | "turn diff:")
            || is_log(line);
        if line == "exec" && !may_begin {
            self.exec = Some(Exec::Line);
            return;
        }
        let section = if may_begin { self.heading(line, out) } else { None };
        match section {
            Some(section) => {
                self.flush(out);
                self.is_past_banner = true;
                self.section = section;
                self.since = out.line + 1;
            }
            None => self.add(line),
        }
    }

    /// Says what an `exec` was, by whether a command follows it.
    fn decide(&mut self, is_heading: bool, out: &mut Transcript<'_>) {
        match self.exec.take() {
            Some(exec) if is_heading => {
                self.flush(out);
                self.begins_at_once = exec == Exec::End;
                self.section = Section::Command;
                self.since = out.line;
            }
            Some(Exec::Line) => self.add("exec"),
            Some(Exec::End) | None => {}
        }
    }

    /// The section that a line begins.
    fn heading(&mut self, line: &str, out: &mut Transcript<'_>) -> Option<Section> {
        match line {
            "user" | "User instructions:" => Some(Section::User),
            "codex" => Some(Section::Model),
            "exec" => Some(Section::Command),
            "thinking" | "file update" | "file update:" | "turn diff:" | "tokens used" | "apply patch" => {
                Some(Section::Other)
            }
            line if is_log(line) => {
                if let Some(said) = refused_patch(line) {
                    self.flush(out);
                    self.patch_refused(said, out);
                }
                Some(Section::Other)
            }
            _ => {
                if let Some(command) = line.strip_prefix("exec ").filter(|_| self.is_timed) {
                    self.flush(out);
                    self.command(command, out);
                    return Some(Section::Other);
                }
                if let Some(error) = line.strip_prefix("ERROR: ") {
                    self.flush(out);
                    let origin = self.origin(out);
                    out.exception(&origin, error);
                    return Some(Section::Other);
                }
                let others = ["tokens used: ", "web search: ", "mcp: ", "mcp startup: ", "tool ", "apply_patch auto_"];
                others.iter().any(|start| line.starts_with(start)).then_some(Section::Other)
            }
        }
    }

    /// A log whose banner has no id is one session, which has the name of the file.
    fn origin(&self, out: &mut Transcript<'_>) -> Origin {
        let session = if self.session.is_empty() { out.file_session() } else { self.session.clone() };
        Origin { time: self.time, session }
    }

    /// A line of a command: its script may have several, of which the last one names the folder.
    fn command_line(&mut self, line: &str, out: &mut Transcript<'_>) {
        let is_first = self.text.is_empty();
        self.text.push_str(line);
        let is_script =
            || if is_first { opens_a_script(line) } else { !is_command(line) || opens_a_script(&self.text) };
        let has_room = self.text.len() < MAX_SCRIPT_BYTES && out.line.saturating_sub(self.since) < MAX_SCRIPT_LINES;
        if has_room && is_script() {
            return self.text.push('\n');
        }
        let command = std::mem::take(&mut self.text);
        self.command(&command, out);
    }

    /// A line `COMMAND in FOLDER`, in some versions with the result behind it.
    fn command(&mut self, line: &str, out: &mut Transcript<'_>) {
        self.section = Section::Other;
        let (line, ended) = match result(line) {
            Some((call, code)) => (call, Some(code)),
            None => (line, None),
        };
        let shown = line.rsplit_once(" in ").map_or(line, |(command, _)| command).trim();
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let words = shlex::split(shown).unwrap_or_default();
        let input = script_of(&words).cloned().unwrap_or_else(|| shown.to_owned());
        let start = Start { call_id: Some(&id), tool: "exec", input: input.as_str().into(), is_command: true };
        let origin = self.origin(out);
        out.start(&origin, &start);
        // Of commands that began at once, the result behind the last one is that of the one which ended first.
        let is_of_a_group = std::mem::take(&mut self.begins_at_once) && !self.running.is_empty();
        if let Some(code) = ended.filter(|_| !is_of_a_group) {
            return self.begin_output(Some(id), code, out);
        }
        if self.running.len() == MAX_RUNNING && self.unpaired > 0 {
            self.report_held(out);
        }
        if self.running.len() == MAX_RUNNING && self.unpaired > 0 {
            self.unpaired -= 1;
            out.forget(&self.running.remove(0).id);
        }
        if self.running.len() < MAX_RUNNING {
            self.running.push(Running { id, shown: start_of(shown).to_owned(), command: start_of(&input).to_owned() });
        }
        match ended {
            Some(code) => self.result("", code, false, out),
            None => self.exec = line.ends_with("exec").then_some(Exec::End),
        }
    }

    fn result(&mut self, call: &str, code: Option<i64>, is_patch: bool, out: &mut Transcript<'_>) {
        let id = if is_patch {
            Some(self.start_patch(out))
        } else {
            let named = self.running.iter().position(|one| !call.is_empty() && one.shown == start_of(call));
            let only = || (self.running.len() == 1).then_some(0);
            named.or_else(only).map(|at| self.running.remove(at).id)
        };
        self.begin_output(id, code, out);
    }

    fn start_patch(&mut self, out: &mut Transcript<'_>) -> String {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let start = Start { call_id: Some(&id), tool: "apply_patch", input: "".into(), is_command: false };
        let origin = self.origin(out);
        out.start(&origin, &start);
        id
    }

    /// A patch that was not applied, of which only the log of the program tells.
    fn patch_refused(&mut self, said: &str, out: &mut Transcript<'_>) {
        let id = self.start_patch(out);
        let end = End { call_id: Some(&id), output: said.into(), flagged: true, untimed: true, ..End::default() };
        let origin = self.origin(out);
        out.end(&origin, &end);
    }

    fn begin_output(&mut self, id: Option<String>, code: Option<i64>, out: &Transcript<'_>) {
        self.section = Section::Output(id, code);
        self.since = out.line;
    }

    fn add(&mut self, line: &str) {
        if self.section != Section::Other && self.text.len() + line.len() < MAX_TEXT_BYTES {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn flush(&mut self, out: &mut Transcript<'_>) {
        let text = std::mem::take(&mut self.text);
        let section = std::mem::take(&mut self.section);
        let line = std::mem::replace(&mut out.line, self.since);
        let (origin, said) = (self.origin(out), text.trim());
        match section {
            // The log ends within a script.
            Section::Command if !said.is_empty() => self.command(said, out),
            Section::User if !said.is_empty() => out.message(&origin, true, None, said),
            Section::Model if !said.is_empty() => out.message(&origin, false, None, said),
            Section::Output(Some(id), exit_code) => {
                let end = End { call_id: Some(&id), output: said.into(), exit_code, untimed: true, ..End::default() };
                out.end(&origin, &end);
            }
            Section::Output(None, exit_code) => self.end_one_of_several(&origin, said, exit_code, out),
            _ => {}
        }
        out.line = line;
        if self.running.len() == self.unpaired {
            self.report_held(out);
            self.running.drain(..).for_each(|one| out.forget(&one.id));
            self.unpaired = 0;
        }
    }

    /// The end of one of the commands that run at once. If its text does not tell whose it is, the others may.
    fn end_one_of_several(&mut self, origin: &Origin, said: &str, exit_code: Option<i64>, out: &mut Transcript<'_>) {
        if let [only] = self.can_be(said, exit_code)[..] {
            return self.end_of(only, origin, said, exit_code, out);
        }
        self.unpaired += 1;
        self.held.push(Held { line: out.line, origin: origin.clone(), said: said.to_owned(), exit_code });
    }

    /// The numbers of the commands that a result can be of.
    fn can_be(&self, said: &str, exit_code: Option<i64>) -> Vec<usize> {
        let commands: Vec<&str> = self.running.iter().map(|one| one.command.as_str()).collect();
        let failed = exit_code.is_some_and(|code| code != 0);
        if failed { group::candidates(&commands, said) } else { (0..commands.len()).collect() }
    }

    fn end_of(&mut self, at: usize, origin: &Origin, said: &str, exit_code: Option<i64>, out: &mut Transcript<'_>) {
        let id = self.running.remove(at).id;
        let end = End { call_id: Some(&id), output: said.into(), exit_code, untimed: true, ..End::default() };
        out.end(origin, &end);
    }

    /// Reports the results that were held back. If all commands that are left ended alike, it does not matter which result is
    /// whose.
    fn report_held(&mut self, out: &mut Transcript<'_>) {
        let held = std::mem::take(&mut self.held);
        let is_like = |(one, other): (&Held, &Held)| one.exit_code == other.exit_code && one.said == other.said;
        let are_alike = held.len() == self.running.len() && held.iter().zip(held.iter().skip(1)).all(is_like);
        for one in held {
            let line = std::mem::replace(&mut out.line, one.line);
            if are_alike {
                self.unpaired -= 1;
                self.end_of(0, &one.origin, &one.said, one.exit_code, out);
            } else {
                self.end_unpaired(&one, out);
            }
            out.line = line;
        }
    }

    /// A result that stands without its command. It failed only if it would be a failure of each command that it can be of.
    fn end_unpaired(&self, held: &Held, out: &mut Transcript<'_>) {
        let (said, exit_code) = (held.said.as_str(), held.exit_code);
        let fails = |command: &&&str| {
            let call = Call { command: Some(command), output: said, exit_code, ..Call::default() };
            judge(&call).outcome == Outcome::Failure
        };
        let commands = self.can_be(said, exit_code).into_iter().filter_map(|at| self.running.get(at));
        let mut of: Vec<&str> = commands.map(|one| one.command.as_str()).collect();
        let mildest = of.iter().position(|command| !fails(&command)).unwrap_or_default();
        let command = (!of.is_empty()).then(|| of.swap_remove(mildest).to_owned());
        let end = End { output: said.into(), exit_code, untimed: true, ..End::default() };
        out.end(&held.origin, &End { tool: Some("exec"), command, unpaired: true, ..end });
    }
}

fn start_of(command: &str) -> &str {
    command.get(..command.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tool, command and outcome of each call of a log with this text behind its banner.
    fn ends(text: &str) -> Vec<(String, String, Option<Outcome>)> {
        let log = format!("OpenAI Codex v0.120.0\n--------\nworkdir: C:/w\n--------\nuser\ngo\n{text}\ncodex\nDone.\n");
        let (events, _) = crate::observe::tests::read(log.as_bytes());
        let ends = events.into_iter().filter(|event| event.event_type == crate::run_event::EventType::ToolEnd);
        let text = |text: Option<String>| text.unwrap_or_default();
        ends.map(|end| (end.tool_name.unwrap_or_default().to_string(), text(end.input), end.outcome)).collect()
    }

    #[test]
    fn commands_that_began_at_once_and_ended_alike_have_their_results() {
        let began = "exec\n\"pwsh.exe\" -Command Get-Date in C:/wexec\n\"pwsh.exe\" -Command 'rg x .' in C:/w";
        let exec = |command: &str| ("exec".to_owned(), command.to_owned(), Some(Outcome::Failure));
        let alike = format!("{began} exited 124 in 6s:\n\n exited 124 in 9s:\n\n");
        assert_eq!(ends(&alike), [exec("Get-Date"), exec("rg x .")]);
        // The outputs differ, and nothing tells whose they are.
        let unlike = format!("{began} exited 124 in 6s:\na\n exited 124 in 9s:\nb\n");
        assert_eq!(ends(&unlike), [exec(""), exec("")]);
        // One of them has no result.
        let one = format!("{began} exited 124 in 6s:\n\n");
        assert_eq!(ends(&one), [exec("")]);
    }

    #[test]
    fn a_patch_of_which_only_the_log_tells_is_a_call() {
        let log =
            |said: &str| ends(&format!("2026-04-14T06:27:23.510126Z ERROR codex_core::tools::router: error={said}"));
        let failed = [("apply_patch".to_owned(), String::new(), Some(Outcome::Failure))];
        assert_eq!(
            log("patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"),
            failed
        );
        assert_eq!(log("apply_patch verification failed: Failed to find the lines"), failed);
        assert_eq!(log("Exit code: 1"), []);
        assert_eq!(log("exec_command failed for `make`: x"), []);
    }
}
