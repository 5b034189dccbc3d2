//! What `codex exec` prints for a person: a banner, and then sections with what the user, the model and the tools said. Before
//! version 0.36, each section begins with a time in brackets.
//!
//! An output has no mark at its end: the next section ends it, which begins behind an empty line, or is a command. The result
//! of a command does not name it in later versions. If several run at once, a failed result may tell whose it is ([`group`]).
//! If not, it stands without a command, and counts as failed only if it would be one for each command that it can be of.

use std::sync::Arc;

use jiff::Timestamp;

use super::group;
use crate::observe::input::script_of;
use crate::observe::reported::{End, Origin, Start};
use crate::observe::time::read_time;
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
    }
}

impl Terminal {
    fn line(&mut self, line: &str, out: &mut Transcript<'_>) {
        let (time, said) = stamped(line).map_or((None, line), |(time, said)| (Some(time), said));
        if said.contains(BANNER) && said.find(BANNER).is_some_and(|at| at < 64) {
            self.flush(out);
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
            line if is_log(line) => Some(Section::Other),
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
            self.calls += 1;
            let id = format!("call-{}", self.calls);
            let start = Start { call_id: Some(&id), tool: "apply_patch", input: "".into(), is_command: false };
            let origin = self.origin(out);
            out.start(&origin, &start);
            Some(id)
        } else {
            let named = self.running.iter().position(|one| !call.is_empty() && one.shown == start_of(call));
            let only = || (self.running.len() == 1).then_some(0);
            named.or_else(only).map(|at| self.running.remove(at).id)
        };
        self.begin_output(id, code, out);
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
            self.running.drain(..).for_each(|one| out.forget(&one.id));
            self.unpaired = 0;
        }
    }

    /// The end of one of the commands that run at once.
    fn end_one_of_several(&mut self, origin: &Origin, said: &str, exit_code: Option<i64>, out: &mut Transcript<'_>) {
        let commands: Vec<&str> = self.running.iter().map(|one| one.command.as_str()).collect();
        let failed = exit_code.is_some_and(|code| code != 0);
        let can_be = if failed { group::candidates(&commands, said) } else { (0..commands.len()).collect() };
        let end = End { output: said.into(), exit_code, untimed: true, ..End::default() };
        if let [only] = can_be[..] {
            let id = self.running.remove(only).id;
            return out.end(origin, &End { call_id: Some(&id), ..end });
        }
        let fails = |command: &&&str| {
            let call = Call { command: Some(command), output: said, exit_code, ..Call::default() };
            judge(&call).outcome == Outcome::Failure
        };
        let mut of: Vec<&str> = can_be.iter().map(|at| commands[*at]).collect();
        let mildest = of.iter().position(|command| !fails(&command)).unwrap_or_default();
        let command = (!of.is_empty()).then(|| of.swap_remove(mildest).to_owned());
        self.unpaired += 1;
        out.end(origin, &End { tool: Some("exec"), command, unpaired: true, ..end });
    }
}

fn start_of(command: &str) -> &str {
    command.get(..command.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(command)
}

/// The time in brackets at the start of a line, and what follows it.
fn stamped(line: &str) -> Option<(Timestamp, &str)> {
    let (time, said) = line.strip_prefix('[')?.split_once("] ")?;
    Some((read_time(time)?, said))
}

/// Whether a line is one of Codex' own log, which repeats the error of a call.
fn is_log(line: &str) -> bool {
    let told = line.split_once(' ').filter(|(time, _)| time.len() >= 20 && read_time(time).is_some());
    told.is_some_and(|(_, rest)| {
        ["ERROR codex_", "WARN codex_"].iter().any(|start| rest.trim_start().starts_with(start))
    })
}

/// Whether a line is `COMMAND in FOLDER`, in some versions with the result behind it.
fn is_command(line: &str) -> bool {
    let called = result(line).map_or(line, |(call, _)| call);
    let is_path = |folder: &str| folder.starts_with('/') || folder.get(1..3) == Some(":\\");
    called.rsplit_once(" in ").is_some_and(|(command, folder)| !command.trim().is_empty() && is_path(folder))
}

/// Whether a line gives a shell a script whose quotes are still open.
fn opens_a_script(line: &str) -> bool {
    let first = line.lines().next().unwrap_or_default();
    let gives_a_script = [" -lc ", " -c ", " -Command "].iter().any(|option| first.contains(option));
    gives_a_script && shlex::split(line).is_none()
}

/// The call and the code of a line `CALL succeeded in 5ms:` or `CALL exited 1 in 5ms:`. The call may be empty.
fn result(line: &str) -> Option<(&str, Option<i64>)> {
    let line = line.strip_suffix(':')?;
    let (before, took) = line.rsplit_once(" in ")?;
    let is_span = took.ends_with('s') && took.starts_with(|c: char| c.is_ascii_digit());
    if !is_span {
        return None;
    }
    if let Some(call) = before.strip_suffix(" succeeded") {
        return Some((call.trim(), Some(0)));
    }
    let (call, code) = before.rsplit_once(" exited ")?;
    Some((call.trim(), Some(code.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_folder() {
        for (line, expected) in [
            ("bash -lc 'ls' in /work", true),
            ("bash -lc 'ls' in /work succeeded in 5ms:", true),
            ("powershell -Command ls in C:\\work", true),
            (" succeeded in 5ms:", false),
            ("it is in the log", false),
            (" in /work", false),
            ("", false),
        ] {
            assert_eq!(is_command(line), expected, "{line}");
        }
    }

    #[test]
    fn a_script_may_span_lines() {
        for (line, expected) in [
            ("/bin/zsh -lc \"python - <<'PY'", true),
            ("bash -lc 'a\nb' in /w", false),
            ("bash -lc 'ls' in /w", false),
            ("it's a text", false),
        ] {
            assert_eq!(opens_a_script(line), expected, "{line}");
        }
    }

    #[test]
    fn the_log_of_the_program_is_no_output() {
        for (line, expected) in [
            ("2026-04-14T06:27:23.510126Z ERROR codex_core::tools::router: error=Exit code: 124", true),
            ("2026-04-14T06:27:23.510126Z  WARN codex_core::x: y", true),
            ("2026-04-14T06:27:23.510126Z ERROR my_app: y", false),
            ("ERROR codex_core::x: y", false),
        ] {
            assert_eq!(is_log(line), expected, "{line}");
        }
    }

    #[test]
    fn a_result_says_how_a_call_ended() {
        for (line, expected) in [
            (" succeeded in 0ms:", Some(("", Some(0)))),
            (" exited 127 in 1.5s:", Some(("", Some(127)))),
            ("bash -lc 'x' in /w exited 1 in 50ms:", Some(("bash -lc 'x' in /w", Some(1)))),
            ("apply_patch(auto_approved=true) exited 0 in 18ms:", Some(("apply_patch(auto_approved=true)", Some(0)))),
            ("it exited 1 in a hurry:", None),
            ("succeeded in 5ms:", None),
            (" succeeded in 5ms", None),
            ("", None),
        ] {
            assert_eq!(result(line), expected, "{line}");
        }
    }
}
