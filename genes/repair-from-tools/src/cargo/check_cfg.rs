//! Conditions that the compiler does not know, because a build script or the person who builds sets them: they are declared in
//! `Cargo.toml`, as the compiler itself proposes.

use std::collections::BTreeMap;

use gephost_gene::failures::Failure;
use toml::de::DeTable;

use crate::fix::{Edit, Fix};
use crate::order::ordered;
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{between, is_name};

/// Most conditions that are declared at once.
const MAX_NAMES: usize = 16;

/// The repairs for the errors in an output: one for each manifest.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut asked: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let (mut name, mut path) = (None, "");
    for line in failure.output.lines() {
        if line.starts_with("error") || line.starts_with("warning") {
            name = between(line, "error: unexpected `cfg` condition name: `", "`").filter(|name| is_name(name));
            path = "";
        } else if let Some(place) = line.trim().strip_prefix("--> ").filter(|_| path.is_empty()) {
            path = place.rsplitn(3, ':').nth(2).unwrap_or_default();
        } else if line.contains("a config with a similar name") {
            name = None;
        } else if let Some(name) = name.filter(|name| line.trim() == declaration(&[*name]))
            && let Some(manifest) = shelf.open(path).and_then(|source| shelf.nearest(&source.path, "Cargo.toml"))
        {
            asked.entry(manifest).or_default().push(name);
        }
    }
    asked.into_iter().filter_map(|(path, names)| fix(&*shelf.read(&path)?, &ordered(names))).collect()
}

/// The line of the table `[lints.rust]`, as the compiler writes it for one name.
fn declaration(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'cfg({name})'")).collect();
    format!("unexpected_cfgs = {{ level = \"warn\", check-cfg = [{}] }}", names.join(", "))
}

/// Adds the declaration to a manifest that does not say anything about this lint yet.
fn fix(source: &Source, names: &[&str]) -> Option<Fix> {
    if names.len() > MAX_NAMES {
        return None;
    }
    let manifest = DeTable::parse(&source.text).ok()?;
    let end = source.ending();
    let edit = match manifest.get_ref().get("lints") {
        None => {
            let gap = if source.text.ends_with('\n') { "" } else { end };
            let text = format!("{gap}{end}[lints.rust]{end}{}{end}", declaration(names));
            Edit::insert(source.text.len(), text)
        }
        Some(lints) => {
            let rust = lints.get_ref().as_table()?.get("rust")?.get_ref().as_table()?;
            let header =
                (1..=source.count()).find(|number| source.line(*number).is_some_and(|it| it.trim() == "[lints.rust]"));
            let header = header.filter(|_| !rust.contains_key("unexpected_cfgs"))?;
            Edit::insert(source.whole(header)?.end, declaration(names) + end)
        }
    };
    let line = source.number_at(edit.start);
    let list = names.join("`, `");
    let what = format!("declare the condition `{list}`");
    let why = "the compiler names this line as the way to declare a condition that it does not know";
    Some(
        Fix::new(source, line, vec![edit], what)
            .because(why, format!("error: unexpected `cfg` condition name: `{list}`")),
    )
}
