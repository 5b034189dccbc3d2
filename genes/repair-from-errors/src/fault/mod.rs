//! What an output says went wrong, and where: tracebacks and parser messages of Python and Node, and what the Rust
//! compiler says of packages.
//!
//! Pure and linear in the output. The text was clipped and redacted by the host; what is missing is not guessed.

mod cargo;
mod node;
mod python;

pub(crate) use cargo::package;

/// Most faults read from one output, the newest.
const MAX_FAULTS: usize = 32;
/// Most frames kept of one traceback, the innermost.
const MAX_FRAMES: usize = 32;

/// Whose traceback it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// JavaScript under Node.
    Node,
    /// Rust of a package that cargo fetched.
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
    /// Where the marks under the line begin, in characters from its first.
    pub(crate) caret: Option<usize>,
}

/// One error and the places it went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Whose it is.
    pub(crate) language: Language,
    /// The type, without its module: `AttributeError`; the code of a compiler's error.
    pub(crate) kind: String,
    /// What follows the type.
    pub(crate) message: String,
    /// Its places, innermost first.
    pub(crate) frames: Vec<Frame>,
}

/// All faults in an output, the last one first: it is the one that ended the run.
pub(crate) fn faults(output: &str) -> Vec<Fault> {
    let mut faults = python::faults(output);
    faults.extend(node::faults(output));
    faults.extend(cargo::faults(output));
    faults.reverse();
    faults.truncate(MAX_FAULTS);
    faults
}

/// A path that belongs to a library or the runtime, never to the workspace's own code.
pub(crate) fn is_foreign(path: &str) -> bool {
    let library = path.split('/').any(|part| matches!(part, "site-packages" | "dist-packages" | "node_modules"));
    let is_version = |part: &str| part.strip_prefix("python").is_some_and(|rest| rest.starts_with(['2', '3']));
    let installed = path.split('/').zip(path.split('/').skip(1)).any(|(lib, part)| lib == "lib" && is_version(part));
    library || installed || path.starts_with("node:") || path.starts_with('<')
}

/// `Type: message`, where the type is a dotted name that ends like an exception's.
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

/// Where the marks of a line of nothing but `^` and `~` begin, in characters.
fn marks(line: &str) -> Option<usize> {
    let text = line.trim_end();
    let only_marks = text.trim_start().chars().all(|c| c == '^' || c == '~') && text.contains('^');
    only_marks.then(|| text.chars().take_while(|c| c.is_whitespace()).count())
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// Whether this is a path as a log spells one.
fn path(text: &str) -> Option<String> {
    let text = text.trim().strip_prefix("file://").unwrap_or(text.trim());
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let fits = name.contains('.') && !text.contains(['"', '\'']) && text.len() <= 4096;
    fits.then(|| text.replace('\\', "/"))
}
