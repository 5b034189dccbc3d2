//! The agent's own tools: time limits, parameters, approvals, repetitions, and large files that are read whole.

use std::collections::BTreeMap;

use gephost_gene::run_log::Difference;

use super::material::{Material, failed};
use crate::agent::is_tool;
use crate::call_text::{command, has_member};
use crate::input::{Entry, Workspace};
use crate::lesson::{Lesson, Topic, corrected, most_frequent};
use crate::log::{Failure, Finding, Log};
use crate::word::{is_path, is_program, is_subcommand, words};

/// Calls that ran out of time and worked with a longer limit.
pub(crate) struct Cured<'a> {
    /// The program, maybe with its subcommand.
    pub(crate) call: String,
    pub(crate) failures: Vec<&'a Failure>,
    /// The longest limit that was needed.
    pub(crate) seconds: u32,
}

/// The call that a longer limit cured most often.
pub(crate) fn cured<'a>(failures: &[&'a Failure], log: &Log) -> Option<Cured<'a>> {
    /// The longest limit that is recommended, in seconds.
    const MOST: u32 = 3600;
    let cured: Vec<(&Failure, String, u32)> = failures
        .iter()
        .filter_map(|failure| {
            let (_, after) = corrected(log, failure, Difference::TimeLimit)?;
            let seconds: u32 = after.trim_end_matches('s').parse().ok()?;
            Some((*failure, call_of(&failure.input)?, seconds))
        })
        .collect();
    let call =
        |failure: &Failure| cured.iter().find(|(other, ..)| other.event == failure.event).map(|cure| cure.1.clone());
    let (call, failures) = most_frequent(failures, call)?;
    let seconds = cured.iter().filter(|(_, other, _)| *other == call).map(|(.., seconds)| *seconds).max()?;
    ((1..=MOST).contains(&seconds) && failures.len() >= 2).then_some(Cured { call, failures, seconds })
}

/// A longer time limit cured the failures, and the agent's settings do not give it to every call.
pub(super) fn time_limit(finding: &Finding, failures: &[&Failure], material: &Material<'_>) -> Option<Lesson> {
    let Cured { call, failures, seconds } = cured(failures, material.log)?;
    if material.time_limit.is_some_and(|limit| limit >= u64::from(seconds)) {
        return None;
    }
    let text = format!("Give `{call}` a time limit of at least {seconds} seconds.");
    let because = failed(
        &failures,
        "call ran out of time and worked with that limit",
        "calls ran out of time and worked with that limit",
    );
    Some(Lesson::of(&finding.id, &failures, text, Topic::AllNames(vec![call, "time".to_owned()]), because))
}

/// Parameters of agents' tools that a line may name: the message that names one is text of the log.
const PARAMETERS: [&str; 22] = [
    "cmd",
    "command",
    "content",
    "description",
    "file_path",
    "file_text",
    "insert_line",
    "new_str",
    "new_string",
    "old_str",
    "old_string",
    "offset",
    "limit",
    "path",
    "pattern",
    "prompt",
    "query",
    "replace_all",
    "todos",
    "url",
    "view_range",
    "subagent_type",
];

/// A parameter that a tool needs and the agent leaves out.
pub(super) fn parameters(finding: &Finding, failures: &[&Failure]) -> Option<Lesson> {
    let parameter = finding.values.first().filter(|name| PARAMETERS.contains(&name.as_str()))?;
    let (tool, group) = most_frequent(failures, |failure| is_tool(&failure.tool).then(|| failure.tool.clone()))?;
    // If the calls had it, something else was wrong with it.
    let lacks = |failure: &&&Failure| !has_member(&failure.input, &[parameter]);
    if group.iter().filter(lacks).count() * 2 <= group.len() {
        return None;
    }
    let text =
        format!("Give `{parameter}` in every call of `{tool}` that needs it; the tool refuses the call without it.");
    let because = failed(&group, "call lacked it", "calls lacked it");
    Some(Lesson::of(&finding.id, &group, text, Topic::AllNames(vec![tool, parameter.clone()]), because))
}

/// Commands that need an approval: what to ask for.
pub(super) fn approvals(finding: &Finding, failures: &[&Failure]) -> Vec<Lesson> {
    by_call(failures, |call, group| {
        let text = format!("Ask the user before you run `{call}`; it needs their approval.");
        let because = failed(group, "call had no approval", "calls had no approval");
        Lesson::of(&finding.id, group, text, Topic::Names(vec![call]), because)
    })
}

/// Commands that the agent's permission rules refuse: what not to try.
pub(super) fn refusals(finding: &Finding, failures: &[&Failure]) -> Vec<Lesson> {
    by_call(failures, |call, group| {
        let text = format!(
            "Do not run `{call}` in the forms that the permission rules refuse; use another tool, or ask the user."
        );
        let because = failed(group, "call was refused by a permission rule", "calls were refused by a permission rule");
        Lesson::of(&finding.id, group, text, Topic::Names(vec![call]), because)
    })
}

/// The lessons of the calls that failed most often.
fn by_call(failures: &[&Failure], lesson: impl Fn(String, &[&Failure]) -> Lesson) -> Vec<Lesson> {
    /// Most lines of one finding.
    const MOST: usize = 2;
    let mut groups: BTreeMap<String, Vec<&Failure>> = BTreeMap::new();
    for failure in failures {
        if let Some(call) = call_of(&failure.input) {
            groups.entry(call).or_default().push(failure);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    groups.into_iter().take(MOST).map(|(call, group)| lesson(call, &group)).collect()
}

/// The same call again, with nothing changed: a habit if it happens in several sessions.
pub(super) fn repetitions(finding: &Finding, failures: &[&Failure]) -> Option<Lesson> {
    /// Failures from which a line is worth its place.
    const LEAST: u32 = 6;
    let text = "Change something before you run a command again that has failed twice with the same message.";
    let because = failed(failures, "call failed again with nothing changed", "calls failed again with nothing changed");
    let topic = Topic::Words(&[&["repeat", "again", "retry", "same command"], &["fail", "error", "chang"]]);
    let lesson = Lesson::of(&finding.id, failures, text, topic, because);
    (lesson.seen >= LEAST && lesson.sessions >= 2).then_some(lesson)
}

/// The first program of a command, with its subcommand if a line may name both.
fn call_of(input: &str) -> Option<String> {
    let command = command(input)?;
    if command.contains(['\n', '`', '$']) {
        return None;
    }
    let step = command.split("&&").map(str::trim).find(|step| !step.starts_with("cd "))?;
    let words: Vec<&str> = words(step);
    let words = match words.as_slice() {
        ["timeout" | "gtimeout", _, rest @ ..] => rest,
        words => words,
    };
    match words {
        [program, name, ..] if is_program(program) && is_subcommand(name) => Some(format!("{program} {name}")),
        [program, ..] if is_program(program) => Some((*program).to_owned()),
        _ => None,
    }
}

/// Files of the workspace that are large and are read whole again and again.
pub(super) fn large_files(material: &Material<'_>, workspace: &mut impl Workspace) -> Vec<Lesson> {
    /// From this size a file costs more than 15,000 tokens each time.
    const LARGE: u64 = 64 << 10;
    /// Reads in one session, and most lines.
    const READS: u32 = 4;
    const MOST: usize = 1;
    let mut files: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for ((session, path), times) in &material.log.reads {
        if *times >= READS && material.sessions.contains(session) {
            let known = files.entry(path.as_str()).or_default();
            *known = (known.0 + *times, known.1 + 1);
        }
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let mut lessons = Vec::new();
    for (read, (times, sessions)) in files {
        let Some((path, size)) = in_workspace(read, workspace) else { continue };
        if size < LARGE {
            continue;
        }
        let text =
            format!("Search `{path}` ({} KiB) for the part that you need; do not read it whole again.", size >> 10);
        let because = format!("it was read whole {times} times in {sessions} sessions");
        let topic = Topic::Names(vec![path]);
        lessons.push(Lesson { text, topic, finding: String::new(), seen: times, sessions, newest: None, because });
        if lessons.len() == MOST {
            break;
        }
    }
    lessons
}

/// The file of the workspace that the log names by an absolute or a relative path, with its size.
fn in_workspace(read: &str, workspace: &mut impl Workspace) -> Option<(String, u64)> {
    let parts: Vec<&str> = read.split('/').filter(|part| !part.is_empty()).collect();
    // The log's root is not known: the longest end of the path that is a file here.
    (0..parts.len()).find_map(|from| {
        let path = parts.get(from..)?.join("/");
        match workspace.entry(&path).filter(|_| is_path(&path) && (from == 0 || path.contains('/'))) {
            Some(Entry::File { size }) => Some((path, size)),
            _ => None,
        }
    })
}
