//! Why a text is not taken as a patch. Each refusal has its own kind, and each kind its own rule id in the verdict.

use crate::path::PathError;

/// A refusal with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct ParseError {
    /// Line of the diff, from 1.
    pub line: usize,
    /// The reason.
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
    #[error("{what}: {found}, the reader's limit is {limit}")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// How many there are, at least.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A NUL byte.
    #[error("NUL byte: binary content cannot be reviewed")]
    Nul,
    /// Text outside a file's patch that some reader could take as part of one, or that stands where none may.
    #[error("text outside a hunk; only plain prose before the first file header is skipped")]
    Prose,
    /// A header line that ends in a carriage return.
    #[error("header line ends in a carriage return: the diff was converted to CRLF, send it with LF")]
    CarriageReturn,
    /// A header that no reader of ours knows, or a known one where it cannot stand.
    #[error("unexpected header line")]
    UnexpectedHeader,
    /// The same header twice.
    #[error("the same header line twice")]
    DuplicateHeader,
    /// Headers that name different files or different kinds of change.
    #[error("headers disagree: {0}")]
    HeadersDisagree(&'static str),
    /// `---` without `+++`.
    #[error("`---` without a `+++` line after it")]
    MissingNewName,
    /// A name that cannot be unquoted.
    #[error("malformed quoted name")]
    BadQuoting,
    /// A quoted name that is not UTF-8.
    #[error("name is not UTF-8")]
    NameNotUtf8,
    /// A note after a name that is neither a date nor a plain remark.
    #[error("text after the name that is no known form of a date")]
    BadStamp,
    /// A date around the epoch, which some readers take for "not there" and others for a date.
    #[error("date around 1970: some readers take it for a file that is not there; write `/dev/null`")]
    AmbiguousStamp,
    /// A bare name with a space that GNU patch would cut.
    #[error("name with a space and no tab after it: some readers end it at the space; quote it or put a tab after it")]
    OpenName,
    /// A name without the prefixes `a/` and `b/`.
    #[error("name without the prefix `a/` or `b/`; others are stripped by some readers and kept by others")]
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
    #[error("illegal mode; files are 100644 or 100755")]
    IllegalMode,
    /// Mode 160000.
    #[error("mode 160000: submodules cannot be proposed")]
    Submodule,
    /// A change of an existing symlink's target.
    #[error("mode 120000: symlinks cannot be changed by a diff")]
    SymlinkChange,
    /// A diff against several versions at once.
    #[error("combined diff of a merge: it cannot be applied to one version; send an ordinary diff")]
    Combined,
    /// A mail whose text must be decoded first.
    #[error("encoded mail: what it changes cannot be read as it stands; send the decoded diff")]
    EncodedMail,
    /// A binary patch, or the note that stands for one.
    #[error("binary patch: its content cannot be reviewed")]
    Binary,
    /// A file header with nothing after it.
    #[error("file header without a change")]
    NoChange,
    /// A hunk where none belongs.
    #[error("hunk without a file header")]
    StrayHunk,
    /// A hunk header that is not one.
    #[error("malformed hunk header; it looks like `@@ -1,3 +1,4 @@`")]
    BadHunkHeader,
    /// Fewer lines than the hunk header says.
    #[error("hunk ends early: its header says {old} more old and {new} more new lines")]
    HunkTooShort {
        /// Missing old lines.
        old: u32,
        /// Missing new lines.
        new: u32,
    },
    /// More lines than the hunk header says.
    #[error("more lines than the hunk header says")]
    HunkTooLong,
    /// A hunk of context only.
    #[error("hunk without a change")]
    HunkWithoutChange,
    /// Hunks out of order, overlapping, or with a new start that does not follow from the old ones.
    #[error("hunk's line numbers do not follow from the hunks before it")]
    HunkPosition,
    /// A new file with old lines, a deleted one with new lines.
    #[error("a new file has no old lines and a deleted file no new ones")]
    HunkOfWrongKind,
    /// A plain diff that leaves an empty file: some readers delete it.
    #[error("leaves an empty file, or deletes it: write `+++ /dev/null` to delete")]
    EmptyOrDeleted,
    /// `\ No newline` where no file can end.
    #[error("`\\ No newline at end of file` where the file does not end")]
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
