//! A file's text with comments and strings blanked: the one place that says what a comment is.
//!
//! What must stay true: code that runs is never blanked. If two parsers of the language could disagree about where a
//! string or a comment ends, the text from there on stays as it is, and the rules see all of it. For a language that is
//! not known here, everything is code.

mod hash;
mod javascript;
mod python;
mod reader;
mod rust;
mod scan;
mod shell;

pub(super) use reader::{Masked, Reader, has_tags};

#[cfg(test)]
mod tests;
