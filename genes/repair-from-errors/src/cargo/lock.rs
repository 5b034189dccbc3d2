//! Removes a package from a `Cargo.lock`.

use super::Update;
use crate::edit::{Edit, apply, physical_lines};

/// The lock file without the entry of the broken release, as if by `cargo update`: the next build chooses the newest release
/// that the dependent packages accept. `None` if there is no such entry from a registry.
pub(crate) fn repair(source: &[u8], update: &Update) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(source).ok()?;
    let lines = physical_lines(source);
    let line = |index: usize| lines.get(index).and_then(|line| text.get(line.clone())).map(str::trim_end);
    let starts: Vec<usize> =
        (0..lines.len()).filter(|index| line(*index).is_some_and(|it| it.starts_with('['))).collect();
    let (name, version) = (format!("name = \"{}\"", update.name), format!("version = \"{}\"", update.broken));
    let mut edits = Vec::new();
    for (place, start) in starts.iter().copied().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(lines.len());
        let has = |wanted: &dyn Fn(&str) -> bool| (start + 1..end).filter_map(line).any(wanted);
        let is_entry = line(start) == Some("[[package]]")
            && has(&|it| it == name)
            && has(&|it| it == version)
            && has(&|it| it.starts_with("source = \"registry+"));
        if is_entry {
            let after = lines.get(end).map_or(source.len(), |next| next.start);
            edits.push(Edit::replace(lines.get(start)?.start..after, ""));
        }
    }
    if edits.len() == 1 { apply(source, edits) } else { None }
}
