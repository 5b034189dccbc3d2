//! Recordings: what a run keeps, running it again, carrying it to another machine, and what was damaged on the way.

use std::collections::BTreeMap;
use std::fs;

use gephost_core::recording::Digest;
use gephost_runner::recording::unpack;
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::{guests, scene};

/// The names of the recordings of a run of the quickstart.
fn run(env: &TestEnv, project: &TestProject) -> Vec<String> {
    let (document, code) = env.json(project.root(), &["run"]);
    assert_eq!(code, 0, "{document}");
    let calls = document["calls"].as_array().unwrap();
    calls.iter().map(|call| call["recording"].as_str().unwrap().to_owned()).collect()
}

/// The bundle of one recording.
fn export(env: &TestEnv, project: &TestProject, id: &str, name: &str) -> Vec<u8> {
    env.run(project.root(), &["replay", id, "--export", name]).expect_code(0);
    fs::read(project.root().join(name)).unwrap()
}

#[test]
fn every_call_of_a_run_replays_to_the_same_though_the_project_changed() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let ids = run(&env, &project);
    assert_eq!(ids.len(), 2, "{ids:?}");
    project.write("inventory/store.py", "# other\n");
    let log = fs::read_to_string(project.root().join("logs/session.jsonl")).unwrap();
    project.write("logs/session.jsonl", log.split_inclusive('\n').next().unwrap());
    project.commit_all(&env);
    for id in &ids {
        let (document, code) = env.json(project.root(), &["replay", id]);
        assert_eq!((code, &document["same"]), (0, &Value::Bool(true)), "{document}");
        assert_eq!(document["recording"]["id"], id.as_str());
        assert!(document["recording"]["requests"].as_u64().unwrap() > 0, "{document}");
    }
    // Another run over another project is another recording.
    assert_ne!(run(&env, &project)[0], ids[0]);
}

#[test]
fn a_call_in_a_process_replays_in_a_thread_and_the_other_way() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let config = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    let isolated = |genes: &str| project.write("gephost.toml", &format!("{config}\n{genes}"));
    // Where nothing is said, genes run in processes, whatever the kernel has.
    let (process, thread) = ("", "[genes]\nisolation = \"thread\"\n");
    let mut recorded = Vec::new();
    for (recording, replaying) in [(process, thread), (thread, process)] {
        isolated(recording);
        let ids = run(&env, &project);
        isolated(replaying);
        for id in &ids {
            let (document, code) = env.json(project.root(), &["replay", id]);
            assert_eq!((code, &document["same"]), (0, &Value::Bool(true)), "{document}");
        }
        recorded.push(ids);
    }
    // Where it ran is no part of what a call came to.
    assert_eq!(recorded[0], recorded[1]);
}

#[test]
fn the_same_run_is_kept_once() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let first = run(&env, &project);
    assert_eq!(run(&env, &project), first);
    let (document, _) = env.json(project.root(), &["replay", "--list"]);
    assert_eq!(document["recordings"].as_array().unwrap().len(), first.len(), "{document}");
}

#[test]
fn an_exported_recording_runs_where_there_is_no_project() {
    let (env, other) = (TestEnv::new(), TestEnv::new());
    let project = scene::quickstart(&env, None);
    for id in run(&env, &project) {
        let bundle = export(&env, &project, &id, "one.bundle");
        assert_eq!(export(&env, &project, &id, "two.bundle"), bundle, "the same recording gives the same file");
        let file = other.home().join("carried");
        fs::write(&file, bundle).unwrap();
        let (document, code) = other.json(other.home(), &["replay", file.to_str().unwrap()]);
        assert_eq!((code, &document["same"]), (0, &Value::Bool(true)), "{document}");
        assert_eq!(document["recording"]["id"], id.as_str());
    }
}

/// The pieces of a bundle, the document first.
fn pieces(bundle: &[u8]) -> (Value, BTreeMap<String, Vec<u8>>) {
    let mut at = bundle.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mut all = Vec::new();
    while !bundle[at..].starts_with(b"end\n") {
        let line_end = at + bundle[at..].iter().position(|byte| *byte == b'\n').unwrap();
        let line = std::str::from_utf8(&bundle[at..line_end]).unwrap();
        let (digest, length) = line.split_once(' ').unwrap();
        let end = line_end + 1 + length.parse::<usize>().unwrap();
        all.push((digest.to_owned(), bundle[line_end + 1..end].to_vec()));
        at = end + 1;
    }
    let document = serde_json::from_slice(&all.remove(0).1).unwrap();
    (document, all.into_iter().collect())
}

fn bundle(document: &Value, pieces: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut bytes = b"gephost recording bundle 1\n".to_vec();
    let document = document.to_string().into_bytes();
    let mut add = |content: &[u8]| {
        bytes.extend(format!("{} {}\n", Digest::of(content), content.len()).bytes());
        bytes.extend(content);
        bytes.push(b'\n');
    };
    add(&document);
    pieces.values().for_each(|content| add(content));
    bytes.extend(b"end\n");
    bytes
}

#[test]
fn a_file_that_is_another_is_named_with_both_digests() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let id = run(&env, &project).pop().unwrap();
    let (mut document, mut blobs) = pieces(&export(&env, &project, &id, "b"));
    let listing = document["workspace"].as_str().unwrap().to_owned();
    let text = String::from_utf8(blobs.remove(&listing).unwrap()).unwrap();
    let files: Value = serde_json::from_str(&text).unwrap();
    let old = files["asked"]["inventory/store.py"]["content"]["is"].as_str().unwrap();
    let (new, other) = (b"# another\n".to_vec(), Digest::of(b"# another\n").to_string());
    let text = text.replace(old, &other);
    document["workspace"] = Digest::of(text.as_bytes()).to_string().into();
    blobs.insert(other.clone(), new);
    blobs.insert("listing".to_owned(), text.into_bytes());
    fs::write(project.root().join("edited"), bundle(&document, &blobs)).unwrap();
    let (report, code) = env.json(project.root(), &["replay", "edited"]);
    assert_eq!((code, &report["same"]), (1, &Value::Bool(false)), "{report}");
    let told = report["told"][0].as_str().unwrap();
    let expected = ["call ", " workspace.read inventory/store.py: recorded ", old, ", now ", &other];
    assert!(expected.iter().all(|part| told.contains(part)), "{told}");
}

#[test]
fn a_bundle_that_was_damaged_is_refused() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let id = run(&env, &project).remove(0);
    let whole = export(&env, &project, &id, "b");
    assert!(unpack(&whole).is_ok());
    for at in (0..whole.len()).step_by(whole.len() / 60 + 1) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        assert!(unpack(&damaged).is_err(), "byte {at} was changed");
        assert!(unpack(&whole[..at]).is_err(), "cut at byte {at}");
    }
    let longer = [whole.as_slice(), b"x"].concat();
    for (name, bytes) in
        [("empty", &b""[..]), ("foreign", b"{}"), ("cut", &whole[..whole.len() - 4]), ("longer", &longer)]
    {
        fs::write(project.root().join(name), bytes).unwrap();
        let ran = env.run(project.root(), &["replay", name]).expect_code(2);
        assert!(
            ran.stderr.contains(name) && ran.stderr.contains("it is ") || ran.stderr.contains("follow"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn what_was_edited_or_taken_away_in_the_folder_is_said() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let id = run(&env, &project).remove(0);
    let folder = env.state_of(project.root()).join("recordings");
    let path = folder.join(format!("{id}.json"));
    let text = fs::read_to_string(&path).unwrap();
    for (from, to, says) in [
        ("\"seed\":", "\"seed\":1", "was edited"),
        ("\"gephost.recording/1\"", "\"gephost.recording/9\"", "its schema is"),
        ("\"outcome\":\"answered\"", "\"outcome\":\"trap\"", "was edited"),
        ("{", "", "damaged"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let ran = env.run(project.root(), &["replay", &id]).expect_code(2);
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
    }
    fs::write(&path, &text).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let blob = document["run_log"].as_str().unwrap().strip_prefix("sha256:").unwrap();
    fs::write(folder.join("blobs").join(blob), "edited").unwrap();
    let ran = env.run(project.root(), &["replay", &id]).expect_code(2);
    assert!(ran.stderr.contains("damaged or were edited"), "{}", ran.stderr);
    fs::remove_file(folder.join("blobs").join(blob)).unwrap();
    let ran = env.run(project.root(), &["replay", &id]).expect_code(2);
    assert!(ran.stderr.contains("no longer kept"), "{}", ran.stderr);
    let ran = env.run(project.root(), &["replay", "rec_0000000000000000"]).expect_code(2);
    assert!(ran.stderr.contains("no recording is named"), "{}", ran.stderr);
}

#[test]
fn only_so_many_are_kept_and_their_bytes_go_with_them() {
    let env = TestEnv::new();
    let keep = |count: u32| {
        format!("[policy]\nallow = [\"inventory/\"]\n[observe]\nlogs = [\"logs/\"]\n[recordings]\nkeep = {count}\n")
    };
    let project = scene::quickstart(&env, Some(&keep(4)));
    let count = |folder: &str| {
        let folder = env.state_of(project.root()).join("recordings").join(folder);
        fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count()
    };
    let first = run(&env, &project);
    let blobs = count("blobs");
    for round in 0..3 {
        project.write("inventory/store.py", &format!("# round {round}\n"));
        project.commit_all(&env);
        run(&env, &project);
        assert!(count("") <= 4 && count("blobs") <= blobs + 6, "{} {}", count(""), count("blobs"));
    }
    // The strategy read what changed since, so its first call is a recording of its own, and the oldest.
    env.run(project.root(), &["replay", first.last().unwrap()]).expect_code(2);
    project.write("gephost.toml", &keep(0));
    let (document, _) = env.json(project.root(), &["run"]);
    assert!(document["calls"][0].get("recording").is_none(), "{document}");
}

#[test]
fn a_gene_that_fails_leaves_a_recording_that_fails_alike() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, Some("[genes]\nbundled = false\n[observe]\nlogs = [\"logs/\"]\n"));
    let gene = env.home().join("panic.wasm");
    fs::write(&gene, guests::heuristic("panic")).unwrap();
    let ran = env.run(project.root(), &["diagnose", "--gene", gene.to_str().unwrap()]).expect_code(1);
    assert!(ran.stderr.contains("41 is not 42") && ran.stderr.contains("`diagnose` trapped"), "{}", ran.stderr);
    let (_, after) = ran.stderr.split_once("gephost replay ").unwrap();
    let id = &after[..20];
    let (document, code) = env.json(project.root(), &["replay", id]);
    assert_eq!((code, &document["recording"]["outcome"]), (0, &Value::from("trap")), "{document}");
    assert_eq!(document["call"]["log"][0]["message"], "gene panicked: 41 is not 42", "{document:#}");

    // `-v` shows what only a program saw before; another component gets the same question.
    let told = env.run(project.root(), &["replay", id, "-v"]).expect_code(0).stdout;
    for line in ["output gene panicked: 41 is not 42", "failed trapped in `diagnose`", "at diagnose"] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let calm = env.home().join("calm.wasm");
    fs::write(&calm, guests::heuristic("calm")).unwrap();
    let other = env.run(project.root(), &["replay", id, "-v", "--gene", calm.to_str().unwrap()]).expect_code(1).stdout;
    for line in ["another component", "differs", "answer"] {
        assert!(other.contains(line), "{line}: {other}");
    }
}

#[test]
fn a_call_that_ran_out_of_a_budget_says_where_it_was_stopped_and_what_raises_it() {
    let env = TestEnv::new();
    let config = "[genes]\nbundled = false\n[observe]\nlogs = [\"logs/\"]\n[budgets]\nfuel = 1000000\n";
    let project = scene::quickstart(&env, Some(config));
    let gene = env.home().join("loop.wasm");
    fs::write(&gene, guests::heuristic("endless_loop")).unwrap();
    let ran = env.run(project.root(), &["diagnose", "--gene", gene.to_str().unwrap()]).expect_code(7);
    assert!(ran.stderr.contains("(1000000 units): raise `fuel` in the config"), "{}", ran.stderr);
    let (_, after) = ran.stderr.split_once("gephost replay ").unwrap();
    let id = &after[..20];
    let told = env.run(project.root(), &["replay", id, "-v"]).expect_code(0).stdout;
    for line in ["failed used up its fuel budget", "it was stopped in `diagnose`", "at diagnose"] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (document, _) = env.json(project.root(), &["replay", id]);
    assert_eq!(document["call"]["stopped_at"], "it was stopped in `diagnose`", "{document:#}");
}

#[test]
fn explain_says_which_rule_hid_a_file_and_the_audit_has_every_request() {
    let env = TestEnv::new();
    let project = scene::quickstart(&env, None);
    let gene = env.home().join("reads.wasm");
    fs::write(&gene, guests::heuristic("reads_around")).unwrap();
    let gene = gene.to_str().unwrap();
    let audit = env.home().join("audit.jsonl");
    let ran = env
        .run(project.root(), &["diagnose", "--explain", "--gene", gene, "--audit", audit.to_str().unwrap()])
        .expect_code(0);
    let expected =
        ["granted   workspace.read inventory/store.py", "refused   workspace.read .env", "built-in rule `.env`"];
    assert!(expected.iter().all(|part| ran.stdout.contains(part)), "{}", ran.stdout);
    let lines: Vec<Value> =
        fs::read_to_string(&audit).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let own: Vec<&Value> = lines.iter().filter(|line| line["gene"] == "reads_around").collect();
    let decisions: Vec<&str> = own.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["granted", "refused", "not-found", "not-found"], "{own:?}");
    for (seq, line) in own.iter().enumerate() {
        assert_eq!((&line["seq"], &line["capability"]), (&Value::from(seq), &Value::from("workspace")));
        assert!(line["micros"].is_u64() && line["bytes"].is_u64(), "{line}");
    }
    assert!(own[0]["result"].as_str().unwrap().starts_with("sha256:") && own[1].get("result").is_none());
    let (document, _) = env.json(project.root(), &["diagnose", "--explain", "--gene", gene]);
    assert_eq!(document["explain"].as_array().unwrap().len(), document["calls"].as_array().unwrap().len());
}
