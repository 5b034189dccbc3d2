//! Which events and files give candidates, and in which order.

use super::cases::{Files, candidates, trace};
use gephost_gene::failures::{Cause, Failure};

use crate::plan::drafts;

const MAPPING: &str = "AttributeError: module 'collections' has no attribute 'Mapping'";
const SOURCE: &str = "import collections\nx = collections.Mapping\n";

fn paths(draft: &crate::plan::Draft) -> Vec<&str> {
    draft.files.iter().map(|(path, _)| path.as_str()).collect()
}

#[test]
fn the_first_candidate_repairs_all_files_with_the_same_fault() {
    let output = trace("b/m.py", 2, "x = collections.Mapping", MAPPING);
    let guarded =
        "try:\n    from collections import Mapping\nexcept ImportError:\n    from collections.abc import Mapping\n";
    let files =
        [("b/m.py", SOURCE), ("a.py", SOURCE), ("c.py", guarded), ("node_modules/x.py", SOURCE), ("d.txt", SOURCE)];
    let found = candidates(&output, &files);
    assert_eq!(found.iter().map(paths).collect::<Vec<_>>(), [vec!["a.py", "b/m.py"], vec!["b/m.py"]]);
    let first = found.first().expect("there are two");
    assert_eq!(first.finding, "tool-failures:Bash");
    assert_eq!(first.tests, ["python3 -m pytest"]);
    assert_eq!(first.title, "Use collections.abc.Mapping instead of collections.Mapping in b/m.py and 1 more file");
    assert_eq!(
        first.evidence,
        [
            "event 7 failed with AttributeError: module 'collections' has no attribute 'Mapping'",
            "b/m.py:2 is `x = collections.Mapping`",
            "collections.Mapping was removed in Python 3.10",
        ]
    );
    assert_eq!(found, candidates(&output, &files), "the same input gives the same candidates");
}

#[test]
fn a_candidate_changes_at_most_a_hundred_files() {
    let output = trace("m.py", 2, "x = collections.Mapping", MAPPING);
    let names: Vec<String> = (0..140).map(|number| format!("p/f{number:03}.py")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), SOURCE)).collect();
    files.push(("m.py", SOURCE));
    let found = candidates(&output, &files);
    assert_eq!(found.iter().map(|draft| draft.files.len()).collect::<Vec<_>>(), [100, 1]);
}

#[test]
fn the_tables_do_not_apply_to_a_module_of_the_workspace() {
    let output = trace("m.py", 2, "x = collections.Mapping", MAPPING);
    assert!(candidates(&output, &[("m.py", SOURCE), ("collections.py", "")]).is_empty());
    assert!(candidates(&output, &[("m.py", SOURCE), ("collections/__init__.py", "")]).is_empty());
    assert!(!candidates(&output, &[("m.py", SOURCE), ("far/away/collections.py", "")]).is_empty());
}

#[test]
fn library_frames_and_ambiguous_paths_give_no_candidate() {
    let library = trace("v/lib/python3.11/site-packages/m.py", 2, "x = collections.Mapping", MAPPING);
    assert!(candidates(&library, &[("m.py", SOURCE)]).is_empty());
    let output = trace("m.py", 2, "x = collections.Mapping", MAPPING);
    assert!(candidates(&output, &[("a/m.py", SOURCE), ("b/m.py", SOURCE)]).is_empty());
}

#[test]
fn evidence_of_findings_comes_before_newer_events() {
    let failure = |event: u64, path: &str| Failure {
        event,
        input: String::new(),
        output: trace(path, 2, "x = collections.Mapping", MAPPING),
    };
    let failures = [failure(9, "new.py"), failure(3, "old.py")];
    let cause = Cause { id: "error-signature:00000001".to_owned(), events: vec![3] };
    let files = [("new.py", SOURCE), ("old.py", SOURCE)];
    let found = drafts(std::slice::from_ref(&cause), &failures, &mut Files::of(&files));
    assert_eq!(found.get(1).map(paths), Some(vec!["old.py"]));
    let found = drafts(&[], &failures, &mut Files::of(&files));
    assert_eq!(found.get(1).map(paths), Some(vec!["new.py"]));
    assert!(found.first().is_some_and(|draft| draft.finding.is_empty() && draft.tests.is_empty()));
}

#[test]
fn files_that_are_not_the_projects_own_text_stay_with_a_reason() {
    let generated = format!("# Generated from x.proto. DO NOT EDIT.\n{SOURCE}");
    let minified = format!("{SOURCE}x = '{}'\n", "a".repeat(6000));
    let huge = format!("{SOURCE}{}", "# a line\n".repeat(150_000));
    for (path, source) in [
        ("m.py", generated.as_str()),
        ("m.py", &minified),
        ("m.py", &huge),
        ("vendor/m.py", SOURCE),
        ("x/_vendor/m.py", SOURCE),
        ("made/m.py", SOURCE),
    ] {
        let line = source.lines().position(|line| line.starts_with("x = coll")).expect("every source has it") + 1;
        let output = trace(path, line, "x = collections.Mapping", MAPPING);
        let failure = Failure { event: 1, input: String::new(), output };
        let mut files = Files::of(&[(path, source), (".gitattributes", "made/** linguist-generated\n")]);
        assert!(drafts(&[], &[failure], &mut files).is_empty(), "{path}");
        assert!(
            files.notes.iter().any(|note| note.starts_with(&format!("{path} is left alone: "))),
            "{:?}",
            files.notes
        );
    }
}
