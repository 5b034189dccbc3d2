//! The grammar of validation commands: words by quotes, never a shell.
//!
//! One grammar for the operator's configured commands, for a proposal's and for a gene's (GEP.md section 9 names the
//! defaults). What must stay true: what is executed is exactly [`ValidationCommand::argv`], and where that came
//! through [`ValidationCommand::parse`], its program is one that may run, its sub-command and every option are in the
//! table where the program is, and no path in it leads out of the work copy. A command still runs the work copy's own code: the grammar keeps the words from
//! adding any, and the sandbox holds what runs.

mod check;
mod error;
mod form;
mod options;
mod place;
mod vouched;
mod words;

use std::collections::BTreeSet;

use serde::Serialize;

pub use error::{CommandError, CommandRulesError, MAX_COMMAND_BYTES};
pub use words::words;

/// Which programs may run: all that the table has rules for, or those that the operator names.
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
    /// Only these programs: `[validation] programs`. An empty list lets nothing through. A program of the table keeps
    /// its rules; for any other the operator vouches, and its arguments may carry no code and no path outside. What
    /// would run anything it is told (a shell, `env`, `npx` …) is an error.
    pub fn with_programs(programs: &[String]) -> Result<Self, CommandRulesError> {
        match programs.iter().find(|name| !vouched::may_be_added(name)) {
            None => Ok(Self { programs: programs.iter().cloned().collect() }),
            Some(name) => Err(CommandRulesError::NeverAllowed { name: name.clone() }),
        }
    }

    fn allows(&self, program: &str) -> bool {
        self.programs.contains(program)
    }

    /// The programs, in order, with commas.
    pub fn listed(&self) -> String {
        self.programs.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// A command fit to be executed: what was written, and the words that are executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValidationCommand {
    text: String,
    argv: Vec<String>,
}

impl ValidationCommand {
    /// Checks a command as it was written.
    pub fn parse(text: &str, rules: &CommandRules) -> Result<Self, CommandError> {
        let argv = words(text)?;
        let (program, words) = argv.split_first().ok_or(CommandError::Empty)?;
        if !rules.allows(program) {
            return Err(CommandError::Program { name: program.clone(), allowed: rules.listed() });
        }
        if form::programs().any(|known| known == program) {
            check::check(program, words)?;
        } else {
            vouched::check(words)?;
        }
        Ok(Self { text: text.to_owned(), argv })
    }

    /// A command that the operator ran and gephost recorded, outside the grammar: the words as they were executed.
    /// `None` where no system could execute them: no program, or a NUL in a word.
    pub fn from_operator(argv: Vec<String>) -> Option<Self> {
        let runnable =
            argv.first().is_some_and(|program| !program.is_empty()) && argv.iter().all(|word| !word.contains('\0'));
        runnable.then(|| Self { text: Self::quote(&argv), argv })
    }

    /// Words as one line that a POSIX shell and [`words`] both cut back into the same words, for every word that the
    /// grammar has a spelling for (it has none for control characters and substitutions).
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
}
