//! The reader, the writer and the application of patches: what is refused and why, and the round trips.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use gephost_core::gate::{BlobState, FileMode};
use gephost_core::patch::{ApplyError, ChangeKind, Limits, Patch, apply, emit, make, parse};
use gephost_core::path::RepoPath;
use proptest::prelude::*;

fn read(text: &str) -> Result<Patch, (usize, &'static str)> {
    parse(text, &Limits::default()).map_err(|error| (error.line, error.kind.rule()))
}

fn state(content: &[u8]) -> BlobState {
    BlobState { mode: FileMode::Regular, content: Arc::from(content) }
}

/// Diffs that are refused, with the line and the rule.
const REFUSED: &[(&str, usize, &str)] = &[
    ("", 1, "diff-empty"),
    (" \n\n", 1, "diff-empty"),
    ("total garbage, not a diff\n", 1, "diff-malformed"),
    ("text\n@@ -1 +1 @@\n-a\n+b\n", 2, "hunk-malformed"),
    ("--- a/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-header"),
    ("--- a/x\n+++ b/x\n", 1, "diff-header"),
    ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+b\n", 1, "diff-headers-disagree"),
    ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-prefix"),
    ("--- docs/x\n+++ docs/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-prefix"),
    ("--- x/.env\n+++ x/.env\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-prefix"),
    ("--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-prefix"),
    ("--- /dev/null\n+++ /tmp/x\n@@ -0,0 +1 @@\n+b\n", 1, "path-unsafe"),
    ("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", 1, "path-unsafe"),
    ("--- a/./x\n+++ b/./x\n@@ -1 +1 @@\n-a\n+b\n", 1, "path-unsafe"),
    ("--- \"a/\\056\\056/x\"\n+++ \"b/\\056\\056/x\"\n@@ -1 +1 @@\n-a\n+b\n", 1, "path-unsafe"),
    ("--- \"a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-name"),
    ("--- \"a/\\377\"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-name"),
    ("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", 1, "diff-crlf"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", 3, "diff-crlf"),
    ("diff --git a/x b/x\r\n--- a/x\r\n", 1, "diff-crlf"),
    ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n", 6, "hunk-counts"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", 6, "hunk-counts"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n", 5, "hunk-counts"),
    ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\nprose\n", 6, "hunk-counts"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nprose\n", 6, "diff-prose"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -0 +1 @@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -+1 +1 @@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -1,+1 +1 @@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -1 ++1 @@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -0000000001 +1 @@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@x\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -99999999999 +1 @@\n-a\n+b\n", 3, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -1 +7 @@\n-a\n+b\n", 3, "hunk-position"),
    ("--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", 6, "hunk-position"),
    ("--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n", 1, "diff-ambiguous"),
    ("--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "hunk-malformed"),
    ("--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", 1, "hunk-malformed"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n", 4, "hunk-no-newline"),
    ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n", 6, "hunk-no-newline"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\0\n", 5, "binary"),
    ("diff --git a/x b/x\n", 1, "diff-header"),
    ("diff --git a/x b/x\nindex 111111..222222 100644\n", 1, "diff-header"),
    ("diff --git a/x b/y\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\nold mode 100644\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\nold mode 100644\nnew mode 100644\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\nold mode 100644\nnew mode 104755\n", 3, "mode-illegal"),
    ("diff --git a/x b/x\nnew file mode 160000\n", 2, "submodule"),
    ("diff --git a/x b/x\nindex 1111111..2222222 160000\n", 2, "submodule"),
    ("diff --git a/x b/x\nindex 1111111..2222222 120000\n", 2, "symlink"),
    ("diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\nnew file mode 100644\nnew file mode 100755\n", 3, "diff-header"),
    ("diff --git \"a/q\\\"\" \"b/r\\\"\"\nrename from p\nrename to r\"\n", 1, "diff-headers-disagree"),
    ("diff --git \"a/q\\\"\" \"b/r\\\"\"\nrename from \"q\\\"\"\nrename to p\n", 1, "diff-headers-disagree"),
    ("diff --git \"a/q\\\"\" \"b/r\\\"\"\nold mode 100644\nnew mode 100755\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/y\nrename from x\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/y\nrename from x\nrename to z\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/y\nrename from x\nrename to y\ncopy from x\ncopy to y\n", 1, "diff-headers-disagree"),
    ("diff --git a/docs/a b/docs/a\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 1, "diff-headers-disagree"),
    ("diff --git a/x b/x\nsimilarity index 101%\n", 2, "diff-header"),
    ("diff --git a/x b/x\nindex 12..zz\n", 2, "diff-header"),
    ("diff --git a/x b/x\nindex 1111111..2222222\nGIT binary patch\nliteral 3\n", 3, "binary"),
    ("diff --git a/x b/x\nindex 1111111..2222222\nBinary files a/x and b/x differ\n", 3, "binary"),
    ("Index: .env\n====\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("Index: x\n====x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-header"),
    ("Index: x\n===\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-prose"),
    ("diff -r 0123456789zz x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("diff -r 0123456789abc x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("diff -u old new\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, "diff-headers-disagree"),
    ("Hello.\nindex: docs/a.md\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n", 2, "diff-prose"),
    ("```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n", 7, "diff-prose"),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n--- a/y\n", 8, "diff-prose"),
    ("3c3\n< a\n---\n> b\n", 1, "diff-prose"),
];

#[test]
fn what_is_refused_says_where_and_by_which_rule() {
    for (text, line, rule) in REFUSED {
        assert_eq!(read(text), Err((*line, *rule)), "{text}");
    }
}

#[test]
fn limits_bound_the_reader() {
    let limits = Limits { max_bytes: 60, max_lines: 5, max_files: 1 };
    let rule = |text: &str| parse(text, &limits).map_err(|error| error.kind.rule());
    let one = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert!(rule(one).is_ok());
    assert_eq!(rule(&format!("{one}\n")), Err("diff-too-large"));
    assert_eq!(rule(&"x".repeat(61)), Err("diff-too-large"));
    let limits = Limits { max_files: 1, ..Limits::default() };
    let two = format!("{one}{}", one.replace("/x", "/y"));
    let error = parse(&two, &limits).unwrap_err();
    assert_eq!((error.kind.rule(), error.to_string().contains('2')), ("diff-too-large", true), "{error}");
}

/// Diffs that are taken, and what their files are: kind, old path, new path.
type Taken<'a> = (&'a str, &'a [(ChangeKind, &'a str, &'a str)]);

const TAKEN: &[Taken<'_>] = &[
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", &[(ChangeKind::Modify, "x", "x")]),
    ("--- a/x\t2024-01-01 10:00:00\n+++ b/x\t2024\n@@ -1 +1 @@\n-a\n+b\n", &[(ChangeKind::Modify, "x", "x")]),
    ("--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n", &[(ChangeKind::Modify, "x y", "x y")]),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@ fn x() {\r\n-a\r\n+b\r\n", &[(ChangeKind::Modify, "x", "x")]),
    ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", &[(ChangeKind::Modify, "x", "x")]),
    ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", &[(ChangeKind::Modify, "x", "x")]),
    ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", &[(ChangeKind::Add, "", "x")]),
    ("--- a/x\n+++ b/x\n@@ -2 +1,0 @@\n-b\n", &[(ChangeKind::Modify, "x", "x")]),
    ("diff -r 0123456789ab x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", &[(ChangeKind::Modify, "x", "x")]),
    ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", &[(ChangeKind::Delete, "x", "")]),
    ("--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b\n", &[(ChangeKind::Modify, "x", "x")]),
    ("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", &[(ChangeKind::Add, "", "x")]),
    ("diff --git a/x b/x\ndeleted file mode 100755\nindex e69de29..0000000\n", &[(ChangeKind::Delete, "x", "")]),
    ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", &[(ChangeKind::Modify, "x", "x")]),
    (
        "diff --git a/x y b/z\nsimilarity index 100%\nrename from x y\nrename to z\n",
        &[(ChangeKind::Rename, "x y", "z")],
    ),
    (
        "diff --git \"a/q\\\"\" b/z\nsimilarity index 100%\ncopy from \"q\\\"\"\ncopy to z\n",
        &[(ChangeKind::Copy, "q\"", "z")],
    ),
    (
        "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nindex 1111111..2222222 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        &[(ChangeKind::Rename, "x", "y")],
    ),
    (
        "Index: x\n==========\n--- a/x\t(revision 1)\n+++ b/x\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n",
        &[(ChangeKind::Modify, "x", "x")],
    ),
    ("diff -ru a/x b/x\n--- a/x\t1\n+++ b/x\t2\n@@ -1 +1 @@\n-a\n+b\n", &[(ChangeKind::Modify, "x", "x")]),
    (
        "From 0123456789 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\nWhy.\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n",
        &[(ChangeKind::Modify, "x", "x")],
    ),
    (
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-- a\n+++ b\n",
        &[(ChangeKind::Modify, "x", "x"), (ChangeKind::Modify, "y", "y")],
    ),
];

#[test]
fn what_is_taken_reads_as_it_should_and_round_trips() {
    for (text, expected) in TAKEN {
        let patch = read(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let name = |path: &Option<RepoPath>| path.as_ref().map(ToString::to_string).unwrap_or_default();
        let found: Vec<_> = patch.files.iter().map(|f| (f.kind, name(&f.old_path), name(&f.new_path))).collect();
        let expected: Vec<_> = expected.iter().map(|(k, o, n)| (*k, (*o).to_owned(), (*n).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(read(&emit(&patch)), Ok(patch), "{text}");
    }
}

fn applied(diff: &str, base: &str) -> Result<(String, Vec<i64>), ApplyError> {
    let patch = read(diff).unwrap();
    apply(&patch.files[0].hunks, base.as_bytes()).map(|done| (String::from_utf8(done.content).unwrap(), done.offsets))
}

fn hunks(body: &str) -> String {
    format!("--- a/x\n+++ b/x\n{body}")
}

#[test]
fn hunks_apply_exactly_or_where_only_one_place_fits() {
    let change = hunks("@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n");
    assert_eq!(applied(&change, "a\nb\nc\nd\n"), Ok(("a\nb\nC\nd\n".into(), vec![0])));
    assert_eq!(applied(&change, "z\nz\na\nb\nc\nd\n"), Ok(("z\nz\na\nb\nC\nd\n".into(), vec![2])));
    let twice = "z\nz\nb\nc\nd\nb\nc\nd\n";
    assert_eq!(applied(&change, twice), Err(ApplyError::Ambiguous { hunk: 1, line: 2 }));
    assert_eq!(applied(&change, "a\nb\nX\nd\n"), Err(ApplyError::Mismatch { hunk: 1, line: 2 }));
    assert_eq!(applied(&change, "a\r\nb\r\nc\r\nd\r\n"), Err(ApplyError::Mismatch { hunk: 1, line: 2 }));
    let drifted = hunks("@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n@@ -7,3 +7,3 @@\n g\n-h\n+H\n i\n");
    // Git looks for the second hunk where it says, GNU patch where the first one was moved to.
    let both = "z\na\nb\nc\nd\nx\ng\nh\ni\ng\nh\ni\n";
    assert_eq!(applied(&drifted, both), Err(ApplyError::Ambiguous { hunk: 2, line: 7 }));
    let end = hunks("@@ -2,3 +2,2 @@\n b\n-b\n b\n\\ No newline at end of file\n");
    assert_eq!(applied(&end, "a\nb\nb\nb"), Ok(("a\nb\nb".into(), vec![0])));
    // Git overlooks the line feed of the third `b` when it looks where the hunk says.
    assert_eq!(applied(&end, "a\nb\nb\nb\nb"), Err(ApplyError::Ambiguous { hunk: 1, line: 2 }));
    assert_eq!(applied(&end, "a\nb\nb\nb \nb"), Err(ApplyError::Mismatch { hunk: 1, line: 2 }));
    let far = format!("{}a\nb\nc\nd\n", "z\n".repeat(51));
    assert_eq!(applied(&change, &far), Err(ApplyError::Mismatch { hunk: 1, line: 2 }));
}

#[test]
fn hunks_are_tied_to_the_file() {
    let loose = hunks("@@ -2,2 +2,2 @@\n b\n-c\n+C\n");
    assert_eq!(applied(&loose, "a\nb\nc\nd\n"), Err(ApplyError::NoContext { hunk: 1, line: 2 }));
    assert_eq!(applied(&loose, "a\nb\nc\n"), Ok(("a\nb\nC\n".into(), vec![0])));
    let unanchored = hunks("@@ -2,0 +3 @@\n+x\n");
    assert_eq!(applied(&unanchored, "a\nb\nc\n"), Err(ApplyError::NoContext { hunk: 1, line: 2 }));
    let at_start = hunks("@@ -1,2 +1,3 @@\n+x\n a\n b\n");
    assert_eq!(applied(&at_start, "z\na\nb\n"), Err(ApplyError::Mismatch { hunk: 1, line: 1 }));
}

#[test]
fn the_last_line_feed_is_part_of_the_match() {
    let cut = hunks("@@ -1,2 +1,2 @@\n a\n-b\n+B\n\\ No newline at end of file\n");
    assert_eq!(applied(&cut, "a\nb\n"), Ok(("a\nB".into(), vec![0])));
    assert_eq!(applied(&cut, "a\nb"), Err(ApplyError::Mismatch { hunk: 1, line: 1 }));
    let mend = hunks("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    assert_eq!(applied(&mend, "a\nb"), Ok(("a\nb\n".into(), vec![0])));
    let middle = hunks("@@ -1,2 +1,2 @@\n+x\n\\ No newline at end of file\n-a\n b\n");
    assert_eq!(read(&middle), Err((7, "hunk-no-newline")));
}

/// A file of `len` lines that all differ, with runs of others from the given lines (from 1).
fn file(len: usize, runs: &[(usize, &[&str])]) -> String {
    let mut lines: Vec<String> = (1..=len).map(|line| format!("{line}\n")).collect();
    for (from, run) in runs {
        for (at, text) in run.iter().enumerate() {
            lines[from - 1 + at] = format!("{text}\n");
        }
    }
    lines.concat()
}

#[test]
fn a_later_hunk_is_looked_for_where_the_drift_of_the_first_would_put_it() {
    let (first, second): (&[&str], &[&str]) = (&["b", "c", "d"], &["g", "h", "i"]);
    let hunks_at = |one: usize, two: usize| {
        hunks(&format!("@@ -{one},3 +{one},3 @@\n b\n-c\n+C\n d\n@@ -{two},3 +{two},3 @@\n g\n-h\n+H\n i\n"))
    };
    let found = |one, two, runs: &[(usize, &[&str])]| {
        applied(&hunks_at(one, two), &file(900, runs)).map(|(_, offsets)| offsets)
    };
    // Forwards: the first hunk is 40 further on. Two places for the second, one of them only by the drift.
    let ambiguous = Err(ApplyError::Ambiguous { hunk: 2, line: 300 });
    let mismatch = Err(ApplyError::Mismatch { hunk: 2, line: 300 });
    assert_eq!(found(100, 300, &[(140, first), (345, second), (380, second)]), ambiguous);
    assert_eq!(found(100, 300, &[(140, first), (345, second), (395, second)]), Ok(vec![40, 45]));
    assert_eq!(found(100, 300, &[(140, first), (380, second)]), mismatch);
    // Backwards, the same.
    assert_eq!(found(100, 300, &[(60, first), (255, second), (220, second)]), ambiguous);
    assert_eq!(found(100, 300, &[(60, first), (255, second), (200, second)]), Ok(vec![-40, -45]));
    assert_eq!(found(100, 300, &[(60, first), (220, second)]), mismatch);
}

/// No diff reads so; hunks made by hand are held to the same.
#[test]
fn a_line_without_line_feed_ends_the_file() {
    let mut hunks = read(&hunks("@@ -1,2 +1,3 @@\n a\n+x\n b\n")).unwrap().files.remove(0).hunks;
    hunks[0].lines[1].no_newline = true;
    assert_eq!(apply(&hunks, b"a\nb\nc\n").map(|done| done.content), Err(ApplyError::NotTheEnd { hunk: 1, line: 1 }));
}

#[test]
fn later_hunks_follow_the_drift_of_earlier_ones() {
    let two = hunks("@@ -2,3 +2,4 @@\n b\n-c\n+C\n+C\n d\n@@ -7,3 +8,3 @@\n g\n-h\n+H\n i\n");
    let base = "z\na\nb\nc\nd\ne\nf\ng\nh\ni\n";
    assert_eq!(applied(&two, base), Ok(("z\na\nb\nC\nC\nd\ne\nf\ng\nH\ni\n".into(), vec![1, 1])));
}

/// Lines of few kinds, so that files share many of them; a last line with or without its line feed.
fn content() -> impl Strategy<Value = String> {
    let line =
        proptest::sample::select(vec!["a", "b", "", " ", "-- x", "++ y", "\\ z", "é\r", "@@ -1 +1 @@", "x\u{c}y"]);
    (proptest::collection::vec(line, 0..30), any::<bool>()).prop_map(|(lines, ended)| {
        let text = lines.join("\n");
        if ended && !lines.is_empty() { text + "\n" } else { text }
    })
}

/// Text made of the pieces that mean something in a diff.
fn diff_like() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "diff --git a/x b/x\n",
        "--- a/x\n",
        "+++ b/x\n",
        "@@ -1 +1 @@\n",
        "@@ -1,2 +1,2 @@\n",
        "-a\n",
        "+b\n",
        " c\n",
        "\n",
        "\\ No newline at end of file\n",
        "new file mode 100644\n",
        "rename from x\n",
        "rename to y\n",
        "\"",
        "\\",
        "é",
        "\r\n",
        "index 0..1\n",
        "old mode 100644\n",
        "--- /dev/null\n",
        "-- \n",
        "@@ -4294967295,1 +1 @@\n",
    ]);
    proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_made_patch_applies_and_round_trips(before in content(), after in content()) {
        let path = RepoPath::new("dir/a \"b\".txt").unwrap();
        let (old, new) = (state(before.as_bytes()), state(after.as_bytes()));
        let file = make(Some(&old), Some(&new), &path).unwrap();
        let done = apply(&file.hunks, before.as_bytes()).unwrap();
        prop_assert_eq!(done.content, after.as_bytes());
        prop_assert!(done.offsets.iter().all(|&offset| offset == 0));
        if before != after {
            let patch = Patch { files: vec![file] };
            let text = emit(&patch);
            prop_assert_eq!(parse(&text, &Limits::default()).unwrap(), patch, "{}", text);
        }
    }

    #[test]
    fn additions_and_deletions_round_trip(text in content(), executable in any::<bool>()) {
        let path = RepoPath::new("a").unwrap();
        let mode = if executable { FileMode::Executable } else { FileMode::Regular };
        let there = BlobState { mode, content: Arc::from(text.as_bytes()) };
        let patch = Patch { files: vec![
            make(None, Some(&there), &path).unwrap(),
            make(Some(&there), None, &path).unwrap(),
        ] };
        let text = emit(&patch);
        prop_assert_eq!(parse(&text, &Limits::default()).unwrap(), patch, "{}", text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let _ = parse(&text, &Limits::default());
    }

    #[test]
    fn whatever_parses_round_trips(text in diff_like(), base in content()) {
        if let Ok(patch) = parse(&text, &Limits::default()) {
            let again = emit(&patch);
            prop_assert_eq!(&parse(&again, &Limits::default()).unwrap(), &patch, "{}", again);
            for file in &patch.files {
                let _ = apply(&file.hunks, base.as_bytes());
            }
        }
    }
}
