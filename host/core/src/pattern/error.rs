//! The reasons for which a pattern is refused.

/// Why a pattern is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing but white space and slashes.
    #[error("empty pattern")]
    Empty,
    /// `!` at the start.
    #[error(
        "`!` is not supported, because deny always wins: to exclude a path from `allow`, add it to `deny`; to exclude one from `deny`, write narrower patterns (`\\!` is the letter)"
    )]
    Negation,
    /// `#` at the start.
    #[error("`#` starts a comment in gitignore syntax; write `\\#` for the letter")]
    Comment,
    /// White space at the start, or escaped at the end.
    #[error(
        "white space at the start (write `\\ ` if the name begins with a space), or an escaped space at the end, which no name has"
    )]
    OuterSpace,
    /// A segment that no path has.
    #[error("a segment is empty, `.` or `..`, which no path in a repository has")]
    DeadSegment,
    /// A character that no path has.
    #[error("a control character, an invisible one, or one that imitates ASCII, which no path in a repository has")]
    DeadCharacter,
    /// A bracket, a brace or a backslash without its end.
    #[error("malformed pattern: {0}")]
    Malformed(String),
}
