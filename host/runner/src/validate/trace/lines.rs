//! What the tracers said: lines by test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gephost_core::path::RepoPath;

/// Most lines that are kept.
const MAX_LINES: usize = 200_000;

/// Executed lines: a file of the project, and the number of a line from 1.
pub(super) type Lines = BTreeSet<(RepoPath, u32)>;

/// The lines of one test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TracedTest {
    /// Whether it failed; a test that did not come to its end failed.
    pub failed: bool,
    /// What it executed.
    pub lines: Lines,
}

/// The lines of the processes of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traced {
    /// The tests that a known runner ran.
    pub tests: Vec<TracedTest>,
    /// What was executed outside of tests, or in processes without a known runner.
    pub outside: Lines,
}

impl Traced {
    /// Adds what another process did.
    pub(super) fn add(&mut self, other: Self) {
        self.tests.extend(other.tests);
        self.outside.extend(other.outside);
    }
}

/// Reads the records of one Python process; `gephost_trace.py` says which there are. Others are ignored.
pub(super) fn read(bytes: &[u8], project: &Path) -> Traced {
    let text = String::from_utf8_lossy(bytes);
    let mut files: BTreeMap<u32, RepoPath> = BTreeMap::new();
    let mut traced = Traced::default();
    let mut open: Option<TracedTest> = None;
    let mut room = MAX_LINES;
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "F" => {
                let named = rest.split_once(' ').and_then(|(number, path)| {
                    let within = Path::new(path).strip_prefix(project).ok()?.to_str()?;
                    Some((number.parse().ok()?, RepoPath::new(within).ok()?))
                });
                files.extend(named);
            }
            "L" => {
                let Some((number, line)) = rest.split_once(' ') else { continue };
                let (Ok(number), Ok(line)) = (number.parse::<u32>(), line.parse::<u32>()) else { continue };
                let Some(path) = files.get(&number) else { continue };
                if room == 0 {
                    break;
                }
                room -= 1;
                let lines = open.as_mut().map_or(&mut traced.outside, |test| &mut test.lines);
                lines.insert((path.clone(), line));
            }
            "B" => open = Some(TracedTest { failed: true, lines: Lines::new() }),
            "E" => traced.tests.extend(open.take().map(|test| TracedTest { failed: rest != "0", ..test })),
            _ => {}
        }
    }
    traced.tests.extend(open);
    traced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_test_that_runs_and_an_unfinished_test_failed() {
        let text =
            "F 0 /w/files/a.py\nF 1 /elsewhere/b.py\nL 0 1\nB\nL 0 2\nL 1 9\nE 0\nB\nL 0 2\nL 0 3\nnonsense\nL 0 x\n";
        let traced = read(text.as_bytes(), Path::new("/w/files"));
        let line = |number| (RepoPath::new("a.py").unwrap(), number);
        assert_eq!(traced.outside, Lines::from([line(1)]));
        let expected = [
            TracedTest { failed: false, lines: Lines::from([line(2)]) },
            TracedTest { failed: true, lines: Lines::from([line(2), line(3)]) },
        ];
        assert_eq!(traced.tests, expected);
    }
}
