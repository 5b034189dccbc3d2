//! All old names of Node in a file at once. A package that fails because of one of them has others, and each of them would
//! be a repair of its own.

use super::removed::REMOVED;
use super::renamed::Renamed;
use super::repair::Repair;

/// The source without names that Node deprecates or removed; `None` if it has none that one edit replaces.
pub(crate) fn modern(source: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(source).ok()?;
    let renamed = [Renamed::Sys, Renamed::EventEmitter].map(Repair::Renamed);
    let functions = REMOVED.into_iter().map(Repair::Function);
    let globals = ["GLOBAL", "root"].map(Repair::Missing);
    let all = renamed.into_iter().chain(functions).chain([Repair::Buffer]).chain(globals);
    let mut modern = source.to_vec();
    for repair in all.filter(|repair| repair.word().is_some_and(|word| text.contains(word))) {
        modern = repair.apply(&modern, None).unwrap_or(modern);
    }
    (modern != source).then_some(modern)
}
