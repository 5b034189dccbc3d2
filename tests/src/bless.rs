//! Files that are made from the program and committed: compared with what they must hold, or written anew.

use std::fs;

use crate::repository;

/// Fails unless the file at this path of the repository holds `expected`. `GEPHOST_BLESS=1` writes it instead.
pub fn holds_or_bless(path: &str, expected: &str) {
    let file = repository().join(path);
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, expected).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    let differs = committed.lines().zip(expected.lines()).position(|(old, new)| old != new);
    let line = differs.unwrap_or_else(|| committed.lines().count().min(expected.lines().count())) + 1;
    assert!(
        committed == expected,
        "{path} is out of date from line {line} on: run this test with GEPHOST_BLESS=1 and commit the file"
    );
}
