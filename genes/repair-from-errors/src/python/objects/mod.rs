//! Uses of objects that another expression replaces, each recognised by one message of the interpreter.

mod arguments;
mod decoded;
mod exact;
mod frames;
mod place;
mod receivers;
mod replaced;
mod streams;
mod tasks;
mod texts;
mod views;

pub(crate) use exact::default_encoding;
pub(crate) use replaced::maps;
pub(crate) use tasks::yielded;
pub(crate) use views::lists;

use super::file::File;
use super::message::quoted_pair;

/// A use of an object that another expression replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// `x.next()` and the like, by the name of the method.
    Receiver(&'static receivers::Row),
    /// An iterator or a view of a dictionary that is used as a list.
    View(&'static views::Row),
    /// An argument that was removed or renamed, or that is needed now.
    Argument(&'static arguments::Row),
    /// Global flags in the middle of a regular expression; their position.
    Flags(usize),
    /// A message that leaves one edit.
    Exact(&'static exact::Row),
    /// A file or a process that gives bytes where text is meant, or the other way round.
    Stream(&'static streams::Row),
    /// Text that is decoded.
    Decoded,
    /// The mode `U` of `open`.
    Mode,
    /// A style of Matplotlib that was renamed.
    Style,
}

/// The rule for a message, and for the failing line as the log shows it.
pub(crate) fn rule(kind: &str, message: &str, shown: &str) -> Option<Rule> {
    let found = match kind {
        "AttributeError" => {
            let pair = quoted_pair(message, "'", "' object has no attribute '");
            let decoded = || (pair == Some(("str", "decode"))).then_some(Rule::Decoded);
            let receiver = pair.and_then(|(owner, name)| receivers::row(owner, name).map(Rule::Receiver));
            receiver
                .or_else(decoded)
                .or_else(|| arguments::row_for(message, shown).map(Rule::Argument))
                .or_else(|| views::row(kind, message).map(Rule::View))
        }
        "TypeError" => {
            let view = || views::row(kind, message).map(Rule::View);
            let argument = || arguments::row_for(message, shown).map(Rule::Argument);
            streams::row_for(message, shown).map(Rule::Stream).or_else(view).or_else(argument)
        }
        "ValueError" if message.starts_with("invalid mode: '") && message.contains('U') => Some(Rule::Mode),
        "OSError" if message.starts_with("'seaborn") && message.contains("is not a valid package style") => {
            Some(Rule::Style)
        }
        "error" | "PatternError" => {
            let rest = message.strip_prefix("global flags not at the start of the expression at position ");
            let digits = rest.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
            digits.and_then(|digits| digits.parse().ok()).map(Rule::Flags)
        }
        _ => None,
    };
    found.or_else(|| exact::row_for(kind, message).map(Rule::Exact))
}

/// The rule for `has_key` of dictionaries.
pub(crate) fn has_key() -> Option<Rule> {
    receivers::row("dict", "has_key").map(Rule::Receiver)
}

/// The source with the use replaced.
pub(crate) fn repair(file: &File<'_>, rule: &Rule) -> Option<Vec<u8>> {
    match rule {
        Rule::Receiver(row) => receivers::repair(file, row),
        Rule::View(row) => views::repair(file, row),
        Rule::Argument(row) => arguments::repair(file, row),
        Rule::Flags(position) => texts::flags(file, *position),
        Rule::Decoded => decoded::repair(file),
        Rule::Exact(row) => exact::repair(file, row),
        Rule::Stream(row) => streams::repair(file, row),
        Rule::Mode => texts::mode(file),
        Rule::Style => texts::style(file),
    }
}

impl Rule {
    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        let text = |what: &str, why: &str| (what.to_owned(), why.to_owned());
        match self {
            Self::Receiver(row) => (format!("use {} instead of .{}()", row.now, row.name), row.why.to_owned()),
            Self::View(row) => (
                format!("make a list of {}", row.what),
                "Python 3.0 returns an iterator or a view, and no list".to_owned(),
            ),
            Self::Exact(row) => (row.what.to_owned(), row.why.to_owned()),
            Self::Stream(row) => text(row.what, row.why),
            Self::Argument(row) => (row.what.to_owned(), row.why.to_owned()),
            Self::Flags(_) => text(
                "move the flags to the start of the regular expression",
                "Python 3.11 accepts global flags only at the start",
            ),
            Self::Decoded => {
                text("decode bytes only", "text has no method decode since Python 3.0, because it is decoded already")
            }
            Self::Mode => {
                text("open the file without the mode U", "Python 3.11 removed the mode U, which had no effect")
            }
            Self::Style => {
                text("use the style's new name", "Matplotlib 3.8 removed the old names of the seaborn styles")
            }
        }
    }
}
