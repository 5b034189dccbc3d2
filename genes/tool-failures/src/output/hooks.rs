//! What the runners of git hooks print around the checks that they run: pre-commit, lefthook, husky and lint-staged. A line with a
//! check's name and its result is no message of a program.

/// How pre-commit ends the line of a check that it ran.
const RESULTS: [&str; 3] = ["Failed", "Passed", "Skipped"];
/// Most checks that are named.
const MAX_NAMES: usize = 8;

/// The checks that failed, each once. The names that they have in their runner's configuration.
pub(crate) fn failed(output: &str) -> Vec<&str> {
    let is_staged = output.contains("[STARTED] ") || output.contains("lint-staged");
    let lefthook = output.contains("lefthook").then(|| output.rsplit_once("summary: (done in")).flatten();
    let below = lefthook.map_or("", |(_, below)| below);
    let of_lefthook = below.lines().filter_map(|line| line.trim().strip_prefix("🥊"));
    let of_lefthook = of_lefthook.map(|name| name.split(": ").next().unwrap_or(name).trim());
    let of_staged = output.lines().filter(|_| is_staged).filter_map(|line| {
        let marked = || line.trim().strip_prefix("✖ ")?.strip_suffix(':');
        line.trim().strip_prefix("[FAILED] ").and_then(|rest| rest.strip_suffix(" [FAILED]")).or_else(marked)
    });
    let of_pre_commit = output.lines().filter_map(result).filter(|(_, result)| *result == "Failed");
    let mut names: Vec<&str> = Vec::new();
    for name in of_pre_commit.map(|(name, _)| name).chain(of_lefthook).chain(of_staged) {
        if names.len() < MAX_NAMES && !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The hook that refused: git calls it by the name of its file, and runners by that name with `hook` or `script` behind it.
pub(crate) fn hook(output: &str) -> Option<&'static str> {
    const HOOKS: [&str; 6] =
        ["prepare-commit-msg", "pre-merge-commit", "commit-msg", "pre-commit", "pre-push", "pre-rebase"];
    let named = |line: &str| {
        let says = ["hook", "script failed", "husky - "].iter().any(|word| line.contains(word));
        HOOKS.into_iter().find(|hook| says && line.contains(hook))
    };
    output.lines().rev().find_map(named)
}

/// Whether a line only says how a check ended, or frames what it said.
pub(crate) fn is_frame(line: &str) -> bool {
    const STARTS: [&str; 11] = [
        "- hook id: ",
        "- exit code: ",
        "- duration: ",
        "- files were modified by this hook",
        "hook id: ",
        "exit code: ",
        "files were modified by this hook",
        "summary: (done in",
        "[STARTED] ",
        "[COMPLETED] ",
        "[SKIPPED] ",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
        || line.starts_with("[FAILED] ") && line.ends_with(" [FAILED]")
        || result(line).is_some()
}

/// The name and the result of a check: `isort........Failed`, `mypy.....(no files to check)Skipped`.
fn result(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let result = RESULTS.into_iter().find(|result| line.ends_with(result))?;
    let before = line.strip_suffix(result)?;
    let before = before.strip_suffix(')').and_then(|text| text.rsplit_once('(')).map_or(before, |(text, _)| text);
    let name = before.trim_end_matches('.');
    (before.len() >= name.len() + 3 && !name.trim().is_empty()).then_some((name.trim(), result))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_that_refused_is_named() {
        for (output, expected) in [
            ("a.ts: no\nhusky - pre-commit hook exited with code 1 (error)", Some("pre-commit")),
            ("husky - commit-msg script failed (code 1)", Some("commit-msg")),
            ("The '.git/hooks/pre-push' hook refused it", Some("pre-push")),
            ("lefthook v1.6 hook: pre-commit", Some("pre-commit")),
            ("husky - prepare-commit-msg hook exited with code 1", Some("prepare-commit-msg")),
            ("hook: pre-commit\nhusky - pre-push script failed", Some("pre-push")),
            ("pip install pre-commit", None),
            ("a hook failed", None),
            ("", None),
        ] {
            assert_eq!(hook(output), expected, "{output}");
        }
    }

    #[test]
    fn the_checks_that_failed_are_named() {
        for (output, expected) in [
            ("isort.......Failed\n- hook id: isort\nblack......Failed\nflake8......Passed", &["isort", "black"][..]),
            ("trim trailing whitespace.........Failed", &["trim trailing whitespace"]),
            ("a.....Failed\na.....Failed", &["a"]),
            ("lefthook v1\nsummary: (done in 0.5 seconds)\n🥊  lint\n✔️ fmt", &["lint"]),
            ("lefthook v2\nsummary: (done in 0.5 seconds)\n🥊 format: exit status 1", &["format"]),
            ("[STARTED] a\n[FAILED] eslint --fix [FAILED]\n✖ eslint --fix:", &["eslint --fix"]),
            ("✖ 1 problem", &[]),
            ("🥊  lint", &[]),
            ("Tests Failed", &[]),
            ("Waiting...Passed on", &[]),
            ("mypy.....(no files to check)Skipped", &[]),
            ("...Failed", &[]),
            ("build.. Failed", &[]),
            ("", &[]),
        ] {
            assert_eq!(failed(output), expected, "{output}");
        }
    }

    #[test]
    fn results_and_frames_are_no_messages() {
        for (line, expected) in [
            ("isort....................Failed", true),
            ("mypy.....(no files to check)Skipped", true),
            ("- hook id: isort", true),
            ("- exit code: 1", true),
            ("[FAILED] eslint [FAILED]", true),
            ("[STARTED] Preparing lint-staged...", true),
            ("[FAILED] could not connect", false),
            ("error: check Failed", false),
            ("FAILED tests/a.py::test_b", false),
            ("a.py:1: error: no", false),
            ("... Failed", false),
            ("Loading...", false),
            ("would reformat a.py", false),
        ] {
            assert_eq!(is_frame(line), expected, "{line}");
        }
    }
}
