//! The checks before compiling, of any bytes. `genes/dist` and `tests/fixtures/frozen` hold seeds.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/component.rs"]
mod checks;

fuzz_target!(|bytes: &[u8]| checks::check_component(bytes));
