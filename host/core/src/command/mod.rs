//! The grammar of validation commands: words and quotes, never a shell.
//!
//! The operator's configured commands, a proposal's and a gene's all use this grammar. What must stay true: gephost
//! runs exactly [`ValidationCommand::argv`]. If it came through [`ValidationCommand::parse`], its program is allowed,
//! its sub-command and options are in the program's table, and no path in it leads outside the work copy. A command
//! still runs the work copy's own code; the grammar keeps its words from adding any, and the sandbox confines it.

mod check;
mod error;
mod form;
mod named;
mod options;
mod own;
mod place;
mod recorded;
mod runners;
mod standard_library;
mod vouched;
mod words;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

pub use error::{CommandError, CommandRulesError, MAX_COMMAND_BYTES, MAX_COMMANDS};
pub use recorded::RecordedRun;
pub use words::{quote, words};

/// Which programs may run: every program in the table, or those that the operator names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRules {
    programs: BTreeSet<String>,
}

impl Default for CommandRules {
    /// Every program of the table.
    fn default() -> Self {
        Self { programs: form::programs().map(str::to_owned).collect() }
    }
}

impl CommandRules {
    /// Only these programs: `[validation] programs`. An empty list allows nothing. A program in the table keeps its
    /// rules. The operator vouches for any other, and its arguments may hold no code and no path outside. A program
    /// that runs others (a shell, `env`, `npx` …) is an error. A versioned name such as `python3.12` has the rules of `python3`.
    pub fn with_programs(programs: &[String]) -> Result<Self, CommandRulesError> {
        match programs.iter().find(|name| !vouched::may_be_added(name)) {
            None => Ok(Self { programs: programs.iter().cloned().collect() }),
            Some(name) => Err(CommandRulesError::NeverAllowed { name: name.clone() }),
        }
    }

    /// Whether a program may run.
    pub(crate) fn allows(&self, program: &str) -> bool {
        self.programs.contains(program)
    }

    /// The programs, in order, with commas.
    pub fn listed(&self) -> String {
        self.programs.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// A checked command: the text, and the words that are executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValidationCommand {
    text: String,
    argv: Vec<String>,
    #[serde(skip)]
    recorded: Option<RecordedRun>,
}

impl ValidationCommand {
    /// Checks a command as it was written.
    pub fn parse(text: &str, rules: &CommandRules) -> Result<Self, CommandError> {
        let argv = words(text)?;
        let (program, words) = argv.split_first().ok_or(CommandError::Empty)?;
        if !rules.allows(program) {
            return Err(CommandError::Program { name: program.clone(), allowed: rules.listed() });
        }
        let table_name = runners::table_name(program);
        if form::programs().any(|known| known == table_name) {
            check::check(table_name, words)?;
        } else {
            vouched::check(program, words)?;
        }
        Ok(Self { text: text.to_owned(), argv, recorded: None })
    }

    /// A command that the operator ran under `gephost record`, outside the grammar: the words as they were executed.
    /// `None` if no system can execute them: without a program, or with a NUL in a word.
    pub fn from_operator(argv: Vec<String>) -> Option<Self> {
        let runnable =
            argv.first().is_some_and(|program| !program.is_empty()) && argv.iter().all(|word| !word.contains('\0'));
        runnable.then(|| Self { text: Self::quote(&argv), argv, recorded: None })
    }

    /// The same command, with what was noted when the operator recorded it.
    #[must_use]
    pub fn with_recorded(self, recorded: Option<RecordedRun>) -> Self {
        Self { recorded, ..self }
    }

    /// Joins words into one line, which a POSIX shell and [`words`] cut into the same words again. The grammar cannot
    /// spell control characters and substitutions.
    pub fn quote(argv: &[String]) -> String {
        words::quote(argv)
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Program and arguments; never empty.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// What was noted when the operator recorded it; `None` if nobody did.
    pub fn recorded(&self) -> Option<&RecordedRun> {
        self.recorded.as_ref()
    }

    /// How long it may run if commands in general may run for `most`: no longer than the operator let it run.
    pub fn time(&self, most: Duration) -> Duration {
        let own = self.recorded().and_then(|run| run.timeout_s).map(Duration::from_secs);
        own.map_or(most, |own| own.min(most))
    }
}
