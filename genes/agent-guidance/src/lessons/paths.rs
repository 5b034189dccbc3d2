//! Folders and files that the agent takes for granted.

use std::collections::BTreeSet;

use gephost_gene::run_log::Difference;

use super::material::{Material, failed};
use crate::call_text::{command, path};
use crate::input::{Entry, Workspace};
use crate::lesson::{LEAST_GENERAL, Lesson, Topic, corrected, most_frequent};
use crate::log::{Failure, Finding};
use crate::word::{is_path, is_program, words};

/// Commands that worked next in a folder of the workspace, or the shell's own folder.
pub(super) fn folder(
    finding: &Finding,
    failures: &[&Failure],
    material: &Material<'_>,
    workspace: &mut impl Workspace,
) -> Option<Lesson> {
    let mut is_folder = |path: &str| is_path(path) && workspace.entry(path) == Some(Entry::Folder);
    let moved: Vec<(&Failure, String, String)> = failures
        .iter()
        .filter_map(|failure| {
            let (_, after) = corrected(material.log, failure, Difference::Directory)?;
            let folder = after.trim_start_matches("./").trim_end_matches('/').to_owned();
            let program = program_of(&command(&failure.input)?)?;
            is_folder(&folder).then_some((*failure, program, folder))
        })
        .collect();
    let pair = |failure: &Failure| {
        let (_, program, folder) = moved.iter().find(|(other, ..)| other.event == failure.event)?;
        Some((program.clone(), folder.clone()))
    };
    if let Some(((program, folder), group)) = most_frequent(failures, pair)
        && group.len() >= 2
    {
        let text = format!("Run `{program}` in `{folder}`.");
        let because =
            failed(&group, "call failed elsewhere and worked there", "calls failed elsewhere and worked there");
        return Some(Lesson::of(&finding.id, &group, text, Topic::AllNames(vec![program, folder]), because));
    }
    if failures.len() < LEAST_GENERAL {
        return None;
    }
    // In some agents `cd` lasts from one call to the next, in others it does not.
    let text = "Give `cd` and other commands absolute paths: the folder that an earlier `cd` chose may still be the current one.";
    let because = failed(failures, "command ran in the wrong folder", "commands ran in the wrong folder");
    let topic = Topic::Words(&[&["cd ", "`cd`", "working directory", "root"], &["path", "folder", "director"]]);
    Some(Lesson::of(&finding.id, failures, text, topic, because))
}

/// The last program of a command that is not `cd`.
fn program_of(command: &str) -> Option<String> {
    let steps = command.split("&&").flat_map(|part| part.split(';')).map(words);
    let programs = steps.filter_map(|step| step.first().copied().filter(|word| *word != "cd" && is_program(word)));
    programs.last().map(str::to_owned)
}

/// Files that are looked for in the wrong place again and again: where they are.
pub(super) fn paths(
    finding: &Finding,
    failures: &[&Failure],
    material: &Material<'_>,
    workspace: &mut impl Workspace,
) -> Vec<Lesson> {
    /// Most places in the lines of one finding.
    const MOST: usize = 2;
    /// Failures and sessions from which the general line is worth its place.
    const GENERAL: (usize, usize) = (6, 3);
    let mut lessons = Vec::new();
    let names: BTreeSet<String> = failures.iter().filter_map(|failure| asked(failure)).collect();
    for asked_path in names {
        let group: Vec<&Failure> =
            failures.iter().copied().filter(|failure| asked(failure).as_ref() == Some(&asked_path)).collect();
        let lesson = place(finding, &group, &asked_path, workspace);
        lessons.extend(lesson.filter(|lesson| lesson.is_recurring(material.least)));
        if lessons.len() == MOST {
            break;
        }
    }
    let sessions: BTreeSet<u32> = failures.iter().map(|failure| failure.session).collect();
    if lessons.is_empty() && failures.len() >= GENERAL.0 && sessions.len() >= GENERAL.1 {
        let text = "Search for a file by its name before you open a path that no command of this session has shown.";
        let because = failed(failures, "call named a path that does not exist", "calls named paths that do not exist");
        let topic = Topic::Words(&[&["path", "file"], &["search", "list", "exist", "find", "guess"]]);
        lessons.push(Lesson::of(&finding.id, failures, text, topic, because));
    }
    lessons
}

/// The path that a failed call asked for: of a tool for files, not of a command, which may name several.
fn asked(failure: &Failure) -> Option<String> {
    let path = path(&failure.input)?;
    (!path.ends_with('/') && !path.contains('\n')).then_some(path)
}

/// Where the only file of this name is.
fn place(finding: &Finding, group: &[&Failure], asked: &str, workspace: &mut impl Workspace) -> Option<Lesson> {
    let name = asked.rsplit('/').next().filter(|name| is_path(name) && name.contains('.'))?;
    let [real] = workspace.named(name).try_into().ok()?;
    let real: String = real;
    // The log's paths may be absolute: a file that is at its end is in its place.
    if !is_path(&real) || asked == real || asked.ends_with(&format!("/{real}")) {
        return None;
    }
    let text =
        format!("Look for `{name}` in `{}`.", real.strip_suffix(name)?.trim_end_matches('/')).replace("``", "`.`");
    let because = failed(group, "call looked for it elsewhere", "calls looked for it elsewhere");
    Some(Lesson::of(&finding.id, group, text, Topic::Names(vec![name.to_owned()]), because))
}
