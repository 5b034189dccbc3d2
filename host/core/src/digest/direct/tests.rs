use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Map;

use super::super::MAX_ASSET_BYTES;
use super::*;

/// The asset id as a library of canonical JSON gives it.
fn oracle(members: &Map<String, Value>) -> String {
    let mut members = members.clone();
    for name in ["asset_id", "__proto__"] {
        members.remove(name);
    }
    let canonical = serde_json_canonicalizer::to_vec(&members).expect("canonical");
    format!("sha256:{}", super::super::sha256_hex(&canonical))
}

/// Reads a text in both ways, which must agree on the ids or on the error. Returns whether it was read directly.
fn agree(text: &[u8]) -> bool {
    let shown = || String::from_utf8_lossy(text).into_owned();
    let mut identifier = Identifier::new();
    let is_direct = identifier.find(text, MAX_ASSET_BYTES).is_some();
    let verified = identifier.verify(text, MAX_ASSET_BYTES);
    let named = identifier.identify(text, MAX_ASSET_BYTES);
    let strict = read_value(text, MAX_ASSET_BYTES).map_err(AssetError::from);
    let expected = strict.and_then(|asset| Ok((verify(&asset)?, asset)));
    match expected {
        Err(error) => {
            assert!(!is_direct, "{} was read", shown());
            assert_eq!(verified.expect_err(&shown()).to_string(), error.to_string(), "{}", shown());
            assert_eq!(named.expect_err(&shown()).to_string(), error.to_string(), "{}", shown());
        }
        Ok((expected, asset)) => {
            let identity = named.unwrap_or_else(|error| panic!("{}: {error}", shown()));
            let members = asset.as_object().expect("an object");
            assert_eq!(verified.unwrap_or_else(|error| panic!("{}: {error}", shown())), expected, "{}", shown());
            assert_eq!(identity.computed, oracle(members), "{}", shown());
            assert_eq!(identity.id.as_ref(), members.get("id"), "{}", shown());
            assert_eq!(identity.is_match, expected == Verification::Match, "{}", shown());
            match expected {
                Verification::Match => assert_eq!(identity.stated.as_deref(), members["asset_id"].as_str()),
                Verification::Missing { .. } => assert_eq!(identity.stated, None),
                Verification::Mismatch { stated, .. } => assert_eq!(identity.stated, Some(stated)),
            }
        }
    }
    is_direct
}

#[test]
fn an_ordinary_asset_is_read_directly() {
    for text in [
        "{}",
        r#"{"type":"Gene","id":"g","a":[1,2.5,-3,{"z":true,"y":null}],"asset_id":"sha256:0"}"#,
        "{\n  \"b\": [ ],\n\t\"a\": { },\r\n \"c\": [\"x\"]\n}\n",
        r#"{"s":"\"\\\/\b\f\n\r\té\u00e9\ud83e\uddec\u0000\u001f","n":[-0,1.0,1e2,0.0000001,123456789012345678901]}"#,
        r#"{"固化":"命中","a":"🧬"}"#,
        r#"{"long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
    ] {
        assert!(agree(text.as_bytes()), "{text}");
    }
}

#[test]
fn what_is_broken_or_unusual_is_left_to_the_strict_reader() {
    let deep = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(agree(deep(63).as_bytes()));
    let long = format!("{{\"a\":\"{}\u{1}{}\"}}", "x".repeat(100), "y".repeat(100));
    let texts = [
        "",
        " ",
        "[]",
        "7",
        "{",
        "}",
        "{}}",
        "{},",
        "{} x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "\u{feff}{}",
        "{}\0",
        "{\"a\":tru}",
        "{\"a\":nulL}",
        "{\"a\":[1,]}",
        "{\"a\":[,1]}",
        "{\"a\":[1 2]}",
        "{\"a\":[1}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":1e400}",
        "{\"a\":-1e309}",
        "{\"a\":NaN}",
        "{\"a\":0x1}",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":\"\n\"}",
        "{\"\t\":1}",
        &long,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12"}"#,
        r#"{"a":"\u12g4"}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00"}"#,
        r#"{"a":"\ud800\ud800"}"#,
        r#"{"a":"\ud800x"}"#,
        r#"{"a":"\ud800\n"}"#,
        r#"{"a":"\"}"#,
        r#"{"a":"\"#,
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"b":2,"a":3}"#,
        r#"{"x":{"a":1,"b":2,"a":3}}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"asset_id":"x","asset_id":"x"}"#,
        r#"{"__proto__":1,"__proto__":2}"#,
        r#"{"\u0061":1}"#,
        &deep(64),
        &deep(100_000),
        // Sorted as UTF-16, these two change places.
        "{\"\u{1f9ec}\":1,\"\u{e000}\":2}",
        "{\"\u{ffff}\":1,\"\u{10000}\":2}",
        r#"{"asset_id":"\u0073"}"#,
        r#"{"asset_id":[ ]}"#,
        r#"{"id":1.0}"#,
    ];
    for text in texts {
        assert!(!agree(text.as_bytes()), "{text:.60}");
    }
    assert!(!agree(b"{\"a\":\"\xff\"}"));
    assert!(!agree(b"{\"a\":\"\xed\xa0\x80\"}"));
    let limit = Identifier::new().verify(b"{\"a\":1}", 6).expect_err("over").to_string();
    assert_eq!(limit, "7 bytes of JSON, over the limit of 6");
}

#[test]
fn a_number_is_canonical_only_if_it_is_printed_so() {
    for text in [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "-1",
        "10",
        "1.5",
        "1.50",
        "0.5",
        "0.000001",
        "0.0000010",
        "0.0000001",
        "1e0",
        "1E5",
        "999999999999999",
        "9999999999999999",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "123456789.123456",
        "123456789.1234567",
        "0.123456789012345",
        "0.12345678901234567",
        "0.30000000000000004",
        "1e21",
        "1e20",
        "1e-7",
        "5e-324",
        "1e-400",
        "2.2250738585072011e-308",
        "100000000000000000000",
    ] {
        assert!(agree(format!("{{\"n\":{text}}}").as_bytes()), "{text}");
        assert!(agree(format!("{{\"n\":[{text},{text}]}}").as_bytes()), "{text}");
    }
}

#[test]
fn every_length_and_place_of_a_special_character_is_seen() {
    for length in 0..80 {
        for special in ["", "\\n", "\\\"", "\\\\", "\u{1}", "\u{1f}", "\\u00e9", "é", "\\"] {
            for at in [0, length / 3, length] {
                let text = format!(
                    "{{\"{}\":\"{}{special}{}\"}}",
                    "k".repeat(length),
                    "v".repeat(at),
                    "w".repeat(length - at)
                );
                agree(text.as_bytes());
                agree(format!("{{\n\"{}{special}\":1}}", "k".repeat(length)).as_bytes());
            }
        }
    }
}

/// Something in JSON, or nearly.
fn json() -> impl Strategy<Value = String> {
    let blank = || select(vec!["", "", "", " ", "\n", "\t \r"]);
    let piece = prop_oneof![
        6 => "[a-z ]{0,9}",
        1 => "\\PC{0,3}",
        2 => select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "\\ud83e\\uddec", "\u{7f}", "🧬"]).prop_map(str::to_owned),
        1 => select(vec!["\\ud83e", "\\udc00", "\\x", "\u{1}", "\\u12"]).prop_map(str::to_owned),
    ];
    let text = vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat().replace('\u{202e}', "")));
    let key = prop_oneof![
        6 => "\"[a-e]{1,2}\"",
        2 => select(vec!["\"id\"", "\"asset_id\"", "\"__proto__\"", "\"summary_long_key\"", "\"summary_long_kex\""]).prop_map(str::to_owned),
        1 => text.clone(),
    ];
    let number = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        (-100_000..100_000_i32, 1..1_000_000_u32).prop_map(|(whole, part)| format!("{whole}.{part}")),
        "-?[0-9]{1,20}(\\.[0-9]{1,9})?(e[+-]?[0-9]{1,3})?",
    ];
    let leaf = prop_oneof![select(vec!["null", "true", "false"]).prop_map(str::to_owned), number, text];
    let object = move |value: BoxedStrategy<String>| {
        vec((blank(), key.clone(), blank(), value), 0..7).prop_map(|members| {
            let members: Vec<String> = members
                .into_iter()
                .map(|(before, key, after, value)| format!("{before}{key}{after}:{after}{value}{before}"))
                .collect();
            format!("{{{}}}", members.join(","))
        })
    };
    let within = object.clone();
    let value = leaf.prop_recursive(3, 30, 5, move |inner| {
        let list = (blank(), vec(inner.clone(), 0..5))
            .prop_map(|(blank, items)| format!("[{blank}{}]", items.join(&format!("{blank},"))));
        prop_oneof![list, within(inner.boxed())]
    });
    object(value.boxed())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn both_readers_agree_on_whatever_is_nearly_json(text in json()) {
        agree(text.as_bytes());
    }

    #[test]
    fn both_readers_agree_on_damaged_texts(text in json(), at in any::<Index>(), byte in any::<u8>(), how in 0..4) {
        let mut text = text.into_bytes();
        let at = at.index(text.len());
        match how {
            0 => text.truncate(at),
            1 => text[at] = byte,
            2 => text.insert(at, byte),
            _ => drop(text.remove(at)),
        }
        agree(&text);
    }

    #[test]
    fn a_sealed_asset_matches_however_it_is_written(text in json(), pretty in any::<bool>()) {
        if let Ok(Value::Object(mut members)) = read_value(text.as_bytes(), MAX_ASSET_BYTES) {
            super::super::seal(&mut members).expect("an id");
            let text = if pretty { serde_json::to_vec_pretty(&members) } else { serde_json::to_vec(&members) }.expect("JSON");
            prop_assert_eq!(Identifier::new().verify(&text, MAX_ASSET_BYTES).expect("strict"), Verification::Match);
        }
    }
}
