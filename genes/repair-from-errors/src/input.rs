//! The files of the workspace, as repairs ask for them.

/// Most files that are searched for the same fault.
pub(crate) const MAX_SEARCHED: usize = 400;

/// Most files that one candidate changes; the same number as `constraints.max_files` in gene.json.
pub(crate) const MAX_FILES: usize = 100;

/// The files of the workspace.
pub(crate) trait Workspace {
    /// Paths of the files of this name, sorted.
    fn named(&mut self, name: &str) -> Vec<String>;
    /// Paths of the files that contain this word and match one of the globs, sorted.
    fn containing(&mut self, word: &str, globs: &[&str]) -> Vec<String>;
    /// A file's bytes.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// Whether `.gitattributes` says that no person wrote a file.
    fn is_marked(&mut self, path: &str) -> bool;
    /// A line for the operator.
    fn note(&mut self, line: &str);
}
