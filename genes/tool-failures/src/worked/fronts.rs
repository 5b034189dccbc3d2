//! A wrong folder at the front of several paths: `/a/x/b` and `/a/x/c/d` do not exist, and `/a/b` is there.
//!
//! What calls name that worked, and what they list, is there, whichever session made them: all of a log are about one project.
//! Memory is bounded: [`MAX_PATHS`] paths of at most [`MAX_PATH`] bytes that are there, and as many that are not.

use crate::by_number::ByNumber;
use crate::call::{Call, hash, is_editor};
use crate::command::hidden::hides_errors;
use crate::command::paths::{self, base, is_absolute};
use crate::order::{sort, sort_by};
use crate::worked::elsewhere::{MAX_PATH, paths_in};

/// Most paths that are known to be there, and most that are not.
const MAX_PATHS: usize = 2048;
/// Only this many bytes of an output are read.
const READ_BYTES: usize = 4096;
/// A shorter end of a path is found in many places.
const MIN_NAME: usize = 4;

/// Paths that are there, and paths that are not.
#[derive(Debug, Default)]
pub(crate) struct Fronts {
    /// By their hashes.
    known: ByNumber<String>,
    /// By the number of the failed call.
    missing: ByNumber<String>,
}

/// The folder in which a path was looked for, and the one in which the rest of it is. Either may be empty, which is the folder in
/// which the command ran.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moved {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl Fronts {
    /// Adds a call that shows its paths to be there: one that worked, or that failed for a reason that is no path.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        // What an edit writes was not there before, and what hides its errors may not be there.
        let writes = is_editor(call.name) && !call.input.contains("\"view\"");
        if self.known.len() >= MAX_PATHS || writes || hides_errors(call.input) {
            return;
        }
        for path in paths_in(call.input) {
            self.know(path);
        }
        if call.failed {
            return;
        }
        let output = call.output.get(..call.output.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        let is_path = |line: &&str| line.contains('/') && !line.contains([' ', '\t', ':', '"', '<', '=', '(']);
        for line in output.lines().map(str::trim).filter(is_path) {
            self.know(line);
        }
    }

    fn know(&mut self, path: &str) {
        let path = plain(path);
        if path.len() <= MAX_PATH && path.contains('/') && self.known.len() < MAX_PATHS {
            self.known.get_or_insert(hash(0, path.as_bytes()), || path);
        }
    }

    /// Adds a failed call that did not find this path.
    pub(crate) fn miss(&mut self, event: u64, path: &str) {
        let path = plain(path);
        if !path.is_empty() && path.len() <= MAX_PATH && self.missing.len() < MAX_PATHS {
            self.missing.insert(event, path);
        }
    }

    /// The path that a failed call did not find.
    pub(crate) fn missed(&self, event: u64) -> Option<&str> {
        self.missing.get(event).map(String::as_str)
    }

    /// The paths that are there, in which these missing ones are looked up.
    pub(crate) fn places<'m>(&self, missing: impl Iterator<Item = &'m str>) -> Places<'_> {
        let mut paths: Vec<&str> = self.known.iter().map(|(_, path)| path.as_str()).collect();
        sort_by(&mut paths, Ord::cmp);
        let mut wanted: Vec<u64> = missing.map(|path| name_hash(base(path))).collect();
        sort(&mut wanted);
        let names =
            paths.iter().enumerate().flat_map(|(at, path)| path.split('/').map(move |name| (name_hash(name), at)));
        let mut by_name: Vec<(u64, usize)> = names.filter(|(name, _)| wanted.binary_search(name).is_ok()).collect();
        sort_by(&mut by_name, Ord::cmp);
        Places { paths, by_name }
    }
}

/// Paths that are there, sorted, and for the last name of each missing path the positions of those that have it.
pub(crate) struct Places<'f> {
    paths: Vec<&'f str>,
    by_name: Vec<(u64, usize)>,
}

impl Places<'_> {
    /// Whether something is known to be at this path or below it.
    pub(crate) fn has(&self, path: &str) -> bool {
        let first = |start: &str| self.paths.get(self.paths.partition_point(|known| *known < start)).copied();
        first(path) == Some(path) || first(&[path, "/"].concat()).is_some_and(|known| is_below(known, path))
    }

    /// The paths that have this name as that of a file or of a folder.
    fn with_name(&self, name: &str) -> impl Iterator<Item = &str> {
        let hash = name_hash(name);
        let start = self.by_name.partition_point(|(known, _)| *known < hash);
        let own = self.by_name.iter().skip(start).take_while(move |(known, _)| *known == hash);
        own.filter_map(|(_, at)| self.paths.get(*at).copied())
    }

    /// Where a path is that a call did not find: the place of its longest end that is known, and of several the shortest front.
    pub(crate) fn moved(&self, missing: &str) -> Option<Moved> {
        let (is_absolute, is_there) = (is_absolute(missing), self.has(missing));
        // What is there as well may have been made since. A path of the folder above is one as seen from another folder.
        let fits = |moved: &Moved| !is_there || !is_absolute && moved.from.is_empty() && moved.to.starts_with("..");
        let mut best: Option<(usize, Moved)> = None;
        let places = self.with_name(base(missing));
        for known in places.filter(|known| !is_absolute || paths::is_absolute(known)) {
            let Some((end, moved)) = other_front(missing, known).filter(|(_, moved)| fits(moved)) else { continue };
            let order = |end: usize, moved: &Moved| (usize::MAX - end, moved.to.len(), moved.to.clone());
            if best.as_ref().is_none_or(|(longest, best)| order(end, &moved) < order(*longest, best)) {
                best = Some((end, moved));
            }
        }
        best.map(|(_, moved)| moved)
    }
}

/// Whether a path is another one, or below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The longest end of a missing path that a known one has, too, in bytes, and what stands in front of it in both.
fn other_front(missing: &str, known: &str) -> Option<(usize, Moved)> {
    let whole = (!is_absolute(missing)).then_some(0);
    let starts = missing.match_indices('/').map(|(at, _)| at + 1);
    for start in whole.into_iter().chain(starts) {
        let (from, end) = missing.split_at_checked(start).filter(|(_, end)| end.len() >= MIN_NAME)?;
        let is_place = |at: &usize| {
            let (before, rest) = known.split_at_checked(*at).unwrap_or_default();
            is_below(rest, end) && (before.is_empty() || before.ends_with('/'))
        };
        if let Some(at) = known.match_indices(end).map(|(at, _)| at).find(is_place) {
            let folder = |path: &str| if path == "/" { path.to_owned() } else { path.trim_end_matches('/').to_owned() };
            let to = known.get(..at)?;
            return Some((end.len(), Moved { from: folder(from), to: folder(to) }))
                .filter(|(_, moved)| moved.from != moved.to);
        }
    }
    None
}

fn name_hash(name: &str) -> u64 {
    hash(0, name.as_bytes())
}

/// A path with `/` between its names, and without the current folder in front and a slash at the end.
fn plain(path: &str) -> String {
    let path = path.replace("\\\\", "/").replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    path.trim_end_matches(['/', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(missing: &str, known: &[&str]) -> Option<(String, String)> {
        let mut fronts = Fronts::default();
        for path in known {
            fronts.see(&Call { failed: false, input: path, output: "", ..Call::FAILED });
        }
        fronts.miss(1, missing);
        fronts
            .missed(1)
            .and_then(|missed| fronts.places(std::iter::once(missed)).moved(missed))
            .map(|moved| (moved.from, moved.to))
    }

    #[test]
    fn the_end_of_a_path_is_found_behind_another_front() {
        for (missing, known, expected) in [
            ("/w/x/repo", &["ls /w/repo"][..], Some(("/w/x", "/w"))),
            ("/w/x/repo/src/a.rs", &["cat /w/repo/src/a.rs"], Some(("/w/x", "/w"))),
            ("/w/x/repo/src", &["cat /w/repo/src/a.rs"], Some(("/w/x", "/w"))),
            ("/w/x/repo/", &["ls /repo"], Some(("/w/x", "/"))),
            ("/w/repo/main.py", &["cat /w/lib/main.py /w/app/repo/main.py"], Some(("/w", "/w/app"))),
            ("apps/models.py", &["cat backend/apps/models.py"], Some(("", "backend"))),
            ("apps", &["ls backend/apps/core"], Some(("", "backend"))),
            (".omc/tasks/a.md", &["cat ../.omc/tasks/a.md"], Some(("", ".."))),
            ("./docs/a.md", &["cat site/docs/a.md"], Some(("", "site"))),
            ("src\\old\\main.rs", &["cat src/main.rs"], Some(("src/old", "src"))),
            ("/w/x/repo", &["ls /w/repo-2"], None),
            ("/w/x/repo", &["ls /w/x/repo"], None),
            ("/w/x/repo", &["cat /w/x/repo/a"], None),
            ("/w/x/repo", &["ls /w/repo 2>/dev/null"], None),
            ("/w/x/repo", &["ls /w/*/repo"], None),
            ("/w/x/repo", &["ls a/repo"], None),
            ("C:/w x/repo", &["ls 'C:/w x/a/repo'"], None),
            (".omc/tasks", &["ls ../.omc/tasks", "ls .omc/tasks"], Some(("", ".."))),
            ("docs/tasks", &["ls site/docs/tasks", "ls docs/tasks"], None),
            ("/w/x/repo", &["make > /w/repo"], None),
            ("/w/x/a", &["ls /w/a"], None),
            ("/w/x/repo", &[], None),
            ("repo", &["ls repo/a"], None),
            ("", &["ls /w/repo"], None),
        ] {
            let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned()));
            assert_eq!(moved(missing, known), expected, "{missing} in {known:?}");
        }
    }

    #[test]
    fn what_an_output_lists_is_there() {
        let mut fronts = Fronts::default();
        let output = "Here are the files in /w:\n/w/repo/src\n  app/core/a.py\nerror: /w/not/this: x\n";
        fronts.see(&Call { failed: false, input: "find /w", output, ..Call::FAILED });
        fronts.see(&Call { name: "Write", failed: false, input: "/w/other", output: "", ..Call::FAILED });
        for (path, expected) in [
            ("/w/repo", true),
            ("app/core/a.py", true),
            ("/w", true),
            ("/w/not", false),
            ("/w/other", false),
            ("/w/rep", false),
        ] {
            assert_eq!(fronts.places(std::iter::empty()).has(path), expected, "{path}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut fronts = Fronts::default();
        for at in 0..MAX_PATHS as u64 + 100 {
            let path = format!("/w/{at}/a");
            fronts.see(&Call { failed: false, input: &path, output: "", ..Call::FAILED });
            fronts.miss(at, &path);
        }
        fronts.miss(1, &"/a".repeat(1000));
        assert_eq!((fronts.known.len(), fronts.missing.len()), (MAX_PATHS, MAX_PATHS));
    }
}
