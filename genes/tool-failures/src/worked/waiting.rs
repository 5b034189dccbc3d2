//! A failed call that waits for what worked next, and what is then said of it.

use std::cell::OnceCell;

use crate::cause::Cause;
use crate::command::shell::Places;
use crate::worked::between::Between;

/// What makes a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// What the error itself says.
    Stated,
    /// A word that the error names.
    Word,
    /// Another way to start the program that was not found.
    Start,
    /// Another object than the one to which the access was denied.
    Object,
    /// Another tool of the agent, for the same file.
    Tool,
    /// `sudo`.
    Sudo,
    /// Named arguments.
    Arguments,
    /// The same file in another place.
    Elsewhere,
    /// A step that made the path which was not found.
    Made,
    /// An install between the two.
    Install,
    /// The command between the two that brought what the error names, or the only one that changed something.
    Ran,
    /// A command that brought what the error names, after which the same call failed with another error.
    Passed,
    /// An act of git between the two.
    Git,
    /// Another edit of the file of a refused one.
    Rewritten,
    /// Edits between the two, of files that the error names.
    Edit,
    /// The same call again, some time later.
    Again,
    /// The whole command that worked, in which several things are new at once.
    Whole,
    /// The same call again, with nothing that was changed before it.
    Unchanged,
    /// A call of the same program that worked: an example, which says nothing of the reason.
    Example,
}

impl Way {
    /// Whether the difference between the two calls themselves is taken for the reason.
    pub(crate) fn is_of_form(self) -> bool {
        matches!(self, Self::Word | Self::Start | Self::Object | Self::Sudo | Self::Arguments)
    }
}

/// What to do about a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remedy {
    pub(crate) way: Way,
    /// What to do, or what was different.
    pub(crate) text: String,
    /// What the failed call had in its place; empty if nothing.
    pub(crate) before: String,
}

impl Remedy {
    pub(crate) fn of(way: Way, text: String) -> Self {
        Self { way, text, before: String::new() }
    }
}

/// A failed call, as much of it as is compared.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) session: u32,
    pub(crate) event: u64,
    /// Microseconds, or `i64::MIN` if the log has no time.
    pub(crate) time: i64,
    /// What tells failures apart: a failure with the same key is the same one again.
    pub(crate) key: u64,
    pub(crate) calls: u32,
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) output: String,
    /// The line that explains the failure.
    pub(crate) line: String,
    pub(crate) cause: Cause,
    pub(crate) program: String,
    pub(crate) names: Vec<String>,
    /// The path that was not found.
    pub(crate) missing: String,
    /// What the call itself changes: the same again is nothing that lies between.
    pub(crate) own: Between,
    pub(crate) between: Between,
    /// Steps after which the same failure came again.
    pub(crate) vain: Vec<String>,
    /// What an edit in between added that the error names, with its file.
    pub(crate) added: Option<(String, String)>,
    /// The step that failed, when a rule has asked for it.
    pub(crate) act: OnceCell<Option<Places>>,
    /// Its hash.
    pub(crate) step: OnceCell<Option<u64>>,
    /// The row that holds; all of them if none does.
    pub(crate) rank: usize,
    /// Whether the host's correction rests on nothing in the message.
    pub(crate) is_loose: bool,
    /// Whether the same failure came again.
    pub(crate) came_again: bool,
    /// Whether another form of the call is taken for the reason that it worked, by a rule or by the host.
    pub(crate) is_reformed: bool,
    /// Whether the call in that form may help those that come after it.
    pub(crate) lasts: bool,
}

#[cfg(test)]
impl Waiting {
    /// A failed call of this cause, of which nothing else is known.
    pub(crate) fn of(cause: Cause, input: &str, output: &str) -> Self {
        Self {
            session: 0,
            event: 0,
            time: i64::MIN,
            key: 0,
            calls: 0,
            tool: String::new(),
            input: input.to_owned(),
            output: output.to_owned(),
            line: String::new(),
            cause,
            program: String::new(),
            names: Vec::new(),
            missing: String::new(),
            own: Between::default(),
            between: Between::default(),
            vain: Vec::new(),
            added: None,
            act: OnceCell::new(),
            step: OnceCell::new(),
            rank: usize::MAX,
            is_loose: false,
            came_again: false,
            is_reformed: false,
            lasts: false,
        }
    }
}
