//! `gephost record -- CMD…`: runs a command as the person would, and keeps it as run events. Ends with its exit code.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write, stderr, stdout};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::Duration;

use gephost_app::{Note, Project};
use gephost_core::command::{RecordedRun, ValidationCommand};
use gephost_core::evaluate::error_line;
use gephost_core::event_log::EntryBody;
use gephost_core::observe::RanCommand;
use gephost_core::redact::Redactor;
use gephost_core::run_event::Outcome;
use gephost_core::validation::RunResult;
use gephost_runner::run_store::RunStore;
use gephost_runner::validate::{CaptureLimit, Recorded, RunError, Sinks, run_recorded};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::RecordArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;

/// What is kept of each output stream while the command runs, in bytes.
const CAPTURE: CaptureLimit = CaptureLimit { head: 64 << 10, tail: 64 << 10 };

pub(super) fn run(environment: &Environment, output: Output, arguments: &RecordArguments) -> Result<Report, Failure> {
    let argv = words(&arguments.command)?;
    let started = environment.now();
    // With `--json` standard output is one document and nothing else: the command's own output moves over.
    let mut passed_on: Box<dyn Write> = if output.json() { Box::new(stderr()) } else { Box::new(stdout()) };
    let (out, err) = (stdout(), stderr());
    let is_terminal = [!output.json() && out.is_terminal(), err.is_terminal()];
    let terminals = [is_terminal[0].then(|| out.as_fd()), is_terminal[1].then(|| err.as_fd())];
    let (directory, variables) = (&environment.directory, &environment.variables);
    let sinks = Sinks { streams: [&mut *passed_on, &mut stderr()], terminals };
    let time = arguments.timeout.map(|seconds| Duration::from_secs(seconds.into()));
    let recorded =
        run_recorded(&argv, directory, variables, CAPTURE, time, sinks).map_err(|error| not_started(&error))?;
    // The command ran, and its exit code counts, whatever becomes of the recording.
    let kept = Project::open(environment).map_err(Failure::from).and_then(|folder| {
        let place = place(environment, &folder, arguments.timeout.map(u64::from));
        keep(&folder, &argv, started, &recorded, place)
    });
    let kept = match kept {
        Ok(kept) => {
            // What did its work needs no repair.
            let next = if kept.failed { "; to look for a repair: gephost run" } else { "" };
            output.note(&format!("recorded: exit code {}, session {}{next}", recorded.exit_code, kept.session));
            Some(kept)
        }
        Err(error) => {
            let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let text = format!("exit code {}, but nothing was recorded: {}{hint}", recorded.exit_code, error.message);
            environment.sink.note(Note::Warning(&text));
            None
        }
    };
    let (session, call_id) = kept.map(|kept| (kept.session, kept.call_id)).unzip();
    Ok(Report::of(&RecordPage {
        session,
        call_id,
        exit_code: recorded.exit_code,
        duration_ms: u64::try_from(recorded.duration.as_millis()).unwrap_or(u64::MAX),
    }))
}

/// Where a command ran, and for how long it could.
struct Ran {
    /// The folder, from the project's root, unless it is the root or outside.
    folder: Option<String>,
    /// The virtual environment that was active.
    environment: Option<String>,
    /// The limit that was given, in seconds.
    timeout_s: Option<u64>,
}

fn place(environment: &Environment, folder: &Project, timeout_s: Option<u64>) -> Ran {
    let active = environment.variable("VIRTUAL_ENV".as_ref()).filter(|venv| !venv.is_empty()).map(PathBuf::from);
    let active = active.and_then(|venv| folder.within(&venv).or_else(|| venv.to_str().map(str::to_owned)));
    Ran { folder: folder.within(&environment.directory), environment: active, timeout_s }
}

/// A command that ran and was recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordPage {
    /// The session of its run events; null if they could not be kept.
    session: Option<String>,
    /// Their call id; null likewise.
    call_id: Option<String>,
    /// The exit code, or 128 plus the number of the signal that ended it; 124 if it exceeded `--timeout`.
    exit_code: i32,
    /// Milliseconds that it took.
    duration_ms: u64,
}

impl Page for RecordPage {
    const KIND: &'static str = "record";

    /// Nothing: the command itself wrote to standard output.
    fn text(&self) -> String {
        String::new()
    }

    fn exit(&self) -> Exit {
        Exit::Command(u8::try_from(self.exit_code).unwrap_or(1))
    }
}

/// A command that cannot be started ends as in a shell: 127 if it is not there, 126 if it cannot be run.
fn not_started(error: &RunError) -> Failure {
    let (exit, message) = match error {
        RunError::NotFound { program } => (Exit::Command(127), format!("program {program:?} not found")),
        RunError::System { .. } | RunError::NotExecutable { .. } => (Exit::Command(126), error.to_string()),
        RunError::Empty
        | RunError::NoFolder { .. }
        | RunError::Caches(_)
        | RunError::Unwatched { .. }
        | RunError::Confine { .. } => (Exit::Failed, error.to_string()),
    };
    Failure::new(exit, "not_started", message).hint("nothing was recorded: a shell's own commands need `sh -c '…'`")
}

fn words(command: &[OsString]) -> Result<Vec<String>, Failure> {
    let word = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| {
            let message = format!("the argument {} is not UTF-8 text", word.display());
            Failure::new(Exit::Usage, "not_utf8", message)
        })
    };
    command.iter().map(word).collect()
}

struct Kept {
    session: String,
    call_id: String,
    /// Whether it counts as a failure.
    failed: bool,
}

/// Writes the events and then the log entry that names them.
fn keep(
    folder: &Project,
    argv: &[String],
    started: Timestamp,
    recorded: &Recorded,
    place: Ran,
) -> Result<Kept, Failure> {
    folder.create_state()?;
    let call_id = format!("record-{}", started.as_microsecond());
    let session = format!("record-{}", started.strftime("%Y%m%d"));
    let mut redactor = folder.config.policy.redactor();
    let line = ValidationCommand::quote(argv);
    let shown = redactor.redact(&line).into_owned();
    let ran = RanCommand {
        session: &session,
        call_id: &call_id,
        line: &line,
        output: &[recorded.stdout.text(), recorded.stderr.text()].concat(),
        exit_code: recorded.exit_code,
        started,
        duration: Some(recorded.duration),
    };
    let events = ran.events(&mut redactor);
    let failed = events.iter().any(|event| event.outcome == Some(Outcome::Failure));
    let store = RunStore::new(folder.state.root());
    let limit = folder.config.file.observe.log_max_chars;
    store
        .append(&events, started, limit)
        .map_err(|error| Failure::new(Exit::Failed, "run_store", error.to_string()))?;
    let body = EntryBody::Recorded {
        session: session.clone(),
        events: events.len() as u64,
        call_id: Some(call_id.clone()),
        argv: (shown == line).then(|| argv.to_vec()),
        run: Some(RecordedRun {
            exit_code: recorded.exit_code,
            error: error(recorded, &mut redactor),
            folder: place.folder,
            environment: place.environment,
            timeout_s: place.timeout_s,
        }),
    };
    folder.append(&body)?;
    Ok(Kept { session, call_id, failed })
}

/// The line that names the error, if it failed.
fn error(recorded: &Recorded, redactor: &mut Redactor) -> Option<String> {
    let result = RunResult {
        stdout: redactor.redact(&recorded.stdout.text()).into_owned(),
        stderr: redactor.redact(&recorded.stderr.text()).into_owned(),
        ..RunResult::default()
    };
    (recorded.exit_code != 0).then(|| error_line(&result)).flatten()
}
