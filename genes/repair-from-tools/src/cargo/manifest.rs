//! Raises requirements in a `Cargo.toml`.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::update::Update;
use crate::fix::Edit;

/// The tables of dependencies in a manifest, in its workspace and in each of its targets.
const TABLES: [&str; 5] =
    ["build-dependencies", "build_dependencies", "dependencies", "dev-dependencies", "dev_dependencies"];

/// The edits after which every requirement that accepted the broken release asks for the fixed one or later. `None` if the
/// manifest is no TOML, or if it replaces packages by others.
pub(super) fn edits(text: &str, update: Update) -> Option<Vec<Edit>> {
    let manifest = DeTable::parse(text).ok()?;
    let manifest = manifest.get_ref();
    // If a package comes from elsewhere, its release in the registry does not matter.
    if manifest.contains_key("patch") || manifest.contains_key("replace") {
        return None;
    }
    let mut edits = Vec::new();
    for table in tables(manifest) {
        for (key, value) in table {
            if let Some((requirement, span)) = requirement(key.get_ref(), value.get_ref(), value.span(), update.name) {
                edits.extend(edit(text, requirement, span, update));
            }
        }
    }
    Some(edits)
}

/// The tables of dependencies.
pub(super) fn tables<'a>(manifest: &'a DeTable<'a>) -> impl Iterator<Item = &'a DeTable<'a>> {
    let mut owners = vec![manifest];
    owners.extend(manifest.get("workspace").and_then(|it| it.get_ref().as_table()));
    let targets = manifest.get("target").and_then(|it| it.get_ref().as_table());
    owners.extend(targets.into_iter().flat_map(|it| it.values()).filter_map(|it| it.get_ref().as_table()));
    owners.into_iter().flat_map(|owner| TABLES.iter().filter_map(|name| owner.get(*name)?.get_ref().as_table()))
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

fn edit(text: &str, requirement: &str, span: Range<usize>, update: Update) -> Option<Edit> {
    let now = update.fixed.required(requirement, update.broken)?;
    let quote = text.get(span.clone())?.chars().next()?;
    let plain = text.get(span.clone())? == format!("{quote}{requirement}{quote}");
    (plain && matches!(quote, '"' | '\'')).then(|| Edit::replace(span, format!("{quote}{now}{quote}")))
}
