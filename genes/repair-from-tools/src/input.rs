//! What a repair is made from: the files of the workspace, and the failing events.

/// The files of the workspace.
pub(crate) trait Workspace {
    /// Paths of the files whose path matches a glob, sorted.
    fn matching(&mut self, glob: &str) -> Vec<String>;
    /// Whether a word occurs in a file that matches the glob.
    fn has_word(&mut self, word: &str, glob: &str) -> bool;
    /// A file's bytes.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// A line for the operator.
    fn note(&mut self, line: &str);
}

/// A failing event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its number in the run log.
    pub(crate) event: u64,
    /// The tool's input.
    pub(crate) input: String,
    /// The tool's output, without terminal colours.
    pub(crate) output: String,
}
