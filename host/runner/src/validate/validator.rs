//! Runs commands in a work copy, one after another.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gephost_core::command::ValidationCommand;
use gephost_core::policy::Policy;
use gephost_core::validation::{Cache, Network};

use super::enclosure::{Enclosure, Granted};
use super::end::End;
use super::level::Chosen;
use super::limits::Limits;
use super::machine::Machine;
use super::prepare::{Prepared, Sources, prepare};
use super::process::{CommandRun, Invocation, Launcher, RunError, run};
use super::reports::Reports;
use crate::worktree::WorkCopy;

/// How validation commands run.
#[derive(Debug, Clone, Copy)]
pub struct Validator<'a> {
    /// The operator's toolchains.
    pub machine: &'a Machine,
    /// The operator's folder of the project, whose dependencies are shown.
    pub checkout: &'a Path,
    /// The operator's policy: what it denies of the dependencies is not shown.
    pub policy: &'a Policy,
    /// What starts commands.
    pub launcher: &'a Launcher,
    /// The confinement level.
    pub chosen: &'a Chosen,
    /// The network that they may reach.
    pub network: Option<Network>,
    /// Caches that may be read.
    pub caches: &'a [Cache],
    /// Further files and folders that may be read.
    pub readable: &'a [String],
    /// Limits of each command. One that was recorded with a shorter time has that one.
    pub limits: Limits,
    /// How often a failing command is repeated.
    pub reruns: u64,
    /// Set when the user interrupts.
    pub interrupt: &'a AtomicBool,
}

/// The runs of one command in one copy: the first and, as long as it fails, its repetitions. Empty if the user
/// interrupted before.
pub type Attempts = Vec<Result<CommandRun, RunError>>;

/// What came of the commands in one copy.
#[derive(Debug)]
pub struct Ran {
    /// The runs of each command, in the given order.
    pub attempts: Vec<Attempts>,
    /// What commands could not be shown, and what the operator can do about it, one line each.
    pub notes: Vec<String>,
}

impl Validator<'_> {
    /// Runs the commands in a copy, in the given order. Each sees the files that earlier ones left there.
    pub fn run(&self, commands: &[ValidationCommand], copy: &WorkCopy) -> Ran {
        let sources = Sources {
            machine: self.machine,
            checkout: self.checkout,
            policy: self.policy,
            level: self.chosen.level,
            caches: self.caches,
            readable: self.readable,
        };
        match prepare(&sources, commands, copy) {
            Ok(prepared) => self.run_all(commands, copy, prepared),
            Err(error) => {
                let failed = |_| vec![Err(RunError::Caches(error.to_string()))];
                Ran { attempts: commands.iter().map(failed).collect(), notes: Vec::new() }
            }
        }
    }

    fn run_all(&self, commands: &[ValidationCommand], copy: &WorkCopy, mut prepared: Prepared<'_>) -> Ran {
        let mut readable = std::mem::take(&mut prepared.readable);
        readable.extend(self.launcher.name.clone());
        let granted = Granted { readable, network: self.network };
        let enclosure = Enclosure::new(self.chosen.level, copy.folder(), &granted, self.chosen.bubblewrap.as_deref());
        let run_one = |command: &ValidationCommand| {
            let (argv, directory) = (prepared.argv(command), prepared.directory(command));
            let environment = self.environment(copy, &prepared, command);
            let invocation = Invocation {
                argv: &argv,
                directory: &directory,
                environment: &environment,
                limits: Limits { time: command.time(self.limits.time), ..self.limits },
                enclosure: &enclosure,
                launcher: self.launcher,
                groups: self.chosen.groups.as_ref().ok(),
            };
            self.attempts(&invocation)
        };
        let attempts: Vec<Attempts> = commands.iter().map(run_one).collect();
        let runs = attempts.iter().filter_map(|attempts| attempts.first()?.as_ref().ok());
        let outputs: Vec<String> = runs.flat_map(|run| [run.stdout.text(), run.stderr.text()]).collect();
        prepared.note_unseen(&outputs, self.checkout);
        Ran { attempts, notes: prepared.notes }
    }

    fn attempts(&self, invocation: &Invocation<'_>) -> Attempts {
        let mut attempts = Vec::new();
        while attempts.len() as u64 <= self.reruns && !self.interrupt.load(Ordering::Relaxed) {
            let reports = Reports::before(invocation.directory);
            let mut attempt = run(invocation, self.interrupt);
            if let Ok(run) = &mut attempt {
                run.reports = reports.since();
            }
            // Only a run that ended by itself can have another result. Repeating others would only take the same time
            // again.
            let again = matches!(&attempt, Ok(run) if matches!(run.end, End::Exited(code) if code != 0));
            attempts.push(attempt);
            if !again {
                break;
            }
        }
        attempts
    }

    /// The complete environment of commands. Tools are told to work offline, so that they fail at once with a reason.
    pub(super) fn environment(
        &self,
        copy: &WorkCopy,
        prepared: &Prepared<'_>,
        command: &ValidationCommand,
    ) -> Vec<(OsString, OsString)> {
        let (path, venv) = prepared.search_path(command);
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), path),
            ("HOME".into(), copy.home().into()),
            ("TMPDIR".into(), copy.temporary().into()),
            ("LANG".into(), "C.UTF-8".into()),
            // git looks for a repository in the copy and not above it, where it might find one of the user's.
            ("GIT_CEILING_DIRECTORIES".into(), copy.folder().into()),
        ];
        // Poetry and uv then use that one, and make none.
        environment.extend(venv.map(|venv| ("VIRTUAL_ENV".into(), venv.into())));
        let plain = [
            ("NO_COLOR", "1"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            // The names of all tests with their outcomes, in the summary that pytest prints anyway.
            ("PYTEST_ADDOPTS", "-rap"),
            ("GOTOOLCHAIN", "local"),
            ("RUSTUP_AUTO_INSTALL", "0"),
            ("npm_config_update_notifier", "false"),
            // uv takes the environment as it is.
            ("UV_NO_SYNC", "1"),
            ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
        ];
        let offline = [
            ("CARGO_NET_OFFLINE", "true"),
            ("npm_config_offline", "true"),
            ("GOPROXY", "off"),
            ("PIP_NO_INDEX", "1"),
            ("UV_OFFLINE", "1"),
        ];
        let offline = if self.network == Some(Network::All) { &[][..] } else { &offline[..] };
        environment.extend(plain.iter().chain(offline).map(|(name, value)| ((*name).into(), (*value).into())));
        environment.extend(self.machine.told());
        environment.extend(prepared.environment.iter().cloned());
        environment
    }
}
