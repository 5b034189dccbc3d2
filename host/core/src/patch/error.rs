//! The reasons for which a text is refused as a patch. Each kind of refusal has a rule id in the verdict.

use crate::path::PathError;

/// A refusal with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct ParseError {
    /// Line of the diff, from 1.
    pub line: usize,
    /// What is wrong at this line.
    pub kind: ParseErrorKind,
}

/// The reason for a refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Nothing but white space.
    #[error("the diff is empty")]
    Empty,
    /// No file header in the whole text.
    #[error("no file header (`diff --git` or `---` and `+++`): this is not a unified diff")]
    NotADiff,
    /// Over a limit of [`super::Limits`].
    #[error("{found} {what}; the parser reads at most {limit}")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// How many there are, at least.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A NUL byte.
    #[error("a NUL byte: binary content cannot be reviewed")]
    Nul,
    /// Text outside a file's patch that some program could read as part of one, or in a place where no text is allowed.
    #[error("text outside a hunk; only plain prose before the first file header is allowed")]
    Prose,
    /// A header line that ends in a carriage return.
    #[error("a header line ends in a carriage return: the diff was converted to CRLF; send it with LF")]
    CarriageReturn,
    /// An unknown header, or a known one in the wrong place.
    #[error("unexpected header line")]
    UnexpectedHeader,
    /// The same header twice.
    #[error("a header line appears twice")]
    DuplicateHeader,
    /// Headers that name different files or different kinds of change.
    #[error("the headers disagree: {0}")]
    HeadersDisagree(&'static str),
    /// `---` without `+++`.
    #[error("no `+++` line follows the `---` line")]
    MissingNewName,
    /// A name that cannot be unquoted.
    #[error("a quoted name is malformed")]
    BadQuoting,
    /// A quoted name that is not UTF-8.
    #[error("a name is not UTF-8")]
    NameNotUtf8,
    /// A note after a name that is neither a date nor a plain remark.
    #[error("the text after the name is not a known form of a date")]
    BadStamp,
    /// A date around the epoch, which some readers take for "not there" and others for a date.
    #[error("the date is around 1970, which some programs read as a missing file; write `/dev/null`")]
    AmbiguousStamp,
    /// A bare name with a space that GNU patch would cut.
    #[error(
        "a name with a space has no tab after it, so that some programs end it at the space; quote it, or add a tab"
    )]
    OpenName,
    /// A name without the prefixes `a/` and `b/`.
    #[error("a name lacks the prefix `a/` or `b/`; programs disagree on other prefixes")]
    Prefix,
    /// A name that the path rules refuse.
    #[error("path {path:?}: {reason}")]
    Path {
        /// The name as decoded, without prefix.
        path: String,
        /// Why.
        reason: PathError,
    },
    /// A mode that no file may have.
    #[error("illegal mode; a file has mode 100644 or 100755")]
    IllegalMode,
    /// Mode 160000.
    #[error("mode 160000: a proposal cannot change submodules")]
    Submodule,
    /// A change of an existing symlink's target.
    #[error("mode 120000: a diff cannot change symlinks")]
    SymlinkChange,
    /// A diff against several versions at once.
    #[error("a combined diff of a merge cannot be applied to one version; send an ordinary diff")]
    Combined,
    /// A mail whose text must be decoded first.
    #[error("an encoded mail cannot be read as a diff; send the decoded diff")]
    EncodedMail,
    /// A binary patch, or the note that stands for one.
    #[error("the content of a binary patch cannot be reviewed")]
    Binary,
    /// A file header with nothing after it.
    #[error("a file header has no change")]
    NoChange,
    /// A hunk where none belongs.
    #[error("a hunk has no file header")]
    StrayHunk,
    /// A hunk header that is not one.
    #[error("malformed hunk header; write it as `@@ -1,3 +1,4 @@`")]
    BadHunkHeader,
    /// Fewer lines than the hunk header says.
    #[error("the hunk ends early: its header states {old} more old and {new} more new lines")]
    HunkTooShort {
        /// Missing old lines.
        old: u32,
        /// Missing new lines.
        new: u32,
    },
    /// More lines than the hunk header says.
    #[error("the hunk has more lines than its header states")]
    HunkTooLong,
    /// A hunk of context only.
    #[error("the hunk changes nothing")]
    HunkWithoutChange,
    /// Hunks out of order, overlapping, or with a new start that does not follow from the old ones.
    #[error("the hunk's line numbers do not follow from the hunks before it")]
    HunkPosition,
    /// A new file with old lines, a deleted one with new lines.
    #[error("a new file has no old lines, and a deleted file has no new ones")]
    HunkOfWrongKind,
    /// A plain diff that leaves an empty file: some readers delete it.
    #[error("the diff is ambiguous: it leaves an empty file or deletes it; write `+++ /dev/null` to delete the file")]
    EmptyOrDeleted,
    /// `\ No newline` where no file can end.
    #[error("`\\ No newline at end of file` before the end of the file")]
    MisplacedNoNewline,
}

impl ParseErrorKind {
    /// The rule's id in a verdict.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Empty => "diff-empty",
            Self::NotADiff => "diff-malformed",
            Self::TooLarge { .. } => "diff-too-large",
            Self::Nul | Self::Binary => "binary",
            Self::Prose => "diff-prose",
            Self::CarriageReturn => "diff-crlf",
            Self::UnexpectedHeader | Self::DuplicateHeader | Self::MissingNewName | Self::NoChange => "diff-header",
            Self::HeadersDisagree(_) => "diff-headers-disagree",
            Self::BadQuoting | Self::NameNotUtf8 | Self::BadStamp => "diff-name",
            Self::Combined => "diff-combined",
            Self::EncodedMail => "diff-encoded",
            Self::Prefix => "diff-prefix",
            Self::Path { .. } => "path-unsafe",
            Self::IllegalMode => "mode-illegal",
            Self::Submodule => "submodule",
            Self::SymlinkChange => "symlink",
            Self::StrayHunk | Self::BadHunkHeader | Self::HunkWithoutChange | Self::HunkOfWrongKind => "hunk-malformed",
            Self::HunkTooShort { .. } | Self::HunkTooLong => "hunk-counts",
            Self::HunkPosition => "hunk-position",
            Self::EmptyOrDeleted | Self::AmbiguousStamp | Self::OpenName => "diff-ambiguous",
            Self::MisplacedNoNewline => "hunk-no-newline",
        }
    }
}
