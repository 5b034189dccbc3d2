//! Which keys of which manifest matter: the table `rules/manifest-keys.txt`, and what follows from each of its rules.

use std::sync::LazyLock;

use super::super::super::Severity;
use super::super::rules::Group;

/// What follows from a rule of the table.
pub(super) struct KeyRule {
    pub(super) id: &'static str,
    pub(super) group: Group,
    pub(super) severity: Severity,
    /// Only values that the change adds; otherwise also those that it takes away.
    pub(super) only_new: bool,
    pub(super) message: &'static str,
}

const fn rule(id: &'static str, group: Group, severity: Severity, only_new: bool, message: &'static str) -> KeyRule {
    KeyRule { id, group, severity, only_new, message }
}

const RULES: &[KeyRule] = &[
    rule("new-dependency", Group::NewDependencies, Severity::Reject, true, "a dependency is new or changed"),
    rule(
        "package-source-key",
        Group::NewDependencies,
        Severity::Reject,
        false,
        "a key changes that decides where packages come from, or go to",
    ),
    rule("test-config-key", Group::WeakenedTests, Severity::Flag, false, "a key changes that configures the tests"),
    rule(
        "package-script",
        Group::ToolFiles,
        Severity::Reject,
        false,
        "a key changes that decides what runs by itself when the package is installed, built or published",
    ),
    rule("hook-key", Group::ToolFiles, Severity::Reject, false, "a key changes that runs when someone commits"),
    rule(
        "build-config",
        Group::ToolFiles,
        Severity::Flag,
        false,
        "a key changes that decides what is built, run or published",
    ),
    rule("agent-grant", Group::ToolFiles, Severity::Flag, false, "a key changes that names a program an agent starts"),
];

/// The rule with this id.
pub(super) fn by_id(id: &str) -> Option<&'static KeyRule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// One key of a manifest.
pub(super) struct Key {
    pub(super) rule: &'static KeyRule,
    /// It counts only if a value of the base is gone.
    pub(super) only_gone: bool,
    names: Vec<&'static str>,
}

/// The keys of one kind of manifest, in the order of the table.
pub(super) fn of_manifest(kind: &str) -> &'static [Key] {
    static TABLE: LazyLock<Vec<(&'static str, Vec<Key>)>> = LazyLock::new(read_table);
    TABLE.iter().find(|(name, _)| *name == kind).map_or(&[], |(_, keys)| keys)
}

fn read_table() -> Vec<(&'static str, Vec<Key>)> {
    let text = include_str!("../../../../rules/manifest-keys.txt");
    let mut table: Vec<(&'static str, Vec<Key>)> = Vec::new();
    let mut rule = None;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((kind, id)) = line.split_once(" | ") {
            rule = by_id(id);
            if table.last().is_none_or(|(last, _)| *last != kind) {
                table.push((kind, Vec::new()));
            }
        } else if let (Some(rule), Some((_, keys))) = (rule, table.last_mut()) {
            keys.extend(line.split_ascii_whitespace().map(|text| key(rule, text)));
        }
    }
    table
}

fn key(rule: &'static KeyRule, text: &'static str) -> Key {
    let bare = text.strip_prefix('-');
    Key { rule, only_gone: bare.is_some(), names: bare.unwrap_or(text).split('.').collect() }
}

impl Key {
    /// Whether it covers a path of names.
    pub(super) fn covers(&self, path: &[&str]) -> bool {
        covers(&self.names, path)
    }
}

/// No pattern has more than two `**`, so that this takes at most a square of the path's length, which is bounded.
pub(in super::super) fn covers(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            covers(rest, path) || path.split_first().is_some_and(|(_, below)| covers(pattern, below))
        }
        (Some((name, rest)), Some((found, below))) => is_name(name, found) && covers(rest, below),
        _ => false,
    }
}

/// `*` is any part of a name. A name has at most two.
fn is_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| match end.split_once('*') {
            None => rest.ends_with(end),
            Some(_) => rest.char_indices().any(|(at, _)| rest.get(at..).is_some_and(|tail| is_name(end, tail))),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let text = include_str!("../../../../rules/manifest-keys.txt");
        let rows: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        for (kind, id) in rows.iter().filter_map(|line| line.split_once(" | ")) {
            assert!(by_id(id).is_some() && !of_manifest(kind).is_empty(), "{kind} {id}");
        }
        let written: usize =
            rows.iter().filter(|line| line.starts_with(' ')).map(|line| line.split_ascii_whitespace().count()).sum();
        let kinds: std::collections::BTreeSet<_> =
            rows.iter().filter_map(|line| line.split_once(" | ")).map(|(kind, _)| kind).collect();
        assert_eq!(kinds.iter().map(|kind| of_manifest(kind).len()).sum::<usize>(), written, "a kind has two blocks");
    }

    #[test]
    fn a_key_counts_by_what_it_decides() {
        for (kind, key, expected) in [
            ("package.json", "publishConfig.registry", Some("package-source-key")),
            ("package.json", "publishConfig.@a:registry", Some("package-source-key")),
            ("package.json", "publishConfig.access", Some("build-config")),
            ("package.json", "auto-changelog.handlebarsSetup", Some("build-config")),
            ("package.json", "cspell.import", Some("build-config")),
            ("package.json", "stackblitz.startCommand", Some("build-config")),
            ("package.json", "sideEffects", None),
            ("package.json", "files", None),
            ("composer.json", "config.allow-plugins.a/b", Some("package-script")),
            ("composer.json", "config.preferred-install", Some("package-source-key")),
            ("composer.json", "extra.hooks.pre-commit", Some("hook-key")),
            ("composer.json", "extra.branch-alias.dev-main", Some("build-config")),
            ("composer.json", "php-ext.configure-options", Some("build-config")),
            ("composer.json", "authors", None),
            ("Cargo.toml", "package.metabuild", Some("build-config")),
            ("Cargo.toml", "package.publish", Some("build-config")),
            ("Cargo.toml", "workspace.metadata.leptos.end2end-cmd", Some("build-config")),
            ("Cargo.toml", "package.metadata.docs.rs.all-features", None),
            ("pyproject.toml", "tool.isort.formatter", Some("build-config")),
            ("pyproject.toml", "tool.isort.profile", None),
            ("pyproject.toml", "tool.spin.commands.x", Some("build-config")),
            ("pyproject.toml", "tool.tbump.before_commit", Some("build-config")),
            ("deno.json", "exclude", Some("test-config-key")),
            ("tsconfig.json", "references.path", Some("build-config")),
            ("tsconfig.json", "include", None),
            ("setup.cfg", "flake8:local-plugins.extension", Some("build-config")),
            ("setup.cfg", "flake8:local_plugins.extension", Some("build-config")),
            ("setup.cfg", "flake8.max_line_length", None),
            ("setup.cfg", "easy_install.index_url", Some("package-source-key")),
            ("setup.cfg", "easy_install.find_links", Some("package-source-key")),
            ("setup.cfg", "easy_install.zip_ok", None),
            ("setup.cfg", "bdist_wheel.universal", None),
            ("setup.cfg", "options.data_files.lib", Some("build-config")),
            ("setup.cfg", "options.package_data.a", None),
            ("setup.cfg", "entry_points.pytest11", Some("test-config-key")),
            ("setup.cfg", "tox:tox.envlist", Some("test-config-key")),
        ] {
            let path: Vec<&str> = key.split('.').collect();
            let found = of_manifest(kind).iter().find(|known| known.covers(&path)).map(|known| known.rule.id);
            assert_eq!(found, expected, "{kind} {key}");
        }
    }

    #[test]
    fn keys_cover_paths() {
        let covers = |pattern: &str, path: &str| {
            super::covers(&pattern.split('.').collect::<Vec<_>>(), &path.split('.').collect::<Vec<_>>())
        };
        for (pattern, path, expected) in [
            ("a.**", "a", true),
            ("a.**", "a.b.c", true),
            ("a.**", "ab", false),
            ("a", "a.b", false),
            ("a.*.c", "a.b.c", true),
            ("a.*.c", "a.c", false),
            ("a.**.c", "a.c", true),
            ("a.**.c.**", "a.x.y.c.z", true),
            ("s.test:*", "s.test:unit", true),
            ("s.test:*", "s.test", false),
            ("u.*-deps*", "u.dev-deps-x", true),
            ("u.*-deps*", "u.deps", false),
        ] {
            assert_eq!(covers(pattern, path), expected, "{pattern} {path}");
        }
    }
}
