//! Why a path is refused, one reason each.

use super::limits::{MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS};

/// Why a path is refused. The path itself is not repeated: whoever reports it knows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing there.
    #[error("empty path")]
    Empty,
    /// More than [`MAX_PATH_BYTES`].
    #[error("path of {0} bytes; at most {MAX_PATH_BYTES} are allowed")]
    TooLong(usize),
    /// More than [`MAX_SEGMENTS`].
    #[error("path of more than {MAX_SEGMENTS} segments")]
    TooDeep,
    /// Starts at the root of the file system.
    #[error("absolute path; write it from the root of the repository")]
    Absolute,
    /// Starts with a drive, as `C:`.
    #[error("drive letter; write the path from the root of the repository")]
    Drive,
    /// `\`, which is a separator on some systems and a letter on others.
    #[error("backslash; segments are separated by `/`")]
    Backslash,
    /// `:`, which opens an alternate data stream on NTFS.
    #[error("colon: on Windows it names a stream of another file")]
    Stream,
    /// Two slashes in a row, or one at the end.
    #[error("empty segment (`//`, or a slash at the end)")]
    EmptySegment,
    /// `.` as a segment.
    #[error("`.` segment; write the path without it")]
    Dot,
    /// `..` as a segment.
    #[error("`..` segment: the path climbs out of its directory")]
    DotDot,
    /// `~` as the first segment.
    #[error("`~` means a home directory to a shell")]
    Home,
    /// `.git` in some spelling.
    #[error("`.git` in some spelling: the repository's own data")]
    DotGit,
    /// A name that Windows gives to another, longer name.
    #[error("`name~1` form: on Windows it is the short name of another file")]
    ShortName,
    /// A name that Windows gives to a device.
    #[error("device name of Windows (`con`, `nul`, `com1` and their kind)")]
    Device,
    /// Windows drops dots and spaces at the end of a name.
    #[error("segment ends in a dot or a space, which Windows drops")]
    TrailingDotOrSpace,
    /// A control character.
    #[error("control character U+{0:04X}")]
    Control(u32),
    /// A character that is not seen, or steers the direction of text.
    #[error("invisible or direction-changing character U+{0:04X}")]
    Invisible(u32),
    /// A private-use character.
    #[error("private-use character U+{0:04X}")]
    PrivateUse(u32),
    /// A character that compatibility normalisation turns into plain ASCII.
    #[error("character U+{0:04X} stands for plain ASCII; write the plain one")]
    Imitation(u32),
    /// Another spelling of the same text exists.
    #[error("not in Unicode form NFC; another spelling of the same name exists")]
    NotNfc,
    /// More than [`MAX_SEGMENT_BYTES`].
    #[error("segment of {0} bytes; at most {MAX_SEGMENT_BYTES} are allowed")]
    SegmentTooLong(usize),
}
