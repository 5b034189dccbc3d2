//! Unit tests of a gene in Rust, which run natively, with the host of the SDK.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gephost_core::pattern::PathGlob;
use gephost_gene::testing::Host;
use gephost_gene::{HostError, workspace};
use gephost_tests::environment::TestEnv;
use gephost_tests::repository;

use super::project;

/// Runs cargo offline, with a target folder that lasts.
fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", repository().join("target/author-tests"))
        .env("CARGO_NET_OFFLINE", "true")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap()
}

#[test]
fn cargo_test_passes_in_a_new_project_and_fails_if_the_gene_is_wrong() {
    let env = TestEnv::new();
    let Some((_place, folder)) = project(&env, "rust") else { return };
    let test = || cargo(&folder, &["test", "--locked", "--quiet"]);
    let text = |output: &Output| format!("{}{}", str(&output.stdout), str(&output.stderr));
    let passed = test();
    assert!(passed.status.success(), "{}", text(&passed));
    assert!(text(&passed).contains("3 passed") && !text(&passed).contains("warning"), "{}", text(&passed));
    let source = folder.join("src/lib.rs");
    let gene = fs::read_to_string(&source).unwrap();
    fs::write(&source, gene.replace("workspace::glob(\"**/*.sh\"", "workspace::glob(\"**/*.md\"")).unwrap();
    let failed = test();
    assert!(!failed.status.success() && text(&failed).contains("1 failed"), "{}", text(&failed));
}

#[test]
fn the_unit_test_of_the_example_passes() {
    let tested = cargo(&repository().join("examples/genes/rust"), &["test", "--locked", "--quiet"]);
    let text = format!("{}{}", str(&tested.stdout), str(&tested.stderr));
    assert!(tested.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn the_sdk_is_a_crate_that_can_be_packaged_with_the_contract() {
    let packaged = cargo(
        &repository(),
        &["package", "--package", "gephost-gene", "--allow-dirty", "--no-verify", "--locked", "--quiet"],
    );
    assert!(packaged.status.success(), "{}", str(&packaged.stderr));
    assert_eq!(str(&packaged.stderr), "", "cargo has no warning");
    let file = repository().join("target/author-tests/package/gephost-gene-0.1.0.crate");
    let unpacked = tempfile::tempdir().unwrap();
    let status = Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(unpacked.path()).status().unwrap();
    assert!(status.success());
    let read = |path: &str| fs::read_to_string(unpacked.path().join("gephost-gene-0.1.0").join(path)).unwrap();
    assert_eq!(read("wit/gene.wit"), include_str!("../../../wit/v0.1.2/gene.wit"));
    for (path, begin) in [("README.md", "Write a gene"), ("LICENSE-MIT", "MIT License"), ("src/testing/mod.rs", "//!")]
    {
        assert!(read(path).starts_with(begin), "{path}: {}", read(path));
    }
}

fn str(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_host_of_unit_tests_reads_globs_as_gephost_does() {
    let paths = [
        "a",
        "a.sh",
        "b/a.sh",
        "b/c/a.sh",
        "b/c/d/x.py",
        ".env",
        "b/.hidden",
        "ä.md",
        "a+b(c).txt",
        "[x]",
        "a,b",
        "b/[",
        "{a}",
        "A.SH",
        "a^b",
        "a-b",
        "b/ab",
    ];
    let patterns = [
        "*",
        "**",
        "**/*",
        "*.sh",
        "**/*.sh",
        "b/**",
        "b/**/*.sh",
        "**/c/**",
        "b/*",
        "b/*/a.sh",
        "?",
        "??sh",
        "a?sh",
        "[ab]",
        "[a-c]*",
        "[!a]*",
        "[^a]*",
        "a[+]b(c).txt",
        "a+b(c).*",
        "*.{sh,py}",
        "**/*.{sh,py}",
        "{a,b/**}",
        "b/{c,d}/**",
        "{a*,b}*",
        "a**",
        "**a",
        "b**/a.sh",
        "/a",
        "./a",
        "a/",
        ".*",
        "*/.*",
        "[[]x]",
        "[]x]*",
        "\\[x\\]",
        "a\\,b",
        "a,b",
        "\\{a\\}",
        "",
        "[",
        "{a",
        "a}",
        "[!]",
        "[a",
        "\\",
        "a^b",
        "[a^]*",
        "a[-x]b",
        "ä*",
        "**/**",
        "b//a.sh",
        "{,b/}a.sh",
        "{a,{b/*,x}}",
    ];
    let host = paths.iter().fold(Host::new(), |host, path| host.file(path, ""));
    host.run(|| {
        let mut differing = Vec::new();
        for pattern in patterns {
            let ours = workspace::glob(pattern, 1000).map(|found| found.into_iter().map(|entry| entry.path).collect());
            let ours: Result<Vec<String>, _> = ours;
            let Ok(theirs) = PathGlob::new(pattern) else {
                if !matches!(ours, Err(HostError::Invalid(_))) {
                    differing.push(format!("{pattern}: {ours:?}, gephost refuses it"));
                }
                continue;
            };
            let mut expected: Vec<&str> = paths.into_iter().filter(|path| theirs.is_match(path)).collect();
            expected.sort_unstable();
            if ours.as_ref().ok().is_none_or(|ours| *ours != expected) {
                differing.push(format!("{pattern}: {ours:?}, gephost {expected:?}"));
            }
        }
        assert_eq!(differing, Vec::<String>::new());
        assert!(matches!(workspace::glob("[[:alpha:]]", 1), Err(HostError::Invalid(_))));
    });
}
