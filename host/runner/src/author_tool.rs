//! Runs a compiler on an author's own project. Owns the effect "a tool of the author's runs". The author asked for it and the
//! sources are theirs, so the tool has the author's own rights and environment. It ends: the whole group of its processes is
//! killed when its time is over or the author interrupts.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{monotonic, spawn};

/// Most bytes of what a tool prints that are kept: the first ones, because later errors follow from them.
const MAX_PRINTED: usize = 64 << 10;
/// How often the author's interrupt is looked for.
const TICK: Duration = Duration::from_millis(20);

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code; `None` if a signal ended it.
    Exit(Option<i32>),
    /// Its time was over.
    Timeout,
    /// The author interrupted.
    Interrupt,
}

/// A tool that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it printed: standard error, then standard output.
    pub printed: String,
}

/// What a tool is started with.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The program and its arguments. No shell reads them.
    pub words: &'a [OsString],
    /// Its working directory.
    pub directory: &'a Path,
    /// Its environment.
    pub variables: &'a [(OsString, OsString)],
    /// How long it may take.
    pub limit: Duration,
}

/// Runs a tool to its end. The error is that it could not be started.
pub fn run(start: Start<'_>, is_interrupted: &dyn Fn() -> bool) -> io::Result<Ran> {
    let (program, arguments) = start.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = spawn::command(program);
    command.args(arguments).current_dir(start.directory);
    command.envs(start.variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    spawn::keep_descriptors();
    let mut child = command.spawn()?;
    let (errors, output) = (child.stderr.take().map(reader), child.stdout.take().map(reader));
    let end = wait(&mut child, start.limit, is_interrupted);
    // What it left running would keep the pipes open.
    if let Some(group) = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default()) {
        // The group may be empty by now.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let end = end.and_then(|end| child.wait().map(|_| end))?;
    let mut printed = String::new();
    for read in [errors, output].into_iter().flatten() {
        let bytes = read.join().unwrap_or_default();
        printed.push_str(&String::from_utf8_lossy(&bytes));
    }
    Ok(Ran { end, printed })
}

fn wait(child: &mut Child, limit: Duration, is_interrupted: &dyn Fn() -> bool) -> io::Result<End> {
    let begun = monotonic::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exit(status.code()));
        }
        if is_interrupted() {
            return Ok(End::Interrupt);
        }
        if begun.elapsed() > limit {
            return Ok(End::Timeout);
        }
        thread::park_timeout(TICK);
    }
}

/// Reads to the end, so that the tool never waits, and keeps the beginning.
fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let (mut kept, mut buffer) = (Vec::new(), [0; 8192]);
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 {
                break;
            }
            let room = MAX_PRINTED.saturating_sub(kept.len()).min(count);
            kept.extend_from_slice(buffer.get(..room).unwrap_or_default());
        }
        kept
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(script: &str, limit: Duration, interrupted: bool) -> Ran {
        let words = ["sh", "-c", script].map(OsString::from);
        let path = [(OsString::from("PATH"), OsString::from("/usr/local/bin:/usr/bin:/bin"))];
        let start = Start { words: &words, directory: Path::new("/"), variables: &path, limit };
        run(start, &|| interrupted).unwrap()
    }

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn the_code_and_what_was_printed_come_back() {
        let ran = ran("echo out; echo err >&2; exit 3", LONG, false);
        assert_eq!(ran, Ran { end: End::Exit(Some(3)), printed: "err\nout\n".to_owned() });
    }

    #[test]
    fn a_tool_that_does_not_end_is_killed_with_its_children() {
        for (limit, interrupted, end) in [(Duration::ZERO, false, End::Timeout), (LONG, true, End::Interrupt)] {
            let begun = monotonic::now();
            let ran = ran("sleep 100 & sleep 100", limit, interrupted);
            assert_eq!(ran.end, end);
            assert!(begun.elapsed() < Duration::from_secs(20));
        }
    }

    #[test]
    fn a_child_that_keeps_the_pipe_open_does_not_delay_the_end() {
        let begun = monotonic::now();
        assert_eq!(ran("sleep 100 & echo done", LONG, false).printed, "done\n");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn much_output_is_read_and_its_beginning_is_kept() {
        let ran = ran("echo first; yes | head -c 3000000", LONG, false);
        assert_eq!((ran.end, ran.printed.len()), (End::Exit(Some(0)), MAX_PRINTED));
        assert!(ran.printed.starts_with("first\n"));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let start =
            Start { words: &["/no/such/program".into()], directory: Path::new("/"), variables: &[], limit: LONG };
        assert_eq!(run(start, &|| false).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
