//! Packages that a newer Rust does not compile.

use gephost_gene::failures::{Cause, Failure};

use super::cases::Files;
use crate::plan::{Draft, drafts};

/// What cargo prints for an error in a package.
fn error(package: &str, code: &str, message: &str) -> String {
    format!(
        "   Compiling {package}\nerror[{code}]: {message}\n  --> \
         /home/u/.cargo/registry/src/index.example-1949cf8c6b5b557f/{package}/src/a.rs:83:9\n   |\n83 |     let items = \
         x\n   |         ^^^^^\n\nerror: could not compile `x` (lib) due to 1 previous error\n"
    )
}

fn time() -> String {
    error("time-0.3.30", "E0282", "type annotations needed for `Box<_>`")
}

fn candidates(output: &str, files: &[(&str, &str)]) -> Vec<Draft> {
    super::cases::candidates("cargo test", output, files)
}

/// The first candidate's only file.
fn first(output: &str, files: &[(&str, &str)]) -> Option<(String, String)> {
    candidates(output, files).into_iter().next()?.files.into_iter().next()
}

#[test]
fn requirements_are_raised_in_every_table_and_form() {
    for (before, after) in [
        ("[dependencies]\ntime = \"0.3\" # \"0.3\"\n", "[dependencies]\ntime = \"0.3.35\" # \"0.3\"\n"),
        ("[dependencies]\r\ntime='=0.3.30'\r\n", "[dependencies]\r\ntime='=0.3.35'\r\n"),
        (
            "dependencies.time = { features = [\"parsing\"], version = \"0.3.30\" }\n",
            "dependencies.time = { features = [\"parsing\"], version = \"0.3.35\" }\n",
        ),
        ("[dev-dependencies.time]\nversion = \"^0.3.1\"\n", "[dev-dependencies.time]\nversion = \"^0.3.35\"\n"),
        ("[workspace.dependencies]\ntime = \"~0.3.2\"\n", "[workspace.dependencies]\ntime = \"~0.3.35\"\n"),
        (
            "[target.'cfg(unix)'.build-dependencies]\nclock = { package = \"time\", version = \">=0.3.9\" }\n",
            "[target.'cfg(unix)'.build-dependencies]\nclock = { package = \"time\", version = \">=0.3.35\" }\n",
        ),
        (
            "[dependencies]\nold = { package = \"time\", version = \"0.1\" }\ntime = \"0.3\"\n[dev-dependencies]\ntime = \"0.3.5\"\n",
            "[dependencies]\nold = { package = \"time\", version = \"0.1\" }\ntime = \"0.3.35\"\n[dev-dependencies]\ntime = \"0.3.35\"\n",
        ),
    ] {
        let found = first(&time(), &[("Cargo.toml", before)]);
        assert_eq!(found, Some(("Cargo.toml".to_owned(), after.to_owned())), "{before}");
        assert!(candidates(&time(), &[("Cargo.toml", after)]).is_empty(), "repaired twice: {after}");
    }
}

#[test]
fn manifests_without_the_broken_release_stay() {
    for manifest in [
        "[dependencies]\ntimes = \"0.3\"\n",
        "[dependencies]\ntime = { package = \"other\", version = \"0.3\" }\n",
        "[dependencies]\ntime = { path = \"time\", version = \"0.3\" }\n",
        "[dependencies]\ntime = { git = \"https://example.com/time\" }\n",
        "[dependencies]\ntime = { version = \"0.3\", registry = \"own\" }\n",
        "[dependencies]\ntime.workspace = true\n",
        "[dependencies]\ntime = \"0.1.40\"\n",
        "[dependencies]\ntime = \"0.3.40\"\n",
        "[dependencies]\ntime = \">=0.3, <0.3.31\"\n",
        "[dependencies]\ntime = \"*\"\n",
        "[dependencies]\ntime = '''0.3'''\n",
        "[dependencies]\ntime = \"0\\u002e3\"\n",
        "[dependencies]\ntime = \"0.3\"\n[patch.crates-io]\ntime = { path = \"t\" }\n",
        "[package.metadata.dependencies]\ntime = \"0.3\"\n",
        "[features]\ntime = [\"0.3\"]\n",
        "# [dependencies]\n# time = \"0.3\"\n",
        "[dependencies]\ntime = \"0.3\n",
        "[dependencies]\ntime = 3\n",
        "dependencies = \"time\"\n",
    ] {
        assert!(candidates(&time(), &[("Cargo.toml", manifest)]).is_empty(), "{manifest}");
    }
}

#[test]
fn other_errors_and_other_packages_give_no_candidate() {
    const MANIFEST: &str = "[dependencies]\ntime = \"0.3\"\nother = \"1\"\n";
    for output in [
        error("time-0.3.30", "E0308", "mismatched types"),
        error("time-0.3.35", "E0282", "type annotations needed"),
        error("time-0.2.27", "E0282", "type annotations needed"),
        error("time-0.3.30-beta.1", "E0282", "type annotations needed"),
        error("time-macros-0.2.15", "E0282", "type annotations needed"),
        error("other-1.0.0", "E0282", "type annotations needed"),
        time().replace("registry/src", "src"),
        time().replace("error[", "warning["),
        "error[E0282]: x\nerror: aborting\n".to_owned(),
    ] {
        assert!(candidates(&output, &[("Cargo.toml", MANIFEST)]).is_empty(), "{output}");
    }
    let found = first(
        &error("rustc-serialize-0.3.24", "E0310", "too short"),
        &[("Cargo.toml", "[dependencies]\nrustc-serialize = \"0.3.24\"\n")],
    );
    assert!(found.is_some_and(|(_, content)| content.ends_with("\"0.3.25\"\n")));
}

const LOCK: &str = "version = 4\n\n[[package]]\nname = \"cookie\"\nversion = \"0.18.1\"\nsource = \"registry+x\"\ndependencies = \
                    [\n \"time\",\n]\n\n[[package]]\nname = \"time\"\nversion = \"0.3.30\"\nsource = \
                    \"registry+x\"\n\n[[package]]\nname = \"x\"\nversion = \"0.1.0\"\n";

#[test]
fn the_lock_file_changes_only_if_no_manifest_has_the_package() {
    let without = LOCK.replace("[[package]]\nname = \"time\"\nversion = \"0.3.30\"\nsource = \"registry+x\"\n\n", "");
    let manifest = "[dependencies]\ncookie = \"0.18\"\n";
    let found = first(&time(), &[("Cargo.toml", manifest), ("Cargo.lock", LOCK)]);
    assert_eq!(found, Some(("Cargo.lock".to_owned(), without)));
    let found = first(&time(), &[("Cargo.toml", "[dependencies]\ntime = \"0.3\"\n"), ("Cargo.lock", LOCK)]);
    assert_eq!(found.map(|(path, _)| path).as_deref(), Some("Cargo.toml"));
    for lock in [
        LOCK.replace("0.3.30", "0.3.29"),
        LOCK.replace("\"time\"\nv", "\"times\"\nv"),
        LOCK.replace("registry+x", "git+x"),
        LOCK.replace("[[package]]", "# [[package]]"),
    ] {
        assert!(candidates(&time(), &[("Cargo.toml", manifest), ("Cargo.lock", &lock)]).is_empty(), "{lock}");
    }
}

#[test]
fn the_first_candidate_changes_all_manifests_of_the_project() {
    const MANIFEST: &str = "[dependencies]\ntime = \"0.3\"\n";
    let files = [("a/Cargo.toml", MANIFEST), ("Cargo.toml", MANIFEST), ("node_modules/a/Cargo.toml", MANIFEST)];
    let paths = |draft: &Draft| draft.files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    let found: Vec<Vec<String>> = candidates(&time(), &files).iter().map(paths).collect();
    assert_eq!(found, [vec!["Cargo.toml", "a/Cargo.toml"], vec!["Cargo.toml"], vec!["a/Cargo.toml"]]);
}

#[test]
fn a_command_that_forbids_a_new_lock_file_gives_a_note() {
    let mut files = Files::of(&[("Cargo.toml", "[dependencies]\ntime = \"0.3\"\n"), ("Cargo.lock", LOCK)]);
    let failure = |input: &str| Failure { event: 7, input: input.to_owned(), output: time() };
    let cause = Cause { id: "tool-failures:Bash".to_owned(), events: vec![7] };
    assert!(drafts(std::slice::from_ref(&cause), &[failure("cargo test --locked")], &mut files).is_empty());
    assert!(files.notes.iter().any(|note| note.contains("Cargo.lock")), "{:?}", files.notes);
    assert_eq!(drafts(&[cause], &[failure("cargo test --offline")], &mut files).len(), 1);
}
