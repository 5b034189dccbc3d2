//! `gephost gene new` and `gene wit`.

use std::fs;

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;

use super::names;

#[test]
fn a_project_has_what_its_readme_names() {
    let env = TestEnv::new();
    for language in LANGUAGES {
        let place = tempfile::tempdir().unwrap();
        let made = author(&env, place.path(), &["gene", "new", "my-gene", "--lang", language.word]).expect_code(0);
        assert!(made.stdout.contains("gephost gene build my-gene"), "{}", made.stdout);
        let folder = place.path().join("my-gene");
        for file in
            ["README.md", "gene.json", "wit/gene.wit", "fixtures/first/log.jsonl", "fixtures/first/expected.json"]
        {
            assert!(folder.join(file).is_file(), "{}: {file}", language.word);
        }
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        let source = readme.split("Edit `").nth(1).unwrap().split('`').next().unwrap();
        assert!(folder.join(source).is_file(), "{}: {source}", language.word);
        assert_eq!(names(place.path()), ["my-gene"], "nothing else is left");
    }
}

#[test]
fn a_folder_that_is_not_empty_stays_as_it_is() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("mine")).unwrap();
    fs::write(place.path().join("mine/notes"), "kept").unwrap();
    fs::write(place.path().join("file"), "kept").unwrap();
    for name in ["mine", "file"] {
        let ran = author(&env, place.path(), &["gene", "new", name, "--lang", "c"]).expect_code(2);
        assert!(ran.stderr.contains("name a folder that does not exist yet"), "{}", ran.stderr);
    }
    assert_eq!(names(place.path()), ["file", "mine"]);
    assert_eq!(names(&place.path().join("mine")), ["notes"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("mine")).unwrap();
    author(&env, place.path(), &["gene", "new", "mine", "--lang", "c"]).expect_code(0);
    assert!(place.path().join("mine/gene.c").is_file());
}

#[test]
fn a_bad_name_and_an_unknown_language_write_nothing() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    for name in ["..", "Gene", "a b", "1st", "."] {
        let ran = author(&env, place.path(), &["gene", "new", name, "--lang", "c"]).expect_code(2);
        assert!(ran.stderr.contains("is refused: use 1 to 64 of the characters"), "{name}: {}", ran.stderr);
    }
    let refused = |name: &str| author(&env, place.path(), &["gene", "new", name, "--lang", "c"]).expect_code(2).stderr;
    assert!(refused("..").contains("the name \"..\" is refused"));
    assert!(refused("My Gene").contains("`my-gene` would do"));
    assert!(refused(&"x".repeat(300)).contains("x…\" is refused"));
    assert!(refused("absent/mine").contains("absent does not exist"));
    fs::write(place.path().join("file"), "").unwrap();
    assert!(refused("file/mine").contains("file is no folder"));
    fs::remove_file(place.path().join("file")).unwrap();
    let ran = author(&env, place.path(), &["gene", "new", "mine", "--lang", "cobol"]).expect_code(2);
    assert!(ran.stderr.contains("assemblyscript"), "{}", ran.stderr);
    assert_eq!(names(place.path()), Vec::<String>::new());
}

#[test]
fn the_contract_is_that_of_this_repository() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let contract = include_str!("../../../wit/v0.1.2/gene.wit");
    assert_eq!(author(&env, place.path(), &["gene", "wit"]).expect_code(0).stdout, contract);
    author(&env, place.path(), &["gene", "wit", "--output", "wit"]).expect_code(0);
    assert_eq!(fs::read_to_string(place.path().join("wit/gene.wit")).unwrap(), contract);
}
