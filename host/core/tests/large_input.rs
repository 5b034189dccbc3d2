//! Input that is large on purpose: a verdict each time, early where it is over a limit, and in linear time below it.
//!
//! Linear is measured, not believed: each kind runs at a size and at twice the size, and the ratio of the best of a few
//! runs is bounded. A quadratic step shows as a ratio of four and more.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use gephost_core::gate::{Base, BaseEntry, BlobState, FileMode, GeneHistory, ParsedChange, Verdict, review};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, TestTreatment, Treatment, ValidationTable};
use gephost_core::proposal::{Change, Proposal};

/// A proposal and the files of its base.
struct Scene {
    proposal: Proposal,
    files: Vec<(String, String)>,
}

fn of_diff(diff: String) -> Scene {
    Scene { proposal: Proposal::from_diff(&diff), files: Vec::new() }
}

fn of_content(path: &str, text: String) -> Scene {
    let change = Change::NewContent { path: path.to_owned(), content: text.into_bytes() };
    Scene { proposal: Proposal { changes: vec![change], ..Proposal::from_diff("") }, files: Vec::new() }
}

fn edit(diff: String, before: String) -> Scene {
    Scene { files: vec![("docs/a.md".to_owned(), before)], ..of_diff(diff) }
}

fn policy() -> Policy {
    let table = PolicyTable {
        allow: vec!["**".to_owned()],
        patterns: Treatment::Allow,
        weakened_tests: TestTreatment::Allow,
        new_dependencies: Treatment::Allow,
        ..PolicyTable::default()
    };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn judge(scene: &Scene, policy: &Policy) -> (Verdict, Duration) {
    let blob = |text: &String| BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) };
    let entries: BTreeMap<RepoPath, BaseEntry> =
        scene.files.iter().map(|(name, text)| (RepoPath::new(name).unwrap(), BaseEntry::Blob(blob(text)))).collect();
    let base = Base { commit: "0".repeat(40), entries, case_collisions: Vec::new(), unsearched: 0 };
    let proposal = scene.proposal.clone();
    let begun = processor_time();
    let verdict = review(&ParsedChange::read(proposal), &base, policy, GeneHistory::default());
    (verdict, processor_time().saturating_sub(begun))
}

/// What this thread has used of the processor: other processes on the machine do not count.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

fn repeated(count: usize, mut piece: impl FnMut(&mut String, usize)) -> String {
    let mut text = String::new();
    (0..count).for_each(|number| piece(&mut text, number));
    text
}

fn new_file(lines: &str) -> String {
    format!("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1,{} @@\n{lines}", lines.lines().count())
}

/// A file that gets a new content.
fn changed(path: &str, before: String, after: String) -> Scene {
    Scene { files: vec![(path.to_owned(), before)], ..of_content(path, after) }
}

/// Tests with one mock and one helper each, of which the last checks `last`.
fn mocked_python(tests: usize, last: &str) -> String {
    let test = |text: &mut String, at: usize| {
        write!(
            text,
            "def check_{at}(v):\n    assert v == {at}\n\nmock_{at} = Mock()\n\n\
             @patch('shop.dep{at}')\ndef test_{at}(dep):\n    check_{at}(add({at}, dep()))\n\
             \x20   dep.assert_called_with({at})\n\n"
        )
        .unwrap();
    };
    repeated(tests, test) + &format!("def test_last():\n    assert add(1) == {last}\n")
}

/// The same with modules that jest mocks as a whole.
fn mocked_javascript(tests: usize, last: &str) -> String {
    let test = |text: &mut String, at: usize| {
        write!(
            text,
            "import {{ dep{at} }} from './dep{at}';\njest.mock('./dep{at}');\nconst mock{at} = jest.fn();\n\
             it('adds {at}', () => {{\n  expect(add({at}, dep{at}())).toBe({at});\n\
             \x20 expect(mock{at}).toHaveBeenCalledWith({at});\n}});\n"
        )
        .unwrap();
    };
    repeated(tests, test) + &format!("it('ends', () => {{ expect(add(1)).toBe({last}); }});\n")
}

/// Tests in a group with a long name, below a long condition.
fn grouped_javascript(tests: usize, last: &str) -> String {
    let test =
        |text: &mut String, at: usize| writeln!(text, "it('{at}', () => {{ expect(f({at})).toBe(1); }});").unwrap();
    let (name, condition) = ("x".repeat(tests * 20), "a && ".repeat(tests * 4));
    format!(
        "describe('{name}', () => {{\nif ({condition} b) {{\n{}it('z', () => {{ expect(f()).toBe({last}); }});\n}}\n}});\n",
        repeated(tests, test)
    )
}

const SIDES: &str = "--- a/docs/a.md\n+++ b/docs/a.md\n";

/// A name, the size of the smaller form, and how it is made.
type LargeInput = (&'static str, usize, fn(usize) -> Scene);

const KINDS: &[LargeInput] = &[
    ("one long line", 1 << 20, |n| {
        of_diff(format!("--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+{}\n", "xy ".repeat(n / 3)))
    }),
    ("many lines", 80_000, |n| of_diff(new_file(&"+x\n".repeat(n)))),
    ("many hunks", 20_000, |n| {
        let hunk =
            |text: &mut String, at: usize| write!(text, "@@ -{0},2 +{0},2 @@\n-a\n+b\n c\n", at * 3 + 1).unwrap();
        edit(format!("{SIDES}{}", repeated(n, hunk)), "a\nc\nd\n".repeat(n))
    }),
    ("many files", 1_000, |n| {
        let file = |text: &mut String, at: usize| {
            write!(text, "--- /dev/null\n+++ b/docs/{at}/n.md\n@@ -0,0 +1 @@\n+x\n").unwrap();
        };
        of_diff(repeated(n, file))
    }),
    ("many empty files", 1_000, |n| {
        let file =
            |text: &mut String, at: usize| write!(text, "diff --git a/{at} b/{at}\nnew file mode 100644\n").unwrap();
        of_diff(repeated(n, file))
    }),
    ("many escapes", 1 << 20, |n| {
        of_diff(format!("--- /dev/null\n+++ \"b/{}\"\n@@ -0,0 +1 @@\n+x\n", "\\141".repeat(n)))
    }),
    ("a quote without end", 4 << 20, |n| of_diff(format!("--- \"a/{}\n+++ b/x\n", "x".repeat(n)))),
    ("a long name twice", 4 << 20, |n| {
        of_diff(format!("diff --git a/{0} b/{0}\nnew file mode 100644\n", "a ".repeat(n / 4)))
    }),
    ("a long date", 4 << 20, |n| of_diff(format!("--- a/x\t{}\n+++ b/x\n", "1".repeat(n)))),
    ("much prose", 80_000, |n| of_diff("Some words.\n".repeat(n))),
    ("a long line of prose", 4 << 20, |n| of_diff("X - ".repeat(n / 4))),
    ("much after the end", 80_000, |n| of_diff(new_file("+x\n") + &"\n".repeat(n))),
    ("carriage returns", 4 << 20, |n| of_diff("\r".repeat(n))),
    ("a NUL at the end", 4 << 20, |n| of_diff("x".repeat(n) + "\0")),
    ("a moved hunk of equal lines", 20_000, |n| {
        let context = " a\n".repeat(n);
        edit(format!("{SIDES}@@ -9,{0} +9,{0} @@\n{context}-b\n+c\n a\n", n + 2), "a\n".repeat(n + 200) + "b\na\n")
    }),
    ("everything replaced", 10_000, |n| {
        let lines = |mark: &str| repeated(n, |text, at| writeln!(text, "{mark}{at}").unwrap());
        edit(format!("{SIDES}@@ -1,{n} +1,{n} @@\n{}{}", lines("-"), lines("+x")), lines(""))
    }),
    ("every other line replaced", 10_000, |n| {
        let body = repeated(n, |text, at| write!(text, "-{at}\n+x{at}\n same\n").unwrap());
        let before = repeated(n, |text, at| write!(text, "{at}\nsame\n").unwrap());
        edit(format!("{SIDES}@@ -1,{0} +1,{0} @@\n{body}", n * 2), before)
    }),
    ("files that could have moved", 250, |n| {
        let text = |at: usize| repeated(20, |text, line| writeln!(text, "line {line} of {at}").unwrap());
        let mut files: Vec<(String, String)> = (0..n).map(|at| (format!("docs/{at}.md"), text(at))).collect();
        let deletions = files.iter().map(|(path, _)| Change::Delete { path: path.clone() });
        let additions =
            (0..n).map(|at| Change::NewContent { path: format!("new/{at}.md"), content: (text(at) + "x\n").into() });
        let changes = deletions.chain(additions).collect();
        files.sort();
        Scene { proposal: Proposal { changes, ..Proposal::from_diff("") }, files }
    }),
    ("tests with mocks, in Python", 400, |n| changed("tests/test_a.py", mocked_python(n, "1"), mocked_python(n, "2"))),
    ("tests with mocks, in JavaScript", 400, |n| {
        changed("tests/a.test.js", mocked_javascript(n, "1"), mocked_javascript(n, "2"))
    }),
    ("tests in a group with a long name and a long condition", 1_000, |n| {
        changed("tests/a.test.js", grouped_javascript(n, "1"), grouped_javascript(n, "2"))
    }),
    ("a long line of divisions", 1 << 18, |n| {
        of_content("src/a.js", format!("x = eval(a{})\n", " / b.c".repeat(n / 6)))
    }),
    ("a long line of quotes", 1 << 18, |n| {
        of_content("a.yaml", format!("a: b{}\nprivileged: true\n", "'c".repeat(n / 2)))
    }),
    ("open brackets of a shell", 1 << 18, |n| of_content("a.sh", format!("eval $x {}\n", "( $(".repeat(n / 4)))),
    ("texts that follow a line", 1 << 18, |n| of_content("a.sh", format!("eval $x {}\n", "<<A ".repeat(n / 4)))),
    ("blank lines in a test", 1 << 18, |n| of_content("a.test.js", format!("x ={}1\n", "\n ".repeat(n / 2)))),
    ("nested functions of a test", 4_000, |n| {
        let text = repeated(n, |text, at| {
            writeln!(text, "    def f{at}():\n        xs = [1]\n        assert g{at}()").unwrap();
        });
        of_content("tests/test_a.py", format!("def test_a():\n{text}"))
    }),
    ("tests that get other names", 2_000, |n| {
        let tests = |mark: &str| {
            repeated(n, |text, at| write!(text, "def test_{mark}{at}():\n    assert f({at}) == g{at}()\n\n").unwrap())
        };
        let scene = of_content("tests/test_a.py", tests("new"));
        Scene { files: vec![("tests/test_a.py".to_owned(), tests("old"))], ..scene }
    }),
    ("many claims", 20_000, |n| {
        let claims = (0..n).map(|at| format!("docs/{at}.md")).collect();
        let mut scene = of_diff(new_file("+x\n"));
        scene.proposal.files_touched = Some(claims);
        scene
    }),
];

/// The best of a few runs; the first is not counted, since rules compile in it.
fn best(scene: &Scene, policy: &Policy) -> Duration {
    judge(scene, policy);
    (0..4).map(|_| judge(scene, policy).1).min().unwrap()
}

#[test]
fn twice_the_input_takes_about_twice_the_time() {
    let policy = policy();
    let mut slow = Vec::new();
    for (name, size, make) in KINDS {
        let (single, double) = (make(*size), make(*size * 2));
        let (once, twice) = (best(&single, &policy), best(&double, &policy));
        // Below some milliseconds the machine's noise is larger than what is measured.
        let bound = once.mul_f64(3.2) + Duration::from_millis(8);
        if twice > bound {
            slow.push(format!("{name}: {once:?}, then {twice:?}"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn what_is_over_the_limits_is_refused_before_it_is_read() {
    let million = 1_000_000;
    let texts = [
        "+x\n".repeat((100 << 20) / 3),
        "x".repeat(100 << 20),
        format!("{SIDES}{}", "@@ -1 +1 @@\n-a\n+b\n".repeat(million)),
        repeated(million, |text, at| writeln!(text, "diff --git a/{at} b/{at}").unwrap()),
        repeated(million, |text, at| write!(text, "--- /dev/null\n+++ b/{at}\n@@ -0,0 +1 @@\n+x\n").unwrap()),
        "\n".repeat(100 << 20),
    ];
    let policy = policy();
    for text in texts {
        let (verdict, took) = judge(&of_diff(text), &policy);
        let rules: Vec<&str> = verdict.reasons().map(|violation| violation.rule.as_str()).collect();
        assert_eq!(rules, ["proposal-too-large"]);
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn more_files_than_are_read_are_refused_at_the_one_too_many() {
    let file = |text: &mut String, at: usize| write!(text, "diff --git a/{at} b/{at}\nnew file mode 100644\n").unwrap();
    let (verdict, _) = judge(&of_diff(repeated(2_001, file)), &policy());
    let found: Vec<_> = verdict.reasons().map(|violation| (violation.rule.as_str(), violation.line)).collect();
    assert_eq!(found, [("diff-too-large", Some(4_001))]);
}

#[test]
fn the_diff_of_a_rejected_change_is_shown_within_bounds_and_without_secrets() {
    let policy = policy();
    let shown = |lines: usize| judge(&of_diff(new_file(&"+some text\n".repeat(lines))), &policy).0;
    let rejected = shown(501);
    assert!(rejected.approved().is_none() && rejected.diff().contains("+some text\n"));
    assert_eq!(shown(60_000).diff(), "");
    let token = concat!("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let (leaking, _) = judge(&of_diff(new_file(&format!("+{token}\n"))), &policy);
    assert!(leaking.approved().is_none() && leaking.diff().contains("docs/n.md") && !leaking.diff().contains(token));
    let (unread, _) = judge(&of_diff("nonsense\n".to_owned()), &policy);
    assert_eq!(unread.diff(), "");
    let rename = "diff --git a/docs/a.md b/docs/z.md\nrename from docs/a.md\nrename to docs/z.md\n";
    let (moved, _) = judge(&edit(rename.to_owned(), "one\ntwo\n".to_owned()), &policy);
    let radius = serde_json::to_value(&moved).unwrap()["blast_radius"].clone();
    let listed = serde_json::json!([{ "from": "docs/a.md", "to": "docs/z.md", "similarity": 100 }]);
    let with = serde_json::json!({ "files": 1, "lines": 0, "renames": listed });
    assert_eq!(radius, serde_json::json!({ "files": 2, "lines": 4, "with_renames": with }));
}

/// The name of a kind, the file that changes, and how its lines read before and after.
type ChangedLines = (&'static str, &'static str, fn(usize) -> String, fn(usize) -> String);

/// Tests of which every line changes, in ways that make rules compare lines with each other.
const CHANGED_LINES: &[ChangedLines] = &[
    (
        "values",
        "tests/test_a.py",
        |at| format!("    assert f({at}) == {at}"),
        |at| format!("    assert f({at}) == {at}0"),
    ),
    ("equal lines", "tests/test_a.py", |_| "    x = Real(1)".to_owned(), |at| format!("    x = Real({})", at % 7)),
    ("names", "tests/a.test.js", |at| format!("  a{at} = make({at});"), |at| format!("  b{at} = mock({at});")),
    ("failures", "a_test.go", |at| format!("\tpanic({at})"), |at| format!("\tlog({at})")),
    ("rows", "tests/test_a.py", |at| format!("    ({at}, 1),"), |at| format!("    ({at}, 2),")),
    ("empty lists", "tests/test_a.py", |at| format!("    x{at} = 1"), |at| format!("    x{at} = []")),
    ("conditions", "tests/a.test.js", |at| format!("  if (a{at} > 1)"), |at| format!("  if (a{at} > 2)")),
    ("callbacks", "tests/a.test.js", |at| format!("    done{at},"), |_| "    () => {},".to_owned()),
    ("fixtures", "tests/test_a.py", |at| format!("def test_{at}(a{at}): f()"), |at| format!("def a{at}(): fixture()")),
];

/// Every line of the first text is gone and every line of the second one is new, in stretches of `run` lines.
fn all_lines_change(kind: &ChangedLines, count: usize, run: usize) -> Scene {
    let (_, path, old, new) = kind;
    let text = |of: &fn(usize) -> String| {
        repeated(count, |text, at| {
            writeln!(text, "{}", of(at)).unwrap();
            if at % run == run - 1 {
                text.push_str("same\n");
            }
        })
    };
    changed(path, text(old), text(new))
}

#[test]
fn tests_of_which_every_line_changes_are_compared_in_time() {
    let policy = policy();
    let mut slow = Vec::new();
    for kind in CHANGED_LINES {
        for run in [1, 100_000] {
            let took = |count: usize| judge(&all_lines_change(kind, count, run), &policy).1;
            let (few, many) = (took(1_500), took(6_000));
            // Four times the lines: a quadratic step takes sixteen times as long.
            if many > few.mul_f64(8.0) + Duration::from_millis(200) {
                slow.push(format!("{} in stretches of {run}: {few:?}, then {many:?}", kind.0));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn a_long_line_of_a_test_takes_time_by_its_length() {
    let policy = policy();
    let mut slow = Vec::new();
    for piece in ["f(1) + ", "f(a, b) || ", "\\' ", "\"a\" or ", "a = b * 0, ", "[:1]"] {
        let text =
            |last: &str, size: usize| format!("def test_a():\n    assert {}{last}\n", piece.repeat(size / piece.len()));
        let took = |size: usize| judge(&changed("tests/test_a.py", text("x", size), text("y", size)), &policy).1;
        let (short, long) = (took(1 << 15), took(1 << 17));
        if long > short.mul_f64(8.0) + Duration::from_millis(200) {
            slow.push(format!("{piece:?}: {short:?}, then {long:?}"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
