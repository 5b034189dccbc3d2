//! Packages of npm that use what Node removed or deprecated.

use std::process::Command;

use gephost_tests::is_installed;

use gephost_tests::registry::Archive;

use super::{fetched, repair};

/// A release; if it cannot be downloaded, `None` and a line that says why.
fn release(name: &str) -> Option<Archive> {
    let arguments = ["pack", "--silent", "--fetch-retries=1", "--fetch-timeout=20000", name];
    is_installed("node").then(|| fetched(Command::new("npm").args(arguments))).flatten()
}

#[test]
fn temp_0_5_can_be_required_again() {
    if let Some(fetched) = release("temp@0.5.0") {
        repair(&fetched, &["node", "-e", "require('./lib/temp')"], "tmpDir");
    }
}

#[test]
fn graceful_fs_3_0_8_can_be_required_again() {
    if let Some(fetched) = release("graceful-fs@3.0.8") {
        let reads =
            "require('./graceful-fs').readFile('fs.js', (error, text) => { if (error || !text.length) throw 1 })";
        repair(&fetched, &["node", "-e", reads], "primordials");
    }
}

#[test]
fn ip_1_0_1_makes_buffers_under_throw_deprecation() {
    if let Some(fetched) = release("ip@1.0.1") {
        let asks = "const { toBuffer, mask } = require('./lib/ip'); if (toBuffer('10.0.0.1').length !== 4) throw 1; \
                    if (mask('10.1.2.3', '255.255.0.0') !== '10.1.0.0') throw 2";
        repair(&fetched, &["node", "--throw-deprecation", "-e", asks], "Buffer() is deprecated");
    }
}
