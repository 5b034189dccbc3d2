//! Pairs of calls in the forms that agents log.

use super::*;

fn pair(tool: &str, failed: &str, worked: &str) -> Option<(Difference, String, String)> {
    let of = |event, input, worked| Attempt { began: event, event, session: 0, tool, input, output: "", worked };
    let found = corrections([of(1, failed, false), of(3, worked, true)]);
    found.into_iter().next().map(|found| (found.difference, found.before, found.after))
}

#[test]
fn the_difference_is_named() {
    use Difference as D;
    for (tool, failed, worked, expected) in [
        ("Bash", "python a.py", "python3 a.py", Some((D::Program, "python", "python3"))),
        ("Bash", "pytest tests -q", "python -m pytest tests -q", Some((D::Program, "pytest", "python -m pytest"))),
        ("Bash", "mypy src", "uv run mypy src", Some((D::Program, "mypy", "uv run mypy"))),
        ("Bash", "npm run lint", "pnpm run lint", Some((D::Program, "npm", "pnpm"))),
        ("Bash", "rg -n foo src", "grep -n foo src", Some((D::Program, "rg", "grep"))),
        ("Bash", "cd web && npm test", "npm test", Some((D::Directory, "web", ""))),
        ("Bash", "go test ./...", "cd server && go test ./...", Some((D::Directory, "", "server"))),
        ("Bash", "npm run typecheck", "npm run type-check", Some((D::Subcommand, "npm typecheck", "npm type-check"))),
        ("Bash", "git psuh origin main", "git push origin main", Some((D::Subcommand, "git psuh", "git push"))),
        ("Bash", "timeout 30 make test", "timeout 300 make test", Some((D::TimeLimit, "30", "300"))),
        ("Bash", "grep -P x a.txt", "grep -E x a.txt", Some((D::Options, "-P", "-E"))),
        ("Bash", "cat lib/a.py", "cat src/lib/a.py", Some((D::Path, "lib/a.py", "src/lib/a.py"))),
        ("Bash", "make test", "make  test\n", Some((D::Whitespace, "", ""))),
        ("Bash", "make test", "make test", Some((D::Repeated, "", ""))),
        (
            "Bash",
            "cast call 0x1 'f()' 2 3 --rpc-url https://a.example",
            "cast block latest --rpc-url https://b.example/x",
            Some((D::Input, "https://a.example", "https://b.example/x")),
        ),
        (
            "Bash",
            "pip install a --index-url=https://a.example/s",
            "pip install b c d e --index-url=https://a.example/t",
            None,
        ),
        ("Bash", "curl https://a.example/x -o a -s", "curl https://b.example/y -I", None),
        ("Bash", "make test", "git status", None),
        ("Bash", "git push", "git status", None),
        ("Bash", "cat a.py", "cat b.py", None),
        ("Bash", "", "", None),
        (
            "Read",
            r#"{"file_path":"/w/a.rs"}"#,
            r#"{"file_path":"/w/src/a.rs"}"#,
            Some((D::Path, "/w/a.rs", "/w/src/a.rs")),
        ),
        ("Read", r#"{"file_path":"/w/a.rs"}"#, r#"{"file_path":"/w/a.rs","limit":100}"#, Some((D::Options, "", ""))),
        ("Read", r#"{"file_path":"/w/a.rs"}"#, r#"{"file_path":"/w/b.rs"}"#, None),
        (
            "Edit",
            r#"{"file_path":"a","old_string":"x  y"}"#,
            r#"{"file_path":"a","old_string":"x y"}"#,
            Some((D::Whitespace, "", "")),
        ),
        (
            "Edit",
            r#"{"file_path":"a","old_string":"x"}"#,
            r#"{"file_path":"a","old_string":"z"}"#,
            Some((D::Input, "", "")),
        ),
    ] {
        let found = pair(tool, failed, worked);
        let expected = expected.map(|(difference, a, b)| (difference, a.to_owned(), b.to_owned()));
        assert_eq!(found, expected, "{failed} / {worked}");
    }
}

#[test]
fn an_edit_that_worked_after_a_read_is_told_so() {
    let of = |event, tool, input, worked| Attempt { began: event, event, session: 7, tool, input, output: "", worked };
    let calls = [
        of(1, "Edit", r#"{"file_path":"/w/a.rs","old_string":"x"}"#, false),
        of(3, "Read", r#"{"file_path":"/w/a.rs"}"#, true),
        of(5, "Edit", r#"{"file_path":"/w/a.rs","old_string":"y"}"#, true),
    ];
    let found = corrections(calls);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].failed, found[0].worked, found[0].difference), (1, 5, Difference::ReadBefore));
}

#[test]
fn only_the_same_session_corrects_and_not_for_ever() {
    let of = |event, session, input, worked| Attempt {
        began: event,
        event,
        session,
        tool: "Bash",
        input,
        output: "",
        worked,
    };
    assert_eq!(corrections([of(1, 0, "make a", false), of(2, 1, "make a", true)]), []);
    let others = (2..=u64::from(WINDOW) + 1).map(|event| of(event, 0, "git status", true));
    let late = others.chain([of(99, 0, "make a", true)]);
    assert_eq!(corrections([of(1, 0, "make a", false)].into_iter().chain(late)), []);
}

#[test]
fn what_began_before_the_failure_was_known_is_no_answer_to_it() {
    let of =
        |began, event, input, worked| Attempt { began, event, session: 0, tool: "Read", input, output: "x", worked };
    let (guessed, other, found) = (r#"{"path":"/w/a/x.py"}"#, r#"{"path":"/w/b/x.py"}"#, r#"{"path":"/w/c/x.py"}"#);
    // Three reads at once, and one after them.
    let calls = [of(1, 4, guessed, false), of(2, 5, other, true), of(6, 7, found, true)];
    let pairs = corrections(calls);
    assert_eq!(pairs.iter().map(|pair| (pair.failed, pair.worked)).collect::<Vec<_>>(), [(4, 7)]);
}

#[test]
fn odd_inputs_are_no_error() {
    for input in [
        "{",
        "{\"command\"",
        "{\"command\":\"",
        "'",
        "((((",
        "é\u{0}",
        "*** Update File: ",
        "[\"bash\",\"-lc\",\"ls\"]",
    ] {
        for tool in ["Bash", "Edit", "Read", "", "é"] {
            let _ = pair(tool, input, "make test");
            let _ = pair(tool, "make test", input);
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_input_gives_pairs_of_one_session_in_order(
        calls in proptest::collection::vec((0..3_u32, ".{0,40}", proptest::bool::ANY), 0..60)
    ) {
        let of = |(at, (session, input, worked)): (usize, &'_ (u32, String, bool))| (at as u64, *session, input.clone(), *worked);
        let owned: Vec<_> = calls.iter().enumerate().map(of).collect();
        let attempts = owned.iter().map(|(event, session, input, worked)| Attempt {
            began: *event, event: *event, session: *session, tool: "Bash", input, output: "x", worked: *worked,
        });
        for found in corrections(attempts) {
            let (failed, worked) = (&owned[usize::try_from(found.failed).unwrap()], &owned[usize::try_from(found.worked).unwrap()]);
            proptest::prop_assert!(found.failed < found.worked && failed.1 == worked.1 && !failed.3 && worked.3);
        }
    }
}

#[test]
fn what_shows_no_success_corrects_nothing() {
    let (make, cat) = ("make test", "cat a.sh");
    for (failed, worked, output, corrects) in [
        (make, "make test && echo fine", "fine", true),
        (make, "make test || true", "x", false),
        (make, "make test || echo no", "no", false),
        (make, "make test; true", "x", false),
        (make, "make test | head -5", "x", false),
        (make, "make test | head -5", "3 passed in 0.1s", true),
        (make, "make test 2>&1 | tail -5", "built", true),
        (make, "make test 2>&1 | tail -5", "", false),
        (make, "make test; echo code=$?", "built\ncode=0", true),
        (make, "set -o pipefail; make test | head -5", "x", true),
        (cat, "cat a.sh 2>/dev/null || echo \"a.sh not found\"", "a.sh not found", false),
        (cat, "cat a.sh 2>/dev/null || echo \"a.sh not found\"", "#!/bin/sh", true),
        (cat, "cat a.sh 2>/dev/null; ls b", "x", false),
        (cat, "cat a.sh | head", "", false),
        (cat, "cat a.sh | head", "x", true),
    ] {
        let of = |event, input, output, worked| Attempt {
            began: event,
            event,
            session: 0,
            tool: "Bash",
            input,
            output,
            worked,
        };
        let found = corrections([of(1, failed, "", false), of(2, worked, output, true)]);
        assert_eq!(found.len(), usize::from(corrects), "{worked}: {output}");
    }
}

#[test]
fn a_remedy_after_which_the_failure_returned_was_none() {
    let missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'x'";
    let other = "KeyError: 'x'";
    // Input and output of calls that failed, and inputs of those that worked.
    let check = |calls: &[(&str, Option<&str>)], expected: &[(u64, u64)]| {
        let attempts = calls.iter().zip(0..).map(|((input, failed), event)| Attempt {
            began: event,
            event,
            session: 0,
            tool: "Bash",
            input,
            output: failed.unwrap_or("fine"),
            worked: failed.is_none(),
        });
        let pairs: Vec<_> = corrections(attempts).iter().map(|pair| (pair.failed, pair.worked)).collect();
        assert_eq!(pairs, expected, "{calls:?}");
    };
    // Another interpreter worked once, and then failed in the same way.
    check(&[("python a.py", Some(missing)), ("python3 a.py", None), ("python3 b.py c d", Some(missing))], &[]);
    // The last one counts.
    check(
        &[
            ("python a.py", Some(missing)),
            ("python3 a.py", None),
            ("python3 b.py c d", Some(missing)),
            ("python3.11 a.py", None),
        ],
        &[(0, 3)],
    );
    // The mistake was made again, and corrected again.
    check(
        &[
            ("python a.py", Some(missing)),
            ("python3 a.py", None),
            ("python b.py c d", Some(missing)),
            ("python3 b.py c d", None),
        ],
        &[(0, 1), (2, 3)],
    );
    // It failed for another reason.
    check(&[("python a.py", Some(missing)), ("python3 a.py", None), ("python3 b.py c d", Some(other))], &[(0, 1)]);
    // What worked when it was repeated fails again.
    check(&[("make a", Some(missing)), ("make a", None), ("make a", Some(missing))], &[]);
    check(&[("make a", Some(missing)), ("make a", None), ("make a", Some(other)), ("make a", None)], &[(0, 1), (2, 3)]);
}

/// The pairs of calls of `Bash` (or of the tool before `|`), each with whether it worked.
fn pairs(calls: &[(&str, bool)]) -> Vec<(u64, u64, Difference, String)> {
    let attempts = calls.iter().zip(0..).map(|((call, worked), event)| {
        let (tool, input) = call.split_once('|').filter(|(tool, _)| *tool == "Edit").unwrap_or(("Bash", call));
        let output = if *worked { "fine" } else { "error: it does not work" };
        Attempt { began: event, event, session: 0, tool, input, output, worked: *worked }
    });
    corrections(attempts).into_iter().map(|pair| (pair.failed, pair.worked, pair.difference, pair.after)).collect()
}

#[test]
fn the_same_call_outside_of_the_sandbox_names_the_permission() {
    let call = "curl -s https://a.example";
    for permission in
        ["sandbox_permissions=require_escalated", "with_escalated_permissions=true", "dangerouslyDisableSandbox=true"]
    {
        let outside = format!("{call}  # {permission}");
        assert_eq!(pairs(&[(call, false), (&outside, true)]), [(0, 1, Difference::Input, permission.to_owned())]);
        // It asked before, too: the permission is no difference.
        let again = pairs(&[(&outside, false), (&outside, true)]);
        assert_eq!(again, [(0, 1, Difference::Repeated, String::new())]);
    }
    // A similar call worked outside, too: nothing else is known to have helped.
    let other = "curl -s -I https://a.example  # sandbox_permissions=require_escalated";
    let expected = (0, 1, Difference::Input, "sandbox_permissions=require_escalated".to_owned());
    assert_eq!(pairs(&[(call, false), (other, true)]), [expected]);
    assert!(pairs(&[(call, false), ("ls  # sandbox_permissions=require_escalated", true)]).is_empty());
    let other = "curl -s https://a.example  # a comment";
    assert!(pairs(&[(call, false), (other, true)]).iter().all(|pair| pair.3.is_empty()));
}

#[test]
fn behind_an_edit_or_an_installation_a_difference_proves_nothing() {
    let edit = r#"Edit|{"file_path":"/w/a.ts","old_string":"x"}"#;
    let (failed, worked) = ("biome check --write --unsafe a.ts", "biome check a.ts");
    assert_eq!(pairs(&[(failed, false), (worked, true)]).len(), 1);
    for change in
        [edit, "npm install left-pad", "sed -i s/a/b/ a.ts", "mkdir -p dist", "cargo add serde", "rm -rf dist"]
    {
        assert_eq!(pairs(&[(failed, false), (change, true), (worked, true)]), [], "{change}");
        // The same call worked later: a fact.
        let later = pairs(&[(failed, false), (change, true), (failed, true)]);
        assert_eq!(later, [(0, 2, Difference::Later, String::new())], "{change}");
    }
    for looks in ["git status", "cat a.ts", "npm test", "cargo build"] {
        assert_eq!(pairs(&[(failed, false), (looks, true), (worked, true)]).len(), 1, "{looks}");
    }
}

#[test]
fn an_edit_brings_no_program_that_is_missing() {
    let of =
        |event, tool, input, output, worked| Attempt { began: event, event, session: 0, tool, input, output, worked };
    let calls = [
        of(1, "Bash", "python a.py", "bash: python: command not found", false),
        of(2, "Edit", r#"{"file_path":"/w/a.py","old_string":"x"}"#, "", true),
        of(3, "Bash", "python3 a.py", "fine", true),
    ];
    assert_eq!(corrections(calls).len(), 1);
    let other = [of(1, "Bash", "python a.py", "error: it does not work", false), calls[1], calls[2]];
    assert_eq!(corrections(other), []);
}

#[test]
fn a_part_of_the_failed_call_corrects_nothing() {
    assert_eq!(pairs(&[("git rebase origin/main 2>&1; git status", false), ("git status", true)]), []);
    assert_eq!(pairs(&[("make a && make b", false), ("make b", true)]), []);
    assert_eq!(pairs(&[("cd web && npm test", false), ("npm test", true)]).len(), 1);
}
