//! The files of the workspace that this gene may see. Capability `workspace`.

use crate::HostError;
pub use crate::bindings::imports::gephost::gene::workspace::{
    Entry, EntryKind, Found, glob, list_directory, read, search,
};

/// Reads one file as text. Bytes that are not UTF-8 become replacement characters.
pub fn read_text(path: &str) -> Result<String, HostError> {
    let mut answers = read(&[path.to_owned()]);
    let bytes = answers.pop().unwrap_or(Err(HostError::NotFound))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
