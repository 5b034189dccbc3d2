//! The finding `failure_place`: a file of the project, and its lines, that failed test runs and builds point at.

use gephost_gene::Severity;
use gephost_gene::run_log::FailureKind;

use crate::by_number::ByNumber;
use crate::call::Call;
use crate::failure_kind::signal;
use crate::order::{push_newest, sort_by};
use crate::report::{Report, TITLE_CHARS, clipped, confidence, first_line, times};

/// Failed runs that must point at a file. For a single one the error's own finding is enough.
const MIN_RUNS: u32 = 2;
/// Files that are counted. When there are more, those with a single run are dropped.
const MAX_FILES: usize = 512;
/// Lines that are counted in each file.
const MAX_LINES: usize = 16;
const MAX_EVENTS: usize = 8;
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
    newest: Vec<(u64, String)>,
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
        push_newest(&mut self.newest, (call.event, first_line(call.input)), MAX_EVENTS);
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
