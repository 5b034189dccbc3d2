//! Which step of a chain, a script or a build failed, as far as the output says it.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::command::shell::Step;

/// Only this many bytes at the end of an output are searched.
const SEARCHED_BYTES: usize = 16_384;
/// Most characters of a step.
const MAX_CHARS: usize = 60;

/// The step that failed. `None` if there was only one, or if nothing says which. `line` explains the failure.
pub(crate) fn failed_step(call: &Call<'_>, steps: &[Step<'_>], program: &str, line: &str) -> Option<String> {
    if steps.is_empty() {
        return None;
    }
    let from = call.output.ceil_char_boundary(call.output.len().saturating_sub(SEARCHED_BYTES));
    let output = call.output.get(from..).unwrap_or_default();
    let named = of_make(output).or_else(|| of_script(output));
    let step = named.or_else(|| {
        // Several programs ran, and the output is that of a test or a check.
        let mut same = steps.iter().filter(|step| step.name() == program);
        let is_one = same.next().is_some_and(|step| step.tests() || step.checks()) && same.next().is_none();
        let is_reported = matches!(call.kind, FailureKind::TestFailure | FailureKind::CompileLint);
        (steps.len() > 1 && is_one && is_reported).then(|| program.to_owned())
    });
    let step = step.or_else(|| if steps.len() > 1 { spoken(steps, line) } else { None })?;
    let script = step.strip_prefix("script ").unwrap_or_default();
    let is_all = steps.len() == 1
        && steps
            .iter()
            .any(|only| only.name() == step || !script.is_empty() && only.name().ends_with(&format!(" {script}")));
    (!is_all).then(|| step.chars().take(MAX_CHARS).collect())
}

/// What git says only in some of its subcommands.
const OF_GIT: [(&str, &[&str]); 10] = [
    ("pathspec ", &["add", "checkout", "rm", "restore", "switch"]),
    ("othing to commit", &["commit"]),
    ("o changes added to commit", &["commit"]),
    ("lease tell me who you are", &["commit"]),
    ("[rejected]", &["push"]),
    ("[remote rejected]", &["push"]),
    ("ailed to push", &["push"]),
    ("CONFLICT (", &["merge", "pull", "rebase", "cherry-pick", "stash"]),
    ("ot possible to fast-forward", &["pull", "merge"]),
    ("ouldn't find remote ref", &["pull", "fetch"]),
];

/// The only step whose program says the line: `cat: a: No such file`, `bash: line 1: tsc: command not found`, `fatal: …`.
fn spoken(steps: &[Step<'_>], line: &str) -> Option<String> {
    let line = line.trim();
    let only = |is: &dyn Fn(&Step<'_>) -> bool| {
        let mut found = steps.iter().filter(|step| is(step));
        found.next().filter(|_| found.next().is_none()).map(Step::name)
    };
    let mut heads = line.split(": ").take(4).filter(|head| !head.contains(' '));
    let named = heads.find_map(|head| {
        let name = head.rsplit('/').next().unwrap_or(head);
        only(&|step| step.program == name)
    });
    let of_git = || {
        let (_, tasks) = OF_GIT.iter().find(|(part, _)| line.contains(part))?;
        only(&|step| step.program == "git" && tasks.contains(&step.task()))
    };
    let is_git = line.starts_with("fatal: ") || line.starts_with("error: pathspec");
    named.or_else(of_git).or_else(|| if is_git { only(&|step| step.program == "git") } else { None })
}

/// `make[1]: *** [Makefile:7: lint] Error 1`: the innermost target, which is reported first.
fn of_make(output: &str) -> Option<String> {
    output.lines().find_map(|line| {
        let (head, rest) = line.split_once("*** [")?;
        let target = rest.split_once(']')?.0.rsplit(':').next()?.trim();
        (head.contains("make") && !target.is_empty()).then(|| format!("make {target}"))
    })
}

/// The script that a package manager says has failed, or the last one that it began.
fn of_script(output: &str) -> Option<String> {
    let between = |line: &str, before: &str, after: char| {
        let (_, rest) = line.split_once(before)?;
        rest.split(after).next().map(str::to_owned).filter(|name| !name.is_empty())
    };
    let says = output
        .lines()
        .rev()
        .find_map(|line| between(line, "error: script \"", '"').or_else(|| between(line, "Lifecycle script `", '`')));
    let is_package = |word: &str| {
        word.rsplit_once('@').is_some_and(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    // `> app@1.0.0 build`
    let began = || {
        output.lines().rev().find_map(|line| {
            let mut words = line.strip_prefix("> ")?.split_whitespace();
            let package = words.next()?;
            let script = words.next()?;
            is_package(package).then(|| script.to_owned())
        })
    };
    // `npm error command sh -c tsc --noEmit`
    let ran = output.lines().find_map(|line| line.strip_prefix("npm error command sh -c "));
    // Of several commands npm does not say which failed.
    let ran = || ran.filter(|command| !command.contains(" && ") && !command.contains("; ")).map(str::to_owned);
    ran().or_else(|| says.or_else(began).map(|script| format!("script {script}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::shell::steps;

    fn step(input: &str, output: &str, program: &str) -> Option<String> {
        let call = Call { kind: FailureKind::TestFailure, input, output, ..Call::FAILED };
        failed_step(&call, &steps(input), program, output.lines().next_back().unwrap_or_default())
    }

    #[test]
    fn the_step_that_failed_is_named_if_the_output_says_it() {
        for (input, output, program, expected) in [
            (
                "make all",
                "make[1]: *** [Makefile:7: lint] Error 1\nmake: *** [Makefile:2: all] Error 2",
                "make all",
                Some("make lint"),
            ),
            ("make all", "make: *** [all] Error 1", "make all", None),
            (
                "npm run ci",
                "> app@1.0.0 ci\n> npm run build && npm run test\n\n> app@1.0.0 build\n> tsc\n\nerror",
                "tsc",
                Some("script build"),
            ),
            ("bun run ci", "$ tsc\nerror: script \"types\" exited with code 2", "tsc", Some("script types")),
            (
                "npm run check",
                "npm error workspace a@1\nnpm error command failed\nnpm error command sh -c tsc --noEmit",
                "npm run check",
                Some("tsc --noEmit"),
            ),
            ("npm ci && npm test; git status", "boom", "npm test", Some("npm test")),
            ("ls a; cat b; rm c", "boom", "rm", None),
            ("ls a; cat b; rm c", "cat: b: No such file or directory", "rm", Some("cat")),
            ("cd a && tsc && vite build", "sh: 1: tsc: not found", "vite", Some("tsc")),
            ("git add x && git commit -m y", "fatal: pathspec 'x' did not match any files", "git", Some("git add")),
            ("git fetch && git status", "fatal: no", "git", None),
            ("pytest -q", "1 failed", "pytest", None),
            ("", "", "Edit", None),
        ] {
            assert_eq!(step(input, output, program).as_deref(), expected, "{input}");
        }
    }
}
