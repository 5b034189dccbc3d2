//! `gephost log graph` and `gephost memory show`: what the events in the assets folder say.

use std::fs;

use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::schema::check;
use serde_json::{Value, json};

/// A project whose assets folder has these events: id, parent, whether it held.
fn project(env: &TestEnv, events: &[(&str, Value, bool)]) -> TestProject {
    let project = TestProject::new(env, &[("a.txt", "a\n")]);
    let folder = project.root().join("assets/gep");
    fs::create_dir_all(&folder).unwrap();
    let line = |(number, (id, parent, held)): (usize, &(&str, Value, bool))| {
        let status = if *held { "success" } else { "failed" };
        json!({
            "type": "EvolutionEvent", "id": id, "parent": parent, "intent": "repair", "signals": ["log_error"],
            "genes_used": ["gene_x"], "blast_radius": { "files": 1, "lines": 2 },
            "outcome": { "status": status, "score": 0.85 }, "meta": { "at": format!("2026-02-{:02}T10:00:00Z", number + 1) },
        })
        .to_string()
    };
    let lines: Vec<String> = events.iter().enumerate().map(line).collect();
    fs::write(folder.join("events.jsonl"), lines.join("\n")).unwrap();
    project
}

#[test]
fn events_are_shown_as_a_tree_in_three_forms() {
    let env = TestEnv::new();
    let project = project(
        &env,
        &[
            ("evt_1", Value::Null, true),
            ("evt_2", json!("evt_1"), false),
            ("evt_3<b>\u{202e}", json!("evt_1"), true),
            ("evt_4", json!("evt_2"), true),
            ("evt_5", json!("gone"), true),
            ("evt_6", json!("evt_7"), true),
            ("evt_7", json!("evt_6"), true),
        ],
    );
    let (document, code) = env.json(project.root(), &["log", "graph"]);
    check("log-graph", &document);
    assert_eq!(code, 0);
    let rows: Vec<(&str, u64, Option<&str>)> = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["id"].as_str().unwrap(), row["lane"].as_u64().unwrap(), row["flaw"].as_str()))
        .collect();
    assert_eq!(
        rows,
        [
            ("evt_1", 0, None),
            ("evt_2", 1, None),
            ("evt_4", 1, None),
            ("evt_3<b>\u{202e}", 0, None),
            ("evt_5", 0, Some("missing_parent")),
            ("evt_6", 0, Some("circle")),
            ("evt_7", 0, None),
        ]
    );
    let text = env.run(project.root(), &["log", "graph"]).expect_code(0).stdout;
    let expect = "● evt_1  2026-02-01 10:00  repair  success 0.85  gene_x  1 file, 2 lines\n\
                  ├─○ evt_2  2026-02-02 10:00  repair  failed 0.85  gene_x  1 file, 2 lines\n\
                  │ ● evt_4  2026-02-04 10:00  repair  success 0.85  gene_x  1 file, 2 lines\n\
                  ● evt_3<b>\u{fffd}  2026-02-03 10:00  repair  success 0.85  gene_x  1 file, 2 lines\n\n\
                  ● evt_5  2026-02-05 10:00  repair  success 0.85  gene_x  1 file, 2 lines  (the event that it follows is missing)\n";
    assert!(text.starts_with(expect), "{text}");
    assert!(text.contains("evt_6") && text.contains("it follows itself"), "{text}");
    let svg = env.run(project.root(), &["log", "graph", "--svg"]).expect_code(0).stdout;
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert_eq!((svg.matches("<circle").count(), svg.matches("<path").count()), (7, 4), "{svg}");
    assert!(svg.contains("evt_3&lt;b&gt;") && !svg.contains("<b>"), "{svg}");
}

/// A project with 80,000 events. All of them at once take more than 400 MB.
fn long_past(env: &TestEnv) -> TestProject {
    let project = project(env, &[]);
    let line = |number: usize| {
        let parent = if number.is_multiple_of(1_000) { Value::Null } else { json!(format!("evt_{}", number - 1)) };
        json!({
            "type": "EvolutionEvent", "id": format!("evt_{number}"), "parent": parent, "intent": "repair",
            "signals": ["log_error", format!("s{}", number % 40)], "genes_used": ["gene_x"],
            "blast_radius": { "files": 1, "lines": 2 }, "outcome": { "status": "success", "score": 0.85 },
            "capsule_id": format!("c{}", number % 50), "meta": { "at": "2026-02-01T10:00:00Z" },
        })
        .to_string()
            + "\n"
    };
    let lines: String = (0..80_000).map(line).collect();
    fs::write(project.root().join("assets/gep/events.jsonl"), lines).unwrap();
    project
}

/// The document of a command that may use this much address space, in KiB.
fn limited(env: &TestEnv, project: &TestProject, kib: u32, arguments: &str) -> Value {
    let script = format!("ulimit -v {kib}; exec {} {arguments} --json", gephost().display());
    let ran = env.command("bash", project.root()).args(["-c", &script]).output().unwrap();
    serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|_| panic!("{arguments}: {}", String::from_utf8_lossy(&ran.stderr)))
}

#[test]
fn a_long_past_is_remembered_whole_in_bounded_memory() {
    let env = TestEnv::new();
    let project = long_past(&env);
    // The second time, the summary comes from the cache.
    for time in ["first", "second"] {
        let document = limited(&env, &project, 350_000, "memory show");
        let rows = document["genes"].as_array().unwrap();
        assert_eq!(rows.len(), 40, "{time}");
        assert!(rows.iter().all(|row| row["tries"] == 2_000 && row["successes"] == 2_000), "{time}: {document}");
    }
}

#[test]
fn of_a_long_past_the_newest_events_are_shown_in_bounded_memory() {
    let env = TestEnv::new();
    let project = long_past(&env);
    let document = limited(&env, &project, 400_000, "log graph");
    let rows = document["events"].as_array().unwrap();
    assert_eq!(rows.len() as u64 + document["earlier"].as_u64().unwrap(), 80_000);
    assert!((10_000..=20_000).contains(&rows.len()), "{}", rows.len());
    assert_eq!(rows.last().unwrap()["id"], "evt_79999");
    assert!(rows.iter().all(|row| row["flaw"].is_null()), "the windows begin with a root");
    // Another event before them moves the windows, so that the first one that is shown follows one that is not.
    let path = project.root().join("assets/gep/events.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{}\n{text}", text.lines().next().unwrap())).unwrap();
    let document = limited(&env, &project, 400_000, "log graph");
    assert_eq!(
        (&document["events"][0]["id"], &document["events"][0]["flaw"]),
        (&json!("evt_69999"), &json!("earlier_parent"))
    );
    let text = env.run(project.root(), &["log", "graph"]).expect_code(0).stdout;
    let shown = document["events"].as_array().unwrap().len();
    assert!(text.contains("(it follows an older event, which is not shown)"));
    assert!(text.ends_with(&format!(
        "\nThe newest {shown} events are shown, and {} older ones are not.\n",
        document["earlier"]
    )));
}

#[test]
fn a_project_without_events_says_so() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let ran = env.run(project.root(), &["log", "graph"]).expect_code(0);
    assert!(ran.stdout.contains("There are no evolution events yet"), "{}", ran.stdout);
    let ran = env.run(project.root(), &["memory", "show"]).expect_code(0);
    assert!(ran.stdout.contains("Nothing is remembered"), "{}", ran.stdout);
}

#[test]
fn memory_says_how_often_a_gene_held_and_when_it_is_banned() {
    let env = TestEnv::new();
    let events: Vec<_> = (0..4).map(|_| ("evt", Value::Null, false)).collect();
    let project = project(&env, &events);
    let (document, code) = env.json(project.root(), &["memory", "show"]);
    check("memory", &document);
    let row = &document["genes"][0];
    assert_eq!((code, &row["gene"], &row["signal_key"]), (0, &json!("gene_x"), &json!("log_error")));
    assert_eq!((&row["tries"], &row["successes"]), (&json!(4), &json!(0)), "{row}");
    assert!(row["probability"].as_f64().unwrap() < 0.5, "{row}");
    let text = env.run(project.root(), &["memory", "show"]).expect_code(0).stdout;
    assert!(text.starts_with("log_error\n  gene_x  0 of 4 succeeded, last on 2026-02-04"), "{text}");
}
