//! The generated bindings in `sdk/` are what the generators of this repository's lock file write.

use std::collections::BTreeMap;

use gephost_tests::bless::holds_or_bless;
use gephost_tests::repository;
use wit_bindgen_core::{Files, WorldGenerator};
use wit_parser::Resolve;

fn generated(mut generator: Box<dyn WorldGenerator>, world: &str) -> BTreeMap<String, Vec<u8>> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(repository().join("wit/v0.1.2")).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    let mut files = Files::default();
    generator.generate(&mut resolve, world, &mut files).unwrap();
    files.iter().map(|(name, text)| (name.to_owned(), text.to_vec())).collect()
}

/// Compares the files of a folder.
fn compare(folder: &str, files: BTreeMap<String, Vec<u8>>) {
    assert!(!files.is_empty());
    for (name, text) in files {
        holds_or_bless(&format!("{folder}/{name}"), std::str::from_utf8(&text).unwrap());
    }
}

#[test]
fn those_for_c_are_up_to_date() {
    let options = wit_bindgen_c::Opts { no_object_file: true, ..Default::default() };
    compare("sdk/c/gephost", generated(options.build(), "strategy"));
}

#[test]
fn those_for_go_are_up_to_date() {
    let of_world = |world| {
        let mut files = generated(wit_bindgen_go::Opts::default().build(), world);
        // Ours also says where the package is that the bindings import.
        files.remove("go.mod");
        files
    };
    let strategy = of_world("strategy");
    compare("sdk/go", strategy.clone());
    // A project of another world has these files in place of those that differ.
    let mut heuristic = of_world("heuristic");
    heuristic.retain(|name, text| strategy.get(name) != Some(text));
    assert!(heuristic.keys().all(|name| name == "wit_exports.go" || name.starts_with("gephost_gene_diagnosis/")));
    compare("sdk/go/worlds/heuristic", heuristic);
}
