//! What is made of answers: candidates for the gate, or nothing and the true reason.

use gephost_tests::scripted::Say;
use serde_json::{Value, json};

use super::{REPAIR, Scene, answer, finding};
use crate::scene::{MISSING_PROGRAM, log_entries, python};

/// A model where nobody listens.
const NOBODY: &str = "api = \"openai\"\nendpoint = \"http://127.0.0.1:1/v1\"\nname = \"m\"\n";

fn no_op(document: &Value) -> (&str, &str) {
    let no_op = &document["model"]["no_op"];
    (no_op["kind"].as_str().unwrap_or("none"), no_op["reason"].as_str().unwrap_or_default())
}

#[test]
fn a_proposal_of_a_model_goes_the_way_of_any_other_to_a_branch() {
    if !python() {
        return;
    }
    let scene = Scene::new([Say::completion(&answer(REPAIR))]);
    let (document, code) = scene.run(&["run", "--diagnose", "model", "--apply"]);
    assert_eq!(code, 0, "{document}");
    assert!(
        document["applied"]["tried"][0]["branch"].as_str().is_some_and(|branch| branch.starts_with("evo/")),
        "{document}"
    );
    assert_eq!(document["candidates"][0]["proposal"]["gene"], "model:m");
    assert_eq!(document["diagnosis"]["findings"][0]["hypothesis"], "the name was removed from collections");
    let asked = scene.server.asked();
    assert_eq!(asked.len(), 1);
    let prompt = asked[0].prompt();
    assert!(
        prompt.contains("from collections import Mapping, OrderedDict"),
        "the file it points at is shown: {prompt}"
    );
    assert!(prompt.contains(finding()) && asked[0].head.starts_with("POST /v1/chat/completions "));
}

#[test]
fn an_exchange_replays_offline_to_the_same_bytes() {
    let scene = Scene::new([Say::completion("nonsense"), Say::completion(&answer(REPAIR))]);
    let (document, code) = scene.dry();
    assert_eq!(code, 0, "{document}");
    assert_eq!(scene.server.asked().len(), 2, "asked once more, with what was wrong");
    assert!(scene.server.asked()[1].prompt().contains("cannot be used: it is not one JSON object of the schema"));
    let id = document["model"]["exchange"].as_str().unwrap().to_owned();
    // Nobody is there to be asked, no model is configured, and the project is another one by now.
    std::fs::remove_dir_all(scene.env.home().join(".config")).unwrap();
    scene.project.write("inventory/store.py", "# other\n");
    scene.project.commit_all(&scene.env);
    let (replayed, code) = scene.run(&["replay", &id, "--offline"]);
    assert_eq!((code, &replayed["same"]), (0, &Value::Bool(true)), "{replayed}");
    let mut recorded = document["model"].clone();
    for measured in ["name", "exchange", "spent"] {
        recorded.as_object_mut().unwrap().remove(measured);
    }
    assert_eq!(replayed["outcome"].to_string(), recorded.to_string());
    assert_eq!(scene.server.asked().len(), 2);
    let (listed, _) = scene.run(&["replay", "--list"]);
    assert_eq!(listed["exchanges"][0]["id"], id.as_str());
}

#[test]
fn seed_004_row_1_invalid_json_is_mended_or_falls_back_to_a_no_op() {
    let prose = format!("Of course!\n```json\n{},\n```", answer(REPAIR).replace("\\n", "\n"));
    let scene = Scene::new([Say::completion(&prose)]);
    let (document, code) = scene.dry();
    assert_eq!((code, document["candidates"].as_array().unwrap().len()), (0, 1), "{document}");
    let diff = document["candidates"][0]["proposal"]["unified_diff"].as_str().unwrap();
    assert_eq!(diff, REPAIR, "a mended diff keeps its last line feed");
    assert_eq!(scene.server.asked().len(), 1, "what could be mended is not asked for again");

    let cut = answer(REPAIR);
    let scene = Scene::new([Say::completion(&cut[..cut.len() - 60]), Say::completion("I would change the import.")]);
    let (document, code) = scene.dry();
    assert_eq!((code, no_op(&document).0), (0, "invalid"), "{document}");
    assert!(no_op(&document).1.ends_with(", also when asked again"), "{document}");
    assert_eq!(document["candidates"], json!([]));
    let no_op = &document["model"]["no_op"]["proposal"];
    assert_eq!(
        (&no_op["changes"], no_op["title"].as_str().is_some_and(|t| t.starts_with("no change: "))),
        (&json!([]), true)
    );
}

#[test]
fn seed_004_row_2_an_empty_answer_is_a_no_op_with_the_diagnosis() {
    let scene = Scene::new([Say::completion(""), Say::completion(" \n ")]);
    let (document, code) = scene.dry();
    assert_eq!((code, no_op(&document)), (0, ("empty", "the answer is empty, also when asked again")));
    let title = document["diagnosis"]["findings"][0]["title"].as_str().unwrap();
    let summary = document["model"]["no_op"]["proposal"]["objective"].as_str().unwrap();
    assert!(summary.contains(title), "{summary}");
    // For a person.
    let scene = Scene::new([Say::completion(""), Say::completion("")]);
    let ran = scene.env.run(scene.project.root(), &["run", "--diagnose", "model"]).expect_code(0);
    assert!(ran.stdout.contains("no proposal: the answer is empty, also when asked again"), "{}", ran.stdout);
}

#[test]
fn a_model_that_knows_nothing_says_so_and_is_not_pressed() {
    let declined = json!({ "summary": "unclear", "findings": [], "proposals": [] }).to_string();
    let scene = Scene::new([Say::completion(&declined)]);
    let (document, code) = scene.dry();
    assert_eq!((code, no_op(&document).0, scene.server.asked().len()), (0, "declined", 1), "{document}");
}

#[test]
fn no_network_an_error_and_a_refusal_of_the_key_are_told_apart() {
    let nobody = Scene::new([]);
    super::configure(&nobody.env, NOBODY);
    let (document, code) = nobody.dry();
    assert_eq!((code, no_op(&document).0), (1, "network"), "{document}");
    for (status, expected, exit) in
        [(401, "unauthenticated", 4), (403, "unauthenticated", 4), (404, "refused", 1), (529, "refused", 1)]
    {
        let scene = Scene::new([Say::status(status, r#"{"error":{"message":"because"}}"#)]);
        let (document, code) = scene.dry();
        assert_eq!(
            (code, no_op(&document)),
            (exit, (expected, format!("the server answered {status}: because").as_str()))
        );
        assert_eq!(scene.server.asked().len(), 1, "an error is not asked about again");
    }
}

#[test]
fn the_log_says_why_a_model_came_to_nothing() {
    let declined = json!({ "summary": "unclear", "findings": [], "proposals": [] }).to_string();
    let scripts = [
        ("empty", vec![Say::completion(""), Say::completion("")]),
        ("invalid", vec![Say::completion("a"), Say::completion("b")]),
        ("declined", vec![Say::completion(&declined)]),
        ("refused", vec![Say::status(500, r#"{"error":{"message":"because"}}"#)]),
        ("network", vec![]),
    ];
    for (kind, script) in scripts {
        let scene = Scene::new(script);
        if kind == "network" {
            super::configure(&scene.env, NOBODY);
        }
        let (document, _) = scene.run(&["diagnose", "--diagnose", "model"]);
        assert_eq!(no_op(&document).0, kind, "{document}");
        let entries: Vec<_> = log_entries(&scene.env, &scene.project)
            .into_iter()
            .filter(|entry| entry["kind"] == "model_no_op")
            .collect();
        let expected = json!([{
            "kind": "model_no_op", "model": "model:m", "no_op": kind, "reason": no_op(&document).1,
            "exchange": document["model"]["exchange"],
        }]);
        assert_eq!(json!(entries), expected);
        let shown = scene.env.run(scene.project.root(), &["log"]).expect_code(0).stdout;
        assert!(shown.contains("model_no_op  ") && shown.contains(&format!("no_op={kind}")), "{shown}");
        let (verified, code) = scene.run(&["log", "verify"]);
        assert_eq!((code, &verified["intact"]), (0, &json!(true)), "{verified}");
    }
    // What came to a candidate is no such thing.
    let scene = Scene::new([Say::completion(&answer(REPAIR))]);
    scene.dry();
    let entries = log_entries(&scene.env, &scene.project);
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry["kind"] != "model_no_op"), "{entries:?}");
}

#[test]
fn tokens_and_money_are_counted_and_bound_before_anything_is_sent() {
    let scene = Scene::with("max_tokens = 4000\n", [Say::completion(&answer(REPAIR))]);
    let (document, code) = scene.dry();
    assert_eq!((code, no_op(&document).0), (7, "budget"), "{document}");
    assert_eq!(scene.server.asked().len(), 0);

    let prices = "price_in = 1.0\nprice_out = 10.0\nmax_cost = 1.0\n";
    let scene = Scene::with(prices, [Say::usage("nonsense", 900_000, 1)]);
    let (document, code) = scene.dry();
    assert_eq!((code, no_op(&document).0), (7, "budget"), "the second request is not paid for: {document}");
    assert_eq!(document["model"]["spent"]["nano_dollars"], 900_010_000_u64, "{document}");

    // The repository may be stricter.
    let scene = Scene::with("", [Say::completion(&answer(REPAIR))]);
    let own = std::fs::read_to_string(scene.project.root().join("gephost.toml")).unwrap();
    scene.project.write("gephost.toml", &format!("{own}\n[model]\nmax_tokens = 100\n"));
    assert_eq!(scene.dry().1, 7);
}

#[test]
fn the_other_commands_ask_too_and_autopilot_counts_over_its_cycles() {
    let declined = json!({ "summary": "unclear", "findings": [], "proposals": [] }).to_string();
    let scene = Scene::new([Say::completion(&declined), Say::completion(&answer(REPAIR)), Say::completion(&declined)]);
    let (document, code) = scene.run(&["diagnose", "--diagnose", "model"]);
    assert_eq!((code, document["model"]["summary"].as_str()), (0, Some("unclear")), "{document}");
    let (document, code) = scene.run(&["propose", "--diagnose", "model"]);
    assert_eq!((code, document["candidates"][0]["verdict"]["verdict"].as_str()), (0, Some("pass")), "{document}");
    let (document, code) = scene.run(&["select", "--diagnose", "model"]);
    assert_eq!((code, document["selected"].as_str()), (0, Some("model:m")), "{document}");
    assert_eq!(scene.server.asked().len(), 2, "a selection asks nobody");
    let (document, code) = scene.run(&["autopilot", "--diagnose", "model"]);
    assert_eq!((code, document["cycles"][0]["model"]["no_op"]["kind"].as_str()), (0, Some("declined")), "{document}");
}

#[test]
fn what_a_model_may_cost_ends_a_session_of_several_cycles() {
    let declined = json!({ "summary": "unclear", "findings": [], "proposals": [] }).to_string();
    let prices = "price_in = 1.0\nprice_out = 10.0\nmax_cost = 1.0\nmax_tokens = 5000000\nanswer_tokens = 4000\n";
    // Each answer costs 48 cents, and a request may cost 4 cents and its own text.
    let scene = Scene::with(prices, (0..5).map(|_| Say::usage(&declined, 480_000, 0)));
    // A third thing that goes wrong.
    let asked = json!({ "type": "tool_use", "id": "make", "name": "Bash", "input": { "command": "make" } });
    let answered = json!({
        "type": "tool_result", "tool_use_id": "make", "is_error": true,
        "content": "Exit code 2\nmake: *** No rule to make target 'all'.  Stop.",
    });
    let line = |role: &str, part: Value| {
        json!({
            "type": role, "sessionId": "other", "uuid": role, "timestamp": "2026-01-01T00:00:00Z",
            "message": { "role": role, "content": [part] },
        })
    };
    let log = format!("{}\n{}\n", line("assistant", asked), line("user", answered));
    scene.project.write("logs/other.jsonl", &log);
    scene.project.write("logs/third.jsonl", MISSING_PROGRAM);
    let own = std::fs::read_to_string(scene.project.root().join("gephost.toml")).unwrap();
    scene.project.write("gephost.toml", &format!("{own}\n[autopilot]\ncycle_delay_s = 0\n"));
    let (document, code) = scene.run(&["autopilot", "--diagnose", "model", "--apply"]);
    assert_eq!((code, &document["stopped"]["code"]), (7, &json!("model_budget")), "{document}");
    let cycles = document["cycles"].as_array().unwrap();
    let outcomes: Vec<_> = cycles.iter().map(|cycle| cycle["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["no_proposal", "no_proposal", "out_of_budget"], "{document}");
    assert_eq!(cycles[2]["model"]["no_op"]["kind"], "budget", "{document}");
    assert_eq!(cycles[2]["model"]["spent"]["nano_dollars"], 960_000_000_u64, "of all cycles: {document}");
    assert_eq!(scene.server.asked().len(), 2, "what could exceed the limit is not sent");
    // The finding that nobody was asked about is the one that another session begins with.
    let (document, _) = scene.run(&["autopilot", "--diagnose", "model", "--apply"]);
    let first = &document["cycles"][0];
    assert_eq!((&first["finding"], &first["outcome"]), (&cycles[2]["finding"], &json!("no_proposal")), "{document}");
}

#[test]
fn without_findings_nobody_is_asked() {
    let scene = Scene::new([Say::completion("x")]);
    std::fs::remove_dir_all(scene.project.root().join("logs")).unwrap();
    scene.project.write("logs/empty.jsonl", "");
    let (document, code) = scene.dry();
    assert_eq!((code, &document["model"], scene.server.asked().len()), (0, &Value::Null, 0), "{document}");
}

#[test]
fn anthropic_is_asked_in_its_own_form() {
    let input: Value = serde_json::from_str(&answer(REPAIR)).unwrap();
    let body = json!({
        "content": [{ "type": "tool_use", "id": "t", "name": "answer", "input": input }],
        "stop_reason": "tool_use",
        "usage": { "input_tokens": 10, "output_tokens": 5 },
    });
    let scene = Scene::new([Say::status(200, &body.to_string())]);
    scene.configure("anthropic", "key_command = [\"printf\", \"a-key\\\\n\"]\n");
    let (document, code) = scene.dry();
    assert_eq!((code, document["candidates"].as_array().unwrap().len()), (0, 1), "{document}");
    let asked = scene.server.asked();
    assert!(asked[0].head.starts_with("POST /v1/messages "), "{}", asked[0].head);
    let head = asked[0].head.to_lowercase();
    assert!(head.contains("anthropic-version: 2023-06-01") && head.contains("x-api-key: a-key"), "{head}");
}
