//! Why a pattern is refused.

/// Why a pattern is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing but white space and slashes.
    #[error("empty pattern")]
    Empty,
    /// `!` at the start.
    #[error(
        "`!` takes a rule back, and here deny always wins: what `allow` shall leave out goes into `deny`, and what `deny` shall spare needs narrower patterns (`\\!` is the letter)"
    )]
    Negation,
    /// `#` at the start.
    #[error("`#` starts a comment in this syntax; write `\\#` for the letter")]
    Comment,
    /// White space at the start, or escaped at the end.
    #[error(
        "white space at the start (write `\\ ` for a name that begins so) or escaped at the end, where no name has it"
    )]
    OuterSpace,
    /// A segment that no path has.
    #[error("segment `.`, `..` or an empty one: no path of a repository has it")]
    DeadSegment,
    /// A character that no path has.
    #[error("control, invisible or imitating character: no path of a repository has it")]
    DeadCharacter,
    /// Brackets or a backslash without an end.
    #[error("malformed pattern: {0}")]
    Malformed(String),
}
