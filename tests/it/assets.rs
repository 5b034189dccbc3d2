//! `gephost asset`: ids against the protocol's own implementation, explanations, and streams.

use std::fs;

use gephost_tests::environment::{TestEnv, gephost};

use gephost_tests::repository;
use gephost_tests::schema::check;
use serde_json::{Value, json};

/// Where `.ci/run` installs the npm package `@evomap/gep-sdk`.
const ORACLE: &str = "target/tools/gep-sdk/node_modules/@evomap/gep-sdk/src/index.js";

/// How many documents are compared with the oracle.
const DOCUMENTS: u64 = 3000;

#[test]
fn ids_are_those_that_the_package_of_the_protocol_computes() {
    let oracle = repository().join(ORACLE);
    if !oracle.is_file() {
        let how = "npm install --prefix target/tools/gep-sdk @evomap/gep-sdk@1.13.0";
        return gephost_tests::skipped(&format!("no @evomap/gep-sdk: `{how}`"));
    }
    let env = TestEnv::new();
    let file = env.home().join("assets.jsonl");
    let texts: Vec<String> =
        (0..DOCUMENTS).map(|seed| Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1).document()).collect();
    fs::write(&file, texts.join("\n")).unwrap();
    let script = format!(
        "import {{ computeAssetId }} from {};
         import {{ readFileSync }} from 'node:fs';
         for (const line of readFileSync({}, 'utf8').split('\\n')) console.log(computeAssetId(JSON.parse(line)));",
        json!(oracle),
        json!(file),
    );
    let node = env.command("node", env.home()).args(["--input-type=module", "-e", &script]).output().unwrap();
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    let expected = String::from_utf8(node.stdout).unwrap();
    let ran = env.run(env.home(), &["asset", "id", "--jsonl", "assets.jsonl"]).expect_code(0);
    let found: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), texts.len());
    for ((text, answer), expected) in texts.iter().zip(&found).zip(expected.lines()) {
        assert_eq!(answer["asset_id"], expected, "{text}");
    }
}

#[test]
fn every_line_is_verified_and_a_bad_one_stops_nothing() {
    let env = TestEnv::new();
    let sealed = |id: &str| {
        fs::write(env.home().join("one.json"), json!({ "id": id }).to_string()).unwrap();
        let computed = env.run(env.home(), &["asset", "id", "one.json"]).expect_code(0).stdout;
        json!({ "id": id, "asset_id": computed.trim() }).to_string()
    };
    let whole = sealed("a");
    fs::write(env.home().join("good.jsonl"), format!("{whole}\n\n{}", sealed("b"))).unwrap();
    env.run(env.home(), &["asset", "verify", "--jsonl", "good.jsonl"]).expect_code(0);
    let lines = format!("{whole}\n{{\"id\":1,\"id\":2}}\n[]\n{{\"id\":\"c\"}}\n{}\n", whole.replace("\"a\"", "\"x\""));
    fs::write(env.home().join("bad.jsonl"), lines).unwrap();
    let ran = env.run(env.home(), &["asset", "verify", "--jsonl", "bad.jsonl"]).expect_code(1);
    let answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results: Vec<&Value> = answers.iter().map(|answer| &answer["result"]).collect();
    assert_eq!(results, [&json!("match"), &Value::Null, &Value::Null, &json!("missing"), &json!("mismatch")]);
    assert!(answers[1]["error"]["message"].as_str().unwrap().contains("duplicate key"), "{}", answers[1]);
    assert_eq!((&answers[2]["error"]["line"], &answers[3]["id"]), (&json!(3), &json!("c")));
    let ran = env.run(env.home(), &["asset", "id", "--jsonl", "good.jsonl", "bad.jsonl"]).expect_code(2);
    assert!(ran.stderr.contains("--jsonl reads one file"), "{}", ran.stderr);
}

#[test]
fn a_wrong_id_is_explained_by_the_way_it_was_made() {
    let env = TestEnv::new();
    let explain = |asset: &Value, code: i32| {
        fs::write(env.home().join("asset.json"), asset.to_string()).unwrap();
        let (document, found) = env.json(env.home(), &["asset", "explain", "asset.json"]);
        assert_eq!(found, code, "{document}");
        check("asset-explain", &document);
        (document, env.run(env.home(), &["asset", "explain", "asset.json"]).stdout)
    };
    let mut asset = json!({ "type": "Gene", "id": "g", "summary": "a summary" });
    let id = |asset: &Value| explain(asset, 1).0["computed"].clone();
    asset["asset_id"] = id(&asset);
    let (document, text) = explain(&asset, 0);
    assert_eq!(document["canonical"], r#"{"id":"g","summary":"a summary","type":"Gene"}"#);
    assert_eq!(document["left_out"], json!(["asset_id"]));
    assert!(text.contains("46 bytes of canonical JSON, without `asset_id`"), "{text}");
    asset["success_streak"] = 3.into();
    let (document, text) = explain(&asset, 1);
    assert_eq!(document["origin"], json!({ "kind": "without_member", "member": "success_streak" }));
    assert!(text.contains("without `success_streak`: this member was added after hashing"), "{text}");
    asset["id"] = "other".into();
    let (document, text) = explain(&asset, 1);
    assert_eq!(document["origin"], Value::Null);
    assert!(text.contains("a value was changed after hashing"), "{text}");
}

#[test]
fn a_stream_of_assets_is_read_in_little_memory() {
    let env = TestEnv::new();
    let line = json!({ "type": "Gene", "id": "g", "summary": "x".repeat(900) }).to_string();
    fs::write(env.home().join("many.jsonl"), format!("{line}\n").repeat(50_000)).unwrap();
    let script = format!("ulimit -v 100000; {} asset id --jsonl many.jsonl | wc -l", gephost().display());
    let ran = env.command("bash", env.home()).args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "50000", "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A small generator, so that a failing document can be made again (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A JSON object on one line, in any spelling that JSON allows.
    fn document(&mut self) -> String {
        self.object(0)
    }

    fn object(&mut self, depth: usize) -> String {
        let mut keys: Vec<String> = Vec::new();
        for _ in 0..self.below(7) {
            let key = self.key();
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let members: Vec<String> = keys
            .into_iter()
            .map(|key| format!("{}{}:{}", json!(key), self.pick(&["", " "]), self.value(depth + 1)))
            .collect();
        format!("{{{}}}", members.join(self.pick(&[",", ", ", " ,\t"])))
    }

    fn key(&mut self) -> String {
        let known = [
            "type",
            "id",
            "asset_id",
            "outcome",
            "10",
            "9",
            "é",
            "\u{e000}",
            "\u{1f9ec}",
            "a",
            "B",
            "_",
            "",
            "constructor",
        ];
        match self.below(3) {
            0 => format!("{}{}", self.pick(&known), self.below(20)),
            _ => self.pick(&known).to_owned(),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(if depth > 4 { 4 } else { 6 }) {
            0 => self.pick(&["null", "true", "false"]).to_owned(),
            1 => self.number(),
            2 | 3 => self.string(),
            4 => self.object(depth),
            _ => {
                let items: Vec<String> = (0..self.below(4)).map(|_| self.value(depth + 1)).collect();
                format!("[{}]", items.join(","))
            }
        }
    }

    fn number(&mut self) -> String {
        match self.below(5) {
            0 => self
                .pick(&[
                    "0",
                    "-0",
                    "-0.0",
                    "1.0",
                    "1e21",
                    "1e20",
                    "1e-7",
                    "5e-324",
                    "1.7976931348623157e308",
                    "9007199254740993",
                ])
                .to_owned(),
            1 => (self.next() as i64).to_string(),
            2 => {
                let number = f64::from_bits(self.next());
                if number.is_finite() { format!("{number:e}") } else { "7".to_owned() }
            }
            3 => format!("{}.{}", self.below(1000), self.below(1_000_000)),
            _ => self.below(100).to_string(),
        }
    }

    fn string(&mut self) -> String {
        let parts = [
            "a",
            "\\n",
            "\\u0000",
            "\\u007f",
            "\\u2028",
            "\\ud83e\\uddec",
            "\\/",
            "/",
            "é",
            "失敗",
            "🧬",
            "\\\"",
            "<&>",
            " ",
            "\u{7f}",
            "\\u0041",
        ];
        let text: String = (0..self.below(6)).map(|_| self.pick(&parts)).collect();
        format!("\"{text}\"")
    }
}
