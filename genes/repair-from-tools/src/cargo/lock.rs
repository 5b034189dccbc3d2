//! Removes a package from a `Cargo.lock`.

use super::update::Update;
use crate::fix::Edit;
use crate::source::Source;

/// The edit that removes the entry of the broken release, as if by `cargo update`: the next build chooses the newest release
/// that the dependent packages accept. `None` if there is no such entry from a registry.
pub(super) fn edit(source: &Source, update: Update) -> Option<Edit> {
    let line = |number: usize| source.line(number).map(str::trim_end);
    let starts: Vec<usize> =
        (1..=source.count()).filter(|number| line(*number).is_some_and(|it| it.starts_with('['))).collect();
    let (name, version) = (format!("name = \"{}\"", update.name), format!("version = \"{}\"", update.broken));
    let mut edits = Vec::new();
    for (place, start) in starts.iter().copied().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(source.count() + 1);
        let has = |wanted: &dyn Fn(&str) -> bool| (start + 1..end).filter_map(line).any(wanted);
        let is_entry = line(start) == Some("[[package]]")
            && has(&|it| it == name)
            && has(&|it| it == version)
            && has(&|it| it.starts_with("source = \"registry+"));
        if is_entry {
            let after = source.range(end).map_or(source.text.len(), |next| next.start);
            edits.push(Edit::replace(source.range(start)?.start..after, ""));
        }
    }
    let only = edits.pop()?;
    edits.is_empty().then_some(only)
}
