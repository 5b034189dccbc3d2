//! Whatever document the sources cite, a page of this repository holds what it says: "seed 004 section 5.2", "GEP.md
//! section 4", `LOG-FORMATS`.

use std::fs;
use std::path::{Path, PathBuf};

use gephost_tests::repository;
use regex::Regex;

use super::{anchors, document, slug};

const SEEDS: &str = "docs/src/protocol/seeds.md";
const NOTES: &str = "docs/src/protocol/gep.md";
const FORMATS: &str = "docs/src/protocol/log-formats.md";

#[test]
fn every_citation_of_the_sources_resolves() {
    let [seeds, notes, formats] = [SEEDS, NOTES, FORMATS].map(|page| anchors(&document(page)));
    let quoted = r#"(?:,? ["“]([^"”]+)["”])?"#;
    let seed =
        Regex::new(&format!(r#"[Ss]eeds? (\d{{3}})(?:(?:,| and) (\d{{3}}))?(?:,? section (\d+(?:\.\d+)?))?{quoted}"#))
            .unwrap();
    let note = Regex::new(r"(?:GEP\.md|[Pp]rotocol (?:facts|notes)),? sections? (\d)(?: and (\d))?").unwrap();
    let format = Regex::new(&format!(r"LOG-FORMATS`?(?:,? section (\d(?:\.\d+)?))?{quoted}")).unwrap();
    let mut found = 0;
    for file in sources() {
        let text = as_one_line(&fs::read_to_string(&file).unwrap());
        let at = |what: &str| format!("{} cites {what}", file.display());
        for cited in seed.captures_iter(&text) {
            for number in [cited.get(1), cited.get(2)].into_iter().flatten() {
                let section = cited.get(3).map_or(String::new(), |section| format!(" section {}", section.as_str()));
                let anchor = slug(&format!("seed {}{section}", number.as_str()));
                assert!(seeds.contains(&anchor), "{}: {SEEDS} has no #{anchor}", at(&cited[0]));
            }
            if let Some(title) = cited.get(4) {
                assert!(seeds.contains(&slug(title.as_str())), "{}: {SEEDS} has no such heading", at(&cited[0]));
            }
            found += 1;
        }
        for cited in note.captures_iter(&text) {
            for number in [cited.get(1), cited.get(2)].into_iter().flatten() {
                let begins = format!("{}-", number.as_str());
                assert!(notes.iter().any(|anchor| anchor.starts_with(&begins)), "{}: not in {NOTES}", at(&cited[0]));
            }
            found += 1;
        }
        for cited in format.captures_iter(&text) {
            let begins = cited.get(1).map(|number| slug(&format!("{} ", number.as_str())));
            let title = cited.get(2).map(|title| slug(title.as_str()));
            let there = |anchor: &String| formats.iter().any(|known| known.starts_with(anchor.as_str()));
            assert!(begins.iter().chain(&title).all(there), "{}: not in {FORMATS}", at(&cited[0]));
            found += 1;
        }
    }
    assert!(found >= 40, "only {found} citations were found");
}

/// Documents that this repository does not hold, by the names that older comments gave them.
#[test]
fn nothing_outside_of_the_repository_is_cited() {
    let outside = Regex::new(r"DESIGN(?:\.md)? section|GATE-CASES|TOOLCHAINS\.md|WASI-DOOR|STYLE\.md").unwrap();
    for file in sources().into_iter().filter(|file| !file.ends_with("citations.rs")) {
        let text = as_one_line(&fs::read_to_string(&file).unwrap());
        let cited = outside.find(&text).map(|found| found.as_str());
        assert_eq!(cited, None, "{} cites what a reader cannot open", file.display());
    }
}

/// The text without comment marks and line ends, so that a citation over two lines is found.
fn as_one_line(text: &str) -> String {
    text.lines().map(|line| line.trim_start_matches(['/', '!', '#', ' '])).collect::<Vec<_>>().join(" ")
}

fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["host", "sdk", "genes", "wit", "tests"] {
        collect(&repository().join(folder), &mut files);
    }
    assert!(files.len() > 300, "only {} sources were found", files.len());
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, files);
        } else if ["rs", "wit", "toml"].contains(&extension) {
            files.push(path);
        }
    }
}
