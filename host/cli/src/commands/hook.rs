//! `gephost hook EVENT`: what an agent starts at its own moments. Where the agent names its transcript, a process beside
//! the agent reads what is new of it into the run store; nobody waits for that.
//!
//! What must stay true: nothing is printed that an agent would take for an answer, the agent is neither stopped nor kept
//! waiting, and a project that nobody set gephost up in is left as it is.

#![expect(clippy::disallowed_methods, reason = "the agent names its log by path")]

use std::ffi::OsString;
use std::io::{Read as _, stdin};
use std::path::{Path, PathBuf};

use gephost_app::Project;
use gephost_core::config::CONFIG_FILE;
use gephost_runner::background;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::HookArguments;
use crate::context::worker;
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;

/// The most bytes that an agent may say; a tool's whole answer can be among them.
const MAX_INPUT_BYTES: u64 = 64 << 20;
/// Moments at which a transcript is read: something has come to its end. The names are those of Claude Code and Codex, and
/// `AfterAgent` and `PreCompress` of Gemini CLI.
const READS: &[&str] =
    &["Stop", "StopFailure", "SubagentStop", "PreCompact", "SessionEnd", "AfterAgent", "PreCompress"];
/// Moments at which there is nothing to do.
const PASSES: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostCompact",
    "SubagentStart",
    "Notification",
    "BeforeAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "BeforeTool",
    "AfterTool",
];

/// What agents write to a hook's standard input, as far as it is looked at.
#[derive(Default, Deserialize)]
struct Said {
    transcript_path: Option<PathBuf>,
    /// Of the subagent that has come to its end; the other is its parent's.
    agent_transcript_path: Option<PathBuf>,
    cwd: Option<PathBuf>,
}

pub(super) fn run(environment: &Environment, output: Output, arguments: &HookArguments) -> Result<Report, Failure> {
    match take(environment, &arguments.event) {
        Err(failure) if !arguments.strict => {
            output.note(&format!("gephost hook: {}", failure.message));
            Ok(report(&arguments.event, Some(failure.message), &[]))
        }
        taken => taken.map(|reading| report(&arguments.event, None, &reading)),
    }
}

fn report(event: &str, failure: Option<String>, reading: &[PathBuf]) -> Report {
    let reading = reading.iter().map(|transcript| transcript.display().to_string()).collect();
    Report::of(&HookPage { event, reading, error: failure })
}

/// What a hook did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HookPage<'a> {
    /// The event that the agent named.
    event: &'a str,
    /// Transcripts that another process reads now.
    reading: Vec<String>,
    /// Why nothing is read.
    error: Option<String>,
}

impl Page for HookPage<'_> {
    const KIND: &'static str = "hook";

    /// Nothing: an agent would take it for an answer.
    fn text(&self) -> String {
        String::new()
    }
}

/// Gives the transcripts that are being read now.
fn take(environment: &Environment, event: &str) -> Result<Vec<PathBuf>, Failure> {
    let said = said()?;
    if PASSES.contains(&event) {
        return Ok(Vec::new());
    }
    if !READS.contains(&event) {
        return Err(Failure::new(Exit::Usage, "event", format!("`{event}` is not an event that gephost knows"))
            .hint(format!("one of {}, {}", READS.join(", "), PASSES.join(", "))));
    }
    let home = &environment.machine.home;
    let full =
        |path: &Path, folder: &Path| path.strip_prefix("~").map_or_else(|_| folder.join(path), |rest| home.join(rest));
    let directory = said.cwd.map_or_else(|| environment.directory.clone(), |cwd| full(&cwd, &environment.directory));
    let named = [said.transcript_path, said.agent_transcript_path].into_iter().flatten();
    let transcripts: Vec<PathBuf> = named.map(|path| full(&path, &directory)).collect();
    if transcripts.is_empty() {
        return Ok(transcripts);
    }
    let folder = Project::open(&Environment { directory, ..environment.clone() })?;
    if !folder.root.join(CONFIG_FILE).exists() && !folder.state.root().exists().unwrap_or(false) {
        return Ok(Vec::new());
    }
    let (there, missing): (Vec<PathBuf>, Vec<PathBuf>) = transcripts.into_iter().partition(|path| path.is_file());
    if !there.is_empty() {
        let words = ["-q", "-C"].map(OsString::from).into_iter().chain([folder.root.into_os_string()]);
        let words = words.chain(["--state".into(), environment.state.clone().into_os_string()]);
        let words = words.chain(["observe", "--store", "--"].map(OsString::from));
        let words = words.chain(there.iter().map(|transcript| transcript.clone().into_os_string()));
        let program = &worker(environment)?.program;
        background::start(program, &words.collect::<Vec<_>>(), &variables(environment))
            .map_err(|error| io(program, "start", &error))?;
    }
    match missing.first() {
        None => Ok(there),
        Some(missing) => {
            let message = format!("the transcript {} is not a file", missing.display());
            Err(Failure::new(Exit::Usage, "transcript", message))
        }
    }
}

/// What the agent says; nothing where it says nothing.
fn said() -> Result<Said, Failure> {
    let failed = |code, message: String| Failure::new(Exit::Usage, code, message);
    let mut bytes = Vec::new();
    stdin()
        .lock()
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failed("io", format!("failed to read what the agent says: {error}")))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(failed("too_large", format!("the agent says more than {MAX_INPUT_BYTES} bytes")));
    }
    if bytes.trim_ascii().is_empty() {
        return Ok(Said::default());
    }
    serde_json::from_slice(&bytes).map_err(|error| failed("input", format!("standard input is not JSON: {error}")))
}

/// What the process beside the agent needs to find the same folders.
fn variables(environment: &Environment) -> Vec<(OsString, OsString)> {
    let above = |folder: &Path| folder.parent().unwrap_or(folder).as_os_str().to_owned();
    let mut variables = vec![
        ("HOME".into(), environment.machine.home.as_os_str().to_owned()),
        ("XDG_CACHE_HOME".into(), above(&environment.cache)),
        ("XDG_STATE_HOME".into(), above(environment.cache_key.parent().unwrap_or(&environment.state))),
    ];
    if let Some(assets) = &environment.assets {
        variables.push(("GEP_ASSETS_DIR".into(), environment.resolve(assets).into_os_string()));
    }
    variables
}
