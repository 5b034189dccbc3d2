//! Which genes take part, from where, and who vouches for them. Only manifests are read, unless a cycle runs.

use std::fs;
use std::path::Path;

use gephost_app::components::{Installed, reference};
use gephost_app::cycle::CycleOptions;
use gephost_app::gene_file::read_gene;
use gephost_app::gene_ids::GeneSource;
use gephost_app::gene_list::{ListedBody, ListedGene};
use gephost_app::vouching::{Vouching, envelope_path, own_key, sign_gene};
use gephost_app::{ErrorKind, Project};
use gephost_core::attest::Signature;
use gephost_core::recording::Digest;
use gephost_runner::bundled::{BUNDLED, STRATEGIST};

use crate::scene::{Scene, failed, refusal};

const ADDED: &str = "gene_test_tool_failures_";

/// A component that gephost does not bundle: a bundled one under another id of the same length.
fn component() -> Vec<u8> {
    let bundled = BUNDLED.iter().find(|bundled| bundled.id == "gene_gephost_tool_failures").expect("it is bundled");
    let other = format!("{ADDED:_<0$}", bundled.id.len());
    let mut bytes = bundled.bytes.to_vec();
    let id = bundled.id.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(id.len()).position(|window| window == id) {
        bytes[at + found..at + found + id.len()].copy_from_slice(other.as_bytes());
        at += found + id.len();
    }
    assert_ne!(bytes, bundled.bytes);
    bytes
}

fn added_id() -> String {
    format!("{ADDED:_<0$}", "gene_gephost_tool_failures".len())
}

fn text_gene(id: &str) -> String {
    serde_json::json!({
        "type": "Gene", "schema_version": "1.5.0", "id": id, "category": "repair", "signals_match": ["log_error"],
        "strategy": ["look", "repair"], "constraints": { "max_files": 1 }, "validation": [],
    })
    .to_string()
}

/// A project with a component file and a gene that is only text, of a user with keys of its own.
fn scene(config: &str) -> Scene {
    let scene = Scene::new(&[("gephost.toml", config), ("text.json", &text_gene("gene_text"))]).of_another_user();
    fs::write(scene.root().join("own.wasm"), component()).expect("a component");
    scene
}

fn listed(project: &Project) -> Vec<ListedGene> {
    project.listed_genes().expect("a list").0
}

fn why_not(project: &Project, id: &str) -> Option<String> {
    listed(project).into_iter().find(|gene| gene.id() == id).expect(id).why_not
}

fn asked(project: &Project, gene: &str) -> Result<gephost_app::genes::Genes, gephost_app::AppError> {
    project.genes(&project.sandbox().expect("a sandbox"), &[gene.to_owned()])
}

#[test]
fn the_bundled_genes_are_listed_in_their_order_and_vouched_for() {
    let scene = scene("");
    let list = listed(&scene.project());
    assert_eq!(
        list.iter().map(ListedGene::id).collect::<Vec<_>>(),
        BUNDLED.iter().map(|one| one.id).collect::<Vec<_>>()
    );
    for gene in &list {
        assert!(gene.source == GeneSource::Bundled && gene.signature.is_verified(), "{}", gene.id());
        assert_eq!(gene.why_not.is_some(), gene.id() == STRATEGIST, "{}", gene.id());
    }
    // Bytes of another file are vouched for if they are the same, and only then.
    let vouching = scene.project().vouching().expect("whom the user trusts");
    assert!(vouching.judge(Path::new("x"), BUNDLED[0].bytes, None).expect("judged").is_verified());
    assert_eq!(vouching.judge(Path::new("x"), &component(), None).expect("judged"), Signature::Unsigned);
}

#[test]
fn without_the_bundled_genes_each_says_why_it_does_not_run() {
    let scene = scene("[genes]\nbundled = false\n");
    for gene in listed(&scene.project()).iter().filter(|gene| gene.id() != STRATEGIST) {
        assert_eq!(gene.why_not.as_deref(), Some("`[genes] bundled` is false"), "{}", gene.id());
    }
    let found = scene.project().diagnose(&CycleOptions::default()).expect("a diagnosis");
    assert!(found.diagnosed.calls.is_empty());
    assert!(scene.noted("no gene diagnoses"), "{:?}", scene.notes());
}

#[test]
fn a_file_of_the_config_is_listed_by_its_name_and_its_pin() {
    let digest = Digest::of(&component());
    for (pin, runs) in [
        (String::new(), true),
        (format!(", sha256 = \"{}\"", digest.hex()), true),
        (format!(", sha256 = \"{}\"", "0".repeat(64)), false),
    ] {
        let scene = scene(&format!("[genes]\nfiles = [{{ path = \"own.wasm\"{pin} }}]\n"));
        let list = listed(&scene.project());
        let own = list.iter().find(|gene| gene.id() == added_id()).expect("listed");
        assert_eq!((own.source.to_string().as_str(), own.digest, own.why_not.is_none()), ("own.wasm", digest, runs));
        if !runs {
            let error = failed(scene.project().genes(&scene.project().sandbox().expect("a sandbox"), &[]));
            assert_eq!((error.kind, error.code), (ErrorKind::Usage, "gene_digest"));
            assert!(error.hint.is_some_and(|hint| hint.contains(digest.hex().as_str())));
        }
    }
}

#[test]
fn what_cannot_be_a_gene_is_refused_by_its_name_and_says_what_could() {
    let scene = scene("");
    scene.write("broken.json", "{\"type\": \"Gene\"}");
    scene.write("broken.wasm", "\0asm");
    let project = scene.project();
    for (name, code) in [
        ("none.wasm", "io"),
        (".", "io"),
        ("broken.json", "gene_refused"),
        ("broken.wasm", "gene_refused"),
        ("gephost.toml", "gene_refused"),
        (STRATEGIST, "gene_refused"),
    ] {
        let Err(error) = asked(&project, name) else { panic!("{name} is a gene") };
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, code), "{name}");
        assert!(error.message.contains(name) || name == ".", "{error}");
    }
    let error = failed(read_gene(&scene.environment, Path::new("none.wasm")));
    assert!(error.hint.is_some_and(|hint| hint.contains("gephost gene list")));
}

#[test]
fn two_genes_of_one_id_are_refused_and_the_same_one_twice_is_one() {
    let scene = scene("[genes]\nfiles = [\"text.json\"]\n");
    let project = scene.project();
    let genes = asked(&project, "text.json").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((genes.texts.map(|texts| texts.texts.len()), genes.asked), (Some(1), vec!["gene_text".to_owned()]));
    scene.write("other.json", &text_gene("gene_text").replace("look", "look twice"));
    let Err(error) = asked(&project, "other.json") else { panic!("an id stands for one gene") };
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "gene_id"));
    assert!(error.message.contains("text.json") && error.message.contains("other.json"), "{error}");
    // A file with the id of a bundled gene, and other bytes.
    scene.write("bundled.json", &text_gene(BUNDLED[0].id));
    let Err(error) = asked(&project, "bundled.json") else { panic!("an id stands for one gene") };
    assert!(error.code == "gene_id" && error.hint.is_some_and(|hint| hint.contains("bundled = false")));
}

#[test]
fn a_gene_that_is_only_text_is_listed_as_such() {
    let scene = scene("[genes]\nfiles = [\"text.json\"]\n");
    let list = listed(&scene.project());
    let text = list.iter().find(|gene| gene.id() == "gene_text").expect("listed");
    assert!(matches!(text.body, ListedBody::Text(_)) && text.why_not.is_none());
    assert_eq!(text.signature, Signature::Unsigned);
}

#[test]
fn if_a_signature_is_required_only_signed_genes_are_let_in() {
    let scene = scene("[genes]\nfiles = [\"own.wasm\"]\n");
    scene.user_config("[trust]\nrequire = \"signed\"\n");
    let project = scene.project();
    assert!(why_not(&project, &added_id()).is_some_and(|why| why.contains("`trust.require` is \"signed\"")));
    let name = Path::new("own.wasm");
    let signed = sign_gene(&scene.environment, name, "a test").expect("signed");
    assert!(!signed.is_signed && signed.digest == Digest::of(&component()));
    assert_eq!(signed.key, own_key(&scene.environment).expect("a key"));
    let envelope = envelope_path(&scene.root().join(name));
    assert!(!envelope.exists(), "whoever asks writes it");
    fs::write(&envelope, &signed.envelope).expect("an envelope");
    assert_eq!(why_not(&project, &added_id()), None);
    assert!(sign_gene(&scene.environment, name, "a test").expect("signed").is_signed);
    // Changed after it was signed: refused whatever is required.
    let mut bytes = component();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(scene.root().join(name), &bytes).expect("a file");
    scene.user_config("");
    let refused = scene
        .project()
        .listed_genes()
        .map(|(list, _)| list.into_iter().find(|gene| gene.id() == added_id()).and_then(|gene| gene.why_not));
    match refused {
        Ok(why) => assert!(why.is_some_and(|why| why.contains("signature")), "it was changed"),
        Err(error) => assert_eq!(error.code, "gene_refused", "{error}"),
    }
}

#[test]
fn a_signature_of_somebody_whom_the_user_does_not_trust_is_that_of_a_stranger() {
    let (author, user) = (scene(""), scene(""));
    let signed = sign_gene(&author.environment, Path::new("own.wasm"), "a test").expect("signed");
    let look = |scene: &Scene| {
        let vouching = Vouching::of_user(&scene.environment).expect("whom the user trusts");
        let file = vouching.look_at(&scene.environment, Path::new("own.wasm")).expect("a gene");
        (vouching.admit(Path::new("own.wasm"), &file.signature).map_err(|error| error.code), file.signature)
    };
    let file = envelope_path(&user.root().join("own.wasm"));
    fs::write(&file, &signed.envelope).expect("an envelope");
    let (admitted, signature) = look(&user);
    assert!(matches!(signature, Signature::Stranger(_)) && admitted.is_ok(), "{signature:?}");
    user.user_config(&format!(
        "[trust]\nrequire = \"signed\"\nkeys = [{{ name = \"ann\", key = \"{}\" }}]\n",
        signed.key
    ));
    assert_eq!(look(&user), (Ok(()), Signature::Verified { by: vec!["ann".to_owned()] }));
    user.user_config("[trust]\nrequire = \"signed\"\n");
    assert_eq!(look(&user).0, Err("gene_not_signed"));
    fs::write(&file, "no envelope").expect("a file");
    let (admitted, signature) = look(&user);
    assert!(matches!(signature, Signature::Failed(_)), "{signature:?}");
    assert_eq!(admitted, Err("gene_signature_failed"));
}

#[test]
fn an_added_component_is_pinned_and_runs_only_while_the_pin_and_the_yes_agree() {
    let scene = scene("");
    let project = scene.project();
    let file = reference("own.wasm").expect("a reference");
    let added = project.add_gene(&file, false).expect("added");
    assert!(added.added && added.earlier.is_none() && added.wider.is_empty());
    assert_eq!((added.manifest.id(), added.source.as_str()), (added_id().as_str(), "own.wasm"));
    let lock = project.gene_lock().expect("a lock");
    let pin = lock.get(&added_id()).expect("a pin").clone();
    assert_eq!(pin.digest, added.digest);
    assert!(matches!(project.installed(&pin).expect("a look"), Installed::Pinned(_)));
    let list = listed(&project);
    let own = list.iter().find(|gene| gene.id() == added_id()).expect("listed");
    assert!(own.source == GeneSource::Added && own.why_not.is_none());
    // Another user has the lock and did not say yes.
    let stranger = Scene::without_git(&[("gephost.lock", &lock.text())]).of_another_user();
    let (list, missing) = stranger.project().listed_genes().expect("a list");
    assert!(list.iter().all(|gene| gene.id() != added_id()));
    assert_eq!(missing.iter().map(|pin| pin.id.as_str()).collect::<Vec<_>>(), [added_id()]);
    assert_eq!(asked(&stranger.project(), &added_id()).map(drop).map_err(|error| error.code), Err("gene_not_added"));
    assert!(asked(&stranger.project(), BUNDLED[0].id).is_ok() && stranger.noted("you did not add it"));
    // The pin is changed to another component.
    let other = lock.text().replace(pin.digest.hex().as_str(), &"0".repeat(64));
    scene.write("gephost.lock", &other);
    let changed = project.gene_lock().expect("a lock");
    let found = project.installed(changed.get(&added_id()).expect("a pin")).expect("a look");
    assert!(matches!(found, Installed::Another));
    scene.write("gephost.lock", &lock.text());
    assert!(project.remove_gene(&added_id()).expect("removed"));
    assert!(!project.remove_gene(&added_id()).expect("nothing to remove"));
    assert!(listed(&project).iter().all(|gene| gene.id() != added_id()));
}

#[test]
fn what_may_not_be_added_changes_neither_lock_nor_state() {
    let scene = scene("");
    fs::write(scene.root().join("bundled.wasm"), BUNDLED[0].bytes).expect("a component");
    let project = scene.project();
    for (name, code) in [("bundled.wasm", "gene_refused"), ("text.json", "gene_refused"), ("none.wasm", "io")] {
        let file = reference(name).expect("a reference");
        assert_eq!(refusal(project.add_gene(&file, true)), (ErrorKind::Usage, code), "{name}");
    }
    for remote in ["oci://localhost:1/a/b:c", "hub:gene_x"] {
        let remote = reference(remote).expect("a reference");
        assert_eq!(refusal(project.add_gene(&remote, true)), (ErrorKind::Usage, "offline"));
        assert_eq!(refusal(project.pull_gene(&remote)), (ErrorKind::Usage, "offline"));
        assert_eq!(refusal(project.push_gene(Path::new("own.wasm"), &remote)), (ErrorKind::Usage, "offline"));
    }
    for text in ["", "ftp://x", "a\u{7}b", "oci://"] {
        assert_eq!(refusal(reference(text)), (ErrorKind::Usage, "reference"), "{text}");
    }
    assert_eq!(project.gene_lock().expect("a lock").iter().count(), 0);
    assert!(!scene.root().join("gephost.lock").exists());
    scene.write("gephost.lock", "no lock");
    let error = failed(project.gene_lock());
    assert!(error.code == "gene_lock" && error.hint.is_some(), "{error}");
    assert_eq!(refusal(project.listed_genes()), (ErrorKind::Usage, "gene_lock"));
    assert_eq!(refusal(project.remove_gene("gene_x")), (ErrorKind::Usage, "gene_lock"));
}

#[test]
fn a_grant_for_an_id_without_a_gene_is_said_by_those_who_load_genes() {
    let scene = scene("[genes.grants.\"gene_nowhere\"]\ncapabilities = []\n");
    let project = scene.project();
    let genes = project.genes(&project.sandbox().expect("a sandbox"), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(genes.strangers.len(), 1);
    assert!(genes.strangers[0].contains("gene_nowhere") && genes.strangers[0].contains(BUNDLED[0].id));
    assert!(genes.vouched.is_empty() && genes.asked.is_empty());
}

#[test]
fn a_setting_that_a_gene_does_not_declare_is_refused_with_the_way_to_see_them() {
    let scene = scene(&format!("[genes.settings.\"{}\"]\nunknown_setting = 1\n", BUNDLED[1].id));
    match Project::open(&scene.environment) {
        Err(error) => assert_eq!((error.kind, error.code), (ErrorKind::Usage, "config"), "{error}"),
        Ok(project) => {
            let error = failed(project.diagnose(&CycleOptions::default()));
            assert_eq!((error.kind, error.code), (ErrorKind::Usage, "config"), "{error}");
            assert!(error.message.contains("unknown_setting"), "{error}");
        }
    }
}
