//! Commands that run tests, checks and builds here, learned from the calls that succeeded.

use super::material::{Material, failed};
use crate::call_text::command;
use crate::command::{Command, best, elsewhere, runner};
use crate::input::Workspace;
use crate::lesson::{Lesson, Topic, most_frequent};
use crate::log::{Failure, Finding};

/// The command of the same role that works here, in place of one that does not exist here.
pub(super) fn instead(
    finding: &Finding,
    failures: &[&Failure],
    material: &Material<'_>,
    workspace: &mut impl Workspace,
) -> Option<Lesson> {
    let worked = material.log.worked_in(material.sessions);
    // A script is missing in one folder, a program or a module in all.
    let is_anywhere = matches!(finding.kind.as_str(), "missing_program" | "missing_module");
    let known = |failure: &Failure| {
        let line = command(&failure.input)?;
        let command = runner(&line).or_else(|| elsewhere(&line).filter(|_| is_anywhere))?;
        // The same command works in other folders or at other times.
        let works = worked.contains_key(&command.text) || material.log.worked_elsewhere.contains(&command.text);
        (!works).then_some((command.text, command.role))
    };
    let ((failing, role), group) = most_frequent(failures, known)?;
    let fits = |command: &Command| command.role == role && command.text != failing;
    let (best, worked) = best(material.log, material.sessions, workspace, fits)?;
    let text = format!("{} with `{}`; `{failing}` does not work here.", role.verb(), best.text);
    let because = format!(
        "{}, and `{}` succeeded {worked} times",
        failed(&group, "call of it failed", "calls of it failed"),
        best.text
    );
    Some(Lesson::of(&finding.id, &group, text, Topic::Names(vec![failing, best.text]), because))
}

/// The check that reports problems often, to be run before the work is called done.
pub(super) fn checks(finding: &Finding, failures: &[&Failure], workspace: &mut impl Workspace) -> Option<Lesson> {
    /// Runs with problems from which a line is worth its place.
    const LEAST: usize = 5;
    let sessions: std::collections::BTreeSet<u32> = failures.iter().map(|failure| failure.session).collect();
    if failures.len() < LEAST || sessions.len() < 2 {
        return None;
    }
    let known = |failure: &Failure| runner(&command(&failure.input)?).map(|command| command.text);
    let (text, group) = most_frequent(failures, known)?;
    let command = runner(&text)?;
    if group.len() < 2 || !command.is_in(workspace) {
        return None;
    }
    let text = format!("Run `{}` after a change, before you say that it is done or commit it.", command.text);
    let because = failed(failures, "check reported problems", "checks reported problems");
    Some(Lesson::of(&finding.id, failures, text, Topic::Names(topic_of(&command)), because))
}

/// The names by which a line about this command is known: the command, and its script.
fn topic_of(command: &Command) -> Vec<String> {
    let mut names = vec![command.text.clone()];
    names.extend(command.text.split(' ').next_back().filter(|last| last.len() > 4).map(str::to_owned));
    names
}
