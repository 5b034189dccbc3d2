//! Whether the agent's changes are put aside, so that what fails now was there before: by `git stash`, or by another branch,
//! commit or file in the place of the agent's.
//!
//! The state ends with whatever brings the changes back, or makes new ones: the stash, another branch, a merge, a pull, a
//! commit, an edit.

use crate::call::{Call, is_editor};
use crate::command::shell::{Act, acts};

/// Options of git in front of its subcommand that are followed by a value.
const WITH_VALUE: [&str; 4] = ["-C", "-c", "--git-dir", "--work-tree"];
/// What git says if it did not put anything aside, or took the changes along.
const NOT_ASIDE: [&str; 7] = [
    "Already on '",
    "No local changes to save",
    "error: pathspec '",
    "error: Your local changes ",
    "error: The following untracked ",
    "fatal: ",
    "error: could not revert ",
];

/// What a step does to the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Aside,
    Back,
}

/// What a call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Whether the changes are put aside behind it.
    pub(crate) is_aside: bool,
    /// Whether all of its checks ran while they were.
    pub(crate) checked_aside: bool,
}

/// Whether a call can put changes aside.
pub(crate) fn can_put_aside(call: &Call<'_>) -> bool {
    let has = |words: &str| call.input.contains(words);
    // What is written into a file is no command.
    !is_editor(call.name)
        && has("git ")
        && [" stash", " checkout", " switch", " restore", " revert"].into_iter().any(has)
}

/// Walks through the steps of a call. `is_aside`: whether the changes were put aside in front of it.
pub(crate) fn walk(call: &Call<'_>, is_aside: bool) -> Walk {
    if is_editor(call.name) {
        return Walk { is_aside: is_aside && call.failed, checked_aside: false };
    }
    let mut state = is_aside;
    let mut checked = None;
    for act in acts(call.input) {
        match effect(&act) {
            Some(Effect::Aside) => state |= !says_that_nothing_is_aside(call.output),
            Some(Effect::Back) => state = false,
            None if act.step.tests() || act.step.checks() => checked = Some(checked.unwrap_or(true) && state),
            None => {}
        }
    }
    Walk { is_aside: state && !writes_a_file(call.input), checked_aside: checked.unwrap_or_default() }
}

/// Whether a command writes a file that is not a temporary one: `cat > a.rs <<E`.
fn writes_a_file(input: &str) -> bool {
    let is_kept = |path: &str| !["/tmp", "/dev/", "&"].iter().any(|start| path.starts_with(start));
    input.split("cat >").skip(1).any(|rest| is_kept(rest.trim_start_matches(['>', ' '])))
}

/// Whether git says that it did nothing, or names changes that it took along to the other branch: `M\ta.rs`.
fn says_that_nothing_is_aside(output: &str) -> bool {
    let is_taken_along = |line: &str| ["M\t", "A\t", "D\t"].iter().any(|start| line.starts_with(start));
    NOT_ASIDE.iter().any(|said| output.contains(said)) || output.lines().take(64).any(is_taken_along)
}

fn effect(act: &Act<'_>) -> Option<Effect> {
    let edits =
        || act.arguments().iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('i'));
    match act.step.program {
        "git" => of_git(act.arguments()),
        "sed" | "perl" if edits() => Some(Effect::Back),
        "patch" | "apply_patch" => Some(Effect::Back),
        _ => None,
    }
}

fn of_git(words: &[&str]) -> Option<Effect> {
    let mut at = 0;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(WITH_VALUE.contains(option));
    }
    let (name, arguments) = words.get(at..)?.split_first()?;
    let has = |names: &[&str]| arguments.iter().any(|word| names.contains(word));
    let first = arguments.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let of_state = |is_other: bool| Some(if is_other { Effect::Aside } else { Effect::Back });
    match *name {
        "stash" => match first {
            "pop" | "apply" | "branch" => Some(Effect::Back),
            "list" | "show" | "drop" | "clear" | "create" | "store" => None,
            _ => Some(Effect::Aside),
        },
        "checkout" | "switch" if has(&["-b", "-B", "-c", "-C", "--orphan", "--create", "-"]) => Some(Effect::Back),
        "checkout" | "switch" => of_state(has(&["--detach"]) || is_other_state(first)),
        "restore" => {
            let source = arguments.iter().find_map(|word| word.strip_prefix("--source="));
            let named = || {
                let at = arguments.iter().position(|word| matches!(*word, "-s" | "--source"))?;
                arguments.get(at + 1).copied()
            };
            of_state(source.or_else(named).is_some_and(is_other_state))
        }
        "revert" => of_state(!has(&["--abort", "--quit", "--continue", "--skip"])),
        "merge" | "pull" | "rebase" | "cherry-pick" | "commit" | "am" | "apply" | "reset" => Some(Effect::Back),
        _ => None,
    }
}

/// Whether a name is that of a state without the agent's changes: the main branch, or an older commit.
fn is_other_state(name: &str) -> bool {
    matches!(name, "main" | "master" | "trunk" | "develop")
        || ["origin/", "upstream/", "HEAD~", "HEAD^"].iter().any(|start| name.starts_with(start))
        || name == "@~"
        || name == "@^"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(input: &str, output: &str, is_aside: bool) -> Walk {
        let call = Call { input, output, failed: false, ..Call::FAILED };
        walk(&call, is_aside)
    }

    #[test]
    fn ways_into_the_state() {
        for input in [
            "git stash",
            "git stash -u",
            "git stash push -m wip src/a.rs",
            "git -C /r stash save x",
            "cd a && git stash",
            "git checkout main",
            "git checkout HEAD~1",
            "git checkout HEAD~1 -- src/a.rs",
            "git checkout origin/main -- src",
            "git checkout --detach",
            "git switch master",
            "git switch --detach HEAD^",
            "git restore --source=HEAD~1 src/a.rs",
            "git restore -s main src/a.rs",
            "git revert --no-edit HEAD",
        ] {
            assert!(walked(input, "", false).is_aside, "{input}");
            assert!(can_put_aside(&Call { input, ..Call::FAILED }), "{input}");
        }
    }

    #[test]
    fn what_puts_nothing_aside() {
        for input in [
            "git stash list",
            "git stash drop",
            "git stash show -p",
            "git checkout -- src/a.rs",
            "git checkout feature",
            "git checkout -b fix main",
            "git switch -c fix",
            "git restore src/a.rs",
            "git restore --staged src/a.rs",
            "git worktree add ../base main",
            "git reset --hard HEAD~1",
            "git log main",
            "git fetch origin main",
            "echo git stash",
            "grep -rn 'git stash' docs",
        ] {
            assert!(!walked(input, "", false).is_aside, "{input}");
        }
        for (input, output) in [
            ("git checkout main", "Already on 'main'\nYour branch is up to date with 'origin/main'."),
            ("git checkout main", "M\tsrc/a.rs\nSwitched to branch 'main'"),
            ("git checkout main", "error: Your local changes to the following files would be overwritten by checkout:"),
            ("git stash", "No local changes to save"),
            ("git switch main", "fatal: invalid reference: main"),
        ] {
            assert!(!walked(input, output, false).is_aside, "{input}: {output}");
        }
    }

    #[test]
    fn ways_out_of_the_state() {
        for input in [
            "git stash pop",
            "git stash apply stash@{0}",
            "git merge feature",
            "git pull",
            "git commit -am x",
            "git checkout -",
            "git switch -",
            "git checkout -b fix",
            "git checkout feature",
            "git checkout HEAD -- src/a.rs",
            "git restore src/a.rs",
            "git revert --abort",
            "git rebase main",
            "git cherry-pick abc",
            "git apply a.patch",
            "git reset --hard",
            "sed -i s/a/b/ src/a.rs",
            "cat > src/a.rs <<E\nx\nE",
            "patch -p1",
        ] {
            assert!(!walked(input, "", true).is_aside, "{input}");
        }
        let edit = |failed| Call { name: "Edit", input: r#"{"file_path":"a.rs"}"#, failed, ..Call::FAILED };
        assert!(!walk(&edit(false), true).is_aside, "an edit");
        assert!(walk(&edit(true), true).is_aside, "an edit that failed");
        for input in [
            "npm test",
            "git status",
            "git diff",
            "git log",
            "git stash list",
            "cat > /tmp/x.py <<E\nx\nE",
            "git checkout main",
        ] {
            assert!(walked(input, "", true).is_aside, "{input}");
        }
    }

    #[test]
    fn checks_within_one_call() {
        for (input, expected) in [
            ("git stash && npm test; git stash pop", true),
            ("git stash; npm test | tail -3", true),
            ("npm test; git stash", false),
            ("git stash; git stash pop; npm test", false),
            ("git stash; npm test; git stash pop; npm test", false),
            ("git checkout main && git merge feature && npm test", false),
            ("git stash", false),
        ] {
            assert_eq!(walked(input, "", false).checked_aside, expected, "{input}");
        }
    }
}
