//! Edits of `package.json`.

use crate::edit::{Edit, apply};
use crate::node::json_strings;

/// The manifest with an older range for a package; `None` unless it asks for the package in one place, by a range whose major
/// version is `first` or later.
pub(super) fn older(source: &[u8], package: &str, first: u64, range: &str) -> Option<Vec<u8>> {
    let found = json_strings(source, package)?;
    let [(span, text)] = found.as_slice() else { return None };
    let version = text.trim_start_matches(['^', '~', '=', 'v']);
    let major: u64 = version.split('.').next()?.parse().ok()?;
    (major >= first).then(|| apply(source, vec![Edit::replace(span.clone(), format!("\"{range}\""))])).flatten()
}
