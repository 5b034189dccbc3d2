//! Raises requirements in a `Cargo.toml`.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::Update;
use crate::edit::{Edit, apply};

/// The tables of dependencies in a manifest, in its workspace and in each of its targets.
const TABLES: [&str; 5] =
    ["build-dependencies", "build_dependencies", "dependencies", "dev-dependencies", "dev_dependencies"];

/// The manifest in which every requirement that accepted the broken release asks for the fixed one or later. Everything
/// else stays byte for byte. `None` if there is no such requirement, or if the manifest replaces packages by others.
pub(crate) fn repair(source: &[u8], update: &Update) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(source).ok()?;
    let manifest = DeTable::parse(text).ok()?;
    let manifest = manifest.get_ref();
    // If a package comes from elsewhere, its release in the registry does not matter.
    if manifest.contains_key("patch") || manifest.contains_key("replace") {
        return None;
    }
    let mut owners = vec![manifest];
    owners.extend(manifest.get("workspace").and_then(|it| it.get_ref().as_table()));
    let targets = manifest.get("target").and_then(|it| it.get_ref().as_table());
    owners.extend(targets.into_iter().flat_map(|it| it.values()).filter_map(|it| it.get_ref().as_table()));
    let mut edits = Vec::new();
    for table in owners.iter().flat_map(|owner| TABLES.iter().filter_map(|name| owner.get(*name))) {
        for (key, value) in table.get_ref().as_table().into_iter().flatten() {
            if let Some((requirement, span)) = requirement(key.get_ref(), value.get_ref(), value.span(), update.name) {
                edits.extend(edit(source, requirement, span, update));
            }
        }
    }
    apply(source, edits)
}

/// The requirement of one entry and its position, including the quotes, if the entry is this package from the default
/// registry.
fn requirement<'a>(
    key: &str,
    value: &'a DeValue<'_>,
    span: Range<usize>,
    name: &str,
) -> Option<(&'a str, Range<usize>)> {
    match value {
        DeValue::String(text) => (key == name).then_some((text.as_ref(), span)),
        DeValue::Table(table) => {
            let package = table.get("package").map_or(Some(key), |it| it.get_ref().as_str())?;
            let elsewhere = ["path", "git", "registry", "registry-index"].iter().any(|it| table.contains_key(*it));
            let version = table.get("version").filter(|_| package == name && !elsewhere)?;
            Some((version.get_ref().as_str()?, version.span()))
        }
        _ => None,
    }
}

fn edit(source: &[u8], requirement: &str, span: Range<usize>, update: &Update) -> Option<Edit> {
    let now = update.fixed.required(requirement, update.broken)?;
    let quote = *source.get(span.start)? as char;
    let plain = source.get(span.clone())? == format!("{quote}{requirement}{quote}").as_bytes();
    (plain && matches!(quote, '"' | '\'')).then(|| Edit::replace(span, format!("{quote}{now}{quote}")))
}
