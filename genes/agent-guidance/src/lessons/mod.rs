//! The lessons: one function for each group of causes. Each takes one finding and gives the lines that follow from it.
//!
//! A line is a sentence of this gene. Slots hold only what [`crate::word`] lets pass and what is known to a table or stands
//! in the workspace. Causes that an agent cannot do anything about (a provider's limits, a network, a full disk) and
//! decisions of a person give no line.

mod commands;
mod edits;
mod git;
mod material;
mod options;
mod paths;
mod programs;
mod shell;
mod tools;

use crate::input::Workspace;
use crate::lesson::Lesson;
use crate::log::Finding;
pub(crate) use material::{Material, failed};
pub(crate) use tools::cured;

/// The lines that follow from a finding; most often none or one.
pub(crate) fn lessons_of(finding: &Finding, material: &Material<'_>, workspace: &mut impl Workspace) -> Vec<Lesson> {
    if finding.expected {
        return Vec::new();
    }
    let failures = material.log.failures_of(finding, material.sessions);
    if failures.is_empty() {
        return Vec::new();
    }
    let found = match finding.kind.as_str() {
        "edit_text_missing"
        | "edit_unread"
        | "edit_stale"
        | "edit_ambiguous"
        | "edit_changes_nothing"
        | "edit_breaks_syntax"
        | "patch_lines_missing"
        | "patch_twice"
        | "input_too_large" => edits::lesson(finding, &failures).into_iter().collect(),
        "missing_program" | "missing_module" | "wrong_version" | "wrapped_command" | "unwrapped_command" => {
            programs::lessons(finding, &failures, material, workspace)
        }
        "missing_script" | "unknown_subcommand" => {
            let mut found = options::subcommands(finding, &failures, material, workspace);
            found.extend(commands::instead(finding, &failures, material, workspace));
            found
        }
        "no_tests_found" => commands::instead(finding, &failures, material, workspace).into_iter().collect(),
        "option_refused" => options::options(finding, &failures, material),
        "wrong_folder" => paths::folder(finding, &failures, material, workspace).into_iter().collect(),
        "missing_path" => paths::paths(finding, &failures, material, workspace),
        "timeout" => tools::time_limit(finding, &failures, material).into_iter().collect(),
        "tool_parameters" => tools::parameters(finding, &failures).into_iter().collect(),
        "approval_needed" => tools::approvals(finding, &failures),
        "permission_rule" => tools::refusals(finding, &failures),
        "loop" => tools::repetitions(finding, &failures).into_iter().collect(),
        "shell_syntax" => shell::lessons(finding, &failures),
        "git_push_rejected" | "git_uncommitted" | "git_nothing_to_commit" | "git_hook" => {
            git::lesson(finding, &failures, workspace).into_iter().collect()
        }
        "reported_problems" => commands::checks(finding, &failures, workspace).into_iter().collect(),
        _ => Vec::new(),
    };
    found.into_iter().filter(|lesson| lesson.is_recurring(material.least)).collect()
}

/// Large files that are read whole again and again. No finding is about that: such calls succeed.
pub(crate) fn of_reading(material: &Material<'_>, workspace: &mut impl Workspace) -> Vec<Lesson> {
    tools::large_files(material, workspace)
}
