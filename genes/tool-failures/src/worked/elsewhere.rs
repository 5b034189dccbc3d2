//! The path of the same file in another place, as a later call has it.

use crate::call::Call;
use crate::call::is_editor;
use crate::command::hidden::hides_errors;
use crate::command::paths::base;

/// Only this many bytes of an input are read.
const READ_BYTES: usize = 1024;
/// Longest path.
pub(crate) const MAX_PATH: usize = 160;

/// The path that was not found, and the one of the same file in a call that worked, or failed for another reason than a path.
/// One that writes the file or hides its errors does not show where it was.
pub(crate) fn other(call: &Call<'_>, missing: &str) -> Option<(String, String)> {
    let is_short = (3..=MAX_PATH).contains(&base(missing).len()) && missing.len() <= MAX_PATH;
    let input = begin(call.input);
    // Most calls name neither the file nor its folder, which is quickly seen.
    let mut names = missing.rsplit(['/', '\\']).filter(|name| !name.is_empty()).take(2);
    if !is_short || !names.any(|name| input.contains(name)) {
        return None;
    }
    if is_editor(call.name) || hides_errors(call.input) {
        return None;
    }
    in_place_of(missing, input)
}

/// The part of an input that is read.
fn begin(input: &str) -> &str {
    input.get(..input.floor_char_boundary(READ_BYTES)).unwrap_or_default()
}

/// The paths in the first part of a command that it does not write. A pattern is no path, nor what stands behind it.
pub(crate) fn paths_in(input: &str) -> impl Iterator<Item = &str> {
    let is_of_path =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '\\' | ':' | '@' | '+' | '*' | '$');
    let words = begin(input).split(move |c: char| !is_of_path(c) && !matches!(c, '>' | '<'));
    let mut before = "";
    words.filter(|word| !word.is_empty()).filter(move |word| {
        let is_written = std::mem::replace(&mut before, word).ends_with(['>', '<', '=']) || word.contains(['>', '<']);
        !is_written && !word.contains(['*', '$']) && word.len() <= MAX_PATH && word.contains(['/', '\\'])
    })
}

/// What was wrong with a path, if a command has another one of the same file or folder: one is the end of the other, whatever
/// stands before.
fn in_place_of(missing: &str, input: &str) -> Option<(String, String)> {
    let wanted = bare(missing);
    let folder = wanted.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| folder.contains('/'));
    for word in paths_in(input) {
        let path = bare(word);
        let is_same_file = base(&path) == base(&wanted) && (is_end(&path, &wanted) || is_end(&wanted, &path));
        // With `./` in front, it is the same path.
        let is_from_elsewhere = up(word) != up(missing);
        let is_same_folder = folder.is_some() && path.rsplit_once('/').map(|(folder, _)| folder) == folder;
        if is_same_folder && is_from_elsewhere {
            let of = |path: &str| path.rsplit_once(['/', '\\']).map_or(path, |(folder, _)| folder).to_owned();
            return Some((of(missing), of(word)));
        }
        if is_same_file && (is_from_elsewhere || path != wanted) {
            return Some((missing.to_owned(), word.to_owned()));
        }
    }
    None
}

/// How many folders above the current one a path begins.
fn up(path: &str) -> usize {
    path.replace('\\', "/")
        .split('/')
        .take_while(|part| matches!(*part, ".." | "." | ""))
        .filter(|part| *part == "..")
        .count()
}

/// A path without the folders above the current one, with `/` between its names.
fn bare(path: &str) -> String {
    let path = path.replace("\\\\", "/").replace('\\', "/");
    path.trim_start_matches("../").trim_start_matches("./").to_owned()
}

fn is_end(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_is_found_in_another_place() {
        for (missing, input, expected) in [
            ("../../.venv/Scripts/a.exe", "cd a && ../.venv/Scripts/b.exe -c 1", Some("../.venv/Scripts")),
            ("calc.py", r#"{"path": "/w/src/calc.py"}"#, Some("/w/src/calc.py")),
            ("/w/src/calc.py", "cat src/calc.py", Some("src/calc.py")),
            ("src/calc.py", "cat src/calc.py", None),
            ("./glow", "go build -o glow && ./glow a", None),
            ("/tests/test.sh", "find . -name test.sh", None),
            ("a/b/calc.py", "cat a/b/other.py", None),
            ("a/calc.py", "cat b/calc.py", None),
            ("calc.py", "cat src/calc.pyc", None),
            ("calc.py", "cat recalc.py", None),
            ("tasks/calc.py", "find .. -path '*/calc.py'", None),
            ("tasks/calc.py", "cat $DIR/calc.py", None),
            ("out.csv", "python a.py > tmp/out.csv", None),
            ("app/fixtures/", "ls web/app/fixtures/", Some("web/app/fixtures/")),
            ("app/fixtures/", "ls web/app/other/", None),
        ] {
            assert_eq!(in_place_of(missing, input).map(|found| found.1).as_deref(), expected, "{missing} in {input}");
        }
    }

    #[test]
    fn only_a_call_that_shows_the_file_counts() {
        let worked = Call { failed: false, input: "cat src/calc.py", ..Call::FAILED };
        let found = |call: &Call<'_>| other(call, "calc.py").map(|found| found.1);
        assert_eq!(found(&worked).as_deref(), Some("src/calc.py"));
        assert_eq!(found(&Call { name: "Write", ..worked }), None);
        for input in ["cat src/calc.py || true", "cat src/calc.py 2>/dev/null"] {
            assert_eq!(found(&Call { input, ..worked }), None);
        }
    }
}
