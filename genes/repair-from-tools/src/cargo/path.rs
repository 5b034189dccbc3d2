//! A dependency that a manifest takes from a folder which is not there, and names a release of: the registry has it.
//!
//! It is what cargo itself makes of the entry when it publishes the package.

use gephost_gene::failures::Failure;
use toml::de::{DeTable, DeValue};

use super::manifest::tables;
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::between;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    let mut name = None;
    for line in failure.output.lines() {
        name = between(line, "failed to load manifest for dependency `", "`").or(name);
        let Some(missing) = between(line, "failed to read `", "/Cargo.toml`") else { continue };
        let Some((name, folder)) = name.zip(missing.rsplit('/').next()) else { continue };
        // The package may have moved to another folder of the project.
        if shelf.matching("**/Cargo.toml").len() == 1 {
            fixes.extend(shelf.read("Cargo.toml").and_then(|source| fix(&source, name, folder)));
        } else {
            shelf.note("the project has other packages, and one of them may be meant");
        }
    }
    fixes
}

/// Removes the key `path` of the only entry of this name that has a release too.
fn fix(source: &Source, name: &str, folder: &str) -> Option<Fix> {
    let manifest = DeTable::parse(&source.text).ok()?;
    let entries = tables(manifest.get_ref()).filter_map(|table| match table.get(name)?.get_ref() {
        DeValue::Table(entry) => Some(entry),
        _ => None,
    });
    let mut edits = Vec::new();
    for entry in entries {
        entry.get("version").filter(|_| !entry.contains_key("git"))?;
        let path = entry.get("path")?;
        let text = path.get_ref().as_str()?.trim_end_matches('/');
        let number = source.number_at(path.span().start);
        let (line, start) = (source.line(number)?, source.range(number)?.start);
        let at = path.span().start - start..path.span().end - start;
        let before = line.get(..at.start)?.trim_end().strip_suffix('=')?.trim_end().strip_suffix("path")?;
        let after = line.get(at.end..)?;
        let edit = if before.trim().is_empty() && after.trim().is_empty() {
            Edit::replace(source.whole(number)?, "")
        } else if let Some(before) = before.trim_end().strip_suffix(',') {
            Edit::replace(start + before.len()..start + at.end, "")
        } else {
            let rest = after.trim_start().strip_prefix(',').filter(|_| before.trim_end().ends_with('{'))?;
            Edit::replace(start + before.len()..start + line.len() - rest.trim_start().len(), "")
        };
        edits.push(edit);
        text.rsplit('/').next().filter(|last| *last == folder)?;
    }
    let line = source.number_at(edits.first()?.start);
    let message = format!("failed to load manifest for dependency `{name}`");
    let fix = Fix::new(source, line, edits, format!("take {name} from the registry"));
    Some(fix.because("the folder is not there, and the entry names a release", message))
}
