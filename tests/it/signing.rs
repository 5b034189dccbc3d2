//! `gephost gene sign|verify|key`, and `[trust] require`: who vouches for a gene file, and what is loaded.

use std::fs;

use gephost_tests::environment::{TestEnv, trusting};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::guests;
use crate::scene::quickstart;

const FILE: &str = "calm.wasm";
const ENVELOPE: &str = "calm.wasm.dsse.json";

/// A user with a gene file of theirs, in a project with logs.
fn author() -> (TestEnv, TestProject) {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    fs::write(project.root().join(FILE), guests::heuristic("calm")).unwrap();
    (env, project)
}

fn key(env: &TestEnv, project: &TestProject) -> String {
    let (document, code) = env.json(project.root(), &["gene", "key"]);
    assert_eq!((code, &document["schema"]), (0, &json!("gephost.gene-key/1")));
    document["key"].as_str().unwrap().to_owned()
}

fn state(env: &TestEnv, project: &TestProject) -> (Value, i32) {
    let (document, code) = env.json(project.root(), &["gene", "verify", FILE]);
    (document["signature"].clone(), code)
}

fn verified(by: &str) -> (Value, i32) {
    (json!({ "state": "verified", "by": [by], "reason": null }), 0)
}

/// The user's own config with keys.
fn with_keys(env: &TestEnv, more: &str) {
    env.write_config(&format!("{}{more}\n", trusting()));
}

#[test]
fn a_gene_is_signed_once_and_read_by_those_who_trust_the_key() {
    let (env, project) = author();
    assert_eq!(state(&env, &project).0["state"], "unsigned");
    let (signed, code) = env.json(project.root(), &["gene", "sign", FILE]);
    assert_eq!((code, &signed["schema"], &signed["was_signed"]), (0, &json!("gephost.gene-sign/1"), &json!(false)));
    assert_eq!((&signed["envelope"], &signed["key"]), (&json!(ENVELOPE), &json!(key(&env, &project))));
    let (again, _) = env.json(project.root(), &["gene", "sign", FILE]);
    assert_eq!((&again["was_signed"], &again["digest"]), (&json!(true), &signed["digest"]));
    assert_eq!(state(&env, &project), verified("you"));

    let other = TestEnv::new();
    let (stranger, code) = state(&other, &project);
    assert_eq!((&stranger["state"], code), (&json!("unsigned"), 1));
    let reason = stranger["reason"].as_str().unwrap();
    assert!(reason.contains("no key that you trust") && reason.contains(&key(&env, &project)), "{reason}");
    with_keys(&other, &format!("keys = [{{ name = \"ann\", key = {:?} }}]", key(&env, &project)));
    assert_eq!(state(&other, &project), verified("ann"));

    // Other bytes than the signed ones.
    fs::write(project.root().join(FILE), guests::heuristic("panic")).unwrap();
    let (changed, _) = state(&other, &project);
    assert_eq!((&changed["state"], &changed["reason"]), (&json!("failed"), &json!("it was signed for another file")));
    let text = other.run(project.root(), &["gene", "verify", FILE]).expect_code(1).stdout;
    assert!(text.contains("it is not loaded"), "{text}");
    let refused = env.run(project.root(), &["gene", "sign", FILE]).expect_code(1);
    let replace = format!("gephost gene sign --replace {FILE}");
    assert!(refused.stderr.contains(&replace), "{}", refused.stderr);
    let verified_text = |code| env.run(project.root(), &["gene", "verify", FILE]).expect_code(code).stdout;
    assert!(verified_text(1).contains(&replace), "{}", verified_text(1));
    env.run(project.root(), &["gene", "sign", "--replace", FILE]).expect_code(0);
    assert_eq!(state(&other, &project), verified("ann"));
    assert!(!verified_text(0).contains("--replace"), "{}", verified_text(0));
    fs::write(project.root().join(ENVELOPE), "{}").unwrap();
    assert!(state(&other, &project).0["reason"].as_str().unwrap().contains("cannot be read"));
}

#[test]
fn a_required_signature_decides_what_is_loaded() {
    let (env, project) = author();
    let run = || env.run(project.root(), &["run", "--gene", FILE, "--json"]);
    let genes = |stdout: &str| serde_json::from_str::<Value>(stdout).unwrap()["genes"].clone();
    let named = genes(&run().expect_code(0).stdout);
    let digest = named[0]["digest"].clone();
    assert!(digest.as_str().is_some_and(|digest| digest.starts_with("sha256:")), "{named}");
    let signature = json!({ "state": "unsigned", "by": [], "reason": null });
    assert_eq!(named, json!([{ "id": "calm", "digest": digest, "signature": signature }]));
    let text = env.run(project.root(), &["run", "--gene", FILE]).expect_code(0).stdout;
    assert!(text.contains("Gene file calm (sha256:") && text.contains("): unsigned"), "{text}");
    for stage in ["diagnose", "select", "propose"] {
        let (document, code) = env.json(project.root(), &[stage, "--gene", FILE]);
        assert_eq!((code, &document["genes"]), (0, &named), "{stage}: {document}");
        let text = env.run(project.root(), &[stage, "--gene", FILE]).expect_code(0).stdout;
        assert!(text.contains("Gene file calm (sha256:") && text.contains("): unsigned"), "{stage}: {text}");
    }

    // A repository may ask for more, and so may the user.
    let own = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    for of_user in [false, true] {
        let require = "[trust]\nrequire = \"signed\"\n";
        project.write("gephost.toml", &if of_user { own.clone() } else { format!("{own}\n{require}") });
        with_keys(&env, if of_user { "require = \"signed\"" } else { "" });
        let refused = run().expect_code(2);
        let document: Value = serde_json::from_str(&refused.stdout).unwrap();
        let error = &document["error"];
        assert_eq!(error["code"], "gene_not_signed", "{error}");
        assert!(error["message"].as_str().unwrap().contains("it is unsigned"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("gephost gene sign FILE"), "{error}");
        let backtest = env.run(project.root(), &["backtest", "--gene", FILE]).expect_code(2);
        assert!(backtest.stderr.contains("`trust.require` is \"signed\""), "{}", backtest.stderr);
        env.run(project.root(), &["run"]).expect_code(0);
        env.run(project.root(), &["run", "--gene", "gene_gep_repair_from_errors"]).expect_code(0);
        fs::write(project.root().join(ENVELOPE), "{}").unwrap();
        let failed = env.run(project.root(), &["run", "--gene", FILE]).expect_code(2).stderr;
        for part in [": its signature failed: its envelope cannot be read", "gephost gene sign --replace FILE"] {
            assert!(failed.contains(part), "{part}: {failed}");
        }
        fs::remove_file(project.root().join(ENVELOPE)).unwrap();
        env.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
        assert_eq!(genes(&run().expect_code(0).stdout)[0]["signature"]["by"], json!(["you"]));
        fs::remove_file(project.root().join(ENVELOPE)).unwrap();
    }
}

#[test]
fn a_signature_that_fails_is_refused_under_every_policy_and_that_of_a_stranger_is_not() {
    let (env, project) = author();
    env.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
    let user = TestEnv::new();
    with_keys(&user, "");
    let run = || user.run(project.root(), &["run", "--gene", FILE, "--json"]);
    let stranger = run().expect_code(0);
    let document: Value = serde_json::from_str(&stranger.stdout).unwrap();
    let signature = &document["genes"][0]["signature"];
    assert_eq!(signature["state"], "unsigned");
    assert!(signature["reason"].as_str().unwrap().contains(&key(&env, &project)), "{signature}");
    // Somebody writes another key beside the signature.
    let envelope = fs::read_to_string(project.root().join(ENVELOPE)).unwrap();
    let forged = envelope.replace(&key(&env, &project), &key(&user, &project));
    assert_ne!(envelope, forged);
    fs::write(project.root().join(ENVELOPE), forged).unwrap();
    let refused = run().expect_code(2);
    let document: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(document["error"]["code"], "gene_signature_failed", "{document}");
    assert!(document["error"]["message"].as_str().unwrap().contains("not by the key that it names"), "{document}");
    assert_eq!(state(&user, &project).0["state"], "failed");
    // Nobody listens there, and nobody is asked.
    let away = "oci://127.0.0.1:1/me/calm:v1";
    for words in [&["gene", "add", FILE][..], &["gene", "push", FILE, away]] {
        let refused = user.run(project.root(), words).expect_code(2);
        assert!(refused.stderr.contains("its signature failed"), "{}", refused.stderr);
    }
    fs::remove_file(project.root().join(ENVELOPE)).unwrap();
    run().expect_code(0);
}

#[test]
fn a_repository_takes_nothing_away_and_names_no_keys() {
    let (env, project) = author();
    with_keys(&env, "require = \"signed\"");
    let own = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    project.write("gephost.toml", &format!("{own}\n[trust]\nrequire = \"nothing\"\n"));
    env.run(project.root(), &["run", "--gene", FILE]).expect_code(2);
    project.write("gephost.toml", &format!("{own}\n[trust]\nkeys = []\n"));
    let refused = env.run(project.root(), &["run"]).expect_code(2);
    assert!(refused.stderr.contains("`trust.keys` belongs to the user's own config"), "{}", refused.stderr);
}

#[test]
fn a_gene_that_is_only_text_is_signed_too() {
    let (env, project) = author();
    let gene = json!({
        "type": "Gene", "schema_version": "1.5.0", "id": "gene_text", "category": "repair", "summary": "Words alone",
        "signals_match": ["log_error"], "strategy": ["Do it"], "constraints": {}, "validation": [],
    });
    project.write("text.json", &gene.to_string());
    let (signed, code) = env.json(project.root(), &["gene", "sign", "text.json"]);
    assert_eq!((code, &signed["world"], &signed["gene"]), (0, &json!("text"), &json!("gene_text")));
    let (inspected, _) = env.json(project.root(), &["gene", "inspect", "text.json"]);
    assert_eq!(inspected["gene"]["signature"]["by"], json!(["you"]));
}

#[test]
fn genes_of_the_config_are_listed_with_their_state() {
    let (env, project) = author();
    let own = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    let own = own.replace("[genes]\n", "");
    project.write("gephost.toml", &format!("{own}\n[genes]\nfiles = [\"{FILE}\"]\n"));
    let text = env.run(project.root(), &["gene", "list"]).expect_code(0).stdout;
    assert!(text.lines().any(|line| line.contains(" calm ") && line.ends_with("unsigned")), "{text}");
    env.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
    let (document, _) = env.json(project.root(), &["gene", "list"]);
    let rows = document["genes"].as_array().unwrap();
    let of = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["signature"]["by"].clone();
    assert_eq!((of("calm"), of("gene_gep_repair_from_errors")), (json!(["you"]), json!(["gephost"])));
}

/// An envelope is what any other program takes for DSSE: Python checks it with nothing of gephost's.
#[test]
fn another_program_verifies_an_envelope() {
    const CHECK: &str = r#"
import base64, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
envelope, gene, key = json.load(open(sys.argv[1])), open(sys.argv[2], "rb").read(), sys.argv[3]
kind, payload = envelope["payloadType"], base64.b64decode(envelope["payload"], validate=True)
signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key.removeprefix("ed25519:"), validate=True))
[signature] = envelope["signatures"]
public.verify(base64.b64decode(signature["sig"], validate=True), signed)
statement = json.loads(payload)
assert kind == "application/vnd.in-toto+json", kind
assert statement["_type"] == "https://in-toto.io/Statement/v1", statement
assert statement["subject"] == [{"name": "calm.wasm", "digest": {"sha256": hashlib.sha256(gene).hexdigest()}}], statement
assert statement["predicate"]["gene"] == "calm", statement
print("verified", statement["predicateType"])
"#;
    let (env, project) = author();
    let has = env.python(project.root()).args(["-c", "import cryptography"]).output();
    if !has.is_ok_and(|ran| ran.status.success()) {
        println!("skipped: python3 has no package `cryptography`");
        return;
    }
    env.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
    let key = key(&env, &project);
    let check = || env.python(project.root()).args(["-c", CHECK, ENVELOPE, FILE, &key]).output().unwrap();
    let ran = check();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(said.trim(), "verified urn:gephost:attestation:gene:v1", "{}", String::from_utf8_lossy(&ran.stderr));
    fs::write(project.root().join(FILE), "other bytes").unwrap();
    assert!(!check().status.success(), "the check can fail");
}
