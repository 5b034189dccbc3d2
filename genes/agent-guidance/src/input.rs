//! The files of the workspace, as the lessons ask for them.

/// A file's name in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    File { size: u64 },
    Folder,
    Link,
}

/// The files of the workspace.
pub(crate) trait Workspace {
    /// What is at this path.
    fn entry(&mut self, path: &str) -> Option<Entry>;
    /// Paths of the files of this name, sorted; at most a few.
    fn named(&mut self, name: &str) -> Vec<String>;
    /// A file's text, if it is UTF-8 and not larger than [`MAX_FILE`].
    fn text(&mut self, path: &str) -> Option<String>;
    /// A line for the operator.
    fn note(&mut self, line: &str);
}

/// The largest file that is read, in bytes.
pub(crate) const MAX_FILE: u64 = 256 << 10;
