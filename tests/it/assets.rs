//! `gephost asset`: ids against the protocol's own implementation, explanations, and streams.

use std::fs;
use std::process::Stdio;

use gephost_core::digest;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use gephost_tests::schema::check;
use serde_json::{Value, json};

use crate::scene::{python, quickstart};

/// Where `.ci/run` installs the npm package `@evomap/gep-sdk`.
const ORACLE: &str = "target/tools/gep-sdk/node_modules/@evomap/gep-sdk/src/index.js";

/// Where `.ci/run` installs the npm package `@evomap/evolver`, which is only run.
const OTHER_TOOL: &str = "target/tools/evolver/node_modules/@evomap/evolver/index.js";

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
    let computed = explain(&asset, 1).0["computed"].clone();
    asset["asset_id"] = computed;
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

#[test]
fn imports_at_once_write_each_asset_once() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let asset = |number: usize| {
        let mut asset = json!({
            "type": "Capsule", "schema_version": "1.5.0", "id": format!("capsule_{number}"), "trigger": ["log_error"],
            "confidence": 0.8, "outcome": { "status": "success", "score": 0.9 },
        });
        digest::seal(asset.as_object_mut().unwrap()).unwrap();
        asset.to_string()
    };
    let all: Vec<String> = (0..2_000).map(asset).collect();
    project.write("all.jsonl", &all.join("\n"));
    let imports: Vec<_> = (0..3)
        .map(|_| {
            let mut import = env.command(gephost().to_str().unwrap(), project.root());
            import.args(["asset", "import", "all.jsonl", "--json"]).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut taken = 0;
    for import in imports {
        let ran = import.wait_with_output().unwrap();
        let document: Value = serde_json::from_slice(&ran.stdout).unwrap();
        let (received, known) = (document["received"].as_array().unwrap().len(), document["known"].as_u64().unwrap());
        assert_eq!(received as u64 + known, 2_000);
        taken += received;
    }
    let lines = fs::read_to_string(project.root().join(".gephost/gep/external_candidates.jsonl")).unwrap();
    assert_eq!((taken, lines.lines().count()), (2_000, 2_000));
}

/// Lets Evolver note a cycle in the project's assets folder. It has no hub, so it notes a failure.
fn other_tool_notes(env: &TestEnv, project: &TestProject, summary: &str) {
    let mut command = env.command("node", project.root());
    command.arg(repository().join(OTHER_TOOL)).args(["solidify", "--no-rollback", "--intent=repair"]);
    command.arg(format!("--summary={summary}")).env("GEP_ASSETS_DIR", project.root().join("assets/gep"));
    command.env("A2A_HUB_URL", "http://127.0.0.1:9").env("EVOMAP_HUB_ALLOW_INSECURE", "1");
    command.output().unwrap();
}

/// The first store is written by another tool as it is installed. gephost works in it, and the other tool then goes on.
#[test]
fn a_store_of_another_tool_is_used_and_handed_back_with_additions_only() {
    if !repository().join(OTHER_TOOL).is_file() {
        let how = "npm install --ignore-scripts --prefix target/tools/evolver @evomap/evolver@1.94.0";
        return gephost_tests::skipped(&format!("no @evomap/evolver: `{how}`"));
    }
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    other_tool_notes(&env, &project, "first");
    let file = |name: &str| fs::read_to_string(project.root().join("assets/gep").join(name)).unwrap();
    let (genes, events) = (file("genes.json"), file("events.jsonl"));
    let (document, code) = env.json(project.root(), &["asset", "list"]);
    let of_theirs = |row: &Value| row["type"] == "Gene" && row["problem"].is_null();
    let read = document["assets"].as_array().unwrap().iter().filter(|row| of_theirs(row)).count();
    assert!(code == 0 && read > 5, "{document}");
    // One of them has the id of a gene of gephost.
    let shared = "\"id\": \"gene_gep_repair_from_errors\"";
    assert!(genes.contains(shared), "{genes}");

    env.run(project.root(), &["trust"]).expect_code(0);
    let (applied, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{applied}");
    assert_eq!(file("genes.json"), genes, "their genes are theirs");
    let now = file("events.jsonl");
    let ours = now.strip_prefix(&events).unwrap_or_else(|| panic!("{now}"));
    let ours: Value = serde_json::from_str(ours).unwrap();
    let capsules = file("capsules.json");
    assert!(capsules.contains(ours["capsule_id"].as_str().unwrap()), "{capsules}");

    other_tool_notes(&env, &project, "second");
    let last = file("events.jsonl");
    let theirs = last.strip_prefix(&now).unwrap_or_else(|| panic!("{last}"));
    let event = theirs.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).next_back().unwrap();
    assert_eq!(event["parent"], ours["id"], "it goes on from the event of gephost: {event}");
    assert_eq!(file("capsules.json"), capsules);
    env.run(project.root(), &["undo"]).expect_code(0);
    assert!(file("genes.json").contains(shared));
}

/// A store in the forms and with the members that other tools of the protocol write.
fn foreign_store(project: &TestProject) {
    let folder = project.root().join("assets/gep");
    fs::create_dir_all(&folder).unwrap();
    let lines = [GENE.replace("gene_a", "gene_line"), GENE.replace("error", "later")].join("\n");
    for (name, text) in [
        (
            "genes.json",
            format!(
                "{{ \"version\": 1,\n  \"genes\": [ {GENE}, 7, {{\"type\":\"Gene\",\"id\":\"half\"}} ], \"x\":  [1.00] }}\n"
            ),
        ),
        ("genes.jsonl", format!("{lines}\nnot json\n{}\n{{\"type\":\"Capsule\"}}", "x".repeat(2 << 20))),
        (
            "events.jsonl",
            "{\"type\":\"EvolutionEvent\",\"id\":\"e\",\"intent\":\"explore\",\"outcome\":{\"status\":\"failure\"}}\n"
                .to_owned(),
        ),
        (
            "memory_graph.jsonl",
            "{\"type\":\"MemoryGraphEvent\",\"kind\":\"outcome\",\"id\":\"mge_1\",\"later\":[]}\n".to_owned(),
        ),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// A gene of a later schema, with members and spellings of its own.
const GENE: &str = r#"{"type":"Gene","schema_version":"1.13.0","id":"gene_a","category":"explore","signals_match":["error"],"strategy":["s"],  "n":1.00,"routing_hint":null}"#;

#[test]
fn a_store_of_another_tool_is_listed_with_what_is_wrong_in_it() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    foreign_store(&project);
    let (document, code) = env.json(project.root(), &["asset", "list"]);
    assert_eq!(code, 0, "{document}");
    check("asset-list", &document);
    let rows: Vec<(&str, u64, u64)> = document["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["file"].as_str().unwrap(), row["assets"].as_u64().unwrap(), row["passed_over"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        rows,
        [("genes.json", 3, 2), ("genes.jsonl", 5, 3), ("events.jsonl", 1, 0), ("memory_graph.jsonl", 1, 0)]
    );
    let problem = |at: usize| document["assets"][at]["problem"].as_str().unwrap_or_default().to_owned();
    assert!(problem(1).contains("found a number") && problem(2).contains("`category` is missing"), "{document}");
    assert!(problem(5).contains("not JSON") && problem(6).contains("has more than 1048576 bytes"), "{document}");
    assert!(problem(7).contains("assets of the type Gene"), "{document}");
    let ran = env.run(project.root(), &["asset", "list", "--jsonl"]).expect_code(0);
    assert_eq!(ran.stdout.lines().count(), 10);
    // A list that breaks off is read as far as it goes.
    let genes = project.root().join("assets/gep/genes.json");
    fs::write(&genes, format!("{{\"genes\": [{GENE}, ")).unwrap();
    let ran = env.run(project.root(), &["asset", "list"]).expect_code(1);
    assert!(ran.stdout.contains("gene_a") && ran.stdout.contains("not read to its end"), "{}", ran.stdout);
}

#[test]
fn an_archive_gives_back_every_byte_and_a_changed_one_is_refused() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    foreign_store(&project);
    env.run(project.root(), &["asset", "export", "mine.gepx"]).expect_code(0);
    let archive = project.root().join("mine.gepx");
    // Checked by the tools of the system, and never written over.
    let listed = env
        .command("bash", project.root())
        .args([
            "-c",
            "mkdir x && tar xzf mine.gepx -C x && cd x && sha256sum --quiet -c checksum.sha256 && cat manifest.json",
        ])
        .output()
        .unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let manifest: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(
        (&manifest["statistics"]["total_genes"], &manifest["statistics"]["total_events"]),
        (&json!(2), &json!(1))
    );
    let before = fs::read(&archive).unwrap();
    let ran = env.run(project.root(), &["asset", "export", "mine.gepx"]).expect_code(1);
    assert!(ran.stderr.contains("name one that does not exist"), "{}", ran.stderr);
    assert_eq!(fs::read(&archive).unwrap(), before);

    let other = TestProject::new(&env, &[("a.txt", "a\n")]);
    let path = archive.to_str().unwrap();
    env.run(other.root(), &["asset", "import", "--restore", path]).expect_code(0);
    for name in ["genes.json", "genes.jsonl", "events.jsonl", "memory_graph.jsonl"] {
        let restored = fs::read(other.root().join(".gephost/gep").join(name)).unwrap();
        assert!(restored == fs::read(project.root().join("assets/gep").join(name)).unwrap(), "{name}");
    }
    let ran = env.run(other.root(), &["asset", "import", "--restore", path]).expect_code(6);
    assert!(ran.stderr.contains("has assets already"), "{}", ran.stderr);

    // Changed, cut off, and made to write elsewhere.
    let script = |script: &str| {
        let ran = env.command("bash", project.root()).args(["-c", script]).output().unwrap();
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    script("cp -r x y && echo '{}' > y/genes/genes.json && tar czf changed.gepx -C y .");
    script("head -c 300 mine.gepx > cut.gepx");
    script("cp -r x z && ln -s /etc/passwd z/events/link && tar czf link.gepx -C z .");
    script("cp -r x v && echo x > v/genes/other.json && tar czf other.gepx -C v .");
    script("cp -r x w && rm w/checksum.sha256 && tar czf unsummed.gepx -C w .");
    script("tar czPf outside.gepx --transform 's,x/genes,../../genes,' x");
    for (name, expect) in [
        ("changed.gepx", "does not have the checksum"),
        ("cut.gepx", "not a whole gzip tar archive"),
        ("link.gepx", "is not a plain file"),
        ("other.gepx", "is not a file of assets"),
        ("unsummed.gepx", "has no checksum.sha256"),
        ("outside.gepx", "is not a file of assets"),
    ] {
        for restore in [&["--restore"][..], &[]] {
            let third = TestProject::new(&env, &[("a.txt", "a\n")]);
            let path = project.root().join(name);
            let arguments = [&["asset", "import", path.to_str().unwrap()], restore].concat();
            let ran = env.run(third.root(), &arguments).expect_code(2);
            assert!(ran.stderr.contains(expect), "{name}: {}", ran.stderr);
            assert!(!third.root().join(".gephost/gep").exists(), "{name}");
        }
    }
}

#[test]
fn what_others_made_becomes_a_candidate_only_if_it_verifies() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let sealed = |asset: &str| {
        fs::write(env.home().join("one.json"), asset).unwrap();
        let id = env.run(env.home(), &["asset", "id", "one.json"]).expect_code(0).stdout;
        asset.replacen('{', &format!("{{\"asset_id\":\"{}\",", id.trim()), 1)
    };
    let capsule = r#"{"type":"Capsule","id":"capsule_1","gene":"gene_a","trigger":["error"],"confidence":0.85,"outcome":{"status":"success","score":1},"n":1.00}"#;
    let (gene, whole) = (sealed(GENE), sealed(capsule));
    let lines =
        [&gene, &whole, &whole.replace("0.85", "0.99"), capsule, "{\"type\":\"EvolutionEvent\",\"id\":\"e\"}", "no"];
    fs::write(project.root().join("in.jsonl"), lines.join("\n")).unwrap();
    let (document, code) = env.json(project.root(), &["asset", "import", "in.jsonl", "--source", "node_abc123def456"]);
    check("asset-import", &document);
    assert_eq!(
        (code, &document["refused"], &document["passed_over"]["EvolutionEvent"]),
        (0, &json!(3), &json!(1)),
        "{document}"
    );
    let received: Vec<&Value> = document["received"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(received, ["gene_a", "capsule_1"]);
    let stored = fs::read_to_string(project.root().join(".gephost/gep/external_candidates.jsonl")).unwrap();
    let stored: Vec<Value> = stored.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (stored[0]["a2a"]["original"].as_str(), stored[1]["a2a"]["original"].as_str()),
        (Some(gene.as_str()), Some(whole.as_str()))
    );
    assert_eq!((&stored[1]["confidence"], &stored[1]["a2a"]["source"]), (&json!(0.51), &json!("node_abc123def456")));
    // Nothing but the file of candidates is written, and nothing of it is selected.
    let names: Vec<_> =
        fs::read_dir(project.root().join(".gephost/gep")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["external_candidates.jsonl"]);
    // A second time everything is there, in whatever form it comes.
    fs::write(project.root().join("list.json"), format!("{{\"genes\":[{gene}],\"capsules\":[{whole}]}}")).unwrap();
    let (document, _) = env.json(project.root(), &["asset", "import", "list.json"]);
    assert_eq!((&document["known"], &document["received"]), (&json!(2), &json!([])), "{document}");
    fs::write(project.root().join("one.json"), &gene).unwrap();
    let (document, _) = env.json(project.root(), &["asset", "import", "one.json"]);
    assert_eq!(document["known"], 1, "{document}");
    for (name, text, expect) in [("a.json", "{", "EOF"), ("b.json", "[1", "EOF"), ("c.json", "7", "invalid type")] {
        fs::write(project.root().join(name), text).unwrap();
        let ran = env.run(project.root(), &["asset", "import", name]).expect_code(2);
        assert!(ran.stderr.contains(name) && ran.stderr.contains(expect), "{}", ran.stderr);
    }
    // What stood before the place where a file broke off is taken in, and the error says so.
    let other = sealed(&GENE.replace("gene_a", "gene_b"));
    fs::write(project.root().join("cut.json"), format!("{{\"genes\":[{other},{{\"type\":")).unwrap();
    let ran = env.run(project.root(), &["asset", "import", "cut.json"]).expect_code(2);
    assert!(ran.stderr.contains("; 1 asset was taken in before that"), "{}", ran.stderr);
    let stored = fs::read_to_string(project.root().join(".gephost/gep/external_candidates.jsonl")).unwrap();
    assert!(stored.contains("gene_b"), "{stored}");
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
