//! The reasons for which a validation command, or a list of programs, is refused.

use crate::path::PathError;

/// Longest command, in bytes.
pub const MAX_COMMAND_BYTES: usize = 4096;

/// Most commands of a proposal.
pub const MAX_COMMANDS: usize = 20;

/// Why a list of programs is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandRulesError {
    /// It is not a bare name, or a program that runs other programs.
    #[error("{name:?} cannot be allowed: write a program's bare name, and no program that runs others")]
    NeverAllowed {
        /// As it was written.
        name: String,
    },
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// No word in it.
    #[error("empty command")]
    Empty,
    /// Over the limit.
    #[error("the command has {0} bytes; at most {MAX_COMMAND_BYTES} are allowed")]
    TooLong(usize),
    /// A control, invisible or private-use character, or a space or dash that is not the plain one.
    #[error(
        "character U+{0:04X} is a control character, invisible, or an unusual space or dash; write plain text on one line"
    )]
    Hidden(u32),
    /// A quote without its end.
    #[error("a quote is not closed")]
    OpenQuote,
    /// A backslash that shells read in different ways.
    #[error("backslash outside quotes, or before `$` in double quotes; use single quotes")]
    Backslash,
    /// A shell's operator outside quotes.
    #[error("`{0}` is a shell operator, but no shell runs this command; write one command, or quote the character")]
    Operator(char),
    /// A shell's substitution, quoted or not.
    #[error("`{0}` is a shell substitution, but no shell runs this command")]
    Substitution(&'static str),
    /// A program that is not allowed.
    #[error("program {name:?} is not allowed; allowed programs: {allowed}")]
    Program {
        /// The first word.
        name: String,
        /// The programs that are allowed, separated by commas.
        allowed: String,
    },
    /// A sub-command or an arrangement that is not in the table.
    #[error("`{program}` is allowed only as {forms}")]
    Form {
        /// The program.
        program: String,
        /// What may be written.
        forms: String,
    },
    /// An option that is not in the table.
    #[error("option `{0}` is not in the list of safe options")]
    Option(String),
    /// An option that keeps the tests from running.
    #[error("with option `{0}` the command passes without running the tests")]
    SkipsTests(String),
    /// An option's value is missing or of the wrong kind.
    #[error("option `{option}` takes {wanted}")]
    Value {
        /// The option.
        option: String,
        /// What kind of value the option takes.
        wanted: &'static str,
    },
    /// A word that would name something outside the work copy.
    #[error("{word:?} names something outside the work copy: {reason}")]
    Outside {
        /// The word.
        word: String,
        /// Why.
        reason: PathError,
    },
    /// A path that a program would turn into another one.
    #[error("`{character}` in {word:?}: some programs expand it to other paths; write the plain path")]
    Expands {
        /// The word.
        word: String,
        /// The character.
        character: char,
    },
    /// A file that is not a source of the program's language.
    #[error("{word:?} is not a source file ({extensions})")]
    NotASource {
        /// The word.
        word: String,
        /// What it may end in.
        extensions: String,
    },
    /// A script that installs or publishes instead of testing, or runs other programs.
    #[error("{0:?} installs or publishes a package, or runs other programs; name a test runner or a test file")]
    Installs(String),
    /// Code that is not the project's own: its tests say nothing about the change.
    #[error("{0:?} is not the project's own code, so its tests are no evidence; write a path such as `./tests`")]
    OfOthers(String),
    /// A file or folder that is written where sources may be.
    #[error("{0:?} may hold sources; write to a folder such as `build`, or to a report with a name of its own")]
    NotAnOutput(String),
    /// A name of a script or of a test that is not one.
    #[error("{0:?} is not a plain name")]
    Name(String),
}
