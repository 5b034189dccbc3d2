//! Reads reports in `JUnit`'s format (`<testsuite>` and `<testcase>`), as written by pytest, nextest, Surefire, Gradle,
//! jest-junit and `node --test-reporter=junit`. The bytes are untrusted: a document type and entities other than XML's
//! own are refused, and depth, names and size are bounded.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::tally::{Tally, one};
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// Largest report that is read, in bytes.
pub const MAX_JUNIT_BYTES: usize = 16 << 20;
/// Deepest nesting of elements.
const MAX_DEPTH: usize = 64;

/// Why a file is not a valid report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JunitError {
    /// It is larger than [`MAX_JUNIT_BYTES`].
    #[error("larger than {MAX_JUNIT_BYTES} bytes")]
    TooLarge,
    /// Its elements are nested too deeply.
    #[error("elements more than {MAX_DEPTH} deep")]
    TooDeep,
    /// It declares a document type, which may define entities.
    #[error("it declares a document type")]
    DocumentType,
    /// It is not XML, or it is incomplete.
    #[error("not a complete XML document: {0}")]
    Xml(String),
    /// It is XML, but not a test report.
    #[error("its root element is not `testsuite` or `testsuites`")]
    NoReport,
}

/// Reads a report. A test is named `classname::name`. Without a class, the names of the enclosing suites are used.
pub fn read_junit(bytes: &[u8]) -> Result<TestEvidence, JunitError> {
    if bytes.len() > MAX_JUNIT_BYTES {
        return Err(JunitError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| JunitError::Xml(error.to_string()))?;
    let mut reader = Reader::from_str(text);
    let mut report = Report::default();
    loop {
        match reader.read_event().map_err(|error| JunitError::Xml(error.to_string()))? {
            Event::DocType(_) => return Err(JunitError::DocumentType),
            Event::Start(element) => report.start(&element)?,
            Event::Empty(element) => {
                report.start(&element)?;
                report.end();
            }
            Event::End(_) => report.end(),
            Event::Eof => break,
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::GeneralRef(_) => {}
        }
    }
    report.finish()
}

#[derive(Default)]
struct Report {
    tally: Tally,
    /// The open elements: names of suites, `None` for others.
    open: Vec<Option<String>>,
    /// The open test case with its state, and the depth of its children.
    case: Option<(String, TestState, usize)>,
    has_suite: bool,
    failed: u64,
    /// The number of failures that a suite itself reports. Some have no test of their own.
    reported_failed: u64,
}

impl Report {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), JunitError> {
        let local = element.local_name();
        let is_suite = matches!(local.as_ref(), "testsuite" | "testsuites");
        if self.open.is_empty() && !is_suite {
            return Err(JunitError::NoReport);
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(JunitError::TooDeep);
        }
        let mut suite = None;
        match local.as_ref() {
            "testsuite" | "testsuites" => {
                let attributes = attributes(element)?;
                let number =
                    |key: &str| attributes.get(key).and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0);
                self.has_suite = true;
                self.reported_failed = self.reported_failed.max(number("failures").saturating_add(number("errors")));
                suite = attributes.get("name").filter(|_| local.as_ref() == "testsuite").cloned();
            }
            "testcase" => {
                let attributes = attributes(element)?;
                let of = |key: &str| attributes.get(key).map(String::as_str).unwrap_or_default();
                let suites = self.open.iter().flatten().map(String::as_str);
                // node gives every test the class `test`, which is ignored.
                let name = match of("classname") {
                    "" | "test" => suites.chain([of("name")]).collect::<Vec<_>>().join("::"),
                    class => format!("{class}::{}", of("name")),
                };
                let is_skipped = attributes.get("status").is_some_and(|it| it == "skipped" || it == "disabled");
                self.case = Some((name, if is_skipped { Skipped } else { Passed }, self.open.len() + 1));
            }
            "failure" | "error" => self.set_state(Failed),
            "skipped" => self.set_state(Skipped),
            _ => {}
        }
        self.open.push(suite);
        Ok(())
    }

    /// Sets the state of the open test case, if the element is a direct child of it.
    fn set_state(&mut self, state: TestState) {
        if let Some((_, known, depth)) = &mut self.case
            && *depth == self.open.len()
            && *known != Failed
        {
            *known = state;
        }
    }

    fn end(&mut self) {
        self.open.pop();
        let Some((name, state, _)) = self.case.take_if(|(_, _, depth)| *depth > self.open.len()) else { return };
        self.failed += u64::from(state == Failed);
        self.tally.add(one(state));
        self.tally.note(&name, state);
    }

    fn finish(mut self) -> Result<TestEvidence, JunitError> {
        if !self.open.is_empty() {
            return Err(JunitError::Xml("it ends within an element".to_owned()));
        }
        if !self.has_suite {
            return Err(JunitError::NoReport);
        }
        let unnamed = self.reported_failed.saturating_sub(self.failed);
        self.tally.add(TestCounts { failed: unnamed, ..TestCounts::default() });
        Ok(self.tally.finish().unwrap_or_default())
    }
}

fn attributes(element: &BytesStart<'_>) -> Result<BTreeMap<String, String>, JunitError> {
    let wrong = |error: &dyn std::fmt::Display| JunitError::Xml(error.to_string());
    let mut found = BTreeMap::new();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| wrong(&error))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| wrong(&error))?;
        found.insert(attribute.key.as_ref().to_owned(), value.into_owned());
    }
    Ok(found)
}

/// Merges what a command printed with its reports. Counts come from the output if it has any, but a failure that only
/// the reports have counts too. Names come from the reports, which list every test.
pub fn merge_reports(printed: Option<TestEvidence>, reports: Option<TestEvidence>) -> Option<TestEvidence> {
    let (mut printed, reports) = match (printed, reports) {
        (Some(printed), Some(reports)) => (printed, reports),
        (one, other) => return one.or(other),
    };
    let named = printed.names.executed().max(reports.names.executed());
    printed.counts.failed = printed.counts.failed.max(reports.counts.failed);
    if reports.names.executed() == named {
        printed.names = reports.names;
    }
    Some(printed)
}
