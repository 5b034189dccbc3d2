//! The custom section `gephost:gene`, of any bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/manifest.rs"]
mod checks;

fuzz_target!(|bytes: &[u8]| checks::check_manifest(bytes));
