//! Why a command, or a list of programs, is refused.

use crate::path::PathError;

/// Longest command, in bytes.
pub const MAX_COMMAND_BYTES: usize = 4096;

/// Why a list of programs is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandRulesError {
    /// It is no bare name, or runs anything that it is told.
    #[error("{name:?} cannot be allowed: name a program by its bare name, and none that runs other programs")]
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
    #[error("command of {0} bytes; at most {MAX_COMMAND_BYTES} are allowed")]
    TooLong(usize),
    /// A control, invisible or private-use character, or a space or dash that is not the plain one.
    #[error("control, invisible, unusual space or unusual dash character U+{0:04X}; write plain text on one line")]
    Hidden(u32),
    /// A quote that does not close.
    #[error("a quote does not close")]
    OpenQuote,
    /// A backslash where readers differ.
    #[error("backslash outside quotes, or before `$` in double quotes; use single quotes")]
    Backslash,
    /// A shell's operator outside quotes.
    #[error("`{0}` means something to a shell, and no shell runs this; write one command, or quote it")]
    Operator(char),
    /// A shell's substitution, quoted or not.
    #[error("`{0}` is a shell's substitution, and no shell runs this")]
    Substitution(&'static str),
    /// A program that is not allowed.
    #[error("program {name:?} is not allowed; allowed are {allowed}")]
    Program {
        /// The first word.
        name: String,
        /// Those that are.
        allowed: String,
    },
    /// A sub-command or an arrangement that is not in the table.
    #[error("`{program}` is allowed as {forms} only")]
    Form {
        /// The program.
        program: String,
        /// What may be written.
        forms: String,
    },
    /// An option that is not in the table.
    #[error("option `{0}` is not among those known to be safe here")]
    Option(String),
    /// An option that keeps the tests from running.
    #[error("option `{0}` passes without running the tests")]
    SkipsTests(String),
    /// An option's value is missing or of the wrong kind.
    #[error("option `{option}` takes {wanted}")]
    Value {
        /// The option.
        option: String,
        /// What it takes.
        wanted: &'static str,
    },
    /// A word that would name something outside the work copy.
    #[error("{word:?} does not stay inside the work copy: {reason}")]
    Outside {
        /// The word.
        word: String,
        /// Why.
        reason: PathError,
    },
    /// A path that a program would turn into another one.
    #[error("`{character}` in {word:?}: programs expand it to other paths; write the plain path")]
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
    /// A script that installs or publishes instead of testing.
    #[error("{0:?} installs or publishes a package; run its tests by `-m pytest` or `-m unittest`")]
    Installs(String),
    /// A name of a script or of a test that is not one.
    #[error("{0:?} is not a plain name")]
    Name(String),
}
