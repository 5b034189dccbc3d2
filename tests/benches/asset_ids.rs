//! `cargo bench --workspace --bench asset_ids`: what it costs to verify the ids of 100,000 assets of 1 KiB on one core, and the
//! ratio to SHA-256 alone over the same bytes.
//!
//! Reading is strict, as for every asset from outside. Times are wall times, each the median of some rounds, in one process.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gephost_core::digest::{Identifier, MAX_ASSET_BYTES, Verification, read_object, seal, sha256_hex, verify_members};
use gephost_tests::measure::median;

const ASSETS: usize = 100_000;
const ROUNDS: usize = 5;

fn main() {
    let texts: Vec<String> = (0..ASSETS).map(asset).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{ASSETS} assets, {} bytes each on average", bytes / ASSETS);
    let bare = time(|| {
        for text in &texts {
            black_box(sha256_hex(text.as_bytes()));
        }
    });
    let read = time(|| {
        for text in &texts {
            black_box(read_object(text.as_bytes(), MAX_ASSET_BYTES).unwrap());
        }
    });
    let by_value = time(|| {
        for text in &texts {
            let members = read_object(text.as_bytes(), MAX_ASSET_BYTES).unwrap();
            assert_eq!(verify_members(&members).unwrap(), Verification::Match);
        }
    });
    let mut identifier = Identifier::new();
    let verified = time(|| {
        for text in &texts {
            assert_eq!(identifier.verify(text.as_bytes(), MAX_ASSET_BYTES).unwrap(), Verification::Match);
        }
    });
    // As another tool may write them: white space between everything.
    let spaced: Vec<String> = texts.iter().map(|text| spaced(text)).collect();
    let of_spaced = time(|| {
        for text in &spaced {
            assert_eq!(identifier.verify(text.as_bytes(), MAX_ASSET_BYTES).unwrap(), Verification::Match);
        }
    });
    for (what, time) in [
        ("SHA-256 alone", bare),
        ("reading alone, as values", read),
        ("reading as values and verifying", by_value),
        ("verifying", verified),
        ("verifying texts with white space", of_spaced),
    ] {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let each = ASSETS as f64 / time.as_secs_f64();
        println!("{what}: {:.3} s, {each:.0} a second", time.as_secs_f64());
    }
    let ratio = |time: Duration| bare.as_secs_f64() / time.as_secs_f64();
    println!("ratio to SHA-256 alone: {:.2} (as values {:.2})", ratio(verified), ratio(by_value));
}

fn spaced(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

fn time(mut work: impl FnMut()) -> Duration {
    median(ROUNDS, || {
        let start = Instant::now();
        work();
        start.elapsed()
    })
}

/// A capsule of about 1 KiB, as a tool of the protocol writes it, with its id.
fn asset(number: usize) -> String {
    let text = format!(
        r#"{{"type":"Capsule","schema_version":"1.5.0","id":"capsule_{number}","trigger":["log_error","errsig:TypeError: cannot read property {number} of undefined"],"gene":"gene_gep_repair_from_errors","summary":"Guard the access to property {number}, which an older answer of the service does not have. {}","confidence":0.85,"blast_radius":{{"files":1,"lines":{}}},"outcome":{{"status":"success","score":0.85}},"success_streak":1,"env_fingerprint":{{"node_version":"v22.22.0","platform":"linux","arch":"x64","os_release":"6.1.0","cwd":".","captured_at":"2026-02-07T15:20:54.155Z"}},"a2a":{{"eligible_to_broadcast":false}}}}"#,
        "The test of the service covers both answers now. ".repeat(6),
        number % 200 + 1
    );
    let mut members = read_object(text.as_bytes(), MAX_ASSET_BYTES).unwrap();
    seal(&mut members).unwrap();
    serde_json::to_string(&members).unwrap()
}
