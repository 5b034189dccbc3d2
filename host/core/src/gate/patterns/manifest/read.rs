//! Reads manifests as the tool does that they belong to. What is read is never deeper than the parsers and [`MAX_DOTS`]
//! allow, since values are walked by recursion.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{gradle, xml, yaml};
use crate::path::RepoPath;

/// A path of names and a value.
pub(in crate::gate::patterns) type Leaf = (Vec<String>, String);

/// The names of a path, without what tells the entries of a list apart.
pub(in crate::gate::patterns) fn bare(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).filter(|name| !name.starts_with('\0')).collect()
}

/// Most dots in a line of TOML: each may open a table within a table.
const MAX_DOTS: usize = 256;

/// Most tables that the name of a section opens.
const MAX_SECTION: usize = 4;

/// Reads a text; `None` if it does not parse.
type Read = fn(&str) -> Option<Value>;

/// The kind of a manifest in the table of keys, and how it is read; `None` for any other file.
pub(super) fn by_name(path: &RepoPath) -> Option<(&'static str, Read)> {
    let name = path.file_name().to_ascii_lowercase();
    Some(match name.as_str() {
        "package.json" => ("package.json", json),
        "composer.json" => ("composer.json", json),
        "app.json" => ("app.json", jsonc),
        "mcp.json" => ("mcp.json", jsonc),
        "cargo.toml" => ("Cargo.toml", toml),
        "pyproject.toml" => ("pyproject.toml", toml),
        "pipfile" => ("Pipfile", toml),
        "setup.cfg" => ("setup.cfg", ini),
        "pom.xml" => ("pom.xml", xml::read),
        "pubspec.yaml" | "pubspec.yml" | "pubspec_overrides.yaml" => ("pubspec.yaml", yaml::read),
        "environment.yml" | "environment.yaml" => ("environment.yml", yaml::read),
        "build.gradle" | "build.gradle.kts" | "settings.gradle" | "settings.gradle.kts" => {
            ("build.gradle", gradle::read)
        }
        "deno.json" | "deno.jsonc" => ("deno.json", jsonc),
        name if is_tsconfig(name) => ("tsconfig.json", jsonc),
        _ => return None,
    })
}

/// `tsconfig.json`, `tsconfig.build.json`, `jsconfig.json`.
fn is_tsconfig(name: &str) -> bool {
    let stem = name.strip_suffix(".json").and_then(|stem| stem.split('.').next());
    stem.is_some_and(|stem| ["tsconfig", "jsconfig"].contains(&stem))
}

fn json(text: &str) -> Option<Value> {
    // npm takes a byte order mark off.
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()
}

pub(in super::super) fn toml(text: &str) -> Option<Value> {
    let is_deep = |line: &str| memchr::memchr_iter(b'.', line.as_bytes()).count() > MAX_DOTS;
    if text.lines().any(is_deep) { None } else { toml::from_str(text).ok() }
}

/// What a manifest of JSON says that its tool refuses to read, because of a comment or of a comma before a closing bracket. A
/// repair of that fault changes no key.
pub(super) fn damaged(kind: &str, text: &str) -> Option<Value> {
    ["package.json", "composer.json"].contains(&kind).then(|| jsonc(text)).flatten()
}

/// JSON with comments and commas before a closing bracket.
pub(in super::super) fn jsonc(text: &str) -> Option<Value> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => string(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.get(memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())..)?;
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.get(2..)?.split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            ']' | '}' => {
                let kept = plain.trim_end();
                plain.truncate(kept.strip_suffix(',').unwrap_or(kept).len());
                c.len_utf8()
            }
            _ => c.len_utf8(),
        };
        plain.push_str(rest.get(..taken)?);
        rest = rest.get(taken..)?;
    }
    json(&plain)
}

/// The length of the string that a text begins with, with both quotes if it has both.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|&(_, b)| {
        let closes = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Sections and keys as Python's `configparser` reads them. A section `a.b` is a table in a table; dashes in keys are
/// underscores, as setuptools reads them; each line of a value is an entry of a list.
#[expect(clippy::unnecessary_wraps, reason = "every reader has this signature")]
pub(in super::super) fn ini(text: &str) -> Option<Value> {
    let mut root = Map::new();
    let (mut section, mut key): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(key) = key.as_ref().filter(|_| line.starts_with(char::is_whitespace)) {
            push(&mut root, &section, key, bare);
        } else if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = name.0.trim().splitn(MAX_SECTION, '.').map(str::to_owned).collect();
            key = None;
        } else {
            let (name, value) = bare.split_once(['=', ':']).unwrap_or((bare, ""));
            let name = name.trim().to_ascii_lowercase().replace('-', "_");
            push(&mut root, &section, &name, value.trim());
            key = Some(name);
        }
    }
    Some(Value::Object(root))
}

fn push(root: &mut Map<String, Value>, section: &[String], key: &str, line: &str) {
    let mut table = root;
    for name in section {
        let below = table.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
        if !below.is_object() {
            *below = Value::Object(Map::new());
        }
        let Value::Object(below) = below else { return };
        table = below;
    }
    let value = table.entry(key.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
    if let (Value::Array(lines), false) = (value, line.is_empty()) {
        lines.push(Value::String(line.to_owned()));
    }
}

/// The metadata of PEP 723 in a Python script: the text in the comments between `# /// script` and `# ///`. Every
/// block counts, since two are an error to the tools.
pub(super) fn script(content: &[u8]) -> Option<String> {
    memchr::memmem::find(content, b"# /// script")?;
    let text = String::from_utf8_lossy(content);
    let mut found: Option<String> = None;
    let mut inside = false;
    for line in text.lines().map(str::trim_end) {
        if line == "# /// script" {
            inside = true;
            found.get_or_insert_default();
        } else if inside && line == "# ///" {
            inside = false;
        } else if let Some(content) = line.strip_prefix('#').filter(|_| inside) {
            let content = content.strip_prefix(' ').unwrap_or(content);
            found.get_or_insert_default().extend([content, "\n"]);
        } else {
            inside = false;
        }
    }
    found
}

/// The manifest within a Rust script: the text between two fences of dashes at its start (RFC 3502).
pub(super) fn cargo_script(content: &[u8]) -> Option<String> {
    if !content.starts_with(b"#!") && !content.trim_ascii_start().starts_with(b"---") {
        return None;
    }
    let text = String::from_utf8_lossy(content);
    let mut lines = text.lines().skip_while(|line| line.starts_with("#!") || line.trim().is_empty());
    let open = lines.next()?;
    let dashes = open.bytes().take_while(|&b| b == b'-').count();
    let fence = open.get(..dashes).filter(|_| dashes >= 3)?;
    Some(lines.take_while(|line| line.trim_end() != fence).flat_map(|line| [line, "\n"]).collect())
}

/// Every value of a manifest: the names that lead to it, and the value as JSON. An entry of a list has no name of its
/// own; one that is a table is distinguished by its member `name`, `artifactId` or `id`, in a name that begins with NUL.
pub(in super::super) fn leaves(manifest: &Value) -> BTreeSet<(Vec<String>, String)> {
    let mut found = BTreeSet::new();
    collect(manifest, &mut Vec::new(), &mut found);
    found
}

fn collect(value: &Value, place: &mut Vec<String>, found: &mut BTreeSet<(Vec<String>, String)>) {
    let mut below = |name: String, value: &Value| {
        place.push(name);
        collect(value, place, found);
        place.pop();
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, member)| below(name.clone(), member));
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let own =
                    ["name", "artifactId", "id"].iter().find_map(|key| item.get(key)?.as_str()).unwrap_or_default();
                below(format!("\0{own}"), item);
            }
        }
        leaf => {
            found.insert((place.clone(), leaf.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_commas_are_taken_out() {
        let text = "{ // a\n \"a\\\"//\": [1, /* , */ 2,], \"b\": \"/* x */\", }";
        assert_eq!(jsonc(text), Some(json!({"a\"//": [1, 2], "b": "/* x */"})));
        for broken in ["{", "\"", "/*", "{\"a\": \"\\", "//", "}"] {
            assert_eq!(jsonc(broken), None, "{broken}");
        }
    }

    #[test]
    fn sections_are_tables() {
        let text =
            "[options.extras_require]\ndev =\n  a\n  # no\n  b\n[options]\nInstall-Requires = x\n[tool:pytest]\nk: 1\n";
        let expected = json!({
            "options": {"extras_require": {"dev": ["a", "b"]}, "install_requires": ["x"]},
            "tool:pytest": {"k": ["1"]},
        });
        assert_eq!(ini(text), Some(expected));
    }

    #[test]
    fn metadata_of_scripts() {
        let text = "#!/usr/bin/env python3\n# /// script\n# dependencies = [\n#   \"x\",\n# ]\n# ///\nimport x\n";
        assert_eq!(script(text.as_bytes()).as_deref(), Some("dependencies = [\n  \"x\",\n]\n"));
        assert_eq!(script(b"# about `# /// script` blocks\nx = 1\n"), None);
        let rust = "#!/usr/bin/env cargo\n---cargo\n[dependencies]\nx = \"1\"\n---\nfn main() {}\n";
        assert_eq!(cargo_script(rust.as_bytes()).as_deref(), Some("[dependencies]\nx = \"1\"\n"));
        assert_eq!(cargo_script(b"fn main() {}\n"), None);
    }
}
