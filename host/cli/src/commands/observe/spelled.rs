//! Paths as the user spelled them.

use std::path::{Path, PathBuf};

/// A file's path as the user spelled it.
pub(super) fn spelled(path: &str, full: &[PathBuf], spelled: &[PathBuf]) -> String {
    let named = full.iter().zip(spelled).find_map(|(full, spelled)| {
        let rest = Path::new(path).strip_prefix(full).ok()?;
        Some(if rest.as_os_str().is_empty() { spelled.clone() } else { spelled.join(rest) })
    });
    named.map_or_else(|| path.to_owned(), |path| path.display().to_string())
}
