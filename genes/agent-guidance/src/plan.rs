//! From findings to changes of files of instructions.
//!
//! For each file that an agent of the log reads: the lessons of that agent's sessions, without those that it is told
//! already; and the lines of the section that did not help. The same log and files give the same changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::agent::Agent;
use crate::command::{Command, Role, best};
use crate::document::Own;
use crate::input::Workspace;
use crate::lesson::{Lesson, Topic, normal};
use crate::lessons::{Material, cured, failed, lessons_of, of_reading};
use crate::limits;
use crate::log::{Failure, Finding, Log, day};
use crate::marker::{Marker, date, escaped};
use crate::target::{Target, target};

/// The settings of the gene.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// The file of instructions that the operator names.
    pub(crate) file: Option<String>,
    pub(crate) least_seen: u32,
    pub(crate) new_lines: usize,
    pub(crate) all_lines: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { file: None, least_seen: 3, new_lines: 5, all_lines: 40 }
    }
}

/// A candidate change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) objective: String,
    pub(crate) evidence: Vec<String>,
    pub(crate) finding: String,
    pub(crate) path: String,
    pub(crate) content: String,
    /// The command that should still succeed; empty if the log shows none.
    pub(crate) tests: Vec<String>,
    pub(crate) kind: DraftKind,
}

/// What a draft changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DraftKind {
    /// What the agent is told.
    Instructions,
    /// How the agent is configured.
    Settings,
}

/// What drafts are made of: the log, what was found in it, and the settings.
#[derive(Clone, Copy)]
struct Seen<'a> {
    findings: &'a [Finding],
    log: &'a Log,
    options: &'a Options,
}

/// The sessions whose agents read one file.
struct Readers {
    target: Target,
    agents: Vec<&'static str>,
    sessions: BTreeSet<u32>,
}

/// The changes: the agent's settings first, because they hold without being read; new lines, of the file with the most
/// failures first; then what did not help.
pub(crate) fn drafts(findings: &[Finding], log: &Log, options: &Options, workspace: &mut impl Workspace) -> Vec<Draft> {
    let readers = readers(log, options, workspace);
    let seen = Seen { findings, log, options };
    if log.failures.is_empty() {
        workspace.note("the findings name no failed call, so that there is no lesson");
    }
    let mut drafts: Vec<Draft> = Vec::new();
    for readers in &readers {
        drafts.extend(configured(readers, &seen, workspace));
    }
    for readers in &readers {
        drafts.extend(added(readers, &seen, workspace));
    }
    for readers in &readers {
        drafts.extend(removed(readers, findings, log));
    }
    drafts
}

fn readers(log: &Log, options: &Options, workspace: &mut impl Workspace) -> Vec<Readers> {
    let mut by_agent: BTreeMap<&'static str, (&'static Agent, BTreeSet<u32>)> = BTreeMap::new();
    for (session, tools) in &log.tools {
        let agent = Agent::of(tools);
        by_agent.entry(agent.name).or_insert_with(|| (agent, BTreeSet::new())).1.insert(*session);
    }
    let mut readers: Vec<Readers> = Vec::new();
    for (name, (agent, sessions)) in by_agent {
        let has_failures = log.failures.values().any(|failure| sessions.contains(&failure.session));
        let Some(target) = has_failures.then(|| target(agent, options.file.as_deref(), workspace)).flatten() else {
            continue;
        };
        match readers.iter_mut().find(|known| known.target.path == target.path) {
            Some(known) => {
                known.agents.push(name);
                known.sessions.extend(sessions);
                known.target.said.extend(target.said);
            }
            None => readers.push(Readers { target, agents: vec![name], sessions }),
        }
    }
    let failures =
        |readers: &Readers| log.failures.values().filter(|failure| readers.sessions.contains(&failure.session)).count();
    readers.sort_by_key(|readers| std::cmp::Reverse(failures(readers)));
    readers
}

/// The new lines of one file.
fn added(readers: &Readers, seen: &Seen<'_>, workspace: &mut impl Workspace) -> Option<Draft> {
    let Seen { findings, log, options } = *seen;
    let Readers { target, agents, sessions } = readers;
    let time_limit = if has_settings(agents) { limits::default_limit(workspace) } else { None };
    let material = Material { log, sessions, least: options.least_seen, time_limit };
    let mut lessons: Vec<Lesson> =
        findings.iter().flat_map(|finding| lessons_of(finding, &material, workspace)).collect();
    lessons.extend(of_reading(&material, workspace));
    let found = lessons.len();
    let own = target.document.own();
    let standing = own.iter().filter(|own| !own.marker.removed).count();
    let room = options.all_lines.saturating_sub(standing).min(options.new_lines);
    let mut new: Vec<Lesson> = Vec::new();
    for lesson in lessons {
        let is_known = |other: &Lesson| normal(&other.text) == normal(&lesson.text);
        if is_said(&lesson, target, &own) || new.iter().any(is_known) {
            continue;
        }
        new.push(lesson);
    }
    if new.len() > room {
        workspace.note(&format!("{} further lines wait: a change adds at most {room} here", new.len() - room));
        new.truncate(room);
    }
    let Some(first) = new.first() else {
        workspace.note(&match found {
            0 => "no failure that instructions could prevent was seen often enough".to_owned(),
            count => format!("{} says something about all {count} lessons of the log already", target.path),
        });
        return None;
    };
    let until = newest_day(log, sessions);
    let lines: Vec<String> = new.iter().map(|lesson| line(lesson, until)).collect();
    let count = if new.len() == 1 { "a lesson".to_owned() } else { format!("{} lessons", new.len()) };
    let title = if target.exists {
        format!("Add {count} from earlier sessions to {}", target.path)
    } else {
        format!("Create {} with {count} from earlier sessions", target.path)
    };
    let readers = agents.join(", ");
    let evidence = |lesson: &Lesson| {
        let last = lesson.newest.map(|time| format!(", last on {}", date(day(time)))).unwrap_or_default();
        format!("{} ({}{last})", lesson.text, lesson.because)
    };
    Some(Draft {
        title,
        objective: format!("{readers} reads {} and shall not repeat these mistakes", target.path),
        evidence: new.iter().map(evidence).collect(),
        finding: first.finding.clone(),
        path: target.path.clone(),
        content: target.document.with(&lines),
        tests: tests(log, sessions, workspace),
        kind: DraftKind::Instructions,
    })
}

/// Whether only the agent whose settings are known reads the file. Settings of one agent do not help another.
fn has_settings(agents: &[&str]) -> bool {
    agents == ["Claude Code"]
}

/// A longer time limit in the agent's settings, if the limit of the agent's own tool ended the calls. A limit of the
/// command itself (`timeout 60 …`) is a matter of words.
fn configured(readers: &Readers, seen: &Seen<'_>, workspace: &mut impl Workspace) -> Option<Draft> {
    let Seen { findings, log, options } = *seen;
    let Readers { agents, sessions, .. } = readers;
    let finding = findings.iter().find(|finding| has_settings(agents) && finding.kind == "timeout")?;
    let of_tool = |failure: &&Failure| failure.tool == "Bash" && failure.output.contains("Command timed out after");
    let failures: Vec<&Failure> = log.failures_of(finding, sessions).into_iter().filter(of_tool).collect();
    let cured = cured(&failures, log)?;
    let because = failed(&cured.failures, "call of it ran out of time", "calls of it ran out of time");
    let lesson = Lesson::of(&finding.id, &cured.failures, String::new(), Topic::Names(Vec::new()), because);
    if finding.expected || !lesson.is_recurring(options.least_seen) {
        return None;
    }
    let seconds = cured.seconds;
    let content = limits::with_limit(u64::from(seconds), workspace)?;
    Some(Draft {
        title: format!("Give shell calls {seconds} seconds in {}", limits::FILE),
        objective: format!("`{}` has the time that it needs, whatever limit a call names or forgets", cured.call),
        evidence: vec![format!("`{}` worked with a limit of {seconds} seconds ({})", cured.call, lesson.because)],
        finding: finding.id.clone(),
        path: limits::FILE.to_owned(),
        content,
        tests: tests(log, sessions, workspace),
        kind: DraftKind::Settings,
    })
}

fn line(lesson: &Lesson, day: Option<i64>) -> String {
    let marker =
        Marker { finding: lesson.finding.clone(), seen: lesson.seen, sessions: lesson.sessions, day, removed: false };
    format!("- {} {}", lesson.text, marker.text())
}

/// Whether the agent is told that already, is told something about it, or was told it in vain.
fn is_said(lesson: &Lesson, target: &Target, own: &[Own]) -> bool {
    let finding = escaped(&lesson.finding);
    let was_in_vain = own.iter().any(|own| own.marker.removed && own.marker.finding == finding);
    let text = normal(&lesson.text);
    was_in_vain || target.said.iter().any(|line| lesson.topic.is_in(line) || normal(line) == text)
}

/// The newest day on which a call of these sessions ended.
fn newest_day(log: &Log, sessions: &BTreeSet<u32>) -> Option<i64> {
    log.calls.keys().filter(|(_, session)| sessions.contains(session)).map(|(day, _)| *day).max()
}

/// The test command that succeeded most often. Instructions have no test of their own: it shows that the change broke
/// nothing. Only programs whose commands every gephost can check are named; others the operator's config may add.
fn tests(log: &Log, sessions: &BTreeSet<u32>, workspace: &mut impl Workspace) -> Vec<String> {
    const CHECKED: [&str; 8] = ["cargo ", "go ", "npm ", "pnpm ", "yarn ", "pytest", "python ", "python3 "];
    let is_known = |command: &Command| CHECKED.iter().any(|program| command.text.starts_with(program));
    let is_checked = |command: &Command| is_known(command) && !command.is_file();
    let best = best(log, sessions, workspace, |command| command.role == Role::Tests && is_checked(command));
    best.into_iter().map(|(command, _)| command.text).collect()
}

/// Calls since a line was written from which its effect is judged, and failures of its finding among them.
const LEAST_CALLS: u64 = 200;
const LEAST_FAILURES: u64 = 5;
/// Share of the earlier rate from which a line did not help.
const IN_VAIN: f64 = 0.9;
/// Most lines that one change takes out.
const MOST_REMOVED: usize = 5;

/// How often something failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Rate {
    failures: u64,
    calls: u64,
}

impl Rate {
    fn per_hundred(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^53")]
        let rate = self.failures as f64 * 100.0 / self.calls.max(1) as f64;
        rate
    }
}

/// The lines of one file that did not help.
fn removed(readers: &Readers, findings: &[Finding], log: &Log) -> Option<Draft> {
    let Readers { target, sessions, .. } = readers;
    let mut gone: Vec<(Own, Rate, Rate)> = Vec::new();
    for own in target.document.own() {
        let Some(written) = own.marker.day.filter(|_| !own.marker.removed) else { continue };
        let finding = findings.iter().find(|finding| escaped(&finding.id) == own.marker.finding);
        let (before, since) = rates(finding, written, sessions, log);
        let failed_on = since.calls >= LEAST_CALLS && since.failures >= LEAST_FAILURES;
        if failed_on && since.per_hundred() >= before.per_hundred() * IN_VAIN && before.calls > 0 {
            gone.push((own, before, since));
        }
    }
    gone.truncate(MOST_REMOVED);
    let first = gone.first()?;
    let tombstone = |own: &Own| Marker { removed: true, ..own.marker.clone() }.text();
    let changed: Vec<(usize, String)> = gone.iter().map(|(own, ..)| (own.number, tombstone(own))).collect();
    let figures = |(own, before, since): &(Own, Rate, Rate)| {
        format!(
            "\"{}\": {:.1} failures per 100 calls before ({} of {}), {:.1} since ({} of {})",
            own.text,
            before.per_hundred(),
            before.failures,
            before.calls,
            since.per_hundred(),
            since.failures,
            since.calls
        )
    };
    let finding = findings.iter().find(|finding| escaped(&finding.id) == first.0.marker.finding)?;
    let count = if gone.len() == 1 { "a lesson".to_owned() } else { format!("{} lessons", gone.len()) };
    Some(Draft {
        title: format!("Take {count} that did not help out of {}", target.path),
        objective: "keep only instructions that make failures rarer".to_owned(),
        evidence: gone.iter().map(figures).collect(),
        finding: finding.id.clone(),
        path: target.path.clone(),
        content: target.document.replaced(&changed),
        tests: Vec::new(),
        kind: DraftKind::Instructions,
    })
}

/// The rates of a finding until the day on which its line was written, and since.
fn rates(finding: Option<&Finding>, written: i64, sessions: &BTreeSet<u32>, log: &Log) -> (Rate, Rate) {
    let (mut before, mut since) = (Rate::default(), Rate::default());
    for ((day, session), calls) in &log.calls {
        if sessions.contains(session) {
            let rate = if *day <= written { &mut before } else { &mut since };
            rate.calls += calls;
        }
    }
    for failure in finding.map(|finding| log.failures_of(finding, sessions)).unwrap_or_default() {
        let Some(time) = failure.time else { continue };
        let rate = if day(time) <= written { &mut before } else { &mut since };
        rate.failures += 1;
    }
    (before, since)
}
