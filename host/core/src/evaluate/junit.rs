//! Reports in the form of `JUnit`: `<testsuite>` and `<testcase>`, as pytest, nextest, Surefire, Gradle, jest-junit and
//! `node --test-reporter=junit` write them. Foreign bytes: no document type, no entities but XML's own, bounded depth,
//! names and size.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::tally::{Tally, one};
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// The largest report that is read, in bytes.
pub const MAX_JUNIT_BYTES: usize = 16 << 20;
/// Elements in elements, at most.
const MAX_DEPTH: usize = 64;

/// Why a file is not read as a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JunitError {
    /// It is larger than [`MAX_JUNIT_BYTES`].
    #[error("larger than {MAX_JUNIT_BYTES} bytes")]
    TooLarge,
    /// Elements stand too deep in each other.
    #[error("elements more than {MAX_DEPTH} deep")]
    TooDeep,
    /// It declares a document type, which may define entities.
    #[error("a document type is declared")]
    DocumentType,
    /// It is not XML, or it ends early.
    #[error("no whole XML document: {0}")]
    Xml(String),
    /// It is XML of another kind.
    #[error("no `testsuite` at its root")]
    NoReport,
}

/// Reads a report. Tests are named `classname::name`, or by the suites around them where no class is given.
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
    /// The elements that are open; names of suites, nothing for others.
    open: Vec<Option<String>>,
    /// The test case that is open, and how deep its children stand.
    case: Option<(String, TestState, usize)>,
    has_suite: bool,
    failed: u64,
    /// What a suite says of itself: some failures have no test of their own.
    said_failed: u64,
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
                self.said_failed = self.said_failed.max(number("failures").saturating_add(number("errors")));
                suite = attributes.get("name").filter(|_| local.as_ref() == "testsuite").cloned();
            }
            "testcase" => {
                let attributes = attributes(element)?;
                let of = |key: &str| attributes.get(key).map(String::as_str).unwrap_or_default();
                let suites = self.open.iter().flatten().map(String::as_str);
                // What node gives as the class of every test is no class.
                let name = match of("classname") {
                    "" | "test" => suites.chain([of("name")]).collect::<Vec<_>>().join("::"),
                    class => format!("{class}::{}", of("name")),
                };
                let is_skipped = attributes.get("status").is_some_and(|it| it == "skipped" || it == "disabled");
                self.case = Some((name, if is_skipped { Skipped } else { Passed }, self.open.len() + 1));
            }
            "failure" | "error" => self.becomes(Failed),
            "skipped" => self.becomes(Skipped),
            _ => {}
        }
        self.open.push(suite);
        Ok(())
    }

    /// A word on the test case that is open, in a direct child of it.
    fn becomes(&mut self, state: TestState) {
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
        let untold = self.said_failed.saturating_sub(self.failed);
        self.tally.add(TestCounts { failed: untold, ..TestCounts::default() });
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

/// What a command printed and what its reports say, as one. Numbers are those of the print where there is one; a failure
/// of which either tells stands. Names are the reports', which leave none out.
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
