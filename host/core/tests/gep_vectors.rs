//! The vectors of the protocol: canonical JSON and asset ids (seed 000 "Asset ID", seed 001, seed 002).
//!
//! The ids were computed by another implementation of the protocol, so they hold this one to account.

#![expect(clippy::needless_raw_string_hashes, reason = "the vectors are written in one form, with quotes or without")]

use gephost_core::digest::{Identifier, MAX_ASSET_BYTES, StrictError, Verification, asset_id, read_value, verify};

/// An input text, and the SHA-256 part of its asset id.
const VECTORS: &[(&str, &str)] = &[
    (r#"{}"#, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    (
        r#"{"b":1,"a":[3,1,2],"c":{"z":null,"y":true}}"#,
        "696bc812177546b0bbc2f2906197aebc2f6fd3951c8e02b1e48a812e10d7efff",
    ),
    (r#"{"a":null}"#, "d091f9c83c091f79652fe8786375b3fe4ce0861a56f5bfbafedbe431877ff0e8"),
    (
        r#"{"a":1.0,"b":1e21,"c":1e-7,"d":0.1,"e":-0,"f":100000000000000000000,"g":123456789012345680000,"h":5e-324,"i":1e20,"j":0.000001}"#,
        "66d5673d3a87dfad789d5ebb62b3bfe55d0a9200adf14a6ac130081273e6e379",
    ),
    (r#"{"n":9007199254740993}"#, "66c87d9cb3014e05a11baa97df62282d89d425f22ee15816577c84534e2ef1bb"),
    (r#"{"n":-0.0}"#, "f3013f933b9fb80ab6d995e7ad9da36f683837ba1d81e950c943d40111eac2f0"),
    (r#"{"n":1.0}"#, "2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd"),
    (r#"{"s":"\u4e2d"}"#, "1aadeb285c19a00c51bb02ed5b01b4b11b187f59978f8389f74b40a209a7c814"),
    (r#"{"s":"a/b"}"#, "9c264114e98db725a30993f561fc16c317f85758d9919128ca9102281570bd83"),
    (r#"{"s":"\u0000"}"#, "62513fe72a719571b616a08616df5bf074374d1403872d81b99d7b4c6d67f5c7"),
    (
        r#"{"\ue000":1,"\ud83e\uddec":2,"a":3,"B":4,"_":5,"10":6,"9":7,"é":8}"#,
        "83eaf3d53cc78ae95a529a265c48d702d198cdde53d9c2c5d8a4f64713bc3fba",
    ),
    (
        r#"{"type":"X","asset_id":"sha256:0","inner":{"asset_id":"sha256:1","v":1}}"#,
        "c61c10654b0aa1e03195bf512dc751067f5320ebd94136aab45280953d008aa1",
    ),
    (r#"{"__proto__":{"a":1},"b":2}"#, "0ab1a6d394cd30195f0642b67ae1180c375ffadf5dd7f39c390668b5fdb6da93"),
    (
        r#"{"type":"Gene","schema_version":"1.5.0","category":"repair","signals_match":["TimeoutError"],"summary":"Retry with exponential backoff on timeout errors"}"#,
        "1c378f08f5cf0f2ad82f3f8a695aec9610137b5708dbff31d38fe2fe29176919",
    ),
    (
        r#"{"type":"Gene","schema_version":"1.5.0","id":"gene_x","category":"repair","signals_match":["error","/time.?out/i","失败|失敗"],"strategy":["a","b"],"constraints":{"max_files":20,"forbidden_paths":[".git","node_modules"]},"validation":["node --test test/a.test.js"]}"#,
        "41ca01f3ca3d79851d081ed5b6999c62756ceab4aac8bb04ce952df0b6ffa44e",
    ),
    (
        r#"{"type":"EvolutionEvent","schema_version":"1.5.0","id":"evt_1","parent":null,"intent":"repair","signals":["log_error"],"genes_used":["gene_x"],"blast_radius":{"files":1,"lines":2},"outcome":{"status":"success","score":0.85},"capsule_id":"capsule_1"}"#,
        "4a3a62e62d3782efbaf86ab52741f2c8d41773bd50737d69c1c1fe29cacfc5b9",
    ),
];

/// The two capsules that seed 001 prints, changed after they were hashed, and the ids of what is printed.
const EDITED_CAPSULES: &[(&str, &str)] = &[
    (
        r#"{
  "type": "Capsule",
  "schema_version": "1.5.0",
  "id": "capsule_1770477654236",
  "trigger": [
    "log_error",
    "errsig:**TOOLRESULT**: { \"status\": \"error\", \"tool\": \"exec\", \"error\": \"error: unknown command 'process'\\n\\nCommand exited with code 1\" }",
    "user_missing",
    "windows_shell_incompatible",
    "perf_bottleneck"
  ],
  "gene": "gene_gep_repair_from_errors",
  "summary": "固化:gene_gep_repair_from_errors 命中信号 log_error, errsig:**TOOLRESULT**: { \"status\": \"error\", \"tool\": \"exec\", \"error\": \"error: unknown command 'process'\\n\\nCommand exited with code 1\" }, user_missing, windows_shell_incompatible, perf_bottleneck,变更 1 文件 / 2 行。",
  "confidence": 0.85,
  "blast_radius": {
    "files": 1,
    "lines": 2
  },
  "outcome": {
    "status": "success",
    "score": 0.85
  },
  "success_streak": 1,
  "env_fingerprint": {
    "node_version": "v22.22.0",
    "platform": "linux",
    "arch": "x64",
    "os_release": "6.1.0-42-cloud-amd64",
    "evolver_version": "1.7.0",
    "cwd": ".",
    "captured_at": "2026-02-07T15:20:54.155Z"
  },
  "a2a": {
    "eligible_to_broadcast": false
  },
  "asset_id": "sha256:3eed0cd5038f9e85fbe0d093890e291e9b8725644c766e6cce40bf62d0f5a2e8"
}"#,
        "sha256:fba4520c40da3c79af25d3cece08f45af8e86ec031ac298dca57168c0a7b56b3",
    ),
    (
        r#"{
  "type": "Capsule",
  "schema_version": "1.5.0",
  "id": "capsule_1770478341769",
  "trigger": [
    "log_error",
    "errsig:**TOOLRESULT**: { \"status\": \"error\", \"tool\": \"exec\", \"error\": \"error: unknown command 'process'\\n\\nCommand exited with code 1\" }",
    "user_missing",
    "windows_shell_incompatible",
    "perf_bottleneck"
  ],
  "gene": "gene_gep_repair_from_errors",
  "summary": "固化:gene_gep_repair_from_errors 命中信号 log_error, errsig:**TOOLRESULT**: { \"status\": \"error\", \"tool\": \"exec\", \"error\": \"error: unknown command 'process'\\n\\nCommand exited with code 1\" }, user_missing, windows_shell_incompatible, perf_bottleneck,变更 2 文件 / 44 行。",
  "confidence": 0.85,
  "blast_radius": {
    "files": 2,
    "lines": 44
  },
  "outcome": {
    "status": "success",
    "score": 0.85
  },
  "success_streak": 1,
  "env_fingerprint": {
    "node_version": "v22.22.0",
    "platform": "linux",
    "arch": "x64",
    "os_release": "6.1.0-42-cloud-amd64",
    "evolver_version": "1.7.0",
    "cwd": ".",
    "captured_at": "2026-02-07T15:32:21.678Z"
  },
  "a2a": {
    "eligible_to_broadcast": false
  },
  "asset_id": "sha256:20d971a3c4cb2b75f9c045376d1aa003361c12a6b89a4b47b7e81dbd4f4d8fe8"
}"#,
        "sha256:0b2a95e71f943589100df90256b81e0672466c60045834d9d7e6ca0bd7a38906",
    ),
];

/// The id of a text by way of its value, and straight from the text.
fn id_of(text: &str) -> String {
    let value = read_value(text.as_bytes(), MAX_ASSET_BYTES).expect(text);
    let id = asset_id(&value).expect(text);
    assert_eq!(Identifier::new().identify(text.as_bytes(), MAX_ASSET_BYTES).expect(text).computed, id, "{text}");
    id
}

#[test]
fn every_vector_has_its_id() {
    for (text, hash) in VECTORS {
        assert_eq!(id_of(text), format!("sha256:{hash}"), "{text}");
    }
}

#[test]
fn other_spellings_of_a_vector_have_its_id() {
    assert_eq!(id_of(r#"{"n":1}"#), id_of(r#"{"n":1.0}"#));
    assert_eq!(id_of(r#"{"n":1}"#), id_of(r#"{"n":10e-1}"#));
    assert_eq!(id_of(r#"{"s":"中"}"#), id_of(r#"{"s":"\u4e2d"}"#));
    assert_eq!(id_of(r#"{"n":9007199254740993}"#), id_of(r#"{"n":9007199254740992}"#));
    assert_ne!(id_of(r#"{"a":null}"#), id_of("{}"));
}

#[test]
fn only_the_top_level_asset_id_is_left_out() {
    let plain = id_of(r#"{"type":"X","inner":{"asset_id":"sha256:1","v":1}}"#);
    assert_eq!(plain, id_of(r#"{"type":"X","asset_id":null,"inner":{"asset_id":"sha256:1","v":1}}"#));
    assert_ne!(plain, id_of(r#"{"type":"X","inner":{"v":1}}"#));
}

#[test]
fn proto_is_hashed_everywhere_but_at_the_top() {
    assert_eq!(id_of(r#"{"__proto__":3,"b":2}"#), id_of(r#"{"b":2}"#));
    let nested = "sha256:55bd28989fde78a95333a7d0656a39806748032aff6729d2fc0efc279f67589d";
    assert_eq!(id_of(r#"{"x":{"__proto__":{"a":1}},"b":2}"#), nested);
}

#[test]
fn a_lone_surrogate_is_refused_where_other_tools_hash_it() {
    let text = r#"{"summary":"固化：命中","emoji":"🧬","lone":"\ud800","esc":"\u2028\u007f\u0001\b\t\"/\\<>&é"}"#;
    let refused = read_value(text.as_bytes(), MAX_ASSET_BYTES).expect_err("half a pair");
    assert!(matches!(refused, StrictError::LoneSurrogate { line: 1, .. }), "{refused}");
}

#[test]
fn the_capsules_printed_in_seed_001_do_not_verify() {
    for (text, computed) in EDITED_CAPSULES {
        let value = read_value(text.as_bytes(), MAX_ASSET_BYTES).expect("strict JSON");
        let stated = value["asset_id"].as_str().expect("a stated id").to_owned();
        let expect = Verification::Mismatch { stated, computed: (*computed).to_owned() };
        assert_eq!(verify(&value).expect("an object"), expect);
        assert_eq!(Identifier::new().verify(text.as_bytes(), MAX_ASSET_BYTES).expect("an object"), expect);
    }
}

#[test]
fn verification_is_exact() {
    let stated = |id: &str| {
        let text = format!(r#"{{"b":1,"a":[3,1,2],"c":{{"z":null,"y":true}},"asset_id":"{id}"}}"#);
        let verified = verify(&read_value(text.as_bytes(), MAX_ASSET_BYTES).expect("strict JSON")).expect("an object");
        assert_eq!(Identifier::new().verify(text.as_bytes(), MAX_ASSET_BYTES).expect("an object"), verified);
        verified
    };
    let right = id_of(r#"{"b":1,"a":[3,1,2],"c":{"z":null,"y":true}}"#);
    assert_eq!(stated(&right), Verification::Match);
    for wrong in [right.to_uppercase(), format!("{right} "), right.replace("sha256:", ""), String::new()] {
        let computed = right.clone();
        assert_eq!(stated(&wrong), Verification::Mismatch { stated: wrong.clone(), computed });
    }
    let without = read_value(b"{}", 10).expect("strict JSON");
    assert!(matches!(verify(&without).expect("an object"), Verification::Missing { .. }));
    let number = read_value(br#"{"asset_id":7}"#, 20).expect("strict JSON");
    assert!(matches!(verify(&number).expect("an object"), Verification::Mismatch { stated, .. } if stated == "7"));
    assert!(verify(&serde_json::Value::Null).is_err());
}
