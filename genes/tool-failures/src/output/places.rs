//! Places in source files that an output names: which ones, and which of them the failure points at.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;

/// Places that are taken from one output.
const MAX_PLACES: usize = 16;
/// Only this many bytes at the end of an output are searched, because the summary is there.
const SEARCHED_BYTES: usize = 8192;
const MAX_PATH_BYTES: usize = 120;
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

/// Whether a path is that of a file with tests.
pub(crate) fn is_of_tests(path: &str) -> bool {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || [".test.", ".spec."].iter().any(|part| name.contains(part))
        || parts.any(|folder| matches!(folder, "test" | "tests" | "__tests__" | "spec"))
}

/// Whether the name that Python does not know stands on the left of an assignment, in the line above the error: `a.b = 1`.
pub(crate) fn is_assigned(output: &str) -> bool {
    let Some((above, rest)) = output.rsplit_once("NameError: name '") else { return false };
    let Some(name) = rest.split('\'').next().filter(|name| !name.is_empty()) else { return false };
    above.lines().rev().take(4).any(|line| {
        let Some(attribute) = line.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) else {
            return false;
        };
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let behind = attribute.trim_start_matches(is_of_name).trim_start();
        behind.len() < attribute.len() && behind.starts_with('=') && !behind.starts_with("==")
    })
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
    fn a_name_on_the_left_of_an_assignment_is_known() {
        let raised = |line: &str| {
            format!("  File \"a.py\", line 3, in <module>\n    {line}\n    ^^\nNameError: name 'ab' is not defined")
        };
        for line in ["ab.exe = 1", "ab.c.d = f()", "ab.x=2", "ab.name   = 'a'", "ab.a_1 = ab.b"] {
            assert!(is_assigned(&raised(line)), "{line}");
        }
        for line in [
            "ab.f()",
            "x = ab.c",
            "ab = 1",
            "ab.c == 1",
            "abc.d = 1",
            "if ab.c: x = 1",
            "ab.c += 1",
            "ab.f(a=1)",
            "print(ab)",
            "",
        ] {
            assert!(!is_assigned(&raised(line)), "{line}");
        }
        assert!(!is_assigned("ab.c = 1\nTypeError: no"));
    }

    #[test]
    fn files_of_tests_are_known_by_their_path() {
        for path in [
            "tests/a.py",
            r"C:\w\tests\failing\01.py",
            "test_a.py",
            "a_test.go",
            "src/a.test.ts",
            "a.spec.js",
            "/w/test/b.rb",
            "src/__tests__/a.ts",
            "spec/a.rb",
            "p/test_b.py",
        ] {
            assert!(is_of_tests(path), "{path}");
        }
        for path in [
            "src/a.py",
            "testing.py",
            "contest/a.py",
            "latest.js",
            "src/protest/a.py",
            "a/attest.rs",
            "",
            "inspector/a.rb",
            "attests/b.c",
            "retest.sh",
        ] {
            assert!(!is_of_tests(path), "{path}");
        }
    }

    #[test]
    fn a_frame_of_the_project_goes_before_those_of_a_framework() {
        let call = Call { kind: FailureKind::Traceback, output: "(most recent call last)", ..Call::FAILED };
        let (own, other) = (("/w/a.py", 3), ("/w/django/conf/__init__.py", 65));
        assert_eq!(main(&call, &[own, other]), Some(own));
        assert_eq!(main(&call, &[other]), Some(other), "there is no other");
        assert_eq!(main(&call, &[own, ("/w/b.py", 4)]), Some(("/w/b.py", 4)));
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
