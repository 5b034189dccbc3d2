//! Files that the calls of a session write: scripts of the agent's own, and files that a call reads right after the one that
//! writes them.
//!
//! Memory is bounded: [`MAX_FILES`] files are known, and the newest [`MAX_RECENT`] that were written.

use crate::by_number::Numbers;
use crate::call::{Call, hash};
use crate::command::paths::base;
use crate::command::shell::document;
use crate::order::push_newest;
use crate::output::names;

const MAX_FILES: usize = 65_536;
const MAX_RECENT: usize = 8;
/// Calls between a file's write and its read that still count as right after it.
const NEAR: u32 = 2;
/// Microseconds between the ends of the two, at most: a model that has seen the end of the write needs longer for the next call.
const NEAR_TIME: i64 = 3_000_000;
/// Only this many bytes of a command are read.
const READ_BYTES: usize = 16_384;

/// What the calls have written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    files: Numbers,
    recent: Vec<Recent>,
    /// Failed calls that came right after the one that writes what they read.
    early: Numbers,
    calls: u32,
}

#[derive(Debug)]
struct Recent {
    session: u32,
    call: u32,
    time: i64,
    name: String,
}

impl Written {
    /// Adds a call. A command that failed may have written its script before.
    pub(crate) fn see(&mut self, call: &Call<'_>, runs_commands: bool) {
        self.calls = self.calls.wrapping_add(1);
        let names: Vec<&str> = if runs_commands { redirected(call.input) } else { created(call).into_iter().collect() };
        for name in names.into_iter().map(base).filter(|name| !name.is_empty()) {
            self.files.insert(key(call.session, name), MAX_FILES);
            if !call.failed {
                let recent = Recent { session: call.session, call: self.calls, time: call.time, name: name.to_owned() };
                push_newest(&mut self.recent, recent, MAX_RECENT);
            }
        }
    }

    /// Whether the session has written a file of this name.
    pub(crate) fn has(&self, session: u32, path: &str) -> bool {
        self.files.has(key(session, base(path)))
    }

    /// Adds a call that did not find a file.
    pub(crate) fn miss(&mut self, call: &Call<'_>, path: &str) {
        let is_early = |recent: &Recent| {
            recent.session == call.session
                && recent.name == base(path)
                && self.calls.wrapping_sub(recent.call) <= NEAR
                && recent.time > i64::MIN
                && call.time.saturating_sub(recent.time) <= NEAR_TIME
        };
        if self.recent.iter().any(is_early) {
            self.early.insert(call.event, MAX_FILES);
        }
    }

    /// How many of these calls came right after the one that writes what they read.
    pub(crate) fn early(&self, events: &[u64]) -> u32 {
        u32::try_from(events.iter().filter(|event| self.early.has(**event)).count()).unwrap_or(u32::MAX)
    }
}

/// The file that a tool creates.
fn created<'a>(call: &Call<'a>) -> Option<&'a str> {
    let name = call.name.to_ascii_lowercase();
    let creates = name.contains("write") || name.contains("create") || call.input.contains(r#""command":"create""#);
    names::file(call.input).filter(|_| creates)
}

/// The files into which a command writes. What a here-document holds is no command.
fn redirected(command: &str) -> Vec<&str> {
    let command = command.get(..command.floor_char_boundary(READ_BYTES)).unwrap_or_default();
    if !command.contains('>') && !command.contains("tee ") {
        return Vec::new();
    }
    let mut files = Vec::new();
    let mut end: Option<&str> = None;
    for line in command.lines() {
        if let Some(last) = end {
            end = Some(last).filter(|last| line.trim() != *last);
            continue;
        }
        end = line.split_once("<<").and_then(|(_, after)| document(after)).map(|(name, _)| name);
        let after = |mark: &'static str| line.split(mark).skip(1).filter_map(|rest| rest.split_whitespace().next());
        let words = after(">").chain(after("tee ")).map(|word| word.trim_matches(['"', '\'', ';', ')', '|']));
        files.extend(words.filter(|word| !word.starts_with('&') && !word.starts_with("/dev/")));
    }
    files
}

fn key(session: u32, name: &str) -> u64 {
    hash(u64::from(session), name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_write_into_files() {
        for (command, files) in [
            ("cat > /tmp/a.py << 'EOF'\nif x > y: z\nEOF\npython3 /tmp/a.py 2>&1", &["/tmp/a.py"][..]),
            ("python a.py > out.txt 2> err.log", &["out.txt", "err.log"]),
            ("echo a >> b.md && make | tee log.txt", &["b.md", "log.txt"]),
            ("ls 2>/dev/null", &[]),
            ("python3 - <<PY\nprint(1 > 2)\nPY", &[]),
        ] {
            assert_eq!(redirected(command), files, "{command}");
        }
    }

    #[test]
    fn what_is_read_right_after_its_write_is_early() {
        let mut written = Written::default();
        let run = |input, event| Call { failed: false, input, event, time: 1, ..Call::FAILED };
        written.see(&run("python a.py > out.txt", 1), true);
        let read =
            |event| Call { name: "read", input: r#"{"filePath": "/w/out.txt"}"#, event, time: 2, ..Call::FAILED };
        written.see(&read(2), false);
        written.miss(&read(2), "/w/out.txt");
        written.miss(&read(3), "/w/other.txt");
        for event in 4..8 {
            written.see(&run("ls", event), true);
        }
        written.miss(&read(9), "/w/out.txt");
        assert_eq!(written.early(&[2, 3, 9]), 1);
        assert!(written.has(0, "x/out.txt") && !written.has(1, "out.txt") && !written.has(0, "a.py"));
    }

    #[test]
    fn only_tools_that_create_files_write_new_ones() {
        let mut written = Written::default();
        let call = |name, input| Call { name, input, failed: false, ..Call::FAILED };
        written.see(&call("Write", r#"{"file_path": "/w/a.py"}"#), false);
        written.see(&call("Edit", r#"{"file_path": "/w/b.py"}"#), false);
        written.see(&call("str_replace_editor", r#"{"command":"create","path":"/w/c.py"}"#), false);
        assert_eq!(["a.py", "b.py", "c.py"].map(|name| written.has(0, name)), [true, false, true]);
    }
}
