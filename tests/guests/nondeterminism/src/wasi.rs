//! WASI's random interfaces, called directly. The standard library uses only one of them, for the seeds of its maps.

#![expect(clippy::pedantic, unreachable_pub, reason = "generated from the interfaces below")]

mod bindings {
    wit_bindgen::generate!({
        inline: "
            package gephost:guests;

            world chance {
                import wasi:random/random@0.2.0;
                import wasi:random/insecure@0.2.0;
                import wasi:random/insecure-seed@0.2.0;
            }

            package wasi:random@0.2.0 {
                interface random {
                    get-random-bytes: func(len: u64) -> list<u8>;
                    get-random-u64: func() -> u64;
                }
                interface insecure {
                    get-insecure-random-bytes: func(len: u64) -> list<u8>;
                    get-insecure-random-u64: func() -> u64;
                }
                interface insecure-seed {
                    insecure-seed: func() -> tuple<u64, u64>;
                }
            }
        ",
        generate_all,
    });
}

use bindings::wasi::random::{insecure, insecure_seed, random};

/// Some values from each interface.
pub fn random() -> String {
    crate::digest(&(
        random::get_random_bytes(1000),
        random::get_random_u64(),
        insecure::get_insecure_random_bytes(1000),
        insecure::get_insecure_random_u64(),
        insecure_seed::insecure_seed(),
    ))
}
