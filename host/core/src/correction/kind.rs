//! The ways in which two calls can differ.

use schemars::JsonSchema;
use serde::Serialize;

/// How a call that worked differs from the failed call before it; the first that applies, in the contract's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// Not at all, and nothing else ran in between.
    Repeated,
    /// Not at all, but other calls ran in between.
    Later,
    /// The file was read between the two edits.
    ReadBefore,
    /// In white space only.
    Whitespace,
    /// Another program, or the same one started in another way.
    Program,
    /// Another directory.
    Directory,
    /// Another subcommand or script.
    Subcommand,
    /// Another time limit.
    TimeLimit,
    /// Other options.
    Options,
    /// Another path.
    Path,
    /// Anything else.
    Input,
}
