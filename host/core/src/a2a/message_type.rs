//! What a message is for.

use std::fmt;

/// The type of a message: the last part of the path that it is sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageType {
    /// Register a node.
    Hello,
    /// Submit a bundle.
    Publish,
    /// Ask for promoted assets.
    Fetch,
    /// Submit the result of a validation.
    Report,
    /// Accept, reject or quarantine an asset.
    Decision,
    /// Withdraw an asset.
    Revoke,
    /// Say that a node is alive. Not in the seed; clients in practice send it.
    Heartbeat,
    /// Check a bundle as a publication would, and store nothing. Not in the seed; clients in practice send it before they
    /// publish, and publish nothing without it.
    Validate,
}

impl MessageType {
    /// Every type.
    pub const ALL: [Self; 8] = [
        Self::Hello,
        Self::Publish,
        Self::Fetch,
        Self::Report,
        Self::Decision,
        Self::Revoke,
        Self::Heartbeat,
        Self::Validate,
    ];

    /// The word in an envelope and in a path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Publish => "publish",
            Self::Fetch => "fetch",
            Self::Report => "report",
            Self::Decision => "decision",
            Self::Revoke => "revoke",
            Self::Heartbeat => "heartbeat",
            Self::Validate => "validate",
        }
    }

    /// Reads the word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The words of all types, for an error.
    pub(super) fn words() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
