//! Runs validation commands in a work copy, of the base or of the changed project, and says what came of each. Judges nothing: what
//! counts as evidence is decided in `gephost_core::evaluate`.

mod capture;
mod family;
mod process;
mod record;
mod stream;

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

use gephost_core::command::ValidationCommand;

pub use capture::{CaptureLimit, Captured};
pub use process::{CommandRun, End, Invocation, Limits, RunError, run};
pub use record::{Recorded, run_recorded};

use crate::worktree::WorkCopy;

/// Kills the commands that run now, without waiting for their end: for a process that ends at once itself.
pub fn kill_all() {
    family::kill_all();
}

/// How validation commands run.
#[derive(Debug, Clone, Copy)]
pub struct Validator<'a> {
    /// Their environment, without `HOME` and `TMPDIR`: those are folders of the work copy.
    pub environment: &'a [(OsString, OsString)],
    /// What each may use.
    pub limits: Limits,
    /// Set when the user interrupts.
    pub interrupt: &'a AtomicBool,
}

impl Validator<'_> {
    /// Runs the commands in a copy, in the given order; each sees what earlier ones left there. `None` for those that an
    /// interrupt left undone.
    pub fn run(&self, commands: &[ValidationCommand], copy: &WorkCopy) -> Vec<Option<Result<CommandRun, RunError>>> {
        let words: Vec<_> = commands.iter().map(ValidationCommand::argv).collect();
        self.run_all(&words, copy)
    }

    fn run_all(&self, commands: &[&[String]], copy: &WorkCopy) -> Vec<Option<Result<CommandRun, RunError>>> {
        let mut environment = self.environment.to_vec();
        environment.push(("HOME".into(), copy.home().into()));
        environment.push(("TMPDIR".into(), copy.temporary().into()));
        let run_one = |argv: &&[String]| {
            let interrupted = self.interrupt.load(Ordering::Relaxed);
            let invocation =
                Invocation { argv, directory: copy.project(), environment: &environment, limits: self.limits };
            (!interrupted).then(|| run(&invocation, self.interrupt))
        };
        commands.iter().map(run_one).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn commands_run_in_the_copy_with_a_home_of_their_own_until_interrupted() {
        let files = crate::worktree::copy_for_tests();
        let environment = [("PATH".into(), "/usr/bin:/bin".into())];
        let interrupt = AtomicBool::new(false);
        let output = CaptureLimit { head: 1000, tail: 1000 };
        let limits = Limits { time: Duration::from_secs(20), output, file_bytes: 1 << 20 };
        let validator = Validator { environment: &environment, limits, interrupt: &interrupt };
        let words = ["sh", "-c", "cat a.txt; pwd; echo $HOME; echo $TMPDIR; ls -A ~ $TMPDIR | grep -c ."];
        let argv = words.map(str::to_owned);
        let ran = validator.run_all(&[argv.as_slice()], &files.copy);
        let [Some(Ok(result))] = ran.as_slice() else { panic!("{ran:?}") };
        let text = result.stdout.text();
        let copy = &files.copy;
        let expected =
            format!("one\n{}\n{}\n{}\n", copy.project().display(), copy.home().display(), copy.temporary().display());
        assert!(text.starts_with(&expected), "{text}");
        interrupt.store(true, Ordering::Relaxed);
        assert!(matches!(validator.run_all(&[argv.as_slice()], copy).as_slice(), [None]));
    }
}
