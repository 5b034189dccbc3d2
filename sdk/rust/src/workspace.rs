//! The files of the workspace that this gene may see. Capability `workspace`.

use std::path::PathBuf;

pub use crate::host::workspace::{Entry, EntryKind, Found, glob, list_directory, read, search};
use crate::{GeneError, HostError, handwritten};

/// The folder of the workspace, for `std::fs`: what a gene writes there is its change. It is `/workspace` in a component,
/// which is also the working directory. In a native test it is a folder for that test.
pub fn root() -> PathBuf {
    #[cfg(target_arch = "wasm32")]
    return PathBuf::from("/workspace");
    #[cfg(not(target_arch = "wasm32"))]
    crate::host::workspace::root()
}

/// Reads one file as text. Bytes that are not UTF-8 become replacement characters.
pub fn read_text(path: &str) -> Result<String, HostError> {
    let mut answers = read(&[path.to_owned()]);
    let bytes = answers.pop().unwrap_or(Err(HostError::NotFound))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A reader of the workspace that goes on after a refusal and keeps the first one. A gene that finds nothing to propose
/// reports it as its error: without those files it could not know.
#[derive(Debug, Default)]
pub struct Reader {
    refused: Option<HostError>,
    /// The text of `.gitattributes`, once it was asked for.
    attributes: Option<String>,
}

impl Reader {
    /// The result, or the default if the host refused.
    pub fn accept<T: Default>(&mut self, result: Result<T, HostError>) -> T {
        result.unwrap_or_else(|error| {
            if !matches!(error, HostError::NotFound) {
                self.refused.get_or_insert(error);
            }
            T::default()
        })
    }

    /// The paths of the files that match a glob, sorted; at most `most`.
    pub fn files(&mut self, pattern: &str, most: u32) -> Vec<String> {
        let entries = self.accept(glob(pattern, most));
        entries.into_iter().filter(|entry| entry.kind == EntryKind::File).map(|entry| entry.path).collect()
    }

    /// A file's bytes.
    pub fn bytes(&mut self, path: &str) -> Option<Vec<u8>> {
        let result = read(&[path.to_owned()]).pop().unwrap_or(Err(HostError::NotFound));
        self.accept(result.map(Some))
    }

    /// Whether `.gitattributes` in the root says that no person wrote a file. Where it is missing, hidden from this gene or
    /// larger than 1 MiB, it says nothing.
    pub fn is_marked(&mut self, path: &str) -> bool {
        let attributes = self.attributes.get_or_insert_with(|| {
            let bytes = read(&[".gitattributes".to_owned()]).pop().and_then(Result::ok);
            let bytes = bytes.filter(|bytes| bytes.len() <= handwritten::MAX_BYTES).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        handwritten::is_marked(attributes, path)
    }

    /// What the gene returns: the proposals, or the first refusal if there are none.
    pub fn answer<T>(self, proposals: Vec<T>) -> Result<Vec<T>, GeneError> {
        match self.refused {
            Some(error) if proposals.is_empty() => Err(error.into()),
            _ => Ok(proposals),
        }
    }
}
