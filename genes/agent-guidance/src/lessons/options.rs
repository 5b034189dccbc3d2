//! Options, scripts and subcommands that a program refused, and those that the agent used next.

use gephost_gene::run_log::Difference;

use super::material::{Material, failed};
use crate::call_text::command;
use crate::command::{is_script, package_scripts};
use crate::input::Workspace;
use crate::lesson::{Lesson, Topic, corrected, most_frequent};
use crate::log::{Failure, Finding};
use crate::word::{is_name, is_option, is_program, is_subcommand, words};

/// What BSD programs, as on macOS, refuse, and what they take instead. The failures show that they are such.
const BSD: [(&str, &str, &str); 5] = [
    (
        "sed",
        "sed -i ''",
        "`sed` is the one of BSD here: write `sed -i '' …` to edit a file in place, or use the edit tool.",
    ),
    ("grep", "grep -E", "`grep` is the one of BSD here: it has no `-P`; use `grep -E`."),
    ("date", "date -v", "`date` is the one of BSD here: use `date -v` and `date -r` in place of `date -d`."),
    ("stat", "stat -f", "`stat` is the one of BSD here: use `stat -f` in place of `stat -c`."),
    ("find", "find .", "`find` is the one of BSD here: it needs a path first and has no `-printf`."),
];

/// Messages of BSD programs.
const BSD_MESSAGES: [&str; 4] =
    ["illegal option -- ", "invalid command code", "usage: grep [-abc", "-printf: unknown primary"];

/// Options that were exchanged or left out.
pub(super) fn options(finding: &Finding, failures: &[&Failure], material: &Material<'_>) -> Vec<Lesson> {
    let Some(program) = program_of(finding) else { return Vec::new() };
    if let Some(lesson) = bsd(finding, failures, &program) {
        return vec![lesson];
    }
    let change = |failure: &Failure| {
        let (before, after) = corrected(material.log, failure, Difference::Options)?;
        let fits = is_option(&before) && (after.is_empty() || is_option(&after)) && before != after;
        fits.then_some((before, after))
    };
    let Some(((before, after), corrected)) = most_frequent(failures, change) else { return Vec::new() };
    if corrected.len() < 2 {
        return Vec::new();
    }
    let text = if after.is_empty() {
        format!("Call `{program}` without `{before}`: the version here refuses it.")
    } else {
        format!("Use `{after}` with `{program}` in place of `{before}`, which the version here refuses.")
    };
    let because = format!(
        "{}, and worked next {} times",
        failed(failures, "call was refused", "calls were refused"),
        corrected.len()
    );
    vec![Lesson::of(&finding.id, &corrected, text, Topic::AllNames(vec![program, before]), because)]
}

fn bsd(finding: &Finding, failures: &[&Failure], program: &str) -> Option<Lesson> {
    let (name, topic, text) = BSD.iter().find(|(name, ..)| *name == program)?;
    let is_bsd = |failure: &&Failure| BSD_MESSAGES.iter().any(|message| failure.output.contains(message));
    let group: Vec<&Failure> = failures.iter().copied().filter(is_bsd).collect();
    let because = failed(&group, "call was refused", "calls were refused");
    let names = vec![(*topic).to_owned(), format!("BSD {name}")];
    (!group.is_empty()).then(|| Lesson::of(&finding.id, &group, *text, Topic::Names(names), because))
}

/// Scripts and subcommands that were exchanged.
pub(super) fn subcommands(
    finding: &Finding,
    failures: &[&Failure],
    material: &Material<'_>,
    workspace: &mut impl Workspace,
) -> Vec<Lesson> {
    let Some(program) = program_of(finding) else { return Vec::new() };
    let program = words(&program).first().map(|word| (*word).to_owned()).unwrap_or_default();
    let change = |failure: &Failure| {
        let (before, after) = corrected(material.log, failure, Difference::Subcommand)?;
        (is_call(&before, &program) && is_call(&after, &program) && before != after).then_some((before, after))
    };
    let is_real = |after: &str, workspace: &mut _| {
        let name = words(after).last().copied().unwrap_or_default();
        is_subcommand(name) || is_script(after, workspace)
    };
    if let Some(((before, after), corrected)) = most_frequent(failures, change)
        && corrected.len() >= 2
        && is_real(&after, workspace)
    {
        let text = format!("Use `{after}`; `{before}` does not exist here.");
        let because = format!(
            "{}, and `{after}` worked next {} times",
            failed(failures, "call failed", "calls failed"),
            corrected.len()
        );
        return vec![Lesson::of(&finding.id, &corrected, text, Topic::Names(vec![before, after]), because)];
    }
    scripts(finding, failures, &program, workspace).into_iter().collect()
}

/// The scripts that package.json has, if scripts were asked for that it does not have.
fn scripts(finding: &Finding, failures: &[&Failure], program: &str, workspace: &mut impl Workspace) -> Option<Lesson> {
    /// Most names in a line.
    const MOST: usize = 8;
    if finding.kind != "missing_script" || !matches!(program, "npm" | "pnpm" | "yarn" | "bun") {
        return None;
    }
    let scripts = package_scripts(workspace);
    let asked = |failure: &Failure| {
        let command = command(&failure.input)?;
        let mut words = command.split_whitespace().skip_while(|word| *word != "run").skip(1);
        words.next().filter(|word| is_name(word) && !scripts.iter().any(|script| script == word)).map(str::to_owned)
    };
    most_frequent(failures, asked)?;
    if scripts.is_empty() || scripts.len() > MOST {
        return None;
    }
    let list: Vec<String> = scripts.iter().map(|script| format!("`{script}`")).collect();
    let text = format!("Run only the scripts that the root's package.json has: {}.", list.join(", "));
    let because = failed(failures, "call of a script that does not exist", "calls of scripts that do not exist");
    Some(Lesson::of(&finding.id, failures, text, Topic::Names(scripts), because))
}

/// Whether this is the program with one or two plain words.
fn is_call(text: &str, program: &str) -> bool {
    match words(text).as_slice() {
        [first, name] | [first, "run", name] => *first == program && is_program(first) && is_name(name),
        _ => false,
    }
}

/// The program of a finding: the first name in backticks of its title, if it is the name of a program, maybe with a
/// subcommand.
fn program_of(finding: &Finding) -> Option<String> {
    let name = finding.title.split('`').nth(1)?;
    let words = words(name);
    let (first, rest) = words.split_first()?;
    (is_program(first) && rest.len() <= 1 && rest.iter().all(|word| is_subcommand(word))).then(|| name.to_owned())
}
