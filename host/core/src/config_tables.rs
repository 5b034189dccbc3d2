//! Which keys of the two config files are tables. The deserializer would read a list as a table's values in their order, and
//! an empty list as a table without keys, so anything else in place of a table is refused here, by name.

/// The tables of `gephost.toml`; `*` stands for any id. A test compares the list with the types that read the file.
pub(crate) const OF_PROJECT: &[&str] = &[
    "apply",
    "policy",
    "policy.phases",
    "policy.phases.bootstrap",
    "policy.phases.expanded",
    "policy.phases.full",
    "validation",
    "observe",
    "diagnose",
    "diagnose.at_least",
    "diagnose.thresholds",
    "genes",
    "genes.grants",
    "genes.grants.*",
    "genes.grants.*.limits",
    "genes.settings",
    "genes.settings.*",
    "budgets",
    "recordings",
    "autopilot",
    "layers",
    "search",
    "select",
    "model",
    "trust",
];

/// The tables of the user's own config.
pub(crate) const OF_USER: &[&str] = &["model", "trust", "hub"];

/// The message about the first key that has something else where `tables` have a table. `None` for a text that is no TOML.
pub(crate) fn misplaced(text: &str, tables: &[&str]) -> Option<String> {
    let read = toml::from_str::<toml::Table>(text).ok()?;
    let place = other_than_table(&mut Vec::new(), &read, tables)?;
    Some(format!("`{place}` is one table: write `[{place}]` once, and its keys below it"))
}

fn other_than_table<'a>(above: &mut Vec<&'a str>, read: &'a toml::Table, tables: &[&str]) -> Option<String> {
    for (name, value) in read {
        above.push(name);
        let is_table = tables.iter().any(|table| is_place(table, above));
        let wrong = match value.as_table() {
            Some(inner) => other_than_table(above, inner, tables),
            None => is_table.then(|| above.join(".")),
        };
        if wrong.is_some() {
            return wrong;
        }
        above.pop();
    }
    None
}

fn is_place(table: &str, names: &[&str]) -> bool {
    let parts: Vec<&str> = table.split('.').collect();
    parts.len() == names.len() && parts.iter().zip(names).all(|(part, name)| *part == "*" || part == name)
}
