//! A copy in which commands run again and again: to see which lines they execute, and to try edits.
//!
//! What must stay true: commands are confined as in every validation; what they leave behind is untrusted, so the host
//! reads and writes in the copy by open folders and without following links; everything that is read is bounded.

mod lines;
mod place;
mod v8;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gephost_core::command::ValidationCommand;
use gephost_core::path::RepoPath;

use super::enclosure::{Enclosure, Granted};
use super::limits::Limits;
use super::prepare::{Prepared, Sources, prepare};
use super::process::{CommandRun, Invocation, RunError, run};
use super::reports::Reports;
use super::validator::Validator;
use crate::worktree::WorkCopy;

pub use lines::{Traced, TracedTest};

/// The tracer of Python, and what loads it.
const PYTHON: &[(&str, &str)] = &[
    ("gephost_trace.py", include_str!("gephost_trace.py")),
    ("sitecustomize.py", "import gephost_trace\n\ngephost_trace.install()\n"),
];

/// What is watched while a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// Nothing.
    Nothing,
    /// Which lines it executes, by the language's own tracer.
    Lines,
    /// Only whether it passes: the first test that fails ends it, if its runner is known.
    FirstFailure,
}

/// A copy of the base in which commands run again and again.
pub struct Bench<'a> {
    validator: Validator<'a>,
    prepared: Prepared<'a>,
    enclosure: Enclosure,
    /// The project's folder in the copy, opened before any command ran.
    files: File,
    /// Where tracers write.
    out: File,
    /// Folders of the tracers and of what they write.
    library: PathBuf,
    out_path: PathBuf,
    copy: WorkCopy,
}

impl<'a> Bench<'a> {
    /// Prepares the copy for these commands.
    pub fn new(validator: Validator<'a>, commands: &[ValidationCommand], copy: WorkCopy) -> io::Result<Self> {
        let sources = Sources {
            machine: validator.machine,
            checkout: validator.checkout,
            policy: validator.policy,
            level: validator.chosen.level,
            caches: validator.caches,
            readable: validator.readable,
        };
        let mut prepared = prepare(&sources, commands, &copy)?;
        let mut readable = std::mem::take(&mut prepared.readable);
        readable.extend(validator.launcher.name.clone());
        let granted = Granted { readable, network: validator.network };
        let enclosure =
            Enclosure::new(validator.chosen.level, copy.folder(), &granted, validator.chosen.bubblewrap.as_deref());
        let (library, out_path) = (copy.folder().join("trace"), copy.folder().join("traced"));
        let files = place::folder(copy.project())?;
        place::make_folder(&library)?;
        place::make_folder(&out_path)?;
        let tracers = place::folder(&library)?;
        for (name, text) in PYTHON {
            place::replace(tracers.as_fd(), name, text.as_bytes(), false)?;
        }
        let out = place::folder(&out_path)?;
        Ok(Self { validator, prepared, enclosure, files, out, library, out_path, copy })
    }

    /// What commands could not be shown.
    pub fn notes(&self) -> &[String] {
        &self.prepared.notes
    }

    /// Runs a command once, for at most so long.
    pub fn run(
        &self,
        command: &ValidationCommand,
        watching: Watching,
        time: Duration,
        interrupt: &AtomicBool,
    ) -> Result<CommandRun, RunError> {
        let (argv, directory) = (self.prepared.argv(command), self.prepared.directory(command));
        let mut environment = self.validator.environment(&self.copy, &self.prepared, command);
        environment.extend(self.watch(watching));
        let invocation = Invocation {
            argv: &argv,
            directory: &directory,
            environment: &environment,
            limits: Limits { time: command.time(time.min(self.validator.limits.time)), ..self.validator.limits },
            enclosure: &self.enclosure,
            launcher: self.validator.launcher,
            groups: self.validator.chosen.groups.as_ref().ok(),
        };
        let reports = Reports::before(&directory);
        let mut ran = run(&invocation, interrupt)?;
        ran.reports = reports.since();
        Ok(ran)
    }

    /// Which lines the commands that ran with [`Watching::Lines`] executed. `source` gives a file's text.
    pub fn traced(&self, source: &dyn Fn(&RepoPath) -> Option<String>) -> Traced {
        let mut traced = Traced::default();
        for (name, bytes) in place::read_all(self.out.as_fd()) {
            let project = self.copy.project();
            let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
            if kind == "lines" {
                traced.add(lines::read(&bytes, project));
            } else if kind == "json" {
                traced.add(v8::read(&bytes, project, source));
            }
        }
        traced
    }

    /// Writes a file of the project, in the place of the one that is there.
    pub fn write(&self, path: &RepoPath, content: &[u8], is_executable: bool) -> io::Result<()> {
        place::replace(self.files.as_fd(), path.as_str(), content, is_executable)
    }

    fn watch(&self, watching: Watching) -> Vec<(OsString, OsString)> {
        let python: [(OsString, OsString); 2] =
            [("PYTHONPATH".into(), self.library.clone().into()), ("PYTEST_PLUGINS".into(), "gephost_trace".into())];
        match watching {
            Watching::Nothing => Vec::new(),
            Watching::Lines => {
                let lines: [(OsString, OsString); 3] = [
                    ("GEPHOST_TRACE_OUT".into(), self.out_path.clone().into()),
                    ("GEPHOST_TRACE_ROOT".into(), self.copy.project().into()),
                    ("NODE_V8_COVERAGE".into(), self.out_path.clone().into()),
                ];
                python.into_iter().chain(lines).collect()
            }
            Watching::FirstFailure => python.into_iter().chain([("GEPHOST_FAIL_FAST".into(), "1".into())]).collect(),
        }
    }
}
