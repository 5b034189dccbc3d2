//! The files of the workspace, as repairs ask for them.

/// The files of the workspace.
pub(crate) trait Workspace {
    /// Paths of the files whose path matches a glob, sorted.
    fn matching(&mut self, glob: &str) -> Vec<String>;
    /// Whether a word occurs in a file that matches the glob.
    fn has_word(&mut self, word: &str, glob: &str) -> bool;
    /// A file's bytes.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// Whether `.gitattributes` says that no person wrote a file.
    fn is_marked(&mut self, path: &str) -> bool;
    /// A line for the operator.
    fn note(&mut self, line: &str);
}
