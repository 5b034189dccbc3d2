//! Reads errors and their places from an output: tracebacks and parser messages of Python and Node, and the Rust compiler's
//! errors in packages.
//!
//! Time is linear in the output. The host has clipped and redacted the text; nothing that is missing is guessed.

mod cargo;
mod node;
mod python;

pub(crate) use cargo::package;

/// Most faults that are read from one output: the last ones.
const MAX_FAULTS: usize = 32;
/// Most frames of one traceback: the innermost ones.
const MAX_FRAMES: usize = 32;

/// The language of a traceback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// JavaScript under Node.
    Node,
    /// Rust, in a package that cargo fetched.
    Cargo,
}

/// One place in a traceback.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Frame {
    /// The path as the log spells it, with forward slashes.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The source line as the log shows it, without white space around it.
    pub(crate) shown: Option<String>,
    /// Where the marks under the line begin, in characters from the beginning of its code.
    pub(crate) caret: Option<usize>,
}

/// One error and its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its language.
    pub(crate) language: Language,
    /// The type of the exception without its module, or the code of a compiler's error.
    pub(crate) kind: String,
    /// The message after the type.
    pub(crate) message: String,
    /// Its places, innermost first.
    pub(crate) frames: Vec<Frame>,
}

/// All faults in an output, the last one first, because that one ended the run.
pub(crate) fn faults(output: &str) -> Vec<Fault> {
    let mut faults = python::faults(output);
    faults.extend(node::faults(output));
    faults.extend(cargo::faults(output));
    faults.reverse();
    faults.truncate(MAX_FAULTS);
    faults
}

/// Whether a path belongs to a library or to the runtime.
pub(crate) fn is_foreign(path: &str) -> bool {
    let library = path.split('/').any(|part| matches!(part, "site-packages" | "dist-packages" | "node_modules"));
    let is_version = |part: &str| part.strip_prefix("python").is_some_and(|rest| rest.starts_with(['2', '3']));
    let installed = path.split('/').zip(path.split('/').skip(1)).any(|(lib, part)| lib == "lib" && is_version(part));
    library || installed || path.starts_with("node:") || path.starts_with('<')
}

/// `Type: message`, if the type is a dotted name with the ending of an exception's name.
fn exception(line: &str) -> Option<(String, String)> {
    let (name, message) = match line.split_once(':') {
        Some((name, message)) => (name, message.trim()),
        None => (line, ""),
    };
    let code_free = name.split_once(" [").map_or(name, |(name, code)| if code.ends_with(']') { name } else { "" });
    let leaf = code_free.rsplit('.').next().unwrap_or_default();
    let named = ["Error", "Exception", "Warning"].iter().any(|end| leaf.ends_with(end));
    let plain = code_free.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    (named && plain).then(|| (leaf.to_owned(), message.to_owned()))
}

/// The column at which the marks begin, in characters, if the line has nothing but `^` and `~`.
fn marks(line: &str) -> Option<usize> {
    let text = line.trim_end();
    let only_marks = text.trim_start().chars().all(|c| c == '^' || c == '~') && text.contains('^');
    only_marks.then(|| text.chars().take_while(|c| c.is_whitespace()).count())
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// The path with forward slashes, if the text looks like a path.
fn path(text: &str) -> Option<String> {
    let text = text.trim().strip_prefix("file://").unwrap_or(text.trim());
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let fits = name.contains('.') && !text.contains(['"', '\'']) && text.len() <= 4096;
    fits.then(|| text.replace('\\', "/"))
}
