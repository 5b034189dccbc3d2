//! The finding `failure_place`: a file of the project, and its lines, that failed test runs and builds point at.

use std::collections::VecDeque;

use gephost_gene::Severity;
use gephost_gene::run_log::FailureKind;

use crate::by_number::ByNumber;
use crate::call::Call;
use crate::failure_kind::signal;
use crate::order::sort_by;
use crate::report::{Report, TITLE_CHARS, clipped, confidence, first_line, times};

/// Failed runs that must point at a file. For a single one the error's own finding is enough.
const MIN_RUNS: u32 = 2;
/// Files that are counted. When there are more, those with a single run are dropped.
const MAX_FILES: usize = 512;
/// Lines that are counted in each file.
const MAX_LINES: usize = 16;
/// Places that are taken from one output.
const MAX_PLACES: usize = 16;
/// Only this many bytes at the end of an output are searched, because the summary is there.
const SEARCHED_BYTES: usize = 8192;
const MAX_PATH_BYTES: usize = 120;
const MAX_EVENTS: usize = 8;
/// Extensions of source files.
const EXTENSIONS: [&str; 26] = [
    "py", "rs", "go", "js", "ts", "tsx", "jsx", "mjs", "cjs", "mts", "cts", "java", "kt", "rb", "c", "cc", "cpp", "h",
    "hpp", "cs", "swift", "php", "vue", "svelte", "scala", "ex",
];
/// Parts of paths that do not belong to the project.
const FOREIGN: [&str; 8] = [
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    "/usr/lib/",
    "/lib/python",
    ".cargo/registry",
    "rustlib/",
    "node:",
];

/// Parts of paths that belong to a framework, if the traceback names other files, too: it raises what the project caused.
const FRAMEWORKS: [&str; 15] = [
    "\\Scripts\\",
    "/bin/",
    "site-packages",
    "dist-packages",
    "node_modules",
    "/lib/python",
    "\\Lib\\",
    "/django/",
    "/flask/",
    "/fastapi/",
    "/starlette/",
    "/sqlalchemy/",
    "/pydantic/",
    "/unittest/",
    "/importlib/",
];

#[derive(Debug, Default)]
pub(crate) struct Places {
    /// In the order of their names.
    files: Vec<(String, File)>,
}

#[derive(Debug, Default)]
struct File {
    tests: u32,
    builds: u32,
    /// Line numbers, and how often failures pointed at them.
    lines: ByNumber<u32>,
    newest: VecDeque<(u64, String)>,
}

impl Places {
    /// Adds one failure and the places that it names.
    pub(crate) fn add(&mut self, call: &Call<'_>, places: &[(&str, u32)]) {
        let test = call.kind == FailureKind::TestFailure;
        if !test && call.kind != FailureKind::CompileLint {
            return;
        }
        let mut counted: Vec<String> = Vec::new();
        for &(path, line) in places {
            let path = &self.one_name(path);
            if self.files.len() >= MAX_FILES && self.find(path).is_err() {
                self.files.retain(|(_, file)| file.runs() > 1);
                if self.files.len() >= MAX_FILES {
                    continue;
                }
            }
            let at = self.find(path).unwrap_or_else(|at| {
                self.files.insert(at, (path.clone(), File::default()));
                at
            });
            let (_, file) = &mut self.files[at];
            file.add_line(line);
            if !counted.contains(path) {
                counted.push(path.clone());
                file.add_run(test, call);
            }
        }
    }

    fn find(&self, path: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|(known, _)| known.as_str().cmp(path))
    }

    /// The name under which a file is counted: `D:\\w\\e2e\\a.ts`, `e2e\\a.ts` and `./e2e/a.ts` are one file.
    fn one_name(&self, path: &str) -> String {
        let plain = path.replace('\\', "/");
        let plain = plain.trim_start_matches("./");
        let ends = |long: &str, short: &str| {
            short.contains('/') && long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
        };
        let known = self
            .files
            .iter()
            .map(|(known, _)| known)
            .find(|known| *known == plain || ends(known, plain) || ends(plain, known));
        known.map_or(plain, String::as_str).to_owned()
    }

    pub(crate) fn reports(&self) -> impl Iterator<Item = Report> {
        self.files.iter().filter(|(_, file)| file.runs() >= MIN_RUNS).map(|(path, file)| file.report(path))
    }
}

impl File {
    fn runs(&self) -> u32 {
        self.tests.saturating_add(self.builds)
    }

    fn add_line(&mut self, line: u32) {
        if self.lines.len() < MAX_LINES || self.lines.has(line.into()) {
            let count = self.lines.get_or_insert(line.into(), u32::default);
            *count = count.saturating_add(1);
        }
    }

    fn add_run(&mut self, test: bool, call: &Call<'_>) {
        let runs = if test { &mut self.tests } else { &mut self.builds };
        *runs = runs.saturating_add(1);
        if self.newest.len() == MAX_EVENTS {
            self.newest.pop_front();
        }
        self.newest.push_back((call.event, first_line(call.input)));
    }

    fn report(&self, path: &str) -> Report {
        let mut lines: Vec<(u32, u64)> = self.lines.iter().map(|(line, count)| (*count, *line)).collect();
        sort_by(&mut lines, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let lines: Vec<String> = lines.iter().take(3).map(|(_, line)| line.to_string()).collect();
        let noun = if self.lines.len() == 1 { "line" } else { "mostly at lines" };
        let (what, kind) = if self.tests >= self.builds {
            ("failed tests", FailureKind::TestFailure)
        } else {
            ("failed runs", FailureKind::CompileLint)
        };
        let title = format!("{path}: {what} pointed at it {}, {noun} {}", times(self.runs()), lines.join(", "));
        Report {
            id: format!("place:{path}"),
            kind: "failure_place",
            title: clipped(&title, TITLE_CHARS),
            severity: Severity::Low,
            confidence: confidence(self.runs()) * 0.5,
            evidence: self.newest.iter().rev().cloned().collect(),
            signals: ["log_error"].into_iter().chain(signal(kind)).map(str::to_owned).collect(),
            occurrences: self.runs(),
            ..Report::default()
        }
    }
}

/// The places that a failure names, in their order: the last [`MAX_PLACES`] of a traceback, the first of anything else.
/// Empty for kinds of failures that do not concern source code.
pub(crate) fn of<'a>(call: &Call<'a>) -> Vec<(&'a str, u32)> {
    use FailureKind as K;
    if !matches!(call.kind, K::Traceback | K::MissingModule | K::TestFailure | K::CompileLint) {
        return Vec::new();
    }
    let from = call.output.ceil_char_boundary(call.output.len().saturating_sub(SEARCHED_BYTES));
    let trace = is_trace(call);
    let mut places: Vec<(&str, u32)> = Vec::new();
    for place in call.output.get(from..).unwrap_or_default().lines().filter_map(place) {
        if places.len() < MAX_PLACES {
            places.push(place);
        } else if trace {
            places.rotate_left(1);
            places.truncate(MAX_PLACES - 1);
            places.push(place);
        } else {
            break;
        }
    }
    places
}

/// The place that a failure points at: the last one of a traceback, the first one of anything else.
pub(crate) fn main<'a>(call: &Call<'_>, places: &[(&'a str, u32)]) -> Option<(&'a str, u32)> {
    let place = if is_trace(call) {
        let own = places.iter().rfind(|(path, _)| !is_of_framework(path));
        own.or(places.last())
    } else {
        places.first()
    };
    place.copied()
}

/// Whether a path is that of a framework's file.
pub(crate) fn is_of_framework(path: &str) -> bool {
    FRAMEWORKS.iter().any(|part| path.contains(part))
}

/// Whether the output is a traceback, whose innermost place comes last.
fn is_trace(call: &Call<'_>) -> bool {
    matches!(call.kind, FailureKind::Traceback | FailureKind::MissingModule)
        && call.output.contains("most recent call last")
}

/// `src/a.rs:12:5`, `File "a.py", line 12`, `a.ts(12,5)`: the first path of a line that has a line number.
fn place(line: &str) -> Option<(&str, u32)> {
    // The line in which a test begins, as Playwright prints it before the test's name.
    if line.contains(" \u{203a} ") {
        return None;
    }
    if let Some((_, rest)) = line.split_once("File \"") {
        let (path, rest) = rest.split_once("\", line ")?;
        return Some((source(path)?, number(rest)?));
    }
    line.split([' ', '\t', '\'', '"', '`']).find_map(|word| {
        let word = word.trim_start_matches(['(', '[']);
        // A drive letter or a URL scheme also ends in a colon, so the path ends at the first colon before a number.
        word.match_indices([':', '(']).find_map(|(at, _)| {
            let (path, rest) = (word.get(..at)?, word.get(at + 1..)?);
            Some((source(path)?, number(rest)?))
        })
    })
}

/// The path, if it is a source file of the project and not of an installed library.
fn source(path: &str) -> Option<&str> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let (_, extension) = path.rsplit_once('.')?;
    let ours = path.len() <= MAX_PATH_BYTES && !FOREIGN.iter().any(|part| path.contains(part));
    let plain = !path.contains(|c: char| c.is_control() || matches!(c, ',' | ';' | '=' | '|'));
    (ours && plain && EXTENSIONS.contains(&extension)).then_some(path)
}

fn number(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..digits)?.parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_the_project_goes_before_those_of_a_framework() {
        let call = Call { kind: FailureKind::Traceback, output: "(most recent call last)", ..Call::FAILED };
        let (own, other) = (("/w/a.py", 3), ("/w/django/conf/__init__.py", 65));
        assert_eq!(main(&call, &[own, other]), Some(own));
        assert_eq!(main(&call, &[other]), Some(other), "there is no other");
        assert_eq!(main(&call, &[own, ("/w/b.py", 4)]), Some(("/w/b.py", 4)));
    }

    #[test]
    fn one_file_has_one_name() {
        let mut places = Places::default();
        let call = Call { kind: FailureKind::TestFailure, ..Call::FAILED };
        for (event, path) in
            ["D:\\w\\e2e\\a.spec.ts", "e2e\\a.spec.ts", "./e2e/a.spec.ts", "a.spec.ts"].into_iter().enumerate()
        {
            places.add(&Call { event: event as u64, ..call }, &[(path, 7)]);
        }
        let reports: Vec<(String, u32)> = places.reports().map(|report| (report.id, report.occurrences)).collect();
        assert_eq!(reports, [("place:D:/w/e2e/a.spec.ts".to_owned(), 3)], "a bare name may be that of another file");
        let title = places.reports().next().map(|report| report.title);
        assert_eq!(title.as_deref(), Some("D:/w/e2e/a.spec.ts: failed tests pointed at it 3 times, line 7"));
    }

    #[test]
    fn places_are_found_in_the_forms_that_tools_print() {
        for (line, expected) in [
            ("  --> src/a.rs:12:5", Some(("src/a.rs", 12))),
            ("  File \"/w/a.py\", line 3, in f", Some(("/w/a.py", 3))),
            ("src/a.ts(7,2): error TS2304: x", Some(("src/a.ts", 7))),
            ("    a_test.go:55: got 1", Some(("a_test.go", 55))),
            ("    at f (/w/a.js:1:20)", Some(("/w/a.js", 1))),
            ("    at file:///w/a.mjs:4:1", Some(("/w/a.mjs", 4))),
            ("tests/a.py::test_b PASSED", None),
            ("  File \"/usr/lib/python3.11/x.py\", line 3", None),
            ("a.py:0", None),
            ("see http://x.com:80/a", None),
            ("C:\\w\\a.cs:9", Some(("C:\\w\\a.cs", 9))),
            ("  1) [chromium] \u{203a} e2e/a.spec.ts:10:5 \u{203a} signs in", None),
        ] {
            assert_eq!(place(line), expected, "{line}");
        }
    }
}
