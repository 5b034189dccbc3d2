//! The table of contents names every page, and every link within the repository leads to a file and an anchor.

use std::path::{Component, Path, PathBuf};

use gephost_tests::repository;

use super::{Document, anchors, document, documents, slug};

#[test]
fn the_summary_lists_every_page_once() {
    let summary = document("docs/src/SUMMARY.md");
    let mut listed: Vec<String> = links(&summary).into_iter().map(|target| format!("docs/src/{target}")).collect();
    let mut pages: Vec<String> =
        documents().into_iter().map(|page| page.path).filter(|path| path.starts_with("docs/src/")).collect();
    pages.retain(|path| path != "docs/src/SUMMARY.md");
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn every_link_leads_somewhere() {
    let mut checked = 0;
    for page in documents() {
        for link in links(&page).iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.path.clone() } else { beside(&page.path, path) };
            assert!(repository().join(&target).exists(), "{} links to `{link}`: no such file", page.path);
            let leaves_the_book = page.path.starts_with("docs/src/") && !target.starts_with("docs/src/");
            assert!(!leaves_the_book, "{} links to `{link}`, which the built book does not have", page.path);
            if !anchor.is_empty() {
                let known = anchors(&document(&target));
                assert!(known.iter().any(|known| known == anchor), "{} links to `{link}`: {known:?}", page.path);
            }
            checked += 1;
        }
    }
    assert!(checked >= 50, "only {checked} links were found");
}

/// The targets of a document's links.
fn links(document: &Document) -> Vec<String> {
    let prose = document.prose();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// A path beside a file, without `..`.
fn beside(file: &str, path: &str) -> String {
    let mut resolved = PathBuf::new();
    for part in Path::new(file).parent().unwrap().join(path).components() {
        match part {
            Component::ParentDir => assert!(resolved.pop(), "{file} links to {path}"),
            Component::Normal(name) => resolved.push(name),
            _ => {}
        }
    }
    resolved.to_str().unwrap().to_owned()
}

#[test]
fn a_heading_has_the_anchor_that_github_gives_it() {
    for (heading, anchor) in [
        ("What counts as a failure", "what-counts-as-a-failure"),
        ("1. Canonical JSON and asset ids", "1-canonical-json-and-asset-ids"),
        ("`[genes.grants.\"ID\"]`", "genesgrantsid"),
        ("Publish, land and undo", "publish-land-and-undo"),
    ] {
        assert_eq!(slug(heading), anchor);
    }
}
