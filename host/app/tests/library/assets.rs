//! The assets folder: taken in, taken along, listed, remembered.

use std::fs;

use gephost_app::assets::Listed;
use gephost_app::{Environment, ErrorKind, Project};
use gephost_core::digest;
use serde_json::{Value, json};

use crate::scene::{Scene, failed, refusal};

fn scene() -> Scene {
    Scene::new(&[("a.txt", "a\n")])
}

/// A capsule or gene with the id of its content.
fn sealed(mut document: Value) -> Value {
    digest::seal(document.as_object_mut().expect("an object")).expect("sealed");
    document
}

fn capsule(id: &str) -> Value {
    sealed(json!({
        "type": "Capsule", "schema_version": "1.5.0", "id": id, "trigger": ["log_error"], "gene": "gene_x",
        "summary": format!("the change of {id}"), "confidence": 0.8, "blast_radius": { "files": 1, "lines": 2 },
        "outcome": { "status": "success", "score": 0.9 },
    }))
}

fn gene(id: &str) -> Value {
    sealed(json!({
        "type": "Gene", "schema_version": "1.5.0", "id": id, "category": "repair", "signals_match": ["log_error"],
        "strategy": ["look", "repair"], "constraints": { "max_files": 1 }, "validation": [],
    }))
}

fn event(id: &str, parent: Option<&str>, gene: &str, success: bool) -> Value {
    sealed(json!({
        "type": "EvolutionEvent", "schema_version": "1.5.0", "id": id, "parent": parent, "intent": "repair",
        "signals": ["log_error"], "genes_used": [gene], "blast_radius": { "files": 1, "lines": 2 },
        "outcome": { "status": if success { "success" } else { "failed" }, "score": 0.9 },
        "meta": { "at": "2026-02-01T00:00:00Z" },
    }))
}

fn lines(documents: &[Value]) -> String {
    documents.iter().map(ToString::to_string).collect::<Vec<_>>().join(
        "
",
    ) + "
"
}

fn listed(project: &Project) -> Vec<Listed> {
    let mut all = Vec::new();
    assert!(project.list_assets(&mut |listed| all.push(listed)).is_empty(), "every file can be read");
    all
}

fn import(scene: &Scene, name: &str, text: &str) -> gephost_app::assets::Imported {
    scene.write(name, text);
    scene.project().import_assets(name.as_ref(), Some("a friend")).expect("an import")
}

#[test]
fn every_form_of_a_file_is_taken_in_once() {
    let scene = scene();
    let one = import(&scene, "one.json", &capsule("c1").to_string());
    assert_eq!((one.received.len(), one.known, one.refused), (1, 0, 0));
    assert_eq!((one.received[0].kind, one.received[0].id.as_str()), ("Capsule", "c1"));
    assert_eq!(one.received[0].signature, "unsigned");
    assert_eq!(one.received[0].asset_id, capsule("c1")["asset_id"]);
    let two = import(&scene, "two.jsonl", &lines(&[capsule("c1"), gene("g1"), gene("g1")]));
    assert_eq!((two.received.len(), two.known), (1, 2), "one is known, and one stands twice");
    let three = import(&scene, "three.json", &json!({ "capsules": [capsule("c2"), capsule("c1")] }).to_string());
    assert_eq!((three.received.len(), three.known), (1, 1));
    // None of it is a gene or a capsule of this project now.
    let project = scene.project();
    assert!(project.registry.genes().expect("genes").is_empty());
    assert!(project.registry.capsules().expect("capsules").is_empty());
    let received: Vec<String> = listed(&project).into_iter().filter_map(|listed| listed.described.id).collect();
    assert_eq!(received.len(), 3, "{received:?}");
}

#[test]
fn what_does_not_verify_is_refused_with_its_place_and_the_rest_is_taken_in() {
    let scene = scene();
    let mut changed = capsule("c2");
    changed["summary"] = "another summary".into();
    let mut without = capsule("c3");
    without.as_object_mut().expect("an object").remove("asset_id");
    let failed = sealed(json!({
        "type": "Capsule", "id": "c4", "trigger": ["log_error"], "confidence": 0.1,
        "outcome": { "status": "failed", "score": 0.0 },
    }));
    let event = event("e1", None, "gene_x", true);
    let text = lines(&[capsule("c1"), changed, without, failed, event]) + "no json\n";
    let imported = import(&scene, "some.jsonl", &text);
    assert_eq!(imported.received.iter().map(|asset| asset.id.as_str()).collect::<Vec<_>>(), ["c1"]);
    assert_eq!(imported.passed_over.get("EvolutionEvent"), Some(&1));
    assert_eq!(imported.refusals.iter().map(|refused| refused.number).collect::<Vec<_>>(), [2, 3, 4, 6]);
    assert_eq!(imported.refused, 4);
    for (refused, why) in imported.refusals.iter().zip(["its content has", "no asset_id", "a change that failed", ""]) {
        assert!(refused.reason.contains(why), "{}", refused.reason);
    }
}

#[test]
fn of_many_refusals_the_first_are_listed_and_all_are_counted() {
    let scene = scene();
    let imported = import(&scene, "bad.jsonl", &"no json\n".repeat(150));
    assert_eq!((imported.refused, imported.refusals.len()), (150, gephost_app::assets::MAX_LISTED));
    assert!(imported.received.is_empty());
}

#[test]
fn a_file_that_is_none_of_the_forms_is_refused() {
    let scene = scene();
    let no_gzip: &[u8] = &[0x1f, 0x8b, 0, 1, 2];
    for (name, content) in [("text.json", &b"no json"[..]), ("cut.json", b"{\"capsules\": ["), ("gz.gepx", no_gzip)] {
        fs::write(scene.root().join(name), content).expect("a file");
        let error = failed(scene.project().import_assets(name.as_ref(), None));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "import_refused"), "{name}");
        assert!(error.message.contains(name) && error.hint.is_some(), "{error}");
    }
    for missing in ["none.json", "."] {
        let refused = refusal(scene.project().import_assets(missing.as_ref(), None));
        assert_eq!(refused, (ErrorKind::Usage, "io"), "{missing}");
    }
    assert!(listed(&scene.project()).is_empty());
}

#[test]
fn what_was_taken_in_before_a_file_broke_off_is_kept_and_said() {
    let scene = scene();
    let text = json!({ "capsules": [capsule("c1"), capsule("c2")] }).to_string();
    scene.write("cut.json", &text[..text.len() - 3]);
    let result = scene.project().import_assets("cut.json".as_ref(), None);
    let error = failed(result);
    assert!(error.message.contains("taken in before that"), "{error}");
    assert!(!listed(&scene.project()).is_empty());
}

#[test]
fn an_archive_brings_everything_back_byte_for_byte_into_an_empty_folder_only() {
    let from = scene();
    from.write(".gephost/gep/events.jsonl", &lines(&[event("e1", None, "gene_x", true)]));
    from.write(".gephost/gep/genes.json", &json!({ "version": 1, "genes": [gene("g1")], "own": [1] }).to_string());
    let archive = from.root().join("all.gepx");
    let file = fs::File::create(&archive).expect("a file");
    from.project().export_assets("tester", file).expect("an archive");
    let to = scene();
    let restored = to.project().restore_assets(&archive).expect("restored");
    assert!(restored >= 2, "{restored}");
    for name in ["events.jsonl", "genes.json"] {
        let path = format!(".gephost/gep/{name}");
        let [before, after] = [&from, &to].map(|scene| fs::read(scene.root().join(&path)).expect("a file"));
        assert_eq!(before, after, "{name}");
    }
    let error = failed(to.project().restore_assets(&archive));
    assert_eq!((error.kind, error.code), (ErrorKind::Conflict, "assets_exist"));
    assert!(error.hint.is_some_and(|hint| hint.contains("--restore")));
    // The same archive can be imported, as what others made.
    let imported = to.project().import_assets(&archive, None).expect("an import");
    assert_eq!((imported.received.len(), imported.received[0].kind), (1, "Gene"));
    to.write("text.gepx", "no archive");
    assert_eq!(refusal(scene().project().restore_assets(&to.root().join("text.gepx"))).1, "import_refused");
}

#[test]
fn an_archive_says_what_is_in_it() {
    let scene = scene();
    scene.write(
        ".gephost/gep/events.jsonl",
        &lines(&[event("e1", None, "g", true), event("e2", Some("e1"), "g", false)]),
    );
    let mut archive = Vec::new();
    scene.project().export_assets("tester", &mut archive).expect("an archive");
    assert_eq!(archive[..2], [0x1f, 0x8b]);
    // The same assets at the same time give the same bytes.
    let mut again = Vec::new();
    scene.project().export_assets("tester", &mut again).expect("an archive");
    assert_eq!(archive, again);
}

#[test]
fn each_place_is_described_and_a_broken_file_is_named_beside_the_others() {
    let scene = scene();
    scene.write(
        ".gephost/gep/genes.json",
        &json!({ "genes": [gene("g1"), { "type": "Gene" }, capsule("c1")] }).to_string(),
    );
    scene.write(".gephost/gep/events.jsonl", &format!("{}no json\n", lines(&[event("e1", None, "g", true)])));
    let all = listed(&scene.project());
    let of = |file: &str| all.iter().filter(|listed| listed.file == file).collect::<Vec<_>>();
    let genes = of("genes.json");
    assert_eq!(genes.iter().map(|listed| listed.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(genes[0].described.problem.is_none() && genes[0].described.id.as_deref() == Some("g1"));
    assert!(genes[1].described.problem.is_some(), "a gene without its members");
    assert!(genes[2].described.problem.as_ref().is_some_and(|problem| problem.contains("Capsule")));
    assert!(of("events.jsonl")[1].described.problem.is_some());
    scene.write(".gephost/gep/capsules.json", "{\"capsules\": [");
    let mut seen = 0;
    let unreadable = scene.project().list_assets(&mut |_| seen += 1);
    assert_eq!(unreadable.iter().map(|file| file.file).collect::<Vec<_>>(), ["capsules.json"]);
    assert_eq!(seen, all.len(), "the others are listed all the same");
}

#[test]
fn selection_remembers_what_the_events_say_and_a_broken_folder_is_an_error() {
    let scene = scene();
    assert!(scene.project().memory().expect("a memory").is_empty());
    let events = [
        event("e1", None, "gene_good", true),
        event("e2", Some("e1"), "gene_bad", false),
        event("e3", Some("e2"), "gene_good", true),
        event("e4", Some("e3"), "gene_bad", false),
    ];
    scene.write(".gephost/gep/events.jsonl", &lines(&events));
    let memory = scene.project().memory().expect("a memory");
    let of = |id: &str| memory.iter().find(|gene| gene.gene == id).expect("remembered");
    assert_eq!((of("gene_good").tries, of("gene_good").successes), (2, 2));
    assert_eq!((of("gene_bad").tries, of("gene_bad").successes), (2, 0));
    assert!(of("gene_good").probability > of("gene_bad").probability);
    let past = scene.project().past().expect("a past");
    assert_eq!((past.events.len(), past.attempts.len()), (4, 4));
    let history = past.gene_history(Some("gene_bad"));
    assert_eq!((history.tries, history.successes), (2, 0));
    assert_eq!(past.gene_history(None).tries, 0);
    let lineage = scene.project().lineage().expect("a lineage");
    assert_eq!((lineage.nodes.len(), lineage.earlier), (4, 0));
    // A folder in the place of the file can be neither read nor passed over.
    fs::remove_file(scene.root().join(".gephost/gep/events.jsonl")).expect("removed");
    fs::create_dir(scene.root().join(".gephost/gep/events.jsonl")).expect("a folder");
    for refused in
        [refusal(scene.project().memory()), refusal(scene.project().past()), refusal(scene.project().lineage())]
    {
        assert_eq!(refused, (ErrorKind::Failed, "assets"));
    }
}

#[test]
fn the_folder_is_the_operators_choice() {
    let scene = scene();
    let named = Environment { assets: Some("shared/gep".into()), ..scene.environment.clone() };
    scene.write("shared/gep/events.jsonl", &lines(&[event("e1", None, "gene_x", true)]));
    let project = Project::open(&named).expect("a project");
    assert_eq!(project.memory().expect("a memory").len(), 1);
    assert_eq!(scene.project().memory().expect("a memory").len(), 0, "without the choice it is another one");
    assert_eq!(project.state.id(), scene.project().state.id());
}

#[test]
fn a_draft_of_a_gene_needs_capsules_that_similar_signals_triggered() {
    let scene = scene();
    let empty = scene.project().distill(2, false, &[]).expect("a look");
    assert!(empty.draft.is_none() && empty.groups.is_empty());
    let text = lines(&[capsule("c1"), capsule("c2"), capsule("c3")]);
    import(&scene, "some.jsonl", &text);
    let look = |with_external: bool, signal: &str| {
        let looked = scene.project().distill(2, with_external, &[signal.to_owned()]).expect("a look").looked_at;
        (looked.capsules, looked.counted, looked.external, looked.without_signal)
    };
    // What others made does not count by itself, and what other signals triggered never does.
    assert_eq!(look(false, "log_error"), (3, 0, 3, 0));
    assert_eq!(look(true, "log_error"), (3, 3, 0, 0));
    assert_eq!(look(true, "unrelated"), (3, 0, 0, 3));
    assert_eq!(listed(&scene.project()).len(), 3, "nothing was written");
}
