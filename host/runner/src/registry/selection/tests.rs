//! The index of an assets folder: what it is made of, when it is made again, and what damages it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;

use gephost_core::select::Strategy;
use gephost_core::select::index::{Query, Searcher};
use serde_json::json;

use super::*;

/// An assets folder and a cache.
struct Scene {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            scene.write(name, text);
        }
        scene
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn registry(&self) -> Registry {
        Registry::new(&Place::shared(self.folder.path()))
    }

    fn open(&self) -> Option<TextIndex> {
        self.registry().text_genes(&Place::own(self.cache.path())).unwrap()
    }

    fn opened(&self) -> TextIndex {
        self.open().expect("there are genes")
    }

    /// The file of the cache.
    fn stored(&self) -> std::path::PathBuf {
        let mut files: Vec<_> = fs::read_dir(self.cache.path().join("selection")).unwrap().collect();
        assert_eq!(files.len(), 1, "one file, and nothing temporary");
        files.pop().unwrap().unwrap().path()
    }
}

fn gene(id: &str, pattern: &str) -> String {
    let gene =
        json!({ "type": "Gene", "id": id, "category": "repair", "signals_match": [pattern], "strategy": ["read"] });
    gene.to_string()
}

/// Lines of `count` genes with this pattern, large enough for a file in the cache.
fn lines(count: usize, pattern: &str) -> String {
    let mut text = String::new();
    for number in 0..count {
        let _ = writeln!(text, "{}", gene(&format!("gene_{number:06}"), pattern));
    }
    text
}

/// The genes that match a signal, best first, each read from its file.
fn found(index: &TextIndex, signal: &str) -> Vec<String> {
    let (signals, streaks, without) = ([signal.to_owned()], BTreeMap::new(), BTreeSet::new());
    let query = Query {
        signals: &signals,
        tried: &[],
        streaks: &streaks,
        without: &without,
        strategy: Strategy::Balanced,
        now: jiff::Timestamp::UNIX_EPOCH,
        limit: 5,
    };
    let genes = Searcher::new(&index.index).select(&query).genes;
    let read = |found: gephost_core::select::index::FoundGene| {
        let id = found.ranked.gene;
        let gene = index.gene(&id, found.place);
        gene.map_or_else(|| format!("{id} cannot be read"), |gene| gene.id().to_owned())
    };
    genes.into_iter().map(read).collect()
}

#[test]
fn genes_of_every_file_are_found_and_read_back() {
    let manifest = gene("b", "error").replacen('{', r#"{"world":"strategy","#, 1);
    let scene = Scene::new(&[
        (
            "genes.json",
            &format!(
                "{{\"version\": 1, \"ä\":\"x\", \"genes\": [ {},\n  7, {}, {}, {}\n]}}",
                gene("a", "error"),
                gene("b", "error"),
                gene("a", "never"),
                gene("c", "old")
            ),
        ),
        ("genes.jsonl", &format!("not json\n{}\n{manifest}\n\n{}", gene("c", "older"), gene("c", "error"))),
        ("external_candidates.jsonl", &format!("{}\n{}\n", gene("d", "error"), gene("a", "error"))),
    ]);
    assert_eq!(found(&scene.opened(), "log_error"), ["a", "c", "d"]);
    assert!(!scene.cache.path().join("selection").exists(), "so few genes need no file");
}

#[test]
fn a_folder_without_genes_costs_nothing() {
    let scene = Scene::new(&[("capsules.json", "[]")]);
    assert!(scene.open().is_none() && !scene.registry().may_have_genes());
    assert_eq!(fs::read_dir(scene.cache.path()).unwrap().count(), 0);
}

#[test]
fn an_index_is_read_again_and_made_again_when_a_list_changes() {
    let scene = Scene::new(&[("genes.jsonl", &lines(3000, "error"))]);
    assert!(scene.opened().is_new);
    let first = fs::read(scene.stored()).unwrap();
    assert!(!scene.opened().is_new);
    assert_eq!(found(&scene.opened(), "error").len(), 5);
    // One more line, the same size with other content, another list, a capsule.
    scene.write("genes.jsonl", &(lines(3000, "error") + &gene("gene_0", "error")));
    assert!(scene.opened().is_new);
    assert_eq!(found(&scene.opened(), "error")[0], "gene_0");
    scene.write("genes.jsonl", &(lines(3000, "error") + &gene("gene_1", "error")));
    assert_eq!(found(&scene.opened(), "error")[0], "gene_000000");
    scene.write("genes.json", &format!("[{}]", gene("a", "error")));
    assert_eq!(found(&scene.opened(), "error")[0], "a");
    let capsule = json!({ "type": "Capsule", "id": "c", "gene": "gene_002999", "trigger": ["error"], "confidence": 0.5,
        "outcome": { "status": "success" } });
    scene.write("capsules.json", &format!("[{capsule}]"));
    assert_eq!(found(&scene.opened(), "error")[0], "gene_002999");
    fs::remove_file(scene.folder.path().join("genes.json")).unwrap();
    fs::remove_file(scene.folder.path().join("capsules.json")).unwrap();
    scene.write("genes.jsonl", &lines(3000, "error"));
    assert!(scene.opened().is_new);
    // The same genes give the same bytes; only the stamps of the files differ.
    assert_eq!(fs::read(scene.stored()).unwrap()[HEADER..], first[HEADER..]);
}

/// Something that damages a file.
type Damage = dyn Fn(&mut Vec<u8>);

#[test]
fn a_damaged_index_is_made_again() {
    let scene = Scene::new(&[("genes.jsonl", &lines(3000, "error"))]);
    let expect = found(&scene.opened(), "error");
    let whole = fs::read(scene.stored()).unwrap();
    let damages: [&Damage; 6] = [
        &|bytes| bytes.truncate(bytes.len() / 2),
        &|bytes| bytes.truncate(10),
        &Vec::clear,
        &|bytes| bytes.push(0),
        &|bytes| *bytes.last_mut().unwrap() ^= 1,
        &|bytes| bytes[HEADER + 9] ^= 0x40,
    ];
    for damage in damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(scene.stored(), &bytes).unwrap();
        let opened = scene.opened();
        assert!(opened.is_new);
        assert_eq!(found(&opened, "error"), expect);
        assert_eq!(fs::read(scene.stored()).unwrap(), whole);
    }
    let stored = scene.stored();
    fs::remove_file(&stored).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &stored).unwrap();
    assert!(scene.opened().is_new, "a link is not followed");
    assert!(Path::new("/etc/passwd").exists());
}

#[test]
fn two_that_make_an_index_at_once_both_have_it() {
    let scene = Scene::new(&[("genes.jsonl", &lines(3000, "error"))]);
    let expect = found(&Scene::new(&[("genes.jsonl", &lines(3000, "error"))]).opened(), "error");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(found(&scene.opened(), "error"), expect);
                    let _ = fs::remove_file(scene.cache.path().join("selection").join("none"));
                }
            });
        }
    });
    assert!(!scene.opened().is_new);
    scene.stored();
}

#[test]
fn a_store_that_is_cut_or_wrong_gives_what_stands_before_the_damage() {
    let list = format!("{{\"genes\":[{},{},{}]}}", gene("a", "error"), gene("b", "error"), gene("c", "error"));
    let cut = list.find("\"c\"").unwrap();
    for damaged in [&list[..cut], &format!("{}!!!", &list[..cut - 8])] {
        let scene = Scene::new(&[("genes.json", damaged)]);
        let opened = scene.opened();
        assert_eq!(found(&opened, "error"), ["a", "b"], "{damaged}");
        assert_eq!(opened.index.left_out(), 1);
    }
    let whole = gene("a", "error");
    let scene = Scene::new(&[("genes.jsonl", &format!("{whole}\n{}", &whole[..whole.len() - 9]))]);
    assert_eq!(found(&scene.opened(), "error"), ["a"]);
    let scene = Scene::new(&[("genes.json", "nothing"), ("genes.jsonl", "")]);
    assert_eq!(scene.opened().index.genes(), 0);
    // An asset id that is not that of the content, a category of nobody, an id that is no id.
    let strange = [
        gene("a", "error").replacen('{', r#"{"asset_id":"sha256:00","#, 1),
        gene("b", "error").replace("repair", "explore"),
        gene("../c", "error"),
        gene("d", "error"),
    ];
    let scene = Scene::new(&[("genes.jsonl", &strange.join("\n"))]);
    assert_eq!(found(&scene.opened(), "error"), ["d"]);
}

#[test]
fn a_gene_that_was_written_over_is_not_taken_for_the_one_of_the_index() {
    let scene = Scene::new(&[("genes.json", &format!("[{}]", gene("a", "error")))]);
    let opened = scene.opened();
    scene.write("genes.json", &format!("[{}]", gene("b", "error")));
    assert_eq!(found(&opened, "error"), ["a cannot be read"]);
}

#[test]
fn fifty_thousand_genes_with_one_pattern_and_expressions_that_blow_up_elsewhere() {
    let mut text = lines(50_000, "error");
    for (number, pattern) in ["/(a+)+$/", "/(a|a)*b$/", "/(.*a){20}x/", "/(/", "/(?=a)a/"].iter().enumerate() {
        let _ = writeln!(text, "{}", gene(&format!("z{number}"), pattern));
    }
    let scene = Scene::new(&[("genes.jsonl", &text)]);
    let opened = scene.opened();
    assert_eq!(opened.index.genes(), 50_005);
    assert_eq!(found(&opened, "error"), [0, 1, 2, 3, 4].map(|number| format!("gene_{number:06}")));
    let hostile = "a".repeat(10_000);
    assert_eq!(found(&opened, &hostile), ["z0"]);
    assert_eq!(found(&opened, &format!("{hostile}b")), ["z1"]);
}
