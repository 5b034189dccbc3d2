//! The part of cargo's settings that says where packages come from.

use std::fmt::Write as _;

use toml::{Table, Value};

/// Tables, and the members that say where packages come from.
const SOURCE: &[&str] = &["replace-with", "registry", "local-registry", "directory", "git", "branch", "tag", "rev"];

/// The tables `[source]`, and `[registries]` without tokens, as TOML; `None` if there is neither, or the text cannot be
/// read.
pub fn cargo_sources(text: &str) -> Option<String> {
    let settings: Table = toml::from_str(text).ok()?;
    let mut kept = String::new();
    for (table, members) in [("source", SOURCE), ("registries", &["index"][..])] {
        for (name, source) in settings.get(table).and_then(Value::as_table).into_iter().flatten() {
            let values = members.iter().filter_map(|member| Some((member, source.get(member)?.as_str()?)));
            let values: Vec<_> = values.filter(|(_, value)| !has_login(value)).collect();
            if !values.is_empty() {
                // Writing to a String cannot fail. A JSON string is a TOML string.
                let _ = writeln!(kept, "[{table}.{}]", serde_json::Value::from(name.as_str()));
                for (member, value) in values {
                    let _ = writeln!(kept, "{member} = {}", serde_json::Value::from(value));
                }
            }
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// `https://user:password@…`.
fn has_login(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| rest.split('/').next().is_some_and(|host| host.contains('@')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_packages_come_from_stays_and_tokens_do_not() {
        let text = "[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\nregistry = 'sparse+https://m.example/'\n\
                    [registry]\ntoken = 'one'\n[registries.own]\nindex = 'https://o.example/'\ntoken = 'two'\n\
                    [registries.login]\nindex = 'https://u:three@o.example/'\n[build]\nrustc-wrapper = '/x'\n";
        let kept = cargo_sources(text).expect("sources");
        let read: Table = toml::from_str(&kept).expect("TOML");
        assert_eq!(read["source"]["crates-io"]["replace-with"].as_str(), Some("mirror"));
        assert_eq!(read["registries"]["own"]["index"].as_str(), Some("https://o.example/"));
        for word in ["one", "two", "three", "wrapper"] {
            assert!(!kept.contains(word), "{kept}");
        }
        assert_eq!(cargo_sources("[net]\noffline = true\n"), None);
        assert_eq!(cargo_sources("[["), None);
    }
}
