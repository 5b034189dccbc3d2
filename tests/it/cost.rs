//! From usage in a log to findings about cost. Thresholds reach the gene as settings, and a recording keeps them.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{quickstart, validated_by};

const KINDS: [&str; 4] = ["cache_misses", "cost_failures", "cost_retries", "cost_session"];

/// The lines that Claude Code writes for one call: the request on two lines with the same usage, and the result.
fn call(session: &str, number: usize, written: u64, command: &str, output: Option<&str>) -> String {
    let id = format!("{session}-{number}");
    let usage = json!({
        "input_tokens": 3, "output_tokens": 500,
        "cache_creation_input_tokens": written, "cache_read_input_tokens": 0,
    });
    let line = |kind: &str, part: &str, message: Value| {
        let line = json!({
            "type": kind, "sessionId": session, "uuid": format!("{id}-{part}"), "parentUuid": null,
            "timestamp": format!("2026-01-10T08:{number:02}:00.000Z"), "message": message,
        });
        format!("{line}\n")
    };
    let answer = |block: Value| json!({"id": id, "model": "our-model", "usage": usage, "content": [block]});
    let result = json!({
        "type": "tool_result", "tool_use_id": id, "is_error": output.is_some(), "content": output.unwrap_or("fine"),
    });
    [
        line("assistant", "a", answer(json!({"type": "thinking", "thinking": "hm"}))),
        line(
            "assistant",
            "b",
            answer(json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}})),
        ),
        line("user", "c", json!({"content": [result]})),
    ]
    .concat()
}

/// Five small sessions, and a large one that makes the same failing call five times.
fn project(env: &TestEnv, config: &str) -> TestProject {
    let mut log = String::new();
    for session in ["s0", "s1", "s2", "s3", "s4"] {
        log.push_str(&call(session, 0, 20_000, "ls", None));
    }
    for number in 0..5 {
        log.push_str(&call("large", number, 60_000, "make all", Some("Exit code 2\nour-error: no such thing\n")));
    }
    let project = quickstart(env, Some(&format!("{}{config}", validated_by(""))));
    project.write("logs/session.jsonl", &log);
    project.commit_all(env);
    project
}

fn costs(document: &Value) -> Vec<&Value> {
    let findings = document["findings"].as_array().unwrap().iter();
    let mut found: Vec<&Value> =
        findings.filter(|finding| KINDS.contains(&finding["kind"].as_str().unwrap())).collect();
    found.sort_by_key(|finding| finding["kind"].as_str());
    found
}

#[test]
fn usage_in_a_log_gives_cost_findings_with_evidence() {
    let env = TestEnv::new();
    let (document, code) = env.json(project(&env, "").root(), &["diagnose"]);
    assert_eq!(code, 0);
    let found = costs(&document);
    let titles: Vec<&str> = found.iter().map(|finding| finding["title"].as_str().unwrap()).collect();
    assert_eq!(
        titles,
        [
            "4 of 10 prompts missed the cache, which could have held 240k tokens more",
            "303k tokens (75%) were spent on one stretch of consecutive failed calls",
            "make all (failed again 4 times with nothing changed, for 242k tokens)",
            "session large used 303k tokens, 15 times the median of 6 sessions; 100% led to failed calls",
        ],
        "{document:#}"
    );
    for finding in found {
        assert!(!finding["evidence"].as_array().unwrap().is_empty(), "{finding}");
        assert!(finding["signals"].as_array().unwrap().contains(&json!("high_token_usage")), "{finding}");
        assert!(finding["priority"].as_f64().unwrap() > 0.0 && finding["direction"].as_str().unwrap().len() > 20);
    }
    let (observed, _) = env.json(project(&env, "").root(), &["observe", "logs/session.jsonl"]);
    let usage = &observed["files"][0]["usage"];
    assert_eq!((&usage["input_tokens"], &usage["cache_write_tokens"]), (&json!(30), &json!(400_000)), "each once");
}

#[test]
fn the_operators_thresholds_reach_the_gene() {
    let env = TestEnv::new();
    let none = "[diagnose.thresholds]\nsession_times = 15\nretry_tokens = 242013\nstretch_calls = 6\ncache_share = 0\n";
    let (document, _) = env.json(project(&env, none).root(), &["diagnose"]);
    assert_eq!(costs(&document), Vec::<&Value>::new());
    let exactly = "[diagnose.thresholds]\nsession_times = 14\nretry_tokens = 242012\nstretch_calls = 5\n";
    let (document, _) = env.json(project(&env, exactly).root(), &["diagnose"]);
    assert_eq!(costs(&document).len(), 4);
    for (wrong, says) in [
        (
            "[diagnose.thresholds]\nsession_time = 4\n",
            "`diagnose.thresholds.session_time` is unknown: use one of cache_missed_tokens, ",
        ),
        ("[diagnose.thresholds]\ncache_share = 2\n", "`diagnose.thresholds.cache_share` is 2: it must be 0 to 1"),
        ("[genes.settings.\"x\"]\nfar = inf\n", "`far` is inf: it must be a finite number"),
        (
            "[genes.settings.\"gene_gephost_tool_failures\"]\nmade_up = 1\n",
            "`genes.settings.\"gene_gephost_tool_failures\".made_up` is unknown: use one of ",
        ),
        (
            "[genes.settings.\"gene_gephost_tool_failures\"]\nslow_ms = \"1 s\"\n",
            "`genes.settings.\"gene_gephost_tool_failures\".slow_ms` is \"1 s\": it must be a number",
        ),
    ] {
        let ran = env.run(project(&env, wrong).root(), &["diagnose"]).expect_code(2);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}

#[test]
fn a_gene_gets_its_own_settings_and_a_recording_keeps_them() {
    let env = TestEnv::new();
    let config = "[diagnose.thresholds]\nretry_tokens = 9\n[genes.settings.\"gene_gephost_tool_failures\"]\n\
                  retry_tokens = 242013\n[genes.settings.\"another\"]\nnot_told = true\n";
    for isolation in ["process", "thread"] {
        let project = project(&env, &format!("{config}[genes]\nisolation = \"{isolation}\"\n"));
        let (document, code) = env.json(project.root(), &["run"]);
        assert_eq!(code, 0, "{document:#}");
        let of_gene = |call: &&Value| call["gene"] == "gene_gephost_tool_failures";
        let call = document["calls"].as_array().unwrap().iter().find(of_gene).unwrap();
        assert_eq!(call["log"], json!([]), "no setting is unknown to the gene");
        let recording = call["recording"].as_str().unwrap();
        project.write("gephost.toml", &validated_by(""));
        let (replayed, code) = env.json(project.root(), &["replay", recording]);
        assert_eq!((code, &replayed["same"]), (0, &json!(true)), "{replayed:#}");
        let (diagnosed, _) = env.json(project.root(), &["diagnose"]);
        assert_eq!(costs(&diagnosed).len(), 4, "without its own setting");
        let kinds: Vec<&str> = document["diagnosis"]["findings"]
            .as_array()
            .unwrap_or_else(|| document["findings"].as_array().expect("findings"))
            .iter()
            .map(|finding| finding["kind"].as_str().unwrap())
            .collect();
        assert!(
            !kinds.contains(&"cost_retries") && kinds.contains(&"cost_session"),
            "a setting of its own overrides the threshold: {kinds:?}"
        );
    }
}
