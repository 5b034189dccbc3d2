//! Notes, keys and proofs of the log's checkpoints: of any bytes, and of sound ones that were damaged.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/checkpoint.rs"]
mod checks;

fuzz_target!(|bytes: &[u8]| {
    checks::check_checkpoint(bytes);
    checks::check_checkpoint(&checks::damaged(&checks::sound(), bytes));
});
