//! The reasons for which a path is refused.

use super::limits::{MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS};

/// Why a path is refused. The message does not repeat the path, because the caller knows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is empty.
    #[error("empty path")]
    Empty,
    /// More than [`MAX_PATH_BYTES`].
    #[error("the path has {0} bytes; at most {MAX_PATH_BYTES} are allowed")]
    TooLong(usize),
    /// More than [`MAX_SEGMENTS`].
    #[error("the path has more than {MAX_SEGMENTS} segments")]
    TooDeep,
    /// Starts at the root of the file system.
    #[error("absolute path; write it relative to the repository's root")]
    Absolute,
    /// Starts with a drive, as `C:`.
    #[error("drive letter; write the path relative to the repository's root")]
    Drive,
    /// `\`, which is a separator on some systems and a letter on others.
    #[error("backslash; separate segments with `/`")]
    Backslash,
    /// `:`, which opens an alternate data stream on NTFS.
    #[error("colon: on Windows it names a data stream of another file")]
    Stream,
    /// Two slashes in a row, or one at the end.
    #[error("empty segment (`//`, or a slash at the end)")]
    EmptySegment,
    /// `.` as a segment.
    #[error("`.` segment; write the path without it")]
    Dot,
    /// `..` as a segment.
    #[error("`..` segment: it leads out of the directory")]
    DotDot,
    /// `~` as the first segment.
    #[error("`~` at the start: a shell expands it to a home directory")]
    Home,
    /// `.git` in some spelling.
    #[error("a spelling of `.git`, which holds the repository's own data")]
    DotGit,
    /// A name that Windows gives to another, longer name.
    #[error("a name like `name~1`: on Windows it is the short name of another file")]
    ShortName,
    /// A name that Windows gives to a device.
    #[error("a device name of Windows, such as `con`, `nul` or `com1`")]
    Device,
    /// Windows drops dots and spaces at the end of a name.
    #[error("a segment ends in a dot or a space, which Windows drops")]
    TrailingDotOrSpace,
    /// A control character.
    #[error("control character U+{0:04X}")]
    Control(u32),
    /// An invisible character, or one that changes the direction of text.
    #[error("invisible or direction-changing character U+{0:04X}")]
    Invisible(u32),
    /// A private-use character.
    #[error("private-use character U+{0:04X}")]
    PrivateUse(u32),
    /// A character that Unicode compatibility normalisation turns into plain ASCII.
    #[error("character U+{0:04X} stands for plain ASCII; write the plain one")]
    Imitation(u32),
    /// Another spelling of the same text exists.
    #[error("not in Unicode form NFC, so that another spelling of the same name exists")]
    NotNfc,
    /// More than [`MAX_SEGMENT_BYTES`].
    #[error("a segment has {0} bytes; at most {MAX_SEGMENT_BYTES} are allowed")]
    SegmentTooLong(usize),
}
