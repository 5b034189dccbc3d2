//! Checkpoints of the log, proofs against them, and the name of each damage, through the binary.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

/// A project whose log has some entries, and a folder beside it.
struct Logged {
    env: TestEnv,
    project: TestProject,
    outside: tempfile::TempDir,
}

impl Logged {
    fn new(entries: usize) -> Self {
        let env = TestEnv::new();
        let project = TestProject::new(&env, &[("a.txt", "a\n")]);
        let logged = Self { env, project, outside: tempfile::tempdir().unwrap() };
        logged.record(entries);
        logged
    }

    fn record(&self, entries: usize) {
        for _ in 0..entries {
            self.env.run(self.project.root(), &["record", "--", "true"]).expect_code(0);
        }
    }

    fn path(&self, name: &str) -> String {
        self.outside.path().join(name).to_str().unwrap().to_owned()
    }

    fn state(&self, name: &str) -> PathBuf {
        self.env.state_of(self.project.root()).join(name)
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(self.state("log.jsonl")).unwrap().lines().map(str::to_owned).collect()
    }

    fn json(&self, arguments: &[&str]) -> (Value, i32) {
        self.env.json(self.project.root(), arguments)
    }

    fn checkpoint(&self, name: &str) -> (String, String) {
        let file = self.path(name);
        let (made, code) = self.json(&["log", "checkpoint", "--out", &file]);
        assert_eq!(code, 0, "{made}");
        assert_eq!(fs::read_to_string(&file).unwrap(), made["note"].as_str().unwrap());
        (file, made["key"].as_str().unwrap().to_owned())
    }
}

fn write(path: PathBuf, lines: &[String]) {
    let ends = if lines.is_empty() { "" } else { "\n" };
    fs::write(path, lines.join("\n") + ends).unwrap();
}

#[test]
fn a_log_continues_its_checkpoint_until_it_is_rewritten_or_cut() {
    let logged = Logged::new(3);
    let (file, _) = logged.checkpoint("kept");
    logged.record(2);
    let compared = || {
        let (page, code) = logged.json(&["log", "verify", "--checkpoint", &file]);
        let found = &page["checkpoint"];
        let words = format!("{} {} {}", found["log"], found["added"], found["signature"]);
        (words.replace('"', ""), code, page)
    };
    assert_eq!(compared().0, "continues 2 valid");
    assert_eq!(compared().1, 0);

    let (log, head) = (fs::read(logged.state("log.jsonl")).unwrap(), fs::read(logged.state("head.json")).unwrap());
    let put_back = || {
        fs::write(logged.state("log.jsonl"), &log).unwrap();
        fs::write(logged.state("head.json"), &head).unwrap();
    };
    // Somebody with the user's rights writes the log and its head anew: only the kept checkpoint tells.
    let other = Logged::new(4);
    let rewrite = |lines: &[String]| {
        let mut end = gephost_core::event_log::Head::empty();
        let mut anew = Vec::new();
        for line in lines {
            let entry = gephost_core::event_log::read_line(line.as_bytes()).unwrap();
            let (line, next) = gephost_core::event_log::append(&end, entry.at, &entry.body).unwrap();
            anew.push(line);
            end = next;
        }
        write(logged.state("log.jsonl"), &anew);
        let text = format!("{{\"head\":{},\"next\":null}}", serde_json::to_string(&end).unwrap());
        fs::write(logged.state("head.json"), text).unwrap();
    };
    let ours = logged.lines();
    let mut forged = ours.clone();
    forged[1] = other.lines()[1].clone();
    rewrite(&forged);
    logged.env.run(logged.project.root(), &["log", "verify"]).expect_code(0);
    assert_eq!((compared().0.as_str(), compared().1), ("rewritten null valid", 1));
    rewrite(&ours[..2]);
    assert_eq!((compared().0.as_str(), compared().1), ("shorter null valid", 1));
    rewrite(&other.lines());
    assert_eq!((compared().0.as_str(), compared().1), ("other_log null valid", 1));
    let (refused, code) = logged.json(&["log", "prove", "--since", &file]);
    assert_eq!((refused["error"]["code"].as_str(), code), (Some("no_continuation"), 1), "{refused}");
    put_back();
    assert_eq!(compared().1, 0);
    // A log that is damaged is not compared.
    write(logged.state("log.jsonl"), &ours[..4]);
    let (_, code, page) = compared();
    assert_eq!((code, &page["checkpoint"]), (1, &Value::Null));
    assert!(page["fault"].as_str().unwrap().contains("truncated"), "{page}");
}

#[test]
fn others_check_checkpoints_and_proofs_with_the_key_alone() {
    let logged = Logged::new(4);
    let (kept, key) = logged.checkpoint("kept");
    logged.record(3);
    let (entry, growth) = (logged.path("entry.json"), logged.path("growth.json"));
    logged.env.run(logged.project.root(), &["log", "prove", "2", "--out", &entry]).expect_code(0);
    logged.env.run(logged.project.root(), &["log", "prove", "--since", &kept, "--out", &growth]).expect_code(0);

    // Another user, in a folder without any log.
    let stranger = TestEnv::new();
    let check = |file: &str, key: Option<&str>| {
        let mut arguments = vec!["log", "verify-proof", file];
        arguments.extend(key.iter().flat_map(|key| ["--key", key]));
        stranger.json(logged.outside.path(), &arguments)
    };
    let (page, code) = check(&entry, Some(&key));
    assert_eq!(
        (code, &page["holds"], &page["seq"], &page["entries"]),
        (0, &true.into(), &2.into(), &7.into()),
        "{page}"
    );
    let (page, code) = check(&growth, Some(&key));
    assert_eq!((code, &page["holds"], &page["proves"]), (0, &true.into(), &"growth".into()), "{page}");
    // Without a key, nothing is proven.
    let (page, code) = check(&entry, None);
    assert_eq!(code, 1, "{page}");
    assert!(page["fault"].as_str().unwrap().contains("no key is known"), "{page}");
    assert!(!stranger.user_folders().state.join("log.key").exists().unwrap(), "checking makes no key");
    // With another key neither.
    let other = Logged::new(1).checkpoint("other").1;
    assert_eq!(check(&entry, Some(&other)).1, 1);
    assert_eq!(check(&entry, Some("no key")).1, 2);
    // The signer checks with the own key.
    assert_eq!(logged.json(&["log", "verify-proof", &entry]).1, 0);

    let sound: Value = serde_json::from_str(&fs::read_to_string(&entry).unwrap()).unwrap();
    assert_eq!(sound["entry"].as_str().unwrap(), logged.lines()[2]);
    let mut edited = sound.clone();
    edited["entry"] = logged.lines()[1].clone().into();
    let mut moved = sound.clone();
    moved["seq"] = 1.into();
    let mut signed = sound.clone();
    signed["checkpoint"] = sound["checkpoint"].as_str().unwrap().replacen("\n7\n", "\n8\n", 1).into();
    for (changed, expect) in [(edited, "not in the log"), (moved, "not in the log"), (signed, "signature")] {
        let file = logged.path("changed.json");
        fs::write(&file, changed.to_string()).unwrap();
        let (page, code) = check(&file, Some(&key));
        assert!(code == 1 && page["fault"].as_str().unwrap().contains(expect), "{page}");
    }
    let forged = logged.path("forged");
    fs::write(&forged, fs::read_to_string(&kept).unwrap().replacen("\n4\n", "\n3\n", 1)).unwrap();
    let (page, code) = logged.json(&["log", "verify", "--checkpoint", &forged, "--key", &key]);
    assert_eq!((code, &page["checkpoint"]["signature"]), (1, &"forged".into()), "{page}");
    let (page, code) = logged.json(&["log", "verify", "--checkpoint", &kept, "--key", &other]);
    assert_eq!((code, &page["checkpoint"]["signature"]), (1, &"missing".into()), "{page}");
}

#[test]
fn the_key_is_the_users_alone_and_nothing_is_overwritten() {
    let logged = Logged::new(0);
    let (refused, code) = logged.json(&["log", "checkpoint"]);
    assert_eq!((refused["error"]["code"].as_str(), code), (Some("empty_log"), 2));
    let key = logged.env.user_folders().state.path().join("log.key");
    assert!(!key.exists(), "no key before there is something to sign");
    logged.record(1);
    let before = logged.project.fingerprint();
    let (file, first) = logged.checkpoint("kept");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(before, logged.project.fingerprint(), "nothing of it is in the repository");
    let kept = fs::read(&file).unwrap();
    let (refused, code) = logged.json(&["log", "checkpoint", "--out", &file]);
    assert_eq!((refused["error"]["code"].as_str(), code), (Some("io"), 1), "{refused}");
    assert_eq!(fs::read(&file).unwrap(), kept);
    let (again, _) = logged.json(&["log", "checkpoint"]);
    assert_eq!(again["key"].as_str(), Some(first.as_str()), "one key for one log");
    // A key that the repository brings is nobody's.
    logged.project.write(".gephost/log.key", &"x".repeat(32));
    assert_eq!(logged.json(&["log", "checkpoint"]).0["key"].as_str(), Some(first.as_str()));
    let (refused, code) = logged.json(&["log", "prove", "5"]);
    assert_eq!((refused["error"]["code"].as_str(), code), (Some("no_such_entry"), 2));
    fs::write(&file, "no note").unwrap();
    let (refused, code) = logged.json(&["log", "verify", "--checkpoint", &file]);
    assert_eq!((refused["error"]["code"].as_str(), code), (Some("no_checkpoint"), 2));
    // No host, user or folder is named in what others get.
    let text = String::from_utf8(kept).unwrap();
    assert!(text.starts_with("gephost-log/") && !text.contains(&*logged.project.root().to_string_lossy()), "{text}");
}

#[test]
fn each_damage_of_a_log_has_its_name() {
    type Damage = fn(&mut Vec<String>);
    let logged = Logged::new(4);
    let sound = logged.lines();
    let head = fs::read(logged.state("head.json")).unwrap();
    let damages: [(&str, Damage); 6] = [
        ("entry 1 was edited", |lines| lines[1] = lines[1].replace("\"true\"", "\"evil\"")),
        ("the entries were reordered from 1 on", |lines| lines.swap(1, 2)),
        ("entry 3 is a copy of entry 0: it was duplicated", |lines| lines.insert(3, lines[0].clone())),
        ("entry 2 was removed", |lines| drop(lines.remove(2))),
        ("the log ends after 3 entries, and its head says 4: it was truncated", |lines| lines.truncate(3)),
        ("the log ends after 0 entries, and its head says 4: it was truncated", Vec::clear),
    ];
    for (expect, damage) in damages {
        let mut lines = sound.clone();
        damage(&mut lines);
        assert_ne!(lines, sound, "{expect}");
        write(logged.state("log.jsonl"), &lines);
        let (page, code) = logged.json(&["log", "verify"]);
        assert_eq!((page["fault"].as_str(), code), (Some(expect), 1));
    }
    // A torn tail was never acknowledged: no fault.
    fs::write(logged.state("log.jsonl"), sound.join("\n") + "\n{\"at\":\"2026").unwrap();
    let (page, code) = logged.json(&["log", "verify"]);
    assert_eq!((&page["torn_bytes"], &page["intact"], code), (&11.into(), &true.into(), 0), "{page}");
    // The head of another project's log.
    write(logged.state("log.jsonl"), &sound);
    let other = Logged::new(2);
    fs::copy(other.state("head.json"), logged.state("head.json")).unwrap();
    let (page, code) = logged.json(&["log", "verify"]);
    let expect = "the head is of another log: it states 2 entries after another first entry, and this log has 4";
    assert_eq!((page["fault"].as_str(), code), (Some(expect), 1));
    fs::write(logged.state("head.json"), head).unwrap();
    assert_eq!(logged.json(&["log", "verify"]).1, 0);
}

/// Reads a note, its key and the proofs with nothing of gephost: RFC 6962 and C2SP rebuilt, Ed25519 from `cryptography`.
const WITNESS: &str = r#"
import base64, hashlib, json, sys
try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    print("skipped"); sys.exit(0)
key, note, log, proof = sys.argv[1], open(sys.argv[2]).read(), open(sys.argv[3], "rb").read(), json.load(open(sys.argv[4]))
name, hash_, encoded = key.split("+", 2)
raw = base64.b64decode(encoded)
assert raw[0] == 1 and hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4].hex() == hash_
def opened(note):
    text, lines = note.split("\n\n")
    dash, by, signed = lines.strip().split(" ")
    signed = base64.b64decode(signed)
    assert dash == "\u2014" and by == name and signed[:4].hex() == hash_
    Ed25519PublicKey.from_public_bytes(raw[1:]).verify(signed[4:], (text + "\n").encode())
    origin, size, root = text.split("\n")
    assert origin == name
    return int(size), base64.b64decode(root)
leaf = lambda line: hashlib.sha256(b"\0" + line).digest()
node = lambda a, b: hashlib.sha256(b"\1" + a + b).digest()
def root_of(leaves):
    if len(leaves) == 1: return leaves[0]
    k = 1
    while k * 2 < len(leaves): k *= 2
    return node(root_of(leaves[:k]), root_of(leaves[k:]))
size, root = opened(note)
lines = log.split(b"\n")[:size]
assert root_of([leaf(line) for line in lines]) == root
# RFC 9162, section 2.1.3.2.
size, root = opened(proof["checkpoint"])
fn, sn, r = proof["seq"], size - 1, leaf(proof["entry"].encode())
for hash_of in map(base64.b64decode, proof["hashes"]):
    assert sn > 0
    if fn & 1 or fn == sn:
        r = node(hash_of, r)
        while not fn & 1 and fn: fn >>= 1; sn >>= 1
    else:
        r = node(r, hash_of)
    fn >>= 1; sn >>= 1
assert sn == 0 and r == root
print("verified")
"#;

#[test]
fn a_program_that_knows_nothing_of_gephost_verifies_the_same() {
    let logged = Logged::new(5);
    let (kept, key) = logged.checkpoint("kept");
    logged.record(2);
    let script = logged.path("witness.py");
    fs::write(&script, WITNESS).unwrap();
    let log = logged.state("log.jsonl");
    let mut said = Vec::new();
    for seq in [0, 3, 6] {
        let proof = logged.path(&format!("{seq}.json"));
        logged.env.run(logged.project.root(), &["log", "prove", &seq.to_string(), "--out", &proof]).expect_code(0);
        // With the caller's environment and the tools of the suite: that is where a `cryptography` would be.
        let mut python = std::process::Command::new("python3");
        python.args([&script, &key, &kept]).arg(&log).arg(&proof);
        let tools = gephost_tests::repository().join("target/tools/cryptography");
        if tools.is_dir() {
            python.env("PYTHONPATH", tools);
        }
        let ran = python.output();
        let Ok(ran) = ran else {
            eprintln!("skipped: there is no python3");
            return;
        };
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        said.push(String::from_utf8_lossy(&ran.stdout).trim().to_owned());
    }
    if said[0] == "skipped" {
        eprintln!("skipped: python3 has no package `cryptography`");
        return;
    }
    assert_eq!(said, ["verified"; 3]);
}
