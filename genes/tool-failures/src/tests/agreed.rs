//! The advice of a finding agrees with what the same session did after the failure.

use crate::tests::next::advice;

/// A command, and the output of a failure; `None` for one that worked, or what it printed behind `+`.
type Step<'a> = (&'a str, Option<&'a str>);

/// The advice of the finding that explains the first command.
fn told(steps: &[Step<'_>]) -> String {
    advice(&steps.iter().map(|(input, failed)| ("Bash", *input, *failed)).collect::<Vec<_>>(), Vec::new())
}

#[test]
fn a_form_that_the_session_tried_in_vain_is_not_advised() {
    const PYTEST: Step<'_> = ("pytest a.py", Some("bash: pytest: command not found"));
    const LINT: Step<'_> = ("eslint a.js", Some("bash: eslint: command not found"));
    for (steps, advised, contradicted) in [
        (&[PYTEST][..], "`python3 -m pytest`", ("python3 -m pytest a.py", "/usr/bin/python3: No module named pytest")),
        (
            &[PYTEST],
            "`uv run pytest`",
            (
                "uv run pytest a.py",
                "error: Failed to spawn: `pytest`\n  Caused by: No such file or directory (os error 2)",
            ),
        ),
        (&[LINT], "`npx eslint`", ("npx eslint a.js", "sh: 1: eslint: not found")),
        (
            &[("docker-compose up", Some("bash: docker-compose: command not found"))],
            "`docker compose`",
            ("docker compose up", "bash: docker: command not found"),
        ),
    ] {
        assert!(told(steps).contains(advised), "{}", told(steps));
        let with = [steps, &[(contradicted.0, Some(contradicted.1))]].concat();
        assert!(!told(&with).contains(advised), "{}", told(&with));
    }
    // Tests that fail show that the program is there.
    let ran =
        told(&[PYTEST, ("python3 -m pytest a.py -k b", Some("FAILED a.py::test_b - assert 1 == 2\n1 failed in 1s"))]);
    assert!(ran.contains("`python3 -m pytest`"), "{ran}");
}

#[test]
fn what_the_session_did_later_and_worked_is_told_as_such() {
    for (failed, message, later, said) in [
        (
            "xxd a.bin",
            "bash: xxd: command not found",
            "od -A x -t x1z b.bin",
            "the agent ran it later, and that worked",
        ),
        (
            "cmake --build build",
            "Error: could not load cache",
            "cmake -S . -B build -G Ninja",
            "the agent ran it later, and that worked",
        ),
        (
            "jq . a.json",
            "bash: jq: command not found",
            "python3 -m json.tool b.json",
            "the agent ran `python3 -m json.tool` later, and that worked",
        ),
    ] {
        let advice = told(&[(failed, Some(message)), (later, None)]);
        assert!(advice.contains(said), "{failed}: {advice}");
        for other in [&["ls"][..], &["echo 'od -A x -t x1z b.bin'"], &["cat cmake-S.txt"]] {
            let steps: Vec<Step<'_>> =
                std::iter::once((failed, Some(message))).chain(other.iter().map(|input| (*input, None))).collect();
            assert!(!told(&steps).contains("later, and that worked"), "{failed}: {}", told(&steps));
        }
    }
}

#[test]
fn what_only_asks_is_no_proof() {
    let failed = ("git commit -m a", Some("nothing to commit, working tree clean"));
    assert!(!told(&[failed, ("git status", None)]).contains("later"));
}

#[test]
fn a_suggestion_that_failed_gives_way_to_the_next_candidate() {
    let failed = ("frobnicate --build", Some("error: no cache\nTry running `frobnicate init` first"));
    let first = told(&[failed]);
    assert!(first.contains("frobnicate init"), "{first}");
    let again = told(&[failed, ("frobnicate init", Some("error: this folder cannot be written"))]);
    assert!(!again.contains("suggests"), "{again}");
    let worked = told(&[failed, ("frobnicate init", None)]);
    assert!(worked.contains("suggests") && worked.ends_with("the agent ran it later, and that worked"), "{worked}");
}
