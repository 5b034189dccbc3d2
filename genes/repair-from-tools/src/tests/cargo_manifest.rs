//! What cargo 1.95 and rustc ask of a manifest.

use super::cases::repaired;

#[test]
fn a_condition_is_declared() {
    let block = |name: &str| {
        format!(
            "error: unexpected `cfg` condition name: `{name}`\n --> src/lib.rs:1:7\n  |\n1 | #[cfg({name})]\n  |       ^^^^\n  |\n  = help: expected names are: `docsrs`, `feature`, and `test` and 31 more\n  = help: consider using a Cargo feature instead\n  = help: or consider adding in `Cargo.toml` the `check-cfg` lint config for the lint:\n           [lints.rust]\n           unexpected_cfgs = {{ level = \"warn\", check-cfg = ['cfg({name})'] }}\n\n"
        )
    };
    let case = |manifest: &str, output: &str| {
        repaired("cargo build", output, &[("Cargo.toml", manifest), ("src/lib.rs", "#[cfg(has_i128)]\nfn f() {}\n")])
    };
    let both = format!("{}{}", block("has_i128"), block("ci"));
    let line = "unexpected_cfgs = { level = \"warn\", check-cfg = ['cfg(ci)', 'cfg(has_i128)'] }\n";
    let plain = "[package]\nname = \"a\"\n";
    assert_eq!(case(plain, &both), Some(format!("{plain}\n[lints.rust]\n{line}")));
    let linted = "[package]\nname = \"a\"\n\n[lints.rust]\nunsafe_code = \"deny\"\n";
    let expected = linted.replace("[lints.rust]\n", &format!("[lints.rust]\n{line}"));
    assert_eq!(case(linted, &both), Some(expected));
    // The manifest has its own words on the lint, or takes them from the workspace; the name may be misspelled.
    for other in ["[lints.rust]\nunexpected_cfgs = \"warn\"\n", "[lints]\nworkspace = true\n"] {
        assert_eq!(case(other, &both), None, "{other}");
    }
    let close = block("tset")
        .replace("  = help: consider", "help: there is a config with a similar name: `test`\n  = help: consider");
    assert_eq!(case(plain, &close), None);
    assert_eq!(case(plain, &block("ci").replace("error:", "warning:")), None, "a warning does not fail");
}

#[test]
fn a_folder_that_is_not_there_is_left_to_the_registry() {
    const OUTPUT: &str = "error: failed to load manifest for dependency `nodrop`\n\nCaused by:\n  failed to read `/w/a/crates/nodrop/Cargo.toml`\n\nCaused by:\n  No such file or directory (os error 2)\n";
    let case = |entry: &str| {
        let manifest = format!("[dependencies]\n{entry}\n");
        let text = repaired("cargo build", OUTPUT, &[("Cargo.toml", &manifest)])?;
        Some(text.strip_prefix("[dependencies]\n")?.trim_end().to_owned())
    };
    for (entry, expected) in [
        ("nodrop = { version = \"0.1.6\", path = \"crates/nodrop\" }", Some("nodrop = { version = \"0.1.6\" }")),
        ("nodrop = { path = \"crates/nodrop\", version = \"0.1.6\" }", Some("nodrop = { version = \"0.1.6\" }")),
        (
            "[dependencies.nodrop]\nversion = \"0.1\"\npath = \"crates/nodrop\"",
            Some("[dependencies.nodrop]\nversion = \"0.1\""),
        ),
        ("nodrop = { path = \"crates/nodrop\" }", None),
        ("nodrop = { version = \"1\", path = \"crates/other\" }", None),
        ("nodrop = { version = \"1\", git = \"x\", path = \"crates/nodrop\" }", None),
    ] {
        assert_eq!(case(entry).as_deref(), expected, "{entry}");
    }
    let manifest = "[dependencies]\nnodrop = { version = \"1\", path = \"crates/nodrop\" }\n";
    let moved = [("Cargo.toml", manifest), ("lib/nodrop/Cargo.toml", "[package]\nname = \"nodrop\"\n")];
    assert_eq!(repaired("cargo build", OUTPUT, &moved), None, "the package is in another folder");
}
