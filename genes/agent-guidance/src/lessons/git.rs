//! Habits with git.

use super::material::failed;
use crate::input::{Entry, Workspace};
use crate::lesson::{Lesson, Topic};
use crate::log::{Failure, Finding};

/// Managers of git hooks: the file that shows them, and the command that runs the hook's checks by hand, as their
/// documentation has it.
const HOOKS: [(&str, &str); 4] = [
    (".pre-commit-config.yaml", "pre-commit run --all-files"),
    ("lefthook.yml", "lefthook run pre-commit"),
    ("lefthook.yaml", "lefthook run pre-commit"),
    (".lefthook.yml", "lefthook run pre-commit"),
];

pub(super) fn lesson(finding: &Finding, failures: &[&Failure], workspace: &mut impl Workspace) -> Option<Lesson> {
    let any = |parts: &[&str]| {
        failures.iter().filter(|failure| parts.iter().any(|part| failure.output.contains(part))).count() * 2
            > failures.len()
    };
    let (text, topic): (String, &'static [&'static [&'static str]]) = match finding.kind.as_str() {
        "git_push_rejected" if any(&["protected branch", "GH006", "GH013"]) => (
            "Push to a branch of your own and open a pull request: the main branch is protected.".to_owned(),
            &[&["push", "pull request", "branch"], &["protected", "main", "pull request"]],
        ),
        "git_push_rejected" if any(&["fetch first", "non-fast-forward", "behind its remote"]) => (
            "Fetch and rebase before you push (`git pull --rebase`).".to_owned(),
            &[&["push"], &["pull", "rebase", "fetch", "never", "not"]],
        ),
        "git_uncommitted" => (
            "Look at `git status`, and commit or stash your changes before you switch branches, pull or rebase."
                .to_owned(),
            &[&["commit", "stash"], &["switch", "checkout", "pull", "rebase", "merge"]],
        ),
        "git_nothing_to_commit" => (
            "Look at `git status` before you commit: there may be nothing to commit.".to_owned(),
            &[&["git status"], &["commit"]],
        ),
        "git_hook" => {
            let mut managers = HOOKS.iter();
            let (_, command) = managers.find(|(file, _)| matches!(workspace.entry(file), Some(Entry::File { .. })))?;
            let text =
                format!("Run `{command}` before you commit: the hook runs the same checks and refuses the commit.");
            (text, &[&["hook", "pre-commit", "lefthook"]])
        }
        _ => return None,
    };
    let because = failed(failures, "git command was refused", "git commands were refused");
    Some(Lesson::of(&finding.id, failures, text, Topic::Words(topic), because))
}
