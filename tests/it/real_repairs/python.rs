//! Releases of PyPI that use names which Python removed.

use std::process::Command;

use super::{Fetched, repair};

/// The source of a release; `None`, with a word, where it cannot be had.
fn release(requirement: &str) -> Option<Fetched> {
    let mut pip = Command::new("python3");
    let quiet = ["--disable-pip-version-check", "--retries", "1", "--timeout", "20"];
    Fetched::by(
        pip.args(["-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]).args(quiet).arg(requirement),
    )
}

#[test]
fn frozendict_1_2_can_be_imported_again() {
    if let Some(fetched) = release("frozendict==1.2") {
        repair(&fetched, &["python3", "-B", "-c", "import frozendict"], "collections");
    }
}
