//! A log and a workspace for one test.

use std::collections::BTreeMap;

use gephost_gene::run_log::Difference;

use crate::input::{Entry, Workspace};
use crate::log::{Change, Failure, Finding, Log};
use crate::plan::{Draft, Options, drafts};

/// Files, by path. A text that begins with `->` stands for a link.
#[derive(Debug, Default, Clone)]
pub(super) struct Files {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) notes: Vec<String>,
}

impl Workspace for Files {
    fn entry(&mut self, path: &str) -> Option<Entry> {
        let below = format!("{path}/");
        match self.texts.get(path) {
            Some(text) if text.starts_with("->") => Some(Entry::Link),
            Some(text) => Some(Entry::File { size: text.len() as u64 }),
            None => self.texts.keys().any(|file| file.starts_with(&below)).then_some(Entry::Folder),
        }
    }

    fn named(&mut self, name: &str) -> Vec<String> {
        let below = format!("/{name}");
        self.texts.keys().filter(|path| *path == name || path.ends_with(&below)).cloned().collect()
    }

    fn text(&mut self, path: &str) -> Option<String> {
        self.texts.get(path).filter(|text| !text.starts_with("->")).cloned()
    }

    fn note(&mut self, line: &str) {
        self.notes.push(line.to_owned());
    }
}

/// A log in which one tool of one agent failed.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) findings: Vec<Finding>,
    pub(super) log: Log,
    pub(super) files: Files,
    pub(super) options: Options,
}

impl Case {
    /// An empty log of Claude Code, and a workspace with these files.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let mut case = Self {
            findings: Vec::new(),
            log: Log::default(),
            files: Files { texts, notes: Vec::new() },
            options: Options::default(),
        };
        case.tools(0..8, &["Bash", "Read", "Edit"]);
        case
    }

    pub(super) fn tools(&mut self, sessions: std::ops::Range<u32>, tools: &[&str]) {
        for session in sessions {
            self.log.tools.insert(session, tools.iter().map(|tool| (*tool).to_owned()).collect());
        }
    }

    /// A finding with a failure in each of these sessions.
    pub(super) fn finding(mut self, kind: &str, title: &str, values: &[&str], calls: &[(u32, &str, &str)]) -> Self {
        let mut events = Vec::new();
        for (session, input, output) in calls {
            let event = self.log.failures.len() as u64;
            let failure = Failure {
                event,
                session: *session,
                tool: "Bash".to_owned(),
                input: (*input).to_owned(),
                output: (*output).to_owned(),
                time: Some(1_772_323_200_000_000),
            };
            self.log.failures.insert(event, failure);
            *self.log.calls.entry((20_513, *session)).or_default() += 1;
            events.push(event);
        }
        self.findings.push(Finding {
            id: format!("{kind}:1"),
            kind: kind.to_owned(),
            title: title.to_owned(),
            events,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            expected: false,
        });
        self
    }

    /// What worked next after each failure of the last finding.
    pub(super) fn corrected(mut self, difference: Difference, before: &str, after: &str) -> Self {
        let events = self.findings.last().map(|finding| finding.events.clone()).unwrap_or_default();
        for event in events {
            let change = Change { difference, before: before.to_owned(), after: after.to_owned() };
            self.log.changes.insert(event, change);
        }
        self
    }

    /// A command that succeeded this often in the first session.
    pub(super) fn worked(mut self, command: &str, times: u32) -> Self {
        self.log.worked.entry(0).or_default().insert(command.to_owned(), times);
        self
    }

    pub(super) fn drafts(&mut self) -> Vec<Draft> {
        drafts(&self.findings, &self.log, &self.options, &mut self.files)
    }

    /// The new lines of the first draft, without their markers.
    pub(super) fn lines(&mut self) -> Vec<String> {
        let draft = self.drafts().into_iter().next();
        let content = draft.map(|draft| draft.content).unwrap_or_default();
        let own = |line: &str| crate::marker::Marker::split(line).map(|(text, _)| text.to_owned());
        let text = |line: String| line.trim_start_matches("- ").to_owned();
        content.lines().filter_map(own).map(text).collect()
    }
}

/// The same call with the same output in so many sessions.
pub(super) fn repeated<'a>(sessions: u32, input: &'a str, output: &'a str) -> Vec<(u32, &'a str, &'a str)> {
    (0..sessions).map(|session| (session, input, output)).collect()
}
